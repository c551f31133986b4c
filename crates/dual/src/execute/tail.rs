//! The straight end of a function: from there on nothing is decided, called or checked.
//!
//! Paths that are there may stay apart: none of them parts again, so that more of them cost nothing but a condition each. A
//! function often comes back for several reasons that have nothing in common (`n <= 0`, or there was room enough), and a hull
//! around two of these is all inputs.

use ir::{Body, NodeId, Stmt};
use std::collections::BTreeSet;

/// The nodes from which one straight way leads to the exit, and the exit.
pub fn straight_end(body: &Body) -> BTreeSet<NodeId> {
    let is_plain = |stmt: &Stmt| {
        matches!(
            stmt,
            Stmt::Skip | Stmt::Declare(_) | Stmt::End(_) | Stmt::Assign { .. }
        )
    };
    let into = body.in_edges();
    let mut all = BTreeSet::from([body.exit]);
    let mut new = vec![body.exit];
    while let Some(node) = new.pop() {
        let edges = into.get(node.0 as usize).into_iter().flatten();
        for edge in edges.filter_map(|id| body.edges().get(*id)) {
            let is_only = body.out_edges(edge.from).count() == 1;
            if is_only && is_plain(&edge.stmt) && all.insert(edge.from) {
                new.push(edge.from);
            }
        }
    }
    all
}
