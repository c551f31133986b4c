//! Weighted pushdown systems: what can a program with calls do, on any path, on all paths through a node?
//!
//! Lal, Kidd, Reps and Touili, *Abstract Error Projection*; section numbers in this crate are those of the paper. The
//! crate knows semirings, stacks and automata. It must not know programs, rules or files.
mod automaton;
mod functional;
mod ids;
mod language;
mod post;
mod pre;
pub mod processes;
mod projection;
mod query;
mod saturate;
mod semiring;
pub mod stores;
mod summary;
mod system;
pub mod weights;
mod witness;

pub use automaton::{Automaton, Direction, Transition};
pub use functional::Functional;
pub use ids::{RuleId, State, Symbol, TransitionId};
pub use language::{Language, Letter};
pub use post::post_star;
pub use pre::pre_star;
pub use projection::{
    chop_by_double_pre_star, projection, projection_by_chops, projection_by_witnesses,
    projection_with,
};
pub use query::Query;
pub use saturate::Saturated;
pub use semiring::{Semiring, Stores, Tests};
pub use system::{Configuration, Right, Rule, System};
pub use witness::{Derivation, Derivations, Part, Parts, Witness};
