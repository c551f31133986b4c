//! Automata of things that are there before a body is entered and after it is left: rules that users write.
//!
//! A function that unlocks what it is handed may be called with a lock that is held, or that is not: the body alone does not say, and
//! a guess would be a false alarm in every wrapper. So nothing is taken to be in the first state for being met first. What is
//! known is a *set* of states in which the automaton can be; at first, all of them. A label takes each to where it leads. A
//! state in which it would be an error is left out: a run that goes on was in another. Where it is an error in every state that
//! is left, it is one:
//!
//! ```text
//!     {free, locked}  ──lock──▶  {locked}  ──lock──▶ error          free ──lock──▶ locked,  locked ──lock──▶ error
//!     {free, locked}  ──unlock─▶ {free}    ──unlock─▶ error         locked ──unlock──▶ free, free ──unlock──▶ error
//! ```
//!
//! This is the subset construction, and the sets that a body needs are the states of a [`Machine`] like any other. The first state
//! is known only where the life of the thing begins: a variable of the function, `main`.
//!
//! A call of a function that comes to labels has a label of its own ([`summary`]): what it makes of each state, by all of its ways
//! together; or, where that is not known, any of the labels, any number of times ([`Transitions::closure`]). What
//! leads out of no state cannot be undone by anybody, so that "no `malloc` after `init`" needs to know nothing of what is called.

mod building;
mod fact;
mod grouping;
mod matching;
mod naming;
mod summary;
mod wanted;

use super::automaton::{AnyState, Automaton};
use super::label::Site;
use super::machine::Machine;
use crate::visit::{View, Visitor};
use ir::Program;
use matching::Atoms;
use summary::Known;

/// The states that are possible, as bits.
pub(super) type Set = u64;
/// Labels, as bits.
pub(super) type Labels = u64;

/// States and labels that an automaton may have: they are counted by bits.
pub(crate) const MOST: usize = 48;

/// An automaton that may be in any state, and what the program is to it.
pub(super) struct Possible {
    pub transitions: Transitions,
    each: bool,
    goes_on: bool,
    names: Vec<&'static str>,
    atoms: Atoms,
    known: Known,
    /// Nothing runs before `main`.
    begins_in_main: bool,
}

impl Possible {
    /// None if the program has nothing that the automaton hears of.
    pub fn of(automaton: &'static Automaton, program: &Program) -> Option<Possible> {
        let AnyState { each, harmless } = automaton.any_state.as_ref()?;
        let atoms = Atoms::of(automaton, program);
        if atoms.is_empty() {
            return None;
        }
        let transitions = Transitions::of(automaton);
        let known = Known::of(&transitions, &atoms, program, harmless, *each);
        let mut units = program.units.values();
        Some(Possible {
            names: automaton.states.iter().map(|s| s.name).collect(),
            transitions,
            each: *each,
            goes_on: automaton.goes_on,
            atoms,
            known,
            begins_in_main: units.all(|unit| unit.constructors.is_empty()),
        })
    }

    /// Must the visitor have entered the body?
    pub fn needs_events(&self) -> bool {
        self.atoms.needs_events()
    }

    /// The automaton in a body, and where its labels are.
    pub fn machine(
        &self,
        view: View<'_>,
        is_main: bool,
        visitor: &mut Visitor,
    ) -> (Machine, Vec<Site>) {
        building::machine(self, view, is_main && self.begins_in_main, visitor)
    }
}

/// What labels do to sets of states.
pub(super) struct Transitions {
    /// By state, in the order in which they are written: the first that fits counts.
    by_state: Vec<Vec<(usize, To)>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum To {
    State(usize),
    Error(u32),
}

/// What becomes of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    States(Set),
    /// It is wrong.
    Error(u32),
}

impl Transitions {
    fn of(automaton: &Automaton) -> Transitions {
        let mut by_state = vec![Vec::new(); automaton.states.len().min(MOST)];
        for t in automaton.transitions {
            let to = match (t.to, t.to.error()) {
                (_, Some(which)) => To::Error(which),
                (super::Target::State(to), None) => To::State(to),
                _ => continue,
            };
            if let Some(all) = by_state.get_mut(t.from) {
                all.push((t.on, to));
            }
        }
        Transitions { by_state }
    }

    /// All states.
    pub fn all(&self) -> Set {
        self.states().fold(0, |all, state| all | 1 << state)
    }

    fn states(&self) -> std::ops::Range<usize> {
        0..self.by_state.len()
    }

    /// What a statement with these labels makes of one state.
    fn fate(&self, state: usize, labels: Labels) -> Fate {
        let mut all = self.by_state[state].iter();
        match all.find(|(label, _)| labels >> label & 1 == 1) {
            Some((_, To::State(to))) => Fate::States(1 << to),
            Some((_, To::Error(which))) => Fate::Error(*which),
            None => Fate::States(1 << state),
        }
    }

    pub fn step(&self, set: Set, labels: Labels) -> Fate {
        self.each(set, |state| self.fate(state, labels))
    }

    /// All fates together: what is wrong is left out, unless there is nothing else.
    pub fn each(&self, set: Set, fate: impl Fn(usize) -> Fate) -> Fate {
        let mut states = 0;
        let mut wrong = None;
        for state in self.states().filter(|s| set >> s & 1 == 1) {
            match fate(state) {
                Fate::States(to) => states |= to,
                Fate::Error(which) => wrong = wrong.or(Some(which)),
            }
        }
        match wrong {
            Some(which) if states == 0 => Fate::Error(which),
            _ => Fate::States(states),
        }
    }

    /// Where any of these labels lead, any number of times.
    pub fn closure(&self, mut set: Set, labels: Labels) -> Set {
        loop {
            let mut more = set;
            for state in self.states().filter(|s| set >> s & 1 == 1) {
                for (label, to) in &self.by_state[state] {
                    if let (To::State(to), 1) = (to, labels >> label & 1) {
                        more |= 1 << to;
                    }
                }
            }
            if more == set {
                return set;
            }
            set = more;
        }
    }

    /// Labels that lead from one state to another.
    pub fn moving(&self) -> Labels {
        let all = self.by_state.iter().enumerate();
        all.flat_map(|(from, all)| all.iter().map(move |t| (from, t)))
            .filter(|(from, (_, to))| matches!(to, To::State(to) if to != from))
            .fold(0, |labels, (_, (label, _))| labels | 1 << label)
    }
}
