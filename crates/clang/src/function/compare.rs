//! Comparisons of integers, pointers and floats.

use super::FunctionLowering;
use crate::llvm::{IntPredicate, RealPredicate};
use ir::{BinaryOp, CompareOp, ExprId, ExprKind, TypeId};

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn int_compare(&mut self, predicate: IntPredicate, a: ExprId, b: ExprId) -> ExprId {
        use IntPredicate::*;
        let (op, sign) = match predicate {
            LLVMIntEQ => (CompareOp::Eq, None),
            LLVMIntNE => (CompareOp::Ne, None),
            LLVMIntUGT => (CompareOp::Gt, Some(false)),
            LLVMIntUGE => (CompareOp::Ge, Some(false)),
            LLVMIntULT => (CompareOp::Lt, Some(false)),
            LLVMIntULE => (CompareOp::Le, Some(false)),
            LLVMIntSGT => (CompareOp::Gt, Some(true)),
            LLVMIntSGE => (CompareOp::Ge, Some(true)),
            LLVMIntSLT => (CompareOp::Lt, Some(true)),
            LLVMIntSLE => (CompareOp::Le, Some(true)),
        };
        // `(int)(a < b) != 0` is `a < b`.
        if let (ExprKind::Int(0), CompareOp::Eq | CompareOp::Ne) = (self.b.kind(b), op) {
            let mut inner = a;
            while let ExprKind::Cast(x) = *self.b.kind(inner)
                && self.int_type(x).is_some()
                && self
                    .int_type(inner)
                    .zip(self.int_type(x))
                    .is_some_and(|((w, _), (v, _))| w >= v)
            {
                inner = x;
            }
            if self.b.type_of(inner) == TypeId::BOOL {
                return if op == CompareOp::Ne {
                    inner
                } else {
                    self.not(inner)
                };
            }
        }
        if matches!(predicate, LLVMIntULE)
            && let Some(range) = self.case_range(a, b)
        {
            return range;
        }
        let (a, b) = match sign {
            None => self.unify(a, b),
            Some(signed) => match self.int_type(a) {
                Some(_) => (self.with_sign(a, signed), self.with_sign(b, signed)),
                None => self.unify(a, b),
            },
        };
        self.b.compare(op, a, b)
    }

    /// `x -% low <= span` as unsigned numbers, which is how clang writes `case low ... high` of a
    /// wide range on a signed `x`, is `low <= x && x <= high`: both ends are the program's words.
    fn case_range(&mut self, difference: ExprId, span: ExprId) -> Option<ExprId> {
        let ExprKind::Binary(BinaryOp::WrapSub, x, low) = *self.b.kind(difference) else {
            return None;
        };
        let (&ExprKind::Int(low), &ExprKind::Int(span)) = (self.b.kind(low), self.b.kind(span))
        else {
            return None;
        };
        let (width, true) = self.int_type(x)? else {
            return None;
        };
        let low = ir::expr::int_value(low, width, true);
        let high = low.checked_add(ir::expr::int_value(span, width, false))?;
        // Beyond the greatest number it would go on with the least.
        if width > 64 || high >= 1 << (width - 1) {
            return None;
        }
        let ty = self.b.type_of(x);
        let (low, high) = (self.int(low, ty), self.int(high, ty));
        let above = self.b.compare(CompareOp::Ge, x, low);
        let below = self.b.compare(CompareOp::Le, x, high);
        Some(self.b.binary(BinaryOp::And, above, below))
    }

    pub(super) fn float_compare(
        &mut self,
        predicate: RealPredicate,
        a: ExprId,
        b: ExprId,
    ) -> ExprId {
        use RealPredicate::*;
        // The unordered forms are the negations of the opposite ordered ones.
        let (op, negate) = match predicate {
            LLVMRealPredicateFalse => return self.b.bool(false),
            LLVMRealPredicateTrue => return self.b.bool(true),
            LLVMRealOEQ => (CompareOp::Eq, false),
            LLVMRealUNE => (CompareOp::Ne, false),
            LLVMRealOGT => (CompareOp::Gt, false),
            LLVMRealOGE => (CompareOp::Ge, false),
            LLVMRealOLT => (CompareOp::Lt, false),
            LLVMRealOLE => (CompareOp::Le, false),
            LLVMRealUNO => (CompareOp::Unordered, false),
            LLVMRealORD => (CompareOp::Unordered, true),
            LLVMRealUGT => (CompareOp::Le, true),
            LLVMRealUGE => (CompareOp::Lt, true),
            LLVMRealULT => (CompareOp::Ge, true),
            LLVMRealULE => (CompareOp::Gt, true),
            LLVMRealUEQ | LLVMRealONE => {
                let (lt, gt) = (
                    self.b.compare(CompareOp::Lt, a, b),
                    self.b.compare(CompareOp::Gt, a, b),
                );
                let one = self.b.binary(BinaryOp::Or, lt, gt);
                return if predicate == LLVMRealONE {
                    one
                } else {
                    self.not(one)
                };
            }
        };
        let e = self.b.compare(op, a, b);
        if negate { self.not(e) } else { e }
    }
}
