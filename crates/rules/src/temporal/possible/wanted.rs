//! What a pattern asks of a statement: its arguments, its result, what it stores and where.

use crate::temporal::label::{Outcome, Subject};
use crate::visit::View;
use ir::{
    Base, Body, Call, CallOutcome, ExprId, ExprKind, GlobalId, PlaceId, Projection, Stmt, Symbol,
    Type, TypeId, TypeTable,
};

/// What an argument must be, or what is stored.
pub(super) enum Wanted {
    Any,
    Value,
    Int(i128),
    Null,
    /// The literals with this text.
    Text(Vec<GlobalId>),
}

/// Where something is stored.
pub(super) enum Place {
    Anywhere,
    Global(Vec<GlobalId>),
    /// None: there is no such field in the program.
    Field(Option<Symbol>, bool),
}

/// Is the call one of these arguments? Then the value among them, if there is one.
pub(super) fn matched(
    view: View<'_>,
    call: &Call,
    arguments: &[Wanted],
    more: bool,
) -> Option<Option<Subject>> {
    if call.args.len() < arguments.len() || (!more && call.args.len() > arguments.len()) {
        return None;
    }
    let mut value = None;
    for (wanted, arg) in arguments.iter().zip(&call.args) {
        if !is_wanted(view, wanted, *arg, &mut value) {
            return None;
        }
    }
    Some(value)
}

fn is_wanted(view: View<'_>, wanted: &Wanted, e: ExprId, value: &mut Option<Subject>) -> bool {
    let body = view.body;
    match wanted {
        Wanted::Any => true,
        Wanted::Value => {
            *value = Some(Subject::Expr(e));
            true
        }
        Wanted::Int(n) => constant(view, e) == Some(*n),
        Wanted::Null => match body.exprs[bare(body, e)].kind {
            ExprKind::Null => true,
            _ => constant(view, e) == Some(0),
        },
        Wanted::Text(literals) => match body.exprs[bare(body, e)].kind {
            ExprKind::AddrOf(place) => match body.places[place].base {
                Base::Global(g) => literals.contains(&g),
                _ => false,
            },
            _ => false,
        },
    }
}

fn bare(body: &Body, mut e: ExprId) -> ExprId {
    while let ExprKind::Cast(inner) = body.exprs[e].kind {
        e = inner;
    }
    e
}

/// The number that an expression is, conversions apart.
fn constant(view: View<'_>, e: ExprId) -> Option<i128> {
    let e = &view.body.exprs[bare(view.body, e)];
    let ExprKind::Int(bits) = e.kind else {
        return None;
    };
    let (width, signed) = view.types.as_int(e.ty)?;
    Some(ir::expr::int_value(bits, width, signed))
}

/// The outcome, in the way in which results of this type can show it; none if they cannot.
pub(super) fn possible_outcome(
    types: &TypeTable,
    call: &Call,
    outcome: Outcome,
) -> Option<Outcome> {
    let Some(Type::Function { ret, .. }) = types.lookup(call.signature) else {
        return None;
    };
    let has_sign = match types.lookup(*ret)? {
        Type::Int { signed, .. } => *signed,
        Type::Pointer(_) => false,
        _ => return None,
    };
    Some(match outcome {
        Outcome::Negative if !has_sign => return None,
        Outcome::Positive if !has_sign => Outcome::NotZero,
        Outcome::NotPositive if !has_sign => Outcome::Zero,
        Outcome::NotNegative if !has_sign => Outcome::Any,
        outcome => outcome,
    })
}

/// Is the value another one behind the call, because its result is put where the value is read from?
pub(super) fn is_overwritten(body: &Body, call: &Call, value: Subject) -> bool {
    let var = |p: PlaceId| match body.places[p].base {
        Base::Var(v) => Some(v),
        _ => None,
    };
    let result = call.result.and_then(var);
    result.is_some() && value.place(body).and_then(var) == result
}

/// Is this stored there? The value that is followed, and whether it is known behind the statement only.
pub(super) fn stores(
    view: View<'_>,
    stmt: &Stmt,
    to: &Place,
    what: &Wanted,
) -> Option<(Option<Subject>, bool)> {
    let body = view.body;
    let (place, from) = match stmt {
        Stmt::Assign { place, value } => (*place, Some(*value)),
        Stmt::Call(call) if call.outcome == CallOutcome::Return => (call.result?, None),
        _ => return None,
    };
    let mut value = None;
    let at = &body.places[place];
    match to {
        Place::Anywhere if at.as_var().is_none() => {}
        Place::Global(all) if at.projections.is_empty() => match at.base {
            Base::Global(g) if all.contains(&g) => {}
            _ => return None,
        },
        Place::Field(Some(name), of_value) => {
            if last_field(view, place) != Some(*name) {
                return None;
            }
            match (of_value, at.base, at.projections.len()) {
                (false, ..) => {}
                (true, Base::Deref(pointer), 1) => value = Some(Subject::Expr(pointer)),
                _ => return None,
            }
        }
        _ => return None,
    }
    match (from, what) {
        (Some(from), what) => is_wanted(view, what, from, &mut value).then_some((value, false)),
        (None, Wanted::Any) => Some((value, false)),
        (None, Wanted::Value) => Some((Some(Subject::Content(place)), true)),
        _ => None,
    }
}

/// The name of the field that a place is.
fn last_field(view: View<'_>, place: PlaceId) -> Option<Symbol> {
    let place = view.body.places.get(place)?;
    let mut ty: TypeId = match place.base {
        Base::Var(v) => view.body.vars.get(v)?.ty,
        Base::Global(g) => view.globals.get(g)?.ty,
        Base::Deref(e) => view.types.pointee(view.body.exprs.get(e)?.ty)?,
    };
    let mut name = None;
    for projection in &place.projections {
        (ty, name) = match (projection, view.types.lookup(ty)?) {
            (Projection::Index(_), Type::Array { elem, .. }) => (*elem, None),
            (Projection::Field(k), _) => {
                let field = view.types.as_struct(ty)?.fields.get(*k as usize)?;
                (field.ty, Some(field.name))
            }
            (Projection::As(ty), _) => (*ty, None),
            _ => return None,
        };
    }
    name
}
