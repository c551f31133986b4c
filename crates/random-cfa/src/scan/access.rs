//! Accesses to memory: through pointers that may lead anywhere, behind their checks.

use super::{INTS, Scan};
use crate::exprs::vars_of;
use crate::world::ARRAY;
use ir::{CompareOp, Condition, NodeId, Stmt, TypeId};

impl Scan<'_> {
    /// `p[i]`, read or written, behind its checks.
    pub fn access(&mut self, at: NodeId) -> NodeId {
        let types = &self.w.program.types;
        let scalars = |t: TypeId| {
            let to = types.pointee(t);
            to.is_some_and(|to| INTS.contains(&to))
        };
        let all = vars_of(&self.s, scalars);
        let Some(p) = self.w.rng.pick(&all) else {
            return at;
        };
        let ty = self.s.b.var_type(p);
        let to = types.pointee(ty).unwrap_or(TypeId::I32);
        let p = self.s.b.load_var(p);
        let index = match self.w.rng.one_in(3) {
            true => self.int(0, TypeId::I64),
            false => self.term(TypeId::I64),
        };
        let null = self.s.b.null(ty);
        let some = self.s.b.compare(CompareOp::Ne, p, null);
        let pointer = self.s.b.ptr_add(p, index);
        let size = i128::from(self.w.program.types.size_of(to));
        let size = self.int(size, TypeId::U64);
        let place = self.s.b.deref(&self.w.program.types, pointer);
        self.s.checks.extend([
            ("null-dereference", Condition::Holds(some)),
            ("use-after-free", Condition::Alive(p)),
            ("out-of-bounds", Condition::InBounds { pointer, size }),
        ]);
        if self.w.rng.one_in(2) {
            let value = self.linear(to);
            let at = self.checked(at);
            return self.stmt(at, Stmt::Assign { place, value });
        }
        if self.w.rng.one_in(3) {
            self.s
                .checks
                .push(("uninitialized-use", Condition::Initialized(place)));
        }
        let at = self.checked(at);
        match self.var(|t| INTS.contains(&t)) {
            Some(v) => {
                let value = self.s.b.load(place);
                let ty = self.s.b.var_type(v);
                let value = self.s.b.cast(&self.w.program.types, value, ty);
                self.assign(at, v, value)
            }
            None => at,
        }
    }

    /// `a[i]` of the function's own array.
    pub fn local_access(&mut self, at: NodeId) -> NodeId {
        let index = self.term(TypeId::I64);
        let unsigned = self.s.b.cast(&self.w.program.types, index, TypeId::U64);
        let bound = self.int(i128::from(ARRAY), TypeId::U64);
        let fine = self.s.b.compare(CompareOp::Lt, unsigned, bound);
        self.s
            .checks
            .push(("out-of-bounds", Condition::Holds(fine)));
        let at = self.checked(at);
        let place = self.s.b.var_place(self.array);
        let place = self.s.b.index(&self.w.program.types, place, index);
        if self.w.rng.one_in(2) {
            let value = self.linear(TypeId::I32);
            let at = self.checked(at);
            return self.stmt(at, Stmt::Assign { place, value });
        }
        self.s
            .checks
            .push(("uninitialized-use", Condition::Initialized(place)));
        let at = self.checked(at);
        match self.var(|t| t == TypeId::I32) {
            Some(v) => {
                let value = self.s.b.load(place);
                self.assign(at, v, value)
            }
            None => at,
        }
    }

    /// `q = alloca(…)`
    pub fn allocation(&mut self, at: NodeId) -> NodeId {
        let ty = self.w.program.types.pointer_to(TypeId::I32);
        let Some(var) = self.var(|t| t == ty) else {
            return at;
        };
        let count = self.term(TypeId::U8);
        let count = self.s.b.cast(&self.w.program.types, count, TypeId::U64);
        let at = self.checked(at);
        self.stmt(at, Stmt::Allocate { var, count })
    }

    /// `*pp = p`, or `p = *pp`.
    pub fn indirect(&mut self, at: NodeId) -> NodeId {
        let ty = self.w.program.types.pointer_to(TypeId::I32);
        let outer = self.w.program.types.pointer_to(ty);
        let Some(pp) = self.var(|t| t == outer) else {
            return at;
        };
        let pointer = self.s.b.load_var(pp);
        let null = self.s.b.null(outer);
        let some = self.s.b.compare(CompareOp::Ne, pointer, null);
        let size = self.int(8, TypeId::U64);
        self.s.checks.extend([
            ("null-dereference", Condition::Holds(some)),
            ("use-after-free", Condition::Alive(pointer)),
            ("out-of-bounds", Condition::InBounds { pointer, size }),
        ]);
        let at = self.checked(at);
        let place = self.s.b.deref(&self.w.program.types, pointer);
        if self.w.rng.one_in(2) {
            let value = self.pointer(ty);
            let at = self.checked(at);
            return self.stmt(at, Stmt::Assign { place, value });
        }
        match self.var(|t| t == ty) {
            Some(v) => {
                let value = self.s.b.load(place);
                self.assign(at, v, value)
            }
            None => at,
        }
    }
}
