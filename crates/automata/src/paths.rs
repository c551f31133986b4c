//! Paths of a body, from the parent links of a search.
//!
//! A search knows a path by the edges with which it enters locations; between two locations the
//! way is determined ([`Graph::path_to`]).

use crate::graph::Graph;
use crate::space::Product;
use ir::arena::Id;
use ir::{Body, EdgeId, NodeId, Stmt};
use search::Search;

/// How the merged states were reached: enough for a path to any location.
#[derive(Default)]
pub struct Links {
    /// For every state the one before it and the edge that led here.
    parents: Vec<Option<(u32, EdgeId)>>,
    /// For every location its first aggregate.
    newest: Vec<Option<u32>>,
}

impl Links {
    pub fn of(search: &Search<'_, Product<'_, '_>>, locations: usize) -> Links {
        let parent = |id| {
            search
                .parent(id)
                .map(|(p, label)| (p.index() as u32, label))
        };
        let newest = |at| search.reached(at).next().map(|(id, _)| id.index() as u32);
        Links {
            parents: search.states().map(parent).collect(),
            newest: (0..locations).map(newest).collect(),
        }
    }

    /// The edges by which a path enters locations, to this one.
    pub fn path(&self, location: usize) -> Vec<EdgeId> {
        let mut labels = Vec::new();
        let mut at = self.newest.get(location).copied().flatten();
        while let Some(id) = at {
            at = self.parents[id as usize].map(|(parent, label)| {
                labels.push(label);
                parent
            });
        }
        labels.reverse();
        labels
    }
}

/// All edges of a path, from the edges by which it enters locations.
pub fn full_path(graph: &Graph, body: &Body, labels: &[EdgeId]) -> Vec<EdgeId> {
    labels
        .iter()
        .flat_map(|e| graph.path_to(body, *e))
        .collect()
}

/// The edge of each check.
pub fn check_edges(body: &Body) -> Vec<Option<EdgeId>> {
    let mut edges = vec![None; body.checks.len()];
    for (id, e) in body.edges().iter() {
        if let Stmt::Check(c) = e.stmt {
            edges[c.index()] = Some(id);
        }
    }
    edges
}

/// The nodes from which an edge can be reached.
pub fn reaching(body: &Body, edge: EdgeId) -> Vec<bool> {
    let into = body.in_edges();
    let mut within = vec![false; body.node_count as usize];
    let mut stack: Vec<NodeId> = vec![body.edges()[edge].from];
    while let Some(n) = stack.pop() {
        if !std::mem::replace(&mut within[n.index()], true) {
            stack.extend(into[n.index()].iter().map(|e| body.edges()[*e].from));
        }
    }
    within
}
