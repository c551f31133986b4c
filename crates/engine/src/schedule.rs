//! The order in which functions are analysed: bottom-up over direct calls, level by level.
//!
//! Calls through pointers do not count here: nearly every function of a large program would be
//! in one recursion with nearly every other, and no summary would be there when it is needed.
//! Within a recursion each function is a level of its own, so that later ones know earlier ones.

use ir::arena::Id;
use ir::{Callee, FuncId, Program, Stmt};

/// Functions with a body in levels: what a function calls directly lies in an earlier level, its
/// own recursion apart.
pub fn levels(program: &Program) -> Vec<Vec<FuncId>> {
    let callees = direct_callees(program);
    let components = components(&callees);
    let mut component_of = vec![0usize; callees.len()];
    for (i, component) in components.iter().enumerate() {
        for &f in component {
            component_of[f] = i;
        }
    }
    // The first level after a component.
    let mut after = vec![0usize; components.len()];
    let mut levels: Vec<Vec<FuncId>> = Vec::new();
    for (i, component) in components.iter().enumerate() {
        let below = component.iter().flat_map(|f| &callees[*f]);
        let mut level = below
            .filter(|c| component_of[**c] != i)
            .map(|c| after[component_of[*c]])
            .max()
            .unwrap_or(0);
        for &f in component {
            let id = FuncId(f as u32);
            if program.functions[id].body.is_none() {
                continue;
            }
            if levels.len() <= level {
                levels.resize_with(level + 1, Vec::new);
            }
            levels[level].push(id);
            level += 1;
        }
        after[i] = level;
    }
    for level in &mut levels {
        level.sort_by_key(|f| f.index());
    }
    levels
}

/// Whom each function calls by name, in id order.
pub fn direct_callees(program: &Program) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new(); program.functions.len()];
    for (f, _, body) in program.bodies() {
        let of_f = &mut all[f.index()];
        for edge in body.edges().values() {
            if let Stmt::Call(call) = &edge.stmt
                && let Callee::Direct(callee) = call.callee
            {
                of_f.push(callee.index());
            }
        }
        of_f.sort_unstable();
        of_f.dedup();
    }
    all
}

/// Tarjan's strongly connected components, callees before callers, each in id order. With a stack
/// of its own: call chains are long.
fn components(callees: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let n = callees.len();
    let (mut index, mut low) = (vec![NEW; n], vec![0; n]);
    let mut on_stack = vec![false; n];
    let (mut stack, mut result) = (Vec::new(), Vec::new());
    let mut next = 0;
    for root in 0..n {
        if index[root] != NEW {
            continue;
        }
        let mut work = vec![(root, 0)];
        while let Some(&mut (f, ref mut child)) = work.last_mut() {
            if index[f] == NEW {
                index[f] = next;
                low[f] = next;
                next += 1;
                stack.push(f);
                on_stack[f] = true;
            }
            if let Some(&callee) = callees[f].get(*child) {
                *child += 1;
                if index[callee] == NEW {
                    work.push((callee, 0));
                } else if on_stack[callee] {
                    low[f] = low[f].min(index[callee]);
                }
                continue;
            }
            work.pop();
            if let Some(&(parent, _)) = work.last() {
                low[parent] = low[parent].min(low[f]);
            }
            if low[f] == index[f] {
                let mut component = Vec::new();
                while let Some(g) = stack.pop() {
                    on_stack[g] = false;
                    component.push(g);
                    if g == f {
                        break;
                    }
                }
                component.sort_unstable();
                result.push(component);
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_callees_first() {
        // 0 → 1 ⇄ 2 → 3, 4 calls itself.
        let callees = vec![vec![1], vec![2], vec![1, 3], vec![], vec![4]];
        assert_eq!(
            components(&callees),
            vec![vec![3], vec![1, 2], vec![0], vec![4]]
        );
    }
}
