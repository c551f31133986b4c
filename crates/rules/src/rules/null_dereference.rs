//! `null-dereference`: see the documentation beside this file.

use crate::layout::root;
use crate::{Context, Event, EventKind, Meta, Rule};
use ir::{CompareOp, ExprId};

pub struct NullDereference;

impl Rule for NullDereference {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "null-dereference",
            summary: "a null pointer is followed",
            cwe: &[476, 690],
            docs: include_str!("null-dereference.md"),
            shown_by_default: true,
            always: false,
        }
    }

    fn listens(&self) -> &'static [EventKind] {
        &[EventKind::Deref, EventKind::CallThrough, EventKind::Range]
    }

    fn check(&self, event: &Event, cx: &mut Context<'_>) {
        match *event {
            Event::Deref { pointer, .. } | Event::CallThrough { pointer } => {
                require_non_null(cx, pointer, None);
            }
            Event::Range { pointer, size, .. } => match cx.constant(size) {
                Some(0) => {}
                Some(_) => require_non_null(cx, pointer, None),
                None => require_non_null(cx, pointer, Some(size)),
            },
            _ => {}
        }
    }
}

/// The check is about the pointer that the address is computed from: `p[i]` with `p == null` is
/// no better for an `i` that is not 0.
fn require_non_null(cx: &mut Context<'_>, pointer: ExprId, unless_zero: Option<ExprId>) {
    let Some(root) = root(cx.view(), pointer) else {
        return;
    };
    let mut condition = cx.non_null(root);
    // memcpy(NULL, NULL, 0) is what many programs do and no machine minds.
    if let Some(size) = unless_zero {
        let some = cx.compare_int(CompareOp::Ne, size, 0);
        condition = cx.implies(some, condition);
    }
    cx.require_holds(condition);
}
