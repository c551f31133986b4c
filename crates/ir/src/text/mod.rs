//! The text form.
pub mod lexer;
pub mod names;
pub mod printer;
pub mod typing;
pub mod words;

pub use words::quote_bytes;
pub use printer::{print, print_function, print_type};

/// Where and why a text is no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ParseError {
    pub line: u32,
    pub column: u32,
    pub message: String,
}
