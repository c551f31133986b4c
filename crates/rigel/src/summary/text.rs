//! The summaries for people.

use super::{Conditions, Said, Summary};
use std::fmt::Write;

/// Where the place of a function stands.
const PLACE: usize = 64;
/// Where conditions stand.
const CONDITION: usize = 15;
/// Longer lines are broken between alternatives.
const WIDTH: usize = 100;

pub fn render(all: &[Summary]) -> String {
    let mut out = String::new();
    for summary in all {
        if !out.is_empty() {
            out.push('\n');
        }
        let (signature, place) = (&summary.signature, &summary.location);
        let _ = writeln!(out, "{signature:<PLACE$}  {}:{}", place.file, place.line);
        match &summary.said {
            Ok(conditions) => function(&mut out, conditions, summary),
            Err(why) => {
                let _ = writeln!(out, "  {why}");
            }
        }
    }
    out
}

fn function(out: &mut String, conditions: &Conditions, summary: &Summary) {
    line(out, "returns", &conditions.returns);
    if !is_never(&conditions.exits) {
        line(out, "exits", &conditions.exits);
    }
    line(out, "must fail", &conditions.must);
    line(out, "may fail", &conditions.may);
    line(out, "never fails", &conditions.never);
    line(out, "never ends", &conditions.endless);
    for words in conditions.given.words() {
        let _ = writeln!(out, "  {:<11}  {words}", "given");
    }
    let proved = conditions.proved(summary.checks);
    let proved = match (summary.checks, proved) {
        (0, _) => "none".to_string(),
        (all, proved) if all == proved => format!("{all}, all proved"),
        (all, proved) => format!("{all}, {proved} proved"),
    };
    let _ = writeln!(out, "  {:<11}  {proved}", "checks");
    for check in &conditions.failing {
        let place = match check.location.file == summary.location.file {
            true => format!("{}:{}", check.location.line, check.location.column),
            false => check.location.to_string(),
        };
        let (rule, message) = (&check.rule, &check.message);
        let _ = writeln!(out, "    {place}  {rule}: {message}");
        if !is_never(&check.must) {
            line(out, "    must", &check.must);
        }
        if !is_never(&check.may) {
            line(out, "    may", &check.may);
        }
    }
}

fn is_never(said: &Said) -> bool {
    said.as_ref().is_some_and(|condition| condition.is_never())
}

fn line(out: &mut String, label: &str, said: &Said) {
    let text = match said {
        None => "(too complicated to say)".to_string(),
        Some(condition) if condition.is_always() => "always".to_string(),
        Some(condition) if condition.is_never() => "-".to_string(),
        Some(condition) => broken(&condition.text),
    };
    let _ = writeln!(out, "  {label:<11}  {text}");
}

/// A condition that is too long, an alternative on each line; or, if it has none, a comparison.
fn broken(text: &str) -> String {
    if CONDITION + text.chars().count() <= WIDTH {
        return text.to_string();
    }
    let cuts = |at: &str| -> Vec<usize> {
        let outermost = |&(i, _): &(usize, &str)| {
            let before = &text[..i];
            before.matches('(').count() == before.matches(')').count()
        };
        text.match_indices(at)
            .filter(outermost)
            .map(|(i, _)| i)
            .collect()
    };
    let alternatives = cuts(" || ");
    let cuts = match alternatives.is_empty() {
        true => cuts(" && "),
        false => alternatives,
    };
    let mut out = String::new();
    let mut start = 0;
    for cut in cuts {
        out += &text[start..cut];
        out += &format!("\n{:width$}", "", width = CONDITION - 3);
        start = cut + 1;
    }
    out + &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_that_was_given_up_says_so_in_its_place() {
        let summary = Summary {
            name: "f".to_string(),
            linkage_name: "f".to_string(),
            signature: "f(int n)".to_string(),
            location: report::Location::new("a.c", 3, 5),
            checks: 2,
            said: Err("given up: it is too complicated".to_string()),
        };
        let text = render(&[summary]);
        let (head, why) = text.split_once('\n').unwrap();
        assert!(head.starts_with("f(int n)  ") && head.ends_with("  a.c:3"));
        assert_eq!(why, "  given up: it is too complicated\n");
    }

    #[test]
    fn long_conditions_are_broken_between_their_outermost_parts() {
        let (a, b) = (
            "alpha > 100 && (beta < 7 || gamma > 8)",
            "delta != 30000 && epsilon == 5",
        );
        assert_eq!(broken(a), a);
        assert_eq!(
            broken(&format!("({a}) || ({b}) || zeta == NULL")),
            format!("({a}) || ({b}) || zeta == NULL")
                .replace(" || (d", "\n            || (d")
                .replace(" || z", "\n            || z"),
        );
        let long = format!("{a} && {b} && {b}");
        let wanted = "alpha > 100\n            && (beta < 7 || gamma > 8)\n            && delta != 30000\n            && epsilon == 5\n            && delta != 30000\n            && epsilon == 5";
        assert_eq!(broken(&long), wanted);
    }
}
