//! `precondition`: see the documentation beside this file.

use crate::{Broken, Context, Event, EventKind, Meta, Rule, Severity, Wording};
use ir::{Condition, ExprId};

pub struct Precondition;

impl Rule for Precondition {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "precondition",
            summary: "a function is called with what its model says it fails on",
            cwe: &[628],
            docs: include_str!("precondition.md"),
            shown_by_default: true,
            severity: Severity::Error,
        }
    }

    fn listens(&self) -> &'static [EventKind] {
        &[EventKind::Call]
    }

    fn checks_models(&self) -> bool {
        true
    }

    fn check(&self, event: &Event, cx: &mut Context<'_>) {
        let Event::Call { callee, args } = *event else {
            return;
        };
        match (cx.function_name(callee), args) {
            ("__rigel_fail", _) => cx.require(Condition::Unreachable),
            ("__rigel_room", [Some(pointer), Some(size), ..]) => {
                cx.require(Condition::InBounds { pointer, size });
            }
            _ => {}
        }
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        match broken.call().and_then(|call| said(broken, call)) {
            Some((function, condition)) => Wording::new(
                format!("`{function}` is called with `{condition}`"),
                format!("{function} called"),
            ),
            None => broken.plain(self.meta().summary),
        }
    }
}

/// The function that is called, and the clause that holds: the last two arguments.
fn said<'a>(broken: &Broken<'a>, call: (&str, &[ExprId])) -> Option<(&'a str, &'a str)> {
    let [.., function, condition] = call.1 else {
        return None;
    };
    Some((broken.literal(*function)?, broken.literal(*condition)?))
}
