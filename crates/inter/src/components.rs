//! The strongly connected components of the call graph, callees first (§4): a component with more
//! than one function, or with one that calls itself, is a set of mutually recursive functions.

use crate::change::known;
use crate::machine::{Edge, FunctionId, Machine};

/// Who may call whom, by function id; sorted, without functions that have no shape.
pub fn call_graph<M: Machine>(machine: &M) -> Vec<Vec<FunctionId>> {
    let callees = |function| {
        let shape = known(machine, function);
        let edges = shape.map_or(&[][..], |shape| shape.edges());
        let mut all: Vec<_> = edges.iter().flat_map(Edge::targets).copied().collect();
        all.sort_unstable();
        all.dedup();
        all.retain(|callee| known(machine, *callee).is_some());
        all
    };
    let all = 0..machine.functions() as u32;
    all.map(FunctionId).map(callees).collect()
}

/// Tarjan's algorithm, without recursion. Every component comes after those that it calls; within
/// a component functions are sorted.
pub fn components(callees: &[Vec<FunctionId>]) -> Vec<Vec<FunctionId>> {
    const UNSEEN: usize = usize::MAX;
    const DONE: usize = usize::MAX - 1;
    let mut low = vec![UNSEEN; callees.len()];
    let mut seen = 0;
    let mut stack: Vec<FunctionId> = Vec::new();
    let mut result = Vec::new();
    // A function, its own number, and how many of its callees were visited.
    let mut visits: Vec<(FunctionId, usize, usize)> = Vec::new();
    for start in (0..callees.len() as u32).map(FunctionId) {
        let mut next = (low[start.0 as usize] == UNSEEN).then_some(start);
        while next.is_some() || !visits.is_empty() {
            if let Some(function) = next.take() {
                low[function.0 as usize] = seen;
                visits.push((function, seen, 0));
                stack.push(function);
                seen += 1;
            }
            let Some((function, number, visited)) = visits.last_mut() else {
                break;
            };
            let at = function.0 as usize;
            if let Some(callee) = callees[at].get(*visited) {
                *visited += 1;
                match low[callee.0 as usize] {
                    UNSEEN => next = Some(*callee),
                    DONE => {}
                    reached => low[at] = low[at].min(reached),
                }
                continue;
            }
            if low[at] == *number {
                let from = stack.iter().rposition(|f| f == function).unwrap_or(0);
                let mut component = stack.split_off(from);
                for member in &component {
                    low[member.0 as usize] = DONE;
                }
                component.sort_unstable();
                result.push(component);
                visits.pop();
            } else {
                let reached = low[at];
                visits.pop();
                if let Some((caller, _, _)) = visits.last() {
                    let at = caller.0 as usize;
                    low[at] = low[at].min(reached);
                }
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(callees: &[&[u32]]) -> Vec<Vec<FunctionId>> {
        let ids = |all: &&[u32]| all.iter().copied().map(FunctionId).collect();
        callees.iter().map(ids).collect()
    }

    fn numbers(components: Vec<Vec<FunctionId>>) -> Vec<Vec<u32>> {
        let plain = |c: Vec<FunctionId>| c.into_iter().map(|f| f.0).collect();
        components.into_iter().map(plain).collect()
    }

    #[test]
    fn callees_come_first() {
        let all = components(&graph(&[&[1, 2], &[2], &[]]));
        assert_eq!(numbers(all), [[2], [1], [0]]);
    }

    #[test]
    fn recursion_is_one_component() {
        // 0 → 1 ⇄ 2 → 3 ⟲, 4 → 2
        let all = components(&graph(&[&[1], &[2], &[1, 3], &[3], &[2]]));
        assert_eq!(numbers(all), [vec![3], vec![1, 2], vec![0], vec![4]]);
    }

    #[test]
    fn deep_call_chains_need_no_stack() {
        let chain: Vec<Vec<FunctionId>> = (1..=200_000)
            .map(|next| {
                if next < 200_000 {
                    vec![FunctionId(next)]
                } else {
                    vec![]
                }
            })
            .collect();
        let all = components(&chain);
        assert_eq!(all.len(), 200_000);
        assert_eq!(all[0], [FunctionId(199_999)]);
    }
}
