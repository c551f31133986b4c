//! What terms are worth under given values: the meaning of every operator, once.
//! Constructors fold constants with it, and it is the oracle that provers are tested against.

use crate::term::{BinaryOp, Node, Order, Pool, Sort, SymbolId, TermId, mask, signed};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Values of symbols and of elements of arrays. Words are below 2^width; truth values 0 or 1.
/// Everything that is not there is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Assignment {
    pub symbols: BTreeMap<SymbolId, u128>,
    /// (array, index) → element.
    pub elements: BTreeMap<(SymbolId, u128), u128>,
}

/// The value of a term.
pub fn evaluate(pool: &Pool, term: TermId, assignment: &Assignment) -> u128 {
    evaluate_all(pool, &[term], assignment)[0]
}

/// The values of terms, in their order. What they share is evaluated once.
pub fn evaluate_all(pool: &Pool, terms: &[TermId], assignment: &Assignment) -> Vec<u128> {
    let mut values: FxHashMap<TermId, u128> = FxHashMap::default();
    for t in pool.closure(terms) {
        let value = one(pool, t, assignment, |operand| values[&operand]);
        values.insert(t, value);
    }
    terms.iter().map(|t| values[t]).collect()
}

/// The value of a term whose operands have been evaluated.
fn one(pool: &Pool, term: TermId, assignment: &Assignment, value: impl Fn(TermId) -> u128) -> u128 {
    match pool.node(term) {
        Node::Bool(b) => u128::from(b),
        Node::Bits { value, .. } => value,
        Node::Symbol(s) => match pool.symbol_sort(s) {
            Sort::Array { .. } => 0,
            _ => assignment.symbols.get(&s).copied().unwrap_or(0),
        },
        Node::Not(a) => 1 - value(a),
        Node::And(a, b) => value(a) & value(b),
        Node::Or(a, b) => value(a) | value(b),
        Node::Equal(a, b) => u128::from(value(a) == value(b)),
        Node::Compare(order, a, b) => u128::from(compare(order, value(a), value(b), pool.width(a))),
        Node::Choose(c, a, b) => {
            if value(c) == 1 {
                value(a)
            } else {
                value(b)
            }
        }
        Node::Complement(a) => mask(!value(a), pool.width(a)),
        Node::Binary(op, a, b) => binary(op, value(a), value(b), pool.width(a)),
        Node::Extract { from, low, width } => mask(value(from) >> low, width),
        Node::Concat(a, b) => value(a) << pool.width(b) | value(b),
        Node::ZeroExtend { from, .. } => value(from),
        Node::SignExtend { from, width } => {
            mask(signed(value(from), pool.width(from)) as u128, width)
        }
        Node::Select { array, index } => match pool.as_symbol(array) {
            Some(s) => {
                let element = assignment.elements.get(&(s, value(index)));
                element.copied().unwrap_or(0)
            }
            None => 0,
        },
    }
}

/// A comparison of two words.
pub fn compare(order: Order, a: u128, b: u128, width: u16) -> bool {
    match order {
        Order::Ult => a < b,
        Order::Ule => a <= b,
        Order::Slt => signed(a, width) < signed(b, width),
        Order::Sle => signed(a, width) <= signed(b, width),
    }
}

/// An operator on two words.
pub fn binary(op: BinaryOp, a: u128, b: u128, width: u16) -> u128 {
    let (sa, sb) = (signed(a, width), signed(b, width));
    let result = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        BinaryOp::URem => a.checked_rem(b).unwrap_or(a),
        BinaryOp::SDiv if b == 0 => {
            if sa < 0 {
                1
            } else {
                u128::MAX
            }
        }
        BinaryOp::SDiv => sa.wrapping_div(sb) as u128,
        BinaryOp::SRem if b == 0 => a,
        BinaryOp::SRem => sa.wrapping_rem(sb) as u128,
        BinaryOp::Shl if b >= u128::from(width) => 0,
        BinaryOp::Shl => a << b,
        BinaryOp::LShr if b >= u128::from(width) => 0,
        BinaryOp::LShr => a >> b,
        BinaryOp::AShr => (sa >> b.min(u128::from(width.min(128) - 1))) as u128,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    };
    mask(result, width)
}
