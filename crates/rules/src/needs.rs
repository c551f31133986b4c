//! What functions of the C library need to be there: so many bytes at an argument, a string with an end.
//!
//! Where a size is a matter of how long a string is, the string is measured before the call: a statement of ours asks the function
//! `__rigel_strlen` (or `__rigel_wcslen`), which every engine knows and which gives the length without minding
//! that there may be no end. So a check is about a variable, and remains a condition over the program's own expressions.

use ir::program::SymbolTable;
use ir::{Arena, Body, Callee, FuncId, Function, Linkage, Span, Stmt};
use ir::{Type, TypeId, TypeTable, UnitId};

/// How much a function needs at an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// As many characters as this argument says.
    Argument(usize),
    /// The product of two arguments, in bytes.
    Product(usize, usize),
    /// The string of this argument, and the zero behind it.
    String(usize),
    /// The strings of two arguments one behind the other, and a zero.
    Appended(usize, usize),
    /// The same, of the second one at most as many characters as a third argument says.
    AppendedUpTo(usize, usize, usize),
}

/// One requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    /// The argument that points there.
    pub pointer: usize,
    pub write: bool,
    pub size: Size,
    /// Characters are wide ones.
    pub wide: bool,
}

const fn write(pointer: usize, size: Size) -> Need {
    Need {
        pointer,
        write: true,
        size,
        wide: false,
    }
}

const fn read(pointer: usize, size: Size) -> Need {
    Need {
        pointer,
        write: false,
        size,
        wide: false,
    }
}

const fn wide(need: Need) -> Need {
    Need { wide: true, ..need }
}

const FIRST: &[Need] = &[read(0, Size::String(0))];
const BOTH: &[Need] = &[read(0, Size::String(0)), read(1, Size::String(1))];

/// What the library's function of this linkage name needs.
pub(crate) fn needs(name: &str) -> Vec<Need> {
    match name {
        "strcpy" | "stpcpy" => vec![read(1, Size::String(1)), write(0, Size::String(1))],
        "strcat" => vec![read(1, Size::String(1)), write(0, Size::Appended(0, 1))],
        "strncpy" | "stpncpy" => vec![write(0, Size::Argument(2))],
        "strncat" => vec![write(0, Size::AppendedUpTo(0, 1, 2))],
        "wcscpy" => vec![
            wide(read(1, Size::String(1))),
            wide(write(0, Size::String(1))),
        ],
        "wcscat" => vec![
            wide(read(1, Size::String(1))),
            wide(write(0, Size::Appended(0, 1))),
        ],
        "wcsncpy" => vec![wide(write(0, Size::Argument(2)))],
        "wcsncat" => vec![wide(write(0, Size::AppendedUpTo(0, 1, 2)))],
        "wmemcpy" | "wmemmove" => vec![
            wide(read(1, Size::Argument(2))),
            wide(write(0, Size::Argument(2))),
        ],
        "wmemset" => vec![wide(write(0, Size::Argument(2)))],
        "memcpy" | "memmove" | "mempcpy" => {
            vec![read(1, Size::Argument(2)), write(0, Size::Argument(2))]
        }
        "memset" => vec![write(0, Size::Argument(2))],
        "memcmp" | "bcmp" => vec![read(0, Size::Argument(2)), read(1, Size::Argument(2))],
        "snprintf" | "vsnprintf" | "fgets" | "getcwd" | "strftime" => {
            vec![write(0, Size::Argument(1))]
        }
        "swprintf" | "vswprintf" | "fgetws" => vec![wide(write(0, Size::Argument(1)))],
        "read" | "pread" | "recv" | "recvfrom" | "readlink" => vec![write(1, Size::Argument(2))],
        "write" | "pwrite" | "send" | "sendto" => vec![read(1, Size::Argument(2))],
        "fread" => vec![write(0, Size::Product(1, 2))],
        "fwrite" => vec![read(0, Size::Product(1, 2))],
        "strlen" | "strdup" | "puts" | "fputs" | "atoi" | "atol" | "atoll" | "strchr"
        | "strrchr" => FIRST.to_vec(),
        "wcslen" | "wcsdup" | "wcschr" => vec![wide(read(0, Size::String(0)))],
        "strcmp" | "strcasecmp" | "strstr" => BOTH.to_vec(),
        _ => vec![],
    }
}

/// How many lengths of strings one body can ask for, at most.
pub(crate) fn most(symbols: &SymbolTable, functions: &Arena<FuncId, Function>) -> usize {
    let asked: Vec<usize> = (functions.values())
        .map(|f| match f.body {
            None => 2 * needs(symbols.name(f.name)).len(),
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
        for need in needs(symbols.name(function.name)) {
            let measures = matches!(
                need.size,
                Size::String(_) | Size::Appended(..) | Size::AppendedUpTo(..)
            );
            wanted[usize::from(need.wide)] |= measures;
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
