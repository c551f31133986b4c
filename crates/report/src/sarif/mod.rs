//! SARIF 2.1.0, for the tools that collect reports: GitHub's code scanning, CodeChecker, editors.
//!
//! How a finding is told:
//! - the verdict: `must` is an error, `may` a warning, `latent` a note, and none is worse than its rule says; `undecided` is of
//!   kind `open`, and has no level, as the standard asks (§3.27.10). The word itself is a property.
//! - the path: one `codeFlow` with one `threadFlow`. Viewers without flows find the essential
//!   steps and the calls in `relatedLocations`.
//! - the error projection ([`crate::projection`]): a property, and, as far as there is room, regions in `relatedLocations`.
//! - the identity: `partialFingerprints`, under a key of our own with a version. (GitHub computes
//!   `primaryLocationLineHash` itself.)
//! - paths of files are relative to `SRCROOT`, the working directory, wherever they are below it.
//!
//! CodeChecker reads it as a report file (`CodeChecker parse`), and its `report-converter` under
//! the type of another tool that writes SARIF, `-t gcc`; it takes paths literally, so that files
//! with a space in their path are not found by it.
//!
//! GitHub takes 10,000 locations of a path and shows 1,000; it keeps 100 related locations. A
//! longer path loses its least important steps, then its middle. The bytes depend on the report,
//! the sources and the invocation only: there are no times in them.

mod model;
mod rules;
mod uri;

use crate::source::{characters_before, word_length};
use crate::{Finding, Importance, Report, Sources, Step, StepKind, Verdict};
use crate::{fingerprint, json, short_ids};
use model::{
    CodeFlow, Location, Log, LogicalLocation, Message, Notification, PhysicalLocation, Region, Run,
    ThreadFlow, ThreadFlowLocation, Tool, ToolComponent,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How rigel was called, and how it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    /// Without the name of the program.
    pub arguments: Vec<String>,
    /// 0 nothing found, 1 findings, 2 the run failed.
    pub exit_code: i32,
    /// Absolute; what [`Location::file`](crate::Location::file) is relative to.
    pub working_directory: String,
}

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The key of our fingerprints. A change of what they are made of raises the version.
const FINGERPRINT: &str = "rigel/v1";

/// The rule id of a run that failed at no check: readers expect that every result has one.
const NO_RULE: &str = "failed-run";

const STEPS: usize = 1000;
const RELATED: usize = 100;

/// The report as text, with a line end.
pub fn render(report: &Report, invocation: &Invocation, sources: &dyn Sources) -> String {
    let writer = Writer {
        sources,
        directory: &invocation.working_directory,
        catalogue: rules::Catalogue::new(report.findings.iter().filter_map(|f| f.rule)),
    };
    let log = writer.log(report, invocation);
    let mut text = serde_json::to_string_pretty(&log)
        .expect("strings, numbers, lists and maps with string keys can always be written");
    text.push('\n');
    text
}

struct Writer<'a> {
    sources: &'a dyn Sources,
    directory: &'a str,
    catalogue: rules::Catalogue,
}

impl Writer<'_> {
    fn log(&self, report: &Report, invocation: &Invocation) -> Log {
        let version = env!("CARGO_PKG_VERSION");
        let ids = short_ids(&report.findings);
        let results = report.findings.iter().zip(ids);
        Log {
            schema: SCHEMA,
            version: "2.1.0",
            runs: vec![Run {
                tool: Tool {
                    driver: ToolComponent {
                        name: "rigel",
                        version: Some(version),
                        semantic_version: Some(version),
                        supported_taxonomies: vec![rules::CWE],
                        rules: self.catalogue.descriptors(),
                        ..ToolComponent::default()
                    },
                },
                invocations: vec![self.invocation(report, invocation)],
                original_uri_base_ids: BTreeMap::from([(
                    uri::ROOT,
                    uri::directory(self.directory),
                )]),
                column_kind: "unicodeCodePoints",
                taxonomies: self.catalogue.taxonomies(),
                results: results.map(|(f, id)| self.result(f, id)).collect(),
                properties: BTreeMap::from([("summary", json::totals(&report.totals))]),
            }],
        }
    }

    fn invocation(&self, report: &Report, invocation: &Invocation) -> model::Invocation {
        let notification = |text: &String| Notification {
            level: "warning",
            message: Message::new(text),
        };
        model::Invocation {
            arguments: invocation.arguments.clone(),
            working_directory: uri::directory(self.directory),
            exit_code: invocation.exit_code,
            execution_successful: matches!(invocation.exit_code, 0 | 1),
            tool_execution_notifications: report.notifications.iter().map(notification).collect(),
        }
    }

    fn result(&self, finding: &Finding, id: String) -> model::Result {
        let kind = match finding.verdict {
            Verdict::Must | Verdict::May | Verdict::Latent => "fail",
            Verdict::Undecided => "open",
            Verdict::Refuted => "pass",
        };
        let level = finding
            .severity()
            .map_or("none", |severity| severity.word());
        let mut properties: BTreeMap<&str, Value> = BTreeMap::new();
        properties.insert("id", json!(id));
        properties.insert("verdict", json!(finding.verdict.word()));
        if let Some(when) = &finding.when {
            properties.insert("when", json!(when));
        }
        if let Some(seen) = &finding.seen {
            properties.insert("seen", json!(seen));
        }
        if let Some(projection) = &finding.projection {
            properties.insert("errorProjection", projection.json());
        }
        model::Result {
            rule_id: finding.rule.map_or(NO_RULE, |rule| rule.id),
            rule_index: finding.rule.and_then(|rule| self.catalogue.index(rule)),
            kind,
            level,
            message: Message::new(match &finding.when {
                Some(when) => format!("{} (when {when})", finding.message),
                None => finding.message.clone(),
            }),
            locations: vec![self.location(&finding.location, &finding.function)],
            code_flows: self.code_flows(finding),
            related_locations: self.related(finding),
            partial_fingerprints: BTreeMap::from([(FINGERPRINT, fingerprint(finding))]),
            properties,
        }
    }

    fn code_flows(&self, finding: &Finding) -> Vec<CodeFlow> {
        let step = |step: &Step| ThreadFlowLocation {
            location: Location {
                message: Some(Message::new(&step.text)),
                ..self.location(&step.location, &step.function)
            },
            kinds: kinds(step.kind),
            nesting_level: step.depth,
            importance: step.importance.word(),
            state: step
                .values
                .iter()
                .map(|(name, value)| (name.clone(), Message::new(value)))
                .collect(),
        };
        let locations: Vec<_> = shorten(&finding.steps, STEPS)
            .into_iter()
            .map(step)
            .collect();
        match locations.is_empty() {
            true => Vec::new(),
            false => vec![CodeFlow {
                thread_flows: [ThreadFlow { locations }],
            }],
        }
    }

    /// The essential steps before the failing one, which is the location of the result itself,
    /// then the calls.
    fn related(&self, finding: &Finding) -> Vec<Location> {
        let before = finding.steps.split_last().map_or(&[][..], |(_, rest)| rest);
        let steps = before
            .iter()
            .filter(|step| step.importance == Importance::Essential)
            .map(|step| {
                (
                    self.location(&step.location, &step.function),
                    step.text.clone(),
                )
            });
        let calls = finding.called.iter().map(|call| {
            (
                self.location(&call.location, ""),
                format!("called: {}", call.text),
            )
        });
        let mut all: Vec<_> = steps.chain(calls).collect();
        // What happens last explains most.
        all.drain(..all.len().saturating_sub(RELATED));
        all.extend(self.projected(finding).take(RELATED - all.len()));
        let numbered = (1..).zip(all).map(|(id, (location, text))| Location {
            id: Some(id),
            message: Some(Message::new(text)),
            ..location
        });
        numbered.collect()
    }

    /// The lines that failing runs can pass, as regions.
    fn projected<'f>(
        &'f self,
        finding: &'f Finding,
    ) -> impl Iterator<Item = (Location, String)> + 'f {
        let parts = finding.projection.iter().flat_map(|p| &p.parts);
        parts.flat_map(move |part| {
            part.regions().into_iter().map(move |(first, last)| {
                let from = crate::Location::new(&part.file, first, 0);
                let mut location = self.location(&from, &part.function);
                if let Some(physical) = &mut location.physical_location {
                    physical.region.end_line = last;
                }
                (
                    location,
                    "error projection: failing runs can pass here".to_string(),
                )
            })
        })
    }

    fn location(&self, location: &crate::Location, function: &str) -> Location {
        let physical = (location.line > 0).then(|| PhysicalLocation {
            artifact_location: uri::file(&location.file, self.directory),
            region: self.region(location),
        });
        let logical = (!function.is_empty()).then(|| LogicalLocation {
            fully_qualified_name: function.to_string(),
            kind: "function",
        });
        Location {
            physical_location: physical,
            logical_locations: logical.into_iter().collect(),
            ..Location::default()
        }
    }

    /// From the column to the end of the word there, in characters. Without the source the column
    /// is all that is known: it is right for lines in ASCII.
    fn region(&self, location: &crate::Location) -> Region {
        let columns =
            (location.column > 0).then(|| match self.sources.line(&location.file, location.line) {
                Some(line) => {
                    let start = characters_before(&line, location.column);
                    (start + 1, start + 1 + word_length(&line, start))
                }
                None => (location.column as usize, location.column as usize + 1),
            });
        Region {
            start_line: location.line,
            start_column: columns.map(|(start, _)| start),
            end_line: location.line,
            end_column: columns.map(|(_, end)| end),
        }
    }
}

/// The standard's words (§3.38.8) for what happens in a step.
fn kinds(kind: StepKind) -> &'static [&'static str] {
    match kind {
        StepKind::Declare => &["scope", "enter"],
        StepKind::Assign => &["value"],
        StepKind::Branch | StepKind::Loop => &["branch"],
        StepKind::Call => &["call", "function"],
        StepKind::Return => &["return", "function"],
        StepKind::Check => &["danger"],
    }
}

/// At most `limit` steps: without the unimportant ones if there are too many, then without those
/// that are not essential, then without the middle. The last one always stays.
fn shorten(steps: &[Step], limit: usize) -> Vec<&Step> {
    let mut kept: Vec<&Step> = steps.iter().collect();
    for least in [Importance::Unimportant, Importance::Important] {
        if kept.len() > limit {
            let last = kept.pop();
            kept.retain(|step| step.importance < least);
            kept.extend(last);
        }
    }
    if kept.len() > limit {
        let (begin, end) = (limit / 2, kept.len() - (limit - limit / 2));
        kept.drain(begin..end);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(line: u32, importance: Importance) -> Step {
        Step {
            location: crate::Location::new("a.c", line, 1),
            function: "f".to_string(),
            kind: StepKind::Assign,
            text: String::new(),
            depth: 0,
            importance,
            values: Vec::new(),
        }
    }

    #[test]
    fn a_long_path_loses_what_matters_least() {
        use Importance::{Essential, Important, Unimportant};
        let kinds = [
            Essential,
            Unimportant,
            Important,
            Unimportant,
            Important,
            Unimportant,
        ];
        let steps: Vec<Step> = (1..).zip(kinds).map(|(n, i)| step(n, i)).collect();
        let lines = |limit| -> Vec<u32> {
            let kept = shorten(&steps, limit);
            kept.iter().map(|step| step.location.line).collect()
        };
        assert_eq!(lines(6), [1, 2, 3, 4, 5, 6]);
        assert_eq!(lines(5), [1, 3, 5, 6]);
        assert_eq!(lines(3), [1, 6]);
        assert_eq!(lines(1), [6]);
        assert!(shorten(&[], 1).is_empty());
    }
}
