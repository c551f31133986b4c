//! `use-after-free`: see the documentation beside this file.

use crate::layout::root;
use crate::{Broken, Context, Event, EventKind, Meta, Rule, Severity, Wording};
use ir::{Base, Condition, ExprKind, Family, FuncId, Stmt};

pub struct UseAfterFree;

impl Rule for UseAfterFree {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "use-after-free",
            summary: "memory is used after it was freed or its scope was left",
            cwe: &[416, 562, 825],
            docs: include_str!("use-after-free.md"),
            shown_by_default: true,
            severity: Severity::Error,
        }
    }

    fn listens(&self) -> &'static [EventKind] {
        &[
            EventKind::Deref,
            EventKind::Range,
            EventKind::Argument,
            EventKind::Return,
        ]
    }

    fn check(&self, event: &Event, cx: &mut Context<'_>) {
        let pointer = match *event {
            Event::Deref { pointer, .. } => pointer,
            Event::Range { pointer, size, .. } if cx.constant(size) != Some(0) => pointer,
            Event::Argument {
                callee,
                position,
                arg,
            } if cx.is_pointer(arg) && is_use(cx, callee, position) => arg,
            // That it leads to a variable of the function is what `dangling-return` says.
            Event::Return { value }
                if cx.is_pointer(value)
                    && cx.ends_memory()
                    && cx.locals(value).next().is_none() =>
            {
                value
            }
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
        let handed = match broken.guarded {
            Some(Stmt::Call(call)) => call.args.iter().any(|arg| arg == pointer),
            _ => false,
        };
        if handed {
            return Wording::new(
                format!("`{text}` is handed over, but what it points to is gone"),
                format!("{text} handed over"),
            );
        }
        if let Some(Stmt::Assign { place, value }) = broken.guarded
            && value == pointer
            && broken.body.ret.is_some()
            && broken.body.places[*place].as_var() == broken.body.ret
        {
            return Wording::new(
                format!("`{text}` is returned, but what it points to is gone"),
                format!("{text} returned"),
            );
        }
        Wording::new(
            format!("`{text}` is dereferenced, but what it points to is gone"),
            format!("{text} dereferenced"),
        )
    }
}

/// Is it a use of what the argument points to that it is handed to this function? Who frees it is not asked here, nor who
/// prints where it points to. What a function of the program does nothing with, or only compares, it does not use.
fn is_use(cx: &Context<'_>, callee: FuncId, position: usize) -> bool {
    if cx.taken(callee, position).is_some() {
        return false;
    }
    let name = cx.function_name(callee);
    if cx.is_defined(callee) {
        return cx.ends_memory() && cx.uses(callee, position) && !is_destructor(name);
    }
    if Family::taken_by(name).is_some() || is_quiet(name) {
        return false;
    }
    match format_of(name) {
        Some(format) if position > format => !prints_addresses(cx, format),
        _ => true,
    }
}

/// A destructor of what is deleted a second time: the call that frees it says so.
fn is_destructor(name: &str) -> bool {
    ["D0Ev", "D1Ev", "D2Ev"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Functions that free in ways of their own, that only look at the value, or that mark the end of something.
fn is_quiet(name: &str) -> bool {
    name.starts_with("__rigel_")
        || name.starts_with("__cxa_")
        || name.starts_with("__asan_")
        || name.starts_with("llvm.")
        || name.contains("free")
        || name.contains("delete")
}

/// The position of the format of a function that prints.
fn format_of(name: &str) -> Option<usize> {
    Some(match name {
        "printf" | "printk" | "warn" | "warnx" => 0,
        "fprintf" | "dprintf" | "sprintf" | "syslog" | "err" | "errx" | "asprintf" => 1,
        "snprintf" => 2,
        _ => return None,
    })
}

/// May the format print where a pointer points to, rather than what is there?
fn prints_addresses(cx: &Context<'_>, format: usize) -> bool {
    let Some(format) = cx.argument(format) else {
        return true;
    };
    let ExprKind::AddrOf(place) = *cx.kind(format) else {
        return true;
    };
    let Base::Global(g) = cx.place(place).base else {
        return true;
    };
    let init = cx.view().globals.get(g).and_then(|g| g.init.as_ref());
    init.is_none_or(|init| init.bytes.windows(2).any(|w| w == b"%p"))
}
