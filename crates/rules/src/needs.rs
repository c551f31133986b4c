//! What functions of the C library need to be there: so many bytes at an argument, a string with an end.
//!
//! Where a size is a matter of how long a string is, the string is measured before the call: a statement of ours asks the function
//! `__rigel_strlen` (or `__rigel_wcslen`), which every engine knows and which gives the length without minding
//! that there may be no end. So a check is about a variable, and remains a condition over the program's own expressions.

use crate::Context;
use ir::program::SymbolTable;
use ir::{Arena, BinaryOp, Body, Callee, CompareOp, ExprId, FuncId, Function, Linkage, Span, Stmt};
use ir::{Type, TypeId, TypeTable, UnitId};
use library::{Needed, Size};

/// The size in bytes; none where nobody can say it.
pub(crate) fn size_of(
    cx: &mut Context<'_>,
    size: &Size,
    args: &[Option<ExprId>],
) -> Option<ExprId> {
    let argument = |i: usize| args.get(i).copied().flatten();
    Some(match size {
        Size::Constant(n) => cx.int(i128::from(*n), TypeId::U64),
        Size::Argument(i) => {
            let e = argument(*i)?;
            cx.types().as_int(cx.type_of(e))?;
            cx.cast(e, TypeId::U64)
        }
        Size::StringLength(i) => cx.string_length(argument(*i)?, false)?,
        Size::WideLength(i) => cx.string_length(argument(*i)?, true)?,
        Size::Formatted | Size::Unbounded => return None,
        Size::Sum(a, b) => {
            let (a, b) = (size_of(cx, a, args)?, size_of(cx, b, args)?);
            combined(cx, BinaryOp::Add, a, b)
        }
        Size::Product(a, b) => {
            let (a, b) = (size_of(cx, a, args)?, size_of(cx, b, args)?);
            combined(cx, BinaryOp::Mul, a, b)
        }
        Size::Least(a, b) => {
            let (a, b) = (size_of(cx, a, args)?, size_of(cx, b, args)?);
            let less = cx.compare(CompareOp::Lt, a, b);
            cx.choose(less, a, b)
        }
    })
}

/// A sum or a product; of constants, the constant.
pub(crate) fn combined(cx: &mut Context<'_>, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
    let product = op == BinaryOp::Mul;
    match (cx.constant(a), cx.constant(b)) {
        (Some(x), Some(y)) if product => cx.int(x.saturating_mul(y), TypeId::U64),
        (Some(x), Some(y)) => cx.int(x.saturating_add(y), TypeId::U64),
        (Some(1), _) if product => b,
        (_, Some(1)) if product => a,
        _ => cx.computed(op, a, b),
    }
}

/// In which characters the library's function of this linkage name asks for lengths of strings, and how often.
fn lengths(name: &str) -> [usize; 2] {
    let mut asked = [0; 2];
    let needs = library::function(name).map_or(&[][..], |f| &f.needs);
    for need in needs {
        match &need.what {
            Needed::Read(size) | Needed::Write(size) => count(size, &mut asked),
            Needed::String { wide, .. } => asked[usize::from(*wide)] += 1,
        }
    }
    asked
}

fn count(size: &Size, asked: &mut [usize; 2]) {
    match size {
        Size::Constant(_) | Size::Argument(_) | Size::Formatted | Size::Unbounded => {}
        Size::StringLength(_) => asked[0] += 1,
        Size::WideLength(_) => asked[1] += 1,
        Size::Product(a, b) | Size::Sum(a, b) | Size::Least(a, b) => {
            count(a, asked);
            count(b, asked);
        }
    }
}

/// How many lengths of strings one body can ask for, at most.
pub(crate) fn most(symbols: &SymbolTable, functions: &Arena<FuncId, Function>) -> usize {
    let asked: Vec<usize> = (functions.values())
        .map(|f| match f.body {
            None => lengths(symbols.name(f.name)).iter().sum(),
            Some(_) => 0,
        })
        .collect();
    let in_body = |body: &Body| {
        let calls = body.edges().values().filter_map(|edge| match &edge.stmt {
            Stmt::Call(call) => match call.callee {
                Callee::Direct(f) => asked.get(f.0 as usize),
                Callee::Indirect(_) => None,
            },
            _ => None,
        });
        calls.sum::<usize>()
    };
    let bodies = functions.values().filter_map(|f| f.body.as_ref());
    bodies.map(in_body).max().unwrap_or(0)
}

/// What the variable is called that holds the n-th length in a body.
pub(crate) fn length_name(n: usize) -> String {
    match n {
        0 => "$length".to_string(),
        n => format!("$length.{n}"),
    }
}

/// The functions that measure strings, by whether their characters are wide.
pub(crate) type Measuring = [Option<FuncId>; 2];

const MEASURING: [(&str, &str); 2] = [("__rigel_strlen", "strlen"), ("__rigel_wcslen", "wcslen")];

/// Declares the functions that measure strings, if the program calls somebody who needs one.
pub(crate) fn declare(
    types: &mut TypeTable,
    symbols: &mut SymbolTable,
    functions: &mut Arena<FuncId, Function>,
) -> Measuring {
    let mut wanted = [false; 2];
    for function in functions.values().filter(|f| f.body.is_none()) {
        let asked = lengths(symbols.name(function.name));
        for (wanted, asked) in wanted.iter_mut().zip(asked) {
            *wanted |= asked > 0;
        }
    }
    let mut found: Measuring = [None; 2];
    for (at, (name, display)) in MEASURING.into_iter().enumerate() {
        if !wanted[at] {
            continue;
        }
        let signature = types.intern(Type::Function {
            ret: TypeId::U64,
            params: vec![TypeId::VOID_PTR],
            variadic: false,
        });
        let (name, display) = (symbols.intern(name), symbols.intern(display));
        found[at] = Some(functions.push(Function {
            name,
            display,
            unit: UnitId(0),
            linkage: Linkage::External,
            signature,
            noreturn: false,
            span: Span::NONE,
            body: None,
        }));
    }
    found
}
