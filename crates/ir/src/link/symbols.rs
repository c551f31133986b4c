//! The names of the linked program: which function or variable each one stands for.

use super::remap::Remap;
use super::rivals::{self, Rivals};
use super::warning::{LinkWarning, LinkWarningKind, Site};
use super::{Strength, compatible};
use crate::expr::{Base, Projection};
use crate::program::{FuncId, Function, Global, GlobalId, Linkage, Program, Symbol, UnitId};
use crate::span::Span;
use crate::text;
use crate::types::{Type, TypeId, TypeTable};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
pub struct Symbols {
    functions: FxHashMap<Symbol, FuncId>,
    globals: FxHashMap<Symbol, GlobalId>,
    literals: FxHashMap<(Symbol, TypeId), Vec<GlobalId>>,
    /// What units said about functions and variables of which another unit's word was kept.
    function_views: Vec<View<FuncId>>,
    global_views: Vec<View<GlobalId>>,
    warnings: Vec<LinkWarning>,
    rivals: Rivals,
    /// For every unit the first unit of the program it came with.
    groups: Vec<UnitId>,
}

struct View<I> {
    id: I,
    ty: TypeId,
    unit: UnitId,
    span: Span,
}

impl Symbols {
    /// Enters one program's functions and returns those whose bodies are kept, to be renumbered.
    pub fn add_functions(
        &mut self,
        program: &mut Program,
        functions: Vec<Function>,
        map: &mut Remap,
    ) -> Vec<FuncId> {
        if let Some(&first) = map.units.first() {
            self.groups.extend(map.units.iter().map(|_| first));
        }
        let mut bodies = Vec::new();
        for mut f in functions {
            map.function_header(&mut f);
            let defined = f.body.is_some();
            let known = match f.linkage {
                Linkage::Internal => None,
                Linkage::External | Linkage::Inline | Linkage::Weak => {
                    self.functions.get(&f.name).copied()
                }
            };
            let Some(id) = known else {
                let id = program.functions.next_id();
                if f.linkage != Linkage::Internal {
                    self.functions.insert(f.name, id);
                }
                bodies.extend(defined.then_some(id));
                map.functions.push(id);
                program.functions.push(f);
                continue;
            };
            let old = &program.functions[id];
            let old_strength = Strength::new(old.body.is_some(), old.linkage);
            let strength = Strength::new(defined, f.linkage);
            let duplicate = strength == Strength::Strong && old_strength == Strength::Strong;
            if duplicate && !same_place(program, old, &f) {
                let kept = function_site(program, old);
                let other = function_site(program, &f);
                self.duplicate(program, f.display, kept, other);
                f.name = rivals::own_name(program, &f);
                let own = program.functions.push(f);
                map.functions.push(own);
                bodies.push(own);
                self.rivals.add(id, own);
                continue;
            }
            map.functions.push(id);
            let old = &mut program.functions[id];
            let noreturn = old.noreturn || f.noreturn;
            let loser = if strength > old_strength {
                bodies.push(id);
                std::mem::replace(old, f)
            } else {
                if !defined && f.linkage == Linkage::External && old_strength == Strength::Declared
                {
                    old.linkage = Linkage::External;
                }
                f
            };
            old.noreturn = noreturn;
            // Kept even where it agrees: the definition that decides may come later.
            self.function_views.push(View {
                id,
                ty: loser.signature,
                unit: loser.unit,
                span: loser.span,
            });
        }
        // A program that defines a name twice must not be renumbered twice.
        bodies.sort_unstable();
        bodies.dedup();
        bodies
    }

    /// Enters one program's variables and returns those whose initial values are kept, to be
    /// renumbered.
    pub fn add_globals(
        &mut self,
        program: &mut Program,
        globals: Vec<Global>,
        map: &mut Remap,
    ) -> Vec<GlobalId> {
        let mut inits = Vec::new();
        for mut g in globals {
            map.global_header(&mut g);
            let known = match g.linkage {
                Linkage::Internal => self.literal(program, &g),
                Linkage::External | Linkage::Inline | Linkage::Weak => {
                    self.globals.get(&g.name).copied()
                }
            };
            let defined = g.init.is_some();
            let Some(id) = known else {
                let id = program.globals.next_id();
                if g.linkage != Linkage::Internal {
                    self.globals.insert(g.name, id);
                } else if is_literal(program, &g) {
                    self.literals.entry((g.name, g.ty)).or_default().push(id);
                }
                inits.extend(defined.then_some(id));
                map.globals.push(id);
                program.globals.push(g);
                continue;
            };
            map.globals.push(id);
            if g.linkage == Linkage::Internal {
                continue;
            }
            let old = &mut program.globals[id];
            let old_strength = Strength::new(old.init.is_some(), old.linkage);
            let strength = Strength::new(defined, g.linkage);
            // Of common variables (`-fcommon`: `int a[2];` here, `int a[10];` there) the largest
            // is the object.
            let larger = strength == Strength::Weak
                && old_strength == Strength::Weak
                && program.types.size_of(g.ty) > program.types.size_of(old.ty);
            let loser = if strength > old_strength || larger {
                inits.push(id);
                std::mem::replace(old, g)
            } else {
                if !defined && g.linkage == Linkage::External && old_strength == Strength::Declared
                {
                    old.linkage = Linkage::External;
                }
                g
            };
            if strength == Strength::Strong && old_strength == Strength::Strong {
                let kept = global_site(program, &program.globals[id]);
                let other = global_site(program, &loser);
                self.duplicate(program, loser.name, kept, other);
            }
            // Kept even where it agrees: the definition that decides may come later.
            self.global_views.push(View {
                id,
                ty: loser.ty,
                unit: loser.unit,
                span: loser.span,
            });
        }
        inits.sort_unstable();
        inits.dedup();
        inits
    }

    /// The equal string literal that the program already has.
    fn literal(&self, program: &Program, g: &Global) -> Option<GlobalId> {
        if !is_literal(program, g) {
            return None;
        }
        let ids = self.literals.get(&(g.name, g.ty))?;
        let same = |id: &&GlobalId| {
            let old = program.globals.get(**id);
            old.is_some_and(|old| old.init == g.init && old.thread_local == g.thread_local)
        };
        ids.iter().find(same).copied()
    }

    fn duplicate(&mut self, program: &Program, name: Symbol, kept: Site, other: Site) {
        self.warnings.push(LinkWarning {
            name: program.name(name).to_string(),
            kind: LinkWarningKind::DuplicateDefinition,
            kept,
            other,
        });
    }

    /// Settles what only the whole program can tell.
    pub fn finish(mut self, program: &mut Program) -> Vec<LinkWarning> {
        self.report_views(program);
        for (_, f) in program.functions.iter() {
            let variable = self.globals.get(&f.name);
            if let (Some(&g), true) = (variable, f.linkage != Linkage::Internal) {
                let g = &program.globals[g];
                self.warnings.push(LinkWarning {
                    name: program.name(f.display).to_string(),
                    kind: LinkWarningKind::FunctionAndVariable,
                    kept: function_site(program, f),
                    other: global_site(program, g),
                });
            }
        }
        self.reinterpret(program);
        self.rivals.settle(program);
        self.warnings
    }

    fn report_views(&mut self, program: &Program) {
        let mut said = FxHashSet::default();
        for view in &self.function_views {
            let f = &program.functions[view.id];
            if f.body.is_some()
                && !self.rivals.fits(program, view.id, view.ty)
                && said.insert((view.id, view.unit))
            {
                self.warnings.push(LinkWarning {
                    name: program.name(f.display).to_string(),
                    kind: LinkWarningKind::TypeMismatch,
                    kept: function_site(program, f),
                    other: site(program, view.unit, view.span, view.ty),
                });
            }
        }
        let mut said = FxHashSet::default();
        for view in &self.global_views {
            let g = &program.globals[view.id];
            if g.init.is_some()
                && !compatible::values(&program.types, view.ty, g.ty)
                && said.insert((view.id, view.unit))
            {
                self.warnings.push(LinkWarning {
                    name: program.name(g.name).to_string(),
                    kind: LinkWarningKind::TypeMismatch,
                    kept: global_site(program, g),
                    other: site(program, view.unit, view.span, view.ty),
                });
            }
        }
    }

    /// Where a unit saw a variable at another type than the one kept, its places read it so.
    fn reinterpret(&self, program: &mut Program) {
        let group = |unit: UnitId| self.groups.get(unit.0 as usize).copied();
        let mut views: FxHashMap<(UnitId, GlobalId), TypeId> = FxHashMap::default();
        let mut groups: FxHashSet<UnitId> = FxHashSet::default();
        for view in &self.global_views {
            if let Some(group) = group(view.unit)
                && program.globals[view.id].ty != view.ty
            {
                views.insert((group, view.id), view.ty);
                groups.insert(group);
            }
        }
        let globals = &program.globals;
        let types = &program.types;
        for (_, f) in program.functions.iter_mut() {
            let (Some(group), Some(body)) = (group(f.unit), &mut f.body) else {
                continue;
            };
            if !groups.contains(&group) {
                continue;
            }
            for (_, place) in body.places.iter_mut() {
                if let Base::Global(g) = place.base
                    && let Some(&seen) = views.get(&(group, g))
                    && !step_fits(types, place.projections.first(), seen, globals[g].ty)
                {
                    place.projections.insert(0, Projection::As(seen));
                }
            }
        }
    }
}

/// Does this first step mean the same on a variable of either type?
fn step_fits(types: &TypeTable, step: Option<&Projection>, seen: TypeId, kept: TypeId) -> bool {
    match step {
        Some(Projection::As(_)) => true,
        Some(Projection::Index(_)) => match (types.lookup(seen), types.lookup(kept)) {
            (Some(Type::Array { elem: a, .. }), Some(Type::Array { elem: b, .. })) => a == b,
            _ => false,
        },
        Some(Projection::Field(_)) | None => false,
    }
}

fn is_literal(program: &Program, g: &Global) -> bool {
    let name = program.symbols.lookup(g.name).unwrap_or_default();
    // One that holds addresses refers to its own unit.
    let plain = g.init.as_ref().is_some_and(|i| i.relocations.is_empty());
    g.linkage == Linkage::Internal && g.constant && name.starts_with('"') && plain
}

/// Are two definitions the same text, compiled twice?
fn same_place(program: &Program, a: &Function, b: &Function) -> bool {
    let place = |f: &Function| (program.file_path(f.span.file), f.span.line, f.span.column);
    !a.span.is_none() && !b.span.is_none() && place(a) == place(b)
}

fn site(program: &Program, unit: UnitId, span: Span, ty: TypeId) -> Site {
    Site::new(program, unit, span, text::print_type(program, ty))
}

fn function_site(program: &Program, f: &Function) -> Site {
    site(program, f.unit, f.span, f.signature)
}

fn global_site(program: &Program, g: &Global) -> Site {
    site(program, g.unit, g.span, g.ty)
}
