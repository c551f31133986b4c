//! IncrFwd: repairs a derivation graph by walking it from the roots (§3, Fig. 4).
//!
//! The paper handles modifications, then deletions, then additions, so that nothing is added only to
//! be retracted. Here they are one walk (see `explore`): what is reachable
//! in the new program is found in Full's own order, recorded transitions stand in for Δ, and what is not
//! found again is dropped. That never computes Δ for anything that is about to go away, not even
//! for a modified edge in front of which another edge was deleted; so it computes Δ at most where
//! Full does, and not at all if edges were only deleted. **Theorem 2**: the resulting graph is the one that
//! Full makes of the new program; here even with the same ids.
//!
//! Without a change it drops what IncrBack left behind.

use crate::change::Changes;
use crate::explore::Memory;
use crate::machine::{Limits, Machine, Property};
use crate::rounds::{Analysis, Rounds};

/// Repairs `previous` for a new version of its program.
pub fn incremental_forward<M: Machine, P: Property>(
    machine: &M,
    property: &P,
    limits: Limits,
    previous: &Analysis<P::State>,
) -> Analysis<P::State> {
    let changes = Changes::between(&previous.graph, machine);
    let rounds = Rounds::new(machine, property, limits);
    rounds.finish_forward(|round| memories(previous, round, &changes))
}

/// What is worth remembering in a round: the same round of before, or else the last one.
pub(crate) fn memories<'a, S>(
    previous: &'a Analysis<S>,
    round: usize,
    changes: &'a Changes,
) -> Vec<Memory<'a, S>> {
    vec![Memory {
        graph: previous.planning.get(round).unwrap_or(&previous.graph),
        changes: Some(changes),
    }]
}
