//! The pass that puts checks into a program.
//!
//! A check goes on an edge of its own, in front of the statement it guards:
//!
//! ```text
//!     n ── *p = 1 ──▶ m          n ── check p != null ──▶ n' ── *p = 1 ──▶ m
//! ```
//!
//! Node `n` keeps its number and what enters it, so that entry, labels and handlers stay where
//! they were; the edges that left it now leave the new node `n'`.
//!
//! Several edges may leave a node. The two sides of a branch, and the outcomes of one call, are
//! one step of the program that is evaluated once: its checks come once, before the edges part.
//! Other edges that leave the same node are a free choice, and what one of them would violate is
//! no error of the others: each gets its own checks.

use crate::context::{Context, Tables, function_infos};
use crate::facts::Facts;
use crate::visit::{Event, EventKind, Visitor};
use crate::{Rule, Selection, all};
use ir::arena::Id;
use ir::{Body, Edge, NodeId, Program, Span, Stmt, Symbol};

/// Puts the checks of the selected rules (and of those that are always checked) into every body.
/// The program must be one whose ids are in range, as every builder and parser makes them.
/// To be called once: a second call would check everything twice.
pub fn instrument(program: &mut Program, selection: Selection) {
    let mut listeners: Listeners = Default::default();
    for &rule in all() {
        let id = rule.meta().id;
        if selection.checks(id) {
            let symbol = program.symbols.intern(id);
            for &kind in rule.listens() {
                listeners[kind as usize].push((rule, symbol));
            }
        }
    }
    let functions = function_infos(&program.functions);
    let mut pass = Pass {
        listeners,
        visitor: Visitor::new(),
        events: Vec::new(),
    };
    let Program {
        types,
        globals,
        symbols,
        functions: all_functions,
        ..
    } = program;
    for (_, function) in all_functions.iter_mut() {
        if let Some(body) = &mut function.body {
            let tables = Tables {
                types,
                globals,
                symbols,
                functions: &functions,
            };
            pass.body(tables, body);
        }
    }
}

type Listeners = [Vec<(&'static dyn Rule, Symbol)>; EventKind::COUNT];

struct Pass {
    listeners: Listeners,
    visitor: Visitor,
    events: Vec<Event>,
}

impl Pass {
    fn body(&mut self, tables: Tables<'_>, body: &mut Body) {
        let old = body.take_edges();
        let mut new = Edges::new(body.node_count, old.len());
        let facts = Facts::of(tables.types, tables.functions, body, &old);
        self.visitor.enter(body);
        let mut cx = Context::new(tables, body, facts);

        let mut rest = old.into_iter().peekable();
        let mut group: Vec<Edge> = Vec::new();
        while let Some(first) = rest.next() {
            let from = first.from;
            group.push(first);
            while let Some(e) = rest.next_if(|e| e.from == from) {
                group.push(e);
            }
            if is_one_step(&group) {
                self.visitor.begin();
                cx.begin();
                for e in &group {
                    self.statement(&mut cx, &e.stmt);
                }
                let span = group[0].span;
                let end = flush(&mut cx, from, span, &mut new);
                for e in group.drain(..) {
                    new.push(Edge { from: end, ..e });
                }
            } else {
                for e in group.drain(..) {
                    self.visitor.begin();
                    cx.begin();
                    self.statement(&mut cx, &e.stmt);
                    let end = flush(&mut cx, from, e.span, &mut new);
                    new.push(Edge { from: end, ..e });
                }
            }
        }
        drop(cx);
        body.set_edges(new.into_sorted());
    }

    /// Shows what the statement does to the rules.
    fn statement(&mut self, cx: &mut Context<'_>, stmt: &Stmt) {
        self.events.clear();
        self.visitor.visit(cx.view(), stmt, &mut self.events);
        for event in &self.events {
            for &(rule, symbol) in &self.listeners[event.kind() as usize] {
                cx.set_rule(symbol);
                rule.check(event, cx);
            }
        }
    }
}

/// The new edges, kept in the order of their source nodes: both the nodes that were there and the
/// new ones, whose numbers are higher, are visited in rising order.
struct Edges {
    old_nodes: u32,
    from_old: Vec<Edge>,
    from_new: Vec<Edge>,
}

impl Edges {
    fn new(old_nodes: u32, edges: usize) -> Self {
        Edges {
            old_nodes,
            from_old: Vec::with_capacity(edges),
            from_new: Vec::with_capacity(edges * 2),
        }
    }

    fn push(&mut self, e: Edge) {
        if e.from.0 < self.old_nodes {
            self.from_old.push(e);
        } else {
            self.from_new.push(e);
        }
    }

    fn into_sorted(mut self) -> Vec<Edge> {
        // Bodies are kept: no room to spare.
        self.from_old.reserve_exact(self.from_new.len());
        self.from_old.append(&mut self.from_new);
        self.from_old
    }
}

/// Are the edges that leave a node the sides of one branch, or the outcomes of one call?
fn is_one_step(edges: &[Edge]) -> bool {
    match edges {
        [] | [_] => true,
        [first, rest @ ..] => match &first.stmt {
            Stmt::Assume(_) => rest.iter().all(|e| matches!(e.stmt, Stmt::Assume(_))),
            Stmt::Call(call) => rest.iter().all(|e| match &e.stmt {
                Stmt::Call(c) => c.callee == call.callee && c.args == call.args,
                _ => false,
            }),
            _ => false,
        },
    }
}

/// Puts the collected checks behind node `from`; the node where they end.
fn flush(cx: &mut Context<'_>, from: NodeId, span: Span, edges: &mut Edges) -> NodeId {
    let mut checks = std::mem::take(cx.checks());
    let body = cx.body();
    let mut at = from;
    for check in checks.drain(..) {
        let id = body.checks.push(check);
        let to = NodeId::from_index(body.node_count as usize);
        body.node_count += 1;
        edges.push(Edge {
            from: at,
            to,
            stmt: Stmt::Check(id),
            span,
        });
        at = to;
    }
    // Hands the allocation back.
    *cx.checks() = checks;
    at
}
