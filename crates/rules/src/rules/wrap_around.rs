//! `wrap-around`: see the documentation beside this file.
//!
//! The counterpart of `integer-overflow` where C defines what happens: unsigned arithmetic, and arithmetic in `int` whose result goes
//! back into a `char` or a `short`. Nothing ends there; somebody may have counted on more.

use crate::range::{arith, of_type};
use crate::{Broken, Context, Event, EventKind, Meta, Rule, Severity, Wording};
use ir::{BinaryOp, CompareOp, ExprId, ExprKind, TypeId, UnaryOp};

pub struct WrapAround;

impl Rule for WrapAround {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "wrap-around",
            summary: "unsigned or narrow arithmetic has a result that its type cannot hold",
            cwe: &[190, 191, 197],
            docs: include_str!("wrap-around.md"),
            shown_by_default: false,
            severity: Severity::Error,
        }
    }

    fn listens(&self) -> &'static [EventKind] {
        &[EventKind::Wrap, EventKind::Narrow]
    }

    fn check(&self, event: &Event, cx: &mut Context<'_>) {
        match *event {
            Event::Wrap { op, a, b } if !fits(cx, op, a, b) => {
                let condition = cx.no_overflow(op, a, b);
                cx.require_holds(condition);
            }
            Event::Narrow { value, to } => require_within(cx, value, to),
            _ => {}
        }
    }

    fn ends_runs(&self) -> bool {
        false
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        let Some(e) = broken.holds() else {
            return broken.plain(self.meta().summary);
        };
        if let Some(ExprKind::Unary(UnaryOp::Not, inner)) = broken.kind(e)
            && let Some(&ExprKind::Overflow(op, a, b)) = broken.kind(*inner)
        {
            let text = format!(
                "{} {} {}",
                broken.operand(a),
                op.symbol(),
                broken.operand(b)
            );
            return Wording::new(
                format!("`{text}` wraps around"),
                format!("{text} wraps around"),
            );
        }
        match broken.comparison(e) {
            Some((_, value, _)) => {
                let text = broken.expr(value);
                Wording::new(
                    format!("`{text}` does not fit into what it is put into"),
                    format!("{text} is cut off"),
                )
            }
            None => broken.plain(self.meta().summary),
        }
    }
}

/// Does the result fit, judging by the shape of the operands?
fn fits(cx: &Context<'_>, op: BinaryOp, a: ExprId, b: ExprId) -> bool {
    let ranges = cx.range(a).zip(cx.range(b));
    let result = ranges.and_then(|(a, b)| arith(op, a, b));
    let all = of_type(cx.types(), cx.type_of(a));
    matches!((result, all), (Some(r), Some(all)) if all.0 <= r.0 && r.1 <= all.1)
}

/// A value that goes into a narrower type is one of it.
fn require_within(cx: &mut Context<'_>, value: ExprId, to: TypeId) {
    let (Some(range), Some(all)) = (cx.range(value), of_type(cx.types(), to)) else {
        return;
    };
    if range.0 < all.0 {
        let condition = cx.compare_int(CompareOp::Ge, value, all.0);
        cx.require_holds(condition);
    }
    if range.1 > all.1 {
        let condition = cx.compare_int(CompareOp::Le, value, all.1);
        cx.require_holds(condition);
    }
}
