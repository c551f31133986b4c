//! By which calls an error is come to that needs a caller.
//!
//! The derivation graph says in which states functions are entered, and in which of these a check fails. A
//! *chain* is a shortest sequence of calls from a function of which nothing is assumed to such a
//! state. Of several the least is taken by the order of the program, so that it does not depend on how
//! the graph came about.

use super::level1::State;
use super::machine::{Kind, machine_of, whose};
use super::numbers::Numbers;
use automata::Entry;
use inter::{Configuration, FunctionId, Graph};
use ir::arena::Id;
use ir::{CheckId, EdgeId, FuncId};
use std::collections::{BTreeMap, BTreeSet};

/// Calls from a root to a check.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Chain {
    pub root: FuncId,
    /// The calling edge of the function before, and whom it enters.
    pub calls: Vec<(EdgeId, FuncId)>,
}

/// Calls of a chain, at most.
pub(crate) const LONGEST: usize = 16;

/// Chains that are looked at for one check.
const CHAINS: usize = 3;

/// A function in a state; none: of which nothing is assumed.
type Place = (FuncId, Option<Entry>);

/// The chains to every check that fails in some context, the shortest first.
pub(crate) fn chains(
    graph: &Graph<State>,
    errors: &[Configuration<State>],
    numbers: &Numbers,
) -> BTreeMap<(FuncId, CheckId), Vec<Chain>> {
    let mut wanted: BTreeMap<Place, BTreeSet<CheckId>> = BTreeMap::new();
    for error in errors {
        if let (State::Entered(entry), State::Fails(check)) = (&error.root, &error.state)
            && let Some(f) = function(numbers, error.function)
        {
            let checks = wanted.entry((f, Some(entry.clone()))).or_default();
            checks.insert(CheckId(*check));
        }
    }
    let mut found: BTreeMap<(FuncId, CheckId), Vec<Chain>> = BTreeMap::new();
    if wanted.is_empty() {
        return found;
    }
    let mut seen: BTreeSet<Place> = BTreeSet::new();
    let mut level: BTreeMap<Place, Chain> = BTreeMap::new();
    for f in numbers.of.iter().enumerate().filter(|(_, n)| n.is_some()) {
        let root = FuncId::from_index(f.0);
        let chain = Chain {
            root,
            calls: Vec::new(),
        };
        level.insert((root, None), chain);
    }
    for _ in 0..LONGEST {
        let mut next: BTreeMap<Place, Chain> = BTreeMap::new();
        for ((f, entry), chain) in &level {
            for (edge, place) in calls(graph, numbers, *f, entry.as_ref()) {
                if seen.contains(&place) {
                    continue;
                }
                let mut chain = chain.clone();
                chain.calls.push((edge, place.0));
                let known = next.entry(place).or_insert_with(|| chain.clone());
                if chain < *known {
                    *known = chain;
                }
            }
        }
        for (place, chain) in &next {
            for check in wanted.get(place).into_iter().flatten() {
                let all = found.entry((place.0, *check)).or_default();
                if all.len() < CHAINS && !all.contains(chain) {
                    all.push(chain.clone());
                }
            }
        }
        seen.extend(next.keys().cloned());
        level = next;
    }
    found
}

fn function(numbers: &Numbers, machine: FunctionId) -> Option<FuncId> {
    numbers.function(whose(machine).0)
}

/// The calls of a function in a state that enter others in states that matter.
fn calls(
    graph: &Graph<State>,
    numbers: &Numbers,
    f: FuncId,
    entry: Option<&Entry>,
) -> Vec<(EdgeId, Place)> {
    let Some(number) = numbers.of[f.index()] else {
        return Vec::new();
    };
    let kind = match entry {
        None => Kind::Root,
        Some(_) => Kind::Context,
    };
    let Some(part) = graph.function(machine_of(number, kind)) else {
        return Vec::new();
    };
    let from = State::Entered(entry.cloned().unwrap_or(Entry::Anything));
    let mut all = Vec::new();
    for (point, callee, _, entered) in part.calls() {
        let State::Asks(ask) = part.state(point.state) else {
            continue;
        };
        let here = point.roots.iter().any(|root| *part.state(*root) == from);
        if let (true, State::Entered(entered), Some(g)) =
            (here, part.state(entered), function(numbers, callee))
        {
            all.push((ask.edge, (g, Some(entered.clone()))));
        }
    }
    all.sort_unstable();
    all
}
