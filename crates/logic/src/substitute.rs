//! Replacing symbols by terms.

use crate::term::{Node, Pool, SymbolId, TermId};
use rustc_hash::FxHashMap;

/// Terms for symbols, with the results so far: replacing in many terms that share subterms costs
/// what replacing in one costs. A replacement is not looked into again.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    map: FxHashMap<SymbolId, TermId>,
    done: FxHashMap<TermId, TermId>,
}

impl Substitution {
    pub fn new() -> Substitution {
        Substitution::default()
    }

    /// From now on the symbol is replaced by the term, of the same sort. The symbol must not have
    /// occurred in anything that was replaced in before.
    pub fn define(&mut self, symbol: SymbolId, term: TermId) {
        self.map.insert(symbol, term);
    }

    pub fn get(&self, symbol: SymbolId) -> Option<TermId> {
        self.map.get(&symbol).copied()
    }

    /// The term with all symbols replaced, simplified anew.
    pub fn apply(&mut self, pool: &mut Pool, term: TermId) -> TermId {
        if let Some(&known) = self.done.get(&term) {
            return known;
        }
        // Without recursion: paths are long, and so are the terms of loops.
        let mut stack = vec![term];
        while let Some(&t) = stack.last() {
            if self.done.contains_key(&t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            for operand in pool.operands(t) {
                if !self.done.contains_key(&operand) {
                    stack.push(operand);
                }
            }
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let replaced = match pool.node(t) {
                Node::Symbol(s) => self.map.get(&s).copied().unwrap_or(t),
                _ => {
                    let done = &self.done;
                    rebuild(pool, t, |operand| done[&operand])
                }
            };
            self.done.insert(t, replaced);
        }
        self.done[&term]
    }
}

/// The same operator on other operands.
pub fn rebuild(pool: &mut Pool, term: TermId, new: impl Fn(TermId) -> TermId) -> TermId {
    match pool.node(term) {
        Node::Bool(_) | Node::Bits { .. } | Node::Symbol(_) => term,
        Node::Not(a) => pool.not(new(a)),
        Node::And(a, b) => pool.and(new(a), new(b)),
        Node::Or(a, b) => pool.or(new(a), new(b)),
        Node::Equal(a, b) => pool.equal(new(a), new(b)),
        Node::Compare(order, a, b) => pool.compare(order, new(a), new(b)),
        Node::Choose(c, a, b) => pool.choose(new(c), new(a), new(b)),
        Node::Complement(a) => pool.complement(new(a)),
        Node::Binary(op, a, b) => pool.binary(op, new(a), new(b)),
        Node::Extract { from, low, width } => pool.extract(new(from), low, width),
        Node::Concat(a, b) => pool.concat(new(a), new(b)),
        Node::ZeroExtend { from, width } => pool.zero_extend(new(from), width),
        Node::SignExtend { from, width } => pool.sign_extend(new(from), width),
        Node::Select { array, index } => pool.select(new(array), new(index)),
    }
}
