//! Safety automata: what may follow what, for one value.
//!
//! "Every `malloc_p` is followed by no `used_p` after a `free_p`" (path reduction, §2.3) is the
//! automaton
//!
//! ```text
//!     idle ──malloc_p──▶ owned ──free_p──▶ freed ──used_p──▶ error
//! ```
//!
//! and a run of the program violates it if for some value `p` it leads there. The labels ([`Label`]) say
//! which statements speak of which value; a label without a transition in a state leaves it as it is. As
//! in the property (`AG (malloc_p ⇒ …)`), every start begins a run of the automaton of its own, whatever
//! has happened to the value before.

use super::label::Label;
use thiserror::Error;

/// What may follow what. State 0 is the one in which nothing has happened yet.
#[derive(Debug)]
pub struct Automaton {
    pub states: &'static [State],
    pub labels: &'static [Label],
    pub transitions: &'static [Transition],
    /// The functions that the labels name are those of a library: one that the program itself
    /// defines is another one.
    pub library_only: bool,
    /// Labels that a call carries, too, if the callee does what they name with what it is handed, whatever way it takes
    /// ([`super::surely`]).
    pub by_callees: &'static [usize],
    /// Where the program calls one of these, the automaton says nothing at all.
    pub void_if_called: &'static [&'static str],
    /// A value that is the address of a global whose first value is not zero is of another kind, and is left alone.
    pub zero_at_first: bool,
    /// A value is followed only from where this label may come behind: that the code does it on some way is what says that it
    /// must on the others.
    pub needs: Option<usize>,
    /// A run goes on behind the error. What comes then is seen, too.
    pub goes_on: bool,
    /// Nothing is taken to be in state 0 for being met first: it may be in any ([`super::possible`]).
    pub any_state: Option<AnyState>,
}

/// An automaton whose states are those of something that is there before a body is entered and after it is left.
#[derive(Clone, Copy, Debug)]
pub struct AnyState {
    /// There is one for every value; else one for the run as a whole.
    pub each: bool,
    /// Functions that do nothing to it, beside those of which it is known, by their names; `*` stands for any letters.
    pub harmless: &'static [String],
}

/// A state of one value.
#[derive(Debug)]
pub struct State {
    pub name: &'static str,
    /// What has happened to a value that comes here, said behind its name: "is freed".
    pub told: &'static str,
}

/// What a label does in a state. From state 0 it *starts*: from there on the value is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    pub from: usize,
    /// Its position in [`Automaton::labels`].
    pub on: usize,
    pub to: Target,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    State(usize),
    /// The run is wrong.
    Error,
    /// The same, where several errors have words of their own: which one it is ([`ir::Check::which`]).
    Told(u32),
}

impl Target {
    /// Which error it is, if it is one.
    pub fn error(self) -> Option<u32> {
        match self {
            Target::State(_) => None,
            Target::Error => Some(0),
            Target::Told(which) => Some(which),
        }
    }
}

/// Why something is no automaton.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    #[error("there is no state {0}")]
    NoState(usize),
    #[error("there is no label {0}")]
    NoLabel(usize),
    #[error("`{label}` leads from `{state}` to two states")]
    Ambiguous {
        state: &'static str,
        label: &'static str,
    },
    #[error("nothing can go wrong: no transition leads to the error")]
    Harmless,
    #[error("`{0}` is an error before anything happened")]
    ErrorAtStart(&'static str),
    #[error("no label starts anything")]
    NeverStarts,
    #[error("`{0}` waits for what a call gives, which only a start can")]
    StepWaits(&'static str),
}

impl Automaton {
    /// Deterministic, with a start and an error, and nothing after the error.
    pub fn validate(&self) -> Result<(), Problem> {
        let state = |s: usize| self.states.get(s).ok_or(Problem::NoState(s));
        for (i, t) in self.transitions.iter().enumerate() {
            let from = state(t.from)?;
            let label = self.labels.get(t.on).ok_or(Problem::NoLabel(t.on))?;
            match t.to {
                Target::State(to) => {
                    state(to)?;
                    if t.from != 0 && label.waits() && self.any_state.is_none() {
                        return Err(Problem::StepWaits(label.name));
                    }
                }
                Target::Error | Target::Told(_) if t.from == 0 && self.any_state.is_none() => {
                    return Err(Problem::ErrorAtStart(label.name));
                }
                Target::Error | Target::Told(_) => {}
            }
            let same = |u: &Transition| u.from == t.from && u.on == t.on;
            if self.transitions[..i].iter().any(same) {
                return Err(Problem::Ambiguous {
                    state: from.name,
                    label: label.name,
                });
            }
        }
        if !self.transitions.iter().any(|t| t.to.error().is_some()) {
            return Err(Problem::Harmless);
        }
        if self.any_state.is_none() && !self.transitions.iter().any(|t| t.from == 0) {
            return Err(Problem::NeverStarts);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::label::{Outcome, Pattern, Valid};
    use super::super::machine::Machine;
    use super::*;

    const STATES: &[State] = &[
        State {
            name: "idle",
            told: "",
        },
        State {
            name: "owned",
            told: "is allocated",
        },
        State {
            name: "freed",
            told: "is freed",
        },
    ];

    const LABELS: &[Label] = &[
        Label {
            name: "malloc",
            patterns: &[Pattern::Result {
                functions: &["malloc"],
            }],
            valid: Valid::NotZero,
        },
        Label {
            name: "free",
            patterns: &[Pattern::Argument {
                functions: &["free"],
                position: 0,
                outcome: Outcome::Any,
            }],
            valid: Valid::NotZero,
        },
        Label {
            name: "realloc",
            patterns: &[Pattern::Argument {
                functions: &["realloc"],
                position: 0,
                outcome: Outcome::NotZero,
            }],
            valid: Valid::NotZero,
        },
        Label {
            name: "used",
            patterns: &[Pattern::Dereferenced],
            valid: Valid::NotZero,
        },
    ];

    fn automaton(transitions: Vec<Transition>) -> Automaton {
        Automaton {
            states: STATES,
            labels: LABELS,
            transitions: transitions.leak(),
            library_only: true,
            by_callees: &[],
            void_if_called: &[],
            zero_at_first: false,
            needs: None,
            goes_on: false,
            any_state: None,
        }
    }

    fn step(from: usize, on: usize, to: usize) -> Transition {
        Transition {
            from,
            on,
            to: Target::State(to),
        }
    }

    fn error(from: usize, on: usize) -> Transition {
        Transition {
            from,
            on,
            to: Target::Error,
        }
    }

    #[test]
    fn the_property_of_the_paper() {
        let a = automaton(vec![step(0, 0, 1), step(1, 1, 2), error(2, 3)]);
        assert_eq!(a.validate(), Ok(()));
        let m = Machine::of(&a);
        assert_eq!(m.started_by(0), Some(1));
        assert_eq!(m.started_by(1), None);
        assert_eq!(m.next(1, 3), None);
        assert_eq!(m.steps_on(1).collect::<Vec<_>>(), [(1, 2)]);
        assert_eq!(m.steps_on(0).count(), 0);
        assert_eq!(m.errors_on(3).collect::<Vec<_>>(), [(2, 0)]);
    }

    #[test]
    fn what_is_no_automaton() {
        let problem = |t| automaton(t).validate().unwrap_err();
        assert_eq!(problem(vec![step(0, 0, 3)]), Problem::NoState(3));
        assert_eq!(problem(vec![step(0, 9, 1)]), Problem::NoLabel(9));
        assert_eq!(problem(vec![step(0, 0, 1)]), Problem::Harmless);
        assert_eq!(problem(vec![error(1, 0)]), Problem::NeverStarts);
        assert_eq!(problem(vec![error(0, 0)]), Problem::ErrorAtStart("malloc"));
        let two = problem(vec![step(0, 0, 1), step(0, 0, 2), error(2, 3)]);
        assert_eq!(two.to_string(), "`malloc` leads from `idle` to two states");
        let waits = problem(vec![step(0, 0, 1), step(1, 2, 2), error(2, 3)]);
        assert_eq!(waits, Problem::StepWaits("realloc"));
    }
}
