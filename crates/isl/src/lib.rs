//! Presburger sets and relations: a small, safe binding of isl.
//!
//! Dual analysis ("Dual Analysis for Proving Safety and Finding Bugs", §3) says of every function which inputs and
//! outputs belong together, as a union of integer polyhedra. This crate has these unions, and what can be computed with
//! them exactly; it knows nothing of programs.
//!
//! ```
//! use isl::{Constraint, Context, Dim, Set};
//! # fn main() -> isl::Result<()> {
//! let context = Context::new();
//! // x = 2 q for some q, and x >= 1.
//! let even = Set::from_constraints(&context, 1, &[
//!     Constraint::equal([(Dim::At(0), 1), (Dim::Exists(0), -2)], 0),
//!     Constraint::at_least_zero([(Dim::At(0), 1)], -1),
//! ])?;
//! assert!(even.contains(&[4])? && !even.contains(&[3])?);
//! assert_eq!(even.lexmin()?, Some(vec![2]));
//! # Ok(())
//! # }
//! ```
//!
//! - [`Context`]: where objects live; the budget. One for each thread.
//! - [`Set`], [`Map`]: unions of integer polyhedra, with existentially quantified integers. Dimensions have positions, no
//!   names; a map's are its inputs and its outputs.
//! - [`Piece`]: one convex part of a union, and its constraints; [`Piece::widen`].
//! - [`Constraint`], [`Affine`], [`Dim`], [`FloorDivision`]: what polyhedra are made of.
//!
//! Every operation gives a result that is exact, unless its documentation says otherwise, or [`Stopped`]: the budget is at
//! an end, or isl cannot do it (a shape that does not fit, a number of more than 128 bits). There are no panics, and nothing
//! is printed. The same calls give the same constraints in the same order, in any process.

mod constraint;
mod context;
mod eliminate;
mod ffi;
mod hull;
mod map;
mod matrix;
mod operations;
mod piece;
mod query;
mod set;
mod widen;

pub use constraint::{Affine, Constraint, Dim, FloorDivision, Kind};
pub use context::{Context, Result, Stopped};
pub use map::Map;
pub use piece::Piece;
pub use query::Bound;
pub use set::Set;
