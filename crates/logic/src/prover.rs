//! What a prover promises.

use crate::evaluate::Assignment;
use crate::term::{Pool, TermId};

/// Names a fact in a core: whatever its owner makes of it (a step of a path).
pub type Label = u32;

/// Values for the symbols (and the elements of arrays) that occur in the facts. What is missing
/// may be anything.
pub type Model = Assignment;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Unknown {
    /// The budget ended.
    Budget,
    /// This prover cannot decide such facts.
    Incomplete,
    /// The prover is broken or missing: what happened. Said to the user once.
    Trouble(String),
}

/// Have the facts a solution?
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Answer {
    Satisfiable(Model),
    /// No: not even those with these labels, in ascending order, each once.
    Unsatisfiable(Vec<Label>),
    Unknown(Unknown),
}

/// A stack of facts, and the question whether all of them can be true at once.
///
/// All calls between two [`Prover::reset`]s are about one pool, which may grow meanwhile. The answer is
/// a function of the calls since the last reset, whatever happened before: of facts that were popped before a
/// check nothing, of terms what they are made of, their order, and the numbers of symbols
/// ([`remember`](crate::remember) relies on it).
pub trait Prover: Send {
    /// For statistics: `z3 5.4.0`.
    fn name(&self) -> String;

    /// Did the last answer come from a prover that is built in, not from a solver?
    fn is_builtin(&self) -> bool {
        false
    }

    /// Forgets all facts.
    fn reset(&mut self);

    fn push(&mut self);

    /// Forgets the facts since the last push that is left.
    fn pop(&mut self);

    /// One more fact, of sort Bool.
    fn assert(&mut self, pool: &Pool, label: Label, fact: TermId);

    /// `budget` counts whatever the prover counts; it is not time.
    fn check(&mut self, pool: &Pool, budget: u64) -> Answer;
}
