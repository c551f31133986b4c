//! The table of functions and their checks.

use crate::pipeline::{Loaded, checks_by_rule};
use crate::print::grouped;
use report::FunctionChecks;
use rules::Selection;
use std::collections::BTreeMap;
use std::fmt::Write;

/// More rows than fit two screens are not read.
const SHOWN: usize = 60;

/// All functions, by file and line. Only rules that the user wants to see are counted.
pub fn rows(loaded: &Loaded, selection: Selection) -> Vec<FunctionChecks> {
    let program = &loaded.program;
    let mut rows: Vec<FunctionChecks> = loaded
        .functions()
        .map(|(_, function, body)| {
            let mut checks = checks_by_rule(program, body);
            checks.retain(|rule, _| selection.shows(rule));
            FunctionChecks {
                function: program.name(function.display).to_string(),
                file: loaded.file(function.span),
                line: function.span.line,
                checks,
            }
        })
        .collect();
    rows.sort_by(|a, b| (&a.file, a.line, &a.function).cmp(&(&b.file, b.line, &b.function)));
    rows
}

/// The table as text. Of a large program only the functions with most checks.
pub fn render(rows: &[FunctionChecks]) -> String {
    let mut shown: Vec<&FunctionChecks> = rows.iter().collect();
    if shown.len() > SHOWN {
        shown.sort_by_key(|row| std::cmp::Reverse(total(row)));
        shown.truncate(SHOWN);
    }
    let places: Vec<String> = shown
        .iter()
        .map(|row| format!("{}:{}", row.file, row.line))
        .collect();
    let width = |longest: usize, least: usize| longest.clamp(least, 48);
    let name = width(
        longest(shown.iter().map(|r| r.function.as_str())),
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
            row.function,
            grouped(total(row)),
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

fn total(row: &FunctionChecks) -> usize {
    row.checks.values().sum()
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

    fn row(name: &str, line: u32, checks: &[(&str, usize)]) -> FunctionChecks {
        FunctionChecks {
            function: name.to_string(),
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
        let rows: Vec<FunctionChecks> = (0..100)
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
