//! `shift-range`: see the documentation beside this file.

use crate::{Broken, Context, Event, EventKind, Meta, Rule, Severity, Wording};
use ir::{CompareOp, TrapReason};

pub struct ShiftRange;

impl Rule for ShiftRange {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "shift-range",
            summary: "a value is shifted by a negative amount, or by as many bits as it has",
            cwe: &[1335, 758],
            docs: include_str!("shift-range.md"),
            shown_by_default: false,
            severity: Severity::Error,
        }
    }

    fn listens(&self) -> &'static [EventKind] {
        &[EventKind::Shift, EventKind::Trap]
    }

    fn check(&self, event: &Event, cx: &mut Context<'_>) {
        let (a, b) = match *event {
            Event::Shift { a, b, .. } => (a, b),
            // `1 << 40`: the compiler saw it.
            Event::Trap(TrapReason::ShiftAmount) => return cx.require_false(),
            _ => return,
        };
        let (Some((width, _)), Some((amount_width, _))) = (
            cx.types().as_int(cx.type_of(a)),
            cx.types().as_int(cx.type_of(b)),
        ) else {
            return;
        };
        let limit = i128::from(width);
        if cx
            .range(b)
            .is_some_and(|(low, high)| 0 <= low && high < limit)
        {
            return;
        }
        // As an unsigned number a negative amount is too large as well: one comparison. An
        // amount too narrow to hold the limit cannot reach it.
        if amount_width < 16 && limit >= 1 << amount_width {
            return;
        }
        let unsigned = cx.unsigned(cx.type_of(b));
        let amount = cx.cast(b, unsigned);
        let condition = cx.compare_int(CompareOp::Lt, amount, limit);
        cx.require_holds(condition);
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        match broken.holds().and_then(|e| broken.comparison(e)) {
            Some((_, amount, limit)) => {
                let (text, limit) = (broken.expr(amount), broken.expr(limit));
                Wording::new(
                    format!("shift amount `{text}` is negative or not less than {limit}"),
                    format!("shifted by {text}"),
                )
            }
            None => Wording::new(
                "a constant shift amount is negative or too large",
                "shifted here",
            ),
        }
    }
}
