//! RETRACE (Fig. 5): which errors does a root still lead to?
//!
//! After IncrBack a function may have entries that nobody calls any more. What is derived from such an
//! entry is right, given the entry; so an error is real iff its root is an entry that some
//! chain of calls leads to from outside. The paper searches that chain for each error alone; here
//! all errors are traced back together (only their callers, and those of these, are looked at), and then
//! forward again from the roots within what was met, so that recursion cannot justify itself.

use crate::graph::{Configuration, FunctionGraph, Graph, StateId};
use crate::machine::FunctionId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;

/// The errors of a graph that some root leads to, sorted.
pub fn retrace<S: Clone + Eq + Hash + Ord>(graph: &Graph<S>) -> Vec<Configuration<S>> {
    let rejecting = graph.rejecting();
    let live = Tracer::new(graph).live(rejecting.iter().map(|c| (c.function, &c.root)));
    let mut errors = rejecting.clone();
    errors.retain(|error| live.contains(&(error.function, &error.root)));
    errors
}

type Entry<'a, S> = (FunctionId, &'a S);

struct Tracer<'a, S> {
    graph: &'a Graph<S>,
    /// Who enters a function, by its id.
    callers: Vec<Vec<FunctionId>>,
    /// Of a function that was looked at: which entry it enters from which of its own roots.
    calls: FxHashMap<FunctionId, FxHashMap<Entry<'a, S>, Vec<StateId>>>,
}

/// Who enters a function, by its id; sorted.
pub(crate) fn callers<S>(graph: &Graph<S>) -> Vec<Vec<FunctionId>> {
    let mut all = vec![Vec::new(); graph.functions.len()];
    for (function, part) in graph.iter() {
        for callee in &part.callees {
            if let Some(of) = all.get_mut(callee.0 as usize) {
                of.push(function);
            }
        }
    }
    all
}

impl<'a, S: Clone + Eq + Hash + Ord> Tracer<'a, S> {
    fn new(graph: &'a Graph<S>) -> Self {
        Tracer {
            callers: callers(graph),
            calls: FxHashMap::default(),
            graph,
        }
    }

    fn part(&self, function: FunctionId) -> &'a FunctionGraph<S> {
        &self.graph.functions[function.0 as usize]
    }

    /// The entries of `caller` from which it enters `entry`.
    fn origins(&mut self, caller: FunctionId, entry: Entry<'_, S>) -> Vec<Entry<'a, S>> {
        let part = self.part(caller);
        let calls = self.calls.entry(caller).or_insert_with(|| {
            let mut all: FxHashMap<Entry<'a, S>, Vec<StateId>> = FxHashMap::default();
            for (point, callee, _, entry) in part.calls() {
                let roots = all.entry((callee, part.state(entry))).or_default();
                roots.extend(&point.roots);
            }
            all
        });
        let mut roots = calls.get(&entry).cloned().unwrap_or_default();
        roots.sort_unstable();
        roots.dedup();
        roots
            .into_iter()
            .map(|root| (caller, part.state(root)))
            .collect()
    }

    /// Those entries that calls lead to from outside, of `wanted` and of what leads to them.
    fn live<'b>(&mut self, wanted: impl Iterator<Item = Entry<'b, S>>) -> FxHashSet<Entry<'a, S>>
    where
        S: 'b,
    {
        let mut met: FxHashSet<Entry<'a, S>> = FxHashSet::default();
        let mut pending: Vec<Entry<'a, S>> = Vec::new();
        for (function, root) in wanted {
            let part = self.part(function);
            let own = part.entries.iter().map(|id| part.state(*id));
            for state in own.filter(|state| *state == root) {
                if met.insert((function, state)) {
                    pending.push((function, state));
                }
            }
        }
        let mut onwards: FxHashMap<Entry<'a, S>, Vec<Entry<'a, S>>> = FxHashMap::default();
        let mut live = FxHashSet::default();
        let mut found = Vec::new();
        while let Some(entry) = pending.pop() {
            if self.graph.is_initial(entry.0, entry.1) && live.insert(entry) {
                found.push(entry);
            }
            for caller in self.callers[entry.0.0 as usize].clone() {
                for origin in self.origins(caller, entry) {
                    onwards.entry(origin).or_default().push(entry);
                    if met.insert(origin) {
                        pending.push(origin);
                    }
                }
            }
        }
        while let Some(entry) = found.pop() {
            for next in onwards.get(&entry).into_iter().flatten() {
                if live.insert(*next) {
                    found.push(*next);
                }
            }
        }
        live
    }
}
