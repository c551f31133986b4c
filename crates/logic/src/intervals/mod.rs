//! The built-in prover: intervals, equalities and orders of terms, propagated over the facts.
//!
//! It needs no library, and settles the easy majority: a condition tested twice, a variable that was
//! assigned a constant, a null test, a bound. What it says is right; what it cannot say is left to
//! a solver. It finds
//!
//! - *no solution* by propagation to a contradiction ([`propagate`], [`order`]), with the facts that
//!   the contradiction rests on;
//! - *a solution* by choosing values ([`search`]), which the facts are then evaluated under.
//!
//! Facts are propagated when they are asserted, and what follows is kept on a trail, so that the prefix
//! that two paths share is worked through once.

mod order;
mod propagate;
mod range;
mod reason;
mod search;
mod state;
mod transfer;

pub use range::Range;

use crate::prover::{Answer, Label, Prover, Unknown};
use crate::term::{Pool, TermId};
use propagate::propagate;
use state::{Mark, State};

/// Visits for each fact: some for itself, some for each of its new terms.
const STEPS_PER_FACT: u64 = 400;
const STEPS_PER_TERM: u64 = 30;

/// A core of more facts is not made smaller.
const LARGEST_CORE: usize = 24;

/// Visits that making a core smaller may take.
const STEPS_PER_CORE: u64 = 20_000;

/// The built-in prover. Its budget is its own: a fixed number of steps for each fact.
pub struct Intervals {
    state: State,
    facts: Vec<(Label, TermId)>,
    frames: Vec<(Mark, usize)>,
    /// The core of the contradiction that there is, once it has been asked for.
    core: Option<Vec<Label>>,
    /// How many facts it took. Later ones, which may have the same labels, have no part in it.
    needed: usize,
}

impl Intervals {
    pub fn new() -> Intervals {
        Intervals {
            state: State::new(),
            facts: Vec::new(),
            frames: Vec::new(),
            core: None,
            needed: 0,
        }
    }

    /// Deletes facts from a core as long as the rest is a contradiction on its own.
    fn smaller(&self, pool: &Pool, mut core: Vec<Label>) -> Vec<Label> {
        let mut steps = 0;
        let mut at = 0;
        while core.len() <= LARGEST_CORE && at < core.len() && steps < STEPS_PER_CORE {
            let mut attempt = Intervals::new();
            for &(label, fact) in &self.facts[..self.needed] {
                if label != core[at] && core.binary_search(&label).is_ok() {
                    attempt.assert(pool, label, fact);
                }
            }
            steps += attempt.state.steps;
            match attempt.state.conflict {
                // All before this one were needed, and still are.
                Some(reason) => core = attempt.state.reasons.labels(reason),
                None => at += 1,
            }
        }
        core
    }
}

impl Default for Intervals {
    fn default() -> Intervals {
        Intervals::new()
    }
}

impl Prover for Intervals {
    fn name(&self) -> String {
        "built-in".into()
    }

    fn is_builtin(&self) -> bool {
        true
    }

    fn reset(&mut self) {
        *self = Intervals::new();
    }

    fn push(&mut self) {
        self.frames.push((self.state.mark(), self.facts.len()));
    }

    fn pop(&mut self) {
        if let Some((mark, facts)) = self.frames.pop() {
            self.state.back_to(mark);
            self.facts.truncate(facts);
            if self.state.conflict.is_none() {
                self.core = None;
            }
        }
    }

    fn assert(&mut self, pool: &Pool, label: Label, fact: TermId) {
        self.facts.push((label, fact));
        if self.state.conflict.is_some() {
            return;
        }
        let before = self.state.entries.len();
        let local = self.state.register(pool, fact);
        let new = (self.state.entries.len() - before) as u64;
        self.state
            .narrow(local, Range::of(1, 1), |state| state.reasons.fact(label));
        propagate(&mut self.state, STEPS_PER_FACT + STEPS_PER_TERM * new);
        self.needed = self.facts.len();
    }

    fn check(&mut self, pool: &Pool, _budget: u64) -> Answer {
        if let Some(reason) = self.state.conflict {
            let core = match self.core.take() {
                Some(core) => core,
                None => self.smaller(pool, self.state.reasons.labels(reason)),
            };
            self.core = Some(core.clone());
            return Answer::Unsatisfiable(core);
        }
        let facts: Vec<TermId> = self.facts.iter().map(|&(_, fact)| fact).collect();
        let limit = STEPS_PER_FACT + STEPS_PER_TERM * self.state.entries.len() as u64;
        match search::search(&mut self.state, pool, &facts, limit) {
            Some(model) => Answer::Satisfiable(model),
            None => Answer::Unknown(Unknown::Incomplete),
        }
    }
}
