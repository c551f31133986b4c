//! Sets of words: what lies between two unsigned bounds and between two signed ones.
//!
//! One of the two alone is not enough: `x < 0` is two intervals read as unsigned, and a sum that wraps
//! as signed may not wrap as unsigned. Each is narrowed by the other where that is exact.

use crate::term::{mask, signed};

/// The words w with `low <= w <= high` and `signed_low <= w <= signed_high`. Truth values are
/// words of one bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub low: u128,
    pub high: u128,
    pub signed_low: i128,
    pub signed_high: i128,
}

/// The greatest word.
pub fn greatest(width: u16) -> u128 {
    mask(u128::MAX, width)
}

/// The least and the greatest word, read as signed.
pub fn signed_ends(width: u16) -> (i128, i128) {
    let greatest = (greatest(width) >> 1) as i128;
    (-greatest - 1, greatest)
}

impl Range {
    pub fn all(width: u16) -> Range {
        let (signed_low, signed_high) = signed_ends(width);
        Range {
            low: 0,
            high: greatest(width),
            signed_low,
            signed_high,
        }
    }

    pub fn of(value: u128, width: u16) -> Range {
        let as_signed = signed(value, width);
        Range {
            low: value,
            high: value,
            signed_low: as_signed,
            signed_high: as_signed,
        }
    }

    /// Between unsigned bounds, which are cut to the width.
    pub fn unsigned(low: u128, high: u128, width: u16) -> Range {
        let mut range = Range::all(width);
        range.low = low;
        range.high = high.min(range.high);
        range.agree(width)
    }

    /// Between signed bounds, which are cut to the width.
    pub fn signed(low: i128, high: i128, width: u16) -> Range {
        let mut range = Range::all(width);
        range.signed_low = low.max(range.signed_low);
        range.signed_high = high.min(range.signed_high);
        range.agree(width)
    }

    pub fn is_empty(&self) -> bool {
        self.low > self.high || self.signed_low > self.signed_high
    }

    pub fn single(&self) -> Option<u128> {
        (self.low == self.high && !self.is_empty()).then_some(self.low)
    }

    pub fn contains(&self, value: u128, width: u16) -> bool {
        let as_signed = signed(value, width);
        (self.low..=self.high).contains(&value)
            && (self.signed_low..=self.signed_high).contains(&as_signed)
    }

    /// What is in both.
    pub fn meet(&self, other: &Range, width: u16) -> Range {
        Range {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            signed_low: self.signed_low.max(other.signed_low),
            signed_high: self.signed_high.min(other.signed_high),
        }
        .agree(width)
    }

    /// What is in one of them, and perhaps more.
    pub fn join(&self, other: &Range) -> Range {
        Range {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            signed_low: self.signed_low.min(other.signed_low),
            signed_high: self.signed_high.max(other.signed_high),
        }
    }

    /// Each of the intervals within the other, where the other does not cross the place where
    /// the two orders break.
    fn agree(mut self, width: u16) -> Range {
        // Narrowing one may move the other off the break.
        for _ in 0..2 {
            if self.is_empty() {
                return self;
            }
            let half = signed_ends(width).1 as u128;
            if self.signed_low >= 0 || self.signed_high < 0 {
                self.low = self.low.max(mask(self.signed_low as u128, width));
                self.high = self.high.min(mask(self.signed_high as u128, width));
            }
            if self.is_empty() {
                return self;
            }
            if self.high <= half || self.low > half {
                self.signed_low = self.signed_low.max(signed(self.low, width));
                self.signed_high = self.signed_high.min(signed(self.high, width));
            }
        }
        self
    }
}
