//! Comparisons, in the narrowest width in which they say the same: most words of C programs are
//! extended from narrower ones before they are compared.

use crate::evaluate;
use crate::term::{BinaryOp, Node, Order, Pool, Sort, TermId, mask, signed};

impl Pool {
    pub fn equal(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b {
            return self.truth(true);
        }
        if self.sort(a) == Sort::Bool {
            return match (self.as_bool(a), self.as_bool(b)) {
                (Some(true), _) => b,
                (_, Some(true)) => a,
                (Some(false), _) => self.not(b),
                (_, Some(false)) => self.not(a),
                _ if self.not(a) == b => self.truth(false),
                _ => self.intern(Node::Equal(a.min(b), a.max(b)), Sort::Bool),
            };
        }
        // The constant to the right.
        let (a, b) = if self.as_bits(a).is_some() {
            (b, a)
        } else {
            (a, b)
        };
        if let Some(value) = self.as_bits(b) {
            return self.equal_constant(a, b, value);
        }
        // x + c = x + d, x + c = x.
        if let (Some((x, c)), Some((y, d))) = (self.as_sum(a), self.as_sum(b))
            && x == y
        {
            return self.truth(c == d);
        }
        self.intern(Node::Equal(a.min(b), a.max(b)), Sort::Bool)
    }

    /// A word as another plus a constant.
    fn as_sum(&self, a: TermId) -> Option<(TermId, u128)> {
        match self.node(a) {
            Node::Binary(BinaryOp::Add, x, c) => match self.as_bits(c) {
                Some(c) => Some((x, c)),
                None => Some((a, 0)),
            },
            _ => Some((a, 0)),
        }
    }

    fn equal_constant(&mut self, a: TermId, b: TermId, value: u128) -> TermId {
        let width = self.width(a);
        match self.node(a) {
            Node::Bits { value: other, .. } => self.truth(other == value),
            Node::Binary(BinaryOp::Add, x, c) if self.as_bits(c).is_some() => {
                let c = self.as_bits(c).unwrap_or(0);
                let rest = self.bits(width, value.wrapping_sub(c));
                self.equal(x, rest)
            }
            Node::Binary(BinaryOp::Sub, x, y) if value == 0 => self.equal(x, y),
            Node::Binary(BinaryOp::Sub, c, y) if self.as_bits(c).is_some() => {
                let c = self.as_bits(c).unwrap_or(0);
                let rest = self.bits(width, c.wrapping_sub(value));
                self.equal(y, rest)
            }
            Node::Binary(BinaryOp::Xor, x, c) if self.as_bits(c).is_some() => {
                let c = self.as_bits(c).unwrap_or(0);
                let rest = self.bits(width, value ^ c);
                self.equal(x, rest)
            }
            Node::Complement(x) => {
                let rest = self.bits(width, !value);
                self.equal(x, rest)
            }
            Node::Choose(c, x, y) if self.as_bits(x).is_some() || self.as_bits(y).is_some() => {
                let (x, y) = (self.equal(x, b), self.equal(y, b));
                self.choose(c, x, y)
            }
            Node::ZeroExtend { from, .. } => {
                let narrow = self.width(from);
                if mask(value, narrow) != value {
                    return self.truth(false);
                }
                let rest = self.bits(narrow, value);
                self.equal(from, rest)
            }
            Node::SignExtend { from, .. } => {
                let narrow = self.width(from);
                if mask(signed(mask(value, narrow), narrow) as u128, width) != value {
                    return self.truth(false);
                }
                let rest = self.bits(narrow, value);
                self.equal(from, rest)
            }
            Node::Concat(high, low) => {
                let low_width = self.width(low);
                let high_width = self.width(high);
                let high_bits = self.bits(high_width, value >> low_width);
                let low_bits = self.bits(low_width, value);
                let (x, y) = (self.equal(high, high_bits), self.equal(low, low_bits));
                self.and(x, y)
            }
            _ => self.intern(Node::Equal(a, b), Sort::Bool),
        }
    }

    pub fn differ(&mut self, a: TermId, b: TermId) -> TermId {
        let same = self.equal(a, b);
        self.not(same)
    }

    pub fn compare(&mut self, order: Order, a: TermId, b: TermId) -> TermId {
        let strict = matches!(order, Order::Ult | Order::Slt);
        if a == b {
            return self.truth(!strict);
        }
        let width = self.width(a);
        let (ca, cb) = (self.as_bits(a), self.as_bits(b));
        if let (Some(x), Some(y)) = (ca, cb) {
            return self.truth(evaluate::compare(order, x, y, width));
        }
        let all = mask(u128::MAX, width);
        let least = 1u128 << (width - 1);
        match (order, ca, cb) {
            (Order::Ult, _, Some(0)) => return self.truth(false),
            (Order::Ule, Some(0), _) => return self.truth(true),
            (Order::Ule, _, Some(v)) if v == all => return self.truth(true),
            (Order::Ult, Some(v), _) if v == all => return self.truth(false),
            (Order::Slt, _, Some(v)) if v == least => return self.truth(false),
            (Order::Sle, Some(v), _) if v == least => return self.truth(true),
            (Order::Sle, _, Some(v)) if v == least - 1 => return self.truth(true),
            (Order::Slt, Some(v), _) if v == least - 1 => return self.truth(false),
            (Order::Ult, _, Some(1)) => {
                let zero = self.bits(width, 0);
                return self.equal(a, zero);
            }
            (Order::Ule, _, Some(0)) => return self.equal(a, b),
            (Order::Ult, Some(0), _) => return self.differ(b, a),
            (Order::Ule, Some(1), _) => {
                let zero = self.bits(width, 0);
                return self.differ(b, zero);
            }
            _ => {}
        }
        if let Some(t) = self.compare_extended(order, a, b) {
            return t;
        }
        self.intern(Node::Compare(order, a, b), Sort::Bool)
    }

    /// Comparisons of extended words, in the narrow width.
    fn compare_extended(&mut self, order: Order, a: TermId, b: TermId) -> Option<TermId> {
        let signed_order = matches!(order, Order::Slt | Order::Sle);
        let unsigned = match order {
            Order::Slt | Order::Ult => Order::Ult,
            Order::Sle | Order::Ule => Order::Ule,
        };
        let width = self.width(a);
        match (self.node(a), self.node(b)) {
            // Zero-extended words are not negative.
            (Node::ZeroExtend { from: x, .. }, Node::ZeroExtend { from: y, .. })
                if self.width(x) == self.width(y) =>
            {
                Some(self.compare(unsigned, x, y))
            }
            (Node::SignExtend { from: x, .. }, Node::SignExtend { from: y, .. })
                if self.width(x) == self.width(y) =>
            {
                Some(self.compare(order, x, y))
            }
            (Node::ZeroExtend { from: x, .. }, Node::Bits { value, .. }) => {
                let narrow = self.width(x);
                let value_signed = signed(value, width);
                if signed_order && value_signed < 0 {
                    return Some(self.truth(false));
                }
                if mask(value, narrow) != value {
                    return Some(self.truth(true));
                }
                let c = self.bits(narrow, value);
                Some(self.compare(unsigned, x, c))
            }
            (Node::Bits { value, .. }, Node::ZeroExtend { from: y, .. }) => {
                let narrow = self.width(y);
                if signed_order && signed(value, width) < 0 {
                    return Some(self.truth(true));
                }
                if mask(value, narrow) != value {
                    return Some(self.truth(false));
                }
                let c = self.bits(narrow, value);
                Some(self.compare(unsigned, c, y))
            }
            (Node::SignExtend { from: x, .. }, Node::Bits { value, .. }) if signed_order => {
                let narrow = self.width(x);
                let v = signed(value, width);
                let half = 1i128 << (narrow - 1);
                if v >= half {
                    return Some(self.truth(true));
                }
                if v < -half {
                    return Some(self.truth(false));
                }
                let c = self.bits(narrow, value);
                Some(self.compare(order, x, c))
            }
            (Node::Bits { value, .. }, Node::SignExtend { from: y, .. }) if signed_order => {
                let narrow = self.width(y);
                let v = signed(value, width);
                let half = 1i128 << (narrow - 1);
                if v >= half {
                    return Some(self.truth(false));
                }
                if v < -half {
                    return Some(self.truth(true));
                }
                let c = self.bits(narrow, value);
                Some(self.compare(order, c, y))
            }
            // A choice of constants.
            (Node::Choose(c, x, y), Node::Bits { .. })
                if self.as_bits(x).is_some() && self.as_bits(y).is_some() =>
            {
                let (x, y) = (self.compare(order, x, b), self.compare(order, y, b));
                Some(self.choose(c, x, y))
            }
            (Node::Bits { .. }, Node::Choose(c, x, y))
                if self.as_bits(x).is_some() && self.as_bits(y).is_some() =>
            {
                let (x, y) = (self.compare(order, a, x), self.compare(order, a, y));
                Some(self.choose(c, x, y))
            }
            _ => None,
        }
    }

    /// Is the word not 0?
    pub fn is_nonzero(&mut self, a: TermId) -> TermId {
        let zero = self.bits(self.width(a), 0);
        self.differ(a, zero)
    }
}
