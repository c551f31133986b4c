//! Places: a root, an offset, and the indices that are computed.

use super::{Compiler, repr_of};
use crate::code::{CPlace, IndexStep, Root};
use ir::{Base, ExprKind, Place, Projection, Type};
use smallvec::SmallVec;

impl Compiler<'_, '_> {
    pub(super) fn place(&self, p: &Place) -> CPlace {
        let repr = repr_of(self.program, p.ty);
        let known = (p.ty.0 as usize) < self.program.types.len();
        let mut place = CPlace {
            root: Root::Bad,
            offset: 0,
            indices: SmallVec::new(),
            bits: None,
            repr,
            size: if known {
                self.program.types.store_size(p.ty)
            } else {
                0
            },
        };
        if let Some(root) = self.place_steps(p, &mut place) {
            place.root = root;
        }
        place
    }

    /// Follows the projections; none if they do not fit the types.
    fn place_steps(&self, p: &Place, place: &mut CPlace) -> Option<Root> {
        let types = &self.program.types;
        let (root, mut ty) = match p.base {
            Base::Var(v) => {
                let in_memory = self.code.vars.get(v.0 as usize)?.in_memory;
                let root = if in_memory {
                    Root::Var(v.0)
                } else {
                    Root::Reg(v.0)
                };
                (root, self.body.vars[v].ty)
            }
            Base::Global(g) => (
                Root::Global(self.addresses.global(g)?),
                self.program.globals.get(g)?.ty,
            ),
            Base::Deref(e) => (
                Root::Deref(e.0),
                types.pointee(self.checked(self.body.exprs.get(e)?.ty)?)?,
            ),
        };
        for step in &p.projections {
            place.bits = None;
            match *step {
                Projection::Field(n) => {
                    let field = types.as_struct(self.checked(ty)?)?.fields.get(n as usize)?;
                    place.offset = place.offset.wrapping_add(field.offset as i64);
                    if let Some((low, count)) = field.bits {
                        // Whole bytes from the start of the field, then bits within 8 of them.
                        place.offset = place.offset.wrapping_add(i64::from(low / 8));
                        if !(1..=64).contains(&count) {
                            return None;
                        }
                        place.bits = Some((low as u8 % 8, count as u8));
                    }
                    ty = field.ty;
                }
                Projection::Index(e) => {
                    let Type::Array { elem, .. } = *types.get(self.checked(ty)?) else {
                        return None;
                    };
                    let index = self.body.exprs.get(e)?;
                    let stride = types.size_of(elem);
                    match index.kind {
                        ExprKind::Int(bits) => {
                            let (w, s) = types.as_int(self.checked(index.ty)?)?;
                            let n = ir::expr::int_value(bits, w, s) as i64;
                            place.offset = place.offset.wrapping_add(n.wrapping_mul(stride as i64));
                        }
                        _ => place.indices.push(IndexStep { index: e.0, stride }),
                    }
                    ty = elem;
                }
                Projection::As(to) => ty = self.checked(to)?,
            }
        }
        Some(root)
    }
}
