//! The shortest way to an error, with matched calls and returns.
//!
//! Within a function, the way to a configuration is a chain of derivations from its entry. A
//! derivation through a call costs what the way through the callee costs, so lengths are the
//! least solution of equations with sums on the right, and Knuth's generalisation of Dijkstra's algorithm
//! finds them: a summary pair is settled when its exit is, and only then do calls that use it become
//! candidates. A second search, over entries, gives the chain of calls that are still open at
//! the error.
//!
//! Lengths are unique. Where several ways have the shortest one, the least is taken by *content*
//! (nodes, states, edges), so that the path does not depend on how the graph came about.

use crate::graph::{Configuration, FunctionGraph, Graph, PointId, StateId, Transition};
use crate::machine::{EdgeId, Exit, FunctionId, NodeId, Place};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::Hash;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<S> {
    /// A statement, and the state after it.
    Statement {
        /// The edge.
        at: Place,
        /// The state after it.
        state: S,
    },
    /// A call goes into its callee. If no `Leave` matches, the error is inside.
    Enter {
        /// The call.
        at: Place,
        /// Who is entered.
        callee: FunctionId,
        /// The callee's entry state.
        state: S,
    },
    /// The callee that was entered last comes back.
    Leave {
        /// The call.
        at: Place,
        /// Who comes back.
        callee: FunctionId,
        /// How.
        exit: Exit,
        /// The caller's state after the call.
        state: S,
    },
    /// A call and its return, without what is between: the path would be too long.
    Over {
        /// The call.
        at: Place,
        /// Who is called.
        callee: FunctionId,
        /// How it comes back.
        exit: Exit,
        /// The caller's state after the call.
        state: S,
    },
}

/// A path from outside to an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path<S> {
    /// The function that is entered from outside.
    pub root: FunctionId,
    /// Its entry state.
    pub state: S,
    /// How many steps there are, if no call is passed over.
    pub length: Length,
    /// The steps.
    pub steps: Vec<Step<S>>,
}

/// Steps of a path. Calls within calls double it again and again, hence the width; a way that is longer
/// even than that is not found.
pub type Length = u128;

/// A configuration: point and root of one function.
type Spot = (PointId, StateId);

/// How a point was derived: from which, by which transition, and for calls by which return.
type Origin = (PointId, usize, Option<usize>);

type Callers = FxHashMap<(FunctionId, StateId), Vec<(FunctionId, Spot, usize)>>;

struct Part<'a, S> {
    graph: &'a FunctionGraph<S>,
    entries: FxHashMap<&'a S, StateId>,
    points: FxHashMap<(NodeId, StateId), PointId>,
    /// From the entry to a configuration.
    inside: FxHashMap<Spot, Length>,
    /// From outside to an entry.
    outside: FxHashMap<StateId, Length>,
    origins: Vec<Vec<Origin>>,
}

/// The lengths of all paths of a graph.
pub struct Paths<'a, S> {
    graph: &'a Graph<S>,
    parts: Vec<Part<'a, S>>,
    /// Who enters (f, r), from which configuration and by which transition.
    callers: Callers,
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

    fn part(&self, function: FunctionId) -> &Part<'a, S> {
        &self.parts[function.0 as usize]
    }

    /// The entry state of the callee, in its own table.
    fn entry(&self, caller: FunctionId, callee: FunctionId, entry: StateId) -> Option<StateId> {
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
        let mut settled: FxHashMap<(FunctionId, StateId), Vec<(Exit, StateId, Length)>> =
            FxHashMap::default();
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
        let mut onwards: FxHashMap<(FunctionId, StateId), Vec<(Length, FunctionId, StateId)>> =
            FxHashMap::default();
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

    /// The shortest path to a configuration; `None` if there is none. If it has more than `longest`
    /// steps, calls that come back are passed over.
    pub fn to(&self, error: &Configuration<S>, longest: Length) -> Option<Path<S>> {
        let part = self.parts.get(error.function.0 as usize)?;
        let root = *part.entries.get(&error.root)?;
        let mut at = part.points.iter().filter(|(key, _)| key.0 == error.node);
        // At most one point has this node and state.
        let point = at.find(|(key, _)| *part.graph.state(key.1) == error.state);
        let spot = (*point?.1, root);
        let outside = *part.outside.get(&root)?;
        let length = outside.saturating_add(*part.inside.get(&spot)?);
        if length == Length::MAX {
            return None;
        }
        let mut open = vec![(error.function, spot, None)];
        let (mut function, mut entry) = (error.function, root);
        while *self.part(function).outside.get(&entry)? > 0 {
            let (caller, spot, transition) = self.caller(function, entry)?;
            open.push((caller, spot, Some(transition)));
            (function, entry) = (caller, spot.1);
        }
        let mut steps = Vec::new();
        for (function, spot, transition) in open.into_iter().rev() {
            self.inside(function, spot, length <= longest, &mut steps)?;
            if let Some(transition) = transition {
                steps.push(self.entering(function, spot.0, transition)?);
            }
        }
        Some(Path {
            root: function,
            state: self.part(function).graph.state(entry).clone(),
            length,
            steps,
        })
    }

    /// The least of the shortest ways to enter (f, r).
    fn caller(&self, function: FunctionId, entry: StateId) -> Option<(FunctionId, Spot, usize)> {
        let wanted = *self.part(function).outside.get(&entry)?;
        let all = self.callers.get(&(function, entry))?.iter();
        let shortest = all.filter(|(caller, spot, _)| {
            let part = self.part(*caller);
            match (part.outside.get(&spot.1), part.inside.get(spot)) {
                (Some(o), Some(i)) => o.saturating_add(*i).saturating_add(1) == wanted,
                _ => false,
            }
        });
        let least = shortest.min_by_key(|(caller, (point, root), transition)| {
            let graph = self.part(*caller).graph;
            let at = graph.point(*point);
            let states = (graph.state(*root), graph.state(at.state));
            (*caller, at.node, states, *transition)
        });
        least.copied()
    }

    fn entering(&self, function: FunctionId, point: PointId, transition: usize) -> Option<Step<S>> {
        let graph = self.part(function).graph;
        match &graph.point(point).transitions[transition] {
            Transition::Call {
                edge,
                callee,
                entry,
                ..
            } => Some(Step::Enter {
                at: Place {
                    function,
                    edge: *edge,
                },
                callee: *callee,
                state: graph.state((*entry)?).clone(),
            }),
            Transition::Step { .. } => None,
        }
    }

    /// Adds the way from the entry of a function to one of its configurations.
    fn inside(
        &self,
        function: FunctionId,
        spot: Spot,
        expand: bool,
        steps: &mut Vec<Step<S>>,
    ) -> Option<()> {
        enum Task<S> {
            Way(FunctionId, Spot),
            Step(Step<S>),
        }
        let mut tasks = vec![Task::Way(function, spot)];
        while let Some(task) = tasks.pop() {
            let (function, (mut point, root)) = match task {
                Task::Step(step) => {
                    steps.push(step);
                    continue;
                }
                Task::Way(function, spot) => (function, spot),
            };
            // From its end to its beginning, so that the beginning is on top.
            let part = self.part(function);
            while *part.inside.get(&(point, root))? > 0 {
                let (from, transition, back) = self.origin(function, (point, root))?;
                let state = part.graph.state(part.graph.point(point).state).clone();
                let place = |edge: EdgeId| Place { function, edge };
                match (&part.graph.point(from).transitions[transition], back) {
                    (Transition::Step { edge, .. }, _) => {
                        let at = place(*edge);
                        tasks.push(Task::Step(Step::Statement { at, state }));
                    }
                    (
                        Transition::Call {
                            edge,
                            callee,
                            entry: Some(entry),
                            returns,
                            ..
                        },
                        Some(back),
                    ) => {
                        let (at, callee) = (place(*edge), *callee);
                        let exit = returns[back].exit;
                        if expand {
                            tasks.push(Task::Step(Step::Leave {
                                at,
                                callee,
                                exit,
                                state,
                            }));
                            let end = self.end(function, callee, *entry, returns[back].state, exit);
                            tasks.push(Task::Way(callee, end?));
                            let enter = self.entering(function, from, transition)?;
                            tasks.push(Task::Step(enter));
                        } else {
                            tasks.push(Task::Step(Step::Over {
                                at,
                                callee,
                                exit,
                                state,
                            }));
                        }
                    }
                    (Transition::Call { .. }, _) => return None,
                }
                point = from;
            }
        }
        Some(())
    }

    /// The configuration of a callee by which it comes back; states are in the caller's table.
    fn end(
        &self,
        caller: FunctionId,
        callee: FunctionId,
        entry: StateId,
        state: StateId,
        exit: Exit,
    ) -> Option<Spot> {
        let entry = self.entry(caller, callee, entry)?;
        let wanted = self.part(caller).graph.state(state);
        let part = self.part(callee);
        let node = part.graph.shape.as_ref()?.exit(exit)?;
        let mut pairs = part.graph.summaries.iter();
        let pair = pairs.find(|pair| {
            pair.entry == entry && pair.exit == exit && part.graph.state(pair.state) == wanted
        })?;
        Some((*part.points.get(&(node, pair.state))?, entry))
    }

    /// The least of the shortest derivations of a configuration.
    fn origin(&self, function: FunctionId, (point, root): Spot) -> Option<Origin> {
        let part = self.part(function);
        let wanted = *part.inside.get(&(point, root))?;
        let cost = |(from, transition, back): &Origin| {
            let before = *part.inside.get(&(*from, root))?;
            match (&part.graph.point(*from).transitions[*transition], back) {
                (Transition::Step { .. }, _) => Some(before.saturating_add(1)),
                (
                    Transition::Call {
                        callee,
                        entry: Some(entry),
                        returns,
                        ..
                    },
                    Some(back),
                ) => {
                    let back = &returns[*back];
                    let end = self.end(function, *callee, *entry, back.state, back.exit)?;
                    let inside = *self.part(*callee).inside.get(&end)?;
                    Some(before.saturating_add(inside).saturating_add(2))
                }
                _ => None,
            }
        };
        let all = part.origins[point.0 as usize].iter();
        let shortest = all.filter(|origin| cost(origin) == Some(wanted));
        let least = shortest.min_by_key(|(from, transition, back)| {
            let at = part.graph.point(*from);
            let back = back.and_then(|back| match &at.transitions[*transition] {
                Transition::Call { returns, .. } => Some(&returns[back]),
                Transition::Step { .. } => None,
            });
            let back = back.map(|back| (back.exit, part.graph.state(back.state)));
            (at.node, part.graph.state(at.state), *transition, back)
        });
        least.copied()
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
