//! `out-of-bounds`: see the documentation beside this file.
//!
//! Two kinds of condition. An index into an array of known length is compared with that length,
//! in the index's own type: this is what a reader sees in the source. An access through a pointer
//! is compared with the object that is there when it runs.

use crate::layout::{extent, flexible, room, root};

use crate::needs::{combined, size_of};
use crate::{Broken, Context, Event, EventKind, Meta, Rule, Severity, Wording};
use ir::{Base, BinaryOp, CompareOp, Condition, ExprId, ExprKind, PlaceId, Stmt, TypeId};
use library::{Need, Needed};

pub struct OutOfBounds;

impl Rule for OutOfBounds {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "out-of-bounds",
            summary: "memory is accessed outside of the array or object it belongs to",
            cwe: &[787, 125, 119],
            docs: include_str!("out-of-bounds.md"),
            shown_by_default: true,
            severity: Severity::Error,
        }
    }

    fn listens(&self) -> &'static [EventKind] {
        &[
            EventKind::Index,
            EventKind::Deref,
            EventKind::Load,
            EventKind::Store,
            EventKind::Range,
            EventKind::Allocate,
            EventKind::Call,
        ]
    }

    fn check(&self, event: &Event, cx: &mut Context<'_>) {
        match *event {
            Event::Index {
                place,
                step,
                index,
                len,
                accessed,
            } if !flexible(cx.view(), place, step, len) => {
                let last = i128::from(len) - i128::from(accessed);
                require_index(cx, index, last);
            }
            Event::Deref { place, .. } => require_access(cx, place),
            // A variable has room for what is read and written by its name, unless it is read
            // at a larger type, or its length is unknown.
            Event::Load { place, .. } | Event::Store { place } => {
                let p = cx.place(place);
                if !matches!(p.base, Base::Deref(_))
                    && !p.projections.is_empty()
                    && cx.types().size_of(p.ty) > room(cx.view(), place)
                {
                    require_access(cx, place);
                }
            }
            Event::Range { pointer, size, .. } => require_range(cx, pointer, size),
            Event::Allocate { count } => require_length(cx, count),
            Event::Call { callee, args } if !cx.is_defined(callee) => {
                let known = library::function(cx.function_name(callee));
                for need in known.map_or(&[][..], |f| &f.needs) {
                    require_need(cx, need, &args);
                }
            }
            _ => {}
        }
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        match *broken.condition {
            Condition::Holds(e) => match broken.comparison(e) {
                Some((_, length, _)) if matches!(broken.guarded, Some(Stmt::Allocate { .. })) => {
                    let text = broken.expr(length);
                    Wording::new(
                        format!("the length `{text}` of an array is negative"),
                        format!("{text} elements allocated"),
                    )
                }
                Some((op, index, _)) => index_wording(broken, op, index),
                None => broken.plain(self.meta().summary),
            },
            Condition::InBounds { pointer, size } => range_wording(broken, pointer, size),
            _ => broken.plain(self.meta().summary),
        }
    }
}

/// `0 <= index <= most`, as two checks: `i >= 0` and `i < len` say more than one trick would.
fn require_index(cx: &mut Context<'_>, index: ExprId, most: i128) {
    let range = cx.range(index);
    if range.is_none_or(|(low, _)| low < 0) && is_signed(cx, index) {
        let condition = cx.compare_int(CompareOp::Ge, index, 0);
        cx.require(Condition::Holds(condition));
    }
    if range.is_some_and(|(_, high)| high <= most) {
        return;
    }
    let condition = match cx.types().as_int(cx.type_of(index)) {
        // `i < 128` is no comparison of an i8, `i <= 127` is.
        Some((width, signed)) if most >= largest(width, signed) => {
            cx.compare_int(CompareOp::Le, index, most)
        }
        _ => cx.compare_int(CompareOp::Lt, index, most + 1),
    };
    cx.require(Condition::Holds(condition));
}

/// The length of an array is not negative: neither as it is counted, nor as the source has it, which the compiler takes for an
/// unsigned number (`(u32)n`).
fn require_length(cx: &mut Context<'_>, count: ExprId) {
    let mut length = count;
    while let ExprKind::Cast(inner) = cx.view().body.exprs[length].kind
        && cx.types().as_int(cx.type_of(inner)).is_some()
    {
        length = inner;
    }
    if is_signed(cx, length) && cx.range(length).is_none_or(|(low, _)| low < 0) {
        let condition = cx.compare_int(CompareOp::Ge, length, 0);
        cx.require(Condition::Holds(condition));
    }
}

fn is_signed(cx: &Context<'_>, e: ExprId) -> bool {
    cx.types()
        .as_int(cx.type_of(e))
        .is_some_and(|(_, signed)| signed)
}

fn largest(width: u16, signed: bool) -> i128 {
    let bits = u32::from(width).saturating_sub(u32::from(signed)).min(126);
    (1 << bits) - 1
}

/// The bytes of the place lie in one object.
fn require_access(cx: &mut Context<'_>, place: PlaceId) {
    let extent = extent(cx.view(), place);
    if extent.size == 0 {
        return;
    }
    let pointer = cx.address(place, extent.steps);
    let size = cx.int(i128::from(extent.size), TypeId::U64);
    cx.require(Condition::InBounds { pointer, size });
}

fn require_range(cx: &mut Context<'_>, pointer: ExprId, size: ExprId) {
    if let Some(bytes) = cx.constant(size) {
        let view = cx.view();
        let fits = match view.body.exprs[pointer].kind {
            ExprKind::AddrOf(place) => (0..=i128::from(room(view, place))).contains(&bytes),
            _ => false,
        };
        if bytes == 0 || fits {
            return;
        }
    }
    cx.require(Condition::InBounds { pointer, size });
}

/// What a function of the library needs at an argument is there.
fn require_need(cx: &mut Context<'_>, need: &Need, args: &[Option<ExprId>]) {
    let Some(pointer) = args.get(need.argument).copied().flatten() else {
        return;
    };
    if !cx.types().is_pointer(cx.type_of(pointer)) {
        return;
    }
    // Whether a pointer that may be null is one, the program knows.
    if need.or_null && root(cx.view(), pointer).is_some() {
        return;
    }
    let size = match &need.what {
        Needed::Read(size) | Needed::Write(size) => size_of(cx, size, args),
        // That a string has an end is for those to say who made it; where less than all may be read, it needs none.
        Needed::String { wide, most: None } if is_made_here(cx, pointer) => {
            let length = cx.string_length(pointer, *wide);
            length.map(|length| {
                let one = cx.int(1, TypeId::U64);
                let all = combined(cx, BinaryOp::Add, length, one);
                let width = cx.int(if *wide { 4 } else { 1 }, TypeId::U64);
                combined(cx, BinaryOp::Mul, all, width)
            })
        }
        Needed::String { .. } => None,
    };
    if let Some(size) = size {
        require_range(cx, pointer, size);
    }
}

/// Could the pointer be one to something that this body has made: a variable, or what it got from a call?
fn is_made_here(cx: &Context<'_>, pointer: ExprId) -> bool {
    let view = cx.view();
    let Some(root) = root(view, pointer) else {
        return true;
    };
    match view.body.exprs[root].kind {
        ExprKind::Load(place) => view.body.places[place]
            .as_var()
            .is_some_and(|v| !view.body.params.contains(&v)),
        _ => false,
    }
}

fn index_wording(broken: &Broken<'_>, op: CompareOp, index: ExprId) -> Wording {
    let text = broken.expr(index);
    let negative = op == CompareOp::Ge;
    match broken.indexed(index) {
        Some((array, _)) if negative => Wording::new(
            format!("index `{text}` of `{array}` is negative"),
            format!("{array}[{text}] accessed"),
        ),
        Some((array, len)) => Wording::new(
            format!("index `{text}` is out of bounds of `{array}` ({len} elements)"),
            format!("{array}[{text}] accessed"),
        ),
        None if negative => Wording::new(
            format!("index `{text}` is negative"),
            format!("indexed with {text}"),
        ),
        None => Wording::new(
            format!("index `{text}` is out of bounds"),
            format!("indexed with {text}"),
        ),
    }
}

/// A call and a copy name how many bytes they want; any other access is that of an object.
fn range_wording(broken: &Broken<'_>, pointer: ExprId, size: ExprId) -> Wording {
    if matches!(
        broken.guarded,
        Some(Stmt::Call(_) | Stmt::Copy { .. } | Stmt::Fill { .. })
    ) {
        let (pointer, size) = (broken.expr(pointer), broken.expr(size));
        return Wording::new(
            format!("{size} bytes at `{pointer}` are more than there are"),
            format!("{size} bytes at {pointer} accessed"),
        );
    }
    let text = broken.accessed(pointer);
    Wording::new(
        format!("`{text}` is out of bounds"),
        format!("{text} accessed"),
    )
}
