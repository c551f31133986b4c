//! Which functions are relied on to do nothing wrong: those that are only declared.
//!
//! Dual analysis has no body for them, and a check of their arguments only where a rule puts one. Of how much `strcpy` writes,
//! or whether a stranger keeps to the array that it gets, it knows nothing, and takes it to be well ([`crate::library`]). So what it says
//! of their callers is said on this condition, which whoever prints it has to tell.

use automata::models::model;
use ir::{CallGraph, FuncId, Function, Program, Type};

/// Of each function: does it, or what it calls, call something that is only declared and could do something wrong?
pub fn trusting(program: &Program, graph: &CallGraph) -> Vec<bool> {
    let mut calling = vec![false; program.functions.len()];
    let trusted = program
        .functions
        .iter()
        .filter(|(_, f)| is_trusted(program, f));
    let mut waiting: Vec<FuncId> = trusted.map(|(id, _)| id).collect();
    while let Some(id) = waiting.pop() {
        for caller in graph.callers(id) {
            if let Some(calling) = calling.get_mut(caller.0 as usize)
                && !std::mem::replace(calling, true)
            {
                waiting.push(*caller);
            }
        }
    }
    calling
}

/// Is it only declared, and could it do something wrong? What ends the program cannot, nor what is known and gets no pointer.
fn is_trusted(program: &Program, function: &Function) -> bool {
    let name = program.name(function.name);
    // What bodies of models call is rigel's own.
    if function.body.is_some() || function.noreturn || name.starts_with("__rigel_") {
        return false;
    }
    let Some(model) = model(name) else {
        return true;
    };
    let gets_pointers = match program.types.lookup(function.signature) {
        Some(Type::Function {
            params, variadic, ..
        }) => *variadic || params.iter().any(|ty| program.types.is_pointer(*ty)),
        _ => true,
    };
    model.returns && gets_pointers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_calls_what_is_only_declared_trusts_it() {
        let program = ir::text::parse(
            "unit \"f.c\"
            extern fn strcpy(i8*, i8*) -> i8*
            extern fn malloc(u64) -> i8*
            extern fn exit(i32) -> void noreturn
            fn copies(p: i8*) -> void {
                0: call strcpy(p, p)
                1: exit
            }
            fn indirectly(p: i8*) -> void {
                0: call copies(p)
                1: exit
            }
            fn alone(p: i8*) -> void {
                0: p = malloc(8)
                1: exit
            }
            ",
        )
        .unwrap_or_else(|e| panic!("{e}"));
        let graph = CallGraph::new(&program);
        let trusting = trusting(&program, &graph);
        let names = program.functions.iter().zip(trusting);
        let names = names.filter(|(_, trusts)| *trusts);
        let names: Vec<&str> = names.map(|((_, f), _)| program.name(f.name)).collect();
        assert_eq!(names, ["copies", "indirectly"]);
    }
}
