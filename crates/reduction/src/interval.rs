//! Intervals of integers, the empty one included (§2.2).
//!
//! An end is an `i128`; `i128::MIN` and `i128::MAX` stand for the infinities. What does not fit
//! goes to the infinity on its own side, or, where an end would become *too small an interval's*
//! end, to the last number that fits: either way the result contains the exact one.

use std::fmt;

/// A set `{low, …, high}`, canonical: there is one empty interval.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    low: i128,
    high: i128,
}

/// No lower end.
const BELOW: i128 = i128::MIN;
/// No upper end.
const ABOVE: i128 = i128::MAX;

impl Interval {
    pub const EMPTY: Interval = Interval {
        low: ABOVE,
        high: BELOW,
    };
    /// All integers.
    pub const FULL: Interval = Interval {
        low: BELOW,
        high: ABOVE,
    };

    /// `{low, …, high}`, empty if low > high.
    pub fn new(low: i128, high: i128) -> Interval {
        Interval::between(clamp(low), clamp(high))
    }

    pub fn constant(value: i128) -> Interval {
        Interval::new(value, value)
    }

    /// `[low, ∞]`
    pub fn at_least(low: i128) -> Interval {
        Interval::between(clamp(low), ABOVE)
    }

    /// `[-∞, high]`
    pub fn at_most(high: i128) -> Interval {
        Interval::between(BELOW, clamp(high))
    }

    /// From ends that may be infinite.
    fn between(low: i128, high: i128) -> Interval {
        if low > high {
            Interval::EMPTY
        } else {
            Interval { low, high }
        }
    }

    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// The least element; none if there is none, or no element at all.
    pub fn low(self) -> Option<i128> {
        (!self.is_empty() && self.low != BELOW).then_some(self.low)
    }

    /// The greatest element; none if there is none, or no element at all.
    pub fn high(self) -> Option<i128> {
        (!self.is_empty() && self.high != ABOVE).then_some(self.high)
    }

    /// The only element.
    pub fn as_constant(self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    pub fn contains(self, value: i128) -> bool {
        self.low <= value && value <= self.high
    }

    pub fn is_within(self, other: Interval) -> bool {
        self.is_empty() || other.low <= self.low && self.high <= other.high
    }

    /// `⊔`: the least interval that contains both.
    pub fn join(self, other: Interval) -> Interval {
        Interval {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// `⊓`
    pub fn meet(self, other: Interval) -> Interval {
        Interval::between(self.low.max(other.low), self.high.min(other.high))
    }

    /// All sums of an element of each.
    pub fn sum(self, other: Interval) -> Interval {
        if self.is_empty() || other.is_empty() {
            return Interval::EMPTY;
        }
        let pair = |side: usize| bound::sum(self.bounds()[side], other.bounds()[side]);
        Interval::from_bounds([pair(0), pair(1)])
    }

    /// The least interval with all products of an element of each.
    pub fn product(self, other: Interval) -> Interval {
        if self.is_empty() || other.is_empty() {
            return Interval::EMPTY;
        }
        let corners = [
            corner(self.low, other.low),
            corner(self.low, other.high),
            corner(self.high, other.low),
            corner(self.high, other.high),
        ];
        let low = corners.into_iter().fold(ABOVE, i128::min);
        let high = corners.into_iter().fold(BELOW, i128::max);
        // A corner beyond all numbers is an end only on its own side.
        Interval::between(low.min(ABOVE - 1), high.max(bound::LEAST))
    }

    /// The value itself if it lies in `range`, all of `range` if it may not: what a machine word
    /// holds after an operation that wraps around. Monotone, and always within `range`.
    pub fn guarded(self, range: Interval) -> Interval {
        if self.is_within(range) { self } else { range }
    }

    /// The negated lower and the upper end: both grow as the interval does.
    pub(crate) fn bounds(self) -> [i128; 2] {
        if self.is_empty() {
            return [bound::NONE; 2];
        }
        let negated_low = if self.low == BELOW { ABOVE } else { -self.low };
        [negated_low, self.high]
    }

    pub(crate) fn from_bounds([negated_low, high]: [i128; 2]) -> Interval {
        if negated_low == bound::NONE || high == bound::NONE {
            return Interval::EMPTY;
        }
        let low = if negated_low == ABOVE {
            BELOW
        } else {
            -negated_low
        };
        Interval::between(low, high)
    }
}

fn clamp(value: i128) -> i128 {
    value.clamp(bound::LEAST, ABOVE - 1)
}

/// Ends may be infinite; zero times infinity is zero, for no element is infinite.
fn corner(a: i128, b: i128) -> i128 {
    if a == 0 || b == 0 {
        return 0;
    }
    let beyond = if (a < 0) == (b < 0) { ABOVE } else { BELOW };
    let infinite = |end| end == BELOW || end == ABOVE;
    if infinite(a) || infinite(b) {
        return beyond;
    }
    a.checked_mul(b).unwrap_or(beyond)
}

/// Arithmetic of one bound (negated lower, or upper): `i128::MAX` is infinite, `i128::MIN` is the
/// bound of the empty interval.
pub(crate) mod bound {
    pub const NONE: i128 = i128::MIN;
    pub const INFINITE: i128 = i128::MAX;
    /// The least finite one: its negation is finite as well.
    pub const LEAST: i128 = -(INFINITE - 1);

    /// Neither may be `NONE`.
    pub fn sum(a: i128, b: i128) -> i128 {
        if a == INFINITE || b == INFINITE {
            return INFINITE;
        }
        a.saturating_add(b).max(LEAST)
    }

    /// A bound times a factor of at least 1 (which may be infinite if the bound is positive).
    pub fn scaled(a: i128, factor: i128) -> i128 {
        if a == 0 {
            return 0;
        }
        if a == INFINITE || factor == INFINITE && a > 0 {
            return INFINITE;
        }
        a.saturating_mul(factor).max(LEAST)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("∅");
        }
        match self.low() {
            Some(low) => write!(f, "[{low}, ")?,
            None => f.write_str("[-∞, ")?,
        }
        match self.high() {
            Some(high) => write!(f, "{high}]"),
            None => f.write_str("∞]"),
        }
    }
}

impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn i(low: i128, high: i128) -> Interval {
        Interval::new(low, high)
    }

    #[test]
    fn operators_on_small_intervals_are_those_on_sets() {
        let all: Vec<Interval> = (-3..=3)
            .flat_map(|low| (low - 1..=3).map(move |high| i(low, high)))
            .collect();
        let elements = |x: Interval| (-3i128..=3).filter(move |&v| x.contains(v));
        let hull = |values: Vec<i128>| match (values.iter().min(), values.iter().max()) {
            (Some(&low), Some(&high)) => i(low, high),
            _ => Interval::EMPTY,
        };
        for &x in &all {
            for &y in &all {
                let pairs = |f: fn(i128, i128) -> i128| {
                    hull(
                        elements(x)
                            .flat_map(|a| elements(y).map(move |b| f(a, b)))
                            .collect(),
                    )
                };
                assert_eq!(x.sum(y), pairs(|a, b| a + b), "{x} + {y}");
                assert_eq!(x.product(y), pairs(|a, b| a * b), "{x} · {y}");
                assert_eq!(x.join(y), hull(elements(x).chain(elements(y)).collect()));
                assert_eq!(
                    x.meet(y),
                    hull(elements(x).filter(|&v| y.contains(v)).collect())
                );
                assert_eq!(x.is_within(y), elements(x).all(|v| y.contains(v)));
                assert_eq!(Interval::from_bounds(x.bounds()), x);
            }
        }
    }

    #[test]
    fn infinities() {
        let positive = Interval::at_least(1);
        assert_eq!(Interval::FULL.meet(positive), positive);
        assert_eq!(positive.sum(i(-1, -1)), Interval::at_least(0));
        assert_eq!(positive.product(i(-2, -2)), Interval::at_most(-2));
        assert_eq!(Interval::FULL.product(i(0, 0)), i(0, 0));
        assert_eq!(
            positive.product(Interval::at_most(-1)),
            Interval::at_most(-1)
        );
        assert_eq!(Interval::FULL.sum(Interval::EMPTY), Interval::EMPTY);
        assert_eq!(
            Interval::from_bounds(Interval::FULL.bounds()),
            Interval::FULL
        );
    }

    #[test]
    fn what_does_not_fit_is_over_approximated() {
        let large = Interval::constant(i128::MAX - 1);
        assert_eq!(large.sum(large), Interval::at_least(i128::MAX - 1));
        assert_eq!(large.product(large), Interval::at_least(i128::MAX - 1));
        let negative = Interval::constant(i128::MIN + 2);
        assert_eq!(negative.sum(negative), Interval::at_most(i128::MIN + 2));
        assert_eq!(negative.product(large), Interval::at_most(i128::MIN + 2));
    }

    #[test]
    fn a_word_that_may_wrap_can_be_anything() {
        assert_eq!(i(3, 300).guarded(i(0, 255)), i(0, 255));
        assert_eq!(i(3, 30).guarded(i(0, 255)), i(3, 30));
        assert_eq!(Interval::EMPTY.guarded(i(0, 255)), Interval::EMPTY);
    }
}
