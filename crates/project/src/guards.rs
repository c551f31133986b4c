//! Which branches decide whether an edge is taken: control dependence, as far as it is near.
//!
//! Going back from the edge, a branch of which only some ways lead there decides about it. One of which all ways lead there
//! decides nothing, and is passed.

use ir::arena::Id;
use ir::{Body, EdgeId, ExprId, NodeId, Stmt};
use std::collections::BTreeMap;

/// Nodes that are looked at for one edge.
const NEAR: usize = 200;

/// Edges into nodes.
pub struct Guards<'b> {
    body: &'b Body,
    into: Vec<Vec<EdgeId>>,
}

impl<'b> Guards<'b> {
    pub fn new(body: &'b Body) -> Guards<'b> {
        Guards {
            into: body.in_edges(),
            body,
        }
    }

    /// The conditions under which an edge is taken, in the order of the body.
    pub fn of(&self, edge: EdgeId) -> Vec<ExprId> {
        let mut waiting: Vec<NodeId> = vec![self.body.edges()[edge].from];
        let mut seen = vec![false; self.into.len()];
        // By branch: how many of its ways lead here, and their conditions.
        let mut branches: BTreeMap<NodeId, Vec<ExprId>> = BTreeMap::new();
        let mut left = NEAR;
        while let Some(node) = waiting.pop() {
            if std::mem::replace(&mut seen[node.index()], true) || left == 0 {
                continue;
            }
            left -= 1;
            for id in &self.into[node.index()] {
                let edge = &self.body.edges()[*id];
                let ways = self.body.out_edges(edge.from).count();
                match edge.stmt {
                    Stmt::Assume(e) if ways > 1 => {
                        let known = branches.entry(edge.from).or_default();
                        known.push(e);
                        if known.len() == ways {
                            waiting.push(edge.from);
                        }
                    }
                    _ => waiting.push(edge.from),
                }
            }
        }
        branches.retain(|node, _| !seen[node.index()]);
        branches.into_values().flatten().collect()
    }
}
