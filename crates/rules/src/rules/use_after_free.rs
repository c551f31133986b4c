//! `use-after-free`: see the documentation beside this file.

use crate::layout::root;
use crate::{Broken, Context, Event, EventKind, Meta, Rule, Wording};
use ir::Condition;

pub struct UseAfterFree;

impl Rule for UseAfterFree {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "use-after-free",
            summary: "memory is used after it was freed or its scope was left",
            cwe: &[416, 562, 825],
            docs: include_str!("use-after-free.md"),
            shown_by_default: true,
        }
    }

    fn listens(&self) -> &'static [EventKind] {
        &[EventKind::Deref, EventKind::Range]
    }

    fn check(&self, event: &Event, cx: &mut Context<'_>) {
        let pointer = match *event {
            Event::Deref { pointer, .. } => pointer,
            Event::Range { pointer, size, .. } if cx.constant(size) != Some(0) => pointer,
            _ => return,
        };
        // An address within an object lives as long as the object: ask about its root, so that
        // `p->a` and `p->b` in one statement are one check.
        if let Some(root) = root(cx.view(), pointer) {
            cx.require(Condition::Alive(root));
        }
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        let Condition::Alive(pointer) = broken.condition else {
            return broken.plain(self.meta().summary);
        };
        let text = broken.expr(*pointer);
        Wording::new(
            format!("`{text}` is dereferenced, but what it points to is gone"),
            format!("{text} dereferenced"),
        )
    }
}
