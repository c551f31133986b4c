//! The text form: a program as people read it, and as tests write it.
//!
//! ```text
//! unit "example.c"
//! global counter: i32 = 1                                 # "example.c":2:5
//! extern fn printf(i8*, ...) -> i32
//!
//! fn f(p: struct node*, i: i32) -> i32 {                  # "example.c":4:5
//!     var m: i32
//!     0: declare m                                        # 5:7
//!     1: m = p->next->value * (i + 1)                     # 5:11
//!     2: assume m < 2                                     # 6:8
//!     2: assume m >= 2              -> 5                  # 6:8
//!     3: call printf("%d\n", m)                           # 7:5
//!     4: check null-dereference p != null
//!     5: return m                                         # 8:3
//!     6: exit
//! }
//! ```
//!
//! - A line of a body is an edge: its source node, the statement, `->` and the target node unless
//!   that is the next number, `#` and the position. A position is in the function's file unless
//!   it names another.
//! - Expressions are C's, with C's precedence. `+%` wraps, `<>` is true on NaN, `(x as T)` is the
//!   same place at another type, `p[i]` steps from a pointer, `"text"` is the address of a string
//!   literal's first character, `-x` on integers is `0 - x`. `&&#0` is a label of this function.
//!   `bits:f32(x)` is an intrinsic that says the type of its result. Constants get their types by
//!   the rule in `typing`.
//! - `return e` assigns the return variable, `$ret` unless a `ret` line names another.
//! - A name that is no plain identifier, or is a word of the language, is in backquotes. `::x` is
//!   not the local `x`. `x#2` is the second thing of that name in its scope.
//! - `x = sqrt(y)` is the intrinsic; `x = call sqrt(y)` calls the function.
//!
//! Printing, parsing and printing again gives the same text, for every valid program whose
//! expressions nest at most 200 deep. What is not part of the form: ids, the order of variables
//! of different kinds, expressions that no edge uses, zeros at the end of initial values.

mod lexer;
mod names;
mod parser;
mod printer;
mod typing;
mod words;

#[cfg(test)]
mod tests;

pub use parser::parse;
pub use printer::{Printer, print, print_function, print_type};
pub use words::quote_bytes;

/// Where and why a text is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ParseError {
    pub line: u32,
    pub column: u32,
    pub message: String,
}
