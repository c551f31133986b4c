//! Boolean programs, in the syntax of Bebop and Moped: from text to a weighted pushdown system, and the questions that
//! model checkers ask of them.
//!
//! A Boolean program has bits for variables, functions with calls and recursion, and `*` for what is not known. It is what
//! predicate abstraction makes of a C program. The crate knows its syntax and its meaning, and [`wpds`] for the
//! answers; it must not know C programs, rules or files.

mod analysis;
mod ast;
mod dot;
mod generate;
mod lexer;
mod lower;
mod parse;
mod value;

pub use analysis::{Analysis, Exhausted, Step};
pub use ast::{Action, Error, Expression, Function, Name, Operator, Place, Program, Statement};
pub use dot::dot;
pub use generate::{Style, generate};
pub use lower::{Goal, Model, Node, ROOM, What};
pub use parse::parse;
