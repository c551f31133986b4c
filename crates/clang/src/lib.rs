//! The front end: clang's bitcode into control-flow automata.
//!
//! What this crate knows: LLVM, debug information, how clang translates C and C++. It is the only
//! crate that does. What it must not know: rules, checks, engines, compile databases.

mod files;
mod folded;
mod function;
mod initializer;
mod llvm;
mod startup;
mod types;
mod unit;

pub use folded::{Folded, read as read_folded};
pub use llvm::Module;
pub use unit::{Options, lower};
