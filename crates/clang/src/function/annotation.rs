//! What a program says to rigel: `__rigel_assume(c)` and `__rigel_assert(c)` (Orion §4 has the same two). Verification tasks
//! say `__VERIFIER_assume(c)`, which means the same unless the file itself defines it.
//!
//! The names are known here and in the rule that checks assertions, and to no engine. An assumption is an
//! `assume` that is the only way out of its node: whoever gets there goes on only if it holds, and
//! there is no other side that would make it a test. An assertion stays a call, for the rule to
//! see; it cannot unwind and gives nothing back.
//!
//! In C the names need no declaration, so that arguments come as the caller has them: integers,
//! pointers, floating-point numbers.

use super::FunctionLowering;
use crate::llvm::{Block, IntPredicate, Opcode, RealPredicate, Value, ValueKind};
use ir::{Call, CallOutcome, ExprId, ExprKind, Stmt, TypeId};

impl<'m> FunctionLowering<'_, 'm> {
    /// Lowers a call that is an annotation; false if it is none.
    pub(super) fn annotation(
        &mut self,
        inst: Value<'m>,
        callee: Value<'m>,
        block: Block<'m>,
    ) -> bool {
        // One whose result is used was declared as something else.
        if callee.kind() != ValueKind::Function
            || inst.arg_count() != 1
            || inst.users().next().is_some()
        {
            return false;
        }
        match &*callee.name() {
            "__VERIFIER_assume" if !callee.is_declaration() => return false,
            "__rigel_assume" | "__VERIFIER_assume" => {
                let argument = self.operand(inst.operand(0));
                let Some(truth) = self.truth(argument) else {
                    return false;
                };
                if !matches!(self.b.kind(truth), ExprKind::Int(1)) {
                    self.emit(Stmt::Assume(truth));
                }
            }
            "__rigel_assert" => {
                let argument = self.operand(inst.operand(0));
                let Some(truth) = self.truth(argument) else {
                    return false;
                };
                let whole =
                    self.int_type(argument).is_some() || self.is_pointer(self.b.type_of(argument));
                let argument = match whole {
                    true => argument,
                    false => self.cast(truth, TypeId::I32),
                };
                let (target, signature) = self.target(inst, callee);
                self.emit(Stmt::Call(Box::new(Call {
                    result: None,
                    callee: target,
                    args: vec![argument],
                    signature,
                    outcome: CallOutcome::Return,
                    noreturn: false,
                })));
            }
            _ => return false,
        }
        if inst.opcode() == Opcode::LLVMInvoke
            && let Some(to) = inst.normal_dest()
        {
            let at = self.at;
            self.go(at, Stmt::Skip, block, to);
        }
        true
    }

    /// `e != 0`, for anything that C compares with 0.
    fn truth(&mut self, e: ExprId) -> Option<ExprId> {
        let ty = self.b.type_of(e);
        if self.int_type(e).is_some() {
            let zero = self.int(0, ty);
            return Some(self.int_compare(IntPredicate::LLVMIntNE, e, zero));
        }
        if self.is_pointer(ty) {
            let null = self.b.null(ty);
            return Some(self.int_compare(IntPredicate::LLVMIntNE, e, null));
        }
        self.unit.program.types.as_float(ty)?;
        let zero = self.int(0, TypeId::I32);
        let zero = self.cast(zero, ty);
        Some(self.float_compare(RealPredicate::LLVMRealUNE, e, zero))
    }
}
