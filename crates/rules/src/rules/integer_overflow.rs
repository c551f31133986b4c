//! `integer-overflow`: see the documentation beside this file.

use crate::range::{arith, of_type};
use crate::{Broken, Context, Event, EventKind, Meta, Rule, Severity, Wording};
use ir::{BinaryOp, CompareOp, ExprId, ExprKind, UnaryOp};

pub struct IntegerOverflow;

impl Rule for IntegerOverflow {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "integer-overflow",
            summary: "a signed integer operation has a result that its type cannot hold",
            cwe: &[190, 191],
            docs: include_str!("integer-overflow.md"),
            shown_by_default: false,
            severity: Severity::Error,
        }
    }

    fn listens(&self) -> &'static [EventKind] {
        &[EventKind::Arith, EventKind::Divide]
    }

    fn check(&self, event: &Event, cx: &mut Context<'_>) {
        match *event {
            Event::Arith { op, a, b } if !fits(cx, op, a, b) => {
                let condition = cx.no_overflow(op, a, b);
                cx.require_holds(condition);
            }
            Event::Divide { a, b, .. } => require_quotient(cx, a, b),
            _ => {}
        }
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        let Some(e) = broken.holds() else {
            return broken.plain(self.meta().summary);
        };
        if let Some(ExprKind::Unary(UnaryOp::Not, inner)) = broken.kind(e)
            && let Some(&ExprKind::Overflow(op, a, b)) = broken.kind(*inner)
        {
            let text = match broken.constant(a) {
                Some(0) if op == BinaryOp::Sub => format!("-{}", broken.operand(b)),
                _ => format!(
                    "{} {} {}",
                    broken.operand(a),
                    op.symbol(),
                    broken.operand(b)
                ),
            };
            let ty = broken.type_name(a);
            return Wording::new(
                format!("`{text}` overflows: the result does not fit `{ty}`"),
                format!("{text} overflows"),
            );
        }
        match broken.comparison(broken.implied(e)) {
            Some((_, dividend, _)) => {
                let (text, ty) = (broken.expr(dividend), broken.type_name(dividend));
                Wording::new(
                    format!("division overflows: `{text}` is the smallest `{ty}`, divided by -1"),
                    format!("{text} divided by -1"),
                )
            }
            None => broken.plain(self.meta().summary),
        }
    }
}

/// Does the result fit, judging by the shape of the operands?
fn fits(cx: &Context<'_>, op: BinaryOp, a: ExprId, b: ExprId) -> bool {
    let result = cx
        .range(a)
        .zip(cx.range(b))
        .and_then(|(a, b)| arith(op, a, b));
    match (result, of_type(cx.types(), cx.type_of(a))) {
        (Some((low, high)), Some((least, most))) => least <= low && high <= most,
        _ => false,
    }
}

/// The one quotient that does not fit is that of the smallest number and -1: the run must not
/// have both. The remainder is as undefined as the quotient, and traps the same.
fn require_quotient(cx: &mut Context<'_>, a: ExprId, b: ExprId) {
    let Some((width, true)) = cx.types().as_int(cx.type_of(a)) else {
        return;
    };
    if width == 0 || width > 128 {
        return;
    }
    let least = i128::MIN >> (128 - width);
    let excludes = |range: Option<(i128, i128)>, value: i128| {
        range.is_some_and(|(low, high)| value < low || high < value)
    };
    if excludes(cx.range(b), -1) || excludes(cx.range(a), least) {
        return;
    }
    let not_least = cx.compare_int(CompareOp::Ne, a, least);
    let condition = if cx.constant(b) == Some(-1) {
        not_least
    } else {
        let minus_one = cx.compare_int(CompareOp::Eq, b, -1);
        cx.implies(minus_one, not_least)
    };
    cx.require_holds(condition);
}
