//! Comparisons of pointers into one object: `p < end`.

use crate::Automata;
use crate::refine::narrowed;
use crate::state::State;
use domain::arithmetic::apply;
use domain::{Bound, Number, Operator, Pointer};
use ir::{CompareOp, ExprId};

impl Automata<'_> {
    /// Both surely point into the same object: their offsets are what is compared.
    pub(crate) fn is_one_object(&self, x: &Pointer, y: &Pointer) -> bool {
        !x.null.may_be_null
            && !y.null.may_be_null
            && x.targets.single().is_some()
            && x.targets.single() == y.targets.single()
    }

    /// Pointers into one array are whole elements apart: `p < end` leaves a whole one.
    pub(crate) fn narrow_offsets(
        &mut self,
        st: &mut State,
        op: CompareOp,
        (a, x): (ExprId, Pointer),
        (b, y): (ExprId, Pointer),
    ) -> bool {
        let types = &self.frame.program.types;
        let stride = i64::try_from(types.stride(self.type_of(a)))
            .unwrap_or(1)
            .max(1);
        let quiet = self.quiet;
        let narrow = |op: CompareOp, x: &Number, y: &Number| {
            let by = match op {
                CompareOp::Lt => 1 - stride,
                CompareOp::Gt => stride - 1,
                CompareOp::Ne => match y.as_constant() {
                    Some(c) if x.high == c => {
                        let last = Bound {
                            value: c.saturating_sub(stride),
                            acknowledged: !quiet && x.acknowledges(c),
                        };
                        return x.restrict(Bound::BELOW, last);
                    }
                    _ => 0,
                },
                _ => 0,
            };
            let moved = apply(
                Operator::Add,
                y,
                &Number::constant(by),
                crate::memory::OFFSET,
                false,
            );
            narrowed(op, x, &moved, quiet)
        };
        let (Some(first), Some(second)) = (
            narrow(op, &x.offset, &y.offset),
            narrow(op.swapped(), &y.offset, &x.offset),
        ) else {
            return false;
        };
        if first != x.offset {
            self.write_back_pointer(st, a, Pointer { offset: first, ..x });
        }
        if second != y.offset {
            let narrower = Pointer {
                offset: second,
                ..y
            };
            self.write_back_pointer(st, b, narrower);
        }
        true
    }
}
