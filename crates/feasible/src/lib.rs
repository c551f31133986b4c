//! Level 2: is a path to a failing check one that can happen (Orion §3)?
//!
//! [`Path::walk`] makes a formula of a path: bit-precise, with pointers as objects and offsets, every
//! load and store resolved along exactly this path. Its facts go to a [`logic::Prover`]. If they have
//! no solution the path cannot happen, and the core says which steps contradict each other; if they
//! have one, its values say when it happens, and the interpreter replays it with them.
//!
//! What this crate must not know: rules by name, LLVM, files, the clock, the environment.

pub mod action;
mod address;
mod alias;
mod call;
mod calm;
mod condition;
pub mod contents;
mod enter;
mod exception;
mod expression;
mod extents;
mod judge;
mod library;
mod loops;
mod memory;
pub mod object;
pub mod path;
mod place;
mod read;
pub mod script;
pub mod start;
mod statement;
mod strings;
pub mod unknown;
mod value;
pub mod witness;

pub use action::{Action, strongest_postcondition, weakest_liberal_precondition};
pub use calm::{Granted, contradiction};
pub use judge::{Judgement, Refuter, feasible_around_loops, judge, judge_from};
pub use path::{Approximations, Meaning, Opaque, Path};
