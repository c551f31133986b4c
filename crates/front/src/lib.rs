//! From a build to units: compile databases, flag translation, recorded builds, and the pool of
//! `rigel-front` workers that turn each unit into a CFA program.
//!
//! What this crate knows: command lines, processes, the protocol to `rigel-front`.
//! What it must not know: LLVM (that is crate `clang`, behind the process boundary), rules, engines.

pub mod protocol;
