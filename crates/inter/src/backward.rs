//! IncrBack: repairs a derivation graph from the changes outwards (§4, Fig. 5).
//!
//! Components of the call graph are visited callees first. One is *affected* if a function of it changed,
//! or if the summary of a function below changed for an entry that it uses. The derivations of an
//! affected component are checked as IncrFwd does it, from the entries that calls from outside of the component
//! give it (EXT-INITS; callers are not repaired yet, so there may be too many). If its summaries
//! come out as before, the change ends there. Functions that do not call what changed are never
//! looked at.
//!
//! A changed function may enter functions below in new states: these are explored there and then, and
//! added to what is there. It may also enter them no more: they are left alone, with entries that
//! nobody needs. **Theorem 3**: the graph over-approximates Full's, with the same errors after
//! [`retrace`]. [`incremental_forward`](crate::incremental_forward) drops the surplus.
//!
//! # Contexts
//!
//! Rounds before the last are repaired from the roots (they say what the plan is, see `rounds`). If
//! the plan is as before, the last is repaired as above; if not, or if a function overflows, from the
//! roots too. Surplus entries count towards an overflow here, which costs time and changes nothing.

use crate::change::{Changes, FunctionChange};
use crate::components::{call_graph, components};
use crate::explore::{Explorer, Memory};
use crate::forward::memories;
use crate::graph::{FunctionGraph, Graph};
use crate::machine::{Exit, FunctionId, Limits, Machine, Property};
use crate::retrace::{callers, retrace};
use crate::rounds::{Analysis, Rounds};
use std::collections::{BTreeMap, BTreeSet};

/// Repairs `previous` for a new version of its program.
pub fn incremental_backward<M: Machine, P: Property>(
    machine: &M,
    property: &P,
    limits: Limits,
    previous: &Analysis<P::State>,
) -> Analysis<P::State> {
    let changes = Changes::between(&previous.graph, machine);
    let mut rounds = Rounds::new(machine, property, limits);
    while rounds.planning.len() < previous.planning.len() {
        let round = rounds.planning.len();
        if let Some(graph) = rounds.forward(memories(previous, round, &changes)) {
            let errors = graph.rejecting();
            return rounds.finish(graph, errors);
        }
    }
    let mut attempt = None;
    if rounds.plan == previous.graph.plan && limits == previous.limits {
        let mut repair = Repair::new(&rounds, &previous.graph, &changes);
        let settled = repair.run();
        rounds.counts += repair.explorer.counts;
        let graph = repair.explorer.finish();
        if settled {
            rounds.counts.rounds += 1;
            let errors = retrace(&graph);
            return rounds.finish(graph, errors);
        }
        // Functions that it did not come to are as they were before the edit.
        let since = Changes::between(&graph, machine);
        attempt = Some((graph, since));
    }
    rounds.finish_forward(|round| {
        let mut all = memories(previous, round, &changes);
        // What was computed in vain is at least remembered.
        all.extend(attempt.as_ref().map(|(graph, since)| Memory {
            graph,
            changes: Some(since),
        }));
        all
    })
}

struct Repair<'a, M, P: Property> {
    machine: &'a M,
    old: &'a Graph<P::State>,
    explorer: Explorer<'a, M, P>,
    roots: BTreeSet<FunctionId>,
    callees: Vec<Vec<FunctionId>>,
    /// In the old graph.
    callers: Vec<Vec<FunctionId>>,
    affected: BTreeSet<FunctionId>,
}

impl<'a, M: Machine, P: Property> Repair<'a, M, P> {
    fn new(
        rounds: &Rounds<'a, M, P>,
        old: &'a Graph<P::State>,
        changes: &'a Changes,
    ) -> Repair<'a, M, P> {
        let machine = rounds.machine;
        let memory = Memory {
            graph: old,
            changes: Some(changes),
        };
        let plan = rounds.plan.clone();
        let mut explorer =
            Explorer::new(machine, rounds.property, rounds.limits, plan, vec![memory]);
        let callees = call_graph(machine);
        let mut affected = BTreeSet::new();
        let mut appeared = BTreeSet::new();
        for (function, change) in changes.iter() {
            match change {
                FunctionChange::Absent => {}
                FunctionChange::Same => explorer.keep(function),
                FunctionChange::Edited(_) => {
                    explorer.keep(function);
                    affected.insert(function);
                }
                FunctionChange::Added => {
                    appeared.insert(function);
                    affected.insert(function);
                }
                // It has no part in the new graph, so its callers' summaries of it are void.
                FunctionChange::Removed => {
                    appeared.insert(function);
                }
            }
        }
        let roots: BTreeSet<FunctionId> = machine.roots().into_iter().collect();
        for function in (0..machine.functions() as u32).map(FunctionId) {
            let shape = crate::change::known(machine, function);
            let calls = |shape: &crate::Shape| {
                let mut edges = shape.edges().iter();
                edges.any(|edge| edge.targets().iter().any(|f| appeared.contains(f)))
            };
            if !appeared.is_empty() && shape.is_some_and(|shape| calls(shape)) {
                affected.insert(function);
            }
            if shape.is_some() && other_roots(&explorer, old, &roots, function) {
                affected.insert(function);
            }
        }
        Repair {
            machine,
            callers: callers(old),
            old,
            explorer,
            roots,
            callees,
            affected,
        }
    }

    /// Whether no function overflowed.
    fn run(&mut self) -> bool {
        for component in components(&self.callees) {
            if component.iter().any(|f| self.affected.contains(f)) {
                self.check_derivations(&component);
                if !self.explorer.overflow.is_empty() {
                    return false;
                }
                self.compare_summaries(&component);
            }
        }
        true
    }

    /// CHECK-DERIVATIONS
    fn check_derivations(&mut self, component: &[FunctionId]) {
        let mut entries: Vec<(FunctionId, P::State)> = Vec::new();
        for function in component {
            for caller in self.callers_outside(*function, component) {
                let part = self.explorer.part(caller);
                let calls = part.calls().filter(|call| call.1 == *function);
                entries.extend(calls.map(|call| (*function, part.state(call.2).clone())));
            }
        }
        entries.sort_unstable();
        entries.dedup();
        for function in component {
            self.explorer.restart(*function);
        }
        for function in component {
            if self.roots.contains(function) {
                self.explorer.enter_root(*function);
            }
        }
        for (function, state) in entries {
            self.explorer.enter(function, &state);
        }
        self.explorer.run();
    }

    fn callers_outside(&self, function: FunctionId, component: &[FunctionId]) -> Vec<FunctionId> {
        let of = self.callers.get(function.0 as usize).into_iter().flatten();
        of.copied()
            .filter(|caller| component.binary_search(caller).is_err())
            .filter(|caller| (caller.0 as usize) < self.machine.functions())
            .collect()
    }

    /// Whoever uses a summary that is different now is affected.
    fn compare_summaries(&mut self, component: &[FunctionId]) {
        for function in component {
            let Some(old) = self.old.function(*function) else {
                continue;
            };
            let (before, after) = (by_entry(old), by_entry(self.explorer.part(*function)));
            if before == after {
                continue;
            }
            let differs = |entry: &P::State| before.get(entry) != after.get(entry);
            let mut found = Vec::new();
            for caller in self.callers_outside(*function, component) {
                let part = self.explorer.part(caller);
                let mut calls = part.calls().filter(|call| call.1 == *function);
                if calls.any(|call| differs(part.state(call.3))) {
                    found.push(caller);
                }
            }
            self.affected.extend(found);
        }
    }
}

/// What each entry comes back with, sorted.
fn by_entry<S: Ord>(part: &FunctionGraph<S>) -> BTreeMap<&S, Vec<(Exit, &S)>> {
    let mut all: BTreeMap<&S, Vec<(Exit, &S)>> = BTreeMap::new();
    for (entry, exit, state) in part.summary_pairs() {
        all.entry(entry).or_default().push((exit, state));
    }
    all
}

/// Whether `function` is entered from outside in other states than before.
fn other_roots<M: Machine, P: Property>(
    explorer: &Explorer<'_, M, P>,
    old: &Graph<P::State>,
    roots: &BTreeSet<FunctionId>,
    function: FunctionId,
) -> bool {
    let now = match roots.contains(&function) {
        true => explorer.initial(function),
        false => Vec::new(),
    };
    let before = old.function(function).map_or(Vec::new(), |part| {
        let mut states: Vec<_> = part.initial.iter().map(|id| part.state(*id)).collect();
        states.sort_unstable();
        states
    });
    !now.iter().eq(before)
}
