//! Expressions and places: pure trees over the program's own variables.
//!
//! Evaluating an expression has no side effect. Its operators take their meaning from the types
//! of their operands, as in C: `a / b` on `i32` is signed division, on `u32` unsigned, on `f64`
//! IEEE. Both operands of a binary operator have the same type (shifts: the result has the type of the left one).
//!
//! Converting an integer to a wider type extends by the *source's* signedness; to a narrower one
//! drops high bits; to the same width reinterprets. Plain `+ - *` on a signed type must not
//! overflow (see the `integer-overflow` rule); the `Wrap…` forms wrap; on unsigned types plain
//! operators wrap.

use crate::body::VarId;
use crate::define_id;
use crate::program::{FuncId, GlobalId};
use crate::types::TypeId;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

define_id!(
    /// An expression of a body (`Body::exprs`), hash-consed: equal trees have equal ids.
    ExprId
);
define_id!(
    /// A place of a body (`Body::places`), hash-consed.
    PlaceId
);

/// An expression node with its type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ExprKind {
    /// An integer constant: its bits, zero-extended to 128 (mask to the type's width).
    Int(u128),
    /// A float constant: its IEEE (or x87) bits.
    Float(u128),
    /// The null pointer.
    Null,
    /// An unspecified value: reading it is using an uninitialized object.
    Undef,
    /// The value stored in a place.
    Load(PlaceId),
    /// The address of a place: a pointer to the place's type.
    AddrOf(PlaceId),
    Function(FuncId),
    /// GNU `&&label`: the k-th entry of that function's `Body::labels`. Labels of one function lie
    /// one byte apart, in this order, so that the distance of two is a number.
    Label(FuncId, u32),
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    /// A comparison, of type `bool`. On floats ordered, except `Ne`, which is true on NaN.
    Compare(CompareOp, ExprId, ExprId),
    /// True if the operation (Add, Sub, Mul) on the mathematical values of its operands does not
    /// fit the type of its operands.
    Overflow(BinaryOp, ExprId, ExprId),
    /// Conversion to this expression's type.
    Cast(ExprId),
    /// `c ? a : b`, both sides evaluated (they are pure).
    Select(ExprId, ExprId, ExprId),
    /// `pointer + index`, scaled by the size of the pointee (1 for void).
    /// The index is an integer of any type, taken at its mathematical value.
    PtrAdd(ExprId, ExprId),
    Intrinsic(Intrinsic, SmallVec<[ExprId; 3]>),
    /// The number by which a landing pad's selector names this type-info object (0: catch-all).
    TypeInfo(GlobalId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum UnaryOp {
    /// Arithmetic negation of floats. (Integers use `0 - x`, as LLVM does.)
    Neg,
    /// Logical negation of a bool.
    Not,
    /// Bitwise complement.
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    /// Wrapping forms for signed types: `-fwrapv`, `short++`.
    WrapAdd,
    WrapSub,
    WrapMul,
    Div,
    Rem,
    Shl,
    /// Arithmetic on signed types, logical on unsigned ones.
    Shr,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Floats only: at least one side is NaN.
    Unordered,
}

/// Pure functions of machine words that C has no operator for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Intrinsic {
    /// |x|; the smallest signed integer stays itself.
    Abs,
    /// By the signedness of the operands' type; on floats C's fmin/fmax.
    Min,
    Max,
    /// Number of one bits, of leading zeros, of trailing zeros (width at 0).
    PopCount,
    LeadingZeros,
    TrailingZeros,
    ByteSwap,
    BitReverse,
    /// Funnel shifts (high, low, amount modulo width).
    FunnelLeft,
    FunnelRight,
    /// Saturating arithmetic, by the signedness of the type.
    SatAdd,
    SatSub,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    Round,
    RoundEven,
    CopySign,
    /// x * y + z with one rounding.
    Fma,
    Sin,
    Cos,
    Exp,
    Exp2,
    Log,
    Log2,
    Log10,
    Pow,
    /// The low bits of a pointer cleared (pointer, mask).
    PtrMask,
    /// The bytes of one scalar read as another of the same size (float <-> integer).
    Bits,
    /// What is read from a volatile object, once: that may be something else than was put there.
    Volatile,
    /// Is the float in the class given by LLVM's is.fpclass mask (value, mask)? A bool.
    IsClass,
}

/// Where a value lives: a base, then steps into it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    pub base: Base,
    pub projections: SmallVec<[Projection; 2]>,
    /// Type of the place after all projections.
    pub ty: TypeId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Base {
    Var(VarId),
    Global(GlobalId),
    /// What a pointer points to, at the pointer's pointee type.
    Deref(ExprId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Projection {
    /// Field number of the struct or union type so far. A bit-field is an ordinary field.
    Field(u32),
    /// Element of the array type so far; the index is an integer of any type, at its
    /// mathematical value.
    Index(ExprId),
    /// The same address read at another type: how a union, or a struct in ABI form, is punned.
    As(TypeId),
}

impl Place {
    /// The variable, if this place is one as a whole.
    pub fn as_var(&self) -> Option<VarId> {
        match self.base {
            Base::Var(v) if self.projections.is_empty() => Some(v),
            _ => None,
        }
    }
}

impl BinaryOp {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::WrapAdd => "+%",
            BinaryOp::WrapSub => "-%",
            BinaryOp::WrapMul => "*%",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
        }
    }
}

impl CompareOp {
    pub fn symbol(self) -> &'static str {
        match self {
            CompareOp::Eq => "==",
            CompareOp::Ne => "!=",
            CompareOp::Lt => "<",
            CompareOp::Le => "<=",
            CompareOp::Gt => ">",
            CompareOp::Ge => ">=",
            CompareOp::Unordered => "<>",
        }
    }

    /// The comparison that is true exactly when this one is false, on integers and pointers
    /// (with NaN only `==` and `!=` are complements).
    pub fn negated(self) -> Option<CompareOp> {
        Some(match self {
            CompareOp::Eq => CompareOp::Ne,
            CompareOp::Ne => CompareOp::Eq,
            CompareOp::Lt => CompareOp::Ge,
            CompareOp::Le => CompareOp::Gt,
            CompareOp::Gt => CompareOp::Le,
            CompareOp::Ge => CompareOp::Lt,
            CompareOp::Unordered => return None,
        })
    }

    /// `a op b` is `b op.swapped() a`.
    pub fn swapped(self) -> CompareOp {
        match self {
            CompareOp::Lt => CompareOp::Gt,
            CompareOp::Le => CompareOp::Ge,
            CompareOp::Gt => CompareOp::Lt,
            CompareOp::Ge => CompareOp::Le,
            same => same,
        }
    }
}

/// `bits` cut to `width`, then read as a number of that signedness.
pub fn int_value(bits: u128, width: u16, signed: bool) -> i128 {
    let masked = mask(bits, width);
    if signed && width < 128 && width > 0 && masked >> (width - 1) & 1 == 1 {
        (masked | !0 << width) as i128
    } else {
        masked as i128
    }
}

/// The low `width` bits.
pub fn mask(bits: u128, width: u16) -> u128 {
    if width >= 128 {
        bits
    } else {
        bits & ((1 << width) - 1)
    }
}
