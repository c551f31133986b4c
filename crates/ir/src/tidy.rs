//! Clean-up of a finished body: edges that do nothing, nodes that nothing reaches, numbers that
//! follow the text.

use crate::body::{Edge, NodeId, Parts};
use crate::stmt::Stmt;

/// Removes `skip` edges that are a node's only way out, drops what cannot be reached from the
/// entry or a label, and numbers nodes in the order in which their edges were added, the exit
/// last.
pub fn tidy(body: &mut Parts) {
    let count = body.node_count as usize;
    let mut edges = std::mem::take(&mut body.edges);
    let mut out_degree = vec![0u32; count];
    for e in &edges {
        out_degree[e.from.0 as usize] += 1;
    }
    // Where a node leads to without doing anything.
    let mut leads: Vec<NodeId> = (0..count as u32).map(NodeId).collect();
    for e in &edges {
        let n = e.from.0 as usize;
        if e.stmt == Stmt::Skip && out_degree[n] == 1 {
            leads[n] = e.to;
        }
    }
    let resolve = |start: NodeId| {
        let mut at = start;
        // A cycle of skips is an endless loop of the program: it stays.
        for _ in 0..count {
            let next = leads[at.0 as usize];
            if next == at {
                return at;
            }
            at = next;
        }
        start
    };
    let target: Vec<NodeId> = (0..count as u32).map(|n| resolve(NodeId(n))).collect();
    let kept = |n: NodeId| target[n.0 as usize] == n;
    edges.retain_mut(|e| {
        e.to = target[e.to.0 as usize];
        kept(e.from)
    });
    body.entry = target[body.entry.0 as usize];
    for l in &mut body.labels {
        *l = target[l.0 as usize];
    }

    let reached = reach(body, &edges, count);
    edges.retain(|e| reached[e.from.0 as usize]);
    renumber(body, edges, &reached);
}

fn reach(body: &Parts, edges: &[Edge], count: usize) -> Vec<bool> {
    let mut successors: Vec<Vec<u32>> = vec![Vec::new(); count];
    for e in edges {
        successors[e.from.0 as usize].push(e.to.0);
    }
    let mut reached = vec![false; count];
    let mut work = vec![body.entry];
    work.extend(&body.labels);
    while let Some(n) = work.pop() {
        if !std::mem::replace(&mut reached[n.0 as usize], true) {
            work.extend(successors[n.0 as usize].iter().map(|&t| NodeId(t)));
        }
    }
    reached
}

fn renumber(body: &mut Parts, mut edges: Vec<Edge>, reached: &[bool]) {
    const NONE: u32 = u32::MAX;
    let mut number = vec![NONE; reached.len()];
    let mut next = 0;
    let mut give = |n: NodeId, number: &mut Vec<u32>| {
        if number[n.0 as usize] == NONE {
            number[n.0 as usize] = next;
            next += 1;
        }
    };
    if body.entry != body.exit {
        give(body.entry, &mut number);
    }
    for e in &edges {
        if e.from != body.exit {
            give(e.from, &mut number);
        }
    }
    // Dead ends: behind calls that do not return, and the exceptional exit.
    for e in &edges {
        if e.to != body.exit {
            give(e.to, &mut number);
        }
    }
    for l in body.labels.clone() {
        give(l, &mut number);
    }
    if let Some(u) = body.unwind {
        give(u, &mut number);
    }
    give(body.exit, &mut number);
    let new = |n: NodeId| NodeId(number[n.0 as usize]);
    for e in &mut edges {
        (e.from, e.to) = (new(e.from), new(e.to));
    }
    body.entry = new(body.entry);
    body.exit = new(body.exit);
    body.unwind = body.unwind.map(new);
    for l in &mut body.labels {
        *l = new(*l);
    }
    body.node_count = next;
    body.edges = edges;
}
