//! Parts of words, words of parts, and elements of arrays: what memory is made of. A part that was put
//! together is taken apart again without a trace.

use crate::term::{BinaryOp, Node, Pool, Sort, TermId, signed};

impl Pool {
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
}
