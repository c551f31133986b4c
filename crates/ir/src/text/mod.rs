//! The text form.
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
