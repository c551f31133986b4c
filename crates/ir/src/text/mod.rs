//! The text form.
pub mod names;
pub mod printer;
pub mod words;

pub use printer::print_type;
