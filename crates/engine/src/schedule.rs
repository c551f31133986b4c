//! The order in which functions are analysed: bottom-up over direct calls, level by level.
//!
//! Calls through pointers do not count here: nearly every function of a large program would be
//! in one recursion with nearly every other, and no summary would be there when it is needed.
//! Within a recursion each function is a level of its own, so that later ones know earlier ones.

use ir::arena::Id;
use ir::callgraph::components;
use ir::{Arena, Callee, FuncId, Program, Stmt};

/// Functions with a body in levels: what a function calls directly lies in an earlier level, its
/// own recursion apart.
pub fn levels(program: &Program) -> Vec<Vec<FuncId>> {
    let callees = direct_callees(program);
    let components = components(&callees);
    let mut component_of = vec![0usize; callees.len()];
    for (i, component) in components.iter().enumerate() {
        for &f in component {
            component_of[f.index()] = i;
        }
    }
    // The first level after a component.
    let mut after = vec![0usize; components.len()];
    let mut levels: Vec<Vec<FuncId>> = Vec::new();
    for (i, component) in components.iter().enumerate() {
        let below = component.iter().flat_map(|f| &callees[*f]);
        let mut level = below
            .map(|c| component_of[c.index()])
            .filter(|c| *c != i)
            .map(|c| after[c])
            .max()
            .unwrap_or(0);
        for &f in component {
            if program.functions[f].body.is_none() {
                continue;
            }
            if levels.len() <= level {
                levels.resize_with(level + 1, Vec::new);
            }
            levels[level].push(f);
            level += 1;
        }
        after[i] = level;
    }
    for level in &mut levels {
        level.sort_unstable();
    }
    levels
}

/// Whom each function calls by name, in id order.
pub fn direct_callees(program: &Program) -> Arena<FuncId, Vec<FuncId>> {
    let mut all: Arena<FuncId, Vec<FuncId>> = vec![Vec::new(); program.functions.len()].into();
    for (f, _, body) in program.bodies() {
        let of_f = &mut all[f];
        for edge in body.edges().values() {
            if let Stmt::Call(call) = &edge.stmt
                && let Callee::Direct(callee) = call.callee
            {
                of_f.push(callee);
            }
        }
        of_f.sort_unstable();
        of_f.dedup();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callees_come_first_and_a_recursion_one_by_one() {
        let source = "
            fn main() -> void { 0: call a() 1: call b() 2: exit }
            fn a() -> void { 0: call b() 1: exit }
            fn b() -> void { 0: call c() 1: exit }
            fn c() -> void { 0: call b() 1: call d() 2: exit }
            fn alone() -> void { 0: exit }
            extern fn d() -> void";
        let program = ir::parse(source).unwrap_or_else(|e| panic!("{e}"));
        let names: Vec<Vec<&str>> = levels(&program)
            .iter()
            .map(|level| level.iter().map(|f| program.function_name(*f)).collect())
            .collect();
        assert_eq!(
            names,
            [vec!["b", "alone"], vec!["c"], vec!["a"], vec!["main"]]
        );
    }
}
