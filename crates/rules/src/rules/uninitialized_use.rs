//! `uninitialized-use`: see the documentation beside this file.

use crate::{Broken, Context, Event, EventKind, Meta, Rule, Severity, Wording};
use ir::{Base, Condition, Place, Projection, Type, TypeTable};

pub struct UninitializedUse;

impl Rule for UninitializedUse {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "uninitialized-use",
            summary: "a value is used that was never set",
            cwe: &[457, 908],
            docs: include_str!("uninitialized-use.md"),
            shown_by_default: true,
            severity: Severity::Error,
        }
    }

    fn listens(&self) -> &'static [EventKind] {
        &[EventKind::Load]
    }

    fn check(&self, event: &Event, cx: &mut Context<'_>) {
        let Event::Load { place, moved_to } = *event else {
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
        if is_punned(cx.types(), p) || cx.is_transfer(place) {
            return;
        }
        if moved_to == Some(place) {
            return;
        }
        if let Some(to) = moved_to {
            if is_punned(cx.types(), cx.place(to)) {
                return;
            }
            // Characters may be moved whatever they hold: that is how memory is copied by hand.
            // A copy in a variable stays unset and is found when that is used.
            let byte = matches!(cx.types().as_int(p.ty), Some((width, _)) if width <= 8);
            if byte && p.as_var().is_none() && !cx.is_value(to) {
                return;
            }
        }
        if !cx.surely_initialized(place) {
            cx.require(Condition::Initialized(place));
        }
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        let Condition::Initialized(place) = broken.condition else {
            return broken.plain(self.meta().summary);
        };
        let text = broken.place(*place);
        Wording::new(
            format!("`{text}` is used uninitialized"),
            format!("{text} used"),
        )
    }
}

/// The view of an object at another type is how a struct is passed in registers: as a number, or
/// field by field of a struct of numbers. Its bytes, padding included, are moved, not used.
pub(crate) fn is_punned(types: &TypeTable, place: &Place) -> bool {
    let steps = &place.projections;
    steps.iter().enumerate().any(|(i, step)| match *step {
        Projection::As(ty) => i + 1 == steps.len() || matches!(types.get(ty), Type::Struct(_)),
        _ => false,
    })
}
