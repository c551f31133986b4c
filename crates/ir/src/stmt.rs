//! Statements: what one edge does.

use crate::body::Body;
use crate::body::VarId;
use crate::define_id;
use crate::expr::{ExprId, PlaceId, Projection};
use crate::program::{FuncId, GlobalId, Symbol};
use crate::types::{TypeId, TypeTable};
use serde::{Deserialize, Serialize};

define_id!(
    /// A check of a body (`Body::checks`).
    CheckId
);

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Stmt {
    Skip,
    /// Storage of a local begins, uninitialized. A local without any `Declare` lives from the
    /// function's entry.
    Declare(VarId),
    /// Storage of a local ends.
    End(VarId),
    /// A VLA or `alloca`: `var` becomes a pointer to `count` fresh uninitialized objects of the
    /// type it points to. They live until the function returns.
    Allocate {
        var: VarId,
        count: ExprId,
    },
    /// Scalars and whole structs or arrays alike (then padding is copied too). Both sides have
    /// the same type, but pointers of any type may be assigned to each other.
    Assign {
        place: PlaceId,
        value: ExprId,
    },
    /// The place takes any value of its type.
    Havoc {
        place: PlaceId,
        reason: HavocReason,
    },
    /// The edge is taken only if the bool holds.
    Assume(ExprId),
    /// `size` bytes from `source` to `target`; they may overlap only if `overlap` (memmove).
    Copy {
        target: ExprId,
        source: ExprId,
        size: ExprId,
        overlap: bool,
    },
    /// `size` bytes at `target` become `byte` (a u8).
    Fill {
        target: ExprId,
        byte: ExprId,
        size: ExprId,
    },
    Call(Box<Call>),
    Check(CheckId),
    /// Initialises the `va_list` that the pointer points to. All variadic arguments lie in its
    /// overflow area, in order, each at a multiple of 8 bytes (16 where its type asks for it);
    /// `gp_offset` and `fp_offset` say that no register is left.
    VaStart(ExprId),
    /// First statement of a handler: the exception in flight, and which clause caught it.
    LandingPad {
        exception: VarId,
        selector: VarId,
        clauses: Vec<CatchClause>,
        cleanup: bool,
    },
    /// Throws the exception in flight on; leads to `Body::unwind`.
    Resume(ExprId),
    /// Execution must not come here; nothing follows.
    Trap(TrapReason),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Call {
    /// Receives the result on the `Return` and `Again` outcomes.
    pub result: Option<PlaceId>,
    pub callee: Callee,
    pub args: Vec<ExprId>,
    /// The function type that the call site believes in.
    pub signature: TypeId,
    pub outcome: CallOutcome,
    /// Does not come back, by its declaration or at this site.
    pub noreturn: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Callee {
    Direct(FuncId),
    Indirect(ExprId),
}

/// One call may leave its node by several edges, one for each way in which it can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CallOutcome {
    Return,
    /// An exception left the callee.
    Unwind,
    /// `setjmp` returns once more, by `longjmp`, with a value that is not 0.
    Again,
}

/// What a landing pad catches. `None` is `catch (...)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CatchClause {
    Catch(Option<GlobalId>),
    /// `throw(A, B)`: catches everything that is none of these.
    Filter(Vec<GlobalId>),
}

/// A possible error: the only definition of one. The run fails here if the condition is false.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Check {
    /// The rule's id, `null-dereference`.
    pub rule: Symbol,
    /// Which of the rule's errors it is, where the rule has words of its own for several; else 0.
    pub which: u32,
    pub condition: Condition,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Condition {
    /// A bool over the program's own expressions.
    Holds(ExprId),
    /// All bytes (bits, for a bit-field) of the place have been written.
    Initialized(PlaceId),
    /// `size` bytes at `pointer` lie within one object that is or was there. Not about null.
    InBounds { pointer: ExprId, size: ExprId },
    /// The object that `pointer` points into is alive (neither freed nor out of scope).
    Alive(ExprId),
    /// `pointer` is null, or the start of a block that an allocator of this family gave, dead or alive.
    Freeable { pointer: ExprId, family: Family },
    /// The two pointers do not lead into one object, nor are they one address. It holds where one of them is null, where only one
    /// leads anywhere, and where one cannot be read.
    Apart(ExprId, ExprId),
    /// Being here is the error.
    Unreachable,
}

impl Condition {
    /// The place of a character of an array, behind a pointer, or that was taken from there, that may not have been written, if that is what the
    /// check asks for. A run does not end where it was not: memory holds some character, and the language lets programs look at
    /// it. Which one it is nobody has said. (A field of that type is no character, but a flag that goes with other fields.)
    pub fn asks_for_character(&self, body: &Body, types: &TypeTable) -> Option<PlaceId> {
        let Condition::Initialized(place) = *self else {
            return None;
        };
        let p = body.places.get(place)?;
        let last = p.projections.last();
        let is_field = last.is_some_and(|step| !matches!(step, Projection::Index(_)));
        (!is_field && matches!(types.as_int(p.ty), Some((8, _)))).then_some(place)
    }
}

/// Who gives blocks of memory, and so who must take them back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Family {
    /// `malloc` and its kin, for `free`.
    Malloc,
    /// `new`, for `delete`.
    New,
    /// `new[]`, for `delete[]`.
    NewArray,
}

impl Family {
    pub const ALL: [Family; 3] = [Family::Malloc, Family::New, Family::NewArray];

    /// The word of the text form.
    pub fn word(self) -> &'static str {
        match self {
            Family::Malloc => "malloc",
            Family::New => "new",
            Family::NewArray => "new_array",
        }
    }

    /// The family whose blocks a library function of this linkage name gives.
    pub fn given_by(name: &str) -> Option<Family> {
        Some(match name {
            "malloc" | "calloc" | "realloc" | "reallocarray" | "valloc" | "aligned_alloc"
            | "memalign" | "strdup" | "__strdup" | "strndup" | "__strndup" | "wcsdup" => {
                Family::Malloc
            }
            "_Znwm"
            | "_ZnwmRKSt9nothrow_t"
            | "_ZnwmSt11align_val_t"
            | "_ZnwmSt11align_val_tRKSt9nothrow_t" => Family::New,
            "_Znam"
            | "_ZnamRKSt9nothrow_t"
            | "_ZnamSt11align_val_t"
            | "_ZnamSt11align_val_tRKSt9nothrow_t" => Family::NewArray,
            _ => return None,
        })
    }

    /// The family whose blocks a library function of this linkage name takes back, as its first argument.
    pub fn taken_by(name: &str) -> Option<Family> {
        Some(match name {
            "free" | "cfree" | "realloc" | "reallocarray" => Family::Malloc,
            "_ZdlPv"
            | "_ZdlPvm"
            | "_ZdlPvSt11align_val_t"
            | "_ZdlPvmSt11align_val_t"
            | "_ZdlPvRKSt9nothrow_t" => Family::New,
            "_ZdaPv"
            | "_ZdaPvm"
            | "_ZdaPvSt11align_val_t"
            | "_ZdaPvmSt11align_val_t"
            | "_ZdaPvRKSt9nothrow_t" => Family::NewArray,
            _ => return None,
        })
    }
}

/// Why a value is unknown. Counted per function, so that nothing is lost silently.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum HavocReason {
    InlineAssembly,
    /// SIMD arithmetic.
    Vector,
    /// An LLVM intrinsic without a meaning here; its name.
    Intrinsic(Symbol),
    /// An LLVM instruction without a meaning here; its opcode.
    Instruction(Symbol),
    /// A constant expression that cannot be written as bytes and addresses.
    Constant,
    /// An integer wider than 128 bits.
    WideInteger,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TrapReason {
    /// `__builtin_unreachable()`, or the end of a non-void C++ function.
    Unreachable,
    /// `__builtin_trap()`.
    Trap,
    /// The compiler folded `5 / 0` away.
    ZeroDivisor,
    /// The compiler folded `1 << 40` away.
    ShiftAmount,
    /// The compiler folded some other undefined behaviour away.
    Poison,
}
