//! The only unsafe code: isl's C functions as safe ones.
//!
//! isl says for every pointer who owns it: `__isl_take` (the callee frees it), `__isl_keep` (the caller still has it),
//! `__isl_give` (the caller gets it). Rust has the same three, by type: `Handle<T>` as an argument, `&Handle<T>`, and
//! `Handle<T>` as a result. So `functions.rs` declares each function once, with these types, and the macro `functions!` in
//! `handle.rs` makes of the declaration both the foreign one and the safe one. No other place calls isl's functions on
//! objects, so there is no place that could leak, or free twice.
//!
//! - `owner`: isl's context: errors, the budget, and the count of what is alive
//! - `handle`: objects, and how they are passed and received
//! - `functions`: the declarations
//! - `number`: integers of 128 bits to isl's and back
#![allow(unsafe_code)]

mod functions;
mod handle;
mod number;
mod owner;

pub(crate) use functions::*;
pub(crate) use handle::{
    DimType, Handle, isl_basic_set, isl_map, isl_mat, isl_set, isl_val, isl_vec,
};
pub(crate) use number::{number, value};
pub(crate) use owner::Owner;
