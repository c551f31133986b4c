//! p
mod types;
use crate::program::Program;
use crate::text::names::Names;
use crate::types::TypeId;

/// A type as the text form writes it.
pub fn print_type(program: &Program, ty: TypeId) -> String {
    types::type_text(program, &Names::new(program), ty)
}
