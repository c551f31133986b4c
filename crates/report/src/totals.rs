//! What became of all checks, and the line at the end of every run: how much was looked at, and
//! what was not (design.md §9). A run that gave up somewhere must not read like a clean one.

use serde::{Deserialize, Serialize};

/// Counts of a run. Every check is in exactly one of the classes that [`Totals::checks`] counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Units that were read.
    pub units: usize,
    /// Units that could not be read.
    pub failed_units: usize,
    /// Functions that were analysed.
    pub functions: usize,
    pub checks: usize,
    /// Checks that cannot fail.
    pub proved: usize,
    /// Checks that fail only for inputs nobody in view gives.
    pub latent: usize,
    /// Checks that level 1 found a path to, every one of them infeasible.
    pub refuted: usize,
    /// Checks that were reported, as `must` or `may`.
    pub reported: usize,
    /// Checks with a path that the budget did not let settle.
    pub undecided: usize,
    /// Functions whose analysis ran out of its budget.
    pub budget_exhausted: usize,
    /// Functions whose analysis failed: errors of rigel's own.
    pub defects: usize,
}

/// `47 units, 3,120 functions, 61,204 checks: 58,911 proved, 2,271 latent, 19 refuted, 3 reported
/// · 6.1 s (clang 4.6 s)`. What went wrong is said only where something did.
pub fn closing_line(totals: &Totals, seconds: f64, clang_seconds: f64) -> String {
    let mut line = count(totals.units, "unit");
    if totals.failed_units > 0 {
        line.push_str(&format!(" ({} failed)", grouped(totals.failed_units)));
    }
    if totals.units == 0 {
        line.push_str(", nothing was analysed");
    } else if totals.functions == 0 {
        line.push_str(", nothing to analyse: no function has a body");
    } else {
        line.push_str(&format!(
            ", {}, {}: {} proved, {} latent, {} refuted, {} reported",
            count(totals.functions, "function"),
            count(totals.checks, "check"),
            grouped(totals.proved),
            grouped(totals.latent),
            grouped(totals.refuted),
            grouped(totals.reported),
        ));
    }
    if totals.undecided > 0 {
        line.push_str(&format!(", {} undecided", grouped(totals.undecided)));
    }
    if totals.budget_exhausted > 0 {
        let functions = count(totals.budget_exhausted, "function");
        line.push_str(&format!("; the budget ended in {functions}"));
    }
    if totals.defects > 0 {
        let functions = count(totals.defects, "function");
        line.push_str(&format!("; rigel itself failed in {functions}"));
    }
    format!("{line} · {} (clang {})", time(seconds), time(clang_seconds))
}

/// Two digits that say something, and no more than a person reads.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => format!("{s:.2} s"),
        s if s < 100.0 => format!("{s:.1} s"),
        s => format!("{s:.0} s"),
    }
}

/// `61204` as `61,204`.
pub fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 unit`, `2 units`.
pub fn count(n: usize, what: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{} {what}{s}", grouped(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(count(1, "unit"), "1 unit");
        assert_eq!(count(0, "check"), "0 checks");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(61_204_000), "61,204,000");
    }

    #[test]
    fn the_closing_line_of_the_design() {
        let mut totals = Totals {
            units: 47,
            functions: 3120,
            checks: 61_204,
            proved: 58_911,
            latent: 2271,
            refuted: 19,
            reported: 3,
            ..Totals::default()
        };
        assert_eq!(
            closing_line(&totals, 6.1, 4.6),
            "47 units, 3,120 functions, 61,204 checks: 58,911 proved, 2,271 latent, 19 refuted, \
             3 reported · 6.1 s (clang 4.6 s)"
        );
        totals.failed_units = 1;
        totals.undecided = 1200;
        totals.budget_exhausted = 1;
        totals.defects = 2;
        assert_eq!(
            closing_line(&totals, 123.4, 0.256),
            "47 units (1 failed), 3,120 functions, 61,204 checks: 58,911 proved, 2,271 latent, \
             19 refuted, 3 reported, 1,200 undecided; the budget ended in 1 function; \
             rigel itself failed in 2 functions · 123 s (clang 0.26 s)"
        );
    }

    #[test]
    fn a_run_over_nothing_does_not_read_like_a_clean_one() {
        let mut totals = Totals {
            failed_units: 2,
            ..Totals::default()
        };
        assert_eq!(
            closing_line(&totals, 0.0, 0.0),
            "0 units (2 failed), nothing was analysed · 0.00 s (clang 0.00 s)"
        );
        totals.units = 1;
        totals.failed_units = 0;
        assert_eq!(
            closing_line(&totals, 0.0, 0.0),
            "1 unit, nothing to analyse: no function has a body · 0.00 s (clang 0.00 s)"
        );
    }
}
