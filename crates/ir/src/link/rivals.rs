//! Several definitions of one function: a compile database often has several programs, each with
//! a `main` and a `usage` of its own.
//!
//! Each definition stays, under a linkage name of its own (`usage@two/b.c`). Who calls the name without defining it
//! belongs to one of these programs; nothing says to which, so the definition is taken that has the
//! signature of the call and, among those, is alone in the caller's directory; else the first.
//! (The same file compiled twice is one definition.)

use super::compatible;
use crate::expr::ExprKind;
use crate::program::{FuncId, Function, Program, Symbol, UnitId};
use crate::stmt::{Callee, Stmt};
use crate::types::TypeId;
use rustc_hash::FxHashMap;

/// A linkage name for a function whose own is taken.
pub fn own_name(program: &mut Program, f: &Function) -> Symbol {
    let unit = program.units.get(f.unit).map(|u| u.name);
    let unit = unit.and_then(|n| program.symbols.lookup(n));
    let name = program.name(f.name);
    let name = format!("{name}@{}", unit.unwrap_or_default());
    program.symbols.intern(&name)
}

/// By the first definition of a name all others.
#[derive(Default)]
pub struct Rivals(FxHashMap<FuncId, Vec<FuncId>>);

impl Rivals {
    pub fn add(&mut self, first: FuncId, other: FuncId) {
        self.0.entry(first).or_default().push(other);
    }

    /// Has some definition of the function this type, as far as calls go?
    pub fn fits(&self, program: &Program, first: FuncId, ty: TypeId) -> bool {
        let others = self.0.get(&first).into_iter().flatten();
        let mut all = std::iter::once(&first).chain(others);
        all.any(|g| compatible::functions(&program.types, ty, program.functions[*g].signature))
    }

    /// Leads every reference from a unit without a definition of its own to the one that fits.
    pub fn settle(&self, program: &mut Program) {
        if self.0.is_empty() {
            return;
        }
        let users: Vec<FuncId> = program.functions.ids().collect();
        for user in users {
            let unit = program.functions[user].unit;
            let Some(mut body) = program.functions[user].body.take() else {
                continue;
            };
            let mut edges = Vec::new();
            for (id, edge) in body.edges().iter() {
                if let Stmt::Call(call) = &edge.stmt
                    && let Callee::Direct(f) = call.callee
                    && let Some(meant) = self.meant(program, unit, f, call.signature)
                {
                    edges.push((id, meant));
                }
            }
            for (id, meant) in edges {
                if let Stmt::Call(call) = &mut body.edge_mut(id).stmt {
                    call.callee = Callee::Direct(meant);
                }
            }
            for (_, e) in body.exprs.iter_mut() {
                if let ExprKind::Function(f) = &mut e.kind {
                    let ty = program.types.pointee(e.ty).unwrap_or(e.ty);
                    if let Some(meant) = self.meant(program, unit, *f, ty) {
                        *f = meant;
                    }
                }
            }
            program.functions[user].body = Some(body);
        }
    }

    /// The definition that a unit means with a function; none if it is that one.
    fn meant(&self, program: &Program, unit: UnitId, f: FuncId, ty: TypeId) -> Option<FuncId> {
        let others = self.0.get(&f)?;
        if program.functions[f].unit == unit {
            return None;
        }
        let all = std::iter::once(f).chain(others.iter().copied());
        let fits =
            |g: &FuncId| compatible::functions(&program.types, ty, program.functions[*g].signature);
        let fitting: Vec<FuncId> = all.filter(fits).collect();
        let home = directory(program, unit);
        let near = |g: &&FuncId| directory(program, program.functions[**g].unit) == home;
        let near: Vec<FuncId> = fitting.iter().filter(near).copied().collect();
        match (fitting.as_slice(), near.as_slice()) {
            ([only], _) | (_, [only]) => Some(*only).filter(|g| *g != f),
            _ => None,
        }
    }
}

fn directory(program: &Program, unit: UnitId) -> &str {
    let name: Option<Symbol> = program.units.get(unit).map(|u| u.name);
    let name = name.and_then(|n| program.symbols.lookup(n));
    name.unwrap_or_default()
        .rsplit_once('/')
        .map_or("", |(directory, _)| directory)
}
