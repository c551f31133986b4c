//! The one rule by which constants get their types; printer and parser both follow it.
//!
//! A constant without a suffix has the type its surroundings expect, if that is an integer type
//! (a float type, for a number with a fraction; a pointer type, for `null`), else `i32` (`f64`).
//! What is expected comes from above: the place that is assigned, the parameter, `i64` for an
//! index, `u64` for a size. In `a + b`, `a < b` and `c ? a : b` the right side is expected to
//! have the left side's type; but if the left side is such a constant and the right is not, then
//! the left is expected to have the right side's type.

use crate::expr::{Expr, ExprKind, Intrinsic};
use crate::types::{FloatKind, Type, TypeId, TypeTable};

/// The type that the surroundings expect, if any.
pub type Expected = Option<TypeId>;

pub const INDEX: TypeId = TypeId::I64;
pub const SIZE: TypeId = TypeId::U64;

/// Type of an integer constant without a suffix.
pub fn int_constant(types: &TypeTable, expected: Expected) -> TypeId {
    match expected.and_then(|t| types.lookup(t)) {
        // `true` and `false` are the constants of type bool.
        Some(Type::Int { width, .. }) if *width > 0 && expected != Some(TypeId::BOOL) => {
            expected.unwrap_or(TypeId::I32)
        }
        _ => TypeId::I32,
    }
}

/// Type of a float constant without a suffix.
pub fn float_constant(types: &TypeTable, expected: Expected) -> TypeId {
    match expected.and_then(|t| types.lookup(t)) {
        Some(Type::Float(FloatKind::F32)) => TypeId::F32,
        _ => TypeId::F64,
    }
}

/// Is the expression written as a constant that may do without a type?
pub fn is_bare(types: &TypeTable, e: &Expr) -> bool {
    match e.kind {
        ExprKind::Int(_) => e.ty != TypeId::BOOL,
        ExprKind::Float(bits) => decimal(types, bits, e.ty).is_some(),
        ExprKind::Null | ExprKind::Undef => true,
        _ => false,
    }
}

/// A float constant in decimal, if that says it all.
pub fn decimal(types: &TypeTable, bits: u128, ty: TypeId) -> Option<String> {
    match types.lookup(ty)? {
        Type::Float(FloatKind::F32) => {
            let value = f32::from_bits(u32::try_from(bits).ok()?);
            value.is_finite().then(|| format!("{value:?}"))
        }
        Type::Float(FloatKind::F64) => {
            let value = f64::from_bits(u64::try_from(bits).ok()?);
            value.is_finite().then(|| format!("{value:?}"))
        }
        _ => None,
    }
}

/// What an intrinsic returns unless it says otherwise.
pub fn intrinsic_result(op: Intrinsic, first: Option<TypeId>) -> Option<TypeId> {
    match op {
        Intrinsic::Bits => None,
        Intrinsic::IsClass => Some(TypeId::BOOL),
        _ => first,
    }
}

/// What the first argument of an intrinsic is expected to be.
pub fn first_argument(op: Intrinsic, expected: Expected) -> Expected {
    match op {
        Intrinsic::Bits | Intrinsic::IsClass => None,
        _ => expected,
    }
}

/// What the further arguments are expected to be.
pub fn further_argument(op: Intrinsic, first: TypeId) -> TypeId {
    match op {
        Intrinsic::IsClass => TypeId::I32,
        Intrinsic::PtrMask => INDEX,
        _ => first,
    }
}
