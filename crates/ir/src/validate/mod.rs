//! Well-formedness: what every engine may take for granted about a program.
//!
//! All ids are in range, operands have the types their operators ask for, edges stay within the
//! body, the exit is the end. An expression's operands precede it in the arena, so expressions
//! have no cycles and a pass over the arena meets operands first.

mod body;
mod expr;
mod stmt;
#[cfg(test)]
mod tests;

use crate::body::EdgeId;
use crate::program::{FuncId, Program, Symbol, Target};
use crate::span::Span;
use crate::text::Printer;
use crate::types::{Type, TypeId};
use std::fmt;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub function: Option<FuncId>,
    pub edge: Option<EdgeId>,
    /// The function's name, for a person.
    pub function_name: Option<String>,
    pub message: String,
}

impl Violation {
    /// Like `Display`, with the edge's statement as the text form has it.
    pub fn describe(&self, program: &Program) -> String {
        let stmt = self.function.zip(self.edge).and_then(|(f, e)| {
            let body = program.functions.get(f)?.body.as_ref()?;
            let stmt = &body.edges().get(e)?.stmt;
            Some(Printer::new(program).stmt(f, body, stmt))
        });
        match (&self.function_name, stmt) {
            (Some(name), Some(stmt)) => format!("in `{name}`, `{stmt}`: {}", self.message),
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.function_name {
            write!(f, "in `{name}`")?;
            if let Some(edge) = self.edge {
                write!(f, ", edge {}", edge.0)?;
            }
            write!(f, ": ")?;
        }
        f.write_str(&self.message)
    }
}

/// There may be one violation for each of a million expressions; nobody reads so many.
const MAX_VIOLATIONS: usize = 1000;

pub fn validate(program: &Program) -> Result<(), Vec<Violation>> {
    let mut v = Validator {
        program,
        printer: Printer::new(program),
        violations: Vec::new(),
        function: None,
        edge: None,
    };
    v.types();
    // Everything else looks types up.
    if v.violations.is_empty() {
        v.tables();
        for (id, f) in program.functions.iter() {
            if v.violations.len() >= MAX_VIOLATIONS {
                break;
            }
            v.function = Some(id);
            v.function(f);
            v.function = None;
        }
    }
    match v.violations.is_empty() {
        true => Ok(()),
        false => Err(v.violations),
    }
}

/// The same of a body that stands for a function's but is not in the program, made by
/// [`crate::compose()`]: its variables may share names. What violations name is the function and the edge of
/// this body.
pub fn validate_body(
    program: &Program,
    function: FuncId,
    body: &crate::body::Body,
) -> Result<(), Vec<Violation>> {
    let mut v = Validator {
        program,
        printer: Printer::new(program),
        violations: Vec::new(),
        function: Some(function),
        edge: None,
    };
    match program.functions.get(function) {
        Some(f) => v.body(f.signature, body, Names::Shared),
        None => v.report("there is no such function"),
    }
    // The function's own body has other edges: nobody may look them up there.
    for violation in &mut v.violations {
        violation.function = None;
    }
    match v.violations.is_empty() {
        true => Ok(()),
        false => Err(v.violations),
    }
}

/// May two variables have one name?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    Unique,
    Shared,
}

struct Validator<'a> {
    program: &'a Program,
    printer: Printer<'a>,
    violations: Vec<Violation>,
    function: Option<FuncId>,
    edge: Option<EdgeId>,
}

impl Validator<'_> {
    fn report(&mut self, message: impl Into<String>) {
        let name = self.function.and_then(|f| self.program.functions.get(f));
        let name = name.and_then(|f| self.program.symbols.lookup(f.display));
        self.violations.push(Violation {
            function: self.function,
            edge: self.edge,
            function_name: name.map(str::to_string),
            message: message.into(),
        });
    }

    /// Reports unless it holds; the message is made only then.
    fn ensure<S: Into<String>>(&mut self, holds: bool, message: impl FnOnce(&Self) -> S) -> bool {
        if !holds {
            let message = message(self).into();
            self.report(message);
        }
        holds
    }

    fn type_name(&self, ty: TypeId) -> String {
        self.printer.type_text(ty)
    }

    fn symbol(&mut self, s: Symbol, what: &str) {
        self.ensure(self.program.symbols.lookup(s).is_some(), |_| {
            format!("the name of {what} is out of range: {s:?}")
        });
    }

    fn has_type(&mut self, ty: TypeId, what: &str) -> bool {
        self.ensure(self.program.types.lookup(ty).is_some(), |_| {
            format!("the type of {what} is out of range: {ty:?}")
        })
    }

    fn span(&mut self, span: Span, what: &str) {
        let known = span.is_none() || self.program.files.get(span.file).is_some();
        self.ensure(known, |_| {
            format!("the file of {what} is out of range: {:?}", span.file)
        });
    }

    fn types(&mut self) {
        let types = &self.program.types;
        for (id, ty) in types.iter() {
            let mut part = |t: TypeId| {
                self.ensure(t.0 < id.0, |_| {
                    format!("{id:?} is made of {t:?}, which does not come before it")
                });
            };
            match ty {
                Type::Pointer(t) => part(*t),
                Type::Array { elem, .. } => part(*elem),
                Type::Function { ret, params, .. } => {
                    params.iter().chain([ret]).for_each(|&t| part(t));
                }
                Type::Struct(s) => {
                    self.ensure(types.structs.get(*s).is_some(), |_| {
                        format!("{id:?} is a struct out of range: {s:?}")
                    });
                }
                Type::Int { width, .. } => {
                    self.ensure(*width > 0, |_| format!("{id:?} is an integer of no bits"));
                }
                Type::Void | Type::Float(_) | Type::Opaque { .. } => {}
            }
        }
        for (id, def) in types.structs.iter() {
            self.symbol(def.name, "a struct");
            for f in &def.fields {
                self.symbol(f.name, "a field");
                self.has_type(f.ty, "a field");
            }
            let union = def.union && def.fields.iter().any(|f| f.offset != 0 && f.bits.is_none());
            self.ensure(!union, |_| {
                format!("{id:?} is a union with a field not at offset 0")
            });
        }
    }

    fn tables(&mut self) {
        let program = self.program;
        for f in program.files.values() {
            self.symbol(f.path, "a file");
        }
        for unit in program.units.values() {
            self.symbol(unit.name, "a unit");
            for (_, f) in unit.constructors.iter().chain(&unit.destructors) {
                self.ensure(program.functions.get(*f).is_some(), |_| {
                    format!("a constructor is out of range: {f:?}")
                });
            }
        }
        for (id, g) in program.globals.iter() {
            self.symbol(g.name, "a global");
            self.span(g.span, "a global");
            self.ensure(program.units.get(g.unit).is_some(), |_| {
                format!("the unit of {id:?} is out of range: {:?}", g.unit)
            });
            if self.has_type(g.ty, "a global") {
                self.init(id);
            }
        }
    }

    fn init(&mut self, id: crate::program::GlobalId) {
        let program = self.program;
        let g = &program.globals[id];
        let Some(init) = &g.init else { return };
        let name = |v: &Self| v.printer.global_name(id);
        // GNU C initialises the array of no length at a struct's end beyond the struct.
        let size = match has_flexible_end(program, g.ty) {
            true => u64::MAX,
            false => program.types.size_of(g.ty),
        };
        let length = init.bytes.len() as u64;
        self.ensure(length <= size, |v| {
            format!("{} has {length} initial bytes, its type {size}", name(v))
        });
        let mut last = None;
        for r in &init.relocations {
            self.ensure(last <= Some(r.offset), |v| {
                format!("the addresses in {} are not in order", name(v))
            });
            last = Some(r.offset);
            let end = r.offset.checked_add(8);
            self.ensure(end.is_some_and(|e| e <= size), |v| {
                format!(
                    "{} holds an address at {}, beyond its size",
                    name(v),
                    r.offset
                )
            });
            let known = match r.target {
                Target::Function(f) => program.functions.get(f).is_some(),
                Target::Global(g) => program.globals.get(g).is_some(),
                Target::Label(f, k) => label_exists(program, f, k),
            };
            self.ensure(known, |v| {
                format!("{} holds the address of nothing: {:?}", name(v), r.target)
            });
        }
    }
}

fn has_flexible_end(program: &Program, ty: TypeId) -> bool {
    let last = program.types.as_struct(ty).and_then(|d| d.fields.last());
    let last = last.and_then(|f| program.types.lookup(f.ty));
    matches!(last, Some(Type::Array { len: 0, .. }))
}

fn label_exists(program: &Program, f: FuncId, k: u32) -> bool {
    match program.functions.get(f) {
        Some(f) => f
            .body
            .as_ref()
            .is_none_or(|b| (k as usize) < b.labels.len()),
        None => false,
    }
}
