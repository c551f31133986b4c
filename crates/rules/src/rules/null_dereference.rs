//! `null-dereference`: see the documentation beside this file.

use crate::layout::root;
use crate::{Broken, Context, Event, EventKind, Meta, Rule, Severity, Wording};
use ir::{Callee, CompareOp, ExprId, ExprKind, Stmt};

pub struct NullDereference;

impl Rule for NullDereference {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "null-dereference",
            summary: "a null pointer is followed",
            cwe: &[476, 690],
            docs: include_str!("null-dereference.md"),
            shown_by_default: true,
            severity: Severity::Error,
        }
    }

    fn listens(&self) -> &'static [EventKind] {
        &[
            EventKind::Deref,
            EventKind::CallThrough,
            EventKind::Argument,
            EventKind::Range,
        ]
    }

    fn check(&self, event: &Event, cx: &mut Context<'_>) {
        match *event {
            Event::Deref { pointer, .. } | Event::CallThrough { pointer } => {
                require_non_null(cx, pointer, None);
            }
            Event::Argument {
                callee,
                position,
                arg,
            } => {
                let library = !cx.is_defined(callee) && cx.types().is_pointer(cx.type_of(arg));
                if library && follows(cx.function_name(callee)).contains(&position) {
                    require_non_null(cx, arg, None);
                }
            }
            Event::Range { pointer, size, .. } => match cx.constant(size) {
                Some(0) => {}
                Some(_) => require_non_null(cx, pointer, None),
                None => require_non_null(cx, pointer, Some(size)),
            },
            _ => {}
        }
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        let compared = broken
            .holds()
            .and_then(|e| broken.comparison(broken.implied(e)));
        let Some((_, pointer, _)) = compared else {
            return broken.plain(self.meta().summary);
        };
        let called = match broken.guarded {
            Some(Stmt::Call(call)) => {
                matches!(call.callee, Callee::Indirect(e) if broken.bare(e) == broken.bare(pointer))
            }
            _ => false,
        };
        let passed = broken.call().is_some_and(|(name, args)| {
            let positions = follows(name).iter().filter_map(|i| args.get(*i));
            let mut passed = positions.map(|e| broken.bare(*e));
            passed.any(|e| e == broken.bare(pointer))
        });
        let verb = match (called, passed) {
            (true, _) => "called",
            (_, true) => "passed to a function that follows it",
            _ => "dereferenced",
        };
        match broken.kind(broken.bare(pointer)) {
            Some(ExprKind::Null) => Wording::new(
                format!("a null pointer is {verb}"),
                format!("a null pointer {verb}"),
            ),
            _ => {
                let text = broken.expr(pointer);
                Wording::new(
                    format!("`{text}` is null when it is {verb}"),
                    format!("{text} {verb}"),
                )
            }
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
    if let Some(size) = unless_zero
        && !cx.is_required(condition)
    {
        let some = cx.compare_int(CompareOp::Ne, size, 0);
        condition = cx.implies(some, condition);
    }
    cx.require_holds(condition);
}

/// The positions of the arguments that a library function of this name follows: a null there is followed by the library, which is no
/// better than following it oneself (C11 7.1.4, 7.24.1).
fn follows(name: &str) -> &'static [usize] {
    library::function(name).map_or(&[], |f| f.follows.as_slice())
}
