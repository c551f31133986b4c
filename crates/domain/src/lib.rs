//! The lattices of level 1: numbers with evidence, pointers, definedness, and the maps of them
//! that make up an abstract state.
//!
//! Everything here is a value with covering, join, widening and difference. What this crate must
//! not know: programs (a cell is a number here), rules, engines.

pub mod arithmetic;
pub mod components;
pub mod definedness;
mod hull;
pub mod id;
pub mod map;
pub mod number;
pub mod pointer;

pub use arithmetic::{IntType, Operator};
pub use components::{
    Bounds, Copies, Definedness, Escaped, Facts, Gone, Lattice, Lifetimes, Pointers,
};
pub use definedness::Definition;
pub use id::{CellId, FactId, ObjectId};
pub use map::{Change, CowMap};
pub use number::{Bound, LEAST, MOST, Number};
pub use pointer::{Nullness, Objects, Pointer, Targets};
