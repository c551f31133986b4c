//! Observers (§4.4): automata over edges that accept the words that run into a given conflict.
//!
//! The paper's observer has a state (current, eqn, conflict): where each variable was last written,
//! which equations have been seen, and whether none, some or all have. This one keeps `current` and
//! `conflict`; what it accepts contains what the paper's would.
//!
//! **The transition.** Let μ be the least solution of the conflict's equations. `current(x) = l`
//! says that the last write of x is one of the conflict's expressions for `x_l`. An edge that
//! writes x on the way into l is compared, syntactically, with the expressions that the conflict
//! has for `x_l`: one of them *matches* if each variable y of the right-hand side stands in the
//! expression as `y_k` with k = current(y), or as its range, as at the start of the fragment. Then
//! current(x) = l. Any other write of x (an expression that is not among the conflict's, a location
//! that it does not have) makes current(x) unknown. An edge whose expression matches one that is
//! empty under μ is accepted.
//!
//! **Why acceptance implies that the word is infeasible.** In any run along the word, at each of
//! its positions, current(x) = l implies that the value of x lies in μ(x_l). It holds at the start,
//! where nothing is known. A write that matches e has a value in ⟦e⟧μ: each variable of its
//! right-hand side has a value in μ(y_k), or in its range, where all its values lie at all times.
//! And ⟦e⟧μ lies in μ(x_l), since e is among the expressions that are joined there (for
//! which μ need not be the least solution: one from above will do). A write that
//! does not match claims nothing. If e is empty under μ, there is no value, and no run.
//!
//! So the paper's reset of everything is not needed, only that of the variable that was written;
//! and a write outside of the fragment must not leave current(x) as it was (as §4.4 has it, read
//! literally).
//!
//! **Why no observer is built twice.** Let a word contain a fragment with the same reduced
//! equations. Whatever the state is where the fragment begins, from there on current(x) = l
//! wherever the last write of x in the fragment is that of an instance of the cone: by induction
//! its expression is among the conflict's, its variables are those written last in the fragment, or
//! ranges, which match in any state. So the fragment's last update, which is empty, is accepted.
//! And no second attempt has to be remembered: knowing more than the fragment does never hinders a
//! match.

use crate::automaton::{Automaton, Edge, Variable};
use crate::conflict::Conflict;
use crate::expression::{ExpressionId, Node};
use crate::word::Instance;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// How much of a conflict has been seen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Progress {
    None,
    Some,
    /// All: the word is infeasible, and stays so.
    All,
}

/// A state of one observer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct State {
    accepted: bool,
    /// For each variable that the conflict's expressions read: 0, or which of the locations of its
    /// instances it was written at last. Empty once the word is accepted.
    current: SmallVec<[u16; 4]>,
}

impl State {
    pub fn progress(&self) -> Progress {
        if self.accepted {
            Progress::All
        } else if self.current.iter().all(|&c| c == 0) {
            Progress::None
        } else {
            Progress::Some
        }
    }
}

/// What an edge must find in a state, (variable, code of the location), to be one of the
/// conflict's expressions.
#[derive(Clone, Debug)]
struct Pattern {
    required: SmallVec<[(u16, u16); 2]>,
    fatal: bool,
}

/// What an edge does with one variable.
#[derive(Clone, Debug)]
struct Effect {
    /// The variable, and the code of the location if a pattern matches; none if the
    /// conflict's expressions do not read what is written here.
    write: Option<(u16, u16)>,
    patterns: Vec<Pattern>,
}

/// Accepts words that are infeasible because of one conflict.
#[derive(Clone, Debug)]
pub struct Observer {
    /// The variables that are followed, each with the locations of its instances, by code - 1.
    followed: Vec<(Variable, Vec<Instance>)>,
    effects: FxHashMap<Edge, Vec<Effect>>,
}

impl Observer {
    pub fn new(automaton: &Automaton, conflict: &Conflict) -> Observer {
        let mut read: BTreeMap<Variable, BTreeSet<Instance>> = BTreeMap::new();
        let mut writers: BTreeSet<Edge> = BTreeSet::new();
        for (instance, values) in conflict.values() {
            writers.extend(automaton.writers(instance.variable));
            for &value in values {
                let expressions = &conflict.system().expressions;
                expressions.variables(value, &mut |x: Instance| {
                    read.entry(x.variable).or_default().insert(x);
                });
            }
        }
        let followed = read
            .into_iter()
            .map(|(variable, instances)| (variable, instances.into_iter().collect()))
            .collect();
        let mut observer = Observer {
            followed,
            effects: FxHashMap::default(),
        };
        for edge in writers {
            let effects = observer.effects_of(automaton, conflict, edge);
            if !effects.is_empty() {
                observer.effects.insert(edge, effects);
            }
        }
        observer
    }

    fn effects_of(&self, automaton: &Automaton, conflict: &Conflict, edge: Edge) -> Vec<Effect> {
        let mut effects = Vec::new();
        for update in automaton.updates(edge) {
            let instance = Instance {
                variable: update.variable,
                location: automaton.target(edge),
            };
            let values = conflict.values().find(|&(x, _)| x == instance);
            let patterns: Vec<Pattern> = values
                .map_or(&[][..], |(_, values)| values)
                .iter()
                .filter_map(|&value| {
                    let mut required = BTreeMap::new();
                    let matches = matches(automaton, update.value, conflict, value, &mut required);
                    let required = required.into_values().map(|x| self.code(x)).collect();
                    matches.then(|| Pattern {
                        required,
                        fatal: conflict.is_fatal(value),
                    })
                })
                .collect();
            let follows = self.followed.iter().any(|(x, _)| *x == update.variable);
            if follows || !patterns.is_empty() {
                effects.push(Effect {
                    write: follows.then(|| self.code(instance)),
                    patterns,
                });
            }
        }
        effects
    }

    /// The index of the variable, which must be followed, and the code of the location (0 if no
    /// expression reads the instance).
    fn code(&self, instance: Instance) -> (u16, u16) {
        let at = self
            .followed
            .partition_point(|(x, _)| *x < instance.variable);
        let code = self
            .followed
            .get(at)
            .and_then(|(_, instances)| instances.iter().position(|&x| x == instance))
            .map_or(0, |code| code + 1);
        (at as u16, code as u16)
    }

    pub fn initial(&self) -> State {
        State {
            accepted: false,
            current: SmallVec::from_elem(0, self.followed.len()),
        }
    }

    pub fn step(&self, state: &State, edge: Edge) -> State {
        let Some(effects) = self.effects.get(&edge) else {
            return state.clone();
        };
        if state.accepted {
            return state.clone();
        }
        let mut next = state.clone();
        for effect in effects {
            let mut matched = false;
            for pattern in &effect.patterns {
                let holds = |&(x, code): &(u16, u16)| state.current[x as usize] == code;
                if pattern.required.iter().all(holds) {
                    if pattern.fatal {
                        return State {
                            accepted: true,
                            current: SmallVec::new(),
                        };
                    }
                    matched = true;
                }
            }
            if let Some((x, code)) = effect.write {
                next.current[x as usize] = if matched { code } else { 0 };
            }
        }
        next
    }

    /// Is every word that leads to this state infeasible, with all that continue it?
    pub fn is_conflict(&self, state: &State) -> bool {
        state.accepted
    }

    /// Does the first state know no more than the second? Then whatever is accepted from the first
    /// is accepted from the second: a search that has been at a location with the first has nothing
    /// to find there with the second. (A match asks for things known, never for things unknown.)
    pub fn covers(&self, first: &State, second: &State) -> bool {
        let known = first.current.iter().zip(&second.current);
        second.accepted || !first.accepted && known.into_iter().all(|(&a, &b)| a == 0 || a == b)
    }

    /// The state without what it knows of some variables: sound for any, and without loss for
    /// those that are dead, which nothing reads before it is written again.
    pub fn forget(&self, state: &State, is_forgotten: impl Fn(Variable) -> bool) -> State {
        let mut state = state.clone();
        for ((variable, _), code) in self.followed.iter().zip(&mut state.current) {
            if *code != 0 && is_forgotten(*variable) {
                *code = 0;
            }
        }
        state
    }

    /// Does the edge change any state?
    pub fn is_relevant(&self, edge: Edge) -> bool {
        self.effects.contains_key(&edge)
    }

    /// `current` as the paper has it: the instances whose equations the last writes are.
    pub fn current(&self, state: &State) -> Vec<Instance> {
        let known = self.followed.iter().zip(&state.current);
        known
            .filter_map(|((_, instances), &code)| instances.get((code as usize).checked_sub(1)?))
            .copied()
            .collect()
    }

    pub fn accepts(&self, word: &[Edge]) -> bool {
        let step = |state, &edge| self.step(&state, edge);
        self.is_conflict(&word.iter().fold(self.initial(), step))
    }
}

/// Can the right-hand side become the conflict's expression, and with which instances? A
/// variable stands there as an instance, the same everywhere, or as its range.
fn matches(
    automaton: &Automaton,
    side: ExpressionId,
    conflict: &Conflict,
    value: ExpressionId,
    required: &mut BTreeMap<Variable, Instance>,
) -> bool {
    let mut both = |a, b, c, d| {
        matches(automaton, a, conflict, c, required) && matches(automaton, b, conflict, d, required)
    };
    match (
        automaton.expressions.node(side),
        conflict.system().expressions.node(value),
    ) {
        (Node::Variable(x), Node::Variable(instance)) => {
            instance.variable == x && *required.entry(x).or_insert(instance) == instance
        }
        (Node::Variable(x), Node::Constant(range)) => range == automaton.range(x),
        (Node::Constant(a), Node::Constant(b)) => a == b,
        (Node::Guarded(a, r), Node::Guarded(b, s)) => {
            r == s && matches(automaton, a, conflict, b, required)
        }
        (Node::Join(a, b), Node::Join(c, d))
        | (Node::Meet(a, b), Node::Meet(c, d))
        | (Node::Sum(a, b), Node::Sum(c, d))
        | (Node::Product(a, b), Node::Product(c, d)) => both(a, b, c, d),
        _ => false,
    }
}

/// The states of several observers.
pub type States = SmallVec<[State; 2]>;

/// Observers that run together, each conflict's at most once.
#[derive(Clone, Debug, Default)]
pub struct Observers {
    observers: Vec<(Conflict, Observer)>,
}

impl Observers {
    pub fn new() -> Observers {
        Observers::default()
    }

    /// Adds the observer of a conflict; false if it is there already. A search that drops what is
    /// accepted never meets a conflict again, and there are finitely many: so a caller that
    /// finds conflicts only in words that are not accepted may assert that this is true, and ends.
    #[must_use]
    pub fn insert(&mut self, automaton: &Automaton, conflict: Conflict) -> bool {
        if self.observers.iter().any(|(known, _)| *known == conflict) {
            return false;
        }
        let observer = Observer::new(automaton, &conflict);
        self.observers.push((conflict, observer));
        true
    }

    pub fn len(&self) -> usize {
        self.observers.len()
    }

    pub fn is_empty(&self) -> bool {
        self.observers.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Observer> {
        self.observers.iter().map(|(_, observer)| observer)
    }

    pub fn initial(&self) -> States {
        self.iter().map(Observer::initial).collect()
    }

    /// One step of all of them. Observers that were added after the states were made begin here,
    /// which is sound: they may begin anywhere.
    pub fn step(&self, states: &States, edge: Edge) -> States {
        self.iter()
            .enumerate()
            .map(|(i, observer)| match states.get(i) {
                Some(state) => observer.step(state, edge),
                None => observer.step(&observer.initial(), edge),
            })
            .collect()
    }

    /// Has one of them accepted?
    pub fn is_conflict(&self, states: &States) -> bool {
        states.iter().any(|state| state.accepted)
    }

    /// [`Observer::covers`] for all of them.
    pub fn covers(&self, first: &States, second: &States) -> bool {
        let mut all = self.iter().zip(first.iter().zip(second));
        self.is_conflict(second) || all.all(|(observer, (a, b))| observer.covers(a, b))
    }

    /// [`Observer::forget`] for all of them.
    pub fn forget(&self, states: &States, is_forgotten: impl Fn(Variable) -> bool) -> States {
        let all = self.iter().zip(states);
        all.map(|(observer, state)| observer.forget(state, &is_forgotten))
            .collect()
    }

    /// Does the edge change the state of any of them?
    pub fn is_relevant(&self, edge: Edge) -> bool {
        self.iter().any(|observer| observer.is_relevant(edge))
    }

    pub fn accepts(&self, word: &[Edge]) -> bool {
        self.iter().any(|observer| observer.accepts(word))
    }
}
