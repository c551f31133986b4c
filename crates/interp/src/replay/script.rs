//! What a replay is told, and what it answers.
//!
//! A script closes everything that a path leaves open: what the parameters are, what unknown
//! pointers point to, what globals hold, and what each call does that is not entered. It names
//! memory by what it is (the third object, this global, what the call at step 7 allocated) and
//! never by address, so that whoever writes one needs to know nothing of the interpreter.

use ir::{EdgeId, FuncId, GlobalId, VarId};
use std::collections::BTreeMap;

/// What a path is run with: a start memory, arguments, and what the calls that are not entered do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    pub function: FuncId,
    /// From the function's entry; the last edge is the check that must fail.
    ///
    /// Edges are connected, with one exception: where a call jumps back to a `setjmp` of this
    /// function, the call's edge is followed by the `Again` edge of that `setjmp`.
    pub path: Vec<EdgeId>,
    /// Memory that is there besides globals: what unknown pointers point to.
    pub objects: Vec<ScriptObject>,
    /// One per parameter (aggregates: `Bytes`). More are variadic arguments, of 8 bytes each.
    pub args: Vec<ScriptValue>,
    /// Contents at the start that differ from the program's initial values.
    pub globals: Vec<(GlobalId, Write)>,
    /// What happens at steps (index into `path`) that the path does not determine.
    ///
    /// A call without an entry is executed if its callee has a body or is in the library. A havoc
    /// without an entry, like a call of anything else, has no verdict.
    pub steps: BTreeMap<usize, StepEffect>,
}

/// A piece of memory that is there when the function is called.
///
/// Addresses grow in this order: functions, globals, objects as they stand in the script, the
/// function's variables, what steps allocate. Between two objects there is always a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptObject {
    pub size: u64,
    /// A power of two; every object is aligned to 16 at least.
    pub align: u64,
    /// In order; all other bytes are defined zero.
    pub writes: Vec<Write>,
    /// May be freed.
    pub heap: bool,
}

/// `size` bytes at `offset` become the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    pub offset: u64,
    pub value: ScriptValue,
    pub size: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptValue {
    /// An integer, float or null: its bits, which must fit the type or size that it is wanted at.
    Bits(u128),
    Pointer {
        target: ScriptTarget,
        offset: i64,
    },
    /// So many bytes, zero but for the writes (in order).
    Bytes(Vec<Write>, u64),
    /// Never written. Reading it gives what fresh memory holds in the interpreter: bytes 0xAA.
    Undefined,
}

/// What a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScriptTarget {
    /// The n-th of `Script::objects`.
    Object(usize),
    Global(GlobalId),
    Function(FuncId),
    /// A variable of the running function that lives in memory, as declared last.
    Local(VarId),
    /// The memory that the step allocated: by `StepEffect::Instead`, by an executed call that
    /// returned it, or by an `Allocate` statement.
    Step(usize),
    /// No object: the pointer's offset is the address (null, -1, …). Objects lie at 0x100000 and
    /// above: an address that happens to be one's is a pointer to it, as in the interpreter.
    Absolute,
}

/// A call that is not entered, a havoc, or what a landing pad receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepEffect {
    /// Enter / execute as the interpreter does it (library functions, bodies).
    Execute,
    /// Do not enter. In this order: new memory is allocated, cells change, memory is freed, and
    /// the result is assigned. The operands of a call are evaluated all the same.
    ///
    /// At a call that unwinds, the allocated memory is the exception object (an empty one if none
    /// is allocated). At a landing pad the result is the selector; the exception stays the one in
    /// flight. At a havoc the result is the new value of the place, which is required; so it is at a check for a character
    /// that nobody may have written.
    Instead {
        /// None: the memory that is allocated here; if none is, no value (what a function leaves
        /// that ends without returning one). A failing allocation returns `Bits(0)`.
        result: Option<ScriptValue>,
        writes: Vec<(ScriptTarget, Write)>,
        /// Heap memory only.
        frees: Vec<ScriptTarget>,
        allocates: Option<Allocation>,
    },
}

/// New heap memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    pub size: u64,
    /// All bytes are defined zero; otherwise none is defined.
    pub zeroed: bool,
    /// Who has to take it back.
    pub family: ir::Family,
}

/// What became of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// The last check failed, as predicted.
    Confirmed,
    /// At this step the run does not follow the path: an assumption is false there, an earlier
    /// check fails (the words name its rule), a call ends otherwise, or the last check holds.
    Diverged { step: usize, why: String },
    /// The run cannot be done (malformed script, unsupported operation, limits): no verdict on the
    /// path. What is wrong before the first step is said of step 0.
    Stuck { step: usize, why: String },
}
