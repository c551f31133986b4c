//! Running one path of one function with given inputs.
//!
//! Level 2 (Orion §3) finds values that satisfy the formula of a path. The formula is a theory of
//! the program; this is the program: a [`Script`] says what the path is and what it starts with,
//! and the interpreter's own semantics decides whether the run goes along it and fails at its end.

mod script;

pub use script::{
    Allocation, Replayed, Script, ScriptObject, ScriptTarget, ScriptValue, StepEffect, Write,
};
