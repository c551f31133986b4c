//! Atomic read-modify-write, as the sequential program that one thread sees.

use super::FunctionLowering;
use super::values::Val;
use crate::llvm::{RmwOp, Value};
use ir::{BinaryOp, CompareOp, ExprId, ExprKind, HavocReason, Intrinsic, Stmt, UnaryOp};

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn atomic_rmw(&mut self, inst: Value<'m>) {
        let ty = inst.ty();
        let address = self.operand_value(inst.operand(0));
        let place = self.pointed(address);
        let place = self.fit(place, ty);
        let by = self.operand(inst.operand(1));
        self.clobber_place(place);
        let old = self.b.load(place);
        let name = inst.name();
        let old = self.save(&name, old);
        let place_type = self.b.place_ref(place).ty;
        let new = self.rmw_value(inst.rmw_op(), old, by);
        match new {
            Some(new) => {
                let new = self.convert(new, place_type);
                self.emit(Stmt::Assign { place, value: new });
            }
            None => {
                let reason = HavocReason::Instruction(self.unit.symbol("AtomicRMW"));
                self.emit(Stmt::Havoc { place, reason });
            }
        }
        self.values.insert(inst, Val::Expr(old));
    }

    fn rmw_value(&mut self, op: RmwOp, old: ExprId, by: ExprId) -> Option<ExprId> {
        use RmwOp::*;
        let wrap = |s: &mut Self, plain, wrapping| {
            let (a, b) = s.unify(old, by);
            let signed = s.int_type(a).is_some_and(|(_, signed)| signed);
            s.b.binary(if signed { wrapping } else { plain }, a, b)
        };
        let signed_pick = |s: &mut Self, op: Intrinsic, signed: bool| {
            let (a, b) = (s.with_sign(old, signed), s.with_sign(by, signed));
            let ty = s.b.type_of(a);
            s.b.intrinsic(op, &[a, b], ty)
        };
        Some(match op {
            LLVMAtomicRMWBinOpXchg => by,
            LLVMAtomicRMWBinOpAdd => wrap(self, BinaryOp::Add, BinaryOp::WrapAdd),
            LLVMAtomicRMWBinOpSub => wrap(self, BinaryOp::Sub, BinaryOp::WrapSub),
            LLVMAtomicRMWBinOpAnd => wrap(self, BinaryOp::And, BinaryOp::And),
            LLVMAtomicRMWBinOpOr => wrap(self, BinaryOp::Or, BinaryOp::Or),
            LLVMAtomicRMWBinOpXor => wrap(self, BinaryOp::Xor, BinaryOp::Xor),
            LLVMAtomicRMWBinOpNand => {
                let both = wrap(self, BinaryOp::And, BinaryOp::And);
                let ty = self.b.type_of(both);
                self.b.expr(ExprKind::Unary(UnaryOp::Complement, both), ty)
            }
            LLVMAtomicRMWBinOpMax => signed_pick(self, Intrinsic::Max, true),
            LLVMAtomicRMWBinOpMin => signed_pick(self, Intrinsic::Min, true),
            LLVMAtomicRMWBinOpUMax => signed_pick(self, Intrinsic::Max, false),
            LLVMAtomicRMWBinOpUMin => signed_pick(self, Intrinsic::Min, false),
            LLVMAtomicRMWBinOpFAdd => self.b.binary(BinaryOp::Add, old, by),
            LLVMAtomicRMWBinOpFSub => self.b.binary(BinaryOp::Sub, old, by),
            _ => return None,
        })
    }

    /// `{old, old == expected}`, with the store done only in the equal case.
    pub(super) fn compare_exchange(&mut self, inst: Value<'m>) {
        let ty = inst.operand(1).ty();
        let address = self.operand_value(inst.operand(0));
        let place = self.pointed(address);
        let place = self.fit(place, ty);
        let (expected, new) = (self.operand(inst.operand(1)), self.operand(inst.operand(2)));
        self.clobber_place(place);
        let old = self.b.load(place);
        let name = inst.name();
        let old = self.save(&name, old);
        let (a, b) = self.unify(old, expected);
        let equal = self.b.compare(CompareOp::Eq, a, b);
        let equal = self.save("equal", equal);
        let different = self.not(equal);
        let place_type = self.b.place_ref(place).ty;
        let new = self.convert(new, place_type);
        let join = self.b.node();
        let stored = self.b.step(self.at, Stmt::Assume(equal), self.span);
        self.b
            .edge(stored, join, Stmt::Assign { place, value: new }, self.span);
        self.b
            .edge(self.at, join, Stmt::Assume(different), self.span);
        self.at = join;
        self.values
            .insert(inst, Val::Parts(vec![Val::Expr(old), Val::Expr(equal)]));
    }
}
