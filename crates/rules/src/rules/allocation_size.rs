//! `allocation-size`: see the documentation beside this file.

use crate::needs::size_of;
use crate::{Broken, Context, Event, EventKind, Meta, Rule, Wording};
use ir::{CompareOp, ExprId, TypeId};
use library::Gives;

pub struct AllocationSize;

/// Bytes from which on an allocation is none that a program means.
const LARGEST: i128 = 1 << 30;

impl Rule for AllocationSize {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "allocation-size",
            summary: "memory is allocated of a size that nobody has limited",
            cwe: &[789, 770],
            docs: include_str!("allocation-size.md"),
            shown_by_default: false,
        }
    }

    fn listens(&self) -> &'static [EventKind] {
        &[EventKind::Call]
    }

    fn check(&self, event: &Event, cx: &mut Context<'_>) {
        let Event::Call { callee, args } = *event else {
            return;
        };
        if cx.is_defined(callee) {
            return;
        }
        let known = library::function(cx.function_name(callee));
        let Some(Gives::Memory {
            size: Some(size), ..
        }) = known.map(|f| &f.gives)
        else {
            return;
        };
        let Some(size) = size_of(cx, size, &args) else {
            return;
        };
        if cx.constant(size).is_some_and(|size| size < LARGEST) {
            return;
        }
        let limit = cx.int(LARGEST, TypeId::U64);
        let condition = cx.compare(CompareOp::Lt, size, limit);
        cx.require_holds(condition);
    }

    fn ends_runs(&self) -> bool {
        false
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        let size: Option<ExprId> = broken
            .holds()
            .and_then(|e| broken.comparison(e))
            .map(|(_, size, _)| size);
        let Some(size) = size else {
            return broken.plain(self.meta().summary);
        };
        let text = broken.expr(size);
        Wording::new(
            format!("`{text}` bytes are allocated, and nothing limits that number"),
            format!("{text} bytes allocated"),
        )
    }
}
