//! What level 1 knows at every node of a body, and not only where paths meet.
//!
//! A search keeps states at locations ([`crate::graph`]); what holds in between is what one path makes of
//! these. Whoever asks what each single edge does needs all of them: the states at an edge's start are an invariant of
//! that place, and what the edge makes of a part of them is what it does to that part.

use crate::Automata;
use crate::checks::Answer;
use crate::context::Context;
use crate::function::{Plan, states_at_locations};
use crate::graph::Graph;
use crate::state::State;
use ir::arena::Id;
use ir::{Body, CallOutcome, Callee, EdgeId, ExprId, FuncId, NodeId, PlaceId, Stmt};

/// A body with the states at its nodes, for any caller.
pub struct Everywhere<'p> {
    pub automata: Automata<'p>,
    /// By node; none: no run comes there.
    states: Vec<Vec<State>>,
    /// The budget was enough: the states stand for all runs.
    pub complete: bool,
}

/// Searches a body, and keeps everything. The truth of the given conditions is remembered wherever it is known. What callers
/// hand over is written, as for all of level 1, but for the given places.
pub fn everywhere<'p>(
    context: &'p Context<'p>,
    f: FuncId,
    body: &'p Body,
    plan: Plan,
    conditions: &[ExprId],
    unwritten: &[PlaceId],
) -> Everywhere<'p> {
    let graph = Graph::of(body);
    let mut automata = Automata::watching(context, f, body, plan.automata, conditions);
    automata.unwritten = unwritten.to_vec();
    let (found, complete) = states_at_locations(&mut automata, &graph, plan);
    let mut states: Vec<Vec<State>> = vec![Vec::new(); body.node_count as usize];
    let mut waiting: Vec<(NodeId, State)> = Vec::new();
    for (node, found) in graph.locations.iter().zip(found) {
        waiting.extend(found.iter().map(|state| (*node, state.clone())));
        states[node.index()] = found;
    }
    while let Some((node, state)) = waiting.pop() {
        for (id, edge) in body.out_edges(node) {
            if graph.location(edge.to).is_none() {
                let mut after = state.clone();
                if automata.take(&mut after, id) {
                    states[edge.to.index()].push(after.clone());
                    waiting.push((edge.to, after));
                }
            }
        }
    }
    Everywhere {
        automata,
        states,
        complete,
    }
}

/// The calls through pointers of which level 1 knows, in all states before them, that they enter one function, and which.
pub fn single_targets(
    context: &Context<'_>,
    f: FuncId,
    body: &Body,
    plan: Plan,
) -> Vec<(EdgeId, FuncId)> {
    let through_pointer = |stmt: &Stmt| match stmt {
        Stmt::Call(call) if call.outcome == CallOutcome::Return => match call.callee {
            Callee::Indirect(e) => Some(e),
            Callee::Direct(_) => None,
        },
        _ => None,
    };
    let edges = body.edges().iter();
    let calls: Vec<(EdgeId, NodeId, ExprId)> = edges
        .filter_map(|(id, edge)| Some((id, edge.from, through_pointer(&edge.stmt)?)))
        .collect();
    if calls.is_empty() {
        return Vec::new();
    }
    let mut everywhere = everywhere(context, f, body, plan, &[], &[]);
    let mut found = Vec::new();
    for (id, node, callee) in calls {
        let mut all: Vec<FuncId> = Vec::new();
        let states = std::mem::take(&mut everywhere.states[node.index()]);
        let known = states.iter().all(|state| {
            let pointer = everywhere.automata.pointer(&mut state.clone(), callee);
            let functions = everywhere.automata.functions(&pointer);
            all.extend(&functions);
            !functions.is_empty()
        });
        everywhere.states[node.index()] = states;
        all.sort_unstable();
        all.dedup();
        if let (true, [one]) = (known && everywhere.complete, &all[..]) {
            found.push((id, *one));
        }
    }
    found
}

impl Everywhere<'_> {
    /// The states at a node.
    pub fn at(&self, node: NodeId) -> &[State] {
        self.states.get(node.index()).map_or(&[], |s| s)
    }
}

impl Automata<'_> {
    /// Executes the statement of an edge as a search does; false if no run takes it. A check that is implied teaches
    /// nothing, but is remembered.
    pub fn take(&mut self, st: &mut State, edge: EdgeId) -> bool {
        if let Stmt::Check(check) = self.frame.body.edges()[edge].stmt
            && self.answer(st, check) == Answer::Holds
        {
            self.remember(st, check);
            return true;
        }
        self.step(st, edge)
    }
}
