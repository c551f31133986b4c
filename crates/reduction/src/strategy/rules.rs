//! What one bound follows: the choice of a strategy.

use crate::interval::bound::{self, INFINITE};

/// A bound of a node: twice the node, plus 1 for the upper end.
pub(super) type BoundId = u32;

/// Which of the bounds of an interval.
pub(super) const LOWER: usize = 0;
pub(super) const UPPER: usize = 1;

/// How a bound is computed from others, all maxima decided. Every form is monotone with a slope of
/// at least 1 in each bound that it reads: `Scaled` has a factor of at least 1, and the bounds of a
/// `Product` are at least 1 when the rule is chosen, hence always after.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    Constant(i128),
    Copy(BoundId),
    Least(BoundId, BoundId),
    Sum(BoundId, BoundId),
    Scaled(BoundId, i128),
    Product(BoundId, BoundId),
}

impl Rule {
    pub fn evaluate(self, value: impl Fn(BoundId) -> i128) -> i128 {
        match self {
            Rule::Constant(a) => a,
            Rule::Copy(a) => value(a),
            Rule::Least(a, b) => value(a).min(value(b)),
            Rule::Sum(a, b) => bound::sum(value(a), value(b)),
            Rule::Scaled(a, factor) => bound::scaled(value(a), factor),
            Rule::Product(a, b) => bound::scaled(value(a), value(b)),
        }
    }

    pub fn operands(self) -> [Option<BoundId>; 2] {
        match self {
            Rule::Constant(_) => [None, None],
            Rule::Copy(a) | Rule::Scaled(a, _) => [Some(a), None],
            Rule::Least(a, b) | Rule::Sum(a, b) | Rule::Product(a, b) => [Some(a), Some(b)],
        }
    }
}

/// The rules that the bound of a product may follow if one factor is known to be `[-low, high]`
/// and `other` is the node of the other one.
///
/// A positive factor f takes the upper end to f · upper, a negative one to |f| · negated lower.
pub(super) fn multiples(factor: [i128; 2], other: u32, side: usize) -> impl Iterator<Item = Rule> {
    let same = 2 * other + side as u32;
    let opposite = 2 * other + (1 - side) as u32;
    let [negated_low, high] = factor;
    let low = if negated_low == INFINITE {
        // Only its sign counts; an infinite factor is dealt with before.
        -INFINITE
    } else {
        -negated_low
    };
    let rule = move |factor: i128| match factor {
        0 => Rule::Constant(0),
        1.. => Rule::Scaled(same, factor),
        _ => Rule::Scaled(opposite, -factor),
    };
    let zero = (low < 0 && high > 0).then_some(Rule::Constant(0));
    [rule(low), rule(high)].into_iter().chain(zero)
}

/// The rules that a positive bound of the product of two unknown factors may follow, each with the
/// two bounds that it multiplies.
pub(super) fn products(a: u32, b: u32, side: usize) -> [(BoundId, BoundId); 2] {
    let bound = |node: u32, side: usize| 2 * node + side as u32;
    if side == UPPER {
        [
            (bound(a, UPPER), bound(b, UPPER)),
            (bound(a, LOWER), bound(b, LOWER)),
        ]
    } else {
        [
            (bound(a, UPPER), bound(b, LOWER)),
            (bound(a, LOWER), bound(b, UPPER)),
        ]
    }
}
