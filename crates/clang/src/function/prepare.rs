//! Before the first block: parameters, variables, their names, and which addresses escape.
//!
//! clang gives each parameter a stack slot and stores the argument there first. Where the slot
//! holds exactly the parameter, both are one variable, under its source name.

use super::FunctionLowering;
use super::values::Val;
use crate::llvm::{Block, Opcode, Ty, TyKind, Value, ValueKind};
use ir::{Stmt, Type, TypeId, VarId, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// What dbg.declare says about a slot.
pub struct Described {
    name: String,
    ty: Option<TypeId>,
}

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn prepare(&mut self, f: Value<'m>) {
        self.collect_descriptions(f);
        let Some(entry) = f.blocks().next() else {
            return;
        };
        let signature = self.unit.program.functions[self.id].signature;
        let Type::Function { ret, params, .. } = self.unit.program.types.get(signature).clone()
        else {
            return;
        };
        let slots = self.parameter_slots(f, entry);
        for (i, arg) in f.params().enumerate() {
            let ty = params.get(i).copied().unwrap_or(TypeId::VOID_PTR);
            self.parameter(arg, ty, slots.get(&arg).copied());
        }
        if ret != TypeId::VOID {
            self.return_variable(f, entry, ret);
        }
        for inst in entry
            .instructions()
            .filter(|i| i.opcode() == Opcode::LLVMAlloca)
        {
            if !self.values.contains_key(&inst) && self.fixed_length(inst).is_some() {
                self.slot(inst);
            }
        }
    }

    fn collect_descriptions(&mut self, f: Value<'m>) {
        for inst in f.blocks().flat_map(|b| b.instructions()) {
            if inst.opcode() != Opcode::LLVMCall {
                continue;
            }
            let Some(callee) = inst.callee() else {
                continue;
            };
            if callee.kind() != ValueKind::Function
                || !callee.is_intrinsic()
                || callee.name() != "llvm.dbg.declare"
            {
                continue;
            }
            let (Some(slot), Some(var)) =
                (inst.operand(0).wrapped_value(), inst.operand(1).as_meta())
            else {
                continue;
            };
            let name = var
                .string(self.unit.module, 1)
                .unwrap_or_default()
                .into_owned();
            let ty = var
                .operand(self.unit.module, 3)
                .map(|t| self.unit.debug_type(t));
            self.described.entry(slot).or_insert(Described { name, ty });
        }
    }

    /// Arguments whose only use is to be stored into a slot of their own.
    fn parameter_slots(
        &self,
        f: Value<'m>,
        entry: Block<'m>,
    ) -> FxHashMap<Value<'m>, (Value<'m>, Value<'m>)> {
        let mut slots = FxHashMap::default();
        for arg in f.params() {
            let Some(mut user) = only_user(arg) else {
                continue;
            };
            let mut stored = arg;
            // A bool is widened to its byte first.
            if user.kind() == ValueKind::Instruction && user.opcode() == Opcode::LLVMZExt {
                stored = user;
                match only_user(user) {
                    Some(u) => user = u,
                    None => continue,
                }
            }
            if user.kind() == ValueKind::Instruction
                && user.opcode() == Opcode::LLVMStore
                && user.operand(0) == stored
                && user.block() == Some(entry)
            {
                let slot = user.operand(1);
                if slot.kind() == ValueKind::Instruction && slot.opcode() == Opcode::LLVMAlloca {
                    slots.insert(arg, (slot, user));
                }
            }
        }
        slots
    }

    fn parameter(&mut self, arg: Value<'m>, ty: TypeId, slot: Option<(Value<'m>, Value<'m>)>) {
        let fits = slot.and_then(|(alloca, store)| {
            let described = self.described.get(&alloca)?;
            let var_type = described.ty?;
            let same = self.unit.represents(alloca.allocated_type(), var_type)
                && (self.unit.represents(arg.ty(), var_type));
            same.then(|| (alloca, store, described.name.clone(), var_type))
        });
        if let Some((alloca, store, name, var_type)) = fits {
            let v = self.b.var(
                &mut self.unit.program.symbols,
                &name,
                var_type,
                VarKind::Param,
            );
            let place = self.b.var_place(v);
            self.values.insert(alloca, Val::Address(place));
            self.consumed.insert(store);
            if store.operand(0) != arg {
                self.consumed.insert(store.operand(0));
            }
            if escapes(alloca) {
                self.escaped.insert(v);
            }
            return;
        }
        // A struct in memory is described at the argument itself, which points to it.
        let name = match self.described.get(&arg) {
            Some(d) => d.name.clone(),
            None => {
                let n = arg.name();
                if n.is_empty() {
                    "$arg".to_string()
                } else {
                    format!("${n}")
                }
            }
        };
        let v = self
            .b
            .var(&mut self.unit.program.symbols, &name, ty, VarKind::Param);
        self.single.insert(v);
        let value = self.b.load_var(v);
        self.values.insert(arg, Val::Expr(value));
    }

    /// clang's `retval` slot is the return variable if it holds the result as it is returned.
    fn return_variable(&mut self, f: Value<'m>, entry: Block<'m>, ret: TypeId) {
        let slot = entry
            .instructions()
            .take_while(|i| i.opcode() == Opcode::LLVMAlloca)
            .find(|i| i.name() == "retval");
        let symbols = &mut self.unit.program.symbols;
        let v = self.b.var(symbols, "$ret", ret, VarKind::Temp);
        self.b.set_return(v);
        let Some(slot) = slot else { return };
        let (returned, _, _) = f.value_type().signature();
        if slot.allocated_type() == returned && !returned.is_aggregate() && !escapes(slot) {
            let place = self.b.var_place(v);
            self.values.insert(slot, Val::Address(place));
        }
    }

    /// Length of an alloca that is known at compile time. One of `__builtin_alloca` is counted in 64 bits: it is made where it stands.
    fn fixed_length(&self, inst: Value<'m>) -> Option<u64> {
        let n = inst.operand(0);
        let is_variable = matches!(n.ty().kind(), TyKind::Int(..=32));
        if is_variable && n.kind() == ValueKind::Int {
            u64::try_from(n.int_bits()?).ok()
        } else {
            None
        }
    }

    /// A stack slot of fixed size becomes a variable.
    fn slot(&mut self, inst: Value<'m>) {
        let llvm = inst.allocated_type();
        let (name, ty, kind) = match self.described.get(&inst) {
            Some(d) => {
                let name = d.name.clone();
                match d.ty {
                    Some(t) => (name, self.slot_type(llvm, t), VarKind::Local),
                    None => (name, self.unit.llvm_type(llvm), VarKind::Local),
                }
            }
            None => {
                let ty = self.unit.llvm_type(llvm);
                (format!("${}", inst.name()), ty, VarKind::Temp)
            }
        };
        let name = if name.is_empty() {
            "$unnamed".to_string()
        } else {
            name
        };
        let ty = match self.fixed_length(inst) {
            Some(n) if n > 1 => self.unit.program.types.array_of(ty, n),
            _ => ty,
        };
        let v = self.b.var(&mut self.unit.program.symbols, &name, ty, kind);
        let place = self.b.var_place(v);
        self.values.insert(inst, Val::Address(place));
        if escapes(inst) {
            self.escaped.insert(v);
        }
    }

    /// The type of a slot that debug information says holds a `t`.
    fn slot_type(&mut self, llvm: Ty<'m>, t: TypeId) -> TypeId {
        let types = &self.unit.program.types;
        if self.unit.represents(llvm, t) {
            return t;
        }
        let size = self.unit.module.size_of(llvm);
        if !types.is_scalar(t) && types.size_of(t) == size {
            return t;
        }
        // The slot holds the address of the variable: a by-reference capture, an indirect
        // parameter.
        if llvm.kind() == TyKind::Pointer {
            return self.unit.program.types.pointer_to(t);
        }
        self.unit.llvm_type(llvm)
    }

    /// An alloca that the walk meets: fixed ones are variables already, others allocate.
    pub(super) fn alloca(&mut self, inst: Value<'m>) {
        if self.values.contains_key(&inst) {
            return;
        }
        let llvm = inst.allocated_type();
        let mut elem = self.unit.llvm_type(llvm);
        let name = match self.described.get(&inst) {
            Some(d) => {
                if let Some(t) = d.ty
                    && let Type::Array { elem: e, .. } = *self.unit.program.types.get(t)
                    && self.unit.program.types.size_of(e) == self.unit.module.size_of(llvm)
                {
                    elem = e;
                }
                d.name.clone()
            }
            None => format!("${}", inst.name()),
        };
        let count = self.operand(inst.operand(0));
        let ty = self.unit.program.types.pointer_to(elem);
        let v = self
            .b
            .var(&mut self.unit.program.symbols, &name, ty, VarKind::Temp);
        self.single.insert(v);
        // What `alloca` gives lives until the function returns.
        if self.described.contains_key(&inst) {
            self.arrays.push((inst, v));
        }
        self.emit(Stmt::Allocate { var: v, count });
        let value = self.b.load_var(v);
        self.values.insert(inst, Val::Expr(value));
    }

    /// The variable behind a stack slot's address.
    pub(super) fn slot_var(&self, slot: Value<'m>) -> Option<VarId> {
        match self.values.get(&slot) {
            Some(Val::Address(place)) => self.b.place_ref(*place).as_var(),
            _ => None,
        }
    }

    /// Blocks that control can reach.
    pub(super) fn reachable_blocks(&self, f: Value<'m>) -> FxHashSet<Block<'m>> {
        let mut seen = FxHashSet::default();
        let mut work: Vec<Block<'m>> = f.blocks().take(1).collect();
        work.extend(f.blocks().filter(|b| self.unit.labels.contains_key(b)));
        while let Some(block) = work.pop() {
            if !seen.insert(block) {
                continue;
            }
            if let Some(t) = block.terminator() {
                work.extend(t.successors().filter(|s| !super::control::never_taken(*s)));
            }
        }
        seen
    }
}

fn only_user<'m>(v: Value<'m>) -> Option<Value<'m>> {
    let mut users = v.users();
    let first = users.next()?;
    if users.next().is_some() {
        None
    } else {
        Some(first)
    }
}

/// Is the slot's address used for more than loading from it and storing to it?
fn escapes(slot: Value<'_>) -> bool {
    slot.users().any(|user| {
        if user.kind() != ValueKind::Instruction {
            return user.kind() != ValueKind::Metadata;
        }
        match user.opcode() {
            Opcode::LLVMLoad => false,
            Opcode::LLVMStore => user.operand(0) == slot,
            Opcode::LLVMGetElementPtr => escapes(user),
            Opcode::LLVMCall => {
                let harmless = user.callee().is_some_and(|c| {
                    c.kind() == ValueKind::Function && c.is_intrinsic() && {
                        let name = c.name();
                        name.starts_with("llvm.lifetime.")
                            || name.starts_with("llvm.mem")
                            || name.starts_with("llvm.dbg.")
                    }
                });
                !harmless
            }
            _ => true,
        }
    })
}

/// Pure instructions whose result goes nowhere: clang computes the value of `x.f++` even where
/// nobody asks. Uses come after definitions, so one walk backwards finds them all (a use by a
/// phi of an earlier block counts as a use).
pub(super) fn dead_code<'m>(f: Value<'m>) -> FxHashSet<Value<'m>> {
    use Opcode::*;
    let mut dead = FxHashSet::default();
    let blocks: Vec<Block<'m>> = f.blocks().collect();
    for block in blocks.into_iter().rev() {
        let instructions: Vec<Value<'m>> = block.instructions().collect();
        for inst in instructions.into_iter().rev() {
            let pure = matches!(
                inst.opcode(),
                LLVMAdd
                    | LLVMSub
                    | LLVMMul
                    | LLVMShl
                    | LLVMLShr
                    | LLVMAShr
                    | LLVMAnd
                    | LLVMOr
                    | LLVMXor
                    | LLVMICmp
                    | LLVMTrunc
                    | LLVMZExt
                    | LLVMSExt
                    | LLVMGetElementPtr
            );
            if pure && inst.users().all(|u| dead.contains(&u)) {
                dead.insert(inst);
            }
        }
    }
    dead
}
