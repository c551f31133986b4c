//! From programs to text.
//!
//! A program that is not well-formed prints too: an id that is out of range is written
//! `` `bad place 7` ``, for whoever has to find out how it came to be.

mod constant;
mod expr;
mod function;
mod items;
mod place;
mod stmt;
mod types;

pub use expr::{binary_precedence, compare_precedence};
pub use function::RETURN_NAME;

use crate::body::Body;
use crate::expr::{ExprId, PlaceId};
use crate::program::{FuncId, GlobalId, Program, Symbol};
use crate::span::{FileId, Span};
use crate::stmt::{Condition, Stmt};
use crate::text::names::{ByUnit, Names, symbol};
use crate::text::words::quote_bytes;
use crate::types::TypeId;

/// The column where positions are written.
const SPAN_COLUMN: usize = 56;

/// The whole program as text.
pub fn print(program: &Program) -> String {
    let printer = Printer::new(program);
    let mut out = String::new();
    printer.files(&mut out);
    printer.structs(&mut out);
    let by_unit = ByUnit::new(program);
    let mentioned = printer.mentioned_literals();
    for (id, unit) in program.units.iter() {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&format!("unit {}\n", printer.string(unit.name)));
        printer.constructors(&mut out, unit);
        for &g in by_unit.globals(id) {
            printer.global(&mut out, g, &mentioned);
        }
        for &f in by_unit.functions(id) {
            printer.function(&mut out, f);
        }
    }
    out
}

/// One function as text.
pub fn print_function(program: &Program, id: FuncId) -> String {
    let mut out = String::new();
    Printer::new(program).function(&mut out, id);
    out.trim_start().to_string()
}

/// A type as the text form writes it.
pub fn print_type(program: &Program, ty: TypeId) -> String {
    let printer = Printer {
        program,
        names: Names::of_types(),
    };
    printer.type_text(ty)
}

/// Prints many functions or types of one program: names are resolved once.
pub struct Printer<'a> {
    program: &'a Program,
    names: Names,
}

impl<'a> Printer<'a> {
    pub fn new(program: &'a Program) -> Self {
        Printer {
            program,
            names: Names::new(program),
        }
    }

    /// One statement, as its line has it.
    pub fn stmt(&self, function: FuncId, body: &Body, stmt: &Stmt) -> String {
        expr::ExprPrinter::new(self, body, function).stmt(stmt)
    }

    /// One expression, without anything expected of its type.
    pub fn expr(&self, function: FuncId, body: &Body, e: ExprId) -> String {
        expr::ExprPrinter::new(self, body, function).expr(e, None)
    }

    /// One place.
    pub fn place(&self, function: FuncId, body: &Body, p: PlaceId) -> String {
        expr::ExprPrinter::new(self, body, function).place(p)
    }

    /// What a check asks for, over the program's own expressions: `p != null`,
    /// `initialized(x)`.
    pub fn condition(&self, function: FuncId, body: &Body, condition: &Condition) -> String {
        expr::ExprPrinter::new(self, body, function).condition(condition)
    }

    /// A function's name, as it is written.
    pub fn function_name(&self, f: FuncId) -> String {
        self.names.function(self.program, f)
    }

    /// A global's name, as it is written.
    pub fn global_name(&self, g: GlobalId) -> String {
        self.names.global(self.program, g)
    }

    pub fn type_text(&self, ty: TypeId) -> String {
        types::type_text(self.program, &self.names, ty)
    }

    fn string(&self, s: Symbol) -> String {
        quote_bytes(symbol(self.program, s).as_bytes())
    }

    /// `# 3:7` in the given file, else `# "file":3:7`; nothing for no position.
    fn span(&self, span: Span, file: Option<FileId>) -> Option<String> {
        if span.is_none() {
            return None;
        }
        let Span { line, column, .. } = span;
        if file == Some(span.file) {
            return Some(format!("# {line}:{column}"));
        }
        let path = quote_bytes(self.program.file_path(span.file).as_bytes());
        Some(format!("# {path}:{line}:{column}"))
    }

    /// A line, with its position in a column of its own.
    fn line(&self, out: &mut String, text: &str, span: Option<String>) {
        out.push_str(text);
        if let Some(span) = span {
            let width = text.chars().count();
            out.extend(std::iter::repeat_n(
                ' ',
                SPAN_COLUMN.saturating_sub(width).max(2),
            ));
            out.push_str(&span);
        }
        out.push('\n');
    }
}
