//! Facts about machine words, and provers that decide them.
//!
//! A [`Pool`] holds bit-vector terms, each once, so that equal subterms are shared and a formula of
//! a long path stays linear in it. A [`Prover`] says whether a set of facts has a solution, with
//! values if it does and with a core of contradicting facts if it does not.
//!
//! What this crate must not know: programs, paths, rules. It knows words and truth values only.

pub mod evaluate;
pub mod intervals;
pub mod portfolio;
pub mod prover;
pub mod remember;
pub mod simplify;
pub mod smt;
pub mod substitute;
pub mod term;

pub use evaluate::{Assignment, evaluate};
pub use intervals::Intervals;
pub use portfolio::{Portfolio, Settled};
pub use prover::{Answer, Label, Model, Prover, Unknown};
pub use remember::{Key, Known, Remembering};
pub use substitute::Substitution;
pub use term::{BinaryOp, Node, Order, Pool, Sort, SymbolId, TermId};
