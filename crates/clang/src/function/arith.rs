//! Pure instructions: arithmetic, comparisons, conversions.
//!
//! LLVM's integers have no sign; its operators do. Here types have one and operators follow
//! them, as in C. So each operator asks its operands for the signedness it needs; a variable
//! that has it already needs no cast, and the expression reads like the source.

use super::FunctionLowering;
use super::values::Val;
use crate::llvm::{Opcode, Ty, TyKind, Value, ValueKind};
use ir::{BinaryOp, ExprId, ExprKind, HavocReason, Intrinsic, TypeId, UnaryOp};

impl<'m> FunctionLowering<'_, 'm> {
    /// A side-effect-free instruction or constant expression.
    pub(super) fn pure(&mut self, inst: Value<'m>) -> Val {
        if inst.operand_count() >= 2
            && let Some(v) = self.bits_op(inst)
        {
            return v;
        }
        let vector = inst.ty().kind() == TyKind::Vector
            || inst.operand_count() > 0 && inst.operand(0).ty().kind() == TyKind::Vector;
        if vector {
            return self.lanewise(inst);
        }
        if let TyKind::Int(width @ 129..) = inst.ty().kind()
            && let Some(e) = self.small_number(inst, width)
        {
            return Val::Expr(e);
        }
        // Numbers beyond 128 bits: parts of a bit-field update, recognised at its store, or else
        // unknown.
        if let TyKind::Int(129..) = inst.ty().kind()
            && !matches!(inst.opcode(), Opcode::LLVMZExt | Opcode::LLVMSExt)
            && !(matches!(inst.opcode(), Opcode::LLVMAnd | Opcode::LLVMShl)
                && inst.operand(1).int_bits().is_some())
        {
            let ty = self.unit.llvm_type(inst.ty());
            if inst.name().starts_with("bf.") {
                for operand in inst
                    .operands()
                    .filter(|o| o.kind() == ValueKind::Instruction)
                {
                    let _ = self.operand_value(operand); // used here, as a whole
                }
                return Val::Expr(self.b.expr(ExprKind::Undef, ty));
            }
            return Val::Expr(self.havoc("wide", ty, HavocReason::WideInteger));
        }
        let mut args = [None; 3];
        for (i, slot) in args
            .iter_mut()
            .enumerate()
            .take(inst.operand_count() as usize)
        {
            let operand = match i {
                1 => amount(inst),
                _ => inst.operand(i as u32),
            };
            *slot = Some(self.operand(operand));
        }
        match self.apply(inst, args, inst.ty()) {
            Some(e) => Val::Expr(e),
            None => {
                let ty = self.unit.llvm_type(inst.ty());
                let name = format!("{:?}", inst.opcode());
                let reason =
                    HavocReason::Instruction(self.unit.symbol(name.trim_start_matches("LLVM")));
                Val::Expr(self.havoc("unknown", ty, reason))
            }
        }
    }

    /// What is assigned to a bit-field of a unit beyond 128 bits is itself a small number, and is
    /// computed as one: cut by a mask, then extended by its sign with a pair of shifts.
    fn small_number(&mut self, inst: Value<'m>, width: u32) -> Option<ExprId> {
        if inst.operand_count() != 2 || inst.operand(1).kind() != ValueKind::Int {
            return None;
        }
        let by = u64::try_from(inst.operand(1).int_bits()?).ok()?;
        let small = match inst.opcode() {
            Opcode::LLVMAnd => {
                let e = self.narrowed(inst.operand(0))?;
                let mask = self.int(i128::from(by), TypeId::U64);
                self.b.binary(BinaryOp::And, e, mask)
            }
            // The other half of the pair does it.
            Opcode::LLVMShl => {
                let mut users = inst.users();
                let pair = users.next().filter(|_| users.next().is_none())?;
                let fits = pair.opcode() == Opcode::LLVMAShr
                    && pair.operand(1).int_bits() == Some(u128::from(by));
                if !fits {
                    return None;
                }
                let e = self.narrowed(inst.operand(0))?;
                return Some(self.widened(e, inst.ty()));
            }
            Opcode::LLVMAShr => {
                let shifted = inst.operand(0);
                if shifted.kind() != ValueKind::Instruction
                    || shifted.opcode() != Opcode::LLVMShl
                    || shifted.operand(1).int_bits() != Some(u128::from(by))
                {
                    return None;
                }
                let bits = u64::from(width).checked_sub(by)?;
                if !(1..=64).contains(&bits) {
                    return None;
                }
                let e = self.narrowed(shifted)?;
                let rest = self.int(i128::from(64 - bits), TypeId::I32);
                let high = self.b.binary(BinaryOp::Shl, e, rest);
                let high = self.cast(high, TypeId::I64);
                self.b.binary(BinaryOp::Shr, high, rest)
            }
            _ => return None,
        };
        Some(self.widened(small, inst.ty()))
    }

    /// A wide value that is a small one widened: the small one, in 64 bits.
    fn narrowed(&mut self, wide: Value<'m>) -> Option<ExprId> {
        let Some(Val::Expr(e)) = self.values.get(&wide) else {
            return None;
        };
        let ExprKind::Cast(small) = *self.b.kind(*e) else {
            return None;
        };
        self.int_type(small).filter(|(width, _)| *width <= 64)?;
        let _ = self.operand_value(wide); // one use of it
        Some(self.cast(small, TypeId::U64))
    }

    fn widened(&mut self, e: ExprId, ty: Ty<'m>) -> ExprId {
        let to = self.unit.llvm_type(ty);
        self.b.cast(&self.unit.program.types, e, to)
    }

    /// The operation of an instruction on scalar operands, giving a value of LLVM type `ty`.
    pub(super) fn apply(
        &mut self,
        inst: Value<'m>,
        args: [Option<ExprId>; 3],
        ty: Ty<'m>,
    ) -> Option<ExprId> {
        use Opcode::*;
        let a = args[0]?;
        let opcode = inst.opcode();
        Some(match opcode {
            LLVMAdd | LLVMSub | LLVMMul => {
                let (mut a, mut b) = (a, args[1]?);
                if inst.no_unsigned_wrap() && !inst.no_signed_wrap() {
                    (a, b) = (self.with_sign(a, false), self.with_sign(b, false));
                }
                self.wrapping_or_not(opcode, inst.no_signed_wrap(), a, b)
            }
            LLVMUDiv | LLVMURem | LLVMLShr => self.signed_binary(opcode, a, args[1]?, false),
            LLVMSDiv | LLVMSRem | LLVMAShr => self.signed_binary(opcode, a, args[1]?, true),
            LLVMShl => {
                let by = self.strip_widening(args[1]?);
                self.b.binary(BinaryOp::Shl, a, by)
            }
            LLVMAnd | LLVMOr | LLVMXor => self.bitwise(opcode, a, args[1]?),
            LLVMFAdd => self.float_binary(BinaryOp::Add, a, args[1]?),
            LLVMFSub => self.float_binary(BinaryOp::Sub, a, args[1]?),
            LLVMFMul => self.float_binary(BinaryOp::Mul, a, args[1]?),
            LLVMFDiv => self.float_binary(BinaryOp::Div, a, args[1]?),
            LLVMFRem => self.float_binary(BinaryOp::Rem, a, args[1]?),
            LLVMFNeg => {
                let ty = self.b.type_of(a);
                self.b.expr(ExprKind::Unary(UnaryOp::Neg, a), ty)
            }
            LLVMICmp => self.int_compare(inst.int_predicate(), a, args[1]?),
            LLVMFCmp => self.float_compare(inst.real_predicate(), a, args[1]?),
            LLVMSelect => {
                let (b, c) = self.unify(args[1]?, args[2]?);
                let ty = self.b.type_of(b);
                self.b.expr(ExprKind::Select(a, b, c), ty)
            }
            LLVMTrunc => {
                let TyKind::Int(w) = ty.kind() else {
                    return None;
                };
                // A small number, widened only to fit the unit of its bit-field.
                let a = match (self.b.kind(a), self.int_type(a)) {
                    (&ExprKind::Cast(small), Some((129.., _))) => small,
                    _ => a,
                };
                let signed = self.int_type(a).is_none_or(|(_, s)| s);
                let to = if w == 1 {
                    TypeId::BOOL
                } else {
                    self.unit.program.types.int(u16::try_from(w).ok()?, signed)
                };
                self.cast(a, to)
            }
            LLVMZExt => {
                let a = self.with_sign(a, false);
                let to = self.int_of(ty, true)?;
                self.cast(a, to)
            }
            LLVMSExt => {
                let to = self.int_of(ty, true)?;
                if self.b.type_of(a) == TypeId::BOOL {
                    let (ones, zero) = (self.int(-1, to), self.int(0, to));
                    return Some(self.b.expr(ExprKind::Select(a, ones, zero), to));
                }
                let a = self.with_sign(a, true);
                self.cast(a, to)
            }
            LLVMFPToUI => {
                let to = self.int_of(ty, false)?;
                self.cast(a, to)
            }
            LLVMFPToSI => {
                let to = self.int_of(ty, true)?;
                self.cast(a, to)
            }
            LLVMUIToFP => {
                let a = self.with_sign(a, false);
                let to = self.unit.llvm_type(ty);
                self.cast(a, to)
            }
            LLVMSIToFP => {
                let a = self.with_sign(a, true);
                let to = self.unit.llvm_type(ty);
                self.cast(a, to)
            }
            LLVMFPTrunc | LLVMFPExt => {
                let to = self.unit.llvm_type(ty);
                self.cast(a, to)
            }
            LLVMPtrToInt => {
                let to = self.int_of(ty, true)?;
                self.cast(a, to)
            }
            LLVMIntToPtr => {
                let a = self.with_sign(a, false);
                self.cast(a, TypeId::VOID_PTR)
            }
            LLVMAddrSpaceCast => a,
            LLVMBitCast => {
                let to = self.unit.llvm_type(ty);
                let from = self.b.type_of(a);
                let types = &self.unit.program.types;
                if types.is_pointer(from)
                    || types.as_int(from).is_some() == types.as_int(to).is_some()
                {
                    a
                } else {
                    self.b.intrinsic(Intrinsic::Bits, &[a], to)
                }
            }
            _ => return None,
        })
    }

    fn int_of(&mut self, ty: Ty<'m>, signed: bool) -> Option<TypeId> {
        let TyKind::Int(w) = ty.kind() else {
            return None;
        };
        if w == 1 {
            return Some(TypeId::BOOL);
        }
        let w = u16::try_from(w).ok().filter(|&w| w <= 1024)?;
        Some(self.unit.program.types.int(w, signed))
    }

    /// `nsw` marks C's signed arithmetic. Without it the source's is unsigned, or signed and
    /// meant to wrap (`-fwrapv`, `short++`, pointer differences).
    fn wrapping_or_not(&mut self, opcode: Opcode, nsw: bool, a: ExprId, b: ExprId) -> ExprId {
        let plain = match opcode {
            Opcode::LLVMAdd => BinaryOp::Add,
            Opcode::LLVMSub => BinaryOp::Sub,
            _ => BinaryOp::Mul,
        };
        if self.b.type_of(a) == TypeId::BOOL && self.b.type_of(b) == TypeId::BOOL {
            return self.b.binary(BinaryOp::Xor, a, b);
        }
        if nsw {
            let (a, b) = (self.with_sign(a, true), self.with_sign(b, true));
            if let Some(down) = self.counted_down(plain, a, b) {
                return down;
            }
            return self.b.binary(plain, a, b);
        }
        let unsigned =
            |s: &Self, e: ExprId| !s.is_int_const(e) && s.int_type(e).is_some_and(|(_, s)| !s);
        if unsigned(self, a) || unsigned(self, b) {
            let (a, b) = (self.with_sign(a, false), self.with_sign(b, false));
            if let Some(down) = self.counted_down(plain, a, b) {
                return down;
            }
            return self.b.binary(plain, a, b);
        }
        let wrapping = match plain {
            BinaryOp::Add => BinaryOp::WrapAdd,
            BinaryOp::Sub => BinaryOp::WrapSub,
            _ => BinaryOp::WrapMul,
        };
        let (a, b) = (self.with_sign(a, true), self.with_sign(b, true));
        self.b.binary(wrapping, a, b)
    }

    /// `x--` comes as `x + -1`, whether or not there is a sign: it is `x - 1`.
    fn counted_down(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let &ExprKind::Int(bits) = self.b.kind(b) else {
            return None;
        };
        let (w, signed) = self.int_type(b)?;
        let value = ir::expr::int_value(bits, w, true);
        let least = ir::expr::int_value(1 << (w - 1), w, true);
        // A larger number without a sign is what somebody wrote.
        if op != BinaryOp::Add || value >= 0 || value == least || !signed && value != -1 {
            return None;
        }
        let ty = self.b.type_of(b);
        let by = self.int(-value, ty);
        Some(self.b.binary(BinaryOp::Sub, a, by))
    }

    fn signed_binary(&mut self, opcode: Opcode, a: ExprId, b: ExprId, signed: bool) -> ExprId {
        let op = match opcode {
            Opcode::LLVMUDiv | Opcode::LLVMSDiv => BinaryOp::Div,
            Opcode::LLVMURem | Opcode::LLVMSRem => BinaryOp::Rem,
            _ => BinaryOp::Shr,
        };
        let a = self.with_sign(a, signed);
        let b = if op == BinaryOp::Shr {
            self.strip_widening(b)
        } else {
            self.with_sign(b, signed)
        };
        self.b.binary(op, a, b)
    }

    fn bitwise(&mut self, opcode: Opcode, a: ExprId, b: ExprId) -> ExprId {
        let op = match opcode {
            Opcode::LLVMAnd => BinaryOp::And,
            Opcode::LLVMOr => BinaryOp::Or,
            _ => BinaryOp::Xor,
        };
        if op == BinaryOp::Xor
            && let (&ExprKind::Int(bits), Some((w, _))) = (self.b.kind(b), self.int_type(b))
            && bits == ir::expr::mask(!0, w)
        {
            if w == 1 {
                return self.not(a);
            }
            let ty = self.b.type_of(a);
            return self.b.expr(ExprKind::Unary(UnaryOp::Complement, a), ty);
        }
        let (a, b) = self.unify(a, b);
        self.b.binary(op, a, b)
    }

    fn float_binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.b.binary(op, a, b)
    }

    /// Both at one type: that of the one that is no constant, else the unsigned one.
    pub(super) fn unify(&mut self, a: ExprId, b: ExprId) -> (ExprId, ExprId) {
        let (ta, tb) = (self.b.type_of(a), self.b.type_of(b));
        if ta == tb {
            return (a, b);
        }
        let constant = |s: &Self, e: ExprId| {
            matches!(
                s.b.kind(e),
                ExprKind::Int(_) | ExprKind::Null | ExprKind::Undef
            )
        };
        if constant(self, b) {
            let b = self.cast(b, ta);
            return (a, b);
        }
        if constant(self, a) {
            let a = self.cast(a, tb);
            return (a, b);
        }
        if self.is_pointer(ta) || self.is_pointer(tb) {
            let b = self.cast(b, ta);
            return (a, b);
        }
        (self.with_sign(a, false), self.with_sign(b, false))
    }
}

/// The second operand of an operation. Of a shift it is the amount as it was written: clang cuts a wider one to the type of what is
/// shifted, and `1 << n` with `n` 2^32 would be no error.
fn amount<'m>(inst: Value<'m>) -> Value<'m> {
    let by = inst.operand(1);
    let shifts = matches!(
        inst.opcode(),
        Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAShr
    );
    let is_cut = shifts
        && by.kind() == ValueKind::Instruction
        && by.opcode() == Opcode::LLVMTrunc
        && by.name().starts_with("sh_prom")
        && matches!(by.operand(0).ty().kind(), TyKind::Int(..=64));
    match is_cut {
        true => by.operand(0),
        false => by,
    }
}
