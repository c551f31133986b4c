//! Rewriting one unit's ids to those of the linked program, in place.

use crate::body::{Body, VarId};
use crate::expr::{Base, ExprKind, Projection};
use crate::program::{FuncId, Function, Global, GlobalId, Init, Symbol, Target, Unit, UnitId};
use crate::span::{FileId, Span};
use crate::stmt::{Callee, CatchClause, HavocReason, Stmt};
use crate::types::{StructDef, TypeId};

/// For every old id the new one. An id that is out of range becomes one that still is.
#[derive(Default)]
pub struct Remap {
    pub symbols: Vec<Symbol>,
    pub types: Vec<TypeId>,
    pub files: Vec<FileId>,
    pub units: Vec<UnitId>,
    pub functions: Vec<FuncId>,
    pub globals: Vec<GlobalId>,
}

impl Remap {
    pub fn symbol(&self, s: Symbol) -> Symbol {
        let bad = Symbol(u32::MAX);
        self.symbols.get(s.0 as usize).copied().unwrap_or(bad)
    }

    pub fn ty(&self, t: TypeId) -> TypeId {
        let bad = TypeId(u32::MAX);
        self.types.get(t.0 as usize).copied().unwrap_or(bad)
    }

    pub fn unit(&self, u: UnitId) -> UnitId {
        let bad = UnitId(u32::MAX);
        self.units.get(u.0 as usize).copied().unwrap_or(bad)
    }

    pub fn function(&self, f: FuncId) -> FuncId {
        let bad = FuncId(u32::MAX);
        self.functions.get(f.0 as usize).copied().unwrap_or(bad)
    }

    pub fn global(&self, g: GlobalId) -> GlobalId {
        let bad = GlobalId(u32::MAX);
        self.globals.get(g.0 as usize).copied().unwrap_or(bad)
    }

    pub fn span(&self, span: Span) -> Span {
        match self.files.get(span.file.0 as usize) {
            Some(&file) if !span.is_none() => Span { file, ..span },
            _ => Span::NONE,
        }
    }

    pub fn structure(&self, def: &mut StructDef) {
        def.name = self.symbol(def.name);
        for f in &mut def.fields {
            f.name = self.symbol(f.name);
            f.ty = self.ty(f.ty);
        }
    }

    pub fn constructors(&self, unit: &mut Unit) {
        for (_, f) in unit.constructors.iter_mut().chain(&mut unit.destructors) {
            *f = self.function(*f);
        }
    }

    pub fn function_header(&self, f: &mut Function) {
        f.name = self.symbol(f.name);
        f.display = self.symbol(f.display);
        f.unit = self.unit(f.unit);
        f.signature = self.ty(f.signature);
        f.span = self.span(f.span);
    }

    pub fn global_header(&self, g: &mut Global) {
        g.name = self.symbol(g.name);
        g.unit = self.unit(g.unit);
        g.ty = self.ty(g.ty);
        g.span = self.span(g.span);
    }

    pub fn init(&self, init: &mut Init) {
        for r in &mut init.relocations {
            r.target = match r.target {
                Target::Function(f) => Target::Function(self.function(f)),
                Target::Global(g) => Target::Global(self.global(g)),
                Target::Label(f, k) => Target::Label(self.function(f), k),
            };
        }
    }

    pub fn body(&self, body: &mut Body) {
        for (_, v) in body.vars.iter_mut() {
            v.name = self.symbol(v.name);
            v.ty = self.ty(v.ty);
        }
        for (_, e) in body.exprs.iter_mut() {
            e.ty = self.ty(e.ty);
            match &mut e.kind {
                ExprKind::Function(f) | ExprKind::Label(f, _) => *f = self.function(*f),
                ExprKind::TypeInfo(g) => *g = self.global(*g),
                ExprKind::Int(_)
                | ExprKind::Float(_)
                | ExprKind::Null
                | ExprKind::Undef
                | ExprKind::Load(_)
                | ExprKind::AddrOf(_)
                | ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::Compare(..)
                | ExprKind::Overflow(..)
                | ExprKind::Cast(_)
                | ExprKind::Select(..)
                | ExprKind::PtrAdd(..)
                | ExprKind::Intrinsic(..) => {}
            }
        }
        for (_, p) in body.places.iter_mut() {
            p.ty = self.ty(p.ty);
            if let Base::Global(g) = &mut p.base {
                *g = self.global(*g);
            }
            for step in &mut p.projections {
                if let Projection::As(ty) = step {
                    *ty = self.ty(*ty);
                }
            }
        }
        for (_, c) in body.checks.iter_mut() {
            c.rule = self.symbol(c.rule);
        }
        for id in body.edges().ids() {
            let edge = body.edge_mut(id);
            edge.span = self.span(edge.span);
            self.stmt(&mut edge.stmt);
        }
    }

    fn stmt(&self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Havoc { reason, .. } => match reason {
                HavocReason::Intrinsic(s) | HavocReason::Instruction(s) => *s = self.symbol(*s),
                HavocReason::InlineAssembly
                | HavocReason::Vector
                | HavocReason::Constant
                | HavocReason::WideInteger => {}
            },
            Stmt::Call(call) => {
                call.signature = self.ty(call.signature);
                if let Callee::Direct(f) = &mut call.callee {
                    *f = self.function(*f);
                }
            }
            Stmt::LandingPad { clauses, .. } => {
                for clause in clauses {
                    match clause {
                        CatchClause::Catch(Some(g)) => *g = self.global(*g),
                        CatchClause::Catch(None) => {}
                        CatchClause::Filter(types) => {
                            types.iter_mut().for_each(|g| *g = self.global(*g));
                        }
                    }
                }
            }
            // Variables, expressions, places and checks are numbered per body.
            Stmt::Skip
            | Stmt::Declare(VarId(_))
            | Stmt::End(VarId(_))
            | Stmt::Allocate { .. }
            | Stmt::Assign { .. }
            | Stmt::Assume(_)
            | Stmt::Copy { .. }
            | Stmt::Fill { .. }
            | Stmt::Check(_)
            | Stmt::VaStart(_)
            | Stmt::Resume(_)
            | Stmt::Trap(_) => {}
        }
    }
}
