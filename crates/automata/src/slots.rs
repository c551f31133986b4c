//! Places whose position is known without a state: `x`, `s.a[3]`, a bit-field of a global.
//!
//! Most places are of this kind, so they are resolved once for each body. The others are located
//! in each state anew ([`crate::memory`]).

use crate::frame::{Frame, ObjectKind, Shape, bits_of};
use domain::{CellId, ObjectId};
use ir::{Base, Body, ExprKind, Place, PlaceId, Program, Projection, Type, TypeId};

/// What a place without any computed part is.
#[derive(Clone, Copy, Debug)]
pub enum Slot {
    Cell(CellId),
    /// A fixed region of an object: start and length in bits.
    Region(ObjectId, u64, u64),
    Computed,
}

impl Frame<'_> {
    /// Walks the projections of a place, as long as they are constant.
    pub fn find_slot(&mut self, place: PlaceId) -> Slot {
        let body = self.body;
        let p = &body.places[place];
        let (object, mut ty) = match p.base {
            Base::Var(v) => (self.var_object(v), body.vars[v].ty),
            Base::Global(g) => (
                self.object(ObjectKind::Global(g)),
                self.program.globals[g].ty,
            ),
            Base::Deref(_) => return Slot::Computed,
        };
        let types = &self.program.types;
        let mut start = 0u64;
        let mut field_bits = None;
        for step in &p.projections {
            match *step {
                Projection::Field(n) => {
                    let Some(field) = types.as_struct(ty).and_then(|s| s.fields.get(n as usize))
                    else {
                        return Slot::Computed;
                    };
                    start += field.offset * 8;
                    if let Some((low, bits)) = field.bits {
                        start += u64::from(low);
                        field_bits = Some(u32::from(bits));
                    } else {
                        field_bits = None;
                    }
                    ty = field.ty;
                }
                Projection::Index(e) => {
                    let (ExprKind::Int(bits), Type::Array { elem, len }) =
                        (&body.exprs[e].kind, types.get(ty))
                    else {
                        return Slot::Computed;
                    };
                    // An index that is out of bounds is no place; whoever uses it is told first.
                    let Ok(index) = u64::try_from(*bits) else {
                        return Slot::Computed;
                    };
                    if index >= *len {
                        return Slot::Computed;
                    }
                    start += index * types.size_of(*elem) * 8;
                    ty = *elem;
                }
                Projection::As(to) => {
                    ty = to;
                    field_bits = None;
                }
            }
        }
        let bits = field_bits.unwrap_or_else(|| bits_of(types.store_size(ty)));
        match self.cell(object, start, bits, ty) {
            Some(cell) => Slot::Cell(cell),
            None => {
                let length = if self.shape(ty) == Shape::Aggregate {
                    types.size_of(ty) * 8
                } else {
                    u64::from(bits)
                };
                Slot::Region(object, start, length)
            }
        }
    }
}

/// Is the place a member of a union, or part of one?
pub fn is_in_union(program: &Program, body: &Body, place: &Place) -> bool {
    let types = &program.types;
    let mut ty = match place.base {
        Base::Var(v) => body.vars[v].ty,
        Base::Global(g) => program.globals[g].ty,
        Base::Deref(e) => types.pointee(body.exprs[e].ty).unwrap_or(TypeId::VOID),
    };
    for step in &place.projections {
        ty = match *step {
            Projection::Field(n) => match types.as_struct(ty) {
                Some(def) if def.union => return true,
                Some(def) => def.fields.get(n as usize).map_or(TypeId::VOID, |f| f.ty),
                None => TypeId::VOID,
            },
            Projection::Index(_) => match *types.get(ty) {
                Type::Array { elem, .. } => elem,
                _ => ty,
            },
            Projection::As(to) => to,
        };
    }
    false
}
