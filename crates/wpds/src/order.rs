//! In which order saturation works: callees before callers, and along the flow of each function.
//!
//! What happens inside a function depends on what its callees do, and not on who calls it: post* enters each with
//! weight one. So a function's summary should be complete before a caller goes on with it; otherwise all that comes after the
//! call is done again for every piece of the summary, and the more often the deeper the calls. Functions are not given: a
//! function is an entry, some symbol that a push puts on top, with what can be reached from there by steps and past
//! calls. Those that call each other (a strongly connected component of the call graph) share a place in the order.

use crate::ids::Symbol;
use crate::system::{Right, System};

/// Ranks of the symbols; what has a smaller one is looked at first.
pub(crate) struct Ranks(Vec<u32>);

impl Ranks {
    /// For post*: forward in each function.
    pub fn forward<W>(system: &System<W>) -> Self {
        Ranks::new(system, false)
    }

    /// For pre*: backward in each function.
    pub fn backward<W>(system: &System<W>) -> Self {
        Ranks::new(system, true)
    }

    pub fn of(&self, symbol: Option<Symbol>) -> u32 {
        let rank = symbol.and_then(|symbol| self.0.get(symbol.index()));
        rank.copied().unwrap_or(0)
    }

    fn new<W>(system: &System<W>, backward: bool) -> Self {
        let symbols = system.symbols() as usize;
        let graph = Graph::new(system);
        let flow = reverse_postorder(symbols, &graph.roots, |symbol| &graph.flow[symbol]);
        let components = graph.components();
        let mut order: Vec<u32> = (0..symbols as u32).collect();
        order.sort_by_key(|symbol| {
            let symbol = *symbol as usize;
            let flow = flow[symbol];
            (
                components[symbol],
                if backward { u32::MAX - flow } else { flow },
            )
        });
        let mut ranks = vec![0; symbols];
        for (rank, symbol) in (0u32..).zip(order) {
            ranks[symbol as usize] = rank;
        }
        Ranks(ranks)
    }
}

struct Graph {
    /// By symbol: where control goes. The place to return to comes before the callee, which is thus ranked first.
    flow: Vec<Vec<u32>>,
    /// By symbol: where control goes within the function.
    inside: Vec<Vec<u32>>,
    /// By symbol: the entries of the callees.
    calls: Vec<Vec<u32>>,
    /// What is entered from nowhere, then all others: so loops are entered at their heads.
    roots: Vec<u32>,
    /// Entries of functions: callees, then roots.
    entries: Vec<u32>,
}

impl Graph {
    fn new<W>(system: &System<W>) -> Self {
        let symbols = system.symbols() as usize;
        let mut graph = Graph {
            flow: vec![Vec::new(); symbols],
            inside: vec![Vec::new(); symbols],
            calls: vec![Vec::new(); symbols],
            roots: Vec::new(),
            entries: Vec::new(),
        };
        let mut entered = vec![false; symbols];
        let mut called = vec![false; symbols];
        for rule in system.rules() {
            let from = rule.symbol.index();
            match rule.right {
                Right::Pop => {}
                Right::Step(top) => {
                    graph.flow[from].push(top.0);
                    graph.inside[from].push(top.0);
                    entered[top.index()] = true;
                }
                Right::Push(top, below) => {
                    graph.flow[from].extend([below.0, top.0]);
                    graph.inside[from].push(below.0);
                    graph.calls[from].push(top.0);
                    entered[top.index()] = true;
                    entered[below.index()] = true;
                    called[top.index()] = true;
                }
            }
        }
        let all = || 0..symbols as u32;
        graph.roots.extend(all().filter(|s| !entered[*s as usize]));
        graph.roots.extend(all());
        graph.entries.extend(all().filter(|s| called[*s as usize]));
        graph.entries.extend_from_slice(&graph.roots);
        graph
    }

    /// By symbol: the component of its function in the call graph, callees first.
    fn components(&self) -> Vec<u32> {
        let symbols = self.flow.len();
        let mut function = vec![u32::MAX; symbols];
        let mut calls: Vec<Vec<u32>> = Vec::new();
        for entry in &self.entries {
            if function[*entry as usize] != u32::MAX {
                continue;
            }
            let number = calls.len() as u32;
            calls.push(Vec::new());
            function[*entry as usize] = number;
            let mut waiting = vec![*entry];
            while let Some(symbol) = waiting.pop() {
                calls[number as usize].extend_from_slice(&self.calls[symbol as usize]);
                for next in &self.inside[symbol as usize] {
                    if function[*next as usize] == u32::MAX {
                        function[*next as usize] = number;
                        waiting.push(*next);
                    }
                }
            }
        }
        // A symbol that two functions share belongs to the first; the other one needs it as it needs a callee.
        for (symbol, inside) in self.inside.iter().enumerate() {
            for next in inside {
                if function[*next as usize] != function[symbol] {
                    calls[function[symbol] as usize].push(*next);
                }
            }
        }
        for callees in &mut calls {
            for callee in callees.iter_mut() {
                *callee = function[*callee as usize];
            }
            callees.sort_unstable();
            callees.dedup();
        }
        let components = strongly_connected(&calls);
        function.iter().map(|f| components[*f as usize]).collect()
    }
}

fn reverse_postorder<'g>(
    size: usize,
    roots: &[u32],
    successors: impl Fn(usize) -> &'g Vec<u32>,
) -> Vec<u32> {
    let mut numbers = vec![0; size];
    let mut seen = vec![false; size];
    let mut number = size as u32;
    let mut stack: Vec<(u32, usize)> = Vec::new();
    for root in roots {
        if std::mem::replace(&mut seen[*root as usize], true) {
            continue;
        }
        stack.push((*root, 0));
        while let Some((node, next)) = stack.last_mut() {
            if let Some(successor) = successors(*node as usize).get(*next) {
                *next += 1;
                if !std::mem::replace(&mut seen[*successor as usize], true) {
                    stack.push((*successor, 0));
                }
            } else {
                number -= 1;
                numbers[*node as usize] = number;
                stack.pop();
            }
        }
    }
    numbers
}

/// Tarjan's algorithm: the number of each node's component, successors first.
fn strongly_connected(graph: &[Vec<u32>]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let size = graph.len();
    let (mut index, mut low) = (vec![NONE; size], vec![0; size]);
    let mut component = vec![NONE; size];
    let mut open: Vec<usize> = Vec::new();
    let (mut next_index, mut next_component) = (0, 0);
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for root in 0..size {
        if index[root] != NONE {
            continue;
        }
        stack.push((root, 0));
        while let Some((node, next)) = stack.last_mut() {
            let node = *node;
            if *next == 0 {
                index[node] = next_index;
                low[node] = next_index;
                next_index += 1;
                open.push(node);
            }
            if let Some(successor) = graph[node].get(*next).map(|s| *s as usize) {
                *next += 1;
                if index[successor] == NONE {
                    stack.push((successor, 0));
                } else if component[successor] == NONE {
                    low[node] = low[node].min(index[successor]);
                }
                continue;
            }
            stack.pop();
            if let Some((parent, _)) = stack.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == index[node] {
                while let Some(member) = open.pop() {
                    component[member] = next_component;
                    if member == node {
                        break;
                    }
                }
                next_component += 1;
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callees_come_before_callers() {
        let mut system: System<bool> = System::new(1);
        let s: Vec<Symbol> = (0..8).map(|_| system.symbol()).collect();
        // main: s0 calls s4, s1 calls s6, s2; s4 calls s6 and comes back to s5; s6, s7.
        system.push(s[0], s[4], s[1], true);
        system.push(s[1], s[6], s[2], true);
        system.push(s[4], s[6], s[5], true);
        system.step(s[6], s[7], true);
        let forward = Ranks::forward(&system);
        let order = |ranks: &Ranks, numbers: &[usize]| {
            numbers
                .windows(2)
                .all(|w| ranks.of(Some(s[w[0]])) < ranks.of(Some(s[w[1]])))
        };
        assert!(order(&forward, &[6, 7, 4, 5, 0, 1, 2]));
        assert!(order(&Ranks::backward(&system), &[7, 6, 5, 4, 2, 1, 0]));
    }
}
