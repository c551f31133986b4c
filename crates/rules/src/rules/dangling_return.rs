//! `dangling-return`: see the documentation beside this file.

use crate::{Broken, Context, Event, EventKind, Meta, Rule, Severity, Wording};
use ir::{Condition, Stmt};

pub struct DanglingReturn;

impl Rule for DanglingReturn {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "dangling-return",
            summary: "the address of a local variable outlives the function",
            cwe: &[562],
            docs: include_str!("dangling-return.md"),
            shown_by_default: true,
            severity: Severity::Error,
        }
    }

    fn listens(&self) -> &'static [EventKind] {
        &[EventKind::Return, EventKind::Leave]
    }

    fn check(&self, event: &Event, cx: &mut Context<'_>) {
        match *event {
            Event::Return { value } => {
                for local in cx.locals(value) {
                    if let Some(address) = cx.local_address(local) {
                        cx.require(Condition::Apart(value, address));
                    }
                }
            }
            Event::Leave { kept, local } => {
                if let Some(address) = cx.local_address(local) {
                    let value = cx.content(kept);
                    cx.require(Condition::Apart(value, address));
                }
            }
            _ => {}
        }
    }

    fn ends_runs(&self) -> bool {
        false
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        let Condition::Apart(value, address) = broken.condition else {
            return broken.plain(self.meta().summary);
        };
        let (text, local) = (broken.expr(*value), broken.expr(*address));
        let local = local.trim_start_matches('&');
        match broken.guarded {
            Some(Stmt::Assign { .. }) => Wording::new(
                format!("`{text}` is returned, but `{local}` ends here"),
                format!("{text} returned"),
            ),
            _ => Wording::new(
                format!("`{text}` still leads to `{local}` when the function is left"),
                format!("{text} leads to {local}"),
            ),
        }
    }
}
