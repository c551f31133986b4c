//! Where the value comes from that a check at the end of a path speaks of.
//!
//! Backwards along the one path, through copies, to the statement that made it: what the reports call
//! the cause.

use ir::{Base, Body, Condition, EdgeId, ExprId, ExprKind, PlaceId, Projection, Stmt, VarId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The program text states it.
    Constant,
    /// A variable that was declared without a value.
    Unset,
    /// A call gave it back.
    Result,
    /// A call was handed its address.
    Handed,
}

#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// The step that made the value.
    pub step: usize,
    pub kind: Kind,
    /// The places that held it.
    pub places: Vec<PlaceId>,
}

/// The origin of the value; none if it was there at the entry, or is made of several.
pub(crate) fn origin(body: &Body, path: &[EdgeId], condition: &Condition) -> Option<Origin> {
    let (places, made) = trace(body, path, condition)?;
    let (step, kind) = made?;
    Some(Origin { step, kind, places })
}

/// See [`trace`].
pub(crate) type Traced = (Vec<PlaceId>, Option<(usize, Kind)>);

/// The places that held the value, the last first; and the step that made it, if one is known. None if the
/// condition is not about one value.
pub(crate) fn trace(body: &Body, path: &[EdgeId], condition: &Condition) -> Option<Traced> {
    let mut place = spoken_of(body, condition)?;
    let mut places = vec![place];
    for (step, id) in path.iter().enumerate().rev().skip(1) {
        let made = match &body.edges().get(*id)?.stmt {
            Stmt::Assign { place: to, value } if covers(body, *to, place) => {
                match body.loaded(*value) {
                    Some(from) if *to == place => {
                        place = from;
                        places.push(from);
                        continue;
                    }
                    Some(_) => None,
                    None if is_constant(body, *value) => Some(Kind::Constant),
                    None => None,
                }
            }
            Stmt::Havoc { place: to, .. } if covers(body, *to, place) => None,
            Stmt::Call(call) if call.result.is_some_and(|to| covers(body, to, place)) => {
                Some(Kind::Result)
            }
            Stmt::Call(call) if call.args.iter().any(|arg| leads_to(body, *arg, place)) => {
                Some(Kind::Handed)
            }
            Stmt::Copy { target, .. } | Stmt::Fill { target, .. }
                if leads_to(body, *target, place) =>
            {
                None
            }
            Stmt::Declare(v) | Stmt::Allocate { var: v, .. }
                if variable(body, place) == Some(*v) =>
            {
                Some(Kind::Unset)
            }
            _ => continue,
        };
        return Some((places, made.map(|kind| (step, kind))));
    }
    Some((places, None))
}

/// The place whose value decides whether a condition holds, if it is one.
pub(crate) fn spoken_of(body: &Body, condition: &Condition) -> Option<PlaceId> {
    match *condition {
        Condition::Holds(e) => subject(body, e),
        Condition::Initialized(place) => Some(place),
        Condition::InBounds { pointer, .. } => index(body, pointer),
        Condition::Alive(_)
        | Condition::Freeable { .. }
        | Condition::Apart(..)
        | Condition::Unreachable => None,
    }
}

/// The place whose value a condition is about: `p` of `p != NULL`, `d` of `d != 0`.
fn subject(body: &Body, e: ExprId) -> Option<PlaceId> {
    match body.exprs.get(e)?.kind {
        ExprKind::Compare(_, a, b) if is_constant(body, b) => shifted(body, a),
        _ => None,
    }
}

/// The place that an access is indexed by, where it is one, up to a constant: `i` of `a[i - 1]`.
fn index(body: &Body, pointer: ExprId) -> Option<PlaceId> {
    let steps = match body.exprs.get(pointer)?.kind {
        ExprKind::Cast(inner) => return index(body, inner),
        ExprKind::PtrAdd(_, by) => return shifted(body, by),
        ExprKind::AddrOf(place) => &body.places.get(place)?.projections,
        _ => return None,
    };
    let mut indices = steps.iter().filter_map(|step| match step {
        Projection::Index(e) if !is_constant(body, *e) => Some(*e),
        _ => None,
    });
    match (indices.next(), indices.next()) {
        (Some(only), None) => shifted(body, only),
        _ => None,
    }
}

/// The place of which an expression is the value, casts and constants apart.
fn shifted(body: &Body, e: ExprId) -> Option<PlaceId> {
    match body.exprs.get(e)?.kind {
        ExprKind::Cast(inner) => shifted(body, inner),
        ExprKind::Binary(_, a, b) if is_constant(body, b) => shifted(body, a),
        _ => body.loaded(e),
    }
}

fn is_constant(body: &Body, mut e: ExprId) -> bool {
    while let Some(ExprKind::Cast(inner)) = body.exprs.get(e).map(|e| &e.kind) {
        e = *inner;
    }
    let kind = body.exprs.get(e).map(|e| &e.kind);
    matches!(
        kind,
        Some(ExprKind::Int(_) | ExprKind::Null | ExprKind::Float(_))
    )
}

/// Does a write of one place give another one a new value, as a whole?
fn covers(body: &Body, written: PlaceId, place: PlaceId) -> bool {
    if written == place {
        return true;
    }
    let (Some(w), Some(p)) = (body.places.get(written), body.places.get(place)) else {
        return false;
    };
    w.base == p.base && p.projections.starts_with(&w.projections)
}

/// The variable that a place is a part of.
fn variable(body: &Body, place: PlaceId) -> Option<VarId> {
    match body.places.get(place)?.base {
        Base::Var(v) => Some(v),
        _ => None,
    }
}

/// Does a pointer lead to the object that a place is a part of: `&x` to `x.a`, `p` to `p->a`?
pub(crate) fn leads_to(body: &Body, pointer: ExprId, place: PlaceId) -> bool {
    match body.places.get(place).map(|p| p.base) {
        Some(Base::Var(v)) => addressed(body, pointer) == Some(v),
        Some(Base::Deref(e)) => {
            let through = body.loaded(e);
            through.is_some() && body.loaded(pointer) == through
        }
        _ => false,
    }
}

/// The variable whose address, or that of a part, an expression is.
fn addressed(body: &Body, mut e: ExprId) -> Option<VarId> {
    loop {
        match body.exprs.get(e)?.kind {
            ExprKind::Cast(inner) | ExprKind::PtrAdd(inner, _) => e = inner,
            ExprKind::AddrOf(place) => return variable(body, place),
            _ => return None,
        }
    }
}
