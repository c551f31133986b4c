//! The pass that puts checks into a program.
//!
//! A check goes on an edge of its own, in front of the statement it guards:
//!
//! ```text
//!     n ── *p = 1 ──▶ m          n ── check p != null ──▶ n' ── *p = 1 ──▶ m
//! ```
//!
//! Node `n` keeps what enters it, so that entry, labels and handlers are where they were: a jump
//! to a label passes the checks behind it. The edges that left `n` now leave the new node `n'`.
//! Nodes are numbered anew, each followed by the nodes that were put behind it, so that a body
//! still reads from top to bottom.
//!
//! Several edges may leave a node. The two sides of a branch, and the outcomes of one call, are
//! one step of the program that is evaluated once: its checks come once, before the edges part.
//! Other edges that leave the same node are a free choice, and what one of them would violate is
//! no error of the others: each gets its own checks.
//!
//! A call that only says something to a rule (`__rigel_assert(c)`) has said it then: a `skip` stays.

use crate::beyond::{Beyond, Kept};
use crate::context::{Context, Tables, function_infos};
use crate::endless::Loops;
use crate::facts::Facts;
use crate::rules::assertion::is_annotation;
use crate::visit::{Event, EventKind, View, Visitor, types_along};
use crate::{Rule, Selection, all, endless, leak, models, needs, temporal};
use ir::arena::Id;
use ir::{
    Arena, Base, Body, CallOutcome, Callee, Edge, FuncId, Function, Global, GlobalId, NodeId,
    Program, Span, Stmt, Symbol, Type, TypeId, TypeTable,
};
use rayon::prelude::*;

/// Puts the checks of these rules into every body. For rules to show, that is [`Selection::checked`] of them.
/// The program must be one whose ids are in range, as every builder and parser makes them.
/// To be called once: a second call would check everything twice.
/// Of loops it knows what they show by themselves: [`instrument_asking`].
pub fn instrument(program: &mut Program, selection: Selection) {
    instrument_asking(program, selection, &endless::Nobody);
}

/// The same, with somebody who knows from where loops never end.
pub fn instrument_asking(program: &mut Program, selection: Selection, loops: &dyn Loops) {
    let mut listeners: Listeners = Default::default();
    for &rule in all() {
        let id = rule.meta().id;
        if selection.shows(id) {
            let symbol = program.symbols.intern(id);
            for &kind in rule.listens() {
                listeners[kind as usize].push((rule, symbol));
            }
        }
    }
    crate::believed::believe(program);
    let asks_sizes = !listeners[EventKind::Range as usize].is_empty();
    let measuring = match asks_sizes {
        true => needs::declare(
            &mut program.types,
            &mut program.symbols,
            &mut program.functions,
        ),
        false => Default::default(),
    };
    let models = models::models(program).unwrap_or_default();
    let infos = function_infos(program);
    let Program {
        types,
        globals,
        symbols,
        functions,
        ..
    } = program;
    make_types(types, globals, functions);
    let most = match measuring {
        [None, None] => 0,
        _ => needs::most(symbols, functions),
    };
    let lengths: Vec<Symbol> = (0..most)
        .map(|n| symbols.intern(&needs::length_name(n)))
        .collect();
    let tables = Tables {
        types,
        globals,
        symbols,
        functions: &infos,
        measuring,
        lengths: &lengths,
    };
    let pass = || Pass {
        listeners: &listeners,
        in_model: false,
        visitor: Visitor::new(),
        events: Vec::new(),
    };
    let all_functions = functions.as_mut_slice().par_iter_mut();
    all_functions
        .enumerate()
        .for_each_init(pass, |pass, (at, function)| {
            pass.in_model = models.get(at).copied().unwrap_or(false);
            if let Some(body) = &mut function.body {
                let is_main = symbols.name(function.name) == "main";
                pass.body(tables, body, is_main);
            }
        });
    let automata: Vec<_> = all()
        .iter()
        .filter(|rule| selection.shows(rule.meta().id))
        .flat_map(|rule| rule.automata().iter().map(|a| (rule.meta().id, a)))
        .collect();
    temporal::weave(program, &automata);
    let owned: Vec<_> = all()
        .iter()
        .filter(|rule| selection.shows(rule.meta().id) && !rule.owns().is_empty())
        .map(|rule| (rule.meta().id, rule.owns()))
        .collect();
    leak::weave(program, &owned);
    for rule in all().iter().filter(|rule| rule.asks_of_loops()) {
        if selection.shows(rule.meta().id) {
            endless::weave(program, rule.meta().id, loops);
        }
    }
    if models.contains(&true) {
        models::expand(program, &models);
    }
}

/// Makes the types that conditions may need besides those that are there: pointers to what has places, and
/// integers without a sign. They are made before, and in order, so that bodies can be rewritten side by side.
fn make_types(
    types: &mut TypeTable,
    globals: &Arena<GlobalId, Global>,
    functions: &Arena<FuncId, Function>,
) {
    let mut pointed_to = vec![false; types.len()];
    let mut mark = |ty: TypeId| {
        if let Some(seen) = pointed_to.get_mut(ty.index()) {
            *seen = true;
        }
    };
    mark(TypeId::VOID);
    for body in functions.values().filter_map(|f| f.body.as_ref()) {
        let view = View {
            types,
            globals,
            body,
        };
        for (id, place) in body.places.iter() {
            if !matches!(place.base, Base::Deref(_)) || !place.projections.is_empty() {
                types_along(view, id).for_each(&mut mark);
                mark(place.ty);
            }
        }
    }
    for (ty, _) in pointed_to.iter().enumerate().filter(|(_, seen)| **seen) {
        types.pointer_to(TypeId::from_index(ty));
    }
    let ints: Vec<u16> = types
        .iter()
        .filter_map(|(_, ty)| match ty {
            Type::Int {
                width,
                signed: true,
            } => Some(*width),
            _ => None,
        })
        .collect();
    for width in ints {
        types.int(width, false);
    }
}

type Listeners = [Vec<(&'static dyn Rule, Symbol)>; EventKind::COUNT];

struct Pass<'a> {
    listeners: &'a Listeners,
    visitor: Visitor,
    events: Vec<Event>,
    /// The body at hand is a model.
    in_model: bool,
}

impl Pass<'_> {
    fn body(&mut self, tables: Tables<'_>, body: &mut Body, is_main: bool) {
        let mut old = body.take_edges();
        let facts = Facts::of(tables.types, tables.functions, body, &old);
        let listens = |kind: EventKind| !self.listeners[kind as usize].is_empty();
        let beyond = match listens(EventKind::Leave) && !self.in_model {
            true => Beyond::of(tables.types, body, &old, is_main, |f| {
                let info = tables.functions.get(f.0 as usize);
                info.map_or("", |f| tables.symbols.name(f.name))
            }),
            false => Beyond::default(),
        };
        let kept = beyond.kept.clone();
        if !kept.is_empty() {
            leave_at_last(body, &mut old);
        }
        let exit = body.exit;
        let mut new = Rebuilt::new(body.node_count, old.len());
        self.visitor.enter(body);
        let mut cx = Context::new(tables, body, facts, beyond);

        let mut rest = old.into_iter().peekable();
        let mut group: Vec<Edge> = Vec::new();
        while let Some(first) = rest.next() {
            let from = first.from;
            group.push(first);
            while let Some(e) = rest.next_if(|e| e.from == from) {
                group.push(e);
            }
            let old = from;
            let from = new.node(from);
            if is_one_step(&group) {
                self.visitor.begin();
                cx.begin(old, group[0].span);
                for e in &group {
                    self.statement(&mut cx, &e.stmt);
                }
                let mut end = new.checks(from, &mut cx, group[0].span);
                if !kept.is_empty() && group[0].to == exit {
                    end = self.leave(&mut cx, &mut new, end, &kept);
                }
                for e in group.drain(..) {
                    new.keep(end, heard(&cx, e));
                }
            } else {
                for e in group.drain(..) {
                    self.visitor.begin();
                    cx.begin(old, e.span);
                    self.statement(&mut cx, &e.stmt);
                    let end = new.checks(from, &mut cx, e.span);
                    new.keep(end, heard(&cx, e));
                }
            }
        }
        drop(cx);
        new.finish(body);
    }

    /// Shows the rules that the function is left, each check at the place of what it is about.
    fn leave(
        &mut self,
        cx: &mut Context<'_>,
        new: &mut Rebuilt,
        mut from: NodeId,
        kept: &[Kept],
    ) -> NodeId {
        for k in kept {
            let event = Event::Leave {
                kept: k.place,
                local: k.local,
            };
            for &(rule, symbol) in &self.listeners[EventKind::Leave as usize] {
                cx.set_rule(symbol, rule.ends_runs());
                rule.check(&event, cx);
            }
            from = new.checks(from, cx, k.span);
        }
        from
    }

    /// Shows what the statement does to the rules.
    fn statement(&mut self, cx: &mut Context<'_>, stmt: &Stmt) {
        if let Stmt::Call(call) = stmt {
            cx.set_args(&call.args);
        }
        self.events.clear();
        self.visitor.visit(cx.view(), stmt, &mut self.events);
        for event in &self.events {
            for &(rule, symbol) in &self.listeners[event.kind() as usize] {
                if !self.in_model || rule.checks_models() {
                    cx.set_rule(symbol, rule.ends_runs());
                    rule.check(event, cx);
                }
            }
        }
    }
}

/// Makes the end of a variable, or nothing, the last that a body does: whatever it does else is done before it is left.
fn leave_at_last(body: &mut Body, edges: &mut Vec<Edge>) {
    let (exit, last) = (body.exit, NodeId(body.node_count));
    let mut span = None;
    for edge in edges.iter_mut() {
        if edge.to == exit && !matches!(edge.stmt, Stmt::End(_)) {
            edge.to = last;
            span = Some(edge.span);
        }
    }
    if let Some(span) = span {
        body.node_count += 1;
        edges.push(Edge {
            from: last,
            to: exit,
            stmt: Stmt::Skip,
            span,
        });
    }
}

/// Nodes and edges of a body that is being rewritten.
pub(crate) struct Rebuilt {
    edges: Vec<Edge>,
    /// The edges whose target still has its old number.
    kept: Vec<u32>,
    /// The new numbers of the old nodes so far.
    nodes: Vec<NodeId>,
    node_count: u32,
}

impl Rebuilt {
    pub fn new(nodes: u32, edges: usize) -> Self {
        Rebuilt {
            edges: Vec::with_capacity(edges * 2),
            kept: Vec::with_capacity(edges),
            nodes: Vec::with_capacity(nodes as usize),
            node_count: 0,
        }
    }

    pub fn fresh(&mut self) -> NodeId {
        self.node_count += 1;
        NodeId(self.node_count - 1)
    }

    /// The new number of an old node; to be asked for in rising order.
    pub fn node(&mut self, old: NodeId) -> NodeId {
        while self.nodes.len() <= old.index() {
            let new = self.fresh();
            self.nodes.push(new);
        }
        self.nodes[old.index()]
    }

    /// Puts the checks that were asked for behind node `from`; the node where they end. A way on leads past those of rules at whose
    /// errors no run ends.
    fn checks(&mut self, from: NodeId, cx: &mut Context<'_>, span: Span) -> NodeId {
        let mut at = from;
        for measuring in cx.take_measuring() {
            at = self.step(at, measuring, span);
        }
        for (id, ends_run) in cx.take_checks() {
            at = match ends_run {
                true => self.step(at, Stmt::Check(id), span),
                false => self.beside(at, Stmt::Check(id), span),
            };
        }
        at
    }

    /// Puts a statement behind a node, and beside a check a way on, to the same place. A program that has lost something, or returns an
    /// address that dangles, goes on: what else is wrong with it, in this function or in its callers, must not be taken for what no run
    /// comes to. Whoever takes that way has come to the check all the same.
    pub fn beside(&mut self, from: NodeId, stmt: Stmt, span: Span) -> NodeId {
        let is_check = matches!(stmt, Stmt::Check(_));
        let to = self.step(from, stmt, span);
        if is_check {
            self.join(from, to, Stmt::Skip, span);
        }
        to
    }

    /// Puts a statement behind a node; the node where it ends.
    pub fn step(&mut self, from: NodeId, stmt: Stmt, span: Span) -> NodeId {
        let to = self.fresh();
        self.join(from, to, stmt, span);
        to
    }

    /// Puts a statement between two nodes that are new.
    pub fn join(&mut self, from: NodeId, to: NodeId, stmt: Stmt, span: Span) {
        self.edges.push(Edge {
            from,
            to,
            stmt,
            span,
        });
    }

    /// Puts an edge of the body behind a node.
    pub fn keep(&mut self, from: NodeId, edge: Edge) {
        self.kept.push(self.edges.len() as u32);
        self.edges.push(Edge { from, ..edge });
    }

    /// Puts everything into the body. Bodies are kept for long: no room to spare.
    pub fn finish(mut self, body: &mut Body) {
        if let Some(last) = body.node_count.checked_sub(1) {
            self.node(NodeId(last));
        }
        let new = |old: NodeId| self.nodes.get(old.index()).copied().unwrap_or(old);
        for &i in &self.kept {
            let e = &mut self.edges[i as usize];
            e.to = new(e.to);
        }
        body.entry = new(body.entry);
        body.exit = new(body.exit);
        body.unwind = body.unwind.map(new);
        for label in &mut body.labels {
            *label = new(*label);
        }
        body.node_count = self.node_count;
        self.edges.shrink_to_fit();
        body.set_edges(self.edges);
    }
}

/// The edge, with nothing on it if it was an annotation.
fn heard(cx: &Context<'_>, edge: Edge) -> Edge {
    let is_annotation = match &edge.stmt {
        Stmt::Call(call) if call.result.is_none() && call.outcome == CallOutcome::Return => {
            match call.callee {
                Callee::Direct(f) => is_annotation(cx.function_name(f)),
                Callee::Indirect(_) => false,
            }
        }
        _ => false,
    };
    match is_annotation {
        true => Edge {
            stmt: Stmt::Skip,
            ..edge
        },
        false => edge,
    }
}

/// Are the edges that leave a node the sides of one branch, or the outcomes of one call?
pub(crate) fn is_one_step(edges: &[Edge]) -> bool {
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
