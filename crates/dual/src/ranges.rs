//! Between which ends numbers are, without a polyhedron.
//!
//! Where relations between numbers cost too much, a box is what is left of them: of each dimension the least and the most. Questions about
//! boxes are questions about their corners, and isl need not be asked: it would solve an integer program for each.

use crate::facts::Range;
use isl::{Constraint, Dim, Kind, Piece, Result};

/// The ends of each dimension, if the piece says nothing else, and has a point; none if it does say more.
pub fn ends(piece: &Piece) -> Result<Option<Vec<Range>>> {
    Ok(ends_of(piece.dimensions(), &piece.constraints()?))
}

/// The same, of constraints.
pub fn ends_of(dimensions: usize, constraints: &[Constraint]) -> Option<Vec<Range>> {
    let is_end = |c: &Constraint| matches!(c.form.terms.as_slice(), [(Dim::At(_), _)]);
    if !constraints.iter().all(is_end) {
        return None;
    }
    let mut ranges = vec![Range::ANYTHING; dimensions];
    narrow(&mut ranges, constraints);
    let is_empty = ranges.iter().any(|range| range.is_empty());
    (!is_empty).then_some(ranges)
}

/// Does the constraint hold in all of the box? A linear form is least in a corner, and corners are integers.
pub fn implies(ends: &[Range], constraint: &Constraint) -> bool {
    let least = |sign: i128| {
        let terms = constraint.form.terms.iter();
        let start = constraint.form.constant.checked_mul(sign)?;
        terms.into_iter().try_fold(start, |sum, (dim, factor)| {
            let Dim::At(at) = dim else { return None };
            let (range, factor) = (ends.get(*at)?, factor.checked_mul(sign)?);
            let end = if factor > 0 { range.least } else { range.most };
            sum.checked_add(factor.checked_mul(end?)?)
        })
    };
    let not_negative = |sign| least(sign).is_some_and(|least| least >= 0);
    not_negative(1) && (constraint.kind == Kind::AtLeastZero || not_negative(-1))
}

/// Do two boxes have a point in common, whatever these dimensions are?
pub fn meet(a: &[Range], b: &[Range], apart_from: &[usize]) -> bool {
    let mut both = a.iter().zip(b).enumerate();
    !both.any(|(at, (a, b))| !apart_from.contains(&at) && a.and(*b).is_empty())
}

/// The box around several.
pub fn around(boxes: &[Vec<Range>]) -> Vec<Range> {
    let Some((first, rest)) = boxes.split_first() else {
        return Vec::new();
    };
    let one = |at: usize, range: &Range| {
        let others = rest.iter().filter_map(|ends| ends.get(at));
        others.fold(*range, |all, range| all.or(*range))
    };
    first.iter().enumerate().map(|(at, r)| one(at, r)).collect()
}

/// Passes over all constraints, at most: ends that move on for ever are not worth it.
const PASSES: usize = 4;

/// The ranges of dimensions, as far as constraints narrow them one by one: in each a dimension is bounded by what the others
/// can be at most.
pub fn narrow(ranges: &mut [Range], constraints: &[Constraint]) {
    for _ in 0..PASSES {
        let before = ranges.to_vec();
        for constraint in constraints {
            by_one(
                ranges,
                constraint.form.terms.as_slice(),
                constraint.form.constant,
            );
            if constraint.kind == Kind::Equal {
                let opposite: Vec<(Dim, i128)> = constraint
                    .form
                    .terms
                    .iter()
                    .map(|(dim, n)| (*dim, -n))
                    .collect();
                by_one(ranges, &opposite, -constraint.form.constant);
            }
        }
        if before == ranges {
            break;
        }
    }
}

/// By one constraint: the sum of the terms and the constant is not negative.
fn by_one(ranges: &mut [Range], terms: &[(Dim, i128)], constant: i128) {
    let most = |ranges: &[Range], (dim, factor): &(Dim, i128)| {
        let Dim::At(at) = dim else { return None };
        let range = ranges.get(*at)?;
        let end = if *factor > 0 { range.most } else { range.least };
        factor.checked_mul(end?)
    };
    // What the terms are together at most; but one of them may have no end.
    let mut endless = None;
    let mut sum = constant;
    for (position, term) in terms.iter().enumerate() {
        let with = most(ranges, term).map(|n| sum.checked_add(n));
        match (with, endless) {
            (Some(Some(with)), _) => sum = with,
            (None, None) => endless = Some(position),
            _ => return,
        }
    }
    for (position, term) in terms.iter().enumerate() {
        let others = match endless {
            Some(only) if only != position => continue,
            Some(_) => Some(sum),
            None => most(ranges, term).and_then(|n| sum.checked_sub(n)),
        };
        // factor * x >= -others
        let ((Dim::At(at), factor), Some(others)) = (term, others) else {
            continue;
        };
        let Some(range) = ranges.get_mut(*at) else {
            continue;
        };
        *range = range.and(match *factor > 0 {
            true => Range::at_least(-others.div_euclid(*factor)),
            false => Range {
                least: None,
                most: Some(others.div_euclid(-factor)),
            },
        });
    }
}
