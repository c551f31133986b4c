//! Statements on a path.

use crate::linear::Linear;
use crate::path::Path;
use crate::place::Address;
use crate::run::Run;
use crate::value::{Object, Pointer, Site, Value};
use ir::{EdgeId, ExprId, ExprKind, PlaceId, Stmt, VarId};
use smallvec::{SmallVec, smallvec};

/// Where a path is behind a statement: nowhere, if it ended.
pub type Behind = SmallVec<[Path; 2]>;

impl Run<'_> {
    /// What a statement makes of a path. Checks and calls are not among these.
    pub fn statement(&mut self, mut path: Path, edge: EdgeId, stmt: &Stmt) -> Behind {
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
            Stmt::Allocate { var, count } => self.allocate(path, edge, *var, *count),
            Stmt::Copy {
                target,
                source,
                size,
                ..
            } => {
                let mut all = Behind::new();
                for (mut path, source) in self.eval(path, *source) {
                    let source = self.pointer(&mut path, source);
                    path.memory.escape_held(&source.object);
                    let sure = self.filled(&path, &source.object).is_none();
                    for (path, target) in self.eval(path, *target) {
                        all.extend(self.overwritten(path, target, *size, sure));
                    }
                }
                all
            }
            Stmt::Fill { target, byte, size } => self.filling(path, *target, *byte, *size),
            Stmt::VaStart(target) => {
                let all = self.eval(path, *target);
                all.into_iter()
                    .map(|(mut path, value)| {
                        let pointer = self.pointer(&mut path, value);
                        path.memory.forget(&pointer.object);
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
            // The program ends, or an exception is on its way.
            Stmt::Trap(_) => Behind::new(),
            Stmt::Resume(_) => smallvec![path],
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
        let body = self.body;
        let ty = body.places[place].ty;
        let mut all = Behind::new();
        if let ExprKind::Load(source) = body.exprs[value].kind
            && !self.program.types.is_scalar(ty)
        {
            for (path, source) in self.address(path, source) {
                for (mut path, target) in self.address(path, place) {
                    self.copy(&mut path, &target, &source, ty);
                    all.push(path);
                }
            }
            return all;
        }
        let unsure = self.unsure(&path, value);
        for (path, value) in self.eval(path, value) {
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

    /// So many bytes become a byte.
    fn filling(&mut self, path: Path, target: ExprId, byte: ExprId, size: ExprId) -> Behind {
        let mut all = Behind::new();
        for (path, byte) in self.eval(path, byte) {
            let is_zero = matches!(&byte, Value::Number(n) if n.as_constant() == Some(0));
            for (path, target) in self.eval(path, target) {
                let sure = byte != Value::Undefined;
                let behind = self.overwritten(path, target.clone(), size, sure);
                all.extend(behind.into_iter().map(|mut path| {
                    if let (true, Value::Pointer(pointer)) = (is_zero, &target) {
                        self.zero(&mut path, pointer);
                    }
                    path
                }));
            }
        }
        all
    }

    /// So many bytes are written where a value leads; if it is `sure`, nothing that nobody has written.
    fn overwritten(&mut self, path: Path, target: Value, size: ExprId, sure: bool) -> Behind {
        let size_type = self.body.exprs[size].ty;
        let all = self.eval(path, size).into_iter();
        all.map(|(mut path, size)| {
            let size = self.number(&mut path, size, size_type);
            let target = self.pointer(&mut path, target.clone());
            self.overwrite(&mut path, &target, &size, sure);
            path
        })
        .collect()
    }

    fn allocate(&mut self, path: Path, edge: EdgeId, var: VarId, count: ExprId) -> Behind {
        let ty = self.body.vars[var].ty;
        let step = i128::from(self.program.types.stride(ty));
        let count_type = self.body.exprs[count].ty;
        let mut all = Behind::new();
        for (mut path, count) in self.eval(path, count) {
            let count = self.number(&mut path, count, count_type);
            let length = count.times(step);
            let pointer = self.fresh(&mut path, Site { edge, index: 0 }, length);
            let address = self.variable(var);
            self.store(&mut path, &address, ty, Value::from(pointer));
            all.push(path);
        }
        all
    }

    /// A pointer to an object that did not exist.
    pub fn fresh(&mut self, path: &mut Path, site: Site, length: Option<Linear>) -> Pointer {
        let object = Object::Fresh(site);
        path.memory.renew(&object);
        let length = length.unwrap_or_else(|| {
            let range = crate::input::Aspect::Length.range();
            crate::arithmetic::some_number(path, &mut self.symbols, range)
        });
        Pointer::to(object, length)
    }
}
