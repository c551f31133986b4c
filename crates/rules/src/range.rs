//! The values that an expression can have judging by its shape alone: `x & 31` lies in 0..=31,
//! a widened `unsigned char` in 0..=255.
//!
//! This is no analysis, only what lets a rule leave out checks that no run can fail. It looks a
//! few operators deep and knows nothing about variables.

use crate::visit::View;
use ir::expr::int_value;
use ir::{BinaryOp, ExprId, ExprKind, TypeId, TypeTable};

/// Smallest and largest value.
pub type Range = (i128, i128);

/// How many operators deep to look: enough for `(int)(c & 15) + 1`.
const DEPTH: u32 = 4;

/// The value of a constant.
pub fn constant(view: View<'_>, e: ExprId) -> Option<i128> {
    let expr = view.body.exprs.get(e)?;
    let (width, signed) = view.types.as_int(expr.ty)?;
    match expr.kind {
        // Larger unsigned ones would come out negative.
        ExprKind::Int(bits) if width < 128 || signed => Some(int_value(bits, width, signed)),
        _ => None,
    }
}

/// All values of an integer type; none for types as wide as `i128`, which could not be computed
/// with here.
pub fn of_type(types: &TypeTable, ty: TypeId) -> Option<Range> {
    match types.as_int(ty)? {
        (width @ 1..=64, true) => Some((-(1 << (width - 1)), (1 << (width - 1)) - 1)),
        (width @ 1..=64, false) => Some((0, (1 << width) - 1)),
        _ => None,
    }
}

/// The values that the expression can have; never more than its type has.
pub fn range(view: View<'_>, e: ExprId) -> Option<Range> {
    at_depth(view, e, DEPTH)
}

fn at_depth(view: View<'_>, e: ExprId, depth: u32) -> Option<Range> {
    let expr = view.body.exprs.get(e)?;
    let whole = of_type(view.types, expr.ty)?;
    if let Some(value) = constant(view, e) {
        return Some((value, value));
    }
    if depth == 0 {
        return Some(whole);
    }
    let inner = |e| at_depth(view, e, depth - 1);
    let found = match expr.kind {
        ExprKind::Cast(from) => inner(from),
        ExprKind::Select(_, a, b) => inner(a)
            .zip(inner(b))
            .map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))),
        ExprKind::Binary(op, a, b) => inner(a).zip(inner(b)).and_then(|(a, b)| binary(op, a, b)),
        _ => None,
    };
    // What does not fit the type wraps around: then nothing is known.
    Some(
        found
            .filter(|r| whole.0 <= r.0 && r.1 <= whole.1)
            .unwrap_or(whole),
    )
}

fn binary(op: BinaryOp, a: Range, b: Range) -> Option<Range> {
    match op {
        BinaryOp::Add | BinaryOp::WrapAdd => Some((a.0 + b.0, a.1 + b.1)),
        BinaryOp::Sub | BinaryOp::WrapSub => Some((a.0 - b.1, a.1 - b.0)),
        BinaryOp::Mul | BinaryOp::WrapMul => arith(BinaryOp::Mul, a, b),
        BinaryOp::And if b.0 >= 0 => Some((0, b.1)),
        BinaryOp::And if a.0 >= 0 => Some((0, a.1)),
        BinaryOp::Rem if b.0 > 0 => {
            let most = b.1 - 1;
            Some((a.0.min(0).max(-most), a.1.max(0).min(most)))
        }
        BinaryOp::Div if a.0 >= 0 && b.0 > 0 => Some((a.0 / b.1, a.1 / b.0)),
        BinaryOp::Shr if a.0 >= 0 && b.0 >= 0 && b.1 < 64 => Some((a.0 >> b.1, a.1 >> b.0)),
        _ => None,
    }
}

/// The mathematical result of `+ - *` on ranges of at most 64 bits.
pub fn arith(op: BinaryOp, a: Range, b: Range) -> Option<Range> {
    match op {
        BinaryOp::Add => Some((a.0 + b.0, a.1 + b.1)),
        BinaryOp::Sub => Some((a.0 - b.1, a.1 - b.0)),
        BinaryOp::Mul => {
            let corners = [
                a.0.checked_mul(b.0)?,
                a.0.checked_mul(b.1)?,
                a.1.checked_mul(b.0)?,
                a.1.checked_mul(b.1)?,
            ];
            Some((*corners.iter().min()?, *corners.iter().max()?))
        }
        _ => None,
    }
}
