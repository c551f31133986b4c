//! Dual analysis: for every function the inputs with which it fails, succeeds, ends the program, or never comes back
//! (Popeea & Chin, "Dual Analysis for Proving Safety and Finding Bugs").

pub mod arithmetic;
pub mod assume;
pub mod check;
pub mod eval;
pub mod execute;
pub mod facts;
pub mod flow;
pub mod function;
pub mod input;
pub mod linear;
pub mod memory;
pub mod merge;
pub mod path;
pub mod place;
pub mod run;
pub mod shape;
pub mod statement;
pub mod value;
