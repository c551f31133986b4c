//! Initial values of globals: LLVM constants into bytes and relocations.

use crate::llvm::{Opcode, TyKind, Value, ValueKind};
use crate::unit::UnitLowering;
use ir::{Init, Relocation, Target};

/// Lays out a constant as an object file would.
pub fn lower<'m>(unit: &UnitLowering<'m>, constant: Value<'m>) -> Init {
    let mut init = Init::default();
    write(unit, constant, 0, &mut init);
    let end = init
        .bytes
        .iter()
        .rposition(|&b| b != 0)
        .map_or(0, |i| i + 1);
    init.bytes.truncate(end);
    init
}

fn put(init: &mut Init, at: u64, bytes: &[u8]) {
    if bytes.iter().all(|&b| b == 0) {
        return; // zero is what a missing byte means
    }
    let end = at as usize + bytes.len();
    if init.bytes.len() < end {
        init.bytes.resize(end, 0);
    }
    init.bytes[at as usize..end].copy_from_slice(bytes);
}

fn write<'m>(unit: &UnitLowering<'m>, c: Value<'m>, at: u64, init: &mut Init) {
    if c.is_null_constant() {
        return;
    }
    let ty = c.ty();
    let size = unit.module.size_of(ty);
    match c.kind() {
        ValueKind::Int => match c.int_bits() {
            Some(bits) => put(init, at, &bits.to_le_bytes()[..size.min(16) as usize]),
            None => init.unknown.push((at, size)),
        },
        ValueKind::Float => match c.float_bits() {
            Some(bits) => put(init, at, &bits.to_le_bytes()[..size.min(16) as usize]),
            None => init.unknown.push((at, size)),
        },
        ValueKind::Aggregate => {
            if let Some(bytes) = c.string_bytes() {
                put(init, at, bytes);
                return;
            }
            let structure = ty.kind() == TyKind::Struct;
            let step = if structure {
                0
            } else {
                unit.module.size_of(ty.element())
            };
            for i in 0..ty.len() {
                let offset = if structure {
                    unit.module.offset_of(ty, i as u32)
                } else {
                    step * i
                };
                if let Some(e) = c.element(i as u32) {
                    write(unit, e, at + offset, init);
                }
            }
        }
        ValueKind::Undef | ValueKind::Poison => {}
        _ => match (address(unit, c), number(unit, c)) {
            (Some((target, addend)), _) => init.relocations.push(Relocation {
                offset: at,
                target,
                addend,
            }),
            (None, Some(n)) => put(init, at, &n.to_le_bytes()[..size.min(8) as usize]),
            (None, None) => init.unknown.push((at, size)),
        },
    }
}

/// A constant expression that is a number: a vtable's offsets, which are pointers by type, and the
/// distance of two labels, which lie one apart (see `ir::ExprKind::Label`).
fn number<'m>(unit: &UnitLowering<'m>, c: Value<'m>) -> Option<i64> {
    if let (ValueKind::Int, TyKind::Int(width)) = (c.kind(), c.ty().kind()) {
        let width = u16::try_from(width).ok().filter(|&w| w <= 64)?;
        return Some(ir::expr::int_value(c.int_bits()?, width, true) as i64);
    }
    if c.kind() != ValueKind::Expression {
        return None;
    }
    match c.opcode() {
        Opcode::LLVMIntToPtr | Opcode::LLVMTrunc => number(unit, c.operand(0)),
        Opcode::LLVMSub => {
            let position = |v| match address(unit, v)? {
                (Target::Label(f, k), addend) => {
                    Some((Target::Label(f, 0), addend.checked_add(i64::from(k))?))
                }
                other => Some(other),
            };
            let (a, b) = (position(c.operand(0))?, position(c.operand(1))?);
            (a.0 == b.0).then(|| a.1.checked_sub(b.1))?
        }
        _ => None,
    }
}

/// A constant address as an object and an offset into it.
pub fn address<'m>(unit: &UnitLowering<'m>, c: Value<'m>) -> Option<(Target, i64)> {
    if let Some(&f) = unit.functions.get(&c) {
        return Some((Target::Function(f), 0));
    }
    if let Some(&g) = unit.globals.get(&c) {
        return Some((Target::Global(g), 0));
    }
    match c.kind() {
        ValueKind::BlockAddress => {
            let (_, block) = c.block_address()?;
            let &(f, k) = unit.labels.get(&block)?;
            Some((Target::Label(f, k), 0))
        }
        ValueKind::Expression => match c.opcode() {
            Opcode::LLVMGetElementPtr => {
                let (target, base) = address(unit, c.operand(0))?;
                Some((target, base.checked_add(gep_offset(unit, c)?)?))
            }
            Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => address(unit, c.operand(0)),
            Opcode::LLVMPtrToInt if unit.module.size_of(c.ty()) == 8 => address(unit, c.operand(0)),
            Opcode::LLVMIntToPtr if c.operand(0).kind() == ValueKind::Expression => {
                address(unit, c.operand(0))
            }
            Opcode::LLVMAdd | Opcode::LLVMSub => {
                let (target, base) = address(unit, c.operand(0))?;
                let by = c.operand(1).int_bits()? as u64 as i64;
                let sum = if c.opcode() == Opcode::LLVMAdd {
                    base.checked_add(by)
                } else {
                    base.checked_sub(by)
                };
                Some((target, sum?))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Byte offset of a getelementptr with constant indices.
pub fn gep_offset<'m>(unit: &UnitLowering<'m>, gep: Value<'m>) -> Option<i64> {
    let mut ty = gep.gep_source_type();
    let mut offset: i64 = 0;
    for i in 1..gep.operand_count() {
        let index = gep.operand(i);
        if index.kind() != ValueKind::Int {
            return None;
        }
        let TyKind::Int(width) = index.ty().kind() else {
            return None;
        };
        let value = ir::expr::int_value(index.int_bits()?, width as u16, true) as i64;
        if i == 1 {
            offset = offset.checked_add(value.checked_mul(unit.module.size_of(ty) as i64)?)?;
        } else if ty.kind() == TyKind::Struct {
            offset = offset.checked_add(unit.module.offset_of(ty, value as u32) as i64)?;
            ty = ty.field(value as u32);
        } else {
            ty = ty.element();
            offset = offset.checked_add(value.checked_mul(unit.module.size_of(ty) as i64)?)?;
        }
    }
    Some(offset)
}
