//! The order in which functions are analysed: bottom-up, level by level.

use ir::arena::Id;
use ir::{CallGraph, FuncId, Program};

/// Functions with a body in levels: what a function calls lies in an earlier level, its own
/// recursion apart.
pub fn levels(program: &Program, graph: &CallGraph) -> Vec<Vec<FuncId>> {
    let mut level_of = vec![0usize; graph.components().len()];
    let mut levels: Vec<Vec<FuncId>> = Vec::new();
    for (i, component) in graph.components().iter().enumerate() {
        let mut level = 0;
        for &f in component {
            for &callee in graph.callees(f) {
                let of_callee = graph.component_of(callee);
                if of_callee != i && program.functions[callee].body.is_some() {
                    level = level.max(level_of[of_callee] + 1);
                }
            }
        }
        level_of[i] = level;
        for &f in component {
            if program.functions[f].body.is_some() {
                if levels.len() <= level {
                    levels.resize_with(level + 1, Vec::new);
                }
                levels[level].push(f);
            }
        }
    }
    for level in &mut levels {
        level.sort_by_key(|f| f.index());
    }
    levels
}
