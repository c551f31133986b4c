//! What appeared and what went away, by the id of a finding: one that only moved is the same.

use report::text::{Style, render_finding};
use report::{Finding, Sources, called_name, count, fingerprint, short_ids};
use std::collections::BTreeMap;

/// The difference of two lists of findings, each with the id that people see.
pub struct Changes<'a> {
    pub appeared: Vec<(&'a Finding, String)>,
    pub gone: Vec<(&'a Finding, String)>,
}

impl<'a> Changes<'a> {
    pub fn between(before: &'a [Finding], after: &'a [Finding]) -> Changes<'a> {
        Changes {
            appeared: without(after, before),
            gone: without(before, after),
        }
    }

    /// The new findings in full, one line for each that is gone.
    pub fn text(&self, sources: &dyn Sources, style: Style) -> String {
        let mut out = String::new();
        for (finding, id) in &self.appeared {
            out.push_str(&render_finding(finding, Some(id), sources, style));
            out.push('\n');
        }
        for (finding, id) in &self.gone {
            let function = called_name(&finding.function);
            out.push_str(&format!(
                "gone[{}]: {}:{} in {function}: {} ({id})\n",
                finding.rule_id(),
                finding.location.file,
                finding.location.line,
                finding.message
            ));
        }
        out
    }

    /// `1 new, 2 gone: `, for the line of the state; empty if nothing changed.
    pub fn summary(&self) -> String {
        match (self.appeared.len(), self.gone.len()) {
            (0, 0) => String::new(),
            (new, 0) => format!("{} new: ", count(new, "finding")),
            (0, gone) => format!("{} gone: ", count(gone, "finding")),
            (new, gone) => format!("{} new, {gone} gone: ", count(new, "finding")),
        }
    }
}

/// Those of the list that the others do not have. A verdict that changed makes another finding.
fn without<'a>(list: &'a [Finding], others: &[Finding]) -> Vec<(&'a Finding, String)> {
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    for other in others {
        *known
            .entry((fingerprint(other), other.verdict))
            .or_default() += 1;
    }
    let mut left = Vec::new();
    for (finding, id) in list.iter().zip(short_ids(list)) {
        match known.get_mut(&(fingerprint(finding), finding.verdict)) {
            Some(count @ 1..) => *count -= 1,
            _ => left.push((finding, id)),
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use report::{FingerprintParts, Location, Verdict};

    fn finding(function: &str, line: u32) -> Finding {
        Finding {
            rule: rules::find("null-dereference").map(|rule| rule.meta()),
            verdict: Verdict::May,
            message: "`p` is null when it is dereferenced".to_string(),
            location: Location::new("a.c", line, 3),
            function: function.to_string(),
            also_in: Vec::new(),
            steps: Vec::new(),
            when: None,
            why: None,
            seen: None,
            called: Vec::new(),
            fingerprint_parts: FingerprintParts {
                function: function.to_string(),
                condition: "p != NULL".to_string(),
                ordinal: 0,
            },
        }
    }

    #[test]
    fn what_moved_is_the_same() {
        let before = [finding("f", 3), finding("g", 9)];
        let after = [finding("f", 4), finding("h", 12)];
        let changes = Changes::between(&before, &after);
        let names = |list: &[(&Finding, String)]| -> Vec<String> {
            list.iter().map(|(f, _)| f.function.clone()).collect()
        };
        assert_eq!(names(&changes.appeared), ["h"]);
        assert_eq!(names(&changes.gone), ["g"]);
        assert_eq!(changes.summary(), "1 finding new, 1 gone: ");
    }

    #[test]
    fn one_line_for_each_that_is_gone() {
        let before = [finding("f", 3)];
        let changes = Changes::between(&before, &[]);
        let none = |_: &str, _: u32| None;
        let text = changes.text(&none, Style::default());
        let id = &short_ids(&before)[0];
        expect![[r#"
            gone[null-dereference]: a.c:3 in f(): `p` is null when it is dereferenced (ID)
        "#]]
        .assert_eq(&text.replace(id.as_str(), "ID"));
        assert_eq!(changes.summary(), "1 finding gone: ");
        assert_eq!(Changes::between(&before, &before).summary(), "");
    }
}
