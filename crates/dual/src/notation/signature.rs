//! Functions as C declares them.

use super::names;
use ir::{Body, Function, Program};

/// A function as C declares it, without its result: `copy(char *to, unsigned long n)`.
pub fn signature(program: &Program, function: &Function, body: &Body) -> String {
    let name = without_types(program.name(function.display));
    let parameters = (0..body.params.len() as u32).map(|at| {
        let (name, ty) = names::parameter(program, body, at);
        names::type_text(program, ty) + &name
    });
    let parameters = parameters.collect::<Vec<_>>().join(", ");
    format!("{name}({parameters})")
}

/// In C++ the types of the parameters stand in the name already.
pub(super) fn without_types(display: &str) -> &str {
    let name = display.strip_suffix(" const").unwrap_or(display);
    if !name.ends_with(')') {
        return display;
    }
    let mut depth = 0;
    let opens = name.char_indices().rev().find(|(_, c)| {
        depth += i32::from(*c == ')') - i32::from(*c == '(');
        depth == 0
    });
    opens.map_or(display, |(at, _)| &name[..at])
}
