//! `allocation-size`: see the documentation beside this file.

use crate::needs::size_of;
use crate::range::of_type;
use crate::{Broken, Context, Event, EventKind, Meta, Rule, Severity, Wording};
use ir::{BinaryOp, CompareOp, ExprId, ExprKind};
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
            severity: Severity::Error,
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
        require_moderate(cx, size);
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
            format!("memory is allocated for `{text}`, and nothing limits that number"),
            format!("memory for {text} allocated"),
        )
    }
}

/// The size is less than the largest that a program means. What it is computed from says so in its own type, where no product wraps around and a
/// negative number is no huge one.
fn require_moderate(cx: &mut Context<'_>, size: ExprId) {
    let mut number = size;
    let mut limit = LARGEST;
    loop {
        let kind = cx.view().body.exprs[number].kind.clone();
        number = match kind {
            ExprKind::Binary(BinaryOp::Mul, a, b) => match (cx.constant(a), cx.constant(b)) {
                (_, Some(n)) if n > 0 => {
                    limit = (limit + n - 1) / n;
                    a
                }
                (Some(n), _) if n > 0 => {
                    limit = (limit + n - 1) / n;
                    b
                }
                _ => break,
            },
            // What `new` makes of a product that overflows is the largest size.
            ExprKind::Select(c, _, product)
                if matches!(cx.view().body.exprs[c].kind, ExprKind::Overflow(..)) =>
            {
                product
            }
            ExprKind::Cast(inner) if widens(cx, inner, number) => inner,
            _ => break,
        };
    }
    let all = of_type(cx.types(), cx.type_of(number));
    let (Some((low, high)), Some(all)) = (cx.range(number), all) else {
        return;
    };
    if low < 0 {
        let condition = cx.compare_int(CompareOp::Ge, number, 0);
        cx.require_holds(condition);
    }
    if high >= limit && limit <= all.1 {
        let condition = cx.compare_int(CompareOp::Lt, number, limit);
        cx.require_holds(condition);
    }
}

/// Is it a number of a type that is no wider, seen at another?
fn widens(cx: &Context<'_>, inner: ExprId, outer: ExprId) -> bool {
    let width = |e: ExprId| cx.types().as_int(cx.type_of(e)).map(|(width, _)| width);
    width(inner)
        .zip(width(outer))
        .is_some_and(|(inner, outer)| inner <= outer)
}
