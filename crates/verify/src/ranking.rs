//! Every run ends: a ranking argument for loops that count.
//!
//! A run without an end stays, from some moment on, in a strongly connected part of a body, and takes each of some set of
//! edges again and again. Say that in the part S a variable `i` is only ever moved up (by edges I), and there are edges G that are taken only if
//! `i < n`, where nothing in S changes `n`. Whoever takes edges of both kinds again and again moves `i` up without an end, and
//! finds it below `n` each time: no run does. So from some moment on it does without I, or without G, and what is left of S
//! without either must be shown to end in the same way. (That is a lexicographic ranking, found edge by edge.)
//!
//! Machine integers wrap, or must not overflow; neither matters here: between two edges of I there is always one of
//! G, which says that `i < n`, so that `i + 1` is still a number of the type. Larger steps need a constant `n` that is far enough
//! from the end of the type. The same downwards.
//!
//! And what nothing in S changes is decided the same way each time: whoever goes round for ever does without one side of
//! such a branch.
//!
//! A function that calls itself ends if a parameter counts in the same way: it keeps what it was given, every call
//! passes one that is moved, and no call is come to but behind a test of how far it is.

mod moves;

use crate::Reason;
use ir::arena::Id;
use ir::{BinaryOp, Body, CallGraph, CompareOp, EdgeId, ExprId, ExprKind, FuncId, NodeId, Program};
use ir::{Stmt, TypeTable, VarId};
use std::cell::Cell;
use std::collections::BTreeSet;

/// The loops and recursions that may go on for ever, as far as this argument goes.
pub fn open(program: &Program, graph: &CallGraph, functions: &BTreeSet<FuncId>) -> Vec<Reason> {
    let mut all = Vec::new();
    for &f in functions {
        let Some(function) = program.functions.get(f) else {
            continue;
        };
        let Some(body) = &function.body else { continue };
        let ranking = Ranking {
            types: &program.types,
            body,
            left: Cell::new(PARTS),
        };
        let alone = graph.components().get(graph.component_of(f));
        let alone = alone.is_some_and(|component| component.len() == 1);
        if graph.is_recursive(f) && !(alone && ranking.recursion_ends(f)) {
            let text = "it calls itself, and was not shown to end";
            all.push(Reason::of(f, Some(function.span), text));
        }
        for head in ranking.open() {
            let spans = body.out_edges(head).map(|(_, edge)| edge.span);
            let span = spans.into_iter().find(|span| !span.is_none());
            all.push(Reason::of(f, span, "this loop was not shown to end"));
        }
    }
    all
}

/// The parts of a body that a run can stay in, by their nodes in order; of the edges only those that are wanted.
pub fn loops(body: &Body, wanted: impl Fn(EdgeId) -> bool) -> Vec<BTreeSet<NodeId>> {
    let count = body.node_count as usize;
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (_, edge) in body.edges().iter().filter(|(id, _)| wanted(*id)) {
        next[edge.from.index()].push(edge.to.index());
    }
    let all = ir::components::components(count, |node, k| next[node].get(k).copied());
    let turns = |part: &Vec<usize>| match part.as_slice() {
        [node] => next[*node].contains(node),
        _ => true,
    };
    let parts = all.into_iter().filter(turns);
    let parts = parts.map(|part| part.into_iter().map(NodeId::from_index).collect());
    let mut parts: Vec<BTreeSet<NodeId>> = parts.collect();
    parts.sort();
    parts
}

struct Ranking<'b> {
    types: &'b TypeTable,
    body: &'b Body,
    /// Parts that may still be looked at.
    left: Cell<usize>,
}

/// Which way a variable moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

/// An edge that says how far a variable is from where it goes: `i < n` on the way up.
struct Guard {
    edge: EdgeId,
    way: Way,
    /// The steps that do not pass the end of the type.
    room: i128,
    /// What it is compared with is a constant.
    constant: bool,
}

impl Ranking<'_> {
    /// A node of each loop that is not shown to end.
    fn open(&self) -> Vec<NodeId> {
        let all: BTreeSet<EdgeId> = self.body.edges().iter().map(|(id, _)| id).collect();
        let mut open = BTreeSet::new();
        self.parts(&all, 0, &mut open);
        open.into_iter().collect()
    }

    /// Looks at all parts of these edges that a run can stay in.
    fn parts(&self, edges: &BTreeSet<EdgeId>, depth: usize, open: &mut BTreeSet<NodeId>) {
        for part in loops(self.body, |edge| edges.contains(&edge)) {
            let inside = |id: &EdgeId| {
                let edge = &self.body.edges()[*id];
                part.contains(&edge.from) && part.contains(&edge.to)
            };
            let edges: BTreeSet<EdgeId> = edges.iter().copied().filter(inside).collect();
            let head = part.first().copied();
            let left = self.left.get();
            self.left.set(left.saturating_sub(1));
            let ranked = left > 0 && depth < DEEPEST && self.part(&edges, depth);
            open.extend(head.filter(|_| !ranked));
        }
    }

    /// Does every run leave a part?
    fn part(&self, edges: &BTreeSet<EdgeId>, depth: usize) -> bool {
        self.counts(edges, depth) || self.decides(edges, depth)
    }

    /// What nothing changes in a part is decided the same way each time.
    fn decides(&self, edges: &BTreeSet<EdgeId>, depth: usize) -> bool {
        let conditions = edges
            .iter()
            .filter_map(|id| match self.body.edges()[*id].stmt {
                Stmt::Assume(e) => Some((*id, e)),
                _ => None,
            });
        let conditions: Vec<(EdgeId, ExprId)> = conditions.collect();
        for (at, (_, yes)) in conditions.iter().enumerate() {
            let (ExprKind::Compare(op, a, b), true) =
                (&self.body.exprs[*yes].kind, self.is_fixed(edges, *yes))
            else {
                continue;
            };
            let is_no = |e: ExprId| match self.body.exprs[e].kind {
                ExprKind::Compare(other, x, y) => (x, y) == (*a, *b) && op.negated() == Some(other),
                _ => false,
            };
            let is_float = self.types.as_float(self.body.exprs[*a].ty).is_some();
            if is_float || !conditions[at..].iter().any(|(_, e)| is_no(*e)) {
                continue;
            }
            let mut open = BTreeSet::new();
            for gone in [&|e: ExprId| e == *yes, &is_no as &dyn Fn(ExprId) -> bool] {
                let gone: BTreeSet<EdgeId> = conditions
                    .iter()
                    .filter(|(_, e)| gone(*e))
                    .map(|(id, _)| *id)
                    .collect();
                let rest = edges.difference(&gone).copied().collect();
                self.parts(&rest, depth + 1, &mut open);
            }
            if open.is_empty() {
                return true;
            }
        }
        false
    }

    /// Does something count towards an end?
    fn counts(&self, edges: &BTreeSet<EdgeId>, depth: usize) -> bool {
        for v in self.body.vars.ids() {
            let Some((moves, way)) = self.moves(edges, v) else {
                continue;
            };
            let guards = self.guards(edges, v);
            let guards: Vec<Guard> = guards.into_iter().filter(|g| g.way == way).collect();
            let room = guards.iter().map(|g| g.room).min().unwrap_or(0);
            if guards.is_empty() || moves.iter().any(|(_, step)| *step > room) {
                continue;
            }
            let guards: BTreeSet<EdgeId> = guards.iter().map(|g| g.edge).collect();
            let moves: BTreeSet<EdgeId> = moves.iter().map(|(edge, _)| *edge).collect();
            let without = |gone: &BTreeSet<EdgeId>| -> BTreeSet<EdgeId> {
                edges.difference(gone).copied().collect()
            };
            let unguarded = without(&guards);
            if self.meet(&unguarded, &moves) {
                continue;
            }
            let mut open = BTreeSet::new();
            self.parts(&unguarded, depth + 1, &mut open);
            self.parts(&without(&moves), depth + 1, &mut open);
            if open.is_empty() {
                return true;
            }
        }
        false
    }

    /// Do these edges lead from one of the moves to one?
    fn meet(&self, edges: &BTreeSet<EdgeId>, moves: &BTreeSet<EdgeId>) -> bool {
        let all = self.body.edges();
        let mut seen: BTreeSet<NodeId> = moves.iter().map(|m| all[*m].to).collect();
        let mut open: Vec<NodeId> = seen.iter().copied().collect();
        while let Some(node) = open.pop() {
            for (id, edge) in self.body.out_edges(node) {
                if moves.contains(&id) {
                    return true;
                }
                if edges.contains(&id) && seen.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        false
    }

    /// The edges that compare a variable with what does not change.
    fn guards(&self, edges: &BTreeSet<EdgeId>, v: VarId) -> Vec<Guard> {
        let guard = |&edge: &EdgeId| {
            let Stmt::Assume(condition) = self.body.edges()[edge].stmt else {
                return None;
            };
            let ExprKind::Compare(op, a, b) = self.body.exprs[condition].kind else {
                return None;
            };
            let (op, bound) = match (self.is_var(a, v), self.is_var(b, v)) {
                (true, false) => (op, b),
                (false, true) => (mirrored(op), a),
                _ => return None,
            };
            if !self.is_fixed(edges, bound) {
                return None;
            }
            let (width, signed) = self.types.as_int(self.body.vars[v].ty)?;
            let (least, most) = limits(width, signed)?;
            let constant = match self.body.exprs[bound].kind {
                ExprKind::Int(bits) => Some(ir::int_value(bits, width, signed)),
                _ => None,
            };
            // A value that passes the test can still be moved so far.
            let (way, room) = match op {
                CompareOp::Lt => (Way::Up, constant.map_or(1, |n| most - n + 1)),
                CompareOp::Le => (Way::Up, constant.map_or(0, |n| most - n)),
                CompareOp::Gt => (Way::Down, constant.map_or(1, |n| n - least + 1)),
                CompareOp::Ge => (Way::Down, constant.map_or(0, |n| n - least)),
                // Beyond the last number there is none.
                CompareOp::Ne if constant == Some(least) => (Way::Down, 1),
                CompareOp::Ne if constant == Some(most) => (Way::Up, 1),
                _ => return None,
            };
            let constant = constant.is_some();
            (room > 0).then_some(Guard {
                edge,
                way,
                room,
                constant,
            })
        };
        edges.iter().filter_map(guard).collect()
    }

    /// Does a function that calls itself count a parameter towards an end?
    fn recursion_ends(&self, f: FuncId) -> bool {
        let all: BTreeSet<EdgeId> = self.body.edges().iter().map(|(id, _)| id).collect();
        let mut calls: Vec<(NodeId, &ir::Call)> = Vec::new();
        for edge in self.body.edges().values() {
            if let Stmt::Call(call) = &edge.stmt {
                match call.callee {
                    ir::Callee::Direct(g) if g == f => calls.push((edge.from, call)),
                    ir::Callee::Direct(_) => {}
                    // It may be meant, too.
                    ir::Callee::Indirect(_) => return false,
                }
            }
        }
        (0..).zip(&self.body.params).any(|(position, v)| {
            let var = &self.body.vars[*v];
            let mut statements = self.body.edges().values().map(|edge| &edge.stmt);
            if var.address_taken || statements.any(|stmt| self.writes(stmt, *v)) {
                return false;
            }
            let step = |call: &ir::Call| {
                let argument: &ExprId = call.args.get(position)?;
                self.step(*argument, *v).filter(|step| *step != 0)
            };
            let Some(steps) = calls
                .iter()
                .map(|(_, c)| step(c))
                .collect::<Option<Vec<_>>>()
            else {
                return false;
            };
            let way = match (steps.iter().all(|s| *s > 0), steps.iter().all(|s| *s < 0)) {
                (true, _) => Way::Up,
                (_, true) => Way::Down,
                _ => return false,
            };
            let longest = steps.iter().map(|step| step.abs()).max().unwrap_or(0);
            let guards = self.guards(&all, *v).into_iter();
            // What is fixed in one call may be another in the next.
            let fits = |g: &Guard| g.constant && g.way == way && g.room >= longest;
            let guards: BTreeSet<EdgeId> = guards.filter(fits).map(|g| g.edge).collect();
            let unguarded = self.reached(&guards);
            !calls.iter().any(|(node, _)| unguarded.contains(node))
        })
    }

    /// The nodes that are reached without these edges.
    fn reached(&self, without: &BTreeSet<EdgeId>) -> BTreeSet<NodeId> {
        let mut seen = BTreeSet::from([self.body.entry]);
        let mut open = vec![self.body.entry];
        while let Some(node) = open.pop() {
            for (id, edge) in self.body.out_edges(node) {
                if !without.contains(&id) && seen.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        seen
    }

    /// Does nothing in these edges change a value? It is a constant, or made of variables that nobody writes there.
    fn is_fixed(&self, edges: &BTreeSet<EdgeId>, e: ExprId) -> bool {
        match self.body.exprs[e].kind {
            ExprKind::Int(_) => true,
            ExprKind::Cast(inner) => self.is_fixed(edges, inner),
            ExprKind::Compare(_, a, b) => self.is_fixed(edges, a) && self.is_fixed(edges, b),
            ExprKind::Binary(
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::WrapAdd
                | BinaryOp::WrapSub
                | BinaryOp::WrapMul,
                a,
                b,
            ) => self.is_fixed(edges, a) && self.is_fixed(edges, b),
            ExprKind::Load(place) => {
                let Some(v) = self.body.places[place].as_var() else {
                    return false;
                };
                let mut statements = edges.iter().map(|id| &self.body.edges()[*id].stmt);
                !self.body.vars[v].address_taken && !statements.any(|stmt| self.writes(stmt, v))
            }
            _ => false,
        }
    }
}

/// Parts of one body that are looked at.
const PARTS: usize = 3000;

/// Variables, one for each level of loops that depend on each other.
const DEEPEST: usize = 8;

/// The same with its sides exchanged.
fn mirrored(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Lt => CompareOp::Gt,
        CompareOp::Le => CompareOp::Ge,
        CompareOp::Gt => CompareOp::Lt,
        CompareOp::Ge => CompareOp::Le,
        op => op,
    }
}

/// The least and the most of a type.
fn limits(width: u16, signed: bool) -> Option<(i128, i128)> {
    match (width, signed) {
        (1..=64, true) => Some((-(1 << (width - 1)), (1 << (width - 1)) - 1)),
        (1..=64, false) => Some((0, (1 << width) - 1)),
        _ => None,
    }
}
