//! getelementptr: address arithmetic as fields and elements.
//!
//! Each index steps into the source type of what is pointed to (see [`super::address`]). An index
//! is an integer at its mathematical value, so the widening that LLVM needs is dropped.

use super::FunctionLowering;
use super::address::covers;
use super::values::Val;
use crate::llvm::{Ty, TyKind, Value, ValueKind};
use ir::{ExprId, ExprKind, PlaceId, Projection, Type, TypeId};

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn gep(&mut self, gep: Value<'m>) -> Val {
        let base = self.operand_value(gep.operand(0));
        if let Val::Parts(_) = base {
            // A vector of pointers.
            let ty = self.unit.llvm_type(gep.ty());
            return Val::Expr(self.havoc("lanes", ty, ir::HavocReason::Vector));
        }
        if gep.ty().kind() == TyKind::Vector {
            let ty = self.unit.llvm_type(gep.ty());
            return Val::Expr(self.havoc("lanes", ty, ir::HavocReason::Vector));
        }
        let source = gep.gep_source_type();
        if source.kind() == TyKind::Int(8) && gep.operand_count() == 2 {
            return self.byte_gep(gep, base);
        }
        let first = gep.operand(1);
        let mut place = if first.kind() == ValueKind::Int && first.int_bits() == Some(0) {
            match base {
                Val::Storage(p, o) => {
                    let e = self.storage_address(p, o);
                    self.pointed_expr(e)
                }
                base => self.pointed(base),
            }
        } else {
            let index = self.index_operand(first);
            let address = self.element(base, source, index);
            self.pointed(address)
        };
        let mut ty = source;
        for i in 2..gep.operand_count() {
            let index = gep.operand(i);
            if ty.kind() == TyKind::Struct {
                let k = index.int_bits().unwrap_or(0) as u32;
                let offset = self.unit.module.offset_of(ty, k);
                let field = ty.field(k);
                let last = i + 1 == gep.operand_count();
                match self.field_at(place, offset, field, ty) {
                    Some(p) => place = p,
                    None if last => return Val::Storage(place, offset),
                    None => {
                        let e = self.storage_address(place, offset);
                        let to = self.unit.llvm_type(field);
                        let to = self.unit.program.types.pointer_to(to);
                        let e = self.cast(e, to);
                        place = self.deref(e);
                    }
                }
                ty = field;
            } else {
                let index = self.index_operand(index);
                let array = self.fit(place, ty);
                // `fit` may have found an array of other element type but equal size.
                place = match self.unit.program.types.get(self.b.place_ref(array).ty) {
                    Type::Array { .. } => self.b.index(&self.unit.program.types, array, index),
                    _ => {
                        let as_array = self.unit.llvm_type(ty);
                        let p = self.b.reinterpret(array, as_array);
                        self.b.index(&self.unit.program.types, p, index)
                    }
                };
                ty = ty.element();
            }
        }
        Val::Address(place)
    }

    /// The field of a place at an offset; `None` if the source has none there (a bit-field's
    /// storage unit, padding).
    fn field_at(
        &mut self,
        place: PlaceId,
        offset: u64,
        field: Ty<'m>,
        owner: Ty<'m>,
    ) -> Option<PlaceId> {
        let source = self.b.place_ref(place).ty;
        if let Some(path) = self.find_at(source, offset, field, 0)
            && !path.is_empty()
        {
            return Some(self.follow(place, &path));
        }
        // A base class in its form without tail padding, or a field that LLVM sees as something
        // else: the field that starts there, if there is exactly one.
        let def = self.unit.program.types.as_struct(source);
        if let Some(def) = def {
            let mut starts = def
                .fields
                .iter()
                .enumerate()
                .filter(|(_, f)| f.offset == offset && f.bits.is_none());
            if let (Some((i, f)), None) = (starts.next(), starts.next())
                && !self.unit.program.types.is_scalar(f.ty)
                && field.is_aggregate()
            {
                return Some(self.b.field(&self.unit.program.types, place, i as u32));
            }
            if def.fields.iter().any(|f| {
                f.bits.is_some()
                    && covers(f.offset, f.bits, offset, self.unit.module.size_of(field))
            }) {
                return None;
            }
        }
        // No source type to speak of: LLVM's.
        let as_llvm = self.unit.llvm_type(owner);
        if as_llvm == source {
            return None;
        }
        let place = self.reinterpret(place, as_llvm);
        let path = self.find_at(as_llvm, offset, field, 0)?;
        Some(self.follow(place, &path))
    }

    /// An index at its mathematical value: widening changes nothing.
    fn index_operand(&mut self, v: Value<'m>) -> ExprId {
        let e = self.operand(v);
        self.strip_widening(e)
    }

    pub(super) fn strip_widening(&mut self, e: ExprId) -> ExprId {
        if let ExprKind::Cast(inner) = *self.b.kind(e)
            && let (Some((w, s)), Some((iw, is))) = (self.int_type(e), self.int_type(inner))
            && (w > iw && (s || !is) || w == iw && s == is)
            && iw > 1
        {
            return inner;
        }
        e
    }

    /// The address `index` elements of type `elem` behind `base`.
    fn element(&mut self, base: Val, elem: Ty<'m>, index: ExprId) -> Val {
        let size = self.unit.module.size_of(elem);
        if let Val::Address(place) = base {
            // `&a[0] + i` is `&a[i]`.
            let p = self.b.place_ref(place).clone();
            if let Some(Projection::Index(zero)) = p.projections.last()
                && matches!(self.b.kind(*zero), ExprKind::Int(0))
                && self.unit.program.types.size_of(p.ty) == size
            {
                let mut q = p;
                q.projections.pop();
                q.projections.push(Projection::Index(index));
                return Val::Address(self.b.place(q));
            }
        }
        if let Val::Address(place) = base {
            // An array's address is that of its first element.
            let types = &self.unit.program.types;
            if let Type::Array { elem, .. } = *types.get(self.b.place_ref(place).ty)
                && types.size_of(elem) == size
            {
                return Val::Address(self.b.index(types, place, index));
            }
        }
        let e = self.expr_of(base);
        let e = if self.is_pointer(self.b.type_of(e)) {
            e
        } else {
            self.cast(e, TypeId::VOID_PTR)
        };
        let e = if self.unit.program.types.stride(self.b.type_of(e)) == size {
            e
        } else {
            let to = self.unit.llvm_type(elem);
            let to = self.unit.program.types.pointer_to(to);
            self.cast(e, to)
        };
        Val::Expr(self.b.ptr_add(e, index))
    }

    /// Byte arithmetic: `char *` of the source, or an offset that clang computed.
    fn byte_gep(&mut self, gep: Value<'m>, base: Val) -> Val {
        let index = gep.operand(1);
        if let (ValueKind::Int, Some(offset)) = (index.kind(), index.int_bits())
            && let Val::Address(place) = base
            && offset < 1 << 32
        {
            // A constant offset into an object: a field there, if it is unambiguous.
            let ty = self.b.place_ref(place).ty;
            if let Some(p) = self.unique_field(place, ty, offset as u64) {
                return Val::Address(p);
            }
            // What is there depends on the type of the access.
            if (offset as u64) < self.unit.program.types.size_of(ty) {
                return Val::Storage(place, offset as u64);
            }
        }
        let index = self.index_operand(index);
        let base = match base {
            Val::Storage(p, o) => Val::Expr(self.storage_address(p, o)),
            other => other,
        };
        self.element(base, gep.gep_source_type(), index)
    }

    fn unique_field(&mut self, place: PlaceId, ty: TypeId, offset: u64) -> Option<PlaceId> {
        let def = self.unit.program.types.as_struct(ty)?;
        if def.union {
            return None;
        }
        let mut at = def
            .fields
            .iter()
            .enumerate()
            .filter(|(_, f)| f.offset == offset && f.bits.is_none());
        let (i, _) = at.next()?;
        if at.next().is_some() {
            return None;
        }
        Some(self.b.field(&self.unit.program.types, place, i as u32))
    }
}
