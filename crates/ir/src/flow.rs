//! The order in which a function is executed: straight parts once, loops until they come to rest.
//!
//! A weak topological order (Bourdoncle 1993): a list of nodes and loops, nested, such that every edge that leads back leads to
//! the head of a loop that it is in. It is found by taking strongly connected components apart: remove the head, and what is
//! left has components of its own. A loop that can be entered elsewhere than at its head (`goto`) is in order, too.

use crate::components::components;
use crate::{Body, EdgeId, NodeId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A part of the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Node(NodeId),
    Loop(Loop),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    pub head: NodeId,
    /// What is in it besides the head.
    pub body: Vec<Step>,
    /// All its nodes.
    pub nodes: BTreeSet<NodeId>,
}

/// Loops within loops, at most.
const DEPTH: usize = 32;

/// The order of what can be reached from the entry; none if loops are nested too deeply.
pub fn order(body: &Body) -> Option<Vec<Step>> {
    let mut reached = BTreeSet::from([body.entry]);
    let mut work = vec![body.entry];
    while let Some(node) = work.pop() {
        for (_, edge) in body.out_edges(node) {
            if reached.insert(edge.to) {
                work.push(edge.to);
            }
        }
    }
    let nodes: Vec<NodeId> = reached.into_iter().collect();
    ordered(body, &body.in_edges(), &nodes, DEPTH)
}

fn ordered(body: &Body, into: &[Vec<EdgeId>], nodes: &[NodeId], depth: usize) -> Option<Vec<Step>> {
    let position: FxHashMap<NodeId, usize> = nodes.iter().copied().zip(0..).collect();
    let successors: Vec<Vec<usize>> = nodes
        .iter()
        .map(|node| {
            let edges = body.out_edges(*node);
            edges
                .filter_map(|(_, e)| position.get(&e.to).copied())
                .collect()
        })
        .collect();
    let all = components(nodes.len(), |v, k| successors[v].get(k).copied());
    let mut steps = Vec::with_capacity(all.len());
    for component in all.into_iter().rev() {
        let is_loop = match component.as_slice() {
            [one] => successors[*one].contains(one),
            _ => true,
        };
        if !is_loop {
            steps.extend(component.iter().map(|v| Step::Node(nodes[*v])));
            continue;
        }
        let within: BTreeSet<NodeId> = component.iter().map(|v| nodes[*v]).collect();
        let head = head(body, into, &within);
        let rest: Vec<NodeId> = within.iter().copied().filter(|n| *n != head).collect();
        let depth = depth.checked_sub(1)?;
        steps.push(Step::Loop(Loop {
            head,
            body: ordered(body, into, &rest, depth)?,
            nodes: within,
        }));
    }
    Some(steps)
}

/// Where a loop is entered; the first such node if there are several.
fn head(body: &Body, into: &[Vec<EdgeId>], within: &BTreeSet<NodeId>) -> NodeId {
    let is_entered = |node: &&NodeId| {
        let edges = &into[node.0 as usize];
        **node == body.entry
            || edges
                .iter()
                .any(|e| !within.contains(&body.edges()[*e].from))
    };
    let first = within.iter().find(is_entered).or_else(|| within.first());
    first.copied().unwrap_or(body.entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(steps: &[Step]) -> String {
        let words = steps.iter().map(|step| match step {
            Step::Node(n) => n.0.to_string(),
            Step::Loop(l) if l.body.is_empty() => format!("({})", l.head.0),
            Step::Loop(l) => format!("({} {})", l.head.0, shown(&l.body)),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    fn order_of(edges: &[(u32, u32)]) -> String {
        let nodes = edges.iter().flat_map(|(a, b)| [*a, *b]).max().unwrap_or(0) + 1;
        let edges = edges.iter().map(|(from, to)| crate::Edge {
            from: NodeId(*from),
            to: NodeId(*to),
            stmt: crate::Stmt::Skip,
            span: crate::Span::NONE,
        });
        let body = Body::new(crate::body::Parts {
            vars: Default::default(),
            params: Vec::new(),
            ret: None,
            exprs: Default::default(),
            places: Default::default(),
            checks: Default::default(),
            node_count: nodes,
            entry: NodeId(0),
            exit: NodeId(nodes - 1),
            unwind: None,
            labels: Vec::new(),
            edges: edges.collect(),
        });
        shown(&order(&body).unwrap())
    }

    #[test]
    fn straight_code_is_in_topological_order() {
        assert_eq!(order_of(&[(0, 2), (2, 1), (0, 1), (1, 3)]), "0 2 1 3");
    }

    #[test]
    fn loops_are_nested() {
        // Bourdoncle's example, numbered from 0.
        let edges = [
            (0, 1),
            (1, 2),
            (2, 3),
            (3, 4),
            (4, 5),
            (5, 6),
            (6, 7),
            (1, 7),
            (3, 6),
            (6, 2),
            (5, 4),
        ];
        assert_eq!(order_of(&edges), "0 1 (2 3 (4 5) 6) 7");
    }

    #[test]
    fn a_loop_may_be_entered_in_the_middle() {
        assert_eq!(
            order_of(&[(0, 1), (0, 2), (1, 2), (2, 1), (2, 3)]),
            "0 (1 2) 3"
        );
    }

    #[test]
    fn what_cannot_be_reached_is_not_in_it() {
        assert_eq!(order_of(&[(0, 2), (1, 2), (1, 1)]), "0 2");
    }
}
