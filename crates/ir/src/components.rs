//! Strongly connected components.

/// The strongly connected components of a graph, successors first; the nodes of each in order. `successor(v, k)` is the k-th
/// successor of a node, none behind the last. Tarjan's algorithm with a stack of its own: chains are long.
pub fn components(
    count: usize,
    successor: impl Fn(usize, usize) -> Option<usize>,
) -> Vec<Vec<usize>> {
    const UNSEEN: u32 = u32::MAX;
    let mut index = vec![UNSEEN; count];
    let mut low = vec![0u32; count];
    let mut on_stack = vec![false; count];
    let mut stack = Vec::new();
    let mut components = Vec::new();
    let mut next = 0;
    let mut work: Vec<(usize, usize)> = Vec::new();
    for root in 0..count {
        if index[root] != UNSEEN {
            continue;
        }
        work.push((root, 0));
        while let Some((v, i)) = work.pop() {
            if i == 0 {
                index[v] = next;
                low[v] = next;
                next += 1;
                stack.push(v);
                on_stack[v] = true;
            }
            match successor(v, i) {
                Some(w) => {
                    work.push((v, i + 1));
                    if index[w] == UNSEEN {
                        work.push((w, 0));
                    } else if on_stack[w] {
                        low[v] = low[v].min(index[w]);
                    }
                }
                None => {
                    if low[v] == index[v] {
                        let at = stack.iter().rposition(|&w| w == v).unwrap_or(0);
                        let mut component: Vec<usize> = stack.drain(at..).collect();
                        component.sort_unstable();
                        for &w in &component {
                            on_stack[w] = false;
                        }
                        components.push(component);
                    }
                    if let Some(&(parent, _)) = work.last() {
                        low[parent] = low[parent].min(low[v]);
                    }
                }
            }
        }
    }
    components
}
