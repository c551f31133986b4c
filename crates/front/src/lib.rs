//! From a build to units: compile databases, flag translation, recorded builds, and the pool of
//! `rigel-front` workers that turn each unit into a CFA program.
//!
//! The way of a unit through this crate:
//!
//! ```text
//! compile_commands.json ─ database ┐
//! rigel build -- make   ─ record ──┤
//! file.c -- -Iinclude  ────────────┴─ plan ─ flags ─ Job ─ pool ═ rigel-front ═ Lowered
//! ```
//!
//! What this crate knows: command lines, processes, the protocol to `rigel-front`.
//! What it must not know: LLVM (that is crate `clang`, behind the process boundary), rules, engines.

pub mod content;
pub mod database;
pub mod failure;
pub mod flags;
mod input;
pub mod model;
mod options;
mod paths;
pub mod plan;
pub mod pool;
pub mod protocol;
pub mod record;
mod words;

pub use failure::UnitError;
pub use paths::{absolute, find_on_path, shown};
pub use plan::{Input, Plan, Request, Unit};
pub use words::split as split_words;
