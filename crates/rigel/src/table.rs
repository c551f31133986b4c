//! The table of functions and their checks.

use crate::pipeline::{Loaded, checks_by_rule};
use crate::print::grouped;
use report::FunctionChecks;
use rules::Selection;
use std::collections::BTreeMap;
use std::fmt::Write;

/// One function of the program.
pub struct Row {
    pub name: String,
    pub file: String,
    pub line: u32,
    pub checks: BTreeMap<String, usize>,
}

impl Row {
    pub fn total(&self) -> usize {
        self.checks.values().sum()
    }

    pub fn to_report(&self) -> FunctionChecks {
        FunctionChecks {
            function: self.name.clone(),
            file: self.file.clone(),
            line: self.line,
            checks: self.checks.clone(),
        }
    }
}

/// More rows than fit two screens are not read.
const SHOWN: usize = 60;

/// All functions, by file and line. Only rules that the user wants to see are counted.
pub fn rows(loaded: &Loaded, selection: Selection) -> Vec<Row> {
    let program = &loaded.program;
    let mut rows: Vec<Row> = loaded
        .functions()
        .map(|(_, function, body)| {
            let mut checks = checks_by_rule(program, body);
            checks.retain(|rule, _| selection.shows(rule));
            Row {
                name: program.name(function.display).to_string(),
                file: loaded.file(function.span),
                line: function.span.line,
                checks,
            }
        })
        .collect();
    rows.sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
    rows
}

/// The table as text. Of a large program only the functions with most checks.
pub fn render(rows: &[Row]) -> String {
    let mut shown: Vec<&Row> = rows.iter().collect();
    if shown.len() > SHOWN {
        shown.sort_by_key(|row| std::cmp::Reverse(row.total()));
        shown.truncate(SHOWN);
    }
    let places: Vec<String> = shown
        .iter()
        .map(|row| format!("{}:{}", row.file, row.line))
        .collect();
    let width = |longest: usize, least: usize| longest.clamp(least, 48);
    let name = width(
        longest(shown.iter().map(|r| r.name.as_str())),
        "function".len(),
    );
    let place = width(longest(places.iter().map(String::as_str)), "where".len());
    let mut out = String::new();
    let _ = writeln!(out, "{:name$}  {:place$}  checks", "function", "where");
    for (row, at) in shown.iter().zip(&places) {
        let rules: Vec<String> = by_count(&row.checks)
            .into_iter()
            .map(|(rule, n)| format!("{rule} {n}"))
            .collect();
        let line = format!(
            "{:name$}  {at:place$}  {:>6}  {}",
            row.name,
            grouped(row.total()),
            rules.join(", ")
        );
        out.push_str(line.trim_end());
        out.push('\n');
    }
    if rows.len() > shown.len() {
        let _ = writeln!(
            out,
            "… and {} functions with fewer checks (all of them: --format json)",
            grouped(rows.len() - shown.len())
        );
    }
    out
}

fn longest<'a>(words: impl Iterator<Item = &'a str>) -> usize {
    words.map(|w| w.chars().count()).max().unwrap_or(0)
}

/// The most frequent rule first; equal ones by name.
fn by_count(checks: &BTreeMap<String, usize>) -> Vec<(&str, usize)> {
    let mut list: Vec<_> = checks.iter().map(|(r, &n)| (r.as_str(), n)).collect();
    list.sort_by_key(|&(rule, n)| (std::cmp::Reverse(n), rule));
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn row(name: &str, line: u32, checks: &[(&str, usize)]) -> Row {
        Row {
            name: name.to_string(),
            file: "a.c".to_string(),
            line,
            checks: checks.iter().map(|(r, n)| (r.to_string(), *n)).collect(),
        }
    }

    #[test]
    fn a_table() {
        let rows = [
            row(
                "main",
                3,
                &[
                    ("null-dereference", 2),
                    ("out-of-bounds", 1200),
                    ("assertion", 2),
                ],
            ),
            row("a_long_name", 17, &[]),
        ];
        expect![[r#"
            function     where   checks
            main         a.c:3    1,204  out-of-bounds 1200, assertion 2, null-dereference 2
            a_long_name  a.c:17       0
        "#]]
        .assert_eq(&render(&rows));
    }

    #[test]
    fn a_long_table_is_cut() {
        let rows: Vec<Row> = (0..100)
            .map(|i| row(&format!("f{i}"), i, &[("assertion", i as usize)]))
            .collect();
        let text = render(&rows);
        assert_eq!(text.lines().count(), SHOWN + 2);
        assert!(text.lines().nth(1).unwrap().starts_with("f99 "));
        assert!(
            text.ends_with("… and 40 functions with fewer checks (all of them: --format json)\n")
        );
    }
}
