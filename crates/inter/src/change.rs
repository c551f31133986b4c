//! What is different between two versions of a program (§3, "Input").
//!
//! Edges are added, deleted or modified. An editor renumbers nodes freely, so the two versions of a
//! function are first laid over each other: from entry and exits, along edges of equal
//! content, forwards and backwards; what is left between nodes that belong together is a *modified*
//! edge. The correspondence decides only how much is reused, never what is right: a recorded
//! transition is used again for a state and an edge of the same content, wherever it stood.

use crate::graph::Graph;
use crate::machine::{Action, Edge, EdgeId, Exit, FunctionId, Machine, NodeId, Shape};
use std::sync::Arc;

/// How the new version of a function lies over the old one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Correspondence {
    /// For each new node, the old one.
    pub old_node: Vec<Option<NodeId>>,
    /// For each new edge, the old one *of the same content*.
    pub old_edge: Vec<Option<EdgeId>>,
    /// New edges without an old one.
    pub added: Vec<EdgeId>,
    /// Old edges without a new one.
    pub deleted: Vec<EdgeId>,
    /// Pairs (old, new) between nodes that belong together, whose content or targets differ.
    pub modified: Vec<(EdgeId, EdgeId)>,
}

/// What became of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionChange {
    /// There is none of this id, before and after.
    Absent,
    /// The same edges between the same nodes.
    Same,
    /// New.
    Added,
    /// Gone.
    Removed,
    /// Both versions exist and differ, if only in the numbers of nodes.
    Edited(Arc<Correspondence>),
}

/// The differences of two versions of a program, by function id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    functions: Vec<FunctionChange>,
}

impl Changes {
    /// From the program that `graph` was made of to `machine`.
    pub fn between<S, M: Machine>(graph: &Graph<S>, machine: &M) -> Changes {
        let count = machine.functions().max(graph.functions.len());
        let compare = |function| {
            let old = graph.function(function).and_then(|g| g.shape.as_ref());
            let new = known(machine, function);
            match (old, new) {
                (None, None) => FunctionChange::Absent,
                (None, Some(_)) => FunctionChange::Added,
                (Some(_), None) => FunctionChange::Removed,
                (Some(old), Some(new)) if Arc::ptr_eq(old, new) || old == new => {
                    FunctionChange::Same
                }
                (Some(old), Some(new)) => FunctionChange::Edited(Arc::new(correspond(old, new))),
            }
        };
        Changes {
            functions: (0..count as u32).map(FunctionId).map(compare).collect(),
        }
    }

    /// What became of a function.
    pub fn of(&self, function: FunctionId) -> &FunctionChange {
        let known = self.functions.get(function.0 as usize);
        known.unwrap_or(&FunctionChange::Absent)
    }

    /// What became of each function.
    pub fn iter(&self) -> impl Iterator<Item = (FunctionId, &FunctionChange)> {
        (0..).map(FunctionId).zip(&self.functions)
    }
}

/// The shape of a function whose id may be beyond those of the machine.
pub(crate) fn known<M: Machine>(machine: &M, function: FunctionId) -> Option<&Arc<Shape>> {
    match (function.0 as usize) < machine.functions() {
        true => machine.shape(function),
        false => None,
    }
}

/// Lays two versions of a function over each other.
pub fn correspond(old: &Shape, new: &Shape) -> Correspondence {
    let mut overlay = Overlay::new(old, new);
    overlay.join(old.entry(), new.entry());
    for exit in [Exit::Normal, Exit::Exceptional] {
        if let (Some(old), Some(new)) = (old.exit(exit), new.exit(exit)) {
            overlay.join(old, new);
        }
    }
    overlay.along_equal_edges();
    // A changed statement in the middle of a line: its nodes belong together too.
    while overlay.across_a_changed_edge() {
        overlay.along_equal_edges();
    }
    overlay.finish()
}

struct Overlay<'a> {
    old: &'a Shape,
    new: &'a Shape,
    old_node: Vec<Option<NodeId>>,
    new_node: Vec<Option<NodeId>>,
    old_edge: Vec<Option<EdgeId>>,
    new_edge: Vec<Option<EdgeId>>,
    old_incoming: Vec<Vec<EdgeId>>,
    new_incoming: Vec<Vec<EdgeId>>,
    /// New nodes that got their old one, in this order.
    joined: Vec<NodeId>,
    /// How many of them [`Overlay::along_equal_edges`] has followed.
    followed: usize,
    /// How many of them [`Overlay::across_a_changed_edge`] is done with.
    tried: usize,
}

fn incoming(shape: &Shape) -> Vec<Vec<EdgeId>> {
    let mut all = vec![Vec::new(); shape.nodes() as usize];
    for (id, edge) in (0..).map(EdgeId).zip(shape.edges()) {
        all[edge.target.0 as usize].push(id);
    }
    all
}

fn same_content(old: &Edge, new: &Edge) -> bool {
    let call = |edge: &Edge| matches!(edge.action, Action::Call { .. });
    old.key == new.key && call(old) == call(new)
}

impl<'a> Overlay<'a> {
    fn new(old: &'a Shape, new: &'a Shape) -> Overlay<'a> {
        Overlay {
            old,
            new,
            old_node: vec![None; new.nodes() as usize],
            new_node: vec![None; old.nodes() as usize],
            old_edge: vec![None; new.edges().len()],
            new_edge: vec![None; old.edges().len()],
            old_incoming: incoming(old),
            new_incoming: incoming(new),
            joined: Vec::new(),
            followed: 0,
            tried: 0,
        }
    }

    /// Whether the two nodes are each other's, or can become so.
    fn fit(&self, old: NodeId, new: NodeId) -> bool {
        match (self.new_node[old.0 as usize], self.old_node[new.0 as usize]) {
            (None, None) => true,
            (Some(n), Some(o)) => n == new && o == old,
            _ => false,
        }
    }

    fn join(&mut self, old: NodeId, new: NodeId) {
        if self.fit(old, new) && self.old_node[new.0 as usize].is_none() {
            self.old_node[new.0 as usize] = Some(old);
            self.new_node[old.0 as usize] = Some(new);
            self.joined.push(new);
        }
    }

    fn along_equal_edges(&mut self) {
        while let Some(&new) = self.joined.get(self.followed) {
            self.followed += 1;
            let Some(old) = self.old_node[new.0 as usize] else {
                continue;
            };
            let pairs = (
                self.old.outgoing(old).collect::<Vec<_>>(),
                self.new.outgoing(new).collect::<Vec<_>>(),
            );
            self.pair(&pairs.0, &pairs.1, |edge| edge.target);
            let pairs = (
                self.old_incoming[old.0 as usize].clone(),
                self.new_incoming[new.0 as usize].clone(),
            );
            self.pair(&pairs.0, &pairs.1, |edge| edge.source);
        }
    }

    /// Pairs edges of equal content; `far` is their other end.
    fn pair(&mut self, old: &[EdgeId], new: &[EdgeId], far: fn(&Edge) -> NodeId) {
        for n in new {
            if self.old_edge[n.0 as usize].is_some() {
                continue;
            }
            let edge = self.new.edge(*n);
            let partner = old.iter().copied().find(|o| {
                let candidate = self.old.edge(*o);
                self.new_edge[o.0 as usize].is_none()
                    && same_content(candidate, edge)
                    && self.fit(far(candidate), far(edge))
            });
            if let Some(o) = partner {
                self.old_edge[n.0 as usize] = Some(o);
                self.new_edge[o.0 as usize] = Some(*n);
                self.join(far(self.old.edge(o)), far(edge));
            }
        }
    }

    /// Joins the first nodes that two edges of different content lead to from nodes that belong
    /// together. Later joins only take such pairs away, so no node is looked at twice.
    fn across_a_changed_edge(&mut self) -> bool {
        while let Some(&new) = self.joined.get(self.tried) {
            if let Some(old) = self.old_node[new.0 as usize] {
                let o = self.old.outgoing(old).find(|e| {
                    self.new_edge[e.0 as usize].is_none()
                        && self.new_node[self.old.edge(*e).target.0 as usize].is_none()
                });
                let n = self.new.outgoing(new).find(|e| {
                    self.old_edge[e.0 as usize].is_none()
                        && self.old_node[self.new.edge(*e).target.0 as usize].is_none()
                });
                if let (Some(o), Some(n)) = (o, n) {
                    self.join(self.old.edge(o).target, self.new.edge(n).target);
                    return true;
                }
            }
            self.tried += 1;
        }
        false
    }

    fn finish(self) -> Correspondence {
        let mut result = Correspondence::default();
        let mut taken = vec![false; self.old.edges().len()];
        for (id, edge) in (0..).map(EdgeId).zip(self.new.edges()) {
            if let Some(old) = self.old_edge[id.0 as usize] {
                // Same statement; but a call through a pointer may have other targets now.
                if self.old.edge(old).action != edge.action {
                    result.modified.push((old, id));
                }
                continue;
            }
            let partner = self.old_node[edge.source.0 as usize].and_then(|source| {
                self.old.outgoing(source).find(|o| {
                    self.new_edge[o.0 as usize].is_none()
                        && !taken[o.0 as usize]
                        && self.old_node[edge.target.0 as usize] == Some(self.old.edge(*o).target)
                })
            });
            match partner {
                Some(old) => {
                    taken[old.0 as usize] = true;
                    result.modified.push((old, id));
                }
                None => result.added.push(id),
            }
        }
        let gone = |id: &EdgeId| self.new_edge[id.0 as usize].is_none() && !taken[id.0 as usize];
        let all = 0..self.old.edges().len() as u32;
        result.deleted = all.map(EdgeId).filter(gone).collect();
        result.old_node = self.old_node;
        result.old_edge = self.old_edge;
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::EdgeKey;

    /// Entered at the first node, left at the last; edges (source, content, target).
    fn shape(nodes: u32, edges: &[(u32, u128, u32)]) -> Shape {
        let edge = |(source, key, target): &(u32, u128, u32)| Edge {
            source: NodeId(*source),
            target: NodeId(*target),
            key: EdgeKey(*key),
            action: Action::Statement,
        };
        let edges = edges.iter().map(edge).collect();
        Shape::new(nodes, NodeId(0), NodeId(nodes - 1), None, edges).expect("well formed")
    }

    fn counts(c: &Correspondence) -> (usize, usize, usize) {
        (c.added.len(), c.deleted.len(), c.modified.len())
    }

    #[test]
    fn numbers_of_nodes_mean_nothing() {
        let old = shape(4, &[(0, 10, 1), (1, 11, 2), (2, 12, 3)]);
        let new = shape(4, &[(0, 10, 2), (2, 11, 1), (1, 12, 3)]);
        let c = correspond(&old, &new);
        assert_eq!(counts(&c), (0, 0, 0));
        let nodes = [0, 2, 1, 3].map(|n| Some(NodeId(n)));
        assert_eq!(c.old_node, nodes);
    }

    #[test]
    fn a_changed_statement_is_one_modification() {
        let old = shape(5, &[(0, 10, 1), (1, 11, 2), (2, 12, 3), (3, 13, 4)]);
        let new = shape(5, &[(0, 10, 1), (1, 99, 2), (2, 12, 3), (3, 13, 4)]);
        let c = correspond(&old, &new);
        assert_eq!(counts(&c), (0, 0, 1));
        assert_eq!(c.modified, [(EdgeId(1), EdgeId(1))]);
    }

    /// Two in a row: the node between them is found neither forwards nor backwards.
    #[test]
    fn changed_statements_in_a_row_are_modifications() {
        let old = shape(5, &[(0, 10, 1), (1, 11, 2), (2, 12, 3), (3, 13, 4)]);
        let new = shape(5, &[(0, 10, 1), (1, 98, 2), (2, 99, 3), (3, 13, 4)]);
        let c = correspond(&old, &new);
        assert_eq!(counts(&c), (0, 0, 2));
    }

    #[test]
    fn an_inserted_statement_leaves_the_rest_alone() {
        let old = shape(4, &[(0, 10, 1), (1, 11, 2), (2, 12, 3)]);
        let new = shape(5, &[(0, 10, 1), (1, 99, 2), (2, 11, 3), (3, 12, 4)]);
        let c = correspond(&old, &new);
        // The statement after the new one begins elsewhere, at what was the old one's beginning or at
        // the new node: either way nothing else is touched.
        assert_eq!(c.old_edge[0], Some(EdgeId(0)));
        assert_eq!(c.old_edge[3], Some(EdgeId(2)));
        assert!(counts(&c).0 + counts(&c).2 <= 2);
    }

    #[test]
    fn a_deleted_branch_is_a_deletion() {
        let old = shape(3, &[(0, 10, 1), (0, 11, 2), (1, 12, 2)]);
        let new = shape(3, &[(0, 10, 1), (1, 12, 2)]);
        let c = correspond(&old, &new);
        assert_eq!(counts(&c), (0, 1, 0));
        assert_eq!(c.deleted, [EdgeId(1)]);
    }

    #[test]
    fn other_targets_of_a_call_are_a_modification_of_the_same_content() {
        let call = |target| {
            let action = Action::Call {
                targets: vec![FunctionId(target)],
                unwind: None,
            };
            let edge = Edge {
                source: NodeId(0),
                target: NodeId(1),
                key: EdgeKey(5),
                action,
            };
            Shape::new(2, NodeId(0), NodeId(1), None, vec![edge]).expect("well formed")
        };
        let c = correspond(&call(1), &call(2));
        assert_eq!(c.modified, [(EdgeId(0), EdgeId(0))]);
        assert_eq!(c.old_edge, [Some(EdgeId(0))]);
    }

    #[test]
    fn shapes_are_checked() {
        let edge = |source, target| Edge {
            source: NodeId(source),
            target: NodeId(target),
            key: EdgeKey(0),
            action: Action::Statement,
        };
        let make = |edges| Shape::new(2, NodeId(0), NodeId(1), None, edges);
        use crate::machine::Malformed::{LeavesExit, NoSuchNode};
        assert_eq!(make(vec![edge(0, 2)]), Err(NoSuchNode(NodeId(2))));
        assert_eq!(make(vec![edge(1, 0)]), Err(LeavesExit(NodeId(1))));
    }
}
