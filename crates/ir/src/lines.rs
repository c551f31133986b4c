//! The lines that a program tells itself: `__FILE__, __LINE__` among the arguments of a call.
//!
//! Allocators that remember who called, assertions and debug messages are told where they are. Every such number changes when
//! a line is added above, and with it the contents of every function that has one: nothing of what was known of it would hold
//! any more, though it does the same. No analysis learns anything from them, so they are all line 1 to it.

use crate::arena::Arena;
use crate::body::{Body, EdgeId};
use crate::expr::{Base, Expr, ExprId, ExprKind};
use crate::program::{Global, GlobalId, Program, SymbolTable};
use crate::span::Span;
use crate::stmt::Stmt;
use crate::types::TypeId;

/// Lines that a call takes, at most.
const LINES: u128 = 64;

/// Makes every number that is a line of its own statement, and follows the name of its own file, line 1.
pub fn forget(program: &mut Program) {
    let Program {
        files,
        symbols,
        globals,
        functions,
        ..
    } = program;
    let path = |span: Span| files.get(span.file).map_or("", |f| symbols.name(f.path));
    for function in functions.as_mut_slice() {
        let Some(body) = &mut function.body else {
            continue;
        };
        let found = own_lines(body, globals, symbols, &path);
        // Mostly all are of one type.
        let mut ones: Vec<(TypeId, ExprId)> = Vec::new();
        for (edge, argument) in found {
            let Stmt::Call(call) = &body.edges()[edge].stmt else {
                continue;
            };
            let ty = body.exprs[call.args[argument]].ty;
            let known = ones.iter().find(|(of, _)| *of == ty).map(|(_, one)| *one);
            let one = known.unwrap_or_else(|| first_line(body, ty));
            if known.is_none() {
                ones.push((ty, one));
            }
            if let Stmt::Call(call) = &mut body.edge_mut(edge).stmt {
                call.args[argument] = one;
            }
        }
    }
}

/// The arguments that are such lines: of which edge, and which.
fn own_lines<'p>(
    body: &Body,
    globals: &Arena<GlobalId, Global>,
    symbols: &SymbolTable,
    path: &impl Fn(Span) -> &'p str,
) -> Vec<(EdgeId, usize)> {
    let mut found = Vec::new();
    for (id, edge) in body.edges().iter() {
        let Stmt::Call(call) = &edge.stmt else {
            continue;
        };
        for (i, pair) in call.args.windows(2).enumerate() {
            // A call of several lines is on one of them.
            let from = u128::from(edge.span.line);
            let is_line = match body.exprs[pair[1]].kind {
                ExprKind::Int(n) => (from..from + LINES).contains(&n) && n != 1,
                _ => false,
            };
            if is_line
                && let Some(text) = literal(body, globals, symbols, pair[0])
                && base_name(text) == base_name(path(edge.span))
            {
                found.push((id, i + 1));
            }
        }
    }
    found
}

/// The string that an expression is the address of, if it is one.
fn literal<'s>(
    body: &Body,
    globals: &Arena<GlobalId, Global>,
    symbols: &'s SymbolTable,
    mut e: ExprId,
) -> Option<&'s str> {
    while let ExprKind::Cast(inner) = body.exprs[e].kind {
        e = inner;
    }
    let ExprKind::AddrOf(place) = body.exprs[e].kind else {
        return None;
    };
    let Base::Global(g) = body.places[place].base else {
        return None;
    };
    let name = symbols.name(globals.get(g)?.name);
    name.strip_prefix('"')?.strip_suffix('"')
}

/// Compilers are told of one file by several paths.
fn base_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The number 1 of a type.
fn first_line(body: &mut Body, ty: TypeId) -> ExprId {
    let one = Expr {
        kind: ExprKind::Int(1),
        ty,
    };
    // Equal expressions have equal ids.
    let known = body
        .exprs
        .iter()
        .find(|(_, e)| **e == one)
        .map(|(id, _)| id);
    known.unwrap_or_else(|| body.exprs.push(one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::function_hash;
    use crate::text::{parse, print};

    /// The same function, further down by some lines.
    fn program(line: u32) -> Program {
        let next = line + 2;
        let source = format!(
            "unit \"d/a.c\"\n\
             extern fn tagged(u64, i8*, i32) -> void*\n\
             fn f() -> void {{ # \"d/a.c\":{line}:0\n\
                 0: call tagged(4, \"a.c\", {line})  # {line}:3\n\
                 1: call tagged(4, \"b.c\", {line})  # {line}:3\n\
                 2: call tagged(4, \"a.c\", 99)  # {line}:3\n\
                 3: call tagged(5, \"a.c\", {next})  # {line}:3\n\
                 4: exit\n\
             }}\n"
        );
        parse(&source).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn lines_of_its_own_are_forgotten_and_no_others() {
        let mut program = program(7);
        forget(&mut program);
        let text = print(&program);
        assert!(text.contains("tagged(4, \"a.c\", 1)"), "{text}");
        assert!(text.contains("tagged(5, \"a.c\", 1)"), "{text}");
        assert!(text.contains("tagged(4, \"b.c\", 7)"), "{text}");
        assert!(text.contains("tagged(4, \"a.c\", 99)"), "{text}");
    }

    #[test]
    fn a_function_that_moved_is_the_same() {
        let hash = |line: u32, forgets: bool| {
            let mut program = program(line);
            if let Some(body) = &mut program.functions.as_mut_slice()[1].body {
                // The call that another file's name stands before is not of this test.
                let second = EdgeId(1);
                body.edge_mut(second).stmt = Stmt::Skip;
            }
            if forgets {
                forget(&mut program);
            }
            let f = program.find_function("f").expect("f");
            function_hash(&program, f)
        };
        assert_ne!(hash(7, false), hash(8, false));
        assert_eq!(hash(7, true), hash(8, true));
    }
}
