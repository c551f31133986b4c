//! Numbers: an interval, and which of its values the program itself acknowledges.
//!
//! The interval `low..=high` holds every value that a run can have here. The *acknowledged* part
//! (design.md §6) is the evidence: values that the code introduces (a constant, a computed
//! bound, input from outside) or tests for (`if (i <= 10)`). A parameter can be anything, and
//! nothing of it is acknowledged; behind `i <= 10` the value 10 is. An error is reported only if
//! an acknowledged value fails its check.
//!
//! Bounds are 64-bit; the ends of that range stand for the infinities, so a `u64` beyond 2^63 is
//! simply unbounded.

use serde::{Deserialize, Serialize};

/// `-∞` and `+∞` as bounds.
pub const LEAST: i64 = i64::MIN;
pub const MOST: i64 = i64::MAX;

/// The order of numbers is arbitrary but fixed: it says nothing of their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Number {
    pub low: i64,
    pub high: i64,
    /// Least and greatest acknowledged value; none if `least > greatest`.
    pub(crate) least: i64,
    pub(crate) greatest: i64,
    /// Every value between `least` and `greatest` is acknowledged, not only these two.
    pub(crate) dense: bool,
    /// 0 is not among the values.
    pub nonzero: bool,
    /// A loop moves this end: its evidence stays what it was when widening set in, and what more
    /// comes round counts as seen.
    pub(crate) frozen_low: bool,
    pub(crate) frozen_high: bool,
}

/// Where a bound comes from, for [`Number::restrict`].
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    pub value: i64,
    /// The code says this value: it is a constant, or itself acknowledged.
    pub acknowledged: bool,
}

impl Bound {
    pub const BELOW: Bound = Bound {
        value: LEAST,
        acknowledged: false,
    };
    pub const ABOVE: Bound = Bound {
        value: MOST,
        acknowledged: false,
    };
}

impl Number {
    /// Any value, nothing known about where it comes from.
    pub const TOP: Number = Number {
        low: LEAST,
        high: MOST,
        least: MOST,
        greatest: LEAST,
        dense: false,
        nonzero: false,
        frozen_low: false,
        frozen_high: false,
    };

    /// A value that the program text states.
    pub fn constant(value: i64) -> Number {
        Number {
            low: value,
            high: value,
            least: value,
            greatest: value,
            dense: true,
            nonzero: value != 0,
            ..Number::TOP
        }
    }

    /// A range without evidence.
    pub fn range(low: i64, high: i64) -> Number {
        Number {
            low,
            high,
            nonzero: low > 0 || high < 0,
            ..Number::TOP
        }
    }

    /// A range of which every value must be reckoned with: input from outside.
    pub fn outside(low: i64, high: i64) -> Number {
        Number {
            low,
            high,
            least: low,
            greatest: high,
            dense: true,
            nonzero: low > 0 || high < 0,
            ..Number::TOP
        }
    }

    /// The range `low..=high` with the acknowledged part `least..=greatest` cut to it.
    pub fn new(low: i64, high: i64, least: i64, greatest: i64, dense: bool) -> Number {
        let mut n = Number {
            low,
            high,
            least,
            greatest,
            dense,
            nonzero: low > 0 || high < 0,
            ..Number::TOP
        };
        n.cut();
        n
    }

    pub fn acknowledged(&self) -> Option<(i64, i64)> {
        (self.least <= self.greatest).then_some((self.least, self.greatest))
    }

    /// Is every value from the least to the greatest acknowledged one acknowledged?
    pub fn is_dense(&self) -> bool {
        self.dense || self.least == self.greatest
    }

    /// Is everything that it can be acknowledged?
    pub(crate) fn is_all_seen(&self) -> bool {
        self.is_dense() && self.least <= self.low && self.high <= self.greatest
    }

    /// Acknowledged values without gaps, more than one.
    pub(crate) fn is_interval(&self) -> bool {
        self.dense && self.least < self.greatest
    }

    /// Is this very value acknowledged?
    pub fn acknowledges(&self, value: i64) -> bool {
        self.least == value
            || self.greatest == value
            || self.dense && self.least < value && value < self.greatest
    }

    pub fn as_constant(&self) -> Option<i64> {
        (self.low == self.high && self.low != LEAST && self.low != MOST).then_some(self.low)
    }

    pub fn is_top(&self) -> bool {
        *self == Number::TOP
    }

    pub fn contains(&self, value: i64) -> bool {
        self.low <= value && value <= self.high && !(value == 0 && self.nonzero)
    }

    /// The same values, nothing of them acknowledged.
    pub fn without_evidence(mut self) -> Number {
        self.forget_evidence();
        self
    }

    fn forget_evidence(&mut self) {
        self.least = MOST;
        self.greatest = LEAST;
        self.dense = false;
    }

    /// Keeps the acknowledged part inside the range. Where an end is cut off, the range's end is
    /// known to be a value only if all in between are.
    fn cut(&mut self) {
        if self.least > self.greatest {
            self.forget_evidence();
            return;
        }
        let (least, greatest) = (self.least, self.greatest);
        if least < self.low {
            self.least = if self.dense { self.low } else { greatest };
        }
        if greatest > self.high {
            self.greatest = if self.dense { self.high } else { least };
        }
        if self.least > self.greatest || self.least < self.low || self.greatest > self.high {
            self.forget_evidence();
        }
    }

    /// Does this range hold all values of the other, with at least its evidence?
    pub fn covers(&self, other: &Number) -> bool {
        self.low <= other.low
            && other.high <= self.high
            && (!self.nonzero || other.nonzero)
            && (other.least > other.greatest
                || (self.frozen_low || self.least <= other.least)
                    && (self.frozen_high || other.greatest <= self.greatest)
                    && (self.dense || !other.is_interval() || self.frozen_low || self.frozen_high))
    }

    /// The least number that covers both.
    pub fn join(&self, other: &Number) -> Number {
        let (a, b) = (self.acknowledged(), other.acknowledged());
        let (least, greatest) = match (a, b) {
            (Some(a), Some(b)) => (
                end(a.0, self.frozen_low, b.0, other.frozen_low, i64::min),
                end(a.1, self.frozen_high, b.1, other.frozen_high, i64::max),
            ),
            (Some(a), None) => a,
            (None, b) => b.unwrap_or((MOST, LEAST)),
        };
        // Where one part is dense, the whole counts as such: what lies between two parts is claimed
        // rather than lost, or a growing state would not cover what it grew from.
        let dense = self.is_interval() || other.is_interval();
        let mut joined = Number {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            least,
            greatest,
            dense,
            nonzero: self.nonzero && other.nonzero,
            frozen_low: self.frozen_low || other.frozen_low,
            frozen_high: self.frozen_high || other.frozen_high,
        };
        if joined.least > joined.greatest {
            joined.forget_evidence();
        }
        joined
    }

    /// Like `join`, but bounds that grow jump to the next of the `thresholds` (sorted), or to
    /// infinity where there is none. Evidence does not jump: what only widening brings in was
    /// said by nobody.
    pub fn widen(&self, other: &Number, thresholds: &[i64]) -> Number {
        let joined = self.join(other);
        let low = if other.low < self.low {
            match thresholds.partition_point(|t| *t <= joined.low) {
                0 => LEAST,
                i => thresholds[i - 1],
            }
        } else {
            self.low
        };
        let high = if other.high > self.high {
            let i = thresholds.partition_point(|t| *t < joined.high);
            thresholds.get(i).copied().unwrap_or(MOST)
        } else {
            self.high
        };
        let nonzero = joined.nonzero && (low > 0 || high < 0 || self.nonzero && other.nonzero);
        let seen = self.acknowledged().zip(other.acknowledged());
        let frozen_low =
            joined.frozen_low || low != self.low || seen.is_some_and(|(a, b)| b.0 < a.0);
        let frozen_high =
            joined.frozen_high || high != self.high || seen.is_some_and(|(a, b)| b.1 > a.1);
        // An acknowledged end that moves with the widened bound would move on for ever.
        let (least, greatest, dense) = match self.acknowledged() {
            Some((least, greatest)) => (
                if frozen_low { least } else { joined.least },
                if frozen_high {
                    greatest
                } else {
                    joined.greatest
                },
                joined.dense,
            ),
            None => (joined.least, joined.greatest, joined.dense),
        };
        Number {
            low,
            high,
            least,
            greatest,
            dense,
            nonzero,
            frozen_low,
            frozen_high,
        }
    }

    /// The values that lie between two bounds; none if there are none. A bound that the
    /// code says acknowledges the values up to it: the outermost that is possible.
    pub fn restrict(&self, low: Bound, high: Bound) -> Option<Number> {
        let mut n = *self;
        n.low = n.low.max(low.value);
        n.high = n.high.min(high.value);
        if n.nonzero {
            n.low += i64::from(n.low == 0);
            n.high -= i64::from(n.high == 0);
        }
        if n.low > n.high {
            return None;
        }
        n.frozen_low &= n.low == self.low;
        n.frozen_high &= n.high == self.high;
        n.cut();
        n.nonzero |= n.low > 0 || n.high < 0;
        if high.acknowledged && n.high != MOST {
            n.acknowledge(n.high);
        }
        if low.acknowledged && n.low != LEAST {
            n.acknowledge(n.low);
        }
        Some(n)
    }

    fn acknowledge(&mut self, value: i64) {
        match self.acknowledged() {
            None => {
                (self.least, self.greatest, self.dense) = (value, value, true);
            }
            Some((least, greatest)) => {
                self.dense &= least <= value && value <= greatest;
                self.least = least.min(value);
                self.greatest = greatest.max(value);
            }
        }
    }

    /// The values other than 0; none if there are none.
    pub fn exclude_zero(&self) -> Option<Number> {
        let mut n = *self;
        n.nonzero = true;
        if n.low == 0 {
            n.low = 1;
        }
        if n.high == 0 {
            n.high = -1;
        }
        if n.low > n.high {
            return None;
        }
        if n.least == 0 && n.greatest == 0 {
            n.forget_evidence();
        }
        if n.least == 0 {
            n.least = if n.dense { 1 } else { n.greatest };
        }
        if n.greatest == 0 {
            n.greatest = if n.dense { -1 } else { n.least };
        }
        n.cut();
        Some(n)
    }

    /// The values other than one that stands at an end.
    pub fn exclude(&self, value: i64) -> Option<Number> {
        if value == 0 {
            return self.exclude_zero();
        }
        let mut n = *self;
        if n.low == value && n.low != LEAST && n.low != MOST {
            n.low += 1;
        }
        if n.high == value && n.high != LEAST && n.high != MOST {
            n.high -= 1;
        }
        if n.low > n.high {
            return None;
        }
        n.cut();
        n.nonzero |= n.low > 0 || n.high < 0;
        Some(n)
    }

    /// The parts of this range that lie outside of the other, at most two; evidence is kept.
    pub fn minus(&self, other: &Number) -> Vec<Number> {
        let mut parts = Vec::new();
        if self.low < other.low {
            let below = Bound {
                value: other.low.saturating_sub(1),
                acknowledged: false,
            };
            parts.extend(self.restrict(Bound::BELOW, below));
        }
        if other.high < self.high {
            let above = Bound {
                value: other.high.saturating_add(1),
                acknowledged: false,
            };
            parts.extend(self.restrict(above, Bound::ABOVE));
        }
        if other.nonzero && !self.nonzero && other.low <= 0 && 0 <= other.high {
            let zero = Bound {
                value: 0,
                acknowledged: false,
            };
            parts.extend(self.restrict(zero, zero));
        }
        parts
    }
}

/// One end of the evidence of a join: an end that is frozen does not move.
fn end(a: i64, a_frozen: bool, b: i64, b_frozen: bool, outer: impl Fn(i64, i64) -> i64) -> i64 {
    match (a_frozen, b_frozen) {
        (true, false) => a,
        (false, true) => b,
        _ => outer(a, b),
    }
}
