//! Shortest paths: `combine` is the minimum, `extend` the sum.
//!
//! Ascending chains are descending numbers, and end at 0. Sums stop short of [`MinPlus::INFINITE`], which is no path.

use crate::semiring::{Semiring, Tests};

/// `(ℕ ∪ {∞}, min, +, ∞, 0)`.
#[derive(Clone, Copy, Debug, Default)]
pub struct MinPlus;

impl MinPlus {
    /// The length of no path at all.
    pub const INFINITE: u64 = u64::MAX;
}

impl Semiring for MinPlus {
    type Weight = u64;

    fn zero(&self) -> u64 {
        Self::INFINITE
    }

    fn one(&self) -> u64 {
        0
    }

    fn combine(&self, a: &u64, b: &u64) -> u64 {
        *a.min(b)
    }

    fn extend(&self, a: &u64, b: &u64) -> u64 {
        if *a == Self::INFINITE || *b == Self::INFINITE {
            return Self::INFINITE;
        }
        a.saturating_add(*b).min(Self::INFINITE - 1)
    }
}

/// A test asks: at most so long? Nothing: never.
impl Tests for MinPlus {
    type Test = Option<u64>;

    fn any(&self) -> Option<u64> {
        Some(Self::INFINITE - 1)
    }

    fn none(&self) -> Option<u64> {
        None
    }

    fn either(&self, a: &Option<u64>, b: &Option<u64>) -> Option<u64> {
        *a.max(b)
    }

    fn around(&self, left: &u64, test: &Option<u64>, right: &u64) -> Option<u64> {
        let around = self.extend(left, right);
        match (*test)? {
            _ if around == Self::INFINITE => None,
            // Sums that would be greater are cut to this.
            most if most == Self::INFINITE - 1 => Some(most),
            most => most.checked_sub(around),
        }
    }

    fn sees(&self, test: &Option<u64>, weight: &u64) -> bool {
        test.is_some_and(|most| *weight <= most)
    }

    fn missing(&self, whole: &u64, covered: &u64) -> Option<u64> {
        (*whole < *covered).then_some(*whole)
    }
}
