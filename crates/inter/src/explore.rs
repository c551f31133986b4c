//! The workset algorithm that Full, IncrFwd and IncrBack share (Fig. 3 and 4).
//!
//! Fig. 3 generates derivations; Fig. 4 checks recorded ones with the same control flow. Here it is one
//! procedure: where an earlier version has the transition ([`Recall`]), it is taken from there, and
//! where not, it is computed. So a walk meets each kind of change at the right moment, standing
//! at a configuration that is reachable in the new program: an unchanged edge is checked without Δ, a
//! deleted one is not met, an added one is followed, and of a modified one Δ is computed; if
//! that gives what the old statement gave, all that is behind it is checked without Δ again.
//!
//! # Order
//!
//! The workset is a queue: configurations are processed in the order in which they are generated,
//! the initial ones by function and state; edges of a node in their order; results of a statement
//! sorted. A new summary pair is delivered at once to the calls that wait for it, in the order in which they
//! were made. So everything, ids included, is a function of the machine, the property, the plan and
//! the limits, and not of what is recalled: that is Theorem 2.

use crate::change::{Changes, FunctionChange, known};
use crate::graph::{FunctionGraph, Graph, Plan, PointId, StateId, Transition};
use crate::machine::{Counts, FunctionId, Limits, Machine, NodeId, Property};
use crate::recall::Recall;
use crate::work::Work;
use std::collections::{BTreeSet, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

/// An earlier graph, and what happened to the program since.
pub(crate) struct Memory<'a, S> {
    pub(crate) graph: &'a Graph<S>,
    /// `None`: nothing happened.
    pub(crate) changes: Option<&'a Changes>,
}

impl<S: Clone + Eq + Hash> Memory<'_, S> {
    fn recall(&self, function: FunctionId) -> Option<Recall<S>> {
        let graph = self.graph.function(function)?;
        if graph.points.is_empty() {
            return None;
        }
        let correspondence = match self.changes.map(|changes| changes.of(function)) {
            None | Some(FunctionChange::Same) => None,
            Some(FunctionChange::Edited(correspondence)) => Some(correspondence.clone()),
            Some(_) => return None,
        };
        Some(Recall::new(graph.clone(), correspondence))
    }
}

pub(crate) enum Slot<S> {
    /// As it is in the graph.
    Rest(Arc<FunctionGraph<S>>),
    Work(Box<Work<S>>),
}

pub(crate) struct Explorer<'a, M, P: Property> {
    pub(crate) machine: &'a M,
    pub(crate) property: &'a P,
    limits: Limits,
    plan: Plan<P::State>,
    memories: Vec<Memory<'a, P::State>>,
    pub(crate) slots: Vec<Slot<P::State>>,
    queue: VecDeque<(FunctionId, PointId, StateId)>,
    pub(crate) counts: Counts,
    /// Functions that were to be entered in more states than allowed, or in one that their merged
    /// entry does not cover.
    pub(crate) overflow: BTreeSet<FunctionId>,
}

impl<'a, M: Machine, P: Property> Explorer<'a, M, P> {
    /// Begins with an empty graph.
    pub(crate) fn new(
        machine: &'a M,
        property: &'a P,
        limits: Limits,
        plan: Plan<P::State>,
        memories: Vec<Memory<'a, P::State>>,
    ) -> Self {
        let empty = |function| {
            let shape = known(machine, function).cloned();
            Slot::Rest(Arc::new(FunctionGraph {
                shape,
                ..FunctionGraph::default()
            }))
        };
        let all = 0..machine.functions() as u32;
        Explorer {
            machine,
            property,
            limits,
            plan,
            memories,
            slots: all.map(FunctionId).map(empty).collect(),
            queue: VecDeque::new(),
            counts: Counts::default(),
            overflow: BTreeSet::new(),
        }
    }

    /// Takes over parts of the first memory as they are.
    pub(crate) fn keep(&mut self, function: FunctionId) {
        if let Some(graph) = self.memories[0].graph.function(function) {
            self.slots[function.0 as usize] = Slot::Rest(graph.clone());
        }
    }

    /// The part of a function as it is now.
    pub(crate) fn part(&self, function: FunctionId) -> &FunctionGraph<P::State> {
        match &self.slots[function.0 as usize] {
            Slot::Rest(graph) => graph,
            Slot::Work(work) => &work.graph,
        }
    }

    /// Forgets the derivations of a function; they are recalled while it is built again.
    pub(crate) fn restart(&mut self, function: FunctionId) {
        let Some(shape) = known(self.machine, function) else {
            return;
        };
        self.counts.functions += 1;
        let memories = self.memories.iter();
        let recalls = memories.filter_map(|m| m.recall(function)).collect();
        let work = Work::begin(shape, recalls);
        self.slots[function.0 as usize] = Slot::Work(Box::new(work));
    }

    pub(crate) fn finish(self) -> Graph<P::State> {
        let done = |slot| match slot {
            Slot::Rest(graph) => graph,
            Slot::Work(work) => Arc::new(work.finish()),
        };
        Graph {
            functions: self.slots.into_iter().map(done).collect(),
            plan: self.plan,
        }
    }

    pub(crate) fn work(&mut self, function: FunctionId) -> &mut Work<P::State> {
        let at = function.0 as usize;
        if let Slot::Rest(graph) = &self.slots[at] {
            if graph.points.is_empty() {
                self.restart(function);
            } else if let Some(shape) = known(self.machine, function) {
                self.counts.functions += 1;
                let work = Work::resume(FunctionGraph::clone(graph), shape);
                self.slots[at] = Slot::Work(Box::new(work));
            }
        }
        match &mut self.slots[at] {
            Slot::Work(work) => work,
            Slot::Rest(_) => unreachable!("only functions with a shape are entered"),
        }
    }

    /// The states in which a root is entered, sorted.
    pub(crate) fn initial(&self, root: FunctionId) -> Vec<P::State> {
        let mut states = self.property.initial(root);
        states.sort_unstable();
        states.dedup();
        states
    }

    /// Enters a root from outside.
    pub(crate) fn enter_root(&mut self, root: FunctionId) {
        if known(self.machine, root).is_none() {
            return;
        }
        for state in self.initial(root) {
            let work = self.work(root);
            let id = work.intern(&state);
            if !work.graph.initial.contains(&id) {
                work.graph.initial.push(id);
            }
            self.enter(root, &state);
        }
    }

    /// Enters a function; gives the entry state that stands for `given`, unless there are too many.
    pub(crate) fn enter(&mut self, function: FunctionId, given: &P::State) -> Option<P::State> {
        let contexts = self.limits.contexts;
        let bound = self.plan.get(&function).cloned();
        let property = self.property;
        if let Slot::Rest(graph) = &self.slots[function.0 as usize] {
            let among = |ids: &[StateId], state| ids.iter().any(|id| graph.state(*id) == state);
            let entry = bound.as_ref().unwrap_or(given);
            if among(&graph.given, given) && among(&graph.entries, entry) {
                return Some(entry.clone());
            }
        }
        let work = self.work(function);
        let given_id = work.intern(given);
        work.add_given(given_id);
        let (entry, fits) = match bound {
            Some(bound) => {
                let fits = property.covers(&bound, given);
                (bound, fits)
            }
            None => {
                let room = contexts.is_none_or(|most| work.graph.entries.len() < most);
                (given.clone(), room || work.has_entry(given_id))
            }
        };
        if !fits {
            self.overflow.insert(function);
            return None;
        }
        let id = work.intern(&entry);
        if work.add_entry(id) {
            let node = work.shape.entry();
            self.add(function, node, id, id);
        }
        Some(entry)
    }

    /// ADD-TO-WORKSET
    pub(crate) fn add(
        &mut self,
        function: FunctionId,
        node: NodeId,
        root: StateId,
        state: StateId,
    ) {
        let property = self.property;
        let work = self.work(function);
        let (point, new) = work.point(node, state);
        if new && property.is_rejecting(work.graph.state(state)) {
            work.graph.rejecting.push(point);
        }
        if work.mark(point, root) {
            self.queue.push_back((function, point, root));
        }
    }

    /// Processes the workset until it is empty.
    pub(crate) fn run(&mut self) {
        while let Some((function, point, root)) = self.queue.pop_front() {
            self.counts.configurations += 1;
            self.step(function, point, root);
        }
    }

    /// STEP and CHECK-STEP
    fn step(&mut self, function: FunctionId, id: PointId, root: StateId) {
        let work = self.work(function);
        let point = work.graph.point(id);
        if let Some(exit) = work.shape.exit_at(point.node) {
            let state = point.state;
            if work.add_summary(root, exit, state) {
                let value = work.graph.state(state).clone();
                for site in work.sites.get(&root).cloned().unwrap_or_default() {
                    self.deliver(site, function, exit, &value);
                }
            }
            return;
        }
        if !work.expanded[id.0 as usize] {
            work.expanded[id.0 as usize] = true;
            self.follow_edges(function, id);
        }
        let work = self.work(function);
        let shape = &work.shape;
        let mut next = Vec::new();
        for transition in &work.graph.point(id).transitions {
            match transition {
                Transition::Step { edge, results } => {
                    let target = shape.edge(*edge).target;
                    next.extend(results.iter().map(|state| (target, *state)));
                }
                Transition::Call { edge, returns, .. } => {
                    next.extend(returns.iter().filter_map(|back| {
                        Some((shape.edge(*edge).after(back.exit)?, back.result?))
                    }));
                }
            }
        }
        for (node, state) in next {
            self.add(function, node, root, state);
        }
    }
}
