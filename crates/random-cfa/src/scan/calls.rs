//! Calls of earlier functions and of the library, and other ways to leave.

use super::Scan;
use ir::{Call, CallOutcome, Callee, ExprId, FuncId, NodeId, Span, Stmt, TrapReason, Type, TypeId};

impl Scan<'_> {
    fn call_of(&mut self, at: NodeId, f: FuncId, args: Vec<ExprId>, result: bool) -> NodeId {
        let at = self.checked(at);
        let signature = self.w.program.functions[f].signature;
        let ret = match self.w.program.types.get(signature) {
            Type::Function { ret, .. } => *ret,
            _ => TypeId::VOID,
        };
        let result = self.var(|t| t == ret).filter(|_| result);
        let call = Call {
            result: result.map(|v| self.s.b.var_place(v)),
            callee: Callee::Direct(f),
            args,
            signature,
            outcome: CallOutcome::Return,
            noreturn: self.w.program.functions[f].noreturn,
        };
        self.stmt(at, Stmt::Call(Box::new(call)))
    }

    pub fn call(&mut self, at: NodeId) -> NodeId {
        if self.w.rng.one_in(4) {
            let ty = self.w.program.types.pointer_to(TypeId::I32);
            let p = self.pointer(ty);
            let p = self.s.b.cast(&self.w.program.types, p, TypeId::VOID_PTR);
            return self.call_of(at, self.library.free, vec![p], false);
        }
        let Some(f) = self.w.rng.pick(&self.w.functions.clone()) else {
            return at;
        };
        let signature = self.w.program.functions[f].signature;
        let Type::Function { params, .. } = self.w.program.types.get(signature).clone() else {
            return at;
        };
        let args = params.iter().map(|ty| {
            let is_pointer = self.w.program.types.is_pointer(*ty);
            match is_pointer {
                true => self.pointer(*ty),
                false => self.term(*ty),
            }
        });
        let args: Vec<ExprId> = args.collect();
        self.call_of(at, f, args, true)
    }

    /// `if (c) return`, `if (c) exit(n)`, or a trap.
    pub fn ending(&mut self, at: NodeId) -> NodeId {
        let c = self.condition();
        let (yes, no) = self.fork(at, c);
        match self.w.rng.below(6) {
            0..=2 => self.returned(yes),
            3 | 4 => {
                let code = self.int(3, TypeId::I32);
                let behind = self.call_of(yes, self.library.exit, vec![code], false);
                let trap = Stmt::Trap(TrapReason::Unreachable);
                self.s.b.edge(behind, self.exit, trap, Span::NONE);
            }
            _ => {
                let trap = Stmt::Trap(TrapReason::Trap);
                self.s.b.edge(yes, self.exit, trap, Span::NONE);
            }
        }
        no
    }
}
