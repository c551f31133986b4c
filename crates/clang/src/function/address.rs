//! Loads and stores, resolved within source types.
//!
//! LLVM computes addresses from its own struct types and byte offsets. Here each step is
//! resolved in the *source* type of what is pointed to: the field at that offset with a fitting
//! representation. Unions need no special case (several fields at offset 0; the first that fits
//! is as good as any, the bytes are the same), nor do base classes (a field). What does not fit
//! is read at the LLVM type (`as`).

use super::FunctionLowering;
use super::values::Val;
use crate::llvm::{Opcode, Ty, TyKind, Value, ValueKind};
use ir::{ExprId, ExprKind, Intrinsic, PlaceId, Projection, Stmt, Type, TypeId};

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn load(&mut self, inst: Value<'m>) {
        let ty = inst.ty();
        let v = match self.operand_value(inst.operand(0)) {
            Val::Storage(place, offset) => match self.part_at(place, offset, ty) {
                Some(part) => self.load_place(part, ty),
                None => self.load_storage(place, offset, ty),
            },
            address => {
                let place = self.pointed(address);
                if ty.kind() == TyKind::Vector || is_transfer(inst) {
                    self.load_bytes(place, ty)
                } else {
                    self.load_place(place, ty)
                }
            }
        };
        let v = match v {
            // Of a variable that nobody else knows, what was put there comes back. What is atomic other threads write.
            Val::Expr(e) if (inst.is_volatile() || inst.is_atomic()) && self.reads_of(e).memory => {
                let ty = self.b.type_of(e);
                let read = self.b.intrinsic(Intrinsic::Volatile, &[e], ty);
                Val::Expr(self.save(&inst.name(), read))
            }
            v => v,
        };
        self.define(inst, v);
    }

    /// Like `load_place`, where the value is only moved, set or not.
    fn load_bytes(&mut self, place: PlaceId, ty: Ty<'m>) -> Val {
        if ty.is_aggregate() && ty.kind() != TyKind::Array && ty.len() <= 16 {
            let mut parts = Vec::new();
            for i in 0..ty.len() as u32 {
                let part = self.part_place(place, ty, i);
                parts.push(self.load_bytes(part, Self::part_type(ty, i)));
            }
            return Val::Parts(parts);
        }
        match self.load_place(place, ty) {
            Val::Expr(e) => match *self.b.kind(e) {
                ExprKind::Load(p) => {
                    let bytes = self.b.as_bytes(p);
                    Val::Expr(self.b.load(bytes))
                }
                _ => Val::Expr(e),
            },
            v => v,
        }
    }

    /// The value of LLVM type `ty` at a place.
    pub(super) fn load_place(&mut self, place: PlaceId, ty: Ty<'m>) -> Val {
        if let Some(v) = self.load_bit_field(place, ty) {
            return v;
        }
        if ty.is_aggregate() && ty.len() <= 16 && ty.kind() != TyKind::Array {
            return self.load_parts(place, ty);
        }
        let fitted = self.fit(place, ty);
        let e = self.b.load(fitted);
        // A bool is a byte in memory.
        if ty.kind() == TyKind::Int(8) && self.b.type_of(e) == TypeId::BOOL {
            return Val::Expr(self.cast(e, TypeId::U8));
        }
        Val::Expr(e)
    }

    pub(super) fn store(&mut self, inst: Value<'m>) {
        let (value, pointer) = (inst.operand(0), inst.operand(1));
        if matches!(value.kind(), ValueKind::Undef) {
            return;
        }
        match self.operand_value(pointer) {
            Val::Storage(place, offset) => match self.part_at(place, offset, value.ty()) {
                Some(part) => {
                    let v = self.operand_value(value);
                    self.store_place(part, value.ty(), v);
                }
                None => self.store_storage(inst, place, offset),
            },
            address => {
                let place = self.pointed(address);
                if self.store_bit_field(inst, place) {
                    return;
                }
                let v = self.operand_value(value);
                self.store_place(place, value.ty(), v);
            }
        }
    }

    pub(super) fn store_place(&mut self, place: PlaceId, ty: Ty<'m>, v: Val) {
        if let Val::Parts(parts) = v {
            self.store_parts(place, ty, parts);
            return;
        }
        let e = self.expr_of(v);
        if matches!(self.b.kind(e), ExprKind::Undef) {
            return;
        }
        let mut fitted = self.fit(place, ty);
        let own = self.b.type_of(e);
        if !self.unit.program.types.is_scalar(own) && self.b.place_ref(fitted).ty != own {
            fitted = self.b.reinterpret(fitted, own);
        }
        let value = self.convert(e, self.b.place_ref(fitted).ty);
        self.assign(fitted, value);
    }

    /// The same value at another type of the same representation. Pointers need none.
    pub(super) fn convert(&mut self, e: ExprId, to: TypeId) -> ExprId {
        if let ExprKind::Null = self.b.kind(e) {
            return if self.is_pointer(to) {
                self.b.null(to)
            } else {
                e
            };
        }
        if self.is_pointer(to) && self.is_pointer(self.b.type_of(e)) {
            return self.decay(e, to);
        }
        if !self.unit.program.types.is_scalar(to) {
            return e;
        }
        self.cast(e, to)
    }

    /// An array's address where a pointer to its elements is wanted: `&a[0]`.
    fn decay(&mut self, e: ExprId, to: TypeId) -> ExprId {
        let types = &self.unit.program.types;
        if let ExprKind::AddrOf(place) = *self.b.kind(e)
            && let Type::Array { elem, .. } = *types.get(self.b.place_ref(place).ty)
            && types.pointee(to) == Some(elem)
        {
            let zero = self.int(0, TypeId::I64);
            let first = self.b.index(&self.unit.program.types, place, zero);
            return self.addr_of(first);
        }
        e
    }

    /// The place that an address denotes.
    pub(super) fn pointed(&mut self, address: Val) -> PlaceId {
        match address {
            Val::Address(place) => place,
            other => {
                let e = self.expr_of(other);
                self.pointed_expr(e)
            }
        }
    }

    pub(super) fn pointed_expr(&mut self, e: ExprId) -> PlaceId {
        let e = if self.is_pointer(self.b.type_of(e)) {
            e
        } else {
            self.cast(e, TypeId::VOID_PTR)
        };
        self.deref(e)
    }

    /// The part of a place at an offset that is held as this LLVM type.
    pub(super) fn part_at(&mut self, place: PlaceId, offset: u64, ty: Ty<'m>) -> Option<PlaceId> {
        let source = self.b.place_ref(place).ty;
        let path = self.find_at(source, offset, ty, 0)?;
        Some(self.follow(place, &path))
    }

    /// The part of a place that is held as this LLVM type; the place reinterpreted if none is.
    pub(super) fn fit(&mut self, place: PlaceId, ty: Ty<'m>) -> PlaceId {
        if let Some(part) = self.part_at(place, 0, ty) {
            return part;
        }
        let wanted = self.unit.llvm_type(ty);
        self.reinterpret(place, wanted)
    }

    /// `*(T *)p` where the place is what a pointer points to, `place as T` elsewhere.
    pub(super) fn reinterpret(&mut self, place: PlaceId, ty: TypeId) -> PlaceId {
        let p = self.b.place_ref(place);
        if p.ty == ty {
            return place;
        }
        if let (ir::Base::Deref(e), true) = (p.base, p.projections.is_empty()) {
            let pointer = self.unit.program.types.pointer_to(ty);
            let cast = self.cast(e, pointer);
            return self.deref(cast);
        }
        self.b.reinterpret(place, ty)
    }

    pub(super) fn follow(&mut self, place: PlaceId, path: &[Projection]) -> PlaceId {
        let mut at = place;
        for step in path {
            at = match *step {
                Projection::Field(f) => self.b.field(&self.unit.program.types, at, f),
                Projection::Index(i) => self.b.index(&self.unit.program.types, at, i),
                Projection::As(t) => self.b.reinterpret(at, t),
            };
        }
        at
    }

    /// Steps from a type to its part at a byte offset that is held as this LLVM type.
    pub(super) fn find_at(
        &mut self,
        source: TypeId,
        offset: u64,
        ty: Ty<'m>,
        depth: u32,
    ) -> Option<Vec<Projection>> {
        if offset == 0 && self.same_representation(source, ty) {
            return Some(Vec::new());
        }
        if depth > 16 {
            return None;
        }
        match *self.unit.program.types.get(source) {
            Type::Struct(s) => {
                let count = self.unit.program.types.structs[s].fields.len();
                for i in 0..count {
                    let f = &self.unit.program.types.structs[s].fields[i];
                    let (at, fty, bits) = (f.offset, f.ty, f.bits);
                    let size = self.unit.program.types.size_of(fty);
                    if bits.is_some() || offset < at || offset >= at + size.max(1) {
                        continue;
                    }
                    if let Some(mut path) = self.find_at(fty, offset - at, ty, depth + 1) {
                        path.insert(0, Projection::Field(i as u32));
                        return Some(path);
                    }
                }
                None
            }
            Type::Array { elem, .. } => {
                let size = self.unit.program.types.size_of(elem);
                let index = offset.checked_div(size)?;
                let mut path = self.find_at(elem, offset - index * size, ty, depth + 1)?;
                let index = self.int(i128::from(index), TypeId::I64);
                path.insert(0, Projection::Index(index));
                Some(path)
            }
            _ => None,
        }
    }

    /// Scalars: the same kind and width. Aggregates: the same size, and both aggregates.
    fn same_representation(&self, source: TypeId, ty: Ty<'m>) -> bool {
        if self.unit.represents(ty, source) {
            return true;
        }
        let types = &self.unit.program.types;
        match types.get(source) {
            Type::Struct(_) | Type::Opaque { .. } => {
                ty.is_aggregate() && types.size_of(source) == self.unit.module.size_of(ty)
            }
            &Type::Array { elem, len } => {
                ty.is_aggregate()
                    && ty.kind() != TyKind::Struct
                    && len == ty.len()
                    && types.size_of(elem) == self.unit.module.size_of(ty.element())
            }
            _ => false,
        }
    }

    /// The address of the byte at an offset into a place, where the source has no name for it.
    pub(super) fn storage_address(&mut self, place: PlaceId, offset: u64) -> ExprId {
        let e = self.addr_of(place);
        let bytes = self.unit.program.types.pointer_to(TypeId::U8);
        let e = self.cast(e, bytes);
        let offset = self.int(i128::from(offset), TypeId::I64);
        self.b.ptr_add(e, offset)
    }

    /// memcpy of a whole object is an assignment.
    pub(super) fn copy(&mut self, target: Val, source: Val, size: Value<'m>, overlap: bool) {
        let known = if size.kind() == ValueKind::Int {
            size.int_bits()
        } else {
            None
        };
        if let (Val::Storage(..), _) | (_, Val::Storage(..)) = (&target, &source) {
        } else {
            let (to, from) = (self.pointed(target.clone()), self.pointed(source.clone()));
            let (t, s) = (self.b.place_ref(to).ty, self.b.place_ref(from).ty);
            let whole = known == Some(u128::from(self.unit.program.types.size_of(t)));
            if t == s && whole && t != TypeId::VOID && known != Some(0) {
                let value = self.b.load(from);
                self.assign(to, value);
                return;
            }
        }
        let size = self.operand(size);
        self.clobber_target(&target);
        let (target, source) = (self.expr_of(target), self.expr_of(source));
        self.emit(Stmt::Copy {
            target,
            source,
            size,
            overlap,
        });
    }

    /// Saves what a write of any length at this address may change.
    pub(super) fn clobber_target(&mut self, target: &Val) {
        match target {
            Val::Address(place) | Val::Storage(place, _) => self.clobber_place(*place),
            _ => self.clobber_memory(),
        }
    }
}

/// Is this how clang takes a struct apart to pass or return it in registers? It looks at it as an
/// unnamed struct of numbers, or dives to the one number that it consists of. Such a struct may
/// have members that were never set.
fn is_transfer(load: Value<'_>) -> bool {
    let address = load.operand(0);
    address.kind() == ValueKind::Instruction
        && address.opcode() == Opcode::LLVMGetElementPtr
        && (address.name().starts_with("coerce.dive") || {
            // A complex number has this shape too, but its parts have names.
            let shape = address.gep_source_type();
            shape.kind() == TyKind::Struct && shape.name().is_none() && address.name().is_empty()
        })
}

pub(super) fn covers(field: u64, bits: Option<(u16, u16)>, unit: u64, size: u64) -> bool {
    let Some((lo, n)) = bits else { return false };
    let (first, end) = (
        field * 8 + u64::from(lo),
        field * 8 + u64::from(lo) + u64::from(n),
    );
    first < (unit + size) * 8 && unit * 8 < end
}
