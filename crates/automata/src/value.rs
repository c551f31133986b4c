//! The value of an expression in a state.

use crate::frame::Shape;
use domain::{Number, Pointer};

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Number(Number),
    Pointer(Pointer),
    /// A float, a struct, or nothing known.
    Unknown,
}

impl Value {
    /// Any value of a kind.
    pub fn unknown(shape: Shape) -> Value {
        match shape {
            Shape::Int(ty) => Value::Number(ty.any()),
            Shape::Pointer => Value::Pointer(Pointer::any()),
            _ => Value::Unknown,
        }
    }

    pub fn join(&self, other: &Value) -> Value {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => Value::Number(a.join(b)),
            (Value::Pointer(a), Value::Pointer(b)) => Value::Pointer(a.join(b)),
            _ => Value::Unknown,
        }
    }
}

/// Which truth values a condition can have, and which of them the code acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truth {
    pub may_be_true: bool,
    pub may_be_false: bool,
    pub true_seen: bool,
    pub false_seen: bool,
}

impl Truth {
    pub const UNKNOWN: Truth = Truth {
        may_be_true: true,
        may_be_false: true,
        true_seen: false,
        false_seen: false,
    };

    /// What is certain is evidence enough.
    pub fn new(may_be_true: bool, may_be_false: bool, true_seen: bool, false_seen: bool) -> Truth {
        Truth {
            may_be_true,
            may_be_false,
            true_seen: may_be_true && (true_seen || !may_be_false),
            false_seen: may_be_false && (false_seen || !may_be_true),
        }
    }

    pub fn certain(value: bool) -> Truth {
        Truth::new(value, !value, value, !value)
    }

    pub fn negated(self) -> Truth {
        Truth {
            may_be_true: self.may_be_false,
            may_be_false: self.may_be_true,
            true_seen: self.false_seen,
            false_seen: self.true_seen,
        }
    }

    pub fn and(self, other: Truth) -> Truth {
        Truth::new(
            self.may_be_true && other.may_be_true,
            self.may_be_false || other.may_be_false,
            self.true_seen && other.true_seen,
            self.false_seen || other.false_seen,
        )
    }

    pub fn or(self, other: Truth) -> Truth {
        self.negated().and(other.negated()).negated()
    }

    /// `self ? a : b`: each side counts as far as it is chosen. (As a disjunction of conjunctions it
    /// would be seen to fail whenever the choice is seen to be open.)
    pub fn choose(self, a: Truth, b: Truth) -> Truth {
        let either = |chosen: bool, x: bool, other: bool, y: bool| chosen && x || other && y;
        let (yes, no) = (self.may_be_true, self.may_be_false);
        let (yes_seen, no_seen) = (self.true_seen, self.false_seen);
        Truth::new(
            either(yes, a.may_be_true, no, b.may_be_true),
            either(yes, a.may_be_false, no, b.may_be_false),
            either(yes_seen, a.true_seen, no_seen, b.true_seen),
            either(yes_seen, a.false_seen, no_seen, b.false_seen),
        )
    }

    /// A bool's number.
    pub fn number(self) -> Number {
        let low = i64::from(!self.may_be_false);
        let high = i64::from(self.may_be_true);
        match (self.false_seen, self.true_seen) {
            (true, true) => Number::new(low, high, 0, 1, true),
            (true, false) => Number::new(low, high, 0, 0, true),
            (false, true) => Number::new(low, high, 1, 1, true),
            (false, false) => Number::range(low.min(high), high.max(low)),
        }
    }

    /// The truth of `number != 0`.
    pub fn of(n: &Number) -> Truth {
        let nonzero_seen = n
            .acknowledged()
            .is_some_and(|(least, greatest)| least != 0 || greatest != 0);
        Truth::new(
            !(n.low == 0 && n.high == 0),
            n.contains(0),
            nonzero_seen,
            n.contains(0) && n.acknowledges(0),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_fails_where_its_side_does() {
        let open = Truth::new(true, true, true, true);
        let holds = Truth::certain(true);
        // Nobody has seen the chosen side fail.
        let guess = open.choose(Truth::UNKNOWN, holds);
        assert!(guess.may_be_false && !guess.false_seen);
        assert!(open.choose(Truth::certain(false), holds).false_seen);
        assert_eq!(holds.choose(Truth::UNKNOWN, holds), Truth::UNKNOWN);
        assert_eq!(Truth::certain(false).choose(Truth::UNKNOWN, holds), holds);
        // Nor does a side count that nobody has seen chosen.
        let latent = Truth::UNKNOWN.choose(Truth::certain(false), holds);
        assert!(latent.may_be_false && !latent.false_seen);
    }
}
