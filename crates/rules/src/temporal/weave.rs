//! Puts an automaton into a body, so that its error is a check like any other.
//!
//! ```text
//!     free(p);          check  state == freed  ⇒  p != value
//!                       value = p;  state = p != null ? freed : idle
//!                       free(p);
//! ```
//!
//! Each instance ([`super::plan`]) has a ghost for its state and one for its value. What a label does
//! is written as expressions, without a branch: a branch on a value of the program would be a test
//! that the program never made, and level 1 takes tests for evidence; and every branch is a place
//! where states meet. All instances are asked in one check, so that one error is reported once.
//!
//! The comparison `p != value` is a part of the check and no assumption before it. That two pointers
//! *could* be equal makes it latent; it fails where they are known to be: copies, the same
//! address, or, for a field, what was noted when it started (`assume s->p == value`) and not
//! written since.

use super::ghost::{Ghost, Maker, followed_type};
use super::label::{Outcome, Site, Subject};
use super::machine::Machine;
use super::plan::{Instance, Plan, leads};
use crate::instrument::Rebuilt;
use ir::program::SymbolTable;
use ir::{
    Body, CallOutcome, Edge, ExprId, NodeId, PlaceId, Span, Stmt, Symbol, Type, TypeId, TypeTable,
};
use std::collections::BTreeMap;

/// Puts the automaton in where the plan says.
pub(super) fn weave(
    types: &TypeTable,
    symbols: &mut SymbolTable,
    rule: &str,
    taken: &mut usize,
    machine: &Machine,
    plan: &Plan,
    body: &mut Body,
) {
    let symbol = symbols.intern(rule);
    let mut maker = Maker::new(types, body);
    let expr = |maker: &mut Maker<'_>, value: Subject| match value {
        Subject::Expr(e) => e,
        Subject::Content(place) => maker.load(place),
    };
    let sites = plan.sites.iter();
    let values: Vec<Option<ExprId>> = sites
        .map(|site| site.value.map(|value| expr(&mut maker, value)))
        .collect();
    let begun: Vec<Option<ExprId>> = plan
        .instances
        .iter()
        .map(|instance| instance.value.map(|value| expr(&mut maker, value)))
        .collect();
    let ghosts: Vec<Ghost> = plan
        .instances
        .iter()
        .zip(&begun)
        .map(|(instance, value)| {
            let value = value.map(|v| maker.type_of(v));
            let ty = value.and_then(|ty| followed_type(types, ty));
            let start = instance.start.map(|start| &plan.sites[start]);
            let given = start.and_then(|site| unseen_outcome(types, maker.body, site));
            *taken += 1;
            maker.ghost(symbols, rule, *taken - 1, machine, ty, given)
        })
        .collect();
    let edges = maker.body.take_edges();
    let leads = leads(&edges);
    let new = Rebuilt::new(maker.body.node_count, edges.len());
    let mut weaver = Weaver {
        machine,
        plan,
        rule: symbol,
        maker,
        values,
        ghosts,
        new,
        unseen: BTreeMap::new(),
    };
    weaver.unseen(symbols, rule, *taken, &edges);
    weaver.begin(&begun);
    let mut ends: Option<(usize, NodeId)> = None;
    for (at, edge) in edges.into_iter().enumerate() {
        let from = weaver.new.node(edge.from);
        let lead = leads[at];
        // The edges of one step leave the node behind what stands before them.
        let end = match ends {
            Some((of, end)) if of == lead => end,
            _ => weaver.sites(lead, false, from, edge.span),
        };
        ends = Some((lead, end));
        weaver.edge(at, lead, end, edge);
    }
    let Weaver { maker, new, .. } = weaver;
    new.finish(maker.body);
    maker.body.entry = NodeId(0);
}

/// The place that shows how a call came out, and which way is awaited.
#[derive(Clone, Copy)]
struct Awaited {
    place: PlaceId,
    outcome: Outcome,
}

pub(super) struct Weaver<'a> {
    pub(super) machine: &'a Machine,
    pub(super) plan: &'a Plan,
    pub(super) rule: Symbol,
    pub(super) maker: Maker<'a>,
    /// Of each site.
    pub(super) values: Vec<Option<ExprId>>,
    /// Of each instance.
    pub(super) ghosts: Vec<Ghost>,
    pub(super) new: Rebuilt,
    /// By edge: where the result of a call goes that the program does not look at.
    pub(super) unseen: BTreeMap<usize, PlaceId>,
}

impl Weaver<'_> {
    /// In front of everything: nothing has happened yet.
    fn begin(&mut self, begun: &[Option<ExprId>]) {
        let mut stmts = Vec::new();
        for (i, ghost) in self.ghosts.clone().into_iter().enumerate() {
            let instance = &self.plan.instances[i];
            let entered = instance.start.is_none().then_some(instance.state);
            for (state, slot) in (1..).zip(ghost.states()) {
                let flag = self.maker.flag(entered == Some(state));
                stmts.push(assign(slot.place, flag));
            }
            if let Some(value) = ghost.value {
                let first = match (entered, begun[i]) {
                    (Some(_), Some(v)) => self.maker.converted(v, value.ty),
                    _ => self.maker.zero(value.ty),
                };
                stmts.push(assign(value.place, first));
            }
        }
        let mut at = self.new.fresh();
        let last = stmts.pop();
        for stmt in stmts {
            at = self.new.step(at, stmt, Span::NONE);
        }
        if let Some(stmt) = last {
            let entry = Edge {
                from: at,
                to: self.maker.body.entry,
                stmt,
                span: Span::NONE,
            };
            self.new.keep(at, entry);
        }
    }

    /// The edge itself, and what stands behind its statement.
    fn edge(&mut self, at: usize, lead: usize, from: NodeId, mut edge: Edge) {
        if let Stmt::Call(call) = &mut edge.stmt
            && call.result.is_none()
        {
            call.result = self.outcome(lead).or(self.unseen.get(&at).copied());
        }
        let waiting = self.waiting(lead, &edge.stmt);
        let turns = self.turns(at, &edge.stmt);
        let mut stmts = self.statements(at, true);
        // Behind a branch its two sides need a place to meet.
        if stmts.is_empty() && !(waiting.is_empty() && turns.is_empty()) {
            stmts.push(Stmt::Skip);
        }
        let Some(last) = stmts.pop() else {
            return self.new.keep(from, edge);
        };
        let (to, span) = (edge.to, edge.span);
        let mut node = self.new.step(from, edge.stmt, span);
        for (i, outcome) in waiting {
            node = self.wait(i, outcome, node, span);
        }
        node = self.turn(&turns, node, span);
        for stmt in stmts {
            node = self.put(node, stmt, span);
        }
        let mut stmt = last;
        if self.machine.goes_on && matches!(stmt, Stmt::Check(_)) {
            node = self.put(node, stmt, span);
            stmt = Stmt::Skip;
        }
        self.new.keep(
            node,
            Edge {
                from: node,
                to,
                stmt,
                span,
            },
        );
    }

    /// Where the outcome of a call goes that the program does not look at, and an instance waits for.
    fn outcome(&self, lead: usize) -> Option<PlaceId> {
        let instances = self.plan.instances.iter().zip(&self.ghosts);
        let starts = |i: &Instance| i.start.is_some_and(|s| self.plan.sites[s].edge == lead);
        let mut here = instances.filter(|(i, _)| starts(i));
        here.find_map(|(_, ghost)| ghost.given.map(|given| given.place))
    }

    /// The instances that start if the call of this step has the outcome they wait for, and where
    /// that can be seen.
    fn waiting(&self, lead: usize, stmt: &Stmt) -> Vec<(usize, Option<Awaited>)> {
        let Stmt::Call(call) = stmt else {
            return Vec::new();
        };
        if call.outcome != CallOutcome::Return {
            return Vec::new();
        }
        let instances = self.plan.instances.iter().enumerate();
        instances
            .filter_map(|(i, instance)| {
                let site = self.plan.sites[instance.start?];
                (site.edge == lead && !site.after && site.waits()).then_some((
                    i,
                    call.result.map(|result| Awaited {
                        place: result,
                        outcome: site.outcome,
                    }),
                ))
            })
            .collect()
    }

    /// Starts an instance behind a call if it came out as awaited.
    ///
    /// A number that is zero decides by a branch, so that level 1 knows state and number
    /// together: `while (close(fd) != 0)`. A branch on a pointer would be a test for null, and
    /// evidence that it can be: there the state is chosen without one.
    fn wait(&mut self, i: usize, outcome: Option<Awaited>, at: NodeId, span: Span) -> NodeId {
        let instance = &self.plan.instances[i];
        let Some(start) = instance.start else {
            return at;
        };
        let site = self.plan.sites[start];
        let state = self.ghosts[i].state(instance.state).place;
        let started = self.started(i, &site);
        let Some(Awaited { place, outcome }) = outcome else {
            // It gives nothing: there is only one outcome.
            return self.new.step(at, assign(state, started), span);
        };
        let given = self.maker.load(place);
        let nothing = self.maker.zero(self.maker.type_of(given));
        let (yes, no) = outcome.comparison();
        let came = self.maker.compare(yes, given, nothing);
        let idle = self.maker.flag(false);
        if self.maker.types.is_pointer(self.maker.type_of(given)) {
            let chosen = self.maker.select(came, started, idle);
            return self.new.step(at, assign(state, chosen), span);
        }
        let failed = self.maker.compare(no, given, nothing);
        let success = self.new.step(at, Stmt::Assume(came), span);
        let end = self.new.step(success, assign(state, started), span);
        let failure = self.new.step(at, Stmt::Assume(failed), span);
        self.new.join(failure, end, assign(state, idle), span);
        end
    }

    /// Puts what the sites of an edge do behind a node; the node where it ends.
    fn sites(&mut self, edge: usize, after: bool, mut at: NodeId, span: Span) -> NodeId {
        for stmt in self.statements(edge, after) {
            at = self.put(at, stmt, span);
        }
        at
    }

    /// Puts a statement behind a node; beside a check, a way on for runs that go on.
    pub(super) fn put(&mut self, from: NodeId, stmt: Stmt, span: Span) -> NodeId {
        match self.machine.goes_on {
            true => self.new.beside(from, stmt, span),
            false => self.new.step(from, stmt, span),
        }
    }
}

/// The type of what a call gives that an instance waits for, where the program does not look at it. Who does not look may
/// count on success, but it is not certain: the error is one in runs with this outcome.
fn unseen_outcome(types: &TypeTable, body: &Body, site: &Site) -> Option<TypeId> {
    let edge = body.edges().as_slice().get(site.edge)?;
    let Stmt::Call(call) = &edge.stmt else {
        return None;
    };
    let Type::Function { ret, .. } = types.lookup(call.signature)? else {
        return None;
    };
    let awaited = site.waits() && !site.after && call.result.is_none();
    (awaited && types.is_scalar(*ret)).then_some(*ret)
}

pub(super) fn assign(place: PlaceId, value: ExprId) -> Stmt {
    Stmt::Assign { place, value }
}
