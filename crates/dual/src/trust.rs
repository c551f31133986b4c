//! Which functions are relied on to do nothing wrong: those that are only declared.
//!
//! Dual analysis has no body for them, and a check of their arguments only where a rule puts one. Of how much `strcpy` writes,
//! or whether a stranger keeps to the array that it gets, it knows nothing, and takes it to be well ([`crate::library`]). So what it says
//! of their callers is said on this condition, which whoever prints it has to tell.
//!
//! Of those that are in no list of known functions it is not even known whether they come back: `void die(void);` may end the program. What is
//! certain of an error (design.md §7) must not hang on that; a summary says it.

use automata::models::model;
use ir::{CallGraph, FuncId, Function, Program, Type};

/// Of each function: does it, or what it calls, call something that is only declared and could do something wrong?
pub fn trusting(program: &Program, graph: &CallGraph) -> Vec<bool> {
    let all = program.functions.iter();
    let trusted = all.filter(|(_, f)| is_trusted(program, f));
    calling(program, graph, trusted.map(|(id, _)| id).collect())
}

/// Of each function: does it, or what it calls, call something of which nobody knows whether it comes back?
pub fn hoping(program: &Program, graph: &CallGraph) -> Vec<bool> {
    let all = program.functions.iter().map(|(id, _)| id);
    let strangers = all.filter(|id| is_stranger(program, *id));
    calling(program, graph, strangers.collect())
}

/// Of each function: does it call one of these, or something that does?
fn calling(program: &Program, graph: &CallGraph, mut waiting: Vec<FuncId>) -> Vec<bool> {
    let mut calling = vec![false; program.functions.len()];
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

/// Is it only declared, and nobody knows whether it comes back? (What bodies of models call is rigel's own.)
pub fn is_stranger(program: &Program, f: FuncId) -> bool {
    let function = &program.functions[f];
    let name = program.name(function.name);
    // Of one that does not come back that is known, too.
    let is_known = || library::function(name).is_some_and(|f| f.comes_back.is_some());
    function.body.is_none() && !function.noreturn && !is_known()
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
            extern fn report() -> void
            fn hopes() -> void {
                0: call report()
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
        let names = |which: Vec<bool>| -> Vec<&str> {
            let names = program.functions.iter().zip(which);
            let names = names.filter(|(_, is_one)| *is_one);
            names.map(|((_, f), _)| program.name(f.name)).collect()
        };
        assert_eq!(
            names(trusting(&program, &graph)),
            ["copies", "indirectly", "hopes"]
        );
        assert_eq!(names(hoping(&program, &graph)), ["hopes"]);
    }
}
