//! Terms: bit vectors, truth values, and arrays of the former, hash-consed in a [`Pool`].
//!
//! Operators mean what SMT-LIB's theory of fixed-size bit vectors says; dividing by zero included
//! (`x udiv 0` is all ones), so that every term has a value and every prover gives the same one.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A term of a [`Pool`]. Equal terms of one pool have equal ids, and operands have smaller ids
/// than what is made of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TermId(pub u32);

/// An unknown of a [`Pool`].
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct SymbolId(pub u32);

/// What a term stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    Bool,
    /// A word of 1 to 128 bits.
    Bits(u16),
    /// Words of `element` bits, indexed by words of `index` bits. Only symbols are arrays.
    Array {
        index: u16,
        element: u16,
    },
}

/// Operators on two words of the same width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    /// Logical and arithmetic shift to the right.
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

/// Comparisons of two words of the same width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Order {
    /// Unsigned `<`, `<=`; signed `<`, `<=`.
    Ult,
    Ule,
    Slt,
    Sle,
}

/// How a term is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    Bool(bool),
    /// The value is below 2^width.
    Bits {
        width: u16,
        value: u128,
    },
    Symbol(SymbolId),
    Not(TermId),
    And(TermId, TermId),
    Or(TermId, TermId),
    /// Of two truth values or two words.
    Equal(TermId, TermId),
    Compare(Order, TermId, TermId),
    /// A choice between two truth values or two words.
    Choose(TermId, TermId, TermId),
    Complement(TermId),
    Binary(BinaryOp, TermId, TermId),
    /// `width` bits from bit `low` on.
    Extract {
        from: TermId,
        low: u16,
        width: u16,
    },
    /// The first operand is the high part.
    Concat(TermId, TermId),
    ZeroExtend {
        from: TermId,
        width: u16,
    },
    SignExtend {
        from: TermId,
        width: u16,
    },
    /// An element of an array (a symbol).
    Select {
        array: TermId,
        index: TermId,
    },
}

/// All terms of one line of questions, each once.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    nodes: IndexSet<Node, FxBuildHasher>,
    sorts: Vec<Sort>,
    symbols: Vec<Sort>,
}

impl Pool {
    pub fn new() -> Pool {
        Pool::default()
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn node(&self, term: TermId) -> Node {
        self.nodes[term.0 as usize]
    }

    pub fn sort(&self, term: TermId) -> Sort {
        self.sorts[term.0 as usize]
    }

    pub fn symbol_sort(&self, symbol: SymbolId) -> Sort {
        self.symbols[symbol.0 as usize]
    }

    pub fn symbol_count(&self) -> usize {
        self.symbols.len()
    }

    /// The width of a word; 1 for a truth value, the element's for an array.
    pub fn width(&self, term: TermId) -> u16 {
        match self.sort(term) {
            Sort::Bool => 1,
            Sort::Bits(width) => width,
            Sort::Array { element, .. } => element,
        }
    }

    /// A new unknown.
    pub fn fresh(&mut self, sort: Sort) -> TermId {
        let symbol = SymbolId(self.symbols.len() as u32);
        self.symbols.push(sort);
        self.intern(Node::Symbol(symbol), sort)
    }

    /// The value of a constant word.
    pub fn as_bits(&self, term: TermId) -> Option<u128> {
        match self.node(term) {
            Node::Bits { value, .. } => Some(value),
            _ => None,
        }
    }

    pub fn as_bool(&self, term: TermId) -> Option<bool> {
        match self.node(term) {
            Node::Bool(b) => Some(b),
            _ => None,
        }
    }

    pub fn as_symbol(&self, term: TermId) -> Option<SymbolId> {
        match self.node(term) {
            Node::Symbol(s) => Some(s),
            _ => None,
        }
    }

    /// The node as it is, without simplification: what the constructors of `simplify` end with.
    pub(crate) fn intern(&mut self, node: Node, sort: Sort) -> TermId {
        let (index, new) = self.nodes.insert_full(node);
        if new {
            self.sorts.push(sort);
        }
        TermId(index as u32)
    }

    /// The terms that a term is made of, in order.
    pub fn operands(&self, term: TermId) -> Operands {
        let (all, len) = match self.node(term) {
            Node::Bool(_) | Node::Bits { .. } | Node::Symbol(_) => ([term; 3], 0),
            Node::Not(a)
            | Node::Complement(a)
            | Node::Extract { from: a, .. }
            | Node::ZeroExtend { from: a, .. }
            | Node::SignExtend { from: a, .. } => ([a, a, a], 1),
            Node::And(a, b)
            | Node::Or(a, b)
            | Node::Equal(a, b)
            | Node::Compare(_, a, b)
            | Node::Binary(_, a, b)
            | Node::Concat(a, b)
            | Node::Select { array: a, index: b } => ([a, b, b], 2),
            Node::Choose(a, b, c) => ([a, b, c], 3),
        };
        Operands { all, at: 0, len }
    }

    /// Every term that the given ones are made of, themselves included, operands first.
    pub fn closure(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack: Vec<TermId> = roots.to_vec();
        let mut all = Vec::new();
        while let Some(t) = stack.pop() {
            if seen.insert(t) {
                all.push(t);
                stack.extend(self.operands(t));
            }
        }
        // Operands have smaller ids.
        all.sort_unstable();
        all
    }
}

/// The operands of a term.
pub struct Operands {
    all: [TermId; 3],
    at: usize,
    len: usize,
}

impl Iterator for Operands {
    type Item = TermId;

    fn next(&mut self) -> Option<TermId> {
        let next = (self.at < self.len).then(|| self.all[self.at]);
        self.at += 1;
        next
    }
}

/// The low `width` bits.
pub fn mask(value: u128, width: u16) -> u128 {
    if width >= 128 {
        value
    } else {
        value & ((1 << width) - 1)
    }
}

/// A word read as a signed number.
pub fn signed(value: u128, width: u16) -> i128 {
    if width >= 128 {
        return value as i128;
    }
    if width > 0 && value >> (width - 1) & 1 == 1 {
        (value | !0 << width) as i128
    } else {
        value as i128
    }
}
