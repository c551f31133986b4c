//! `uninitialized-use`: see the documentation beside this file.

use crate::{Context, Event, EventKind, Meta, Rule};
use ir::{Base, Condition, Projection};

pub struct UninitializedUse;

impl Rule for UninitializedUse {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "uninitialized-use",
            summary: "a value is used that was never set",
            cwe: &[457, 908],
            docs: include_str!("uninitialized-use.md"),
            shown_by_default: true,
            always: false,
        }
    }

    fn listens(&self) -> &'static [EventKind] {
        &[EventKind::Load]
    }

    fn check(&self, event: &Event, cx: &mut Context<'_>) {
        let Event::Load { place, copied } = *event else {
            return;
        };
        let p = cx.place(place);
        // Whole structs are copied with whatever is in their padding and unset fields.
        if !cx.types().is_scalar(p.ty) {
            return;
        }
        // Storage with static duration starts as zeros.
        if matches!(p.base, Base::Global(_)) {
            return;
        }
        // The view of an object at another type is how a struct is passed in registers; its
        // bytes are moved, not used.
        if let Some(Projection::As(_)) = p.projections.last() {
            return;
        }
        // Characters may be moved whatever they hold: that is how memory is copied by hand. A
        // copy in a variable stays unset and is found when that is used.
        let byte = matches!(cx.types().as_int(p.ty), Some((width, _)) if width <= 8);
        if copied && byte && (matches!(p.base, Base::Deref(_)) || !p.projections.is_empty()) {
            return;
        }
        if !cx.surely_initialized(place) {
            cx.require(Condition::Initialized(place));
        }
    }
}
