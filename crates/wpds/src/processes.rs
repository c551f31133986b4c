//! Two processes (§7.2): where can a context switch in process 1 make it fail later?
//!
//! A run of process 1 up to a node, any run of process 2 from its start, and the rest of process 1. What process 2 does
//! is one weight, the summary of its post*; and to run it at a node is to put that weight, as a bottleneck, between what
//! leads to the node and what leads on. So neither program changes: the paper's point against adding calls.

use crate::automaton::{Automaton, Direction};
use crate::functional::Functional;
use crate::language::Language;
use crate::post::post_star;
use crate::projection::projection_with;
use crate::semiring::{Semiring, Tests};
use crate::system::System;

/// What a process can do from its start until it is stopped anywhere: `path_summary(post*(start))`. Its weights must be
/// over the same stores as those of the other process; variables of its own are better left out of them.
pub fn any_run<S: Semiring>(
    process: &System<S::Weight>,
    semiring: &S,
    start: &Language,
) -> S::Weight {
    let start = Automaton::of(semiring, Direction::Backward, start, process.symbols());
    post_star(process, semiring, start, false)
        .automaton
        .path_summary(semiring)
}

/// By node of process 1: can it fail if process 2, with this summary ([`any_run`]), runs once while it stands there?
pub fn failing_switches<S: Tests>(
    process1: &Functional<'_, S::Weight>,
    semiring: &S,
    symbols: u32,
    process2: &S::Weight,
) -> Vec<bool> {
    projection_with(process1, semiring, symbols, process2)
}
