//! What SARIF is told about the rules: their documentation, and where they stand in the CWE.

use super::model::{
    DescriptorReference, Message, Relationship, ReportingConfiguration, ReportingDescriptor,
    ToolComponent, ToolComponentReference,
};
use rules::Meta;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Rules and taxonomy of one run.
pub struct Catalogue {
    rules: Vec<&'static Meta>,
    /// CWE numbers, sorted.
    weaknesses: Vec<u32>,
}

impl Catalogue {
    /// All rules of rigel, whether they found something or not: a reader can tell what was looked
    /// for. `found` may bring others.
    pub fn new(found: impl Iterator<Item = &'static Meta>) -> Catalogue {
        let mut rules: Vec<&Meta> = rules::all().iter().map(|rule| rule.meta()).collect();
        for rule in found {
            if rules.iter().all(|known| known.id != rule.id) {
                rules.push(rule);
            }
        }
        let weaknesses: BTreeSet<u32> = rules.iter().flat_map(|r| r.cwe).copied().collect();
        Catalogue {
            rules,
            weaknesses: weaknesses.into_iter().collect(),
        }
    }

    pub fn index(&self, rule: &Meta) -> Option<usize> {
        self.rules.iter().position(|known| known.id == rule.id)
    }

    pub fn descriptors(&self) -> Vec<ReportingDescriptor> {
        self.rules
            .iter()
            .map(|rule| self.descriptor(rule))
            .collect()
    }

    fn descriptor(&self, rule: &Meta) -> ReportingDescriptor {
        let cwe_tags = rule.cwe.iter().map(|n| format!("external/cwe/cwe-{n:03}"));
        let tags: Vec<String> = std::iter::once("security".to_string())
            .chain(cwe_tags)
            .take(TAGS)
            .collect();
        let mut properties: BTreeMap<&str, Value> = BTreeMap::new();
        properties.insert("tags", json!(tags));
        properties.insert("precision", json!("high"));
        if let Some(severity) = rule.cwe.iter().find_map(|n| security_severity(*n)) {
            properties.insert("security-severity", json!(severity));
        }
        ReportingDescriptor {
            id: rule.id.to_string(),
            name: Some(pascal_case(rule.id)),
            short_description: Some(Message::new(rule.summary)),
            full_description: Some(Message::new(what_it_finds(rule))),
            help: Some(Message {
                text: rule.docs.to_string(),
                markdown: Some(rule.docs.to_string()),
            }),
            default_configuration: Some(ReportingConfiguration {
                level: rule.severity.word(),
            }),
            relationships: rule.cwe.iter().filter_map(|n| self.relation(*n)).collect(),
            properties,
        }
    }

    fn relation(&self, weakness: u32) -> Option<Relationship> {
        let index = self.weaknesses.binary_search(&weakness).ok()?;
        Some(Relationship {
            target: DescriptorReference {
                id: weakness.to_string(),
                index,
                tool_component: CWE,
            },
            kinds: ["superset"],
        })
    }

    /// The entries of the CWE that the rules refer to.
    pub fn taxonomies(&self) -> Vec<ToolComponent> {
        let taxon = |n: &u32| ReportingDescriptor {
            id: n.to_string(),
            name: Some(format!("CWE-{n}")),
            ..ReportingDescriptor::default()
        };
        vec![ToolComponent {
            name: CWE.name,
            organization: Some("MITRE"),
            short_description: Some(Message::new("The MITRE Common Weakness Enumeration")),
            taxa: self.weaknesses.iter().map(taxon).collect(),
            ..ToolComponent::default()
        }]
    }
}

/// Tags that GitHub keeps of a rule.
const TAGS: usize = 10;

/// The one taxonomy.
pub const CWE: ToolComponentReference = ToolComponentReference {
    name: "CWE",
    index: 0,
};

/// The scale is that of CVSS. GitHub calls what is above 7.0 high, and sorts by it. It goes by
/// what the weakness lets happen: memory of others written or read, then values nobody chose,
/// then an end of the program.
fn security_severity(weakness: u32) -> Option<&'static str> {
    Some(match weakness {
        119..=127 | 415 | 416 | 562 | 590 | 761..=763 | 787 | 788 | 824 | 825 => "8.8",
        190 | 191 | 197 | 680 => "7.5",
        457 | 665 | 908 => "7.0",
        476 | 672 | 690 | 910 | 1341 => "6.5",
        369 | 400 | 401 | 404 | 667 | 764 | 770 | 772 | 773 | 775 | 789 | 835 => "5.5",
        617 | 628 | 682 | 758 | 1335 => "4.0",
        _ => return None,
    })
}

/// `null-dereference` → `NullDereference`, the form that SARIF asks of names.
fn pascal_case(id: &str) -> String {
    let mut out = String::new();
    for word in id.split('-') {
        let mut letters = word.chars();
        out.extend(letters.next().map(|c| c.to_ascii_uppercase()));
        out.push_str(letters.as_str());
    }
    out
}

/// The first section of the documentation, in one line.
fn what_it_finds(rule: &Meta) -> String {
    let lines = rule.docs.lines().skip_while(|l| !l.starts_with("## "));
    let words: Vec<&str> = lines
        .skip(1)
        .take_while(|line| !line.starts_with("## "))
        .flat_map(str::split_whitespace)
        .collect();
    match words.is_empty() {
        true => rule.summary.to_string(),
        false => words.join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_of_rigel_has_a_severity_and_a_description() {
        let catalogue = Catalogue::new(std::iter::empty());
        for rule in catalogue.descriptors() {
            let severity = rule.properties.get("security-severity");
            assert!(severity.is_some_and(Value::is_string), "{}", rule.id);
            let text = rule.full_description.map(|m| m.text).unwrap_or_default();
            assert!(
                text.len() > 20 && !text.contains('\n'),
                "{}: {text}",
                rule.id
            );
            assert!(!rule.relationships.is_empty(), "{}", rule.id);
        }
    }

    #[test]
    fn names() {
        assert_eq!(pascal_case("use-after-free"), "UseAfterFree");
        assert_eq!(pascal_case("assertion"), "Assertion");
    }
}
