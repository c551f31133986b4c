//! What appeared and what went away, by the id of a finding: one that only moved is the same.

use report::text::{Style, render_finding};
use report::{Finding, Sources, called_name, count, fingerprint, short_ids};
use std::collections::BTreeMap;

/// The difference of two lists of findings, each with the id that people see.
pub struct Changes<'a> {
    pub appeared: Vec<(&'a Finding, String)>,
    pub gone: Vec<(&'a Finding, String)>,
    /// Found before, and now not looked for: whether they are gone nobody knows.
    pub not_checked: Vec<(&'a Finding, String)>,
    /// How many of these are known since an earlier round; they come first.
    waiting: usize,
}

impl<'a> Changes<'a> {
    /// `waiting` are those that were not checked before; `is_lost` says what is not checked now.
    pub fn between(
        waiting: &'a [Finding],
        before: &'a [Finding],
        after: &'a [Finding],
        is_lost: &dyn Fn(&Finding) -> bool,
    ) -> Changes<'a> {
        let (mut gone, mut not_checked) = (Vec::new(), Vec::new());
        let mut split = |list: Vec<(&'a Finding, String)>| {
            for (finding, id) in list {
                match is_lost(finding) {
                    true => not_checked.push((finding, id)),
                    false => gone.push((finding, id)),
                }
            }
            not_checked.len()
        };
        let waited = split(without(waiting, &[after]));
        split(without(before, &[after]));
        Changes {
            appeared: without(after, &[waiting, before]),
            gone,
            not_checked,
            waiting: waited,
        }
    }

    /// The new findings in full, one line for each that is gone or not checked any more.
    pub fn text(&self, sources: &dyn Sources, style: Style) -> String {
        let mut out = String::new();
        for (finding, id) in &self.appeared {
            out.push_str(&render_finding(finding, Some(id), sources, style));
            out.push('\n');
        }
        for (finding, id) in &self.gone {
            out.push_str(&line("gone", finding, id));
        }
        for (finding, id) in &self.not_checked[self.waiting..] {
            out.push_str(&line("not checked", finding, id));
        }
        out
    }

    /// `1 finding new, 2 gone: `, for the line of the state; empty if nothing changed.
    pub fn summary(&self) -> String {
        let lists = [
            (self.appeared.len(), "new"),
            (self.gone.len(), "gone"),
            (self.not_checked.len(), "not checked"),
        ];
        let mut parts: Vec<String> = Vec::new();
        for (number, what) in lists.into_iter().filter(|(number, _)| *number > 0) {
            parts.push(match parts.is_empty() {
                true => format!("{} {what}", count(number, "finding")),
                false => format!("{number} {what}"),
            });
        }
        match parts.is_empty() {
            true => String::new(),
            false => format!("{}: ", parts.join(", ")),
        }
    }
}

fn line(what: &str, finding: &Finding, id: &str) -> String {
    format!(
        "{what}[{}]: {}:{} in {}: {} ({id})\n",
        finding.rule_id(),
        finding.location.file,
        finding.location.line,
        called_name(&finding.function),
        finding.message
    )
}

/// Those of the list that the others do not have. A verdict that changed makes another finding.
fn without<'a>(list: &'a [Finding], others: &[&[Finding]]) -> Vec<(&'a Finding, String)> {
    let mut known: BTreeMap<_, usize> = BTreeMap::new();
    for other in others.iter().copied().flatten() {
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
            projection: None,
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
        let changes = Changes::between(&[], &before, &after, &|_| false);
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
        let changes = Changes::between(&[], &before, &[], &|_| false);
        let none = |_: &str, _: u32| None;
        let text = changes.text(&none, Style::default());
        let id = &short_ids(&before)[0];
        expect![[r#"
            gone[null-dereference]: a.c:3 in f(): `p` is null when it is dereferenced (ID)
        "#]]
        .assert_eq(&text.replace(id.as_str(), "ID"));
        assert_eq!(changes.summary(), "1 finding gone: ");
        let same = Changes::between(&[], &before, &before, &|_| true);
        assert_eq!(same.summary(), "");
    }

    #[test]
    fn what_is_not_looked_for_is_not_gone() {
        let (f, g, h) = (finding("f", 3), finding("g", 9), finding("h", 12));
        let is_lost = |finding: &Finding| finding.function != "g";
        let before = [f.clone(), g, h.clone()];
        let changes = Changes::between(&[], &before, &[], &is_lost);
        assert_eq!(changes.summary(), "1 finding gone, 2 not checked: ");
        let none = |_: &str, _: u32| None;
        let said = changes.text(&none, Style::default());
        let begins: Vec<&str> = said
            .lines()
            .map(|l| l.split(": ").next().unwrap())
            .collect();
        let not = "not checked[null-dereference]";
        assert_eq!(begins, ["gone[null-dereference]", not, not]);
        // In the next round they are not said again; one that is found again is neither new nor gone.
        let waiting = [f.clone(), h.clone()];
        let changes = Changes::between(&waiting, &[], std::slice::from_ref(&f), &is_lost);
        assert_eq!(changes.text(&none, Style::default()), "");
        assert_eq!(changes.summary(), "1 finding not checked: ");
        let after = [f];
        let changes = Changes::between(&waiting, &[], &after, &|_| false);
        assert_eq!(changes.summary(), "1 finding gone: ");
    }
}
