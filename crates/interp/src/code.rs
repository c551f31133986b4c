//! The compact form that a body is run in.
//!
//! A body is translated once, when it is first called: types become widths and sizes, places
//! become a base with an offset, the edges of a node become one [`Node`] that says what to do
//! there. Expression and place ids stay what they are in the body, so that whatever is rare can be
//! evaluated from the body itself (`Op::Slow`).
//!
//! Integers of `w` bits are kept zero-extended in a `u64`; operators carry `64 - w`, the shift that
//! brings the sign to the top.

use crate::memory::ObjId;
use ir::{Body, CallOutcome, FuncId, TypeId};
use smallvec::SmallVec;

/// Index of an expression: its `ExprId`.
pub type E = u32;

/// How values of a type are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repr {
    Int { width: u8, signed: bool },
    Pointer,
    F32,
    F64,
    WideInt { width: u8, signed: bool },
    X87,
    Blob { size: u64 },
    Void,
    Unsupported,
}

/// What the interpreter computes for one expression.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Const(u64),
    /// The address of a global, function or label.
    Addr {
        bits: u64,
        obj: ObjId,
    },
    Undef {
        width: u8,
    },
    Reg(u32),
    /// A scalar in a local that lives in memory.
    LoadVar {
        var: u32,
        offset: u32,
        size: u8,
        sh: u8,
    },
    LoadGlobal {
        obj: ObjId,
        offset: u32,
        size: u8,
        sh: u8,
    },
    LoadDeref {
        ptr: E,
        offset: i32,
        size: u8,
        sh: u8,
    },
    /// Any other place of scalar type.
    LoadPlace {
        place: u32,
        sh: u8,
    },
    AddrVar {
        var: u32,
        offset: u32,
    },
    AddrPlace {
        place: u32,
    },
    Add {
        a: E,
        b: E,
        sh: u8,
    },
    Sub {
        a: E,
        b: E,
        sh: u8,
    },
    Mul {
        a: E,
        b: E,
        sh: u8,
    },
    DivS {
        a: E,
        b: E,
        sh: u8,
    },
    DivU {
        a: E,
        b: E,
    },
    RemS {
        a: E,
        b: E,
        sh: u8,
    },
    RemU {
        a: E,
        b: E,
    },
    Shl {
        a: E,
        b: E,
        sh: u8,
    },
    ShrS {
        a: E,
        b: E,
        sh: u8,
    },
    ShrU {
        a: E,
        b: E,
        sh: u8,
    },
    And {
        a: E,
        b: E,
    },
    Or {
        a: E,
        b: E,
    },
    Xor {
        a: E,
        b: E,
    },
    Complement {
        a: E,
        sh: u8,
    },
    Not {
        a: E,
    },
    Eq {
        a: E,
        b: E,
    },
    Ne {
        a: E,
        b: E,
    },
    LtS {
        a: E,
        b: E,
        sh: u8,
    },
    LeS {
        a: E,
        b: E,
        sh: u8,
    },
    LtU {
        a: E,
        b: E,
    },
    LeU {
        a: E,
        b: E,
    },
    /// To a type that is not wider (pointer to pointer included).
    Trunc {
        a: E,
        sh: u8,
    },
    /// To a wider type, from a signed one.
    Sext {
        a: E,
        from: u8,
        to: u8,
    },
    IntToPtr {
        a: E,
    },
    Select {
        c: E,
        a: E,
        b: E,
    },
    PtrAdd {
        p: E,
        i: E,
        stride: u32,
        sh: u8,
        signed: bool,
    },
    F64 {
        op: FloatOp,
        a: E,
        b: E,
    },
    F32 {
        op: FloatOp,
        a: E,
        b: E,
    },
    /// Does the sum, difference or product not fit?
    Overflow {
        op: Exact,
        a: E,
        b: E,
        sh: u8,
        signed: bool,
    },
    /// All else: evaluated from the body.
    Slow,
    /// Not meaningful; running it ends the run as malformed or unsupported.
    Bad,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exact {
    Add,
    Sub,
    Mul,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Unordered,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// A variable that lives in a register.
    Reg(u32),
    /// A variable that lives in memory.
    Var(u32),
    Global(ObjId),
    Deref(E),
    Bad,
}

/// A place: a root, a fixed offset, and indices that are computed.
#[derive(Clone, Debug)]
pub struct CPlace {
    pub root: Root,
    pub offset: i64,
    pub indices: SmallVec<[IndexStep; 1]>,
    /// (lowest bit, count) of a bit-field.
    pub bits: Option<(u8, u8)>,
    pub repr: Repr,
    /// Bytes in memory.
    pub size: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct IndexStep {
    pub index: E,
    pub stride: u64,
}

/// What to do at a node.
#[derive(Clone, Debug)]
pub enum Node {
    Goto(u32),
    /// A register takes the value of an expression; `copy` if marks must be kept.
    SetReg {
        var: u32,
        value: E,
        to: u32,
        copy: bool,
    },
    Assign {
        place: u32,
        value: E,
        to: u32,
    },
    Branch {
        cond: E,
        yes: u32,
        no: u32,
    },
    Switch(u32),
    Declare {
        var: u32,
        to: u32,
    },
    End {
        var: u32,
        to: u32,
    },
    Check {
        check: u32,
        to: u32,
    },
    Call(u32),
    /// The statement of this edge, from the body.
    Stmt {
        edge: u32,
        to: u32,
    },
    /// Several edges of which the oracle or their assumptions choose.
    Choice,
    Exit,
    /// An exception leaves the function here.
    Unwind,
    DeadEnd,
    Malformed,
}

/// A switch on the value of one expression.
#[derive(Clone, Debug, Default)]
pub struct Switch {
    pub on: E,
    pub cases: rustc_hash::FxHashMap<u64, u32>,
    pub default: Option<u32>,
}

/// The edges of one call, by how it ends.
#[derive(Clone, Debug)]
pub struct CallSite {
    pub args: SmallVec<[(E, TypeId); 4]>,
    pub target: CallTarget,
    pub result: Option<u32>,
    pub normal: Option<u32>,
    pub unwind: Option<u32>,
    pub again: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
pub enum CallTarget {
    Direct(FuncId),
    Indirect(E),
}

impl CallSite {
    pub fn edge_of(&mut self, outcome: CallOutcome) -> &mut Option<u32> {
        match outcome {
            CallOutcome::Return => &mut self.normal,
            CallOutcome::Unwind => &mut self.unwind,
            CallOutcome::Again => &mut self.again,
        }
    }
}

/// A translated body.
#[derive(Debug)]
pub struct Code<'p> {
    pub func: FuncId,
    pub body: &'p Body,
    pub ops: Vec<Op>,
    /// The representation of each expression's type.
    pub reprs: Vec<Repr>,
    pub places: Vec<CPlace>,
    pub nodes: Vec<Node>,
    pub calls: Vec<CallSite>,
    pub switches: Vec<Switch>,
    pub vars: Vec<CVar>,
    /// Variables in memory that exist from the function's entry.
    pub entry_vars: Vec<u32>,
    /// All variables in memory.
    pub memory_vars: Vec<u32>,
    /// Why the body cannot be run at all.
    pub broken: Option<String>,
}

#[derive(Clone, Copy, Debug)]
pub struct CVar {
    pub repr: Repr,
    pub size: u64,
    pub align: u32,
    pub in_memory: bool,
}

impl Repr {
    /// Fits a 64-bit register.
    #[inline]
    pub fn is_small(self) -> bool {
        matches!(
            self,
            Repr::Int { .. } | Repr::Pointer | Repr::F32 | Repr::F64
        )
    }

    pub fn is_wide(self) -> bool {
        matches!(self, Repr::WideInt { .. } | Repr::X87)
    }

    /// Bits of a small or wide value.
    pub fn width(self) -> u32 {
        match self {
            Repr::Int { width, .. } | Repr::WideInt { width, .. } => u32::from(width),
            Repr::Pointer | Repr::F64 => 64,
            Repr::F32 => 32,
            Repr::X87 => 80,
            Repr::Blob { .. } | Repr::Void | Repr::Unsupported => 0,
        }
    }

    /// `64 - width` of a small value.
    pub fn sh(self) -> u8 {
        64u32.saturating_sub(self.width()) as u8
    }

    pub fn is_signed(self) -> bool {
        matches!(
            self,
            Repr::Int { signed: true, .. } | Repr::WideInt { signed: true, .. }
        )
    }
}
