//! Calls: direct, indirect, by exception, to `setjmp`. Inline assembly is in [`super::assembly`].

use super::FunctionLowering;
use super::values::Val;
use crate::llvm::{AttributeSet, Block, Opcode, Ty, TyKind, Value, ValueKind};
use ir::{Call, CallOutcome, Callee, ExprId, PlaceId, Stmt, Type, TypeId};

/// Functions that return again when someone jumps back.
const RETURNS_TWICE: [&str; 7] = [
    "setjmp",
    "_setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "savectx",
    "vfork",
    "getcontext",
];

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn call(&mut self, inst: Value<'m>, block: Block<'m>) {
        let Some(callee) = inst.callee() else { return };
        if callee.kind() == ValueKind::InlineAsm {
            return self.inline_asm(inst, callee);
        }
        if callee.kind() == ValueKind::Function && callee.is_intrinsic() {
            self.intrinsic(inst, callee);
            if inst.opcode() == Opcode::LLVMInvoke
                && let Some(to) = inst.normal_dest()
            {
                let at = self.at;
                self.go(at, Stmt::Skip, block, to);
            }
            return;
        }
        if self.annotation(inst, callee, block) {
            return;
        }
        let args = self.arguments(inst, callee);
        let (target, signature) = self.target(inst, callee);
        let args = self.convert_arguments(args, signature);
        let kinds = &self.unit.attributes;
        let declared = match target {
            Callee::Direct(f) => self.unit.program.functions[f].noreturn,
            Callee::Indirect(_) => false,
        };
        let noreturn = declared || inst.call_has(AttributeSet::Function, kinds.noreturn);
        let twice = inst.call_has(AttributeSet::Function, kinds.returns_twice)
            || matches!(target, Callee::Direct(f) if RETURNS_TWICE.contains(&self.unit.program.function_name(f)));
        self.clobber_call();
        let (result, settled) = self.result_place(inst, signature);
        let call = |outcome| {
            Stmt::Call(Box::new(Call {
                result,
                callee: target,
                args: args.clone(),
                signature,
                outcome,
                noreturn,
            }))
        };
        if inst.opcode() == Opcode::LLVMInvoke {
            self.after_noreturn = noreturn;
            self.invoke_edges(
                inst,
                block,
                call(CallOutcome::Return),
                call(CallOutcome::Unwind),
                |s| s.settle_result(inst, settled),
            );
            return;
        }
        let from = self.at;
        self.emit(call(CallOutcome::Return));
        if twice {
            self.b
                .edge(from, self.at, call(CallOutcome::Again), self.span);
        }
        self.after_noreturn = noreturn;
        self.settle_result(inst, settled);
    }

    fn arguments(&mut self, inst: Value<'m>, callee: Value<'m>) -> Vec<ExprId> {
        let byval = self.unit.attributes.byval;
        // A call without a prototype looks variadic too, but names no parameter at all; what is
        // called decides.
        let signature = match callee.kind() {
            ValueKind::Function => callee.value_type(),
            _ => inst.called_type(),
        };
        let (_, fixed, variadic) = signature.signature();
        (0..inst.arg_count())
            .map(|i| {
                let arg = inst.operand(i);
                match inst.call_type_attribute(AttributeSet::Param(i), byval) {
                    // `va_arg` finds the struct itself among the arguments.
                    Some(ty) if variadic && !fixed.is_empty() && i as usize >= fixed.len() => {
                        self.whole(arg, ty)
                    }
                    Some(ty) => self.copy_of(arg, ty),
                    None => self.operand(arg),
                }
            })
            .collect()
    }

    /// The struct that an argument points to.
    fn whole(&mut self, arg: Value<'m>, ty: Ty<'m>) -> ExprId {
        let address = self.operand_value(arg);
        let place = self.pointed(address);
        let place = self.fit(place, ty);
        self.b.load(place)
    }

    /// A struct passed by value in memory: the callee gets its own copy.
    fn copy_of(&mut self, arg: Value<'m>, ty: Ty<'m>) -> ExprId {
        let value = self.whole(arg, ty);
        let ty = self.b.type_of(value);
        let v = self.temp("byval", ty);
        let copy = self.b.var_place(v);
        self.emit(Stmt::Assign { place: copy, value });
        self.addr_of(copy)
    }

    pub(super) fn target(&mut self, inst: Value<'m>, callee: Value<'m>) -> (Callee, TypeId) {
        let direct = match callee.kind() {
            ValueKind::Function | ValueKind::Alias => self.unit.functions.get(&callee).copied(),
            _ => None,
        };
        if let Some(f) = direct {
            let declared = self.unit.program.functions[f].signature;
            // A call through a prototype of its own (K&R) keeps the site's view.
            let same = callee.value_type() == inst.called_type();
            let signature = if same {
                declared
            } else {
                self.unit.llvm_type(inst.called_type())
            };
            return (Callee::Direct(f), signature);
        }
        let e = self.operand(callee);
        // Where the pointer's own type agrees with the site, it knows the signs.
        let pointee = self.unit.program.types.pointee(self.b.type_of(e));
        let llvm = inst.called_type();
        let signature = match pointee {
            Some(t) if self.signature_fits(llvm, t) => t,
            _ => self.unit.llvm_type(llvm),
        };
        (Callee::Indirect(e), signature)
    }

    fn signature_fits(&self, llvm: Ty<'m>, source: TypeId) -> bool {
        let Type::Function {
            ret,
            params,
            variadic,
        } = self.unit.program.types.get(source)
        else {
            return false;
        };
        let (r, p, v) = llvm.signature();
        v == *variadic
            && p.len() == params.len()
            && self.unit.represents(r, *ret)
            && p.iter()
                .zip(params)
                .all(|(l, s)| self.unit.represents(*l, *s))
    }

    fn convert_arguments(&mut self, args: Vec<ExprId>, signature: TypeId) -> Vec<ExprId> {
        let params = match self.unit.program.types.get(signature) {
            Type::Function { params, .. } => params.clone(),
            _ => Vec::new(),
        };
        args.into_iter()
            .enumerate()
            .map(|(i, e)| match params.get(i) {
                Some(&ty) => self.convert(e, ty),
                None => e,
            })
            .collect()
    }

    /// Where the result goes: straight into the variable it is stored to, or a temporary.
    fn result_place(
        &mut self,
        inst: Value<'m>,
        signature: TypeId,
    ) -> (Option<PlaceId>, Option<PlaceId>) {
        let ty = inst.ty();
        if ty.kind() == TyKind::Void {
            return (None, None);
        }
        let ret = match *self.unit.program.types.get(signature) {
            Type::Function { ret, .. } if ret != TypeId::VOID => ret,
            _ => self.unit.llvm_type(ty),
        };
        let mut users = inst.users();
        let Some(user) = users.next() else {
            return (None, None);
        };
        if users.next().is_none()
            && inst.opcode() == Opcode::LLVMCall
            && next_real(inst) == Some(user)
            && user.opcode() == Opcode::LLVMStore
            && user.operand(0) == inst
            && let Some(Val::Address(place)) = self.values.get(&user.operand(1)).cloned()
            && self.b.place_ref(place).ty == ret
            && self.b.place_ref(place).as_var().is_some()
        {
            self.consumed.insert(user);
            self.clobber_place(place);
            return (Some(place), None);
        }
        let name = inst.name();
        let v = self.temp(&name, ret);
        let place = self.b.var_place(v);
        (Some(place), Some(place))
    }

    fn settle_result(&mut self, inst: Value<'m>, temp: Option<PlaceId>) {
        if let Some(place) = temp {
            let e = self.b.load(place);
            self.values.insert(inst, Val::Expr(e));
        }
    }
}

/// The next instruction that does something.
fn next_real<'m>(inst: Value<'m>) -> Option<Value<'m>> {
    let mut at = inst.next();
    while let Some(i) = at {
        let debug = i.opcode() == Opcode::LLVMCall
            && i.callee().is_some_and(|c| {
                c.kind() == ValueKind::Function && c.name().starts_with("llvm.dbg.")
            });
        if !debug {
            return Some(i);
        }
        at = i.next();
    }
    None
}
