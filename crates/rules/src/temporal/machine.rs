//! What an automaton is in one body: states, and what each label there does to them.
//!
//! Most automata are the same everywhere. One that may be in any state when a body is entered is made for each body anew
//! ([`super::possible`]): a state of the machine is a set of states there, and what a callee does is a label like any other.

use super::automaton::{Automaton, Target};
use super::label::{Pattern, Subject, Valid};

pub(crate) struct Machine {
    /// What states are called, from state 0, in which nothing is known and nothing noted.
    pub states: Vec<String>,
    /// Is the name of a state a part of what its flag is called?
    pub named: bool,
    pub effects: Vec<Effect>,
    /// What is followed from the beginning of the body.
    pub entries: Vec<Entry>,
    pub goes_on: bool,
    /// See [`Automaton::needs`].
    pub needs: Option<usize>,
    /// That a body is left is wrong only if the body itself does on some way what makes it right.
    pub shows_way_out: bool,
}

/// What one label does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Effect {
    /// By state.
    pub next: Vec<Option<Next>>,
    pub valid: Valid,
    /// The body is left.
    pub leaves: bool,
    /// It may have happened or not: no way out that the body shows.
    pub vague: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    State(usize),
    /// Which error it is.
    Error(u32),
}

/// A value that is in this state when the body is entered; none: the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub value: Option<Subject>,
    pub state: usize,
}

impl Machine {
    /// The same in every body: state 0 is that in which nothing has happened.
    pub fn of(automaton: &Automaton) -> Machine {
        let effect = |(label, l): (usize, &super::Label)| Effect {
            next: (0..automaton.states.len())
                .map(|from| {
                    let mut all = automaton.transitions.iter();
                    let found = all.find(|t| t.from == from && t.on == label);
                    found.map(|t| match t.to {
                        Target::State(to) => Next::State(to),
                        Target::Error => Next::Error(0),
                        Target::Told(which) => Next::Error(which),
                    })
                })
                .collect(),
            valid: l.valid,
            leaves: l.patterns.iter().any(|p| matches!(p, Pattern::Left)),
            vague: false,
        };
        Machine {
            states: automaton
                .states
                .iter()
                .map(|s| s.name.to_string())
                .collect(),
            named: automaton.states.len() > 2,
            effects: automaton.labels.iter().enumerate().map(effect).collect(),
            entries: Vec::new(),
            goes_on: automaton.goes_on,
            needs: automaton.needs,
            shows_way_out: false,
        }
    }

    /// Where a label leads from a state, if it leads anywhere.
    pub fn next(&self, from: usize, label: usize) -> Option<Next> {
        *self.effects.get(label)?.next.get(from)?
    }

    /// The state in which a label starts.
    #[cfg(test)]
    pub fn started_by(&self, label: usize) -> Option<usize> {
        match self.next(0, label) {
            Some(Next::State(to)) => Some(to),
            _ => None,
        }
    }

    /// The states in which a label is an error, and which one.
    pub fn errors_on(&self, label: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.all(label).filter_map(|(from, next)| match next {
            Next::Error(which) => Some((from, which)),
            Next::State(_) => None,
        })
    }

    /// What a label does, errors and starts apart: from where to where.
    pub fn steps_on(&self, label: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.all(label).filter_map(|(from, next)| match next {
            Next::State(to) if from != 0 => Some((from, to)),
            _ => None,
        })
    }

    /// Does a label lead from one state to another, and from that one on?
    pub fn shifts(&self, label: usize) -> bool {
        let leaves = |state: usize| self.steps_on(label).any(|(from, _)| from == state);
        let mut steps = self.steps_on(label);
        steps.any(|(from, to)| from != to && leaves(to))
    }

    /// Is it wrong to leave the body in this state?
    pub fn must_not_leave(&self, state: usize) -> bool {
        let mut all = self.effects.iter().filter(|e| e.leaves);
        all.any(|e| matches!(e.next.get(state), Some(Some(Next::Error(_)))))
    }

    fn all(&self, label: usize) -> impl Iterator<Item = (usize, Next)> + '_ {
        let next = self.effects.get(label).map_or(&[][..], |e| &e.next);
        let next = next.iter().enumerate();
        next.filter_map(|(from, next)| Some((from, (*next)?)))
    }
}
