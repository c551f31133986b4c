//! Contexts: what happens to a function that is entered in too many states.
//!
//! With [`Limits::contexts`] = k, a function that is entered in more than k states is analysed
//! once, in an upper bound of all of them. Which functions, and which bounds, is the *plan*. Merging as
//! one goes would make the plan depend on history; and a plan that only has to agree with the graph it
//! gives need not exist, nor be the only one (merging may take away the states that made it necessary).
//! So the plan is found in rounds, each a function of the one before:
//!
//! 1. Begin without a plan.
//! 2. Explore with the plan. A function that overflows (more than k entry states, or one that its
//!    bound does not cover) collects them, and is not explored for the rest.
//! 3. If some overflowed: their bound is the merge of all that they collected, and of the bound
//!    they had. Again from 2, with a new graph, recalling the transitions of the last.
//!
//! The graph of every round is kept. An incremental run repairs them one by one, so each is
//! what a fresh run makes of the new program, and so is the plan. Entries that no root leads to
//! any more are in none of them. Without an overflow there is one round, and nothing of this costs
//! anything.

use crate::explore::{Explorer, Memory};
use crate::graph::{Configuration, Graph, Plan, StateId};
use crate::machine::{Counts, Limits, Machine, Property};
use serde::{Deserialize, Serialize};

/// What an analysis found, and what the next one needs to know of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Analysis<S> {
    /// The graphs of the rounds before the last; none if no function had too many contexts.
    pub planning: Vec<Graph<S>>,
    /// The derivation graph.
    pub graph: Graph<S>,
    /// The configurations that are errors, sorted.
    pub errors: Vec<Configuration<S>>,
    /// Under which limits.
    pub limits: Limits,
    /// What it took.
    pub counts: Counts,
}

impl<S> Analysis<S> {
    /// The graphs of all rounds.
    pub fn rounds(&self) -> Vec<&Graph<S>> {
        self.planning.iter().chain([&self.graph]).collect()
    }
}

/// Rounds under way.
pub(crate) struct Rounds<'a, M, P: Property> {
    pub(crate) machine: &'a M,
    pub(crate) property: &'a P,
    pub(crate) limits: Limits,
    pub(crate) plan: Plan<P::State>,
    pub(crate) planning: Vec<Graph<P::State>>,
    pub(crate) counts: Counts,
}

impl<'a, M: Machine, P: Property> Rounds<'a, M, P> {
    pub(crate) fn new(machine: &'a M, property: &'a P, limits: Limits) -> Self {
        Rounds {
            machine,
            property,
            limits,
            plan: Plan::new(),
            planning: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// One round from the roots. Gives its graph if it was the last, and keeps it if not.
    pub(crate) fn forward(
        &mut self,
        memories: Vec<Memory<'_, P::State>>,
    ) -> Option<Graph<P::State>> {
        let planning = &self.planning;
        let mut memories: Vec<Memory<'_, P::State>> = memories;
        memories.extend(planning.last().map(|graph| Memory {
            graph,
            changes: None,
        }));
        let plan = self.plan.clone();
        let mut explorer = Explorer::new(self.machine, self.property, self.limits, plan, memories);
        let mut roots = self.machine.roots();
        roots.sort_unstable();
        roots.dedup();
        for root in roots {
            explorer.enter_root(root);
        }
        explorer.run();
        self.counts += explorer.counts;
        self.counts.rounds += 1;
        let overflow = std::mem::take(&mut explorer.overflow);
        let graph = explorer.finish();
        for function in &overflow {
            let part = &graph.functions[function.0 as usize];
            let value = |id: &StateId| part.state(*id).clone();
            let mut states: Vec<_> = part.given.iter().map(value).collect();
            states.extend(self.plan.get(function).cloned());
            states.sort_unstable();
            states.dedup();
            self.plan.insert(*function, self.property.merge(&states));
        }
        if overflow.is_empty() {
            return Some(graph);
        }
        self.planning.push(graph);
        None
    }

    pub(crate) fn finish(
        self,
        graph: Graph<P::State>,
        errors: Vec<Configuration<P::State>>,
    ) -> Analysis<P::State> {
        Analysis {
            planning: self.planning,
            graph,
            errors,
            limits: self.limits,
            counts: self.counts,
        }
    }

    /// Rounds from the roots until the last, with what is worth remembering in each.
    pub(crate) fn finish_forward<'m>(
        mut self,
        memories: impl Fn(usize) -> Vec<Memory<'m, P::State>>,
    ) -> Analysis<P::State>
    where
        P::State: 'm,
    {
        loop {
            if let Some(graph) = self.forward(memories(self.planning.len())) {
                let errors = graph.rejecting();
                return self.finish(graph, errors);
            }
        }
    }
}
