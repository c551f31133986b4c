//! Which pieces may become one: those that agree in their flags, and can have the same inputs.

use super::{Ground, Growing};
use isl::{Constraint, Dim, Piece, Result, Set};
use std::collections::BTreeSet;

/// What pieces must have in common to become one without need.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct State {
    /// What is said of the flags: this pointer is null, that is not.
    flags: Vec<Constraint>,
    /// The first piece that can have the same inputs, or is kin to one that can. Inputs stay as they are: what a loop was entered
    /// with parts what grows from there, and what holds of each (`j <= high`) need not hold of a hull around both.
    kin: usize,
}

/// The constraints that are about some of the dimensions.
fn said_of(dimensions: &[usize], constraints: &[Constraint]) -> Vec<Constraint> {
    let is_about = |c: &Constraint| {
        let mut terms = c.form.terms.iter();
        terms.any(|(dim, _)| matches!(dim, Dim::At(at) if dimensions.contains(at)))
    };
    let mut all: Vec<Constraint> = constraints
        .iter()
        .filter(|c| is_about(c))
        .cloned()
        .collect();
    all.sort_unstable();
    all
}

/// The two pieces of which most is left when they are one, their states first; and do they differ in these?
pub(super) fn nearest(pieces: &[&Piece], states: &[State]) -> Result<(usize, usize, bool)> {
    let all: Vec<Vec<Constraint>> = pieces
        .iter()
        .map(|piece| piece.constraints())
        .collect::<Result<_>>()?;
    let only = |a: &[Constraint], b: &[Constraint]| a.iter().filter(|c| !b.contains(c)).count();
    let mut best = (0, 1, (true, usize::MAX));
    for b in 1..pieces.len() {
        for a in 0..b {
            let states = states[a] != states[b];
            let differ = only(&all[a], &all[b]) + only(&all[b], &all[a]);
            if (states, differ) < best.2 {
                best = (a, b, (states, differ));
            }
        }
    }
    Ok((best.0, best.1, best.2.0))
}

impl Growing {
    /// The state of each piece.
    pub(super) fn states(
        &self,
        pieces: &[&Piece],
        flags: &[usize],
        ground: &Ground<'_>,
    ) -> Result<Vec<State>> {
        let symbols = self.frame.symbols();
        let varying = self.template.iter().flat_map(|t| t.varying.values());
        let varying = varying
            .flatten()
            .filter_map(|s| symbols.binary_search(s).ok());
        let varying: BTreeSet<usize> = varying.collect();
        let varying: Vec<usize> = varying.into_iter().collect();
        let mut shadows: Vec<Set> = Vec::new();
        let mut kin: Vec<usize> = match ground.same_inputs {
            true => (0..pieces.len()).collect(),
            false => vec![0; pieces.len()],
        };
        let parted = pieces.iter().enumerate().filter(|_| ground.same_inputs);
        for (at, piece) in parted {
            let shadow = piece.to_set()?.project_out(&varying)?;
            for (other, before) in shadows.iter().enumerate() {
                let (a, b) = (kin[at], kin[other]);
                if a != b && !shadow.intersect(before)?.is_empty()? {
                    let all = kin[..=at].iter_mut();
                    all.filter(|k| **k == a.max(b)).for_each(|k| *k = a.min(b));
                }
            }
            shadows.push(shadow);
        }
        let each = pieces.iter().zip(kin).map(|(piece, kin)| {
            Ok(State {
                flags: said_of(flags, &piece.constraints()?),
                kin,
            })
        });
        each.collect()
    }
}
