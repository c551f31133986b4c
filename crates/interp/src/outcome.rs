//! How a run can end.

use crate::memory::AccessError;
use ir::{CheckId, FuncId, GlobalId, HavocReason, NodeId, Span, Symbol};
use std::fmt;

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// `main` returned or `exit` was called.
    Exit(i32),
    /// A check's condition was false, or an operation had no meaning.
    Failed(Box<Failure>),
    /// `abort()`, `__builtin_trap()`, a failed `assert`, `__VERIFIER_error()`, …
    Aborted { reason: String, site: Site },
    /// An exception that nothing catches.
    Uncaught {
        type_info: Option<GlobalId>,
        site: Site,
    },
    /// The run cannot go on for reasons that are not the program's fault.
    Stuck { reason: StuckReason, site: Site },
    /// The budget of statements is used up.
    StepLimit { site: Site },
}

/// Where the run stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub function: Option<FuncId>,
    pub node: NodeId,
    pub span: Span,
    /// Innermost first: each function with the position it is at.
    pub stack: Vec<(FuncId, Span)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub cause: Cause,
    /// What was seen, in words: `pointer 0x1020 is 4 bytes past the end of …`.
    pub detail: String,
    pub site: Site,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A check of the function at the site; its condition is in that body.
    Check { check: CheckId, rule: Symbol },
    /// No check stood in the way of an operation that has no meaning.
    Fault(FaultKind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    NullAccess,
    WildAccess,
    OutOfBounds,
    UseAfterFree,
    UseAfterScope,
    ReadOnlyWrite,
    FunctionAccess,
    DivisionByZero,
    DivisionOverflow,
    DoubleFree,
    InvalidFree,
    OverlappingCopy,
    BadCall,
    BadJump,
}

/// An operation without a meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub detail: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StuckReason {
    /// A function without a body that the library does not have.
    UnknownFunction(String),
    Havoc(HavocReason),
    /// No edge leaves the node, or no assumption on them holds: the run is none that counts.
    Blocked,
    /// The program is not what `ir` promises.
    Malformed(String),
    /// Something that the interpreter does not compute.
    Unsupported(String),
    /// Too deep a recursion.
    CallDepth(usize),
    /// Too much memory.
    Memory,
    /// Writing the program's output failed.
    Output(String),
}

/// What interrupts the ordinary flow inside the interpreter.
#[derive(Debug)]
pub(crate) enum Ctl {
    Fault(Fault),
    Check(CheckId),
    Abort(String),
    Stuck(StuckReason),
    /// An exception looks for its handler: the exception object's address.
    Throw(u64),
    /// An exception goes on after a cleanup, from the caller of the innermost frame.
    Rethrow(u64),
    /// `longjmp` to the `setjmp` at a node of a frame (by serial number), with this value.
    Jump {
        frame: u64,
        node: u32,
        value: u32,
    },
    /// `exit` was called, and its handlers have run.
    Exit(i32),
    StepLimit,
    /// The run is over, and where is known.
    Done(Box<Outcome>),
}

impl Ctl {
    pub fn malformed(what: impl Into<String>) -> Ctl {
        Ctl::Stuck(StuckReason::Malformed(what.into()))
    }

    pub fn unsupported(what: impl Into<String>) -> Ctl {
        Ctl::Stuck(StuckReason::Unsupported(what.into()))
    }

    pub fn fault(kind: FaultKind, detail: impl Into<String>) -> Ctl {
        Ctl::Fault(Fault {
            kind,
            detail: detail.into(),
        })
    }
}

impl From<AccessError> for FaultKind {
    fn from(e: AccessError) -> FaultKind {
        match e {
            AccessError::Null => FaultKind::NullAccess,
            AccessError::Wild => FaultKind::WildAccess,
            AccessError::OutOfBounds => FaultKind::OutOfBounds,
            AccessError::Freed => FaultKind::UseAfterFree,
            AccessError::OutOfScope => FaultKind::UseAfterScope,
            AccessError::ReadOnly => FaultKind::ReadOnlyWrite,
            AccessError::Function => FaultKind::FunctionAccess,
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FaultKind::NullAccess => "access through a null pointer",
            FaultKind::WildAccess => "access to an address that belongs to no object",
            FaultKind::OutOfBounds => "access out of bounds",
            FaultKind::UseAfterFree => "access to freed memory",
            FaultKind::UseAfterScope => "access to a local that is gone",
            FaultKind::ReadOnlyWrite => "write to constant memory",
            FaultKind::FunctionAccess => "access to a function as data",
            FaultKind::DivisionByZero => "division by zero",
            FaultKind::DivisionOverflow => "quotient that does not fit its type",
            FaultKind::DoubleFree => "memory freed twice",
            FaultKind::InvalidFree => "free of what was not allocated",
            FaultKind::OverlappingCopy => "copy between overlapping regions",
            FaultKind::BadCall => "call of what is no function of that type",
            FaultKind::BadJump => "longjmp to a function that has returned",
        })
    }
}

impl fmt::Display for StuckReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StuckReason::UnknownFunction(name) => write!(f, "call of unknown function {name}"),
            StuckReason::Havoc(reason) => write!(f, "value unknown to the front end: {reason:?}"),
            StuckReason::Blocked => f.write_str("no way on: an assumption does not hold"),
            StuckReason::Malformed(what) => write!(f, "malformed program: {what}"),
            StuckReason::Unsupported(what) => write!(f, "not supported: {what}"),
            StuckReason::CallDepth(n) => write!(f, "more than {n} nested calls"),
            StuckReason::Memory => f.write_str("out of memory"),
            StuckReason::Output(what) => write!(f, "cannot write output: {what}"),
        }
    }
}
