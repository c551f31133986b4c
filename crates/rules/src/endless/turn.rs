//! One loop: which of its statements change what matters, and whether a turn can pass all of them by.

use super::callees::Callees;
use super::matters::{Matters, Writes, edges, reads, writes};
use ir::flow::Loop;
use ir::{
    BinaryOp, Body, Edge, EdgeId, ExprId, ExprKind, NodeId, Span, Stmt, TypeTable, UnaryOp, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Loops of more nodes are not looked at.
const NODES: usize = 4_000;

/// Statements that move a variable by what may be zero and are remembered, at most: a loop with more of them decodes something, and
/// moves on.
const MOVES: usize = 4;

/// A loop of which a turn may change nothing.
#[derive(Debug)]
pub(super) struct Turn {
    pub head: NodeId,
    /// The statements that change something.
    pub changes: BTreeMap<EdgeId, Change>,
    /// Where it leads back with nothing changed, perhaps.
    pub back: BTreeSet<EdgeId>,
    /// The test that decides about the next turn.
    pub span: Span,
}

/// What a statement does to the part of the state that matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Something else may be there, or happen.
    Surely,
    /// A variable moves by so much, if that is not zero.
    By(ExprId),
}

impl Turn {
    pub fn of(types: &TypeTable, body: &Body, callees: &Callees, one: &Loop) -> Option<Turn> {
        let is_left = |e: &Edge| !one.nodes.contains(&e.to);
        let way_out = edges(body, one).find(|e| is_left(e))?;
        if one.nodes.len() > NODES || is_entered_elsewhere(body, one) {
            return None;
        }
        let ends_or_waits = |e: &Edge| match &e.stmt {
            Stmt::Call(call) => !callees.compute(call.callee),
            stmt => is_unknown(stmt),
        };
        unchanged(body, one, |_, e| ends_or_waits(e))?;
        if edges(body, one).any(|e| reads(body, &e.stmt).volatile) {
            return None;
        }
        let matters = Matters::of(body, callees, one);
        let carried: BTreeSet<VarId> = matters
            .variables
            .iter()
            .copied()
            .filter(|v| matters.is_carried(body, one, *v))
            .collect();
        let mut changes = BTreeMap::new();
        let mut goes_on = false;
        for node in &one.nodes {
            for (id, edge) in body.out_edges(*node) {
                let change = match writes(body, &edge.stmt) {
                    _ if ends_or_waits(edge) => Some(Change::Surely),
                    Writes::Variable(v) if carried.contains(&v) => {
                        goes_on = true;
                        of_variable(types, body, v, &edge.stmt)
                    }
                    Writes::Memory if matters.memory => Some(Change::Surely),
                    _ if is_what_no_case_names(body, edge) => Some(Change::Surely),
                    _ => None,
                };
                changes.extend(change.map(|change| (id, change)));
            }
        }
        let is_move = |change: &&mut Change| matches!(change, Change::By(_));
        if changes
            .values()
            .filter(|c| matches!(c, Change::By(_)))
            .count()
            > MOVES
        {
            let moves = changes.values_mut().filter(is_move);
            moves.for_each(|change| *change = Change::Surely);
        }
        // What others may write, too, it may be waiting for; and what depends on nothing is meant so.
        if (matters.memory && !goes_on) || (!matters.memory && carried.is_empty()) {
            return None;
        }
        let back = unchanged(body, one, |id, _| {
            matches!(changes.get(&id), Some(Change::Surely))
        })?;
        let test = edges(body, one).find(|e| is_left(e) && matches!(e.stmt, Stmt::Assume(_)));
        Some(Turn {
            head: one.head,
            changes,
            back,
            span: test.unwrap_or(way_out).span,
        })
    }
}

/// What nobody knows the effect of.
fn is_unknown(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Havoc { .. }
        | Stmt::Allocate { .. }
        | Stmt::LandingPad { .. }
        | Stmt::Resume(_)
        | Stmt::Trap(_)
        | Stmt::VaStart(_) => true,
        Stmt::Skip
        | Stmt::Declare(_)
        | Stmt::End(_)
        | Stmt::Assign { .. }
        | Stmt::Assume(_)
        | Stmt::Copy { .. }
        | Stmt::Fill { .. }
        | Stmt::Call(_)
        | Stmt::Check(_) => false,
    }
}

/// Is it the way of a `switch` for what none of its cases names? Where that is not meant to happen, nobody says so.
fn is_what_no_case_names(body: &Body, edge: &Edge) -> bool {
    let Stmt::Assume(e) = edge.stmt else {
        return false;
    };
    let is_negation = matches!(
        body.exprs.get(e).map(|e| &e.kind),
        Some(ExprKind::Unary(UnaryOp::Not, _))
    );
    is_negation && body.out_edges(edge.from).count() > 2
}

/// A loop into which a `goto` leads has no turns.
pub(super) fn is_entered_elsewhere(body: &Body, one: &Loop) -> bool {
    let enters =
        |e: &Edge| e.to != one.head && one.nodes.contains(&e.to) && !one.nodes.contains(&e.from);
    body.edges().values().any(enters)
        || (one.nodes.contains(&body.entry) && body.entry != one.head)
        || body.labels.iter().any(|label| one.nodes.contains(label))
}

/// The edges by which a turn leads back that passes no change; none if there are none.
fn unchanged(
    body: &Body,
    one: &Loop,
    changes: impl Fn(EdgeId, &Edge) -> bool,
) -> Option<BTreeSet<EdgeId>> {
    let mut seen = BTreeSet::from([one.head]);
    let mut work = vec![one.head];
    let mut back = BTreeSet::new();
    while let Some(node) = work.pop() {
        for (id, edge) in body.out_edges(node) {
            if !one.nodes.contains(&edge.to) || changes(id, edge) {
                continue;
            }
            if edge.to == one.head {
                back.insert(id);
            } else if seen.insert(edge.to) {
                work.push(edge.to);
            }
        }
    }
    (!back.is_empty()).then_some(back)
}

/// How a statement changes a variable; none if it does not.
fn of_variable(types: &TypeTable, body: &Body, v: VarId, stmt: &Stmt) -> Option<Change> {
    let Stmt::Assign { value, .. } = *stmt else {
        return Some(Change::Surely);
    };
    let bare = |mut e: ExprId| {
        while let Some(ExprKind::Cast(inner)) = body.exprs.get(e).map(|e| &e.kind) {
            e = *inner;
        }
        e
    };
    let kind = |e: ExprId| body.exprs.get(bare(e)).map(|e| &e.kind);
    let is_itself = |e: ExprId| match kind(e) {
        Some(ExprKind::Load(p)) => body.places.get(*p).and_then(|p| p.as_var()) == Some(v),
        _ => false,
    };
    use BinaryOp::{Add, Sub, WrapAdd, WrapSub};
    let by =
        match kind(value) {
            Some(ExprKind::Binary(Add | WrapAdd, a, b)) if is_itself(*b) && !is_itself(*a) => *a,
            Some(
                ExprKind::Binary(Add | Sub | WrapAdd | WrapSub, a, b) | ExprKind::PtrAdd(a, b),
            ) if is_itself(*a) => *b,
            _ if is_itself(value) => return None,
            _ => return Some(Change::Surely),
        };
    let is_number = body
        .exprs
        .get(by)
        .is_some_and(|e| types.as_int(e.ty).is_some_and(|(width, _)| width <= 64));
    match kind(by) {
        Some(ExprKind::Int(0)) => None,
        Some(ExprKind::Int(_)) => Some(Change::Surely),
        _ if is_number => Some(Change::By(by)),
        _ => Some(Change::Surely),
    }
}
