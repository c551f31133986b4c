//! Interval expressions (§2.2): `φ ::= a | x | φ ⊔ φ | φ ⊓ φ | φ + φ | φ · φ`, and `φ : range`.
//!
//! Expressions live in an arena and each is there once, so that equality of expressions is equality
//! of ids. They are kept as they were written: observers compare them syntactically (§4.4), so
//! nothing is simplified but where the caller asks for it.
//!
//! `φ : range` is [`Interval::guarded`]: a result that stays in its machine word, or is anything.

use crate::interval::Interval;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// An expression of an [`Expressions`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExpressionId(pub(crate) u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node<V> {
    Constant(Interval),
    Variable(V),
    Join(ExpressionId, ExpressionId),
    Meet(ExpressionId, ExpressionId),
    Sum(ExpressionId, ExpressionId),
    Product(ExpressionId, ExpressionId),
    /// The value if it lies in the interval, else the interval.
    Guarded(ExpressionId, Interval),
}

impl<V> Node<V> {
    pub fn operands(&self) -> impl Iterator<Item = ExpressionId> + use<V> {
        let (a, b) = match *self {
            Node::Constant(_) | Node::Variable(_) => (None, None),
            Node::Guarded(a, _) => (Some(a), None),
            Node::Join(a, b) | Node::Meet(a, b) | Node::Sum(a, b) | Node::Product(a, b) => {
                (Some(a), Some(b))
            }
        };
        a.into_iter().chain(b)
    }
}

/// Expressions over variables `V`.
#[derive(Clone, Debug)]
pub struct Expressions<V> {
    nodes: Vec<Node<V>>,
    ids: FxHashMap<Node<V>, ExpressionId>,
}

impl<V> Default for Expressions<V> {
    fn default() -> Self {
        Expressions {
            nodes: Vec::new(),
            ids: FxHashMap::default(),
        }
    }
}

/// The same nodes at the same places.
impl<V: PartialEq> PartialEq for Expressions<V> {
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes
    }
}

impl<V: Eq> Eq for Expressions<V> {}

impl<V: Copy + Eq + Hash + Ord> Expressions<V> {
    pub fn new() -> Self {
        Expressions::default()
    }

    /// The id of this node, new or not. Its operands must be ids of this arena.
    pub fn intern(&mut self, node: Node<V>) -> ExpressionId {
        *self.ids.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            ExpressionId(self.nodes.len() as u32 - 1)
        })
    }

    pub fn constant(&mut self, value: Interval) -> ExpressionId {
        self.intern(Node::Constant(value))
    }

    pub fn variable(&mut self, variable: V) -> ExpressionId {
        self.intern(Node::Variable(variable))
    }

    pub fn join(&mut self, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        self.intern(Node::Join(a, b))
    }

    pub fn meet(&mut self, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        self.intern(Node::Meet(a, b))
    }

    pub fn sum(&mut self, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        self.intern(Node::Sum(a, b))
    }

    pub fn product(&mut self, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        self.intern(Node::Product(a, b))
    }

    pub fn guarded(&mut self, a: ExpressionId, range: Interval) -> ExpressionId {
        self.intern(Node::Guarded(a, range))
    }

    pub fn node(&self, id: ExpressionId) -> Node<V> {
        self.nodes[id.0 as usize]
    }

    /// All nodes; operands come before what is made of them.
    pub fn nodes(&self) -> &[Node<V>] {
        &self.nodes
    }

    /// The interval of an expression, given those of its variables.
    pub fn evaluate(&self, id: ExpressionId, value: &impl Fn(V) -> Interval) -> Interval {
        match self.node(id) {
            Node::Constant(a) => a,
            Node::Variable(x) => value(x),
            Node::Join(a, b) => self.evaluate(a, value).join(self.evaluate(b, value)),
            Node::Meet(a, b) => self.evaluate(a, value).meet(self.evaluate(b, value)),
            Node::Sum(a, b) => self.evaluate(a, value).sum(self.evaluate(b, value)),
            Node::Product(a, b) => self.evaluate(a, value).product(self.evaluate(b, value)),
            Node::Guarded(a, range) => self.evaluate(a, value).guarded(range),
        }
    }

    /// Calls `visit` for every occurrence of a variable, from the left.
    pub fn variables(&self, id: ExpressionId, visit: &mut impl FnMut(V)) {
        match self.node(id) {
            Node::Variable(x) => visit(x),
            node => node.operands().for_each(|a| self.variables(a, visit)),
        }
    }

    /// Copies an expression here from another arena, its variables replaced.
    pub fn substitute<W: Copy + Eq + Hash + Ord>(
        &mut self,
        from: &Expressions<W>,
        id: ExpressionId,
        replace: &mut impl FnMut(W) -> Replacement<V>,
    ) -> ExpressionId {
        let node = match from.node(id) {
            Node::Constant(a) => Node::Constant(a),
            Node::Variable(x) => match replace(x) {
                Replacement::Variable(y) => Node::Variable(y),
                Replacement::Constant(a) => Node::Constant(a),
            },
            Node::Guarded(a, range) => Node::Guarded(self.substitute(from, a, replace), range),
            Node::Join(a, b) => {
                let a = self.substitute(from, a, replace);
                Node::Join(a, self.substitute(from, b, replace))
            }
            Node::Meet(a, b) => {
                let a = self.substitute(from, a, replace);
                Node::Meet(a, self.substitute(from, b, replace))
            }
            Node::Sum(a, b) => {
                let a = self.substitute(from, a, replace);
                Node::Sum(a, self.substitute(from, b, replace))
            }
            Node::Product(a, b) => {
                let a = self.substitute(from, a, replace);
                Node::Product(a, self.substitute(from, b, replace))
            }
        };
        self.intern(node)
    }

    /// A total order of expressions by their shape, which does not depend on ids.
    pub fn compare(&self, a: ExpressionId, b: ExpressionId) -> std::cmp::Ordering {
        use std::cmp::Ordering;
        if a == b {
            return Ordering::Equal;
        }
        let (x, y) = (self.node(a), self.node(b));
        let leaves = match (x, y) {
            (Node::Constant(p), Node::Constant(q)) => p.cmp(&q),
            (Node::Variable(p), Node::Variable(q)) => p.cmp(&q),
            (Node::Guarded(_, p), Node::Guarded(_, q)) => p.cmp(&q),
            _ => rank(&x).cmp(&rank(&y)),
        };
        leaves.then_with(|| {
            x.operands()
                .zip(y.operands())
                .map(|(p, q)| self.compare(p, q))
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        })
    }

    /// The expression as text, given the names of variables.
    pub fn show(&self, id: ExpressionId, name: &impl Fn(V) -> String) -> String {
        let operand = |a: ExpressionId| match self.node(a) {
            Node::Constant(_) | Node::Variable(_) => self.show(a, name),
            _ => format!("({})", self.show(a, name)),
        };
        match self.node(id) {
            Node::Constant(a) => a.to_string(),
            Node::Variable(x) => name(x),
            Node::Join(a, b) => format!("{} ⊔ {}", operand(a), operand(b)),
            Node::Meet(a, b) => format!("{} ⊓ {}", operand(a), operand(b)),
            Node::Sum(a, b) => format!("{} + {}", operand(a), operand(b)),
            Node::Product(a, b) => format!("{} · {}", operand(a), operand(b)),
            Node::Guarded(a, range) => format!("{} : {range}", operand(a)),
        }
    }
}

/// What takes the place of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replacement<V> {
    Variable(V),
    Constant(Interval),
}

fn rank<V>(node: &Node<V>) -> u8 {
    match node {
        Node::Constant(_) => 0,
        Node::Variable(_) => 1,
        Node::Join(..) => 2,
        Node::Meet(..) => 3,
        Node::Sum(..) => 4,
        Node::Product(..) => 5,
        Node::Guarded(..) => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_there_once_and_stays_as_written() {
        let mut e: Expressions<u32> = Expressions::new();
        let x = e.variable(1);
        let full = e.constant(Interval::FULL);
        let one = e.constant(Interval::constant(1));
        let a = e.meet(full, one);
        assert_eq!(e.meet(full, one), a);
        assert_ne!(e.meet(one, full), a);
        let b = e.meet(x, one);
        let sum = e.sum(a, b);
        let name = |x| format!("x{x}");
        assert_eq!(e.show(sum, &name), "([-∞, ∞] ⊓ [1, 1]) + (x1 ⊓ [1, 1])");
        let value = |_| Interval::new(0, 5);
        assert_eq!(e.evaluate(sum, &value), Interval::constant(2));
    }

    #[test]
    fn the_order_of_expressions_does_not_depend_on_ids() {
        let mut e: Expressions<u32> = Expressions::new();
        let mut f: Expressions<u32> = Expressions::new();
        let (x, y) = (e.variable(1), e.variable(2));
        let (yy, xx) = (f.variable(2), f.variable(1));
        assert!(e.compare(x, y).is_lt() && f.compare(xx, yy).is_lt());
        let (a, b) = (e.sum(x, y), e.sum(x, x));
        let (aa, bb) = (f.sum(xx, yy), f.sum(xx, xx));
        assert!(e.compare(b, a).is_lt() && f.compare(bb, aa).is_lt());
        assert!(e.compare(a, a).is_eq() && e.compare(x, a).is_lt());
    }
}
