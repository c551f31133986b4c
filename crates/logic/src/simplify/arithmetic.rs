//! Operators on words. Sums keep their constant outside, where it meets the next one.

use crate::evaluate;
use crate::term::{BinaryOp, Node, Pool, Sort, TermId, mask};

impl Pool {
    /// A constant word; what does not fit the width is cut off.
    pub fn bits(&mut self, width: u16, value: u128) -> TermId {
        let value = mask(value, width);
        self.intern(Node::Bits { width, value }, Sort::Bits(width))
    }

    pub fn complement(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        match self.node(a) {
            Node::Bits { value, .. } => self.bits(width, !value),
            Node::Complement(inner) => inner,
            _ => self.intern(Node::Complement(a), Sort::Bits(width)),
        }
    }

    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Add, a, b)
    }

    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        self.binary(BinaryOp::Sub, a, b)
    }

    pub fn binary(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        use BinaryOp as O;
        let width = self.width(a);
        let (ca, cb) = (self.as_bits(a), self.as_bits(b));
        if let (Some(x), Some(y)) = (ca, cb) {
            return self.bits(width, evaluate::binary(op, x, y, width));
        }
        let commutes = matches!(op, O::Add | O::Mul | O::And | O::Or | O::Xor);
        if commutes && (ca.is_some() || cb.is_none() && b < a) {
            return self.binary_ordered(op, b, a);
        }
        self.binary_ordered(op, a, b)
    }

    /// At most one operand is constant; for commuting operators, the second.
    fn binary_ordered(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        use BinaryOp as O;
        let width = self.width(a);
        let all = mask(u128::MAX, width);
        match (op, self.as_bits(b)) {
            (O::Add | O::Sub | O::Or | O::Xor | O::Shl | O::LShr | O::AShr, Some(0)) => return a,
            (O::Mul | O::UDiv | O::SDiv, Some(1)) => return a,
            (O::And, Some(v)) if v == all => return a,
            (O::Mul | O::And, Some(0)) => return b,
            (O::Or, Some(v)) if v == all => return b,
            (O::Xor, Some(v)) if v == all => return self.complement(a),
            (O::URem, Some(1)) => return self.bits(width, 0),
            (O::Sub, Some(v)) => {
                let negated = self.bits(width, v.wrapping_neg());
                return self.binary(O::Add, a, negated);
            }
            (O::Mul, Some(v)) if v.is_power_of_two() => {
                let by = self.bits(width, u128::from(v.trailing_zeros()));
                return self.binary(O::Shl, a, by);
            }
            (O::Shl | O::LShr, Some(v)) if v >= u128::from(width) => return self.bits(width, 0),
            (O::UDiv, Some(v)) if v.is_power_of_two() => {
                let by = self.bits(width, u128::from(v.trailing_zeros()));
                return self.binary(O::LShr, a, by);
            }
            (O::URem, Some(v)) if v.is_power_of_two() => {
                let low = self.bits(width, v - 1);
                return self.binary(O::And, a, low);
            }
            _ => {}
        }
        if a == b {
            match op {
                O::Sub | O::Xor => return self.bits(width, 0),
                O::And | O::Or => return a,
                _ => {}
            }
        }
        match (op, self.node(a), self.node(b)) {
            (O::Add, Node::Binary(O::Add, x, c), Node::Bits { value, .. }) => {
                if let Some(c) = self.as_bits(c) {
                    let sum = self.bits(width, c.wrapping_add(value));
                    return self.binary(O::Add, x, sum);
                }
            }
            // (x + c) + y = (x + y) + c, so that constants meet.
            (O::Add, Node::Binary(O::Add, x, c), _) if self.as_bits(c).is_some() => {
                let sum = self.binary(O::Add, x, b);
                return self.binary(O::Add, sum, c);
            }
            (O::Add, _, Node::Binary(O::Add, y, c)) if self.as_bits(c).is_some() => {
                let sum = self.binary(O::Add, a, y);
                return self.binary(O::Add, sum, c);
            }
            // (x + y) - x, and with constants.
            (O::Sub, Node::Binary(O::Add, x, y), _) if x == b => return y,
            (O::Sub, Node::Binary(O::Add, x, y), _) if y == b => return x,
            (O::Sub, Node::Binary(O::Add, x, c), _) if self.as_bits(c).is_some() => {
                let difference = self.binary(O::Sub, x, b);
                return self.binary(O::Add, difference, c);
            }
            (O::Sub, _, Node::Binary(O::Add, y, c)) if self.as_bits(c).is_some() => {
                let difference = self.binary(O::Sub, a, y);
                return self.binary(O::Sub, difference, c);
            }
            (O::Add, Node::Binary(O::Sub, x, y), _) if y == b => return x,
            (O::Add, _, Node::Binary(O::Sub, x, y)) if y == a => return x,
            (O::And, Node::Binary(O::And, x, c), Node::Bits { value, .. }) => {
                if let Some(c) = self.as_bits(c) {
                    let both = self.bits(width, c & value);
                    return self.binary(O::And, x, both);
                }
            }
            (O::Shl, Node::Binary(O::Shl, x, c), Node::Bits { value, .. }) => {
                if let Some(c) = self.as_bits(c)
                    && let Some(sum) = c.checked_add(value)
                {
                    let by = self.bits(width, sum.min(u128::from(width)));
                    return self.binary(O::Shl, x, by);
                }
            }
            // An operator on a choice of constants, and a constant.
            (_, Node::Choose(c, x, y), Node::Bits { .. })
                if self.as_bits(x).is_some() && self.as_bits(y).is_some() =>
            {
                let (x, y) = (self.binary(op, x, b), self.binary(op, y, b));
                return self.choose(c, x, y);
            }
            _ => {}
        }
        self.intern(Node::Binary(op, a, b), Sort::Bits(width))
    }
}
