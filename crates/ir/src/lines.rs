//! The lines that a program tells itself: `__FILE__, __LINE__` among the arguments of a call.
//!
//! Allocators that remember who called, assertions and debug messages are told where they are. Every such number changes when
//! a line is added above, and with it the contents of every function that has one: nothing of what was known of it would hold
//! any more, though it does the same. So, while a program is analysed, they are all of line 1: those that nobody looks at. A
//! number that a function in view computes with, compares or stores stays what it is.

mod ignored;

use crate::arena::Arena;
use crate::body::{Body, EdgeId};
use crate::expr::{Base, Expr, ExprId, ExprKind};
use crate::program::{FuncId, Global, GlobalId, Program, SymbolTable};
use crate::span::Span;
use crate::stmt::Stmt;
use crate::types::TypeId;
use ignored::Ignored;

/// Lines that a call takes, at most.
const LINES: u128 = 64;

/// What was forgotten: of which function and edge which argument, and what it was.
#[derive(Debug, Default)]
pub struct Forgotten(Vec<(FuncId, EdgeId, usize, ExprId)>);

/// Makes every number that is a line of its own statement, follows the name of its own file, and is ignored by whoever it is
/// passed to, line 1. Edges must stay until it is [`restore`]d.
pub fn forget(program: &mut Program) -> Forgotten {
    let mut ignored = Ignored::new(program);
    let mut found: Vec<(FuncId, EdgeId, usize)> = Vec::new();
    for (f, _, body) in program.bodies() {
        let path = |span: Span| program.file_path(span.file);
        let own = own_lines(body, &program.globals, &program.symbols, &path);
        for (edge, argument) in own {
            if let Stmt::Call(call) = &body.edges()[edge].stmt
                && ignored.is_ignored(call, argument)
            {
                found.push((f, edge, argument));
            }
        }
    }
    let mut forgotten = Forgotten::default();
    // Mostly all of a function are of one type.
    let mut last: Option<(FuncId, TypeId, ExprId)> = None;
    for (f, edge, argument) in found {
        let Some(body) = &mut program.functions[f].body else {
            continue;
        };
        let Stmt::Call(call) = &body.edges()[edge].stmt else {
            continue;
        };
        let line = call.args[argument];
        let ty = body.exprs[line].ty;
        let one = match last {
            Some((of, its, one)) if (of, its) == (f, ty) => one,
            _ => first_line(body, ty),
        };
        last = Some((f, ty, one));
        forgotten.0.push((f, edge, argument, line));
        set(body, edge, argument, one);
    }
    forgotten
}

/// The lines as they were, for whoever prints the program.
pub fn restore(program: &mut Program, forgotten: Forgotten) {
    for (f, edge, argument, line) in forgotten.0 {
        if let Some(body) = &mut program.functions[f].body {
            set(body, edge, argument, line);
        }
    }
}

fn set(body: &mut Body, edge: EdgeId, argument: usize, value: ExprId) {
    if let Stmt::Call(call) = &mut body.edge_mut(edge).stmt {
        call.args[argument] = value;
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
        let before = print(&program);
        let forgotten = forget(&mut program);
        let text = print(&program);
        assert!(text.contains("tagged(4, \"a.c\", 1)"), "{text}");
        assert!(text.contains("tagged(5, \"a.c\", 1)"), "{text}");
        assert!(text.contains("tagged(4, \"b.c\", 7)"), "{text}");
        assert!(text.contains("tagged(4, \"a.c\", 99)"), "{text}");
        restore(&mut program, forgotten);
        assert_eq!(print(&program), before);
    }

    #[test]
    fn lines_that_somebody_looks_at_stay() {
        let told = |body: &str| {
            let source = format!(
                "unit \"a.c\"\n\
                 extern fn log(i8*, ...) -> i32\n\
                 fn deep(file: i8*, line: i32) -> i32 {{\n{body}}}\n\
                 fn tagged(file: i8*, line: i32) -> i32 {{\n\
                     temp $r: i32\n\
                     0: $r = deep(file, line)\n\
                     1: return $r\n\
                     2: exit\n\
                 }}\n\
                 fn f() -> void {{ # \"a.c\":7:0\n\
                     0: call tagged(\"a.c\", 7)  # 7:3\n\
                     1: exit\n\
                 }}\n"
            );
            let mut program = parse(&source).unwrap_or_else(|e| panic!("{e}"));
            forget(&mut program);
            print(&program).contains("tagged(\"a.c\", 1)")
        };
        assert!(told("0: return 0\n1: exit\n"));
        assert!(told(
            "0: call log(\"x\", line) : fn(i8*, ...) -> i32\n1: return 0\n2: exit\n"
        ));
        assert!(told("0: call tagged(file, line)\n1: return 0\n2: exit\n"));
        assert!(!told("0: return line\n1: exit\n"));
        assert!(!told("0: return 100 / (line - 1)\n1: exit\n"));
        assert!(!told("0: assume line > 3\n1: return 0\n2: exit\n"));
        assert!(!told(
            "0: call log(\"x\", line + 1) : fn(i8*, ...) -> i32\n1: return 0\n2: exit\n"
        ));
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
