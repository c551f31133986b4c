//! The state of a run, to be compared with a later one.
//!
//! A run that comes to a state in which it was before can go on as it did then, with the same inputs, and so for ever
//! (a *lasso*: a way to a state, and a way from it to itself). What a state is: where all frames stand, all registers, and
//! all of memory. What the library keeps for itself is not part of it: whoever relies on a comparison must know that nothing is
//! kept there.

use crate::memory::{Image, Memory};
use crate::observe::FrameView;
use crate::value::Scalar;
use ir::{FuncId, NodeId};

/// A state of a run at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    at: NodeId,
    frames: Vec<(FuncId, u32)>,
    registers: Vec<Scalar>,
    memory: Image,
}

impl FrameView<'_, '_> {
    /// The state at a node: that which is visited.
    pub fn snapshot(&self, at: NodeId) -> Snapshot {
        Snapshot {
            at,
            frames: self.frames().collect(),
            registers: self.machine.regs.clone(),
            memory: Memory::image(&self.machine.mem),
        }
    }

    /// Is this state the same?
    pub fn is_same(&self, at: NodeId, other: &Snapshot) -> bool {
        at == other.at
            && self.machine.regs == other.registers
            && self.frames().eq(other.frames.iter().copied())
            && self.machine.mem.is_like(&other.memory)
    }

    /// Where the callers stand: the innermost frame is where the visit is.
    fn frames(&self) -> impl Iterator<Item = (FuncId, u32)> {
        let frames = self.machine.frames.as_slice();
        let callers = frames.split_last().map_or(frames, |(_, callers)| callers);
        let innermost = frames.last().map(|f| (f.code.func, 0));
        let callers = callers.iter().map(|f| (f.code.func, f.node));
        callers.chain(innermost)
    }
}
