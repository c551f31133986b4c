//! What C has no words for is not said: a pointer is no number, and no number has more than 64 bits.
//!
//! To a set of inputs a pointer is 0 or more, and where isl joins pieces it may make one comparison of two: `p == NULL ? b < INT_MAX : true`
//! becomes `b < p + INT_MAX`. Such an alternative is taken apart again: where the pointer is null, and where it is not, if it is
//! all the same then which address it is. What cannot be said in this way is left out, and [`Simplified::cut`] says so.

use super::guard::there;
use super::names::{Kind, Named};
use super::simplify::{Alternative, Simplified, points, shortest};
use super::sum::{Comparison, Number, Relation, Sum, comparisons};
use isl::{Constraint, Dim, Result, Set};
use std::collections::BTreeSet;

/// Pointers of one alternative that are told apart, at most.
const TOLD_APART: usize = 3;

/// The greatest number that C can write.
pub(super) const GREATEST: i128 = u64::MAX as i128;

/// The same alternatives in words that C has.
pub(super) fn sayable(
    simplified: Simplified,
    names: &[Named],
    target: &Set,
    context: &Set,
    weight: &dyn Fn(&Comparison) -> u32,
) -> Result<Simplified> {
    let is_said = |a: &Alternative| a.iter().all(|c| is_sayable(names, c));
    if simplified.alternatives.iter().all(is_said) {
        return Ok(simplified);
    }
    let Simplified {
        alternatives,
        mut cut,
    } = simplified;
    let mut all = Vec::new();
    for alternative in alternatives {
        cut |= !apart(
            alternative,
            names,
            target,
            context,
            &mut all,
            &mut BTreeSet::new(),
        )?;
    }
    shortest(target, context, &mut all, weight)?;
    Ok(Simplified {
        alternatives: all,
        cut,
    })
}

/// Without the alternatives that cannot be said.
pub(super) fn only_sayable(mut simplified: Simplified, names: &[Named]) -> Simplified {
    let before = simplified.alternatives.len();
    let is_said = |a: &Alternative| a.iter().all(|c| is_sayable(names, c));
    simplified.alternatives.retain(is_said);
    simplified.cut |= simplified.alternatives.len() < before;
    simplified
}

/// Puts what an alternative says into `all`, by what its pointers are. Is that all of it?
fn apart(
    alternative: Alternative,
    names: &[Named],
    target: &Set,
    context: &Set,
    all: &mut Vec<Alternative>,
    done: &mut BTreeSet<usize>,
) -> Result<bool> {
    let mut unsaid = alternative.iter().filter(|c| !is_sayable(names, c));
    let Some(first) = unsaid.next() else {
        all.push(alternative);
        return Ok(true);
    };
    let mut pointers = BTreeSet::new();
    pointers_of(names, &first.sum, &mut pointers);
    let next = pointers.into_iter().find(|p| !done.contains(p));
    let Some(pointer) = next.filter(|_| done.len() < TOLD_APART) else {
        return Ok(false);
    };
    done.insert(pointer);
    let (isl, dimensions) = (target.context(), target.dimensions());
    let points = points(&isl, dimensions, &alternative)?.intersect(context)?;
    let is_there = Constraint::at_least_zero([(Dim::At(pointer), 1)], -1);
    let mut is_all = true;
    for (part, said) in [
        (points.fix(pointer, 0)?, null(pointer)),
        (points.constrain(&[is_there])?, there(pointer)),
    ] {
        let any = part.project_out(&[pointer])?.insert(pointer, 1)?;
        let told = any.intersect(&said.set(&isl, dimensions)?)?;
        // Where it depends on the address there are no words for it.
        if !told.intersect(context)?.is_subset(target)? {
            is_all = false;
            continue;
        }
        let short = any.gist(context)?.coalesce()?.compute_divs()?;
        for piece in short.pieces()? {
            match comparisons(&piece)? {
                Some(mut alternative) => {
                    alternative.push(said.clone());
                    is_all &= apart(alternative, names, target, context, all, done)?;
                }
                None => is_all = false,
            }
        }
    }
    done.remove(&pointer);
    Ok(is_all)
}

fn null(at: usize) -> Comparison {
    let mut sum = Sum::default();
    sum.terms.insert(Number::Input(at), 1);
    Comparison {
        sum,
        relation: Relation::Equal,
    }
}

/// Pointers are compared with null or with each other; numbers are such as C has.
fn is_sayable(names: &[Named], comparison: &Comparison) -> bool {
    let Sum { terms, constant } = &comparison.sum;
    // Twice as large is written on both sides.
    if !has_small_numbers(&comparison.sum) || constant.unsigned_abs() > 2 * GREATEST.unsigned_abs()
    {
        return false;
    }
    let mut pointers = BTreeSet::new();
    pointers_of(names, &comparison.sum, &mut pointers);
    if pointers.is_empty() {
        return true;
    }
    let terms: Vec<_> = terms.iter().collect();
    match (&terms[..], comparison.relation) {
        ([(Number::Input(_), 1)], Relation::AtLeast) => *constant == -1,
        ([(Number::Input(_), -1)], Relation::AtLeast) => *constant == 0,
        ([(Number::Input(_), 1 | -1)], _) => *constant == 0,
        ([(Number::Input(_), 1), (Number::Input(_), -1)], relation)
        | ([(Number::Input(_), -1), (Number::Input(_), 1)], relation) => {
            let strictly = relation == Relation::AtLeast && *constant == -1;
            pointers.len() == 2 && (*constant == 0 || strictly)
        }
        _ => false,
    }
}

/// Factors and divisors, and constants within quotients.
fn has_small_numbers(sum: &Sum) -> bool {
    sum.terms.iter().all(|(number, factor)| {
        let is_small = factor.unsigned_abs() <= GREATEST.unsigned_abs();
        is_small
            && match number {
                Number::Input(_) => true,
                Number::Quotient(of, by) | Number::Remainder(of, by) => {
                    *by <= GREATEST
                        && of.constant.unsigned_abs() <= GREATEST.unsigned_abs()
                        && has_small_numbers(of)
                }
            }
    })
}

/// The pointers in a sum.
fn pointers_of(names: &[Named], sum: &Sum, all: &mut BTreeSet<usize>) {
    for number in sum.terms.keys() {
        match number {
            Number::Input(at) => {
                if names.get(*at).is_some_and(|n| n.kind == Kind::Pointer) {
                    all.insert(*at);
                }
            }
            Number::Quotient(of, _) | Number::Remainder(of, _) => pointers_of(names, of, all),
        }
    }
}
