//! The error projection of a check: every edge of the program that a failing run can pass, and a path through any of
//! them (Lal, Kidd, Reps and Touili, *Abstract Error Projection*).
//!
//! A finding has one path. What else leads to the same failure? The program, from the function in which the path begins, becomes a
//! weighted pushdown system ([`Model`]): its nodes are stack symbols, calls push and returns pop, and the weight of an edge
//! is what it does to a few *facts*: conditions that decide about the check. The facts are chosen ([`choose`]), what an edge does
//! to them is asked of level 1's own transfer functions ([`relate`]), starting from level 1's own states: there is one
//! abstraction, cut finer by facts, not two. [`wpds`] then answers everything at once ([`Analysis`]).
//!
//! An edge outside the projection is on no failing run, as far as [`Openness`] does not say that something is unknown.
//! One inside is on a path that facts do not exclude; whether a run takes exactly that path is level 2's to say.
//!
//! What this crate must not know: rules by name, solvers, files, how anything is printed.

mod analysis;
mod building;
mod choose;
mod cut;
mod extended;
mod formulas;
mod guards;
mod model;
mod open;
mod pick;
mod question;
mod reads;
mod relate;
mod related;
mod scope;
mod ways;
mod within;

pub use analysis::{Analysis, Exhausted, Step, Values};
pub use choose::Fact;
pub use model::{At, Entered, Meaning, Model};
pub use open::Openness;
pub use question::{Limits, Question};
pub use within::within;
