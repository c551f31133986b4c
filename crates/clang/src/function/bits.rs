//! Bit-fields: masks and shifts on a storage unit, folded back into fields.
//!
//! A read is `load unit`, shifted and masked; a write is `load unit`, the field's bits cleared,
//! the new ones or-ed in, stored. Reads are followed symbolically (a [`Piece`] of the unit) until
//! the value is used; writes are recognised as a whole at the store. What is recognised names a
//! field of the source; the rest is read and written as raw bytes, exactly as LLVM does it.

use super::FunctionLowering;
use super::values::Val;
use crate::llvm::{Opcode, Ty, TyKind, Value, ValueKind};
use ir::{ExprId, ExprKind, PlaceId, Projection, TypeId};

/// Bits `first .. first + count` of the storage unit at `place + offset`, extended to a value of
/// LLVM width `width`; `left` while they stand at the upper end (between shl and ashr).
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub place: PlaceId,
    offset: u64,
    unit_width: u16,
    first: u16,
    count: u16,
    width: u16,
    signed: bool,
    left: bool,
}

impl<'m> FunctionLowering<'_, 'm> {
    /// A load whose address is a struct as a whole, of the size of a bit-field's storage unit.
    pub(super) fn load_bit_field(&mut self, place: PlaceId, ty: Ty<'m>) -> Option<Val> {
        if !matches!(ty.kind(), TyKind::Int(_)) || !self.starts_with_bits(place, ty) {
            return None;
        }
        Some(self.load_storage(place, 0, ty))
    }

    fn starts_with_bits(&self, place: PlaceId, ty: Ty<'m>) -> bool {
        let types = &self.unit.program.types;
        let Some(def) = types.as_struct(self.b.place_ref(place).ty) else {
            return false;
        };
        let plain = def.fields.iter().any(|f| f.offset == 0 && f.bits.is_none());
        let size = self.unit.module.size_of(ty);
        !plain
            && def
                .fields
                .iter()
                .any(|f| f.bits.is_some() && f.offset < size)
    }

    pub(super) fn load_storage(&mut self, place: PlaceId, offset: u64, ty: Ty<'m>) -> Val {
        match ty.kind() {
            TyKind::Int(w) if w <= 128 => {
                let width = w as u16;
                Val::Bits(Piece {
                    place,
                    offset,
                    unit_width: width,
                    first: 0,
                    count: width,
                    width,
                    signed: false,
                    left: false,
                })
            }
            _ => {
                let p = self.raw_unit(place, offset, ty);
                self.load_place(p, ty)
            }
        }
    }

    fn raw_unit(&mut self, place: PlaceId, offset: u64, ty: Ty<'m>) -> PlaceId {
        let wanted = self.unit.llvm_type(ty);
        self.raw_unit_of(place, offset, wanted)
    }

    fn raw_unit_of(&mut self, place: PlaceId, offset: u64, wanted: TypeId) -> PlaceId {
        if offset == 0 {
            return self.b.reinterpret(place, wanted);
        }
        let e = self.storage_address(place, offset);
        let to = self.unit.program.types.pointer_to(wanted);
        let e = self.cast(e, to);
        self.deref(e)
    }

    /// Follows an operation on a piece, if it only selects bits.
    pub(super) fn bits_op(&mut self, inst: Value<'m>) -> Option<Val> {
        let operand = inst.operand(0);
        let piece = match self.values.get(&operand) {
            Some(&Val::Bits(piece)) => piece,
            _ => return None,
        };
        let by = inst.operand(1);
        if by.kind() != ValueKind::Int {
            return None;
        }
        let amount = by.int_bits()?;
        let mut p = piece;
        match inst.opcode() {
            Opcode::LLVMLShr if !p.left && amount < u128::from(p.count) && !p.signed => {
                p.first += amount as u16;
                p.count -= amount as u16;
            }
            Opcode::LLVMShl if !p.left && p.count == p.width && amount < u128::from(p.count) => {
                p.count -= amount as u16;
                p.left = true;
            }
            Opcode::LLVMAShr if p.left && amount < u128::from(p.width) => {
                let stands_at = p.width - p.count;
                let amount = amount as u16;
                if amount < stands_at {
                    return None;
                }
                p.first += amount - stands_at;
                p.count -= amount - stands_at;
                p.left = false;
                p.signed = true;
            }
            Opcode::LLVMAShr
                if p.count == p.width && p.first == 0 && amount < u128::from(p.count) =>
            {
                p.first += amount as u16;
                p.count -= amount as u16;
                p.signed = true;
            }
            Opcode::LLVMAnd if !p.left && !p.signed && (amount + 1).is_power_of_two() => {
                p.count = p.count.min(amount.trailing_ones() as u16);
            }
            _ => return None,
        }
        let _ = self.operand_value(operand); // one use of it
        Some(Val::Bits(p))
    }

    /// The piece as an expression: a field if the source has one there, else the raw bits.
    pub(super) fn bits_expr(&mut self, p: Piece) -> ExprId {
        let value_type = self.unit.program.types.int(p.width, p.signed);
        if !p.left
            && let Some(field) = self.bit_field(p.place, p.offset, p.first, p.count)
        {
            let e = self.b.load(field);
            return self.cast(e, value_type);
        }
        let unit_type = self.unit.program.types.int(p.unit_width, false);
        let unit = self.raw_unit_of(p.place, p.offset, unit_type);
        let mut e = self.b.load(unit);
        let unit_width = p.unit_width;
        let shift = |s: &mut Self, e: ExprId, op: ir::BinaryOp, by: u16| {
            if by == 0 {
                return e;
            }
            let ty = s.b.type_of(e);
            let by = s.int(i128::from(by), ty);
            s.b.binary(op, e, by)
        };
        if p.left {
            return shift(self, e, ir::BinaryOp::Shl, unit_width - p.count);
        }
        // To the upper end and back: extends by the sign of the type.
        e = shift(self, e, ir::BinaryOp::Shl, unit_width - p.first - p.count);
        e = self.with_sign(e, p.signed);
        e = shift(self, e, ir::BinaryOp::Shr, unit_width - p.count);
        self.cast(e, value_type)
    }

    /// The field that is exactly these bits of the unit.
    fn bit_field(
        &mut self,
        place: PlaceId,
        offset: u64,
        first: u16,
        count: u16,
    ) -> Option<PlaceId> {
        let at = offset * 8 + u64::from(first);
        let def = self
            .unit
            .program
            .types
            .as_struct(self.b.place_ref(place).ty)?;
        let i = def.fields.iter().position(|f| {
            f.bits
                .is_some_and(|(lo, n)| f.offset * 8 + u64::from(lo) == at && n == count)
        })?;
        Some(self.b.field(&self.unit.program.types, place, i as u32))
    }

    /// A store whose address is a struct as a whole, into its first storage unit.
    pub(super) fn store_bit_field(&mut self, inst: Value<'m>, place: PlaceId) -> bool {
        let ty = inst.operand(0).ty();
        if !matches!(ty.kind(), TyKind::Int(_)) || !self.starts_with_bits(place, ty) {
            return false;
        }
        self.store_storage(inst, place, 0);
        true
    }

    pub(super) fn store_storage(&mut self, inst: Value<'m>, place: PlaceId, offset: u64) {
        let (value, pointer) = (inst.operand(0), inst.operand(1));
        let ty = value.ty();
        if let TyKind::Int(w) = ty.kind() {
            if let Some((first, count, new)) = self.field_update(value, pointer, w as u16)
                && let Some(field) = self.bit_field(place, offset, first, count)
            {
                let e = match new {
                    Some(v) => {
                        // The mask that cuts the value to the field is what the assignment does.
                        let cut = if is(v, Opcode::LLVMAnd) && self.is_mask(v.operand(1), count) {
                            v.operand(0)
                        } else {
                            v
                        };
                        self.operand(cut)
                    }
                    None => self.int(0, TypeId::I32),
                };
                let e = match self.b.kind(e) {
                    // A constant stands at the field's position in the unit.
                    ExprKind::Int(bits) if new.is_some_and(|v| v.kind() == ValueKind::Int) => {
                        let shifted = (*bits >> first) as i128;
                        self.int(shifted, TypeId::I128)
                    }
                    _ => e,
                };
                let to = self.b.place_ref(field).ty;
                let e = self.constant_of_field(e, to, count);
                let _ = self.operand_value(value); // used here, as a whole
                self.assign(field, e);
                return;
            }
            if let Some(field) = self.bit_field(place, offset, 0, w as u16) {
                let e = self.operand(value);
                let to = self.b.place_ref(field).ty;
                let e = self.cast(e, to);
                self.assign(field, e);
                return;
            }
        }
        let v = self.operand_value(value);
        let unit = self.raw_unit(place, offset, ty);
        self.store_place(unit, ty, v);
    }

    /// Casts to the field's type; a constant is read with the field's own width and sign, so
    /// that `x.f = -1` does not print as 7.
    fn constant_of_field(&mut self, e: ExprId, to: TypeId, count: u16) -> ExprId {
        if let (&ExprKind::Int(bits), Some((_, signed))) =
            (self.b.kind(e), self.unit.program.types.as_int(to))
        {
            return self.int(ir::expr::int_value(bits, count, signed), to);
        }
        // Only the low bits are kept: casts that keep these are not needed.
        let mut e = e;
        while let ExprKind::Cast(inner) = *self.b.kind(e)
            && self.int_type(inner).is_some_and(|(w, _)| w >= count)
            && self.int_type(e).is_some_and(|(w, _)| w >= count)
        {
            e = inner;
        }
        self.cast(e, to)
    }

    /// (bits, signed) of the bit-field that an expression loads.
    pub(super) fn bit_field_width(&self, e: ExprId) -> Option<(u16, bool)> {
        let ExprKind::Load(place) = *self.b.kind(e) else { return None };
        let p = self.b.place_ref(place);
        let Some(Projection::Field(f)) = p.projections.last() else { return None };
        let owner = self.b.place_owner(&self.unit.program.types, &self.unit.program.globals, place)?;
        let (_, bits) = self.unit.program.types.as_struct(owner)?.fields.get(*f as usize)?.bits?;
        Some((bits, self.unit.program.types.as_int(p.ty)?.1))
    }

    fn is_mask(&self, v: Value<'m>, count: u16) -> bool {
        v.kind() == ValueKind::Int && v.int_bits().is_some_and(|m| m == ir::expr::mask(!0, count))
    }

    /// Recognises `(unit & ~mask) | (new << first)`: (first, count, new), `new` absent for 0.
    /// A constant `new` is still shifted.
    fn field_update(
        &self,
        value: Value<'m>,
        pointer: Value<'m>,
        width: u16,
    ) -> Option<(u16, u16, Option<Value<'m>>)> {
        let (clear, new) = if is(value, Opcode::LLVMOr) {
            (value.operand(0), Some(value.operand(1)))
        } else {
            (value, None)
        };
        if !is(clear, Opcode::LLVMAnd) {
            return None;
        }
        let unit = clear.operand(0);
        if !is(unit, Opcode::LLVMLoad) || unit.operand(0) != pointer {
            return None;
        }
        let keep = clear.operand(1);
        if keep.kind() != ValueKind::Int {
            return None;
        }
        let hole = ir::expr::mask(!keep.int_bits()?, width);
        let first = hole.trailing_zeros() as u16;
        let count = (hole >> first).trailing_ones() as u16;
        if hole == 0 || hole >> first != ir::expr::mask(!0, count) {
            return None;
        }
        let new = match new {
            Some(v) if v.kind() != ValueKind::Int && first > 0 => {
                if !is(v, Opcode::LLVMShl) || v.operand(1).int_bits() != Some(u128::from(first)) {
                    return None;
                }
                Some(v.operand(0))
            }
            other => other,
        };
        Some((first, count, new))
    }
}

fn is(v: Value<'_>, opcode: Opcode) -> bool {
    v.kind() == ValueKind::Instruction && v.opcode() == opcode
}
