//! Facts about machine words, and provers that decide them.
//!
//! A [`Pool`] holds bit-vector terms, each once, so that equal subterms are shared and a formula of
//! a long path stays linear in it. A [`Prover`] says whether a set of facts has a solution, with
//! values if it does and with a core of contradicting facts if it does not.
//!
//! What this crate must not know: programs, paths, rules. It knows words and truth values only.

pub mod evaluate;
pub mod prover;
pub mod simplify;
pub mod smt;
pub mod substitute;
pub mod term;

pub use evaluate::{Assignment, evaluate};
pub use prover::{Answer, Label, Model, Prover, Unknown};
pub use substitute::Substitution;
pub use term::{BinaryOp, Node, Order, Pool, Sort, SymbolId, TermId};
