//! Truth values: connectives, and choices. Negation goes inwards as far as it costs nothing.

use crate::term::{Node, Order, Pool, Sort, TermId};

impl Pool {
    pub fn truth(&mut self, value: bool) -> TermId {
        self.intern(Node::Bool(value), Sort::Bool)
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

    /// A truth value as a word: 1 or 0.
    pub fn from_truth(&mut self, a: TermId, width: u16) -> TermId {
        let (one, zero) = (self.bits(width, 1), self.bits(width, 0));
        self.choose(a, one, zero)
    }
}
