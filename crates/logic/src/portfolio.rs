//! The built-in prover first, and a solver for what it cannot settle.
//!
//! Most questions are easy: a condition that was tested twice, a constant that was assigned. The
//! solver is only started at the first one that is not, and whose answer is not known ([`Remembering`]).

use crate::intervals::Intervals;
use crate::prover::{Answer, Label, Prover, Unknown};
use crate::remember::{Known, Remembering, Start};
use crate::term::{BinaryOp, Node, Pool, TermId};
use std::ops::AddAssign;
use std::sync::Arc;

/// Products and quotients in one question, by weight; with more no solver is asked.
const MOST_PRODUCTS: usize = 64;
const BY_UNKNOWN: usize = 4;
const BY_CONSTANT: usize = 1;

/// How often the budget is halved at most.
const MOST_HALVED: u64 = 6;

/// Who settled how many questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Settled {
    pub builtin_unsatisfiable: u64,
    pub builtin_satisfiable: u64,
    pub prover_unsatisfiable: u64,
    pub prover_satisfiable: u64,
    /// Nobody: the budget ended.
    pub budget: u64,
    /// Nobody: no prover can decide it.
    pub incomplete: u64,
    /// Nobody: the solver is broken or missing.
    pub trouble: u64,
    /// Of all these, those that went to the solver in this run.
    pub asked: u64,
    /// Those whose answers from the solver were known.
    pub recalled: u64,
    /// What the solver was asked again, to bring it to where the next question is asked.
    pub repeated: u64,
}

impl Settled {
    /// As it counts for a run that takes over what came of the questions.
    pub fn taken_over(self) -> Settled {
        Settled {
            asked: 0,
            recalled: self.recalled + self.asked,
            repeated: 0,
            ..self
        }
    }

    pub fn questions(&self) -> u64 {
        self.builtin_unsatisfiable
            + self.builtin_satisfiable
            + self.prover_unsatisfiable
            + self.prover_satisfiable
            + self.budget
            + self.incomplete
            + self.trouble
    }
}

impl AddAssign for Settled {
    fn add_assign(&mut self, other: Settled) {
        self.builtin_unsatisfiable += other.builtin_unsatisfiable;
        self.builtin_satisfiable += other.builtin_satisfiable;
        self.prover_unsatisfiable += other.prover_unsatisfiable;
        self.prover_satisfiable += other.prover_satisfiable;
        self.budget += other.budget;
        self.incomplete += other.incomplete;
        self.trouble += other.trouble;
        self.asked += other.asked;
        self.recalled += other.recalled;
        self.repeated += other.repeated;
    }
}

/// Two provers as one.
pub struct Portfolio {
    first: Intervals,
    /// None is wanted, or one that remembers.
    second: Option<Remembering>,
    facts: Vec<(Label, TermId)>,
    frames: Vec<usize>,
    settled: Settled,
    /// The first one gave the last answer.
    first_answered: bool,
}

impl Portfolio {
    /// The built-in prover, and a solver that is started when it is needed.
    pub fn new(start: Start) -> Portfolio {
        Portfolio::of(Some(Remembering::new(start)))
    }

    /// The built-in prover alone.
    pub fn builtin() -> Portfolio {
        Portfolio::of(None)
    }

    fn of(second: Option<Remembering>) -> Portfolio {
        Portfolio {
            first: Intervals::new(),
            second,
            facts: Vec::new(),
            frames: Vec::new(),
            settled: Settled::default(),
            first_answered: false,
        }
    }

    /// Takes what is known for an answer of the solver, by content; `solver` stands for all that its answers depend
    /// on. Forgets all facts.
    pub fn remember(&mut self, solver: &str, known: Arc<Known>) {
        if let Some(second) = &mut self.second {
            second.remember(solver, known);
        }
        self.reset();
    }

    /// The answers of the solver that were used since [`remember`](Portfolio::remember), recalled or new.
    pub fn take_used(&mut self) -> Known {
        let second = self.second.as_mut();
        second.map_or_else(Known::new, Remembering::take_used)
    }

    /// The counts since the beginning; resets do not take them back.
    pub fn settled(&self) -> Settled {
        let counts = self.second.as_ref().map(Remembering::counts);
        let counts = counts.unwrap_or_default();
        Settled {
            asked: counts.asked,
            recalled: counts.recalled,
            repeated: counts.repeated,
            ..self.settled
        }
    }

    /// Products and quotients of unknowns in the facts.
    fn products(&self, pool: &Pool) -> usize {
        let facts: Vec<TermId> = self.facts.iter().map(|(_, f)| *f).collect();
        let weight = |t: &TermId| match pool.node(*t) {
            Node::Binary(
                BinaryOp::Mul | BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem,
                a,
                b,
            ) => match pool.as_bits(a).or(pool.as_bits(b)) {
                None => BY_UNKNOWN,
                Some(bits) if bits.is_power_of_two() => 0,
                Some(_) => BY_CONSTANT,
            },
            _ => 0,
        };
        pool.closure(&facts).iter().map(weight).sum()
    }
}

impl Prover for Portfolio {
    fn name(&self) -> String {
        match self.second.as_ref().map(Remembering::name) {
            Some(second) if !second.is_empty() => format!("{}, then {second}", self.first.name()),
            _ => self.first.name(),
        }
    }

    fn is_builtin(&self) -> bool {
        self.first_answered
    }

    fn reset(&mut self) {
        self.facts.clear();
        self.frames.clear();
        self.first.reset();
        if let Some(second) = &mut self.second {
            second.reset();
        }
    }

    fn push(&mut self) {
        self.frames.push(self.facts.len());
        self.first.push();
        if let Some(second) = &mut self.second {
            second.push();
        }
    }

    fn pop(&mut self) {
        if let Some(start) = self.frames.pop() {
            self.facts.truncate(start);
        }
        self.first.pop();
        if let Some(second) = &mut self.second {
            second.pop();
        }
    }

    fn assert(&mut self, pool: &Pool, label: Label, fact: TermId) {
        self.facts.push((label, fact));
        self.first.assert(pool, label, fact);
        if let Some(second) = &mut self.second {
            second.assert(pool, label, fact);
        }
    }

    fn check(&mut self, pool: &Pool, budget: u64) -> Answer {
        self.first_answered = false;
        match self.first.check(pool, budget) {
            Answer::Unknown(_) => {}
            answer => {
                self.first_answered = true;
                match answer {
                    Answer::Satisfiable(_) => self.settled.builtin_satisfiable += 1,
                    _ => self.settled.builtin_unsatisfiable += 1,
                }
                return answer;
            }
        }
        let products = self.products(pool);
        let hard = self.settled.budget;
        let answer = match &mut self.second {
            None => Answer::Unknown(Unknown::Incomplete),
            // What a solver spends before it begins to count, and the memory that takes, is not
            // bounded by its budget: long chains of products are where it shows.
            Some(second) if products > MOST_PRODUCTS => {
                Answer::Unknown(second.start().err().unwrap_or(Unknown::Budget))
            }
            // Where one question was too hard the next ones are of the same kind.
            Some(second) => second.check(pool, budget >> hard.min(MOST_HALVED)),
        };
        match &answer {
            Answer::Satisfiable(_) => self.settled.prover_satisfiable += 1,
            Answer::Unsatisfiable(_) => self.settled.prover_unsatisfiable += 1,
            Answer::Unknown(Unknown::Budget) => self.settled.budget += 1,
            Answer::Unknown(Unknown::Incomplete) => self.settled.incomplete += 1,
            Answer::Unknown(Unknown::Trouble(_)) => self.settled.trouble += 1,
        }
        answer
    }
}
