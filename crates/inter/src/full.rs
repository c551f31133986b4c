//! Full: the analysis from scratch (§2, Fig. 3).
//!
//! Configurations (f, n, r, q) are taken from a workset; each is followed along the edges of its node. A
//! call enters the callee in the state it is handed, and goes on with the callee's summary pairs
//! for it, now or when they are found. **Theorem 1**: an error is reported at (f, n) for some r
//! and q iff there is an execution to (f, n) on whose trace the automaton has a rejecting run.

use crate::machine::{Limits, Machine, Property};
use crate::rounds::{Analysis, Rounds};

/// Analyses a program from scratch.
pub fn full<M: Machine, P: Property>(
    machine: &M,
    property: &P,
    limits: Limits,
) -> Analysis<P::State> {
    Rounds::new(machine, property, limits).finish_forward(|_| Vec::new())
}
