//! What a call may write, by kind of memory: which globals, which fields of which structs, which plain
//! scalars through pointers; the callees' writes included.
//!
//! Field-based, like [`ir::CallGraph`]'s targets: `c->count` of all objects is one thing. So a call that
//! writes no `count` leaves every `count` as it is, wherever its pointers lead. That is not a proof (a
//! byte-wise copy can hit anything) but what a reader of the program relies on.
//!
//! Code that is not in view writes what it is handed, and the globals that are not in view either.

use crate::bits::Bits;
use crate::context::Context;
use crate::footprint::{self, Question};
use crate::models::model;
use ir::arena::Id;
use ir::{
    Base, Body, CallGraph, Callee, ExprKind, FuncId, GlobalId, Program, Stmt, StructId, TypeId,
    TypeTable,
};
use rayon::prelude::*;
use std::sync::{Arc, OnceLock};

mod names;
mod scan;
pub use names::Name;
use names::Names;
use scan::Scan;

/// A kind of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Global(GlobalId),
    /// By [`Fields::number`].
    Field(u32),
    /// Scalars of this size that are no fields, through pointers.
    Plain(u32),
    /// What code writes that is not in view.
    Foreign,
}

/// What may be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    globals: Bits,
    /// By [`Fields::number`].
    fields: Bits,
    /// Sizes.
    plain: Bits,
    /// Code that is not in view runs.
    foreign: bool,
    /// Functions that all of it may come from; whoever asks about it asks about them.
    by: Vec<FuncId>,
}

/// All fields of all structs, numbered.
#[derive(Debug, Default)]
struct Fields {
    /// Of each struct, the number of its first field.
    first: Vec<usize>,
}

impl Fields {
    fn new(program: &Program) -> Fields {
        let mut next = 0;
        let first = program.types.structs.values().map(|s| {
            let first = next;
            next += s.fields.len();
            first
        });
        Fields {
            first: first.collect(),
        }
    }

    fn number(&self, s: StructId, n: u32) -> usize {
        self.first[s.index()] + n as usize
    }
}

/// For every function what a call of it may write.
#[derive(Debug, Default)]
pub struct Effects {
    functions: Vec<Arc<Written>>,
    fields: Fields,
    /// Globals that pointers may lead to.
    exposed: Bits,
    names: OnceLock<Names>,
}

impl Effects {
    pub fn new(program: &Program, graph: &CallGraph) -> Effects {
        let fields = Fields::new(program);
        let exposed = exposed(program);
        let nothing = Arc::new(Written::default());
        let mut functions = vec![nothing; program.functions.len()];
        let own = |f: &ir::Function| {
            let mut written = Written::default();
            match &f.body {
                Some(body) => {
                    let mut own = Scan {
                        program,
                        body,
                        fields: &fields,
                        exposed: &exposed,
                        written: &mut written,
                    };
                    for edge in body.edges().values() {
                        own.statement(&edge.stmt);
                    }
                }
                None => written.foreign = model(program.name(f.name)).is_none(),
            }
            written
        };
        let all = program.functions.as_slice().par_iter();
        let own: Vec<Written> = all.map(own).collect();
        for component in graph.components() {
            let mut all = Written::default();
            for &f in component {
                all.add(&own[f.index()]);
                for callee in graph.callees(f) {
                    if !component.contains(callee) {
                        all.add(&functions[callee.index()]);
                    }
                }
            }
            let all = Arc::new(all);
            for &f in component {
                functions[f.index()] = Arc::clone(&all);
            }
        }
        // Whom code that is not in view was handed, it may call back.
        let mut back = Written::default();
        for f in handed_out(program) {
            back.add(&functions[f.index()]);
        }
        if back != Written::default() {
            for written in functions.iter_mut().filter(|w| w.foreign) {
                Arc::make_mut(written).add(&back);
            }
        }
        Effects {
            functions,
            fields,
            exposed,
            names: OnceLock::new(),
        }
    }

    /// A kind by a name that means the same in every program.
    pub fn name(&self, program: &Program, kind: Kind) -> Name {
        self.names(program).of(kind)
    }

    /// May a call of the function write what is called so? None: that cannot be told.
    pub fn writes_named(&self, program: &Program, f: FuncId, name: Name) -> Option<bool> {
        let kind = self.names(program).kind(name)?;
        // What is not there any more is not written.
        Some(kind.is_some_and(|kind| self.writes(f, kind)))
    }

    fn names(&self, program: &Program) -> &Names {
        self.names.get_or_init(|| Names::new(program))
    }

    /// May a call of the function write this?
    pub fn writes(&self, f: FuncId, kind: Kind) -> bool {
        let written = self.functions.get(f.index());
        written.map_or(kind == Kind::Foreign, |written| written.has(kind))
    }

    /// Adds what one statement writes, callees apart.
    pub fn of_statement(&self, program: &Program, body: &Body, stmt: &Stmt, written: &mut Written) {
        let mut scan = Scan {
            program,
            body,
            fields: &self.fields,
            exposed: &self.exposed,
            written,
        };
        scan.statement(stmt);
    }

    /// Adds what the function's own statements write, and those of the functions that it calls by name, so
    /// many calls deep.
    pub fn near(&self, context: &Context<'_>, f: FuncId, depth: u32, written: &mut Written) {
        let Some(body) = context.body(f) else {
            return;
        };
        let program = context.program;
        for edge in body.edges().values() {
            self.of_statement(program, body, &edge.stmt, written);
            if let Stmt::Call(call) = &edge.stmt
                && let Callee::Direct(g) = call.callee
                && depth > 0
                && g != f
            {
                self.near(context, g, depth - 1, written);
            }
        }
    }

    pub fn of(&self, f: FuncId) -> Option<&Written> {
        self.functions.get(f.index()).map(|w| &**w)
    }

    /// Can a word of an object be among what is written? `ty` is the object's type.
    pub fn touches(
        &self,
        written: &Written,
        program: &Program,
        global: Option<GlobalId>,
        ty: TypeId,
        offset: u64,
        size: u64,
    ) -> bool {
        if let Some(g) = global
            && (written.may(Kind::Global(g))
                || program.globals[g].init.is_none() && written.is_foreign())
        {
            return true;
        }
        if global.is_some_and(|g| !self.exposed.contains(g.index())) {
            return false;
        }
        self.touches_part(written, &program.types, ty, offset, size)
    }

    fn field(&self, s: StructId, n: u32) -> Kind {
        Kind::Field(self.fields.number(s, n) as u32)
    }

    fn touches_part(
        &self,
        written: &Written,
        types: &TypeTable,
        ty: TypeId,
        offset: u64,
        size: u64,
    ) -> bool {
        if let Some(part) = types.part_at(ty, offset) {
            return match part.field {
                Some((s, n)) => written.may(self.field(s, n)),
                None => written.may(Kind::Plain(size as u32)),
            };
        }
        // Members of a union are each other.
        match types.union_at(ty, offset) {
            Some((union, within)) => {
                let members = types.structs[union].fields.iter().enumerate();
                members.into_iter().any(|(n, member)| {
                    written.may(self.field(union, n as u32))
                        || types.size_of(member.ty) > within
                            && !types.is_scalar(member.ty)
                            && self.touches_part(written, types, member.ty, within, size)
                })
            }
            None => true,
        }
    }
}

/// The globals whose address some expression or initial value is.
pub fn exposed(program: &Program) -> Bits {
    let functions = program.functions.as_slice().par_iter();
    let bodies = functions.filter_map(|f| f.body.as_ref());
    let addresses: Vec<Vec<usize>> = bodies
        .map(|body| {
            let found = body.exprs.values().filter_map(|e| match e.kind {
                ExprKind::AddrOf(place) => match body.places[place].base {
                    Base::Global(g) => Some(g.index()),
                    _ => None,
                },
                _ => None,
            });
            found.collect()
        })
        .collect();
    let mut found = Bits::default();
    for g in addresses.into_iter().flatten() {
        found.insert(g);
    }
    let inits = program.globals.values().filter_map(|g| g.init.as_ref());
    for relocation in inits.flat_map(|i| &i.relocations) {
        if let ir::Target::Global(g) = relocation.target {
            found.insert(g.index());
        }
    }
    found
}

/// The functions whose address some call hands to code that is not in view.
fn handed_out(program: &Program) -> Vec<FuncId> {
    let mut found = Vec::new();
    for (_, _, body) in program.bodies() {
        for edge in body.edges().values() {
            let Stmt::Call(call) = &edge.stmt else {
                continue;
            };
            let unseen = match call.callee {
                Callee::Direct(f) => program.functions[f].body.is_none(),
                Callee::Indirect(_) => false,
            };
            for &arg in call.args.iter().filter(|_| unseen) {
                let mut arg = arg;
                while let ExprKind::Cast(inner) = body.exprs[arg].kind {
                    arg = inner;
                }
                if let ExprKind::Function(f) = body.exprs[arg].kind {
                    found.push(f);
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

impl Written {
    /// Is it in there? Whoever decides by it depends on it.
    fn may(&self, kind: Kind) -> bool {
        for f in &self.by {
            footprint::note(Question::Writes(*f, kind));
        }
        self.has(kind)
    }

    fn has(&self, kind: Kind) -> bool {
        match kind {
            Kind::Global(g) => self.globals.contains(g.index()),
            Kind::Field(number) => self.fields.contains(number as usize),
            Kind::Plain(size) => self.plain.contains(size as usize),
            Kind::Foreign => self.foreign,
        }
    }

    /// Does code run that is not in view?
    pub fn is_foreign(&self) -> bool {
        self.may(Kind::Foreign)
    }

    /// Code runs that is not in view.
    pub fn add_foreign(&mut self) {
        self.foreign = true;
    }

    /// Adds what a function is known to write, and that it does.
    pub(crate) fn add_of(&mut self, f: FuncId, other: &Written, what: What) {
        match what {
            What::All => self.add(other),
            What::Globals => self.add_globals(other),
        }
        self.by.push(f);
    }

    /// Adds the globals that are written by name.
    fn add_globals(&mut self, other: &Written) {
        self.globals.extend(&other.globals);
        self.foreign |= other.foreign;
    }

    fn add(&mut self, other: &Written) {
        self.globals.extend(&other.globals);
        self.fields.extend(&other.fields);
        self.plain.extend(&other.plain);
        self.foreign |= other.foreign;
    }
}

/// What of it is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    All,
    /// The globals that are written by name.
    Globals,
}
