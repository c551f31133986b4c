//! Puts lives into a body: the bit that says whether it is owned, what clears it, and the checks.

use super::walk::Life;
use crate::instrument::Rebuilt;
use crate::temporal::{Maker, Slot, Valid};
use ir::program::SymbolTable;
use ir::{
    Body, Check, CompareOp, Condition, Edge, ExprId, ExprKind, NodeId, PlaceId, Span, Stmt, TypeId,
    TypeTable,
};
use rustc_hash::FxHashMap;

/// A life, and whose rule it is about.
pub struct Followed<'a> {
    pub rule: &'a str,
    pub valid: Valid,
    pub life: Life,
}

/// What stands behind an edge, in this order.
#[derive(Default)]
struct Behind {
    cleared: Vec<Stmt>,
    checks: Vec<(Stmt, Span)>,
    started: Vec<Stmt>,
}

pub fn weave(
    types: &TypeTable,
    symbols: &mut SymbolTable,
    followed: &[Followed<'_>],
    body: &mut Body,
) {
    let mut maker = Maker::new(types, body);
    let mut behind: FxHashMap<u32, Behind> = FxHashMap::default();
    let mut begin: Vec<Stmt> = Vec::new();
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    for one in followed {
        let number = numbers.entry(one.rule).or_insert(0);
        let life = &one.life;
        let symbol = symbols.intern(one.rule);
        let state = maker.state(symbols, one.rule, *number);
        let given = maker.load(life.place);
        let pointer = types.is_pointer(maker.type_of(given));
        let ty = if pointer {
            TypeId::VOID_PTR
        } else {
            maker.type_of(given)
        };
        let value = maker.remembered(symbols, one.rule, *number, ty);
        *number += 1;
        let no = maker.flag(false);
        let none = maker.zero(ty);
        begin.push(assign(state.place, no));
        begin.push(assign(value.place, none));
        // What the person calls it is needed for words, whether or not anything reads it.
        let name = maker.variable(life.name);
        maker.load(name);

        let converted = maker.converted(given, ty);
        let owned = started(&mut maker, one, value);
        let at = behind.entry(life.start.0).or_default();
        at.started.push(assign(value.place, converted));
        at.started.push(assign(state.place, owned));
        for edge in &life.ends {
            let at = behind.entry(edge.0).or_default();
            at.cleared.push(assign(state.place, no));
        }
        for (edge, result) in &life.renewed {
            let new = maker.load(*result);
            let nothing = maker.zero(maker.type_of(new));
            let came = maker.compare(CompareOp::Ne, new, nothing);
            let left = maker.select(came, no, state.load);
            let at = behind.entry(edge.0).or_default();
            at.cleared.push(assign(state.place, left));
        }
        // The same form as that of an automaton without values.
        let is_set = maker.is_set(state);
        let (lost, fine) = (maker.truth(false), maker.truth(true));
        let holds = maker.select(is_set, lost, fine);
        for (edge, span) in &life.losses {
            let check = maker.body.checks.push(Check {
                rule: symbol,
                which: 0,
                condition: Condition::Holds(holds),
            });
            let at = behind.entry(edge.0).or_default();
            at.checks.push((Stmt::Check(check), *span));
        }
    }
    rebuild(maker.body, begin, behind);
}

/// 1 if there is something to own.
fn started(maker: &mut Maker<'_>, one: &Followed<'_>, value: Slot) -> ExprId {
    let (yes, no) = (maker.flag(true), maker.flag(false));
    let valid = match (one.life.awaited, one.valid) {
        (Some((place, outcome)), _) => {
            let given = maker.load(place);
            let ty = maker.type_of(given);
            let zero = maker.zero(ty);
            maker.compare(outcome.comparison().0, given, zero)
        }
        (None, Valid::Always) => return yes,
        (None, Valid::NotZero | Valid::NotNegative | Valid::Success) => {
            let zero = maker.zero(value.ty);
            let pointer = maker.types.is_pointer(value.ty);
            let op = match one.valid {
                Valid::NotZero => CompareOp::Ne,
                Valid::Success if pointer => CompareOp::Ne,
                _ => CompareOp::Ge,
            };
            maker.compare(op, value.load, zero)
        }
        (None, Valid::NotMinusOne) => {
            let minus_one = maker.expr(ExprKind::Int(u128::from(u64::MAX)), TypeId::U64);
            let number = maker.expr(ExprKind::Cast(value.load), TypeId::U64);
            maker.compare(CompareOp::Ne, number, minus_one)
        }
    };
    maker.select(valid, yes, no)
}

fn assign(place: PlaceId, value: ExprId) -> Stmt {
    Stmt::Assign { place, value }
}

fn rebuild(body: &mut Body, begin: Vec<Stmt>, mut behind: FxHashMap<u32, Behind>) {
    let edges = body.take_edges();
    let mut new = Rebuilt::new(body.node_count, edges.len());
    let entry = begin_with(&mut new, begin, body);
    for (at, edge) in (0..).zip(edges) {
        let from = new.node(edge.from);
        let Some(here) = behind.remove(&at) else {
            new.keep(from, edge);
            continue;
        };
        let span = edge.span;
        let cleared = here.cleared.into_iter().map(|s| (s, span));
        let started = here.started.into_iter().map(|s| (s, span));
        let mut all: Vec<(Stmt, Span)> = cleared.chain(here.checks).chain(started).collect();
        let Some((mut stmt, last)) = all.pop() else {
            new.keep(from, edge);
            continue;
        };
        let to = edge.to;
        let mut node = new.step(from, edge.stmt, span);
        for (stmt, span) in all {
            node = new.beside(node, stmt, span);
        }
        if let Stmt::Check(_) = stmt {
            node = new.beside(node, stmt, last);
            stmt = Stmt::Skip;
        }
        let edge = Edge {
            from: node,
            to,
            stmt,
            span: last,
        };
        new.keep(node, edge);
    }
    new.finish(body);
    if let Some(entry) = entry {
        body.entry = entry;
    }
}

/// In front of everything: nothing is owned yet.
fn begin_with(new: &mut Rebuilt, mut stmts: Vec<Stmt>, body: &Body) -> Option<NodeId> {
    let last = stmts.pop()?;
    let first = new.fresh();
    let mut at = first;
    for stmt in stmts {
        at = new.step(at, stmt, Span::NONE);
    }
    let entry = Edge {
        from: at,
        to: body.entry,
        stmt: last,
        span: Span::NONE,
    };
    new.keep(at, entry);
    Some(first)
}
