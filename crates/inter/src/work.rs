//! The part of one function in a graph that is being built: the [`FunctionGraph`] with what is needed
//! to add to it.

use crate::graph::{FunctionGraph, Point, PointId, StateId, Summary, state_ids};
use crate::machine::{Exit, FunctionId, NodeId, Shape};
use crate::recall::Recall;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;
use std::sync::Arc;

/// A call that waits for what its callee comes back with (the paper's call-sites).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallSite {
    pub(crate) function: FunctionId,
    pub(crate) point: PointId,
    /// Its index among the transitions of the point.
    pub(crate) transition: usize,
}

pub(crate) struct Work<S> {
    pub(crate) graph: FunctionGraph<S>,
    pub(crate) shape: Arc<Shape>,
    /// Earlier versions, the most promising first.
    pub(crate) recalls: Vec<Recall<S>>,
    /// By entry state.
    pub(crate) sites: FxHashMap<StateId, Vec<CallSite>>,
    /// Whether the transitions of a point were followed.
    pub(crate) expanded: Vec<bool>,
    states: FxHashMap<S, StateId>,
    points: FxHashMap<(NodeId, StateId), PointId>,
    configurations: FxHashSet<(PointId, StateId)>,
    given: FxHashSet<StateId>,
    entries: FxHashSet<StateId>,
    /// By entry state, in the order of discovery.
    summaries: FxHashMap<StateId, Vec<(Exit, StateId)>>,
}

impl<S: Clone + Eq + Hash> Work<S> {
    /// Goes on with what is there. Whatever entries it has are taken for explored.
    pub(crate) fn resume(graph: FunctionGraph<S>, shape: &Arc<Shape>) -> Work<S> {
        let mut summaries: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for pair in &graph.summaries {
            let all = summaries.entry(pair.entry).or_default();
            all.push((pair.exit, pair.state));
        }
        let ids = || (0..).map(PointId);
        Work {
            shape: shape.clone(),
            recalls: Vec::new(),
            sites: FxHashMap::default(),
            expanded: vec![true; graph.points.len()],
            states: state_ids(&graph.states),
            points: graph.index(),
            configurations: ids()
                .zip(&graph.points)
                .flat_map(|(id, point)| point.roots.iter().map(move |root| (id, *root)))
                .collect(),
            given: graph.given.iter().copied().collect(),
            entries: graph.entries.iter().copied().collect(),
            summaries,
            graph,
        }
    }

    /// Begins anew.
    pub(crate) fn begin(shape: &Arc<Shape>, recalls: Vec<Recall<S>>) -> Work<S> {
        let graph = FunctionGraph {
            shape: Some(shape.clone()),
            ..FunctionGraph::default()
        };
        let mut work = Work::resume(graph, shape);
        work.recalls = recalls;
        work
    }

    pub(crate) fn finish(mut self) -> FunctionGraph<S> {
        let mut callees: Vec<FunctionId> = self.graph.calls().map(|call| call.1).collect();
        callees.sort_unstable();
        callees.dedup();
        self.graph.callees = callees;
        self.graph
    }

    pub(crate) fn intern(&mut self, state: &S) -> StateId {
        if let Some(id) = self.states.get(state) {
            return *id;
        }
        let id = StateId(self.graph.states.len() as u32);
        self.graph.states.push(state.clone());
        self.states.insert(state.clone(), id);
        id
    }

    /// The id here of a state of an earlier version.
    pub(crate) fn translate(&mut self, recall: usize, old: StateId) -> StateId {
        if let Some(known) = self.recalls[recall].translated(old) {
            return known;
        }
        let value = self.recalls[recall].old_state(old).clone();
        let id = self.intern(&value);
        self.recalls[recall].connect(old, id);
        id
    }

    /// The point, and whether it is new.
    pub(crate) fn point(&mut self, node: NodeId, state: StateId) -> (PointId, bool) {
        if let Some(id) = self.points.get(&(node, state)) {
            return (*id, false);
        }
        let id = PointId(self.graph.points.len() as u32);
        self.graph.points.push(Point {
            node,
            state,
            roots: Vec::new(),
            transitions: Vec::new(),
        });
        self.expanded.push(false);
        self.points.insert((node, state), id);
        (id, true)
    }

    /// Whether the configuration was not there before.
    pub(crate) fn mark(&mut self, point: PointId, root: StateId) -> bool {
        let new = self.configurations.insert((point, root));
        if new {
            self.graph.points[point.0 as usize].roots.push(root);
        }
        new
    }

    pub(crate) fn add_given(&mut self, state: StateId) {
        if self.given.insert(state) {
            self.graph.given.push(state);
        }
    }

    pub(crate) fn has_entry(&self, state: StateId) -> bool {
        self.entries.contains(&state)
    }

    /// Whether the entry was not there before.
    pub(crate) fn add_entry(&mut self, state: StateId) -> bool {
        let new = self.entries.insert(state);
        if new {
            self.graph.entries.push(state);
        }
        new
    }

    /// Whether the pair was not there before.
    pub(crate) fn add_summary(&mut self, entry: StateId, exit: Exit, state: StateId) -> bool {
        let known = self.summaries.entry(entry).or_default();
        let new = !known.contains(&(exit, state));
        if new {
            known.push((exit, state));
            self.graph.summaries.push(Summary { entry, exit, state });
        }
        new
    }

    /// What an entry is known to come back with.
    pub(crate) fn summary(&self, entry: StateId) -> Vec<(Exit, S)> {
        let known = self.summaries.get(&entry).into_iter().flatten();
        known
            .map(|(exit, state)| (*exit, self.graph.state(*state).clone()))
            .collect()
    }
}
