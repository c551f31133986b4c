//! Statements on a path.

use crate::linear::Linear;
use crate::memory::Written;
use crate::path::{Path, Paths};
use crate::place::Address;
use crate::run::Run;
use crate::value::{Object, Pointer, Value};
use ir::{Call, Callee, ExprId, ExprKind, PlaceId, Stmt, VarId};
use smallvec::{SmallVec, smallvec};

/// Where a path is behind a statement: nowhere, if it ended.
pub type Behind = SmallVec<[Path; 2]>;

impl Run<'_> {
    /// What a statement makes of a path. Checks and calls are not among these.
    pub fn statement(&mut self, mut path: Path, stmt: &Stmt) -> Behind {
        match stmt {
            Stmt::Skip | Stmt::Check(_) | Stmt::Call(_) => smallvec![path],
            Stmt::Declare(v) => {
                path.memory.begin(&Object::Variable(*v));
                smallvec![path]
            }
            Stmt::End(v) => {
                path.memory.end(&Object::Variable(*v));
                smallvec![path]
            }
            Stmt::Assume(e) => self.assume(path, *e, true),
            Stmt::Assign { place, value } => self.assign(path, *place, *value),
            Stmt::Havoc { place, .. } => {
                let ty = self.body.places[*place].ty;
                let all = self.address(path, *place);
                all.into_iter()
                    .map(|(mut path, address)| {
                        let any = self.anything(&mut path, ty);
                        self.store(&mut path, &address, ty, any);
                        path
                    })
                    .collect()
            }
            Stmt::Allocate { var, count } => self.allocate(path, *var, *count),
            Stmt::Copy { target, .. } | Stmt::Fill { target, .. } | Stmt::VaStart(target) => {
                let all = self.eval(path, *target);
                all.into_iter()
                    .map(|(mut path, value)| {
                        let pointer = self.pointer(&mut path, value);
                        self.forget(&mut path, &pointer);
                        path
                    })
                    .collect()
            }
            Stmt::LandingPad {
                exception,
                selector,
                ..
            } => {
                for v in [exception, selector] {
                    self.havoc_variable(&mut path, *v);
                }
                smallvec![path]
            }
            // Nothing follows, or an exception that is on its way.
            Stmt::Trap(_) => Behind::new(),
            Stmt::Resume(_) => smallvec![path],
        }
    }

    /// Something is written where a pointer leads.
    pub fn forget(&mut self, path: &mut Path, pointer: &Pointer) {
        match &pointer.object {
            Object::Somewhere => path.memory.forget_exposed(None),
            object => path.memory.forget(object),
        }
    }

    fn havoc_variable(&mut self, path: &mut Path, v: VarId) {
        let ty = self.body.vars[v].ty;
        let any = self.anything(path, ty);
        let address = self.variable(v);
        self.store(path, &address, ty, any);
    }

    /// Where a variable lies.
    pub fn variable(&self, v: VarId) -> Address {
        let size = self.program.types.size_of(self.body.vars[v].ty);
        let length = Linear::constant(i128::from(size));
        Address {
            pointer: Pointer::to(Object::Variable(v), length),
            bits: None,
        }
    }

    fn assign(&mut self, path: Path, place: PlaceId, value: ExprId) -> Behind {
        let ty = self.body.places[place].ty;
        let mut all = Behind::new();
        let unsure = self.unsure(&path, value);
        for (path, value) in self.assigned(path, value) {
            for (mut path, address) in self.address(path, place) {
                match self.program.types.is_scalar(ty) {
                    true => {
                        let (value, unsure) = (value.clone(), unsure.clone());
                        self.store_unsure(&mut path, &address, ty, value, unsure);
                    }
                    // A struct or an array as a whole.
                    false => path.memory.forget(&address.pointer.object),
                }
                all.push(path);
            }
        }
        all
    }

    /// The value of the right side; of a struct, nothing.
    fn assigned(&mut self, path: Path, value: ExprId) -> Paths<Value> {
        let expr = &self.body.exprs[value];
        match expr.kind {
            ExprKind::Load(_) if !self.program.types.is_scalar(expr.ty) => {
                smallvec![(path, Value::Other)]
            }
            _ => self.eval(path, value),
        }
    }

    fn allocate(&mut self, path: Path, var: VarId, count: ExprId) -> Behind {
        let ty = self.body.vars[var].ty;
        let step = i128::from(self.program.types.stride(ty));
        let count_type = self.body.exprs[count].ty;
        let mut all = Behind::new();
        for (mut path, count) in self.eval(path, count) {
            let count = self.number(&mut path, count, count_type);
            let length = count.times(step);
            let pointer = self.fresh(&mut path, length);
            let address = self.variable(var);
            self.store(&mut path, &address, ty, Value::from(pointer));
            all.push(path);
        }
        all
    }

    /// A pointer to an object that did not exist.
    pub fn fresh(&mut self, path: &mut Path, length: Option<Linear>) -> Pointer {
        let object = Object::Fresh(path.fresh);
        path.fresh += 1;
        path.memory.begin(&object);
        let length = length.unwrap_or_else(|| {
            let range = crate::input::Aspect::Length.range();
            crate::arithmetic::some_number(path, &mut self.symbols, range)
        });
        Pointer::to(object, length)
    }

    /// A call of which nothing is known: it may write whatever others know of, and gives any result.
    pub fn unknown_call(&mut self, mut path: Path, call: &Call) -> Behind {
        for arg in &call.args {
            for (_, value) in self.eval(path.clone(), *arg) {
                if let Value::Pointer(pointer) = value {
                    path.memory.escape(&pointer.object);
                }
            }
        }
        path.memory.forget_exposed(None);
        let Some(result) = call.result else {
            return smallvec![path];
        };
        let ty = self.body.places[result].ty;
        // What is not in the program knows what it returns.
        let is_sure = match call.callee {
            Callee::Direct(f) => self.program.functions[f].body.is_none(),
            Callee::Indirect(_) => false,
        };
        let unsure = (!is_sure).then_some(Written::Maybe);
        let all = self.address(path, result);
        all.into_iter()
            .map(|(mut path, address)| {
                let any = self.anything(&mut path, ty);
                self.store_unsure(&mut path, &address, ty, any, unsure.clone());
                path
            })
            .collect()
    }
}
