//! Labels that one statement carries for one value happen at once, and in each state the first that is written counts. Where they
//! wait for how a call ends, they are taken apart by that: `try(l) == 0 -> locked` and `try(l) -> tried` are two cases.

use super::Labels;
use super::matching::Hit;
use crate::temporal::label::{Outcome, Subject};

/// Labels that a statement carries together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub edge: usize,
    pub value: Option<Subject>,
    pub after: bool,
    pub outcome: Outcome,
    pub labels: Labels,
    /// The body is left by it, and no more.
    pub leaves: bool,
}

pub(super) fn groups(hits: &[Hit]) -> Vec<Group> {
    let mut keys: Vec<(usize, Option<Subject>)> = Vec::new();
    for hit in hits {
        if !keys.contains(&(hit.edge, hit.value)) {
            keys.push((hit.edge, hit.value));
        }
    }
    let mut groups = Vec::new();
    for (edge, value) in keys {
        let all: Vec<&Hit> = hits
            .iter()
            .filter(|h| (h.edge, h.value) == (edge, value))
            .collect();
        let labels = |wanted: &dyn Fn(&Hit) -> bool| {
            let some = all.iter().filter(|h| wanted(h));
            some.fold(0, |labels: Labels, h| labels | 1 << h.label)
        };
        let mut add = |after, outcome, labels: Labels| {
            if labels != 0 {
                groups.push(Group {
                    edge,
                    value,
                    after,
                    outcome,
                    labels,
                    leaves: all.iter().filter(|h| h.after == after).all(|h| h.leaves),
                });
            }
        };
        if all.iter().all(|h| h.outcome == Outcome::Any) {
            add(false, Outcome::Any, labels(&|h| !h.after));
            add(true, Outcome::Any, labels(&|h| h.after));
            continue;
        }
        let by_sign = [1u8, 2, 4].map(|sign| (sign, labels(&|h| signs(h.outcome) & sign != 0)));
        let mut done: Vec<Labels> = Vec::new();
        for (_, labels) in by_sign {
            if !done.contains(&labels) {
                done.push(labels);
                let same = by_sign.iter().filter(|(_, l)| *l == labels);
                let together = same.fold(0, |all, (sign, _)| all | sign);
                if let Some(outcome) = with_signs(together) {
                    add(true, outcome, labels);
                }
            }
        }
    }
    groups
}

/// The signs that a result with this outcome can have, as bits.
pub(super) fn signs(outcome: Outcome) -> u8 {
    const NEGATIVE: u8 = 1;
    const ZERO: u8 = 2;
    const POSITIVE: u8 = 4;
    match outcome {
        Outcome::Any => NEGATIVE | ZERO | POSITIVE,
        Outcome::Zero => ZERO,
        Outcome::NotZero => NEGATIVE | POSITIVE,
        Outcome::NotNegative => ZERO | POSITIVE,
        Outcome::Negative => NEGATIVE,
        Outcome::Positive => POSITIVE,
        Outcome::NotPositive => NEGATIVE | ZERO,
    }
}

/// The outcome that has these signs.
fn with_signs(wanted: u8) -> Option<Outcome> {
    let all = [
        Outcome::Any,
        Outcome::Zero,
        Outcome::NotZero,
        Outcome::NotNegative,
        Outcome::Negative,
        Outcome::Positive,
        Outcome::NotPositive,
    ];
    all.into_iter().find(|o| signs(*o) == wanted)
}
