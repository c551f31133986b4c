//! Counts of many verdicts: recall, precision and what else is said of a group of cases.

use super::judge::{Groups, Verdict};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// By what cases are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum By {
    /// The weakness, or the sub-type or program
    Cwe,
    /// The kind of error
    Family,
    /// How the bad value gets there (Juliet)
    Flow,
}

impl By {
    fn key(self, groups: &Groups) -> &str {
        match self {
            By::Cwe => &groups.cwe,
            By::Family => &groups.family,
            By::Flow => &groups.flow,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub cases: usize,
    pub found: usize,
    pub missed: usize,
    pub wrong: usize,
    pub silent: usize,
    /// Found where the corpus says.
    pub near: usize,
    /// Found, and nothing wrong said of the good half.
    pub told_apart: usize,
    pub wrong_functions: usize,
    /// Reports of other kinds in good code.
    pub others: usize,
    pub not_run: usize,
}

impl Counts {
    pub fn of<'a>(verdicts: impl IntoIterator<Item = &'a Verdict>) -> Counts {
        let mut counts = Counts::default();
        for verdict in verdicts {
            counts.add(verdict);
        }
        counts
    }

    fn add(&mut self, verdict: &Verdict) {
        self.cases += 1;
        if verdict.has_bad {
            *(if verdict.found {
                &mut self.found
            } else {
                &mut self.missed
            }) += 1;
            self.near += usize::from(verdict.near);
        }
        if verdict.has_good {
            *(if verdict.wrong {
                &mut self.wrong
            } else {
                &mut self.silent
            }) += 1;
        }
        self.told_apart += usize::from(verdict.found && !verdict.wrong);
        self.wrong_functions += verdict.wrong_functions.len();
        self.others += verdict.others;
        self.not_run += usize::from(!verdict.ran);
    }

    /// Of the errors, those that are found.
    pub fn recall(&self) -> Option<f64> {
        ratio(self.found, self.missed)
    }

    /// Of the cases with a report, those that have the error.
    pub fn precision(&self) -> Option<f64> {
        ratio(self.found, self.wrong)
    }

    /// The harmonic mean of both.
    pub fn f1(&self) -> Option<f64> {
        match (self.precision(), self.recall()) {
            (Some(p), Some(r)) if p > 0.0 && r > 0.0 => Some(2.0 * p * r / (p + r)),
            (_, Some(_)) => Some(0.0),
            _ => None,
        }
    }

    /// `62 / 96 / 75`, in percent; `–` is of nothing.
    pub fn cell(&self) -> String {
        let three = [self.recall(), self.precision(), self.f1()];
        three.map(percent).join(" / ")
    }

    /// With the keys of the reference scorer.
    pub fn json(&self) -> Value {
        json!({
            "n": self.cases, "tp": self.found, "fn": self.missed, "fp": self.wrong, "tn": self.silent, "near": self.near,
            "disc": self.told_apart, "fpfn": self.wrong_functions, "other": self.others, "notrun": self.not_run,
            "recall": self.recall(), "precision": self.precision(), "f1": self.f1(),
        })
    }
}

fn ratio(part: usize, rest: usize) -> Option<f64> {
    (part + rest > 0).then(|| part as f64 / (part + rest) as f64)
}

pub fn percent(share: Option<f64>) -> String {
    share.map_or("–".to_string(), |share| format!("{:.0}", 100.0 * share))
}

/// The counts of each group, in the order in which people count: CWE-78 before CWE-121.
pub fn groups(verdicts: &[Verdict], by: By) -> BTreeMap<(u32, String), Counts> {
    let mut groups: BTreeMap<(u32, String), Counts> = BTreeMap::new();
    for verdict in verdicts {
        let name = by.key(&verdict.groups);
        let number = name.strip_prefix("CWE-").and_then(|n| n.parse().ok());
        groups
            .entry((number.unwrap_or(0), name.to_string()))
            .or_default()
            .add(verdict);
    }
    groups
}

/// The mean of the groups' F1: every group weighs the same.
pub fn macro_f1<'a>(groups: impl IntoIterator<Item = &'a Counts>) -> Option<f64> {
    let all: Vec<f64> = groups
        .into_iter()
        .map(|counts| counts.f1().unwrap_or(0.0))
        .collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(cwe: &str, found: bool, wrong: bool) -> Verdict {
        Verdict {
            groups: Groups {
                cwe: cwe.to_string(),
                ..Groups::default()
            },
            ran: true,
            has_bad: true,
            has_good: true,
            found,
            wrong,
            ..Verdict::default()
        }
    }

    #[test]
    fn counts_and_shares() {
        let verdicts = [
            verdict("CWE-121", true, false),
            verdict("CWE-121", true, true),
            verdict("CWE-78", false, false),
            verdict("CWE-121", false, false),
        ];
        let all = Counts::of(&verdicts);
        assert_eq!(
            (all.found, all.missed, all.wrong, all.silent, all.told_apart),
            (2, 2, 1, 3, 1)
        );
        assert_eq!(all.cell(), "50 / 67 / 57");
        let groups = groups(&verdicts, By::Cwe);
        let names: Vec<&str> = groups.keys().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["CWE-78", "CWE-121"]);
        assert_eq!(groups[&(78, "CWE-78".to_string())].cell(), "0 / – / 0");
        assert_eq!(Counts::default().cell(), "– / – / –");
        let mean = macro_f1(groups.values()).unwrap();
        assert!((mean - 0.5 * (4.0 / 6.0)).abs() < 1e-9, "{mean}");
        assert_eq!(macro_f1([]), None);
    }
}
