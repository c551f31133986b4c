//! Which pieces may become one: those that agree in their flags, and can have the same inputs.

use super::{Ground, Growing};
use crate::facts::Range;
use crate::hull::hull;
use crate::ranges::{ends, meet};
use isl::{Constraint, Dim, Piece, Result, Set};

/// What pieces must have in common to become one without need.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct State {
    /// What is said of the flags: this pointer is null, that is not.
    flags: Vec<Constraint>,
    /// The first piece that can have the same inputs, or is kin to one that can. Inputs stay as they are: what a loop was entered
    /// with parts what grows from there, and what holds of each (`j <= high`) need not hold of a hull around both.
    kin: usize,
}

impl State {
    /// What a piece says of flags, apart from its kin.
    fn of(piece: &Piece, flags: &[usize]) -> Result<State> {
        Ok(State {
            flags: said_of(flags, &piece.constraints()?),
            kin: 0,
        })
    }
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

/// The pieces, so many at most, by making one of the nearest two; if there are far too many, of all.
pub fn fewer(mut pieces: Vec<Piece>, most: usize, flags: &[usize]) -> Result<Vec<Piece>> {
    if pieces.len() > 4 * most {
        let Some((first, rest)) = pieces.split_first() else {
            return Ok(pieces);
        };
        let mut rest = rest.iter();
        let union = rest.try_fold(first.to_set()?, |all, piece| all.union(&piece.to_set()?))?;
        return Ok(vec![hull(&union, flags)?]);
    }
    while pieces.len() > most.max(1) {
        let all: Vec<&Piece> = pieces.iter().collect();
        let states: Vec<State> = all
            .iter()
            .map(|piece| State::of(piece, flags))
            .collect::<Result<_>>()?;
        let (a, b, _) = nearest(&all, &states)?;
        let second = pieces.remove(b);
        let union = pieces[a].to_set()?.union(&second.to_set()?)?;
        pieces[a] = hull(&union, flags)?;
    }
    Ok(pieces)
}

impl Growing {
    /// The state of each piece.
    pub(super) fn states(
        &self,
        pieces: &[&Piece],
        flags: &[usize],
        ground: &Ground<'_>,
    ) -> Result<Vec<State>> {
        let kin = match ground.same_inputs {
            true => self.kin(pieces)?,
            false => vec![0; pieces.len()],
        };
        let each = pieces.iter().zip(kin).map(|(piece, kin)| {
            Ok(State {
                kin,
                ..State::of(piece, flags)?
            })
        });
        each.collect()
    }

    /// Of each piece, the first one that can have the same inputs, or is kin to one that can.
    fn kin(&self, pieces: &[&Piece]) -> Result<Vec<usize>> {
        let varying: Vec<usize> = self.varying().into_iter().collect();
        let boxes = pieces.iter().map(|piece| ends(piece));
        let boxes: Vec<Option<Vec<Range>>> = boxes.collect::<Result<_>>()?;
        let boxes: Option<Vec<Vec<Range>>> = boxes.into_iter().collect();
        let mut shadows: Vec<Set> = Vec::new();
        let mut kin: Vec<usize> = (0..pieces.len()).collect();
        for (at, piece) in pieces.iter().enumerate() {
            if boxes.is_none() {
                shadows.push(piece.to_set()?.project_out(&varying)?);
            }
            for other in 0..at {
                let (a, b) = (kin[at], kin[other]);
                let meets = || match &boxes {
                    Some(boxes) => Ok(meet(&boxes[at], &boxes[other], &varying)),
                    None => Ok(!shadows[at].intersect(&shadows[other])?.is_empty()?),
                };
                if a != b && meets()? {
                    let all = kin[..=at].iter_mut();
                    all.filter(|k| **k == a.max(b)).for_each(|k| *k = a.min(b));
                }
            }
        }
        Ok(kin)
    }
}
