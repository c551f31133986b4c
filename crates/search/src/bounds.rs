//! Bounds of variables (§2.2): for each an interval that its value lies in. Wider bounds allow more
//! runs, so bounds cover what they contain.

use std::collections::BTreeMap;

use crate::product::Component;

/// The integers from `low` to `high`, at least one. `i64::MIN` and `i64::MAX` stand for no bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// The smallest.
    pub low: i64,
    /// The largest.
    pub high: i64,
}

impl Interval {
    /// Every integer.
    pub const ALL: Interval = Interval {
        low: i64::MIN,
        high: i64::MAX,
    };

    /// `c > bound`, for a bound below `i64::MAX`.
    pub fn above(bound: i64) -> Self {
        Interval {
            low: bound.saturating_add(1),
            high: i64::MAX,
        }
    }

    /// `c <= bound`
    pub fn at_most(bound: i64) -> Self {
        Interval {
            low: i64::MIN,
            high: bound,
        }
    }

    /// The integers of both, if there are any.
    pub fn meet(self, other: Self) -> Option<Self> {
        let low = self.low.max(other.low);
        let high = self.high.min(other.high);
        (low <= high).then_some(Interval { low, high })
    }

    /// The least interval around both.
    pub fn hull(self, other: Self) -> Self {
        Interval {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Are all integers of `other` in this one?
    pub fn contains(self, other: Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }
}

/// Bounds for some variables; the others have none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds<N: Ord>(BTreeMap<N, Interval>);

impl<N: Ord> Bounds<N> {
    /// The bounds of a variable.
    pub fn of(&self, name: &N) -> Interval {
        self.0.get(name).copied().unwrap_or(Interval::ALL)
    }

    /// The same with a variable between new bounds, whatever its old ones were.
    pub fn with(mut self, name: N, interval: Interval) -> Self {
        if interval == Interval::ALL {
            self.0.remove(&name);
        } else {
            self.0.insert(name, interval);
        }
        self
    }

    /// After a test that a variable is within an interval; `None` if it cannot be.
    pub fn assume(self, name: N, interval: Interval) -> Option<Self> {
        let met = self.of(&name).meet(interval)?;
        Some(self.with(name, met))
    }
}

impl<N: Ord> Default for Bounds<N> {
    fn default() -> Self {
        Bounds(BTreeMap::new())
    }
}

impl<N: Ord + Clone> Component for Bounds<N> {
    fn covers(&self, other: &Self) -> bool {
        self.0
            .iter()
            .all(|(name, interval)| interval.contains(other.of(name)))
    }

    /// Box minus box: for each variable in turn what lies below and above the other's bounds, with
    /// the variables before it within them. The pieces do not overlap.
    fn difference(&self, reached: &Self) -> Option<Vec<Self>> {
        let mut pieces = Vec::new();
        let mut rest = self.clone();
        for (name, inside) in &reached.0 {
            let own = self.of(name);
            let within = own.meet(*inside)?;
            if own.low < within.low {
                let high = within.low - 1;
                let below = Interval { low: own.low, high };
                pieces.push(rest.clone().with(name.clone(), below));
            }
            if within.high < own.high {
                let low = within.high + 1;
                let above = Interval {
                    low,
                    high: own.high,
                };
                pieces.push(rest.clone().with(name.clone(), above));
            }
            rest = rest.with(name.clone(), within);
        }
        Some(pieces)
    }

    fn merge(&self, other: &Self) -> Self {
        let both = self.0.iter().filter_map(|(name, interval)| {
            let hull = interval.hull(other.of(name));
            (hull != Interval::ALL).then(|| (name.clone(), hull))
        });
        Bounds(both.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn boxes() -> impl Strategy<Value = Bounds<char>> {
        let interval = || (-4i64..4, 0i64..5).prop_map(|(low, more)| (low, low + more));
        let bound = move || prop::option::of(interval());
        (bound(), bound()).prop_map(|(x, y)| {
            let of = |bound: Option<(i64, i64)>| match bound {
                Some((low, high)) => Interval { low, high },
                None => Interval::ALL,
            };
            Bounds::default().with('x', of(x)).with('y', of(y))
        })
    }

    /// One point, and the two ends, which stand for what lies beyond.
    fn contains(bounds: &Bounds<char>, (x, y): (i64, i64)) -> bool {
        let point = |at| Interval { low: at, high: at };
        bounds.of(&'x').contains(point(x)) && bounds.of(&'y').contains(point(y))
    }

    fn points() -> impl Iterator<Item = (i64, i64)> {
        let line = || [i64::MIN, i64::MAX].into_iter().chain(-10..10);
        line().flat_map(move |x| line().map(move |y| (x, y)))
    }

    proptest! {
        #[test]
        fn the_operations_mean_what_they_say_point_by_point(a in boxes(), b in boxes()) {
            let covers = points().all(|point| !contains(&b, point) || contains(&a, point));
            prop_assert_eq!(a.covers(&b), covers);
            let merged = a.merge(&b);
            prop_assert!(merged.covers(&a) && merged.covers(&b));
            let disjoint = points().all(|point| !(contains(&a, point) && contains(&b, point)));
            match a.difference(&b) {
                None => prop_assert!(disjoint),
                Some(pieces) => for point in points() {
                    let count = pieces.iter().filter(|piece| contains(piece, point)).count();
                    let expected = contains(&a, point) && !contains(&b, point);
                    prop_assert_eq!(count, usize::from(expected));
                },
            }
        }
    }
}
