//! `division-by-zero`: see the documentation beside this file.

use crate::{Broken, Context, Event, EventKind, Meta, Rule, Severity, Wording};
use ir::{CompareOp, TrapReason};

pub struct DivisionByZero;

impl Rule for DivisionByZero {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "division-by-zero",
            summary: "an integer is divided by zero",
            cwe: &[369],
            docs: include_str!("division-by-zero.md"),
            shown_by_default: true,
            severity: Severity::Error,
        }
    }

    fn listens(&self) -> &'static [EventKind] {
        &[EventKind::Divide, EventKind::Trap]
    }

    fn check(&self, event: &Event, cx: &mut Context<'_>) {
        let b = match *event {
            Event::Divide { b, .. } => b,
            // `5 / 0`: the compiler saw it.
            Event::Trap(TrapReason::ZeroDivisor) => return cx.require_false(),
            _ => return,
        };
        if cx.range(b).is_some_and(|(low, high)| low > 0 || high < 0) {
            return;
        }
        let condition = cx.compare_int(CompareOp::Ne, b, 0);
        cx.require_holds(condition);
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        match broken.holds().and_then(|e| broken.comparison(e)) {
            Some((_, divisor, _)) if broken.constant(broken.bare(divisor)).is_none() => {
                let text = broken.expr(divisor);
                Wording::new(
                    format!("division by zero: `{text}` is 0"),
                    format!("divided by {text}"),
                )
            }
            _ => Wording::new("division by zero", "divided by 0"),
        }
    }
}
