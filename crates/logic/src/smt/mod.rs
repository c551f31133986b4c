//! Solvers that speak SMT-LIB 2: how terms are written for them, how their answers are read, and
//! the ways to reach one, in this process ([`z3`]) or over a pipe ([`pipe`]).
//!
//! A [`Session`] is a [`Prover`](crate::Prover) over any [`Transport`]: it keeps the stack of
//! facts, tells the solver only what it does not know yet, and believes no model that it has not
//! evaluated the facts under.

pub mod expression;
pub mod pipe;
pub mod print;
pub mod session;
pub mod z3;

pub use session::{Patience, Session, Transport, Trouble};
