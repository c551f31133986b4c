//! Walking what a body uses: the expressions and places that its edges reach.
//!
//! A body's arenas may hold expressions that no edge uses any more (a pass rewrote the edge).
//! Whoever asks what a function *does* must start from the edges.

use crate::body::Body;
use crate::expr::{Base, Expr, ExprId, ExprKind, Place, PlaceId, Projection};
use crate::program::GlobalId;
use crate::stmt::{Callee, CatchClause, Condition, Stmt};
use rustc_hash::FxHashSet;

/// An expression or a place of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    Expr(ExprId),
    Place(PlaceId),
}

/// The expressions and places directly in a statement, in the order they are written.
pub fn statement_items(body: &Body, stmt: &Stmt, visit: &mut (impl FnMut(Item) + ?Sized)) {
    match stmt {
        Stmt::Skip | Stmt::Declare(_) | Stmt::End(_) | Stmt::Trap(_) => {}
        Stmt::LandingPad { .. } => {}
        Stmt::Allocate { count, .. } => visit(Item::Expr(*count)),
        Stmt::Assign { place, value } => {
            visit(Item::Place(*place));
            visit(Item::Expr(*value));
        }
        Stmt::Havoc { place, .. } => visit(Item::Place(*place)),
        Stmt::Assume(e) | Stmt::VaStart(e) | Stmt::Resume(e) => visit(Item::Expr(*e)),
        Stmt::Copy {
            target,
            source,
            size,
            ..
        } => {
            for e in [target, source, size] {
                visit(Item::Expr(*e));
            }
        }
        Stmt::Fill { target, byte, size } => {
            for e in [target, byte, size] {
                visit(Item::Expr(*e));
            }
        }
        Stmt::Call(call) => {
            if let Some(place) = call.result {
                visit(Item::Place(place));
            }
            if let Callee::Indirect(e) = call.callee {
                visit(Item::Expr(e));
            }
            call.args.iter().for_each(|e| visit(Item::Expr(*e)));
        }
        Stmt::Check(id) => match body.checks.get(*id).map(|c| &c.condition) {
            Some(
                Condition::Holds(e) | Condition::Alive(e) | Condition::Freeable { pointer: e, .. },
            ) => visit(Item::Expr(*e)),
            Some(Condition::Apart(a, b)) => {
                visit(Item::Expr(*a));
                visit(Item::Expr(*b));
            }
            Some(Condition::Initialized(p)) => visit(Item::Place(*p)),
            Some(Condition::InBounds { pointer, size }) => {
                visit(Item::Expr(*pointer));
                visit(Item::Expr(*size));
            }
            Some(Condition::Unreachable) | None => {}
        },
    }
}

/// The expressions and places directly in an expression.
pub fn expr_items(e: &Expr, visit: &mut (impl FnMut(Item) + ?Sized)) {
    match &e.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Null
        | ExprKind::Undef
        | ExprKind::Function(_)
        | ExprKind::Label(..)
        | ExprKind::TypeInfo(_) => {}
        ExprKind::Load(p) | ExprKind::AddrOf(p) => visit(Item::Place(*p)),
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => visit(Item::Expr(*a)),
        ExprKind::Binary(_, a, b)
        | ExprKind::Compare(_, a, b)
        | ExprKind::Overflow(_, a, b)
        | ExprKind::PtrAdd(a, b) => {
            visit(Item::Expr(*a));
            visit(Item::Expr(*b));
        }
        ExprKind::Select(c, a, b) => {
            visit(Item::Expr(*c));
            visit(Item::Expr(*a));
            visit(Item::Expr(*b));
        }
        ExprKind::Intrinsic(_, args) => args.iter().for_each(|a| visit(Item::Expr(*a))),
    }
}

/// The expressions directly in a place.
pub fn place_items(place: &Place, visit: &mut (impl FnMut(Item) + ?Sized)) {
    if let Base::Deref(e) = place.base {
        visit(Item::Expr(e));
    }
    for step in &place.projections {
        if let Projection::Index(e) = step {
            visit(Item::Expr(*e));
        }
    }
}

/// What is yet to be visited of some expressions and of what they are made of, the last first, and each only once.
///
/// Expressions share their parts: one that adds the one before to itself, sixty times over, is sixty nodes, and as a tree it has
/// 2^60. Whoever walks from a statement downwards and may see anything goes with this.
#[derive(Default)]
pub struct Once {
    waiting: Vec<Item>,
    seen: FxHashSet<Item>,
}

impl Once {
    /// Forgets everything, and keeps the room.
    pub fn clear(&mut self) {
        self.waiting.clear();
        self.seen.clear();
    }

    /// To be visited, unless it was, or will be.
    pub fn push(&mut self, item: Item) {
        if self.seen.insert(item) {
            self.waiting.push(item);
        }
    }

    pub fn pop(&mut self) -> Option<Item> {
        self.waiting.pop()
    }

    /// What the item is made of is to be visited, too.
    pub fn push_parts(&mut self, body: &Body, item: Item) {
        match item {
            Item::Expr(e) => expr_items(&body.exprs[e], &mut |part| self.push(part)),
            Item::Place(p) => place_items(&body.places[p], &mut |part| self.push(part)),
        }
    }
}

/// Visits every expression and place that some edge uses, each once, users before what they use.
pub fn used(body: &Body, visit: &mut (impl FnMut(Item) + ?Sized)) {
    used_by(body, |_| true, visit);
}

/// Visits what the program itself uses, without the conditions of checks.
pub fn used_by_program(body: &Body, visit: &mut (impl FnMut(Item) + ?Sized)) {
    used_by(body, |stmt| !matches!(stmt, Stmt::Check(_)), visit);
}

fn used_by(body: &Body, wanted: impl Fn(&Stmt) -> bool, visit: &mut (impl FnMut(Item) + ?Sized)) {
    let mut exprs = vec![false; body.exprs.len()];
    let mut places = vec![false; body.places.len()];
    let mut stack = Vec::new();
    for edge in body.edges().values().filter(|e| wanted(&e.stmt)) {
        statement_items(body, &edge.stmt, &mut |item| stack.push(item));
        while let Some(item) = stack.pop() {
            let seen = match item {
                Item::Expr(e) => exprs.get_mut(e.0 as usize),
                Item::Place(p) => places.get_mut(p.0 as usize),
            };
            match seen {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            visit(item);
            match item {
                Item::Expr(e) => expr_items(&body.exprs[e], &mut |i| stack.push(i)),
                Item::Place(p) => place_items(&body.places[p], &mut |i| stack.push(i)),
            }
        }
    }
}

/// Visits the globals that some edge uses.
pub fn used_globals(body: &Body, visit: &mut impl FnMut(GlobalId)) {
    used(body, &mut |item| match item {
        Item::Expr(e) => {
            if let ExprKind::TypeInfo(g) = body.exprs[e].kind {
                visit(g);
            }
        }
        Item::Place(p) => {
            if let Base::Global(g) = body.places[p].base {
                visit(g);
            }
        }
    });
    for edge in body.edges().values() {
        if let Stmt::LandingPad { clauses, .. } = &edge.stmt {
            for clause in clauses {
                match clause {
                    CatchClause::Catch(g) => g.iter().for_each(|g| visit(*g)),
                    CatchClause::Filter(types) => types.iter().for_each(|g| visit(*g)),
                }
            }
        }
    }
}
