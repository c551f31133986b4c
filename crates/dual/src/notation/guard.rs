//! Conditions are read from left to right, as C does: what is behind a pointer is spoken of only where it was said that the
//! pointer is not null.
//!
//! To a set of inputs null is a number like any other, and what would lie behind it another: an alternative that needs not say
//! `p != NULL` to be right leaves it out, `*p > 0 || n == 3`. It is put back, unless `p == NULL` is an alternative of its own, which then
//! comes first. What is lost with that, inputs with which `p` is null, is told without what is behind it, on which it cannot depend.

use super::simplify::{Alternative, Simplified, all_points, points};
use super::sum::{Comparison, Number, Relation, Sum, comparisons};
use crate::input::{Aspect, Given, Input};
use isl::{Constraint, Dim, Result, Set};
use std::collections::BTreeSet;

/// Of each input, the pointers that lead to it.
pub(super) struct Guards {
    pointers: Vec<Vec<usize>>,
}

impl Guards {
    pub fn new(inputs: &[Input]) -> Guards {
        let leading = |input: &Input| {
            let path = &input.given.path;
            let before = (0..path.len()).map(|len| Input {
                given: Given {
                    root: input.given.root,
                    path: path[..len].to_vec(),
                },
                aspect: Aspect::Value,
            });
            let known = before.filter_map(|before| inputs.iter().position(|i| *i == before));
            known.collect()
        };
        Guards {
            pointers: inputs.iter().map(leading).collect(),
        }
    }

    /// The pointers that an alternative follows.
    fn followed(&self, alternative: &[Comparison]) -> BTreeSet<usize> {
        let mut all = BTreeSet::new();
        let mut waiting: Vec<&Sum> = alternative.iter().map(|c| &c.sum).collect();
        while let Some(sum) = waiting.pop() {
            for number in sum.terms.keys() {
                match number {
                    Number::Input(at) => all.extend(self.pointers.get(*at).into_iter().flatten()),
                    Number::Quotient(of, _) | Number::Remainder(of, _) => waiting.push(of),
                }
            }
        }
        all
    }

    /// The same alternatives, with what they need to be read from left to right.
    pub fn guarded(
        &self,
        simplified: Simplified,
        target: &Set,
        context: &Set,
    ) -> Result<Simplified> {
        let Simplified {
            mut alternatives,
            mut cut,
        } = simplified;
        // Those that need nothing else to be read, and so come first.
        let nulls: BTreeSet<usize> = alternatives.iter().filter_map(only_null).collect();
        let is_first = |at: &usize| {
            self.pointers
                .get(*at)
                .is_some_and(|l| l.iter().all(|p| nulls.contains(p)))
        };
        let nulls: BTreeSet<usize> = nulls.iter().copied().filter(is_first).collect();
        let mut lost = BTreeSet::new();
        for alternative in &mut alternatives {
            for at in self.followed(alternative) {
                if !nulls.contains(&at) && !alternative.iter().any(|c| is_there(c, at)) {
                    alternative.push(there(at));
                    lost.insert(at);
                }
            }
            alternative.sort_unstable();
        }
        if !lost.is_empty() {
            let isl = target.context();
            let dimensions = target.dimensions();
            let mut rest = target.subtract(&all_points(&isl, dimensions, &alternatives)?)?;
            for at in lost {
                let null = rest.constrain(&[Constraint::equal([(Dim::At(at), 1)], 0)])?;
                for alternative in self.without(&null, at, context)? {
                    let told = points(&isl, dimensions, &alternative)?;
                    // What depends on what is not there cannot be said.
                    if self.is_readable(&alternative)
                        && told.intersect(context)?.is_subset(target)?
                    {
                        rest = rest.subtract(&told)?;
                        alternatives.push(alternative);
                    }
                }
            }
            cut |= !rest.is_empty()?;
        }
        alternatives.sort_by_cached_key(|a| (a.len(), only_null(a).is_none(), a.clone()));
        alternatives.dedup();
        Ok(Simplified { alternatives, cut })
    }

    /// Points with which a pointer is null, without what would be behind it.
    fn without(&self, null: &Set, pointer: usize, context: &Set) -> Result<Vec<Alternative>> {
        let behind = self.pointers.iter().enumerate();
        let behind = behind.filter(|(_, leading)| leading.contains(&pointer));
        let behind: Vec<usize> = behind.map(|(at, _)| at).collect();
        let told = null.project_out(&behind)?;
        let told = behind.iter().try_fold(told, |set, at| set.insert(*at, 1))?;
        let told = told.gist(context)?.coalesce()?.compute_divs()?;
        let pieces = told.pieces()?;
        let all: Result<Vec<Option<Alternative>>> = pieces.iter().map(comparisons).collect();
        Ok(all?.into_iter().flatten().collect())
    }

    /// Does it follow only pointers of which it says that they are there?
    fn is_readable(&self, alternative: &[Comparison]) -> bool {
        let followed = self.followed(alternative);
        let mut followed = followed.into_iter();
        followed.all(|at| alternative.iter().any(|c| is_there(c, at)))
    }
}

/// The pointer is not null.
pub(super) fn there(at: usize) -> Comparison {
    let mut sum = Sum::default();
    sum.terms.insert(Number::Input(at), 1);
    sum.constant = -1;
    Comparison::at_least_zero(sum)
}

fn is_there(comparison: &Comparison, at: usize) -> bool {
    let of = match comparison.sum.single() {
        Some((Number::Input(of), factor)) => (*of, factor),
        _ => return false,
    };
    match comparison.relation {
        Relation::AtLeast => of == (at, 1) && comparison.sum.constant < 0,
        Relation::Different => of.0 == at && comparison.sum.constant == 0,
        Relation::Equal => of.0 == at && comparison.sum.constant != 0,
    }
}

/// Which pointer is null, if an alternative says nothing else.
fn only_null(alternative: &Alternative) -> Option<usize> {
    let [comparison] = &alternative[..] else {
        return None;
    };
    match (comparison.sum.single()?, comparison.relation) {
        ((Number::Input(at), _), Relation::Equal) if comparison.sum.constant == 0 => Some(*at),
        ((Number::Input(at), -1), Relation::AtLeast) if comparison.sum.constant == 0 => Some(*at),
        _ => None,
    }
}
