//! What an earlier graph knows about the transitions of a function.
//!
//! "Notice that the algorithm does not re-compute Δ" (§3): before a transition is computed, it is
//! looked for here, by node (through the [`Correspondence`] of the two versions), state and edge.
//! States are compared once: a table translates the ids of the old function's states into those
//! of the new one.

use crate::change::Correspondence;
use crate::graph::{FunctionGraph, PointId, Return, StateId, Transition, state_ids};
use crate::machine::{EdgeId, Exit, FunctionId, NodeId};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::Arc;

/// One earlier version of a function.
pub(crate) struct Recall<S> {
    graph: Arc<FunctionGraph<S>>,
    correspondence: Option<Arc<Correspondence>>,
    points: FxHashMap<(NodeId, StateId), PointId>,
    states: Option<FxHashMap<S, StateId>>,
    /// old → new
    translated: Vec<Option<StateId>>,
    /// new → old, once asked
    original: Vec<Option<Option<StateId>>>,
}

impl<S: Clone + Eq + Hash> Recall<S> {
    /// Without a correspondence, nodes and edges are those of the earlier version.
    pub(crate) fn new(
        graph: Arc<FunctionGraph<S>>,
        correspondence: Option<Arc<Correspondence>>,
    ) -> Recall<S> {
        Recall {
            points: graph.index(),
            states: None,
            translated: vec![None; graph.states.len()],
            original: Vec::new(),
            graph,
            correspondence,
        }
    }

    /// A state of the earlier version, whose id in the new one is wanted.
    pub(crate) fn old_state(&self, old: StateId) -> &S {
        self.graph.state(old)
    }

    /// The new id of an old state, if it is known already.
    pub(crate) fn translated(&self, old: StateId) -> Option<StateId> {
        self.translated[old.0 as usize]
    }

    /// From now on the two are known to be the same.
    pub(crate) fn connect(&mut self, old: StateId, new: StateId) {
        self.translated[old.0 as usize] = Some(new);
        *self.slot(new) = Some(Some(old));
    }

    fn slot(&mut self, new: StateId) -> &mut Option<Option<StateId>> {
        let at = new.0 as usize;
        if self.original.len() <= at {
            self.original.resize(at + 1, None);
        }
        &mut self.original[at]
    }

    /// The old id of a new state.
    fn original(&mut self, new: StateId, value: &S) -> Option<StateId> {
        if let Some(known) = *self.slot(new) {
            return known;
        }
        let graph = &self.graph;
        let states = self.states.get_or_insert_with(|| state_ids(&graph.states));
        let found = states.get(value).copied();
        *self.slot(new) = Some(found);
        if let Some(old) = found {
            self.translated[old.0 as usize] = Some(new);
        }
        found
    }

    /// The earlier point at a new node in a new state.
    pub(crate) fn point(&mut self, node: NodeId, state: StateId, value: &S) -> Option<PointId> {
        let node = match &self.correspondence {
            Some(map) => map.old_node[node.0 as usize]?,
            None => node,
        };
        let state = self.original(state, value)?;
        self.points.get(&(node, state)).copied()
    }

    fn edge(&self, edge: EdgeId) -> Option<EdgeId> {
        match &self.correspondence {
            Some(map) => map.old_edge[edge.0 as usize],
            None => Some(edge),
        }
    }

    /// The transitions of an earlier point along the old edge of a new one. They are in the order
    /// of edges.
    fn along(&self, point: PointId, edge: EdgeId) -> impl Iterator<Item = &Transition> {
        let old = self.edge(edge);
        let all = &self.graph.point(point).transitions;
        let from = all.partition_point(|t| Some(t.edge()) < old);
        all[from..]
            .iter()
            .take_while(move |t| Some(t.edge()) == old)
    }

    /// What a statement gave at this point, in old states.
    pub(crate) fn step(&self, point: PointId, edge: EdgeId) -> Option<Vec<StateId>> {
        let mut transitions = self.along(point, edge);
        transitions.find_map(|t| match t {
            Transition::Step { results, .. } => Some(results.clone()),
            Transition::Call { .. } => None,
        })
    }

    fn call(
        &self,
        point: PointId,
        edge: EdgeId,
        callee: FunctionId,
    ) -> Option<(Option<StateId>, &[Return])> {
        let mut transitions = self.along(point, edge);
        transitions.find_map(|t| match t {
            Transition::Call {
                callee: called,
                given,
                returns,
                ..
            } if *called == callee => Some((*given, returns.as_slice())),
            _ => None,
        })
    }

    /// What entering the callee gave at this point, in old states.
    pub(crate) fn enter(
        &self,
        point: PointId,
        edge: EdgeId,
        callee: FunctionId,
    ) -> Option<Option<StateId>> {
        self.call(point, edge, callee).map(|(given, _)| given)
    }

    /// What coming back from the callee gave at this point, in old states. `state` is new.
    pub(crate) fn leave(
        &mut self,
        point: PointId,
        edge: EdgeId,
        callee: FunctionId,
        exit: Exit,
        (state, value): (StateId, &S),
    ) -> Option<Option<StateId>> {
        let state = self.original(state, value)?;
        let (_, returns) = self.call(point, edge, callee)?;
        let back = returns.iter().find(|r| r.exit == exit && r.state == state);
        back.map(|back| back.result)
    }
}
