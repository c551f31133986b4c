//! What can happen while a statement is executed: what rules listen for.

use crate::beyond::Local;
use ir::{BinaryOp, ExprId, FuncId, PlaceId, TrapReason, TypeId};

/// Something that happens while a statement is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The value of a place is read. `moved_to`: only to be stored there, as it is.
    Load {
        place: PlaceId,
        moved_to: Option<PlaceId>,
    },
    /// A place is written.
    Store { place: PlaceId },
    /// A place behind a pointer is read or written: `place` has `Base::Deref(pointer)`.
    Deref { pointer: ExprId, place: PlaceId },
    /// The projection number `step` of the place selects an element of an array of `len`
    /// elements. Where only an address is made of it (not `accessed`), `len` itself is legal.
    Index {
        place: PlaceId,
        step: usize,
        index: ExprId,
        len: u64,
        accessed: bool,
    },
    /// `a / b` or `a % b` on integers.
    Divide { op: BinaryOp, a: ExprId, b: ExprId },
    /// `a + b`, `a - b` or `a * b` on signed integers, not the wrapping forms.
    Arith { op: BinaryOp, a: ExprId, b: ExprId },
    /// `a + b`, `a - b` or `a * b` where C defines what a result becomes that does not fit: without a sign, or, narrower than `int`,
    /// in forms that wrap around.
    Wrap { op: BinaryOp, a: ExprId, b: ExprId },
    /// The result of an operation on numbers of a narrow type goes back into that type.
    Narrow { value: ExprId, to: TypeId },
    /// `a << b` or `a >> b`.
    Shift { op: BinaryOp, a: ExprId, b: ExprId },
    /// A function is called by its name; its first arguments.
    Call {
        callee: FuncId,
        args: [Option<ExprId>; 4],
    },
    /// A function is called by its name with this argument at this position.
    Argument {
        callee: FuncId,
        position: usize,
        arg: ExprId,
    },
    /// A value is what the function gives back.
    Return { value: ExprId },
    /// The function is left, and at this place, which others can see, the address of this local may
    /// stand.
    Leave { kept: PlaceId, local: Local },
    /// A function is called through a pointer.
    CallThrough { pointer: ExprId },
    /// `size` bytes at a pointer are read or written (memcpy, memset).
    Range {
        pointer: ExprId,
        size: ExprId,
        write: bool,
    },
    /// A variable-length array of so many elements begins.
    Allocate { count: ExprId },
    /// Execution must not come here.
    Trap(TrapReason),
}

/// An [`Event`] without its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    Load,
    Store,
    Deref,
    Index,
    Divide,
    Arith,
    Wrap,
    Narrow,
    Shift,
    Call,
    Argument,
    Return,
    Leave,
    CallThrough,
    Range,
    Allocate,
    Trap,
}

impl EventKind {
    pub const COUNT: usize = EventKind::Trap as usize + 1;
}

impl Event {
    pub fn kind(&self) -> EventKind {
        match self {
            Event::Load { .. } => EventKind::Load,
            Event::Store { .. } => EventKind::Store,
            Event::Deref { .. } => EventKind::Deref,
            Event::Index { .. } => EventKind::Index,
            Event::Divide { .. } => EventKind::Divide,
            Event::Arith { .. } => EventKind::Arith,
            Event::Wrap { .. } => EventKind::Wrap,
            Event::Narrow { .. } => EventKind::Narrow,
            Event::Shift { .. } => EventKind::Shift,
            Event::Call { .. } => EventKind::Call,
            Event::Argument { .. } => EventKind::Argument,
            Event::Return { .. } => EventKind::Return,
            Event::Leave { .. } => EventKind::Leave,
            Event::CallThrough { .. } => EventKind::CallThrough,
            Event::Range { .. } => EventKind::Range,
            Event::Allocate { .. } => EventKind::Allocate,
            Event::Trap(_) => EventKind::Trap,
        }
    }
}
