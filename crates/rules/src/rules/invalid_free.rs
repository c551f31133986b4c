//! `invalid-free`: see the documentation beside this file.

use crate::{Broken, Context, Event, EventKind, Meta, Rule, Severity, Wording};
use ir::{Condition, ExprKind, Family};

pub struct InvalidFree;

impl Rule for InvalidFree {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "invalid-free",
            summary: "what is freed is no block of that allocator, or not its start",
            cwe: &[590, 761, 762, 763],
            docs: include_str!("invalid-free.md"),
            shown_by_default: true,
            severity: Severity::Error,
        }
    }

    fn listens(&self) -> &'static [EventKind] {
        &[EventKind::Argument]
    }

    fn check(&self, event: &Event, cx: &mut Context<'_>) {
        let Event::Argument {
            callee,
            position,
            arg,
        } = *event
        else {
            return;
        };
        if let Some(family) = cx.taken(callee, position)
            && !matches!(cx.kind(arg), ExprKind::Null)
        {
            let pointer = arg;
            cx.require(Condition::Freeable { pointer, family });
        }
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        let Condition::Freeable { pointer, family } = broken.condition else {
            return broken.plain(self.meta().summary);
        };
        let text = broken.expr(*pointer);
        let by = match family {
            Family::Malloc => "malloc",
            Family::New => "new",
            Family::NewArray => "new[]",
        };
        Wording::new(
            format!("`{text}` is freed, but it is not the start of a block from `{by}`"),
            format!("{text} freed"),
        )
    }
}
