//! What lies at an offset of a type.

use crate::types::{StructId, Type, TypeId, TypeTable};

/// The scalar at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub ty: TypeId,
    /// The field of the innermost struct that it is, or is an element of; none outside of structs.
    pub field: Option<(StructId, u32)>,
    /// The distance from its first byte.
    pub within: u64,
}

impl TypeTable {
    /// The integer, float or pointer that has the byte at this offset. None where there is none
    /// (padding counts to the field before it), and within unions, whose parts are each other.
    pub fn part_at(&self, mut ty: TypeId, mut offset: u64) -> Option<Part> {
        let mut field = None;
        loop {
            match self.lookup(ty)? {
                Type::Struct(s) => {
                    let definition = self.structs.get(*s)?;
                    if definition.union {
                        return None;
                    }
                    let fields = definition.fields.iter().enumerate();
                    let (n, inner) = fields.rev().find(|(_, f)| f.offset <= offset)?;
                    field = Some((*s, n as u32));
                    offset -= inner.offset;
                    ty = inner.ty;
                }
                Type::Array { elem, .. } => {
                    offset = offset.checked_rem(self.size_of(*elem))?;
                    ty = *elem;
                }
                Type::Int { .. } | Type::Float(_) | Type::Pointer(_) => {
                    return Some(Part {
                        ty,
                        field,
                        within: offset,
                    });
                }
                _ => return None,
            }
        }
    }

    /// The outermost union that has the byte at this offset, and the byte's distance from its first.
    pub fn union_at(&self, mut ty: TypeId, mut offset: u64) -> Option<(StructId, u64)> {
        loop {
            match self.lookup(ty)? {
                Type::Struct(s) => {
                    let definition = self.structs.get(*s)?;
                    if definition.union {
                        return Some((*s, offset));
                    }
                    let inner = definition.fields.iter().rev();
                    let inner = inner.into_iter().find(|f| f.offset <= offset)?;
                    offset -= inner.offset;
                    ty = inner.ty;
                }
                Type::Array { elem, .. } => {
                    offset = offset.checked_rem(self.size_of(*elem))?;
                    ty = *elem;
                }
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::types::{Field, StructDef, Type, TypeId, TypeTable};

    /// `struct { int a; struct { char c; short d[3]; } b[2]; }`, and a union of two.
    #[test]
    fn parts_are_found_through_arrays_and_structs() {
        let mut types = TypeTable::default();
        let name = crate::Symbol(0);
        let field = |ty, offset| Field {
            name,
            ty,
            offset,
            bits: None,
        };
        let define = |types: &mut TypeTable, union, size, fields| {
            let id = types.structs.push(StructDef {
                name,
                union,
                size,
                align: 4,
                fields,
                complete: true,
            });
            (id, types.intern(Type::Struct(id)))
        };
        let shorts = types.array_of(TypeId::I16, 3);
        let inner_fields = vec![field(TypeId::I8, 0), field(shorts, 2)];
        let (inner, inner_ty) = define(&mut types, false, 8, inner_fields);
        let pair = types.array_of(inner_ty, 2);
        let outer_fields = vec![field(TypeId::I32, 0), field(pair, 4)];
        let (outer, outer_ty) = define(&mut types, false, 20, outer_fields);
        let parts = [
            (0, TypeId::I32, (outer, 0), 0),
            (3, TypeId::I32, (outer, 0), 3),
            (4, TypeId::I8, (inner, 0), 0),
            (8, TypeId::I16, (inner, 1), 0),
            (17, TypeId::I16, (inner, 1), 1),
        ];
        for (offset, ty, field, within) in parts {
            let part = types.part_at(outer_ty, offset).unwrap();
            assert_eq!(
                (part.ty, part.field, part.within),
                (ty, Some(field), within)
            );
        }
        let plain = types.part_at(shorts, 4).unwrap();
        assert_eq!((plain.ty, plain.field), (TypeId::I16, None));
        let either = vec![field(TypeId::I32, 0), field(TypeId::F32, 0)];
        let (union, union_ty) = define(&mut types, true, 4, either);
        assert_eq!(types.part_at(union_ty, 0), None);
        let tagged = vec![field(TypeId::I32, 0), field(union_ty, 4)];
        let (_, tagged_ty) = define(&mut types, false, 8, tagged);
        assert_eq!(types.part_at(tagged_ty, 6), None);
        assert_eq!(types.union_at(tagged_ty, 6), Some((union, 2)));
        assert_eq!(types.union_at(tagged_ty, 2), None);
        assert_eq!(types.part_at(TypeId::VOID, 0), None);
    }
}
