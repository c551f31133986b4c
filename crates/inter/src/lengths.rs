//! How long the shortest ways are: to configurations from their entry, and to entries from outside.
//!
//! A derivation through a call costs what the way through the callee costs, so lengths are the
//! least solution of equations with sums on the right, and Knuth's generalisation of Dijkstra's
//! algorithm finds them: a summary pair is settled when its exit is, and only then do calls that use
//! it become candidates.

use crate::graph::{FunctionGraph, Graph, PointId, StateId, Transition};
use crate::machine::{Exit, FunctionId, NodeId};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::Hash;

/// Steps of a path. Calls within calls double it again and again, hence the width; a way that is longer
/// even than that is not found.
pub type Length = u128;

/// A configuration: point and root of one function.
pub(crate) type Spot = (PointId, StateId);

/// How a point was derived: from which, by which transition, and for calls by which return.
pub(crate) type Origin = (PointId, usize, Option<usize>);

/// Who enters (f, r), from which configuration and by which transition.
pub(crate) type Callers = ByEntry<(FunctionId, Spot, usize)>;

type ByEntry<T> = FxHashMap<(FunctionId, StateId), Vec<T>>;

/// What is measured of one function.
pub(crate) struct Part<'a, S> {
    pub(crate) graph: &'a FunctionGraph<S>,
    pub(crate) entries: FxHashMap<&'a S, StateId>,
    pub(crate) points: FxHashMap<(NodeId, StateId), PointId>,
    /// From the entry to a configuration.
    pub(crate) inside: FxHashMap<Spot, Length>,
    /// From outside to an entry.
    pub(crate) outside: FxHashMap<StateId, Length>,
    pub(crate) origins: Vec<Vec<Origin>>,
}

/// The lengths of all paths of a graph.
pub struct Paths<'a, S> {
    graph: &'a Graph<S>,
    pub(crate) parts: Vec<Part<'a, S>>,
    pub(crate) callers: Callers,
}
impl<'a, S: Clone + Eq + Hash + Ord> Paths<'a, S> {
    /// Measures all paths.
    pub fn new(graph: &'a Graph<S>) -> Paths<'a, S> {
        let parts = graph.functions.iter().map(|part| Part::new(part)).collect();
        let mut paths = Paths {
            graph,
            parts,
            callers: FxHashMap::default(),
        };
        paths.measure_inside();
        paths.measure_outside();
        paths
    }

    pub(crate) fn part(&self, function: FunctionId) -> &Part<'a, S> {
        &self.parts[function.0 as usize]
    }

    /// The entry state of the callee, in its own table.
    pub(crate) fn entry(
        &self,
        caller: FunctionId,
        callee: FunctionId,
        entry: StateId,
    ) -> Option<StateId> {
        let state = self.part(caller).graph.state(entry);
        self.parts
            .get(callee.0 as usize)?
            .entries
            .get(state)
            .copied()
    }

    fn measure_inside(&mut self) {
        let mut heap = BinaryHeap::new();
        for (function, part) in (0..).map(FunctionId).zip(&self.parts) {
            let Some(shape) = &part.graph.shape else {
                continue;
            };
            for entry in &part.graph.entries {
                if let Some(point) = part.points.get(&(shape.entry(), *entry)) {
                    heap.push(Reverse((0, function, *point, *entry)));
                }
            }
        }
        // Calls that wait for the summaries of an entry, and those summaries that are settled.
        let mut callers: Callers = FxHashMap::default();
        let mut settled: ByEntry<(Exit, StateId, Length)> = FxHashMap::default();
        while let Some(Reverse((length, function, point, root))) = heap.pop() {
            let part = &mut self.parts[function.0 as usize];
            if part.inside.contains_key(&(point, root)) {
                continue;
            }
            part.inside.insert((point, root), length);
            let part = self.part(function);
            let Some(shape) = &part.graph.shape else {
                continue;
            };
            let at = part.graph.point(point);
            if let Some(exit) = shape.exit_at(at.node) {
                let pairs = settled.entry((function, root)).or_default();
                pairs.push((exit, at.state, length));
                let waiting = callers.get(&(function, root));
                for (caller, spot, transition) in waiting.into_iter().flatten() {
                    let before = self.part(*caller).inside.get(spot);
                    let back = self.back(*caller, spot.0, *transition, (function, exit, at.state));
                    if let (Some(before), Some(point)) = (before, back) {
                        let total = before.saturating_add(length).saturating_add(2);
                        heap.push(Reverse((total, *caller, point, spot.1)));
                    }
                }
                continue;
            }
            for (index, transition) in at.transitions.iter().enumerate() {
                match transition {
                    Transition::Step { edge, results } => {
                        let target = shape.edge(*edge).target;
                        for result in results {
                            if let Some(next) = part.points.get(&(target, *result)) {
                                let total = length.saturating_add(1);
                                heap.push(Reverse((total, function, *next, root)));
                            }
                        }
                    }
                    Transition::Call {
                        callee,
                        entry: Some(entry),
                        ..
                    } => {
                        let Some(entry) = self.entry(function, *callee, *entry) else {
                            continue;
                        };
                        let waiting = callers.entry((*callee, entry)).or_default();
                        waiting.push((function, (point, root), index));
                        for (exit, state, inside) in
                            settled.get(&(*callee, entry)).into_iter().flatten()
                        {
                            let back = self.back(function, point, index, (*callee, *exit, *state));
                            if let Some(next) = back {
                                let total = length.saturating_add(*inside).saturating_add(2);
                                heap.push(Reverse((total, function, next, root)));
                            }
                        }
                    }
                    Transition::Call { .. } => {}
                }
            }
        }
        self.callers = callers;
    }

    /// The point where a call goes on when its callee comes back in one of its states.
    fn back(
        &self,
        caller: FunctionId,
        point: PointId,
        transition: usize,
        (callee, exit, state): (FunctionId, Exit, StateId),
    ) -> Option<PointId> {
        let part = self.part(caller);
        let state = self.part(callee).graph.state(state);
        let Transition::Call { edge, returns, .. } =
            &part.graph.point(point).transitions[transition]
        else {
            return None;
        };
        let back = returns
            .iter()
            .find(|back| back.exit == exit && part.graph.state(back.state) == state)?;
        let node = part.graph.shape.as_ref()?.edge(*edge).after(exit)?;
        part.points.get(&(node, back.result?)).copied()
    }

    fn measure_outside(&mut self) {
        let mut onwards: ByEntry<(Length, FunctionId, StateId)> = FxHashMap::default();
        let mut heap = BinaryHeap::new();
        for (function, part) in (0..).map(FunctionId).zip(&self.parts) {
            for entry in &part.graph.entries {
                if self.graph.is_initial(function, part.graph.state(*entry)) {
                    heap.push(Reverse((0, function, *entry)));
                }
                let callers = self.callers.get(&(function, *entry));
                for (caller, spot, _) in callers.into_iter().flatten() {
                    let inside = self.part(*caller).inside.get(spot).copied();
                    let next = (inside.unwrap_or(Length::MAX), function, *entry);
                    onwards.entry((*caller, spot.1)).or_default().push(next);
                }
            }
        }
        while let Some(Reverse((length, function, entry))) = heap.pop() {
            let part = &mut self.parts[function.0 as usize];
            if part.outside.contains_key(&entry) {
                continue;
            }
            part.outside.insert(entry, length);
            for (inside, callee, entry) in onwards.get(&(function, entry)).into_iter().flatten() {
                let total = length.saturating_add(*inside).saturating_add(1);
                heap.push(Reverse((total, *callee, *entry)));
            }
        }
    }
}

impl<'a, S: Eq + Hash> Part<'a, S> {
    fn new(graph: &'a FunctionGraph<S>) -> Part<'a, S> {
        let points = graph.index();
        let mut origins = vec![Vec::new(); graph.points.len()];
        for (from, point) in (0..).map(PointId).zip(&graph.points) {
            let Some(shape) = &graph.shape else { continue };
            for (index, transition) in point.transitions.iter().enumerate() {
                let mut add = |node: Option<NodeId>, state: Option<StateId>, back| {
                    let key = node.zip(state);
                    if let Some(to) = key.and_then(|key| points.get(&key)) {
                        origins[to.0 as usize].push((from, index, back));
                    }
                };
                match transition {
                    Transition::Step { edge, results } => {
                        for result in results {
                            add(Some(shape.edge(*edge).target), Some(*result), None);
                        }
                    }
                    Transition::Call { edge, returns, .. } => {
                        for (number, back) in returns.iter().enumerate() {
                            add(
                                shape.edge(*edge).after(back.exit),
                                back.result,
                                Some(number),
                            );
                        }
                    }
                }
            }
        }
        Part {
            entries: graph
                .entries
                .iter()
                .map(|id| (graph.state(*id), *id))
                .collect(),
            points,
            inside: FxHashMap::default(),
            outside: FxHashMap::default(),
            origins,
            graph,
        }
    }
}
