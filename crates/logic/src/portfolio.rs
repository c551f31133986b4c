//! The built-in prover first, and a solver for what it cannot settle.
//!
//! Most questions are easy: a condition that was tested twice, a constant that was assigned. The
//! solver is only started at the first one that is not; then it is told the whole stack.

use crate::intervals::Intervals;
use crate::prover::{Answer, Label, Prover, Unknown};
use crate::term::{BinaryOp, Node, Pool, TermId};
use std::ops::AddAssign;

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
}

impl Settled {
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
    }
}

/// Starts a solver, or says why there is none.
pub type Start = Box<dyn FnMut() -> Result<Box<dyn Prover>, String> + Send>;

enum Second {
    NotYet(Start),
    Started(Box<dyn Prover>),
    /// Why not. It is not tried again.
    Missing(String),
    /// There is none, and none is wanted.
    None,
}

/// Two provers as one.
pub struct Portfolio {
    first: Intervals,
    second: Second,
    facts: Vec<(Label, TermId)>,
    frames: Vec<usize>,
    settled: Settled,
    /// The first one gave the last answer.
    first_answered: bool,
}

impl Portfolio {
    /// The built-in prover, and a solver that is started when it is needed.
    pub fn new(start: Start) -> Portfolio {
        Portfolio::of(Second::NotYet(start))
    }

    /// The built-in prover alone.
    pub fn builtin() -> Portfolio {
        Portfolio::of(Second::None)
    }

    fn of(second: Second) -> Portfolio {
        Portfolio {
            first: Intervals::new(),
            second,
            facts: Vec::new(),
            frames: Vec::new(),
            settled: Settled::default(),
            first_answered: false,
        }
    }

    /// The counts since the beginning; resets do not take them back.
    pub fn settled(&self) -> Settled {
        self.settled
    }

    fn second(&mut self, pool: &Pool) -> Result<&mut Box<dyn Prover>, Unknown> {
        if let Second::NotYet(start) = &mut self.second {
            self.second = match start() {
                Ok(mut prover) => {
                    let mut frames = self.frames.iter().peekable();
                    for (at, &(label, fact)) in self.facts.iter().enumerate() {
                        while frames.next_if(|&&start| start == at).is_some() {
                            prover.push();
                        }
                        prover.assert(pool, label, fact);
                    }
                    for _ in frames {
                        prover.push();
                    }
                    Second::Started(prover)
                }
                Err(why) => Second::Missing(why),
            };
        }
        match &mut self.second {
            Second::Started(prover) => Ok(prover),
            Second::Missing(why) => Err(Unknown::Trouble(why.clone())),
            Second::NotYet(_) | Second::None => Err(Unknown::Incomplete),
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

    fn started(&mut self) -> Option<&mut Box<dyn Prover>> {
        match &mut self.second {
            Second::Started(prover) => Some(prover),
            _ => None,
        }
    }
}

impl Prover for Portfolio {
    fn name(&self) -> String {
        match &self.second {
            Second::Started(prover) => format!("{}, then {}", self.first.name(), prover.name()),
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
        if let Some(prover) = self.started() {
            prover.reset();
        }
    }

    fn push(&mut self) {
        self.frames.push(self.facts.len());
        self.first.push();
        if let Some(prover) = self.started() {
            prover.push();
        }
    }

    fn pop(&mut self) {
        if let Some(start) = self.frames.pop() {
            self.facts.truncate(start);
        }
        self.first.pop();
        if let Some(prover) = self.started() {
            prover.pop();
        }
    }

    fn assert(&mut self, pool: &Pool, label: Label, fact: TermId) {
        self.facts.push((label, fact));
        self.first.assert(pool, label, fact);
        if let Some(prover) = self.started() {
            prover.assert(pool, label, fact);
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
        let answer = match self.second(pool) {
            // What a solver spends before it begins to count, and the memory that takes, is not
            // bounded by its budget: long chains of products are where it shows.
            Ok(_) if products > MOST_PRODUCTS => Answer::Unknown(Unknown::Budget),
            // Where one question was too hard the next ones are of the same kind.
            Ok(prover) => prover.check(pool, budget >> hard.min(MOST_HALVED)),
            Err(unknown) => Answer::Unknown(unknown),
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
