//! Flags: conditions that the program tests more than once.
//!
//! Intervals say nothing about `flags & 4`, `i < n` or `strcmp(a, b) == 0`; but a program that
//! tests one of them twice relies on the second answer being the first one, as long as nothing in
//! it has changed. Such a condition gets a [`FactId`], a state remembers its truth, and a write
//! to anything it reads forgets it.

use crate::state::State;
use domain::FactId;
use ir::arena::Id;
use ir::walk::{Item, expr_items, place_items};
use ir::{
    Base, Body, CompareOp, Condition, ExprId, ExprKind, NodeId, Stmt, TypeTable, UnaryOp, VarId,
};
use rustc_hash::FxHashMap;

#[derive(Debug, Default)]
pub struct Conditions {
    /// For every expression the fact it states, and whether positively.
    of_expr: Vec<Option<(FactId, bool)>>,
    by_var: Vec<Vec<FactId>>,
    /// The facts that read memory; those that read only pointers there.
    of_memory: Vec<FactId>,
    of_pointers: Vec<FactId>,
    count: u32,
}

/// A condition up to negation and the order of its sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    Compare(CompareOp, ExprId, ExprId),
    Bool(ExprId),
}

/// More than these are not remembered: a function with so many tests is a table.
const FACTS: u32 = 512;
/// Expressions larger than this are not looked into.
const ITEMS: usize = 40;

impl Conditions {
    pub fn of(types: &TypeTable, body: &Body) -> Conditions {
        Conditions::with(types, body, &[])
    }

    /// Remembers these, too, however often they are tested.
    pub fn with(types: &TypeTable, body: &Body, also: &[ExprId]) -> Conditions {
        let mut seen: FxHashMap<Key, (NodeId, bool)> = FxHashMap::default();
        let mut order: Vec<(Key, ExprId, bool)> = Vec::new();
        for edge in body.edges().values() {
            let e = match edge.stmt {
                Stmt::Assume(e) => e,
                Stmt::Check(c) => match body.checks[c].condition {
                    Condition::Holds(e) => e,
                    _ => continue,
                },
                _ => continue,
            };
            for e in stated(body, e) {
                let (key, positive) = key(body, e);
                order.push((key, e, positive));
                let entry = seen.entry(key).or_insert((edge.from, false));
                entry.1 |= entry.0 != edge.from;
            }
        }
        for &e in also {
            let (key, positive) = key(body, e);
            order.push((key, e, positive));
            seen.insert(key, (body.entry, true));
        }
        let mut conditions = Conditions {
            of_expr: vec![None; body.exprs.len()],
            by_var: vec![Vec::new(); body.vars.len()],
            of_memory: Vec::new(),
            of_pointers: Vec::new(),
            count: 0,
        };
        let mut facts: FxHashMap<Key, Option<FactId>> = FxHashMap::default();
        for (key, e, positive) in order {
            if !seen.get(&key).is_some_and(|s| s.1) {
                continue;
            }
            let fact = *facts
                .entry(key)
                .or_insert_with(|| conditions.register(types, body, e));
            conditions.of_expr[e.index()] = fact.map(|f| (f, positive));
        }
        conditions
    }

    /// Remembers nothing.
    pub fn none(body: &Body) -> Conditions {
        Conditions {
            of_expr: Vec::new(),
            by_var: vec![Vec::new(); body.vars.len()],
            of_memory: Vec::new(),
            of_pointers: Vec::new(),
            count: 0,
        }
    }

    /// Gives the condition a number, and notes what it reads; none if it is better forgotten.
    fn register(&mut self, types: &TypeTable, body: &Body, e: ExprId) -> Option<FactId> {
        if self.count >= FACTS {
            return None;
        }
        let mut vars = Vec::new();
        let (mut memory, mut numbers) = (false, false);
        let mut stack = vec![Item::Expr(e)];
        let mut items = 0;
        while let Some(item) = stack.pop() {
            items += 1;
            if items > ITEMS {
                return None;
            }
            match item {
                Item::Expr(e) => expr_items(&body.exprs[e], &mut |i| stack.push(i)),
                Item::Place(p) => {
                    let place = &body.places[p];
                    let in_memory = match place.base {
                        Base::Var(v) => {
                            vars.push(v);
                            body.vars[v].address_taken
                        }
                        Base::Global(_) | Base::Deref(_) => true,
                    };
                    memory |= in_memory;
                    numbers |= in_memory && !types.is_pointer(place.ty);
                    place_items(place, &mut |i| stack.push(i));
                }
            }
        }
        let fact = FactId(self.count);
        self.count += 1;
        for v in vars {
            let of_var = &mut self.by_var[v.index()];
            if of_var.last() != Some(&fact) {
                of_var.push(fact);
            }
        }
        match (memory, numbers) {
            (true, false) => self.of_pointers.push(fact),
            (true, true) => self.of_memory.push(fact),
            (false, _) => {}
        }
        Some(fact)
    }

    /// The fact that an expression states, and whether it states that it holds.
    pub fn fact(&self, e: ExprId) -> Option<(FactId, bool)> {
        self.of_expr.get(e.index()).copied().flatten()
    }

    /// Remembers the truth of a condition.
    pub fn learn(&self, st: &mut State, e: ExprId, truth: bool) {
        if let Some((fact, positive)) = self.fact(e) {
            st.facts.insert(fact, truth == positive);
        }
    }

    /// The variable has a new value.
    pub fn written(&self, st: &mut State, v: VarId) {
        if !st.facts.is_empty() {
            for &fact in &self.by_var[v.index()] {
                st.facts.remove(fact);
            }
        }
    }

    /// Something in memory has a new value.
    pub fn memory_written(&self, st: &mut State) {
        self.number_written(st);
        if !st.facts.is_empty() {
            for &fact in &self.of_pointers {
                st.facts.remove(fact);
            }
        }
    }

    /// A number in memory, smaller than a pointer, has a new value: no pointer has.
    pub fn number_written(&self, st: &mut State) {
        if !st.facts.is_empty() {
            for &fact in &self.of_memory {
                st.facts.remove(fact);
            }
        }
    }
}

/// The condition, and the conditions that it is made of where it is one of several cases
/// (`c ? a : b`): each may be known by itself.
pub fn stated(body: &Body, e: ExprId) -> Vec<ExprId> {
    let mut all = vec![e];
    let mut at = 0;
    while at < all.len() && all.len() < ITEMS {
        if let ExprKind::Select(c, a, b) = body.exprs[all[at]].kind {
            let parts = [c, a, b].into_iter();
            all.extend(parts.filter(|e| !matches!(body.exprs[*e].kind, ExprKind::Int(_))));
        }
        at += 1;
    }
    all
}

/// What a condition states, and whether positively.
pub fn key(body: &Body, e: ExprId) -> (Key, bool) {
    match body.exprs[e].kind {
        ExprKind::Unary(UnaryOp::Not, a) => {
            let (key, positive) = key(body, a);
            (key, !positive)
        }
        ExprKind::Compare(op, a, b) => match op {
            CompareOp::Ne => (Key::Compare(CompareOp::Eq, a, b), false),
            CompareOp::Ge if is_integer_like(body, a) => (Key::Compare(CompareOp::Lt, a, b), false),
            CompareOp::Gt => (Key::Compare(CompareOp::Lt, b, a), true),
            CompareOp::Le if is_integer_like(body, a) => (Key::Compare(CompareOp::Lt, b, a), false),
            op => (Key::Compare(op, a, b), true),
        },
        _ => (Key::Bool(e), true),
    }
}

/// Not a float: then `!(a < b)` is `a >= b`.
fn is_integer_like(body: &Body, e: ExprId) -> bool {
    use ir::TypeId;
    let ty = body.exprs[e].ty;
    !matches!(ty, TypeId::F32 | TypeId::F64 | TypeId::X87)
}
