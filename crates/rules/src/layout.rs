//! What the layout of types says about a place without running anything: how many bytes surely
//! lie behind it, whether an array is only the start of a longer one, which part of an access a
//! pointer check has to cover.

use crate::range::constant;
use crate::visit::{View, types_along};
use ir::{Base, ExprId, ExprKind, PlaceId, Projection, Type, TypeId};

/// The pointer that an address is computed from, without the steps that keep it within its
/// object and never make it null or bring it back to life: `p` for `p + i`, `(T *)p`, `&p->f`.
///
/// None: the address of a variable, global or function, which is neither null nor freed.
pub fn root(view: View<'_>, mut pointer: ExprId) -> Option<ExprId> {
    loop {
        let expr = view.body.exprs.get(pointer)?;
        match expr.kind {
            ExprKind::PtrAdd(base, _) => pointer = base,
            ExprKind::Cast(from)
                if view
                    .body
                    .exprs
                    .get(from)
                    .is_some_and(|e| view.types.is_pointer(e.ty)) =>
            {
                pointer = from;
            }
            ExprKind::AddrOf(place) => match view.body.places.get(place)?.base {
                Base::Deref(base) => pointer = base,
                Base::Var(_) | Base::Global(_) => return None,
            },
            ExprKind::Function(_) | ExprKind::Label(..) => return None,
            _ => return Some(pointer),
        }
    }
}

/// Is the array that projection `step` indexes one whose declared length says nothing? That is a
/// flexible array member, or its old spellings `[0]` and `[1]` at the end of a struct behind a
/// pointer; and an array of unknown length (`extern int a[];`), which has length 0 here.
pub fn flexible(view: View<'_>, place: PlaceId, step: usize, len: u64) -> bool {
    match len {
        0 => return true,
        1 => {}
        _ => return false,
    }
    let p = &view.body.places[place];
    if !matches!(p.base, Base::Deref(_)) || step == 0 {
        return false;
    }
    types_along(view, place).zip(&p.projections).take(step).all(
        |(ty, projection)| match *projection {
            Projection::Field(f) => view
                .types
                .as_struct(ty)
                .is_some_and(|s| s.union || f as usize + 1 == s.fields.len()),
            Projection::Index(_) => false,
            Projection::As(_) => true,
        },
    )
}

/// A number of bytes that surely lie between the start of the place and the end of the variable
/// or global it is part of, given that its indices passed their checks. 0 if nothing is known,
/// as behind a pointer.
pub fn room(view: View<'_>, place: PlaceId) -> u64 {
    let Some(p) = view.body.places.get(place) else {
        return 0;
    };
    let base = match p.base {
        Base::Var(v) => view.body.vars.get(v).map(|v| v.ty),
        // A global that is only declared has the size its definition says, not this one.
        Base::Global(g) => view
            .globals
            .get(g)
            .filter(|g| g.init.is_some())
            .map(|g| g.ty),
        Base::Deref(_) => None,
    };
    let mut room = base.map_or(0, |ty| view.types.size_of(ty));
    let mut steps = 0;
    for (ty, step) in types_along(view, place).zip(&p.projections) {
        steps += 1;
        let skipped = match (*step, view.types.get(ty)) {
            (Projection::Field(f), Type::Struct(s)) => view.types.structs[*s]
                .fields
                .get(f as usize)
                .map_or(u64::MAX, |f| f.offset),
            (Projection::Index(i), Type::Array { elem, len }) => {
                let last = len.saturating_sub(1);
                let index = constant(view, i).and_then(|i| u64::try_from(i).ok());
                view.types
                    .size_of(*elem)
                    .saturating_mul(index.unwrap_or(last).min(last))
            }
            (Projection::As(_), _) => 0,
            _ => u64::MAX,
        };
        room = room.saturating_sub(skipped);
    }
    if steps < p.projections.len() { 0 } else { room }
}

/// The bytes that an access to a place touches: so many, from the start of the place reached by
/// the first `steps` projections.
pub struct Extent {
    pub steps: usize,
    pub size: u64,
}

/// What an access to the place touches. A bit-field has no address, so its extent is counted
/// from the struct that holds it; leading fields at offset 0 are where the place before them is.
pub fn extent(view: View<'_>, place: PlaceId) -> Extent {
    let p = &view.body.places[place];
    let types: Vec<TypeId> = types_along(view, place).collect();
    let mut steps = p.projections.len();
    let mut size = view.types.store_size(p.ty);
    let field = |step: usize| match (p.projections[step], types.get(step)) {
        (Projection::Field(f), Some(&ty)) => view
            .types
            .as_struct(ty)
            .and_then(|s| s.fields.get(f as usize)),
        _ => None,
    };
    if let Some(last) = steps.checked_sub(1)
        && let Some(f) = field(last)
        && let Some((low, bits)) = f.bits
    {
        size = f.offset + u64::from(low + bits).div_ceil(8);
        steps = last;
    }
    while let Some(last) = steps.checked_sub(1) {
        match p.projections[last] {
            Projection::Field(_) if field(last).is_some_and(|f| f.offset == 0) => steps = last,
            Projection::As(_) => steps = last,
            _ => break,
        }
    }
    Extent { steps, size }
}
