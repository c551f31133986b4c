//! Constructors of terms. Each gives a term of the same value, simplified by rules that look at
//! most two operators deep, so that making a term costs the same however large its operands are.
//!
//! What constants decide is decided here; what is written in two ways is written in one: constants
//! stand to the right, `x - 3` is `x + (-3)`, negation is pushed into comparisons. On real paths
//! most facts become `true` or `false` by this alone.

use crate::evaluate;
use crate::term::{BinaryOp, Node, Order, Pool, Sort, TermId, mask, signed};

impl Pool {
    pub fn truth(&mut self, value: bool) -> TermId {
        self.intern(Node::Bool(value), Sort::Bool)
    }

    /// A constant word; what does not fit the width is cut off.
    pub fn bits(&mut self, width: u16, value: u128) -> TermId {
        let value = mask(value, width);
        self.intern(Node::Bits { width, value }, Sort::Bits(width))
    }

    pub fn not(&mut self, a: TermId) -> TermId {
        match self.node(a) {
            Node::Bool(b) => self.truth(!b),
            Node::Not(inner) => inner,
            // Orders are total, so that the complement is the swapped one.
            Node::Compare(Order::Ult, x, y) => self.compare(Order::Ule, y, x),
            Node::Compare(Order::Ule, x, y) => self.compare(Order::Ult, y, x),
            Node::Compare(Order::Slt, x, y) => self.compare(Order::Sle, y, x),
            Node::Compare(Order::Sle, x, y) => self.compare(Order::Slt, y, x),
            _ => self.intern(Node::Not(a), Sort::Bool),
        }
    }

    pub fn and(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(true), _) => return b,
            (_, Some(true)) => return a,
            (Some(false), _) => return a,
            (_, Some(false)) => return b,
            _ => {}
        }
        if a == b {
            return a;
        }
        if self.not(a) == b {
            return self.truth(false);
        }
        let (a, b) = (a.min(b), a.max(b));
        self.intern(Node::And(a, b), Sort::Bool)
    }

    pub fn or(&mut self, a: TermId, b: TermId) -> TermId {
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(false), _) => return b,
            (_, Some(false)) => return a,
            (Some(true), _) => return a,
            (_, Some(true)) => return b,
            _ => {}
        }
        if a == b {
            return a;
        }
        if self.not(a) == b {
            return self.truth(true);
        }
        let (a, b) = (a.min(b), a.max(b));
        self.intern(Node::Or(a, b), Sort::Bool)
    }

    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not = self.not(a);
        self.or(not, b)
    }

    pub fn all(&mut self, facts: impl IntoIterator<Item = TermId>) -> TermId {
        let start = self.truth(true);
        facts.into_iter().fold(start, |all, f| self.and(all, f))
    }

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

    pub fn choose(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        if a == b {
            return a;
        }
        if let Some(c) = self.as_bool(c) {
            return if c { a } else { b };
        }
        let sort = self.sort(a);
        if let Node::Not(inner) = self.node(c) {
            return self.choose(inner, b, a);
        }
        if sort == Sort::Bool {
            match (self.as_bool(a), self.as_bool(b)) {
                (Some(true), Some(false)) => return c,
                (Some(false), Some(true)) => return self.not(c),
                (Some(true), _) => return self.or(c, b),
                (Some(false), _) => {
                    let not = self.not(c);
                    return self.and(not, b);
                }
                (_, Some(false)) => return self.and(c, a),
                (_, Some(true)) => return self.implies(c, a),
                _ => {}
            }
        }
        self.intern(Node::Choose(c, a, b), sort)
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

    pub fn extract(&mut self, from: TermId, low: u16, width: u16) -> TermId {
        let whole = self.width(from);
        if low == 0 && width == whole {
            return from;
        }
        match self.node(from) {
            Node::Bits { value, .. } => return self.bits(width, value >> low),
            Node::Extract {
                from: inner,
                low: base,
                ..
            } => return self.extract(inner, base + low, width),
            Node::Concat(high, rest) => {
                let split = self.width(rest);
                if low >= split {
                    return self.extract(high, low - split, width);
                }
                if low + width <= split {
                    return self.extract(rest, low, width);
                }
            }
            Node::ZeroExtend { from: inner, .. } => {
                let narrow = self.width(inner);
                if low >= narrow {
                    return self.bits(width, 0);
                }
                if low + width <= narrow {
                    return self.extract(inner, low, width);
                }
                if low == 0 {
                    return self.zero_extend(inner, width);
                }
            }
            Node::SignExtend { from: inner, .. } => {
                let narrow = self.width(inner);
                if low + width <= narrow {
                    return self.extract(inner, low, width);
                }
                if low == 0 {
                    return self.sign_extend(inner, width);
                }
            }
            Node::Choose(c, x, y) if self.as_bits(x).is_some() || self.as_bits(y).is_some() => {
                let (x, y) = (self.extract(x, low, width), self.extract(y, low, width));
                return self.choose(c, x, y);
            }
            // The low bits of sums and of bitwise operators depend on low bits only.
            Node::Binary(op, x, y)
                if low == 0 && matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)
                    || low == 0
                        && matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)
                        && (self.is_extended(x, width) || self.is_extended(y, width)) =>
            {
                let (x, y) = (self.extract(x, 0, width), self.extract(y, 0, width));
                return self.binary(op, x, y);
            }
            _ => {}
        }
        self.intern(Node::Extract { from, low, width }, Sort::Bits(width))
    }

    /// Extended from at most this width: cutting it costs nothing.
    fn is_extended(&self, a: TermId, width: u16) -> bool {
        match self.node(a) {
            Node::ZeroExtend { from, .. } | Node::SignExtend { from, .. } => {
                self.width(from) <= width
            }
            _ => false,
        }
    }

    pub fn concat(&mut self, high: TermId, low: TermId) -> TermId {
        let (hw, lw) = (self.width(high), self.width(low));
        match (self.node(high), self.node(low)) {
            (Node::Bits { value: h, .. }, Node::Bits { value: l, .. }) => {
                return self.bits(hw + lw, h << lw | l);
            }
            (Node::Bits { value: 0, .. }, _) => return self.zero_extend(low, hw + lw),
            // Neighbouring parts of one word.
            (
                Node::Extract {
                    from: x, low: at, ..
                },
                Node::Extract {
                    from: y, low: base, ..
                },
            ) if x == y && at == base + lw => return self.extract(x, base, hw + lw),
            (
                Node::Extract {
                    from: x, low: at, ..
                },
                _,
            ) if x == low && at == lw => {
                return self.extract(x, 0, hw + lw);
            }
            _ => {}
        }
        self.intern(Node::Concat(high, low), Sort::Bits(hw + lw))
    }

    pub fn zero_extend(&mut self, from: TermId, width: u16) -> TermId {
        if self.width(from) == width {
            return from;
        }
        match self.node(from) {
            Node::Bits { value, .. } => return self.bits(width, value),
            Node::ZeroExtend { from: inner, .. } => return self.zero_extend(inner, width),
            Node::Choose(c, x, y) if self.as_bits(x).is_some() && self.as_bits(y).is_some() => {
                let (x, y) = (self.zero_extend(x, width), self.zero_extend(y, width));
                return self.choose(c, x, y);
            }
            _ => {}
        }
        self.intern(Node::ZeroExtend { from, width }, Sort::Bits(width))
    }

    pub fn sign_extend(&mut self, from: TermId, width: u16) -> TermId {
        let narrow = self.width(from);
        if narrow == width {
            return from;
        }
        match self.node(from) {
            Node::Bits { value, .. } => return self.bits(width, signed(value, narrow) as u128),
            Node::SignExtend { from: inner, .. } => return self.sign_extend(inner, width),
            Node::ZeroExtend { from: inner, .. } => return self.zero_extend(inner, width),
            Node::Choose(c, x, y) if self.as_bits(x).is_some() && self.as_bits(y).is_some() => {
                let (x, y) = (self.sign_extend(x, width), self.sign_extend(y, width));
                return self.choose(c, x, y);
            }
            _ => {}
        }
        self.intern(Node::SignExtend { from, width }, Sort::Bits(width))
    }

    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        let width = self.width(array);
        self.intern(Node::Select { array, index }, Sort::Bits(width))
    }

    /// A truth value as a word: 1 or 0.
    pub fn from_truth(&mut self, a: TermId, width: u16) -> TermId {
        let (one, zero) = (self.bits(width, 1), self.bits(width, 0));
        self.choose(a, one, zero)
    }

    /// Is the word not 0?
    pub fn is_nonzero(&mut self, a: TermId) -> TermId {
        let zero = self.bits(self.width(a), 0);
        self.differ(a, zero)
    }
}
