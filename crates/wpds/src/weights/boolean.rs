//! The Boolean semiring: is there a path at all? With it a weighted system is an ordinary one.

use crate::semiring::{Semiring, Tests};

/// `({false, true}, ∨, ∧, false, true)`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Boolean;

impl Semiring for Boolean {
    type Weight = bool;

    fn zero(&self) -> bool {
        false
    }

    fn one(&self) -> bool {
        true
    }

    fn combine(&self, a: &bool, b: &bool) -> bool {
        *a || *b
    }

    fn extend(&self, a: &bool, b: &bool) -> bool {
        *a && *b
    }
}

impl Tests for Boolean {
    type Test = bool;

    fn any(&self) -> bool {
        true
    }

    fn none(&self) -> bool {
        false
    }

    fn either(&self, a: &bool, b: &bool) -> bool {
        *a || *b
    }

    fn around(&self, left: &bool, test: &bool, right: &bool) -> bool {
        *left && *test && *right
    }

    fn sees(&self, test: &bool, weight: &bool) -> bool {
        *test && *weight
    }

    fn missing(&self, whole: &bool, covered: &bool) -> bool {
        *whole && !*covered
    }
}
