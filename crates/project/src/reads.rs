//! Which variables an expression or a statement speaks of: facts are chosen, and kept apart, by what they share.

use ir::walk::{Item, expr_items, place_items, statement_items};
use ir::{Base, Body, CallOutcome, CheckId, Condition, ExprId, GlobalId, Stmt, VarId};
use std::collections::BTreeSet;

/// What is larger is not looked into: it counts as speaking of memory.
const ITEMS: usize = 200;

/// Variables, globals, and whether anything else in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    pub vars: BTreeSet<VarId>,
    pub globals: BTreeSet<GlobalId>,
    /// Memory behind a pointer.
    pub behind: bool,
}

impl Reads {
    pub fn of_expr(body: &Body, e: ExprId) -> Reads {
        Reads::of(body, vec![Item::Expr(e)])
    }

    /// Of the condition of a check.
    pub fn of_check(body: &Body, check: CheckId) -> Reads {
        Reads::of_statement(body, &Stmt::Check(check))
    }

    pub fn of_statement(body: &Body, stmt: &Stmt) -> Reads {
        let mut items = Vec::new();
        statement_items(body, stmt, &mut |item| items.push(item));
        let mut reads = Reads::of(body, items);
        match stmt {
            Stmt::Declare(v) | Stmt::End(v) | Stmt::Allocate { var: v, .. } => {
                reads.vars.insert(*v);
            }
            Stmt::Check(check) => {
                // Whether something is alive depends on whoever frees it.
                if let Some(Condition::Alive(_)) = body.checks.get(*check).map(|c| &c.condition) {
                    reads.behind = true;
                }
            }
            _ => {}
        }
        reads
    }

    fn of(body: &Body, mut stack: Vec<Item>) -> Reads {
        let mut reads = Reads::default();
        let mut left = ITEMS;
        while let Some(item) = stack.pop() {
            let Some(less) = left.checked_sub(1) else {
                reads.behind = true;
                break;
            };
            left = less;
            match item {
                Item::Expr(e) => expr_items(&body.exprs[e], &mut |item| stack.push(item)),
                Item::Place(p) => {
                    let place = &body.places[p];
                    match place.base {
                        Base::Var(v) => {
                            reads.vars.insert(v);
                        }
                        Base::Global(g) => {
                            reads.globals.insert(g);
                        }
                        Base::Deref(_) => reads.behind = true,
                    }
                    place_items(place, &mut |item| stack.push(item));
                }
            }
        }
        reads
    }

    /// Do the two name one variable? (Two names of one place in memory mostly share the variable that leads there.)
    pub fn names(&self, other: &Reads) -> bool {
        self.vars.iter().any(|v| other.vars.contains(v))
            || self.globals.iter().any(|g| other.globals.contains(g))
    }

    /// Only globals, and constants?
    pub fn only_globals(&self) -> bool {
        self.vars.is_empty() && !self.behind && !self.globals.is_empty()
    }

    /// Can somebody change it who does not name it?
    pub fn in_memory(&self, body: &Body) -> bool {
        self.behind
            || !self.globals.is_empty()
            || self.vars.iter().any(|v| body.vars[*v].address_taken)
    }

    /// May the statement change what is read here? A quick answer: yes, if in doubt.
    pub fn written_by(&self, body: &Body, stmt: &Stmt) -> bool {
        let place = |p: ir::PlaceId| match body.places[p].base {
            Base::Var(v) => self.vars.contains(&v) || self.behind && body.vars[v].address_taken,
            Base::Global(g) => self.globals.contains(&g) || self.behind,
            Base::Deref(_) => self.in_memory(body),
        };
        match stmt {
            Stmt::Skip | Stmt::Assume(_) | Stmt::Check(_) | Stmt::Resume(_) | Stmt::Trap(_) => {
                false
            }
            Stmt::Declare(v) | Stmt::End(v) => self.vars.contains(v) || self.behind,
            Stmt::Allocate { var, .. } => self.vars.contains(var) || self.behind,
            Stmt::Assign { place: p, .. } | Stmt::Havoc { place: p, .. } => place(*p),
            Stmt::Copy { .. } | Stmt::Fill { .. } | Stmt::VaStart(_) => self.in_memory(body),
            Stmt::Call(call) => {
                call.outcome != CallOutcome::Return
                    || self.in_memory(body)
                    || call.result.is_some_and(place)
            }
            Stmt::LandingPad {
                exception,
                selector,
                ..
            } => self.vars.contains(exception) || self.vars.contains(selector),
        }
    }
}
