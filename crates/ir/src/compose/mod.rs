//! Bodies composed along calls: the caller's body, in which chosen calls are replaced by the bodies
//! of their callees.
//!
//! An error path through several functions (matched calls and returns; Conway et al., §2) becomes a
//! path of *one* body, so that whatever judges, replays or explains a path of a function works on
//! it unchanged: the CFA stays the only program model. Each replaced call is a *frame*; frame 0 is
//! the root, and a function may be in several frames (recursion, two calls in sequence).
//!
//! Between the frames there is *glue*. Entering declares the callee's variables and assigns the
//! arguments to its parameters; leaving ends the variables and assigns the result. A call through a
//! pointer asks first whether the pointer is the callee's address, and stays a call otherwise. An
//! exception that leaves the callee goes where the call's `Unwind` edge leads. Running a composed
//! body does exactly what running the root does; where that cannot be had, there is no composed
//! body but an [`Impossible`].
//!
//! The program is shared and does not change: variables keep their names, which are therefore not
//! unique in a composed body, and [`crate::validate::validate_body`] does not ask for it.

mod copy;
mod glue;
mod join;
mod path;
#[cfg(test)]
mod tests;

use crate::arena::Arena;
use crate::body::{Body, EdgeId, VarId};
use crate::define_id;
use crate::program::{FuncId, Program};
use crate::stmt::{Call, CheckId};
use std::fmt;

define_id!(
    /// A function's part of a composed body; 0 is the root.
    FrameId
);

impl FrameId {
    pub const ROOT: FrameId = FrameId(0);
}

/// A call that is to be replaced by its callee's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inlined {
    /// Whose call: the root, or the frame of an earlier entry of the list (the n-th entry makes
    /// frame n + 1).
    pub frame: FrameId,
    /// An edge of the call, in that function's own body. Its other outcomes go with it.
    pub call: EdgeId,
    /// The function itself, or one that the pointer may point to.
    pub callee: FuncId,
}

/// Where an edge of a composed body comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// An edge of the frame's function.
    Own(FrameId, EdgeId),
    /// Glue on the way into the frame.
    Enter(FrameId),
    /// Glue on the way out of the frame.
    Leave(FrameId),
    /// The pointer of the call that makes the frame is another function: the call follows as it is.
    Another(FrameId),
}

/// What a frame is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameInfo {
    pub function: FuncId,
    /// The frame and the edge (of its function's own body) that calls; none of the root.
    pub caller: Option<(FrameId, EdgeId)>,
    /// Calls between the root and this frame.
    pub depth: u32,
    /// The call, over the composed body's expressions and places; none of the root.
    pub call: Option<Call>,
    /// The composed body's variable that holds what the function returns.
    pub ret: Option<VarId>,
    /// All edges of the call, in the caller's own body.
    outcomes: Vec<EdgeId>,
    /// For each variable of the function the composed body's.
    vars: Vec<VarId>,
    /// For each edge of the function the composed body's, if it is still there.
    edges: Vec<Option<EdgeId>>,
    /// The first of its checks.
    first_check: u32,
    check_count: u32,
}

/// A body made of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    pub body: Body,
    pub frames: Arena<FrameId, FrameInfo>,
    /// Of each edge.
    origins: Vec<Origin>,
    /// Of each variable.
    owners: Vec<FrameId>,
}

/// Why there is no composed body that does what the calls do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Impossible {
    /// The root, or a callee, is declared only.
    NoBody(FuncId),
    /// There is no such frame or call, or the call is of another function.
    NoSuchCall,
    /// The call is in the list twice.
    Twice,
    /// Another number of arguments than parameters.
    Arguments(FuncId),
    /// An argument and its parameter, or the result and where it goes, differ in representation.
    Conversion(FuncId),
    /// The callee reads variadic arguments.
    Variadic(FuncId),
    /// The callee takes the address of a label.
    Labels(FuncId),
    /// The callee allocates what lives until it returns.
    Allocates(FuncId),
    /// The callee catches some exceptions and lets others pass to a handler of its callers.
    Handler(FuncId),
    /// The program is not well formed.
    Malformed(FuncId),
}

/// The root's body with calls replaced by the bodies of their callees. The list may be in any order in
/// which callers come before what they call.
pub fn compose(program: &Program, root: FuncId, calls: &[Inlined]) -> Result<Composed, Impossible> {
    let mut join = join::Join::new(program, root)?;
    for call in calls {
        join.enter(call)?;
    }
    join.finish()
}

impl Composed {
    /// Where an edge comes from. It must be one of the body's.
    pub fn origin(&self, edge: EdgeId) -> Origin {
        self.origins[edge.0 as usize]
    }

    /// The edge of a frame's function, as the composed body has it; none if it is a call that is
    /// replaced, or does not exist.
    pub fn edge(&self, frame: FrameId, edge: EdgeId) -> Option<EdgeId> {
        let frame = self.frames.get(frame)?;
        frame.edges.get(edge.0 as usize).copied().flatten()
    }

    /// The frame and the function's own number of a check. It must be one of the body's.
    pub fn check(&self, check: CheckId) -> (FrameId, CheckId) {
        let has_it = |f: &FrameInfo| check.0.wrapping_sub(f.first_check) < f.check_count;
        match self.frames.iter().find(|(_, f)| has_it(f)) {
            Some((id, frame)) => (id, CheckId(check.0 - frame.first_check)),
            None => (FrameId::ROOT, check),
        }
    }

    /// A check of a frame's function, as the composed body has it.
    pub fn composed_check(&self, frame: FrameId, check: CheckId) -> Option<CheckId> {
        let frame = self.frames.get(frame)?;
        (check.0 < frame.check_count).then(|| CheckId(frame.first_check + check.0))
    }

    /// A variable of a frame's function, as the composed body has it.
    pub fn var(&self, frame: FrameId, var: VarId) -> Option<VarId> {
        self.frames.get(frame)?.vars.get(var.0 as usize).copied()
    }

    /// The frame whose variable this is.
    pub fn owner(&self, var: VarId) -> FrameId {
        self.owners
            .get(var.0 as usize)
            .copied()
            .unwrap_or(FrameId::ROOT)
    }

    /// The frame that executes an edge: the caller, where it enters a callee or gets its result.
    pub fn frame(&self, edge: EdgeId) -> FrameId {
        match self.origin(edge) {
            Origin::Own(frame, _) => frame,
            Origin::Enter(frame) | Origin::Leave(frame) | Origin::Another(frame) => self.frames
                [frame]
                .caller
                .map_or(frame, |(caller, _)| caller),
        }
    }
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Impossible::NoBody(_) => "a function without a body",
            Impossible::NoSuchCall => "no such call",
            Impossible::Twice => "the same call twice",
            Impossible::Arguments(_) => "not as many arguments as parameters",
            Impossible::Conversion(_) => "a value is passed at a type of another representation",
            Impossible::Variadic(_) => "the callee reads variadic arguments",
            Impossible::Labels(_) => "the callee takes the address of a label",
            Impossible::Allocates(_) => "the callee allocates what lives until it returns",
            Impossible::Handler(_) => "the callee catches some exceptions and lets others pass",
            Impossible::Malformed(_) => "the program is not well formed",
        })
    }
}
