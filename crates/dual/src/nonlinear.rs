//! Operations that are not linear: exact where cases make them so (the lesser of two numbers is the one or the other), and
//! otherwise some number, of which as much is said as a glance at the operands shows.

use crate::arithmetic::wrapped;
use crate::eval::numbers;
use crate::facts::Range;
use crate::linear::Linear;
use crate::path::{Path, Paths};
use crate::run::Run;
use crate::value::Value;
use ir::{BinaryOp, ExprId, Intrinsic, TypeId};
use smallvec::smallvec;

impl Run<'_> {
    /// What a function of machine words gives.
    pub fn intrinsic(
        &mut self,
        path: Path,
        op: Intrinsic,
        args: &[ExprId],
        ty: TypeId,
    ) -> Paths<Value> {
        if self.program.types.as_int(ty).is_none() {
            // A pointer without its low bits leads where it led.
            let mut path = path;
            for arg in args {
                for (_, value) in self.eval(path.clone(), *arg) {
                    if let Value::Pointer(pointer) = value {
                        path.memory.escape(&pointer.object);
                    }
                }
            }
            return self.any(path, ty);
        }
        if self.is_wide(ty) {
            return self.any(path, ty);
        }
        match (op, args) {
            (Intrinsic::Min | Intrinsic::Max, [a, b]) => {
                let mut all = Paths::new();
                for (path, (x, y)) in self.both(path, *a, *b) {
                    let (less, more) = (y.minus(&x), x.minus(&y));
                    let (first, second) = match op {
                        Intrinsic::Min => (x, y),
                        _ => (y, x),
                    };
                    // x <= y, or y < x
                    let below = path.clone().where_not_negative(less);
                    let above = path.where_not_negative(more.and_then(|d| d.plus_constant(-1)));
                    all.extend(below.map(|path| (path, first)));
                    all.extend(above.map(|path| (path, second)));
                }
                numbers(all)
            }
            (Intrinsic::Abs, [a]) => {
                let range = self.range(ty);
                self.map(path, *a, |run, path, form| {
                    let opposite = form.times(-1);
                    let below = opposite.as_ref().and_then(|o| o.plus_constant(-1));
                    let mut all = Paths::new();
                    let above = path.clone().where_not_negative(Some(form.clone()));
                    all.extend(above.map(|path| (path, form)));
                    if let Some(path) = path.where_not_negative(below) {
                        all.extend(wrapped(path, &mut run.symbols, opposite, range));
                    }
                    all
                })
            }
            _ => self.any(path, ty),
        }
    }
}

/// What is known of a result that is not linear.
pub struct Bounds {
    pub range: Range,
    /// It is not more than any of these.
    pub at_most: smallvec::SmallVec<[Linear; 2]>,
}

/// What is known of the result of an operation on these.
pub fn bounds(path: &Path, op: BinaryOp, x: &Linear, y: &Linear, range: Range) -> Bounds {
    let positive = |form: &Linear| path.facts.is_surely_not_negative(form);
    let above = |n: i128, form: &Linear| {
        let more = form.plus_constant(-n);
        more.is_some_and(|more| positive(&more))
    };
    let none = Bounds {
        range,
        at_most: smallvec![],
    };
    let not_negative = |at_most| Bounds {
        range: range.and(Range::at_least(0)),
        at_most,
    };
    match op {
        // A divisor of zero ends the run at a check.
        BinaryOp::Div if positive(x) && positive(y) => not_negative(smallvec![x.clone()]),
        BinaryOp::Rem if positive(x) => {
            let less = above(1, y).then(|| y.plus_constant(-1)).flatten();
            not_negative([Some(x.clone()), less].into_iter().flatten().collect())
        }
        BinaryOp::Shr if positive(x) => not_negative(smallvec![x.clone()]),
        BinaryOp::And => {
            let all = [x, y].into_iter().filter(|form| positive(form)).cloned();
            let all: smallvec::SmallVec<[Linear; 2]> = all.collect();
            match all.is_empty() {
                true => none,
                false => not_negative(all),
            }
        }
        BinaryOp::Or | BinaryOp::Xor if positive(x) && positive(y) => {
            not_negative(x.plus(y).into_iter().collect())
        }
        _ => none,
    }
}
