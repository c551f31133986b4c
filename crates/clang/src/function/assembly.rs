//! Inline assembly: a call of somebody unknown, and outputs that may be anything.
//!
//! What it computes into registers is a value of which nothing is known. What it does besides (memory that it says it clobbers, or
//! that it has no output at all, so that it is there for its effect) is what a function does that is only declared, and so it becomes a
//! call of one: every engine knows what to think of that. Two of them: instructions that do nothing by themselves (`nop`, fences,
//! a template without any) come back for sure; of others, nobody knows (a system call may end the program).

use super::FunctionLowering;
use super::values::Val;
use crate::llvm::{AttributeSet, TyKind, Value};
use crate::unit::UNIT;
use ir::{Call, CallOutcome, Callee, ExprId, ExprKind, FuncId, Function, HavocReason, Linkage};
use ir::{Span, Stmt, Type, TypeId};

/// A keyword to every compiler: no function of the program is called so.
const ASSEMBLY: &str = "__asm__";
/// Memory may be another behind it, because others write it; but nothing is done.
const BARRIER: &str = "__rigel_barrier";

/// Instructions that do nothing but wait or put memory in order.
const QUIET: [&str; 11] = [
    "nop", "pause", "rep", "yield", "isb", "dmb", "dsb", "mfence", "lfence", "sfence", "hint",
];

impl<'m> FunctionLowering<'_, 'm> {
    /// Outputs are unknown, in registers and through pointers. An empty template only ties outputs to inputs.
    pub(super) fn inline_asm(&mut self, inst: Value<'m>, asm: Value<'m>) {
        let (template, constraints) = asm.asm_text();
        let all = || constraints.split(',');
        let clobbers = constraints.contains("~{memory}");
        let is_output = |c: &&str| c.starts_with('=');
        let outputs = all().filter(is_output).count();
        let quiet = is_quiet(&template);
        if clobbers || (outputs == 0 && !quiet) {
            self.outside_effect(inst, if quiet { BARRIER } else { ASSEMBLY });
        }
        if template.trim().is_empty() {
            // `asm("" : "+r"(x))` is a barrier around x.
            let tied: Vec<u32> = all()
                .filter(|c| !c.starts_with('=') && !c.starts_with('~'))
                .enumerate()
                .filter(|(_, c)| *c == "0")
                .map(|(i, _)| i as u32)
                .collect();
            if let (1, [i], false) = (outputs, &tied[..], inst.ty().kind() == TyKind::Void) {
                let v = self.operand_value(inst.operand(*i));
                self.define(inst, v);
                return;
            }
        }
        if outputs > 0 {
            self.outputs(inst);
        }
    }

    /// What is written where a pointer points to, and what is in registers afterwards.
    fn outputs(&mut self, inst: Value<'m>) {
        for i in 0..inst.arg_count() {
            let kind = self.unit.attributes.elementtype;
            if let Some(ty) = inst.call_type_attribute(AttributeSet::Param(i), kind) {
                let address = self.operand_value(inst.operand(i));
                let place = self.pointed(address);
                let place = self.fit(place, ty);
                self.clobber_place(place);
                self.emit(Stmt::Havoc {
                    place,
                    reason: HavocReason::InlineAssembly,
                });
            }
        }
        if inst.ty().kind() != TyKind::Void {
            let ty = self.unit.llvm_type(inst.ty());
            let e = self.havoc("asm", ty, HavocReason::InlineAssembly);
            let v = match *self.b.kind(e) {
                ExprKind::Load(place) if inst.ty().is_aggregate() => {
                    self.load_parts(place, inst.ty())
                }
                _ => Val::Expr(e),
            };
            self.values.insert(inst, v);
        }
    }

    /// A call that gets the pointers among the operands: what they point to may change.
    fn outside_effect(&mut self, inst: Value<'m>, name: &str) {
        let pointers = (0..inst.arg_count()).map(|i| inst.operand(i));
        let pointers: Vec<_> = pointers
            .filter(|v| v.ty().kind() == TyKind::Pointer)
            .collect();
        let args: Vec<ExprId> = pointers.into_iter().map(|v| self.operand(v)).collect();
        let (callee, signature) = self.unit.outsider(name);
        self.clobber_call();
        self.emit(Stmt::Call(Box::new(Call {
            result: None,
            callee: Callee::Direct(callee),
            args,
            signature,
            outcome: CallOutcome::Return,
            noreturn: false,
        })));
    }
}

impl crate::unit::UnitLowering<'_> {
    /// A function that is only declared, takes anything and gives nothing back.
    pub(super) fn outsider(&mut self, name: &str) -> (FuncId, TypeId) {
        let signature = self.program.types.intern(Type::Function {
            ret: TypeId::VOID,
            params: Vec::new(),
            variadic: true,
        });
        if let Some(f) = self.program.find_function(name) {
            return (f, signature);
        }
        let name = self.symbol(name);
        let f = self.program.functions.push(Function {
            name,
            display: name,
            unit: UNIT,
            linkage: Linkage::External,
            signature,
            noreturn: false,
            span: Span::NONE,
            body: None,
        });
        (f, signature)
    }
}

/// Does it do nothing but wait or put memory in order?
fn is_quiet(template: &str) -> bool {
    let lines = template.split(['\n', ';']);
    let mut words = lines.filter_map(|line| line.split_whitespace().next());
    words.all(|word| QUIET.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::is_quiet;

    #[test]
    fn fences_are_quiet_and_system_calls_are_not() {
        for quiet in ["", " ", "nop", "rep; nop", "pause", "mfence\n\t"] {
            assert!(is_quiet(quiet), "{quiet}");
        }
        for loud in ["syscall", "mov $$1, ($0)", "nop; syscall"] {
            assert!(!is_quiet(loud), "{loud}");
        }
    }
}
