//! Upper bounds of several numbers that do not depend on their order, and of which no chain is endless.
//!
//! [`Number::join`] is for the states of one search, where the order is given and widening sees to the
//! end. What several callers pass is a *set*: its bound must be the same in whatever order they
//! are looked at (incremental.txt, and design.md §10), and if what comes back is merged again and again
//! (a recursion that counts), the bounds must come to rest. So an end in which the numbers differ moves
//! outwards to the next of a few steps. Evidence does not jump: it grows to what all of them acknowledge, and
//! once more when a bound comes round with more (by then a test in the function has said how far it goes);
//! from then on it is frozen, and what more comes counts as seen, as in a loop.

use crate::number::{LEAST, MOST, Number};

/// Where the ends of a bound come to rest.
const STEPS: [i64; 9] = [
    LEAST,
    i32::MIN as i64,
    -1,
    0,
    1,
    1023,
    i32::MAX as i64,
    u32::MAX as i64,
    MOST,
];

impl Number {
    /// The same values and the same evidence in the one form that equals are equal in, at rest: no loop
    /// is moving it.
    pub fn settled(mut self) -> Number {
        (self.frozen_low, self.frozen_high) = (false, false);
        self.in_one_form()
    }

    fn in_one_form(mut self) -> Number {
        self.dense = self.acknowledged().is_some() && self.is_dense();
        self.nonzero |= self.low > 0 || self.high < 0;
        self
    }

    /// A number that covers all of these; none if there are none. The same for any order of them, and
    /// every chain of bounds of bounds ends.
    pub fn bound_of(all: &[Number]) -> Option<Number> {
        let (first, others) = all.split_first()?;
        if others.iter().all(|n| n == first) {
            return Some(*first);
        }
        let low = all.iter().map(|n| n.low).min()?;
        let high = all.iter().map(|n| n.high).max()?;
        let moves = |end: fn(&Number) -> i64| others.iter().any(|n| end(n) != end(first));
        let seen: Vec<&Number> = all.iter().filter(|n| n.acknowledged().is_some()).collect();
        // A bound that comes round is known by its end, which is one of the steps.
        let came_round = |end: fn(&Number) -> i64| {
            let is_bound = |n: &&Number| n.low != n.high && STEPS.contains(&end(n));
            seen.iter().any(is_bound)
        };
        let rest = (came_round(|n| n.low), came_round(|n| n.high));
        let least = End::of(&seen, |n| (n.least, n.frozen_low), i64::min, rest.0);
        let greatest = End::of(&seen, |n| (n.greatest, n.frozen_high), i64::max, rest.1);
        let differ = |end: &Option<End>| end.is_some_and(|end| end.differs);
        let mut bound = Number {
            low: match moves(|n| n.low) || differ(&least) {
                true => below(low),
                false => low,
            },
            high: match moves(|n| n.high) || differ(&greatest) {
                true => above(high),
                false => high,
            },
            least: least.map_or(MOST, |end| end.value),
            greatest: greatest.map_or(LEAST, |end| end.value),
            dense: seen.iter().any(|n| n.dense && n.least < n.greatest),
            nonzero: all.iter().all(|n| n.nonzero),
            frozen_low: least.is_some_and(|end| end.frozen),
            frozen_high: greatest.is_some_and(|end| end.frozen),
        };
        if !seen.is_empty() && bound.least > bound.greatest {
            (bound.least, bound.greatest) = (bound.greatest, bound.least);
        }
        Some(bound.in_one_form())
    }
}

/// One end of what several numbers acknowledge.
#[derive(Clone, Copy)]
struct End {
    value: i64,
    /// They do not agree on it.
    differs: bool,
    frozen: bool,
}

impl End {
    /// Where it is frozen in some, these decide. Where the numbers differ, it is from now on if it is to
    /// come to `rest`.
    fn of(
        seen: &[&Number],
        end: impl Fn(&Number) -> (i64, bool),
        outer: fn(i64, i64) -> i64,
        rest: bool,
    ) -> Option<End> {
        let ends: Vec<(i64, bool)> = seen.iter().map(|n| end(n)).collect();
        let frozen = ends.iter().any(|(_, frozen)| *frozen);
        let deciding = ends.iter().filter(|(_, f)| *f == frozen);
        let value = deciding.map(|(value, _)| *value).reduce(outer)?;
        let differs = ends.iter().any(|(other, _)| *other != value);
        Some(End {
            value,
            differs,
            frozen: frozen || differs && rest,
        })
    }
}

fn below(value: i64) -> i64 {
    let steps = STEPS.iter().rev().copied();
    steps.into_iter().find(|s| *s <= value).unwrap_or(LEAST)
}

fn above(value: i64) -> i64 {
    let mut steps = STEPS.iter().copied();
    steps.find(|s| *s >= value).unwrap_or(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bound;
    use proptest::prelude::*;

    fn numbers() -> impl Strategy<Value = Number> {
        (-20i64..20, 0i64..20, any::<bool>(), -25i64..25, 0i64..8).prop_map(
            |(low, width, evidence, least, more)| {
                let n = if evidence {
                    Number::new(low, low + width, least, least + more, more % 2 == 0)
                } else {
                    Number::range(low, low + width)
                };
                n.settled()
            },
        )
    }

    proptest! {
        #[test]
        fn a_bound_covers_all_and_knows_no_order(mut all in prop::collection::vec(numbers(), 1..6)) {
            let bound = Number::bound_of(&all).expect("some");
            for n in &all {
                prop_assert!(bound.covers(n), "{bound:?} does not cover {n:?}");
            }
            all.reverse();
            prop_assert_eq!(Number::bound_of(&all), Some(bound));
            all.push(all[0]);
            prop_assert_eq!(Number::bound_of(&all), Some(bound));
        }

        #[test]
        fn evidence_comes_to_rest_too(start in numbers(), by in -3i64..4) {
            // Only what is acknowledged moves.
            let range = |n: &Number, by: i64| {
                let (least, greatest) = n.acknowledged().unwrap_or((0, 0));
                Number::new(-700, 700, least + by, greatest + by, true).settled()
            };
            let mut bound = range(&start, 0);
            for turn in 0..64 {
                let moved = range(&bound, by);
                if bound.covers(&moved) {
                    return Ok(());
                }
                prop_assert!(turn < 8, "{bound:?}");
                bound = Number::bound_of(&[moved, bound]).expect("some");
            }
        }

        #[test]
        fn chains_of_bounds_end(start in numbers(), by in -3i64..4) {
            // A recursion that adds something each time.
            let mut bound = start;
            for turn in 0..64 {
                let moved = crate::arithmetic::apply(
                    crate::Operator::Add,
                    &bound.settled(),
                    &Number::constant(by),
                    crate::IntType { width: 32, signed: true },
                    false,
                );
                let moved = moved.settled();
                if bound.covers(&moved) {
                    return Ok(());
                }
                let next = Number::bound_of(&[start, bound, moved]).expect("some");
                prop_assert!(next.covers(&moved) && next.covers(&bound));
                prop_assert!(turn < 12, "{next:?}");
                bound = next;
            }
        }
    }

    #[test]
    fn equal_numbers_stay_as_they_are() {
        let five = Number::constant(5);
        assert_eq!(Number::bound_of(&[five, five]), Some(five));
        assert_eq!(Number::bound_of(&[]), None);
    }

    #[test]
    fn differing_ends_go_to_the_next_step_and_evidence_stays() {
        let all = [Number::constant(5), Number::constant(12)];
        let bound = Number::bound_of(&all).expect("some");
        assert_eq!((bound.low, bound.high), (1, 1023));
        assert_eq!(bound.acknowledged(), Some((5, 12)));
        // What lies in between is not: only these two were passed.
        assert!(!bound.acknowledges(7) && bound.acknowledges(12));
        // Evidence that comes round grows once, and then no further.
        let again = Number::bound_of(&[bound, Number::constant(13)]).expect("some");
        assert_eq!(again.acknowledged(), Some((5, 13)));
        let last = Number::bound_of(&[again, Number::constant(14)]).expect("some");
        assert_eq!(last.acknowledged(), Some((5, 13)));
        assert!(again.covers(&Number::constant(14)));
    }

    #[test]
    fn one_form() {
        let cut = Number::outside(0, 9).restrict(
            Bound {
                value: 9,
                acknowledged: false,
            },
            Bound::ABOVE,
        );
        assert_eq!(
            cut.map(Number::settled),
            Some(Number::constant(9).settled())
        );
    }
}
