//! Control flow: branches become `assume` edges, phis become assignments on the way in.
//!
//! `a && b` reaches a block that only holds `phi i1 [false, …], [b, …]` and branches on it. Such
//! a block is *threaded*: each predecessor branches straight to where the phi's value leads, so
//! that a path carries `assume a`, `assume b` and no flag.

use super::FunctionLowering;
use super::values::Val;
use crate::llvm::{Block, Opcode, TyKind, Value, ValueKind};
use ir::{CatchClause, CompareOp, ExprId, NodeId, Stmt, TrapReason, TypeId, VarId};
use rustc_hash::FxHashMap;

/// The register path of an expanded `va_arg`: never taken, since `va_start` puts all arguments
/// into the overflow area.
pub(super) fn never_taken(block: Block<'_>) -> bool {
    let name = block.name();
    name.strip_prefix("vaarg.in_reg")
        .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
}

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn start(&mut self, block: Block<'m>) -> NodeId {
        if let Some(&n) = self.starts.get(&block) {
            return n;
        }
        let n = self.b.node();
        self.starts.insert(block, n);
        n
    }

    /// The phi and the branch of a block that consists of just these.
    fn threaded(&self, block: Block<'m>) -> Option<(Value<'m>, Value<'m>)> {
        let mut insts = block.instructions();
        let (phi, branch) = (insts.next()?, insts.next()?);
        let fits = phi.opcode() == Opcode::LLVMPHI
            && phi.ty().kind() == TyKind::Int(1)
            && branch.opcode() == Opcode::LLVMBr
            && branch.operand_count() == 3
            && branch.operand(0) == phi
            && phi.users().count() == 1;
        fits.then_some((phi, branch))
    }

    pub(super) fn is_threaded(&self, block: Block<'m>) -> bool {
        self.threaded(block).is_some()
    }

    /// An edge from `from` to a block, entered from `pred`, after `stmt`.
    pub(super) fn go(&mut self, from: NodeId, stmt: Stmt, pred: Block<'m>, target: Block<'m>) {
        if let Some((phi, branch)) = self.threaded(target)
            && let Some((v, _)) = phi.incoming().into_iter().find(|(_, b)| *b == pred)
        {
            let mut successors = branch.successors();
            let (Some(yes), Some(no)) = (successors.next(), successors.next()) else {
                return;
            };
            if v.kind() == ValueKind::Int {
                let to = if v.int_bits() == Some(1) { yes } else { no };
                return self.go(from, stmt, target, to);
            }
            let from = self.after(from, stmt);
            self.at = from;
            let condition = self.operand(v);
            let from = self.at;
            let negation = self.not(condition);
            self.go(from, Stmt::Assume(condition), target, yes);
            self.go(from, Stmt::Assume(negation), target, no);
            return;
        }
        let start = self.start(target);
        let copies = self.phi_copies(pred, target);
        if copies.is_empty() {
            self.b.edge(from, start, stmt, self.span);
            return;
        }
        self.at = self.after(from, stmt);
        self.parallel_assign(copies);
        self.b.edge(self.at, start, Stmt::Skip, self.span);
    }

    fn after(&mut self, from: NodeId, stmt: Stmt) -> NodeId {
        if stmt == Stmt::Skip {
            from
        } else {
            self.b.step(from, stmt, self.span)
        }
    }

    fn phi_copies(&self, pred: Block<'m>, target: Block<'m>) -> Vec<(Value<'m>, Value<'m>)> {
        target
            .instructions()
            .take_while(|i| i.opcode() == Opcode::LLVMPHI)
            .filter_map(|phi| Some((phi, phi.incoming().into_iter().find(|(_, b)| *b == pred)?.0)))
            .collect()
    }

    /// All phis of a block take their values at once.
    fn parallel_assign(&mut self, copies: Vec<(Value<'m>, Value<'m>)>) {
        let many = copies.len() > 1;
        let targets: Vec<Value<'m>> = copies.iter().map(|(phi, _)| *phi).collect();
        let mut ready = Vec::new();
        for (phi, value) in copies {
            if value.kind() == ValueKind::Undef || value.kind() == ValueKind::Poison {
                continue;
            }
            if phi.ty().is_aggregate() {
                let parts = self.parts_of(value);
                let e = self.build_aggregate(phi.ty(), parts);
                ready.push((phi, e));
                continue;
            }
            let e = self.operand(value);
            // Another phi of this block as a source would be overwritten: save it first.
            let e = if many && targets.contains(&value) {
                self.save("swap", e)
            } else {
                e
            };
            ready.push((phi, e));
        }
        for (phi, e) in ready {
            let var = self.phi_var(phi, Some(e));
            let place = self.b.var_place(var);
            let value = self.convert(e, self.b.var_type(var));
            self.emit(Stmt::Assign { place, value });
        }
    }

    /// The variable of a phi; its type follows the first value that reaches it.
    fn phi_var(&mut self, phi: Value<'m>, first: Option<ExprId>) -> VarId {
        if let Some(&v) = self.phis.get(&phi) {
            return v;
        }
        let ty = match first {
            Some(e)
                if !phi.ty().is_aggregate()
                    && self.unit.represents(phi.ty(), self.b.type_of(e)) =>
            {
                self.b.type_of(e)
            }
            _ => self.unit.llvm_type(phi.ty()),
        };
        let name = phi.name();
        let v = self.temp(&name, ty);
        self.phis.insert(phi, v);
        v
    }

    pub(super) fn phi(&mut self, phi: Value<'m>) {
        let v = self.phi_var(phi, None);
        let e = self.b.load_var(v);
        self.values.insert(phi, Val::Expr(e));
    }

    pub(super) fn terminator(&mut self, inst: Value<'m>, block: Block<'m>) {
        use Opcode::*;
        match inst.opcode() {
            LLVMBr => self.branch(inst, block),
            LLVMSwitch => self.switch(inst, block),
            LLVMRet => self.ret(inst),
            LLVMUnreachable => {
                if !self.after_noreturn {
                    self.trap(TrapReason::Unreachable);
                }
            }
            LLVMIndirectBr => {
                let address = self.operand(inst.operand(0));
                let at = self.at;
                for target in inst.successors() {
                    let Some(&(f, k)) = self.unit.labels.get(&target) else {
                        continue;
                    };
                    let label = self.b.expr(ir::ExprKind::Label(f, k), TypeId::VOID_PTR);
                    let address = self.cast(address, TypeId::VOID_PTR);
                    let here = self.b.compare(CompareOp::Eq, address, label);
                    self.go(at, Stmt::Assume(here), block, target);
                }
            }
            LLVMResume => {
                let parts = self.parts_of(inst.operand(0));
                let e = match parts.into_iter().next() {
                    Some(v) => self.expr_of(v),
                    None => self.b.null(TypeId::VOID_PTR),
                };
                let unwind = match self.b.unwind() {
                    Some(n) => n,
                    None => {
                        let n = self.b.node();
                        self.b.set_unwind(n);
                        n
                    }
                };
                self.b.edge(self.at, unwind, Stmt::Resume(e), self.span);
            }
            _ => {
                // asm goto: what inline assembly does, then any of its targets.
                if let Some(asm) = inst.callee() {
                    self.inline_asm(inst, asm);
                }
                self.clobber_memory();
                let at = self.at;
                for target in inst.successors() {
                    self.go(at, Stmt::Skip, block, target);
                }
            }
        }
    }

    fn branch(&mut self, inst: Value<'m>, block: Block<'m>) {
        let targets: Vec<Block<'m>> = inst.successors().collect();
        match targets[..] {
            [to] => self.go(self.at, Stmt::Skip, block, to),
            [yes, no] => {
                if never_taken(yes) {
                    return self.go(self.at, Stmt::Skip, block, no);
                }
                let condition = self.operand(inst.operand(0));
                if let ir::ExprKind::Int(bits) = *self.b.kind(condition) {
                    let to = if bits & 1 == 1 { yes } else { no };
                    return self.go(self.at, Stmt::Skip, block, to);
                }
                // The condition's own place says more than that of the statement around it.
                let test = inst.operand(0);
                if test.block() == Some(block) {
                    self.locate(test);
                }
                let negation = self.not(condition);
                let at = self.at;
                self.go(at, Stmt::Assume(condition), block, yes);
                self.go(at, Stmt::Assume(negation), block, no);
            }
            _ => {}
        }
    }

    fn ret(&mut self, inst: Value<'m>) {
        if inst.operand_count() > 0
            && let Some(ret) = self.b.ret()
        {
            let place = self.b.var_place(ret);
            let value = inst.operand(0);
            let v = self.operand_value(value);
            // The return slot is the return variable: nothing to do.
            let own = matches!(&v, Val::Expr(e) if *self.b.kind(*e) == ir::ExprKind::Load(place));
            if !own {
                self.store_place(place, value.ty(), v);
            }
        }
        self.b.edge(self.at, self.exit, Stmt::Skip, self.span);
    }

    fn switch(&mut self, inst: Value<'m>, block: Block<'m>) {
        let value = self.operand(inst.operand(0));
        let mut cases: Vec<(u128, Block<'m>)> = Vec::new();
        let mut i = 2;
        while i + 1 < inst.operand_count() {
            if let (Some(c), Some(b)) = (inst.operand(i).int_bits(), inst.operand(i + 1).as_block())
            {
                cases.push((c, b));
            }
            i += 2;
        }
        let Some(default) = inst.operand(1).as_block() else {
            return;
        };
        let Some((width, signed)) = self.int_type(value) else {
            return;
        };
        let number = |bits: u128| ir::expr::int_value(bits, width, signed);
        let at = self.at;
        let ty = self.b.type_of(value);
        // By target, in the order in which the targets are first named.
        let mut targets: Vec<(Block<'m>, Vec<i128>)> = Vec::new();
        let mut positions: FxHashMap<Block<'m>, usize> = FxHashMap::default();
        for &(c, target) in cases.iter().filter(|(_, b)| *b != default) {
            let i = *positions.entry(target).or_insert(targets.len());
            if i == targets.len() {
                targets.push((target, Vec::new()));
            }
            targets[i].1.push(number(c));
        }
        for (target, mut numbers) in targets {
            let condition = self.one_of(value, &mut numbers, ty);
            self.go(at, Stmt::Assume(condition), block, target);
        }
        let mut others: Vec<i128> = cases
            .iter()
            .filter(|(_, b)| *b != default)
            .map(|(c, _)| number(*c))
            .collect();
        // Where clang itself knows that no other value comes (the way out of clean-ups), there is
        // nothing to check.
        if default.name().starts_with("unreachable") {
            return;
        }
        let stmt = if others.is_empty() {
            Stmt::Skip
        } else {
            let some = self.one_of(value, &mut others, ty);
            Stmt::Assume(self.not(some))
        };
        self.go(at, stmt, block, default);
    }

    /// `value` is one of these: ranges, joined by or.
    fn one_of(&mut self, value: ExprId, numbers: &mut [i128], ty: TypeId) -> ExprId {
        numbers.sort_unstable();
        let mut ranges = Vec::new();
        let mut i = 0;
        while i < numbers.len() {
            let first = numbers[i];
            let mut last = first;
            while i + 1 < numbers.len() && numbers[i + 1] == last + 1 {
                i += 1;
                last = numbers[i];
            }
            i += 1;
            let lo = self.int(first, ty);
            ranges.push(if first == last {
                self.b.compare(CompareOp::Eq, value, lo)
            } else {
                let hi = self.int(last, ty);
                let above = self.b.compare(CompareOp::Ge, value, lo);
                let below = self.b.compare(CompareOp::Le, value, hi);
                self.b.binary(ir::BinaryOp::And, above, below)
            });
        }
        self.any_of(&ranges)
    }

    /// The conditions joined by or, as a balanced tree: a switch may have thousands.
    fn any_of(&mut self, conditions: &[ExprId]) -> ExprId {
        match conditions {
            [] => self.b.bool(false),
            [one] => *one,
            many => {
                let (left, right) = many.split_at(many.len() / 2);
                let (left, right) = (self.any_of(left), self.any_of(right));
                self.b.binary(ir::BinaryOp::Or, left, right)
            }
        }
    }

    pub(super) fn landing_pad(&mut self, inst: Value<'m>) {
        let exception = self.temp("exception", TypeId::VOID_PTR);
        let selector = self.temp("selector", TypeId::I32);
        let mut clauses = Vec::new();
        for clause in inst.clauses() {
            let global = |s: &Self, v: Value<'m>| s.unit.globals.get(&v).copied();
            if clause.ty().kind() == TyKind::Array {
                let n = clause.ty().len() as u32;
                let all = (0..n)
                    .filter_map(|i| clause.element(i))
                    .filter_map(|v| global(self, v))
                    .collect();
                clauses.push(CatchClause::Filter(all));
            } else {
                clauses.push(CatchClause::Catch(global(self, clause)));
            }
        }
        let cleanup = inst.is_cleanup();
        self.emit(Stmt::LandingPad {
            exception,
            selector,
            clauses,
            cleanup,
        });
        let (e, s) = (self.b.load_var(exception), self.b.load_var(selector));
        self.values
            .insert(inst, Val::Parts(vec![Val::Expr(e), Val::Expr(s)]));
    }

    /// The two ways out of an invoke.
    pub(super) fn invoke_edges(
        &mut self,
        inst: Value<'m>,
        block: Block<'m>,
        normal: Stmt,
        unwind: Stmt,
        settle: impl FnOnce(&mut Self),
    ) {
        let at = self.at;
        if let Some(to) = inst.unwind_dest() {
            self.go(at, unwind, block, to);
        }
        self.at = self.b.step(at, normal, self.span);
        settle(self);
        if let Some(to) = inst.normal_dest() {
            let from = self.at;
            self.go(from, Stmt::Skip, block, to);
        }
    }
}
