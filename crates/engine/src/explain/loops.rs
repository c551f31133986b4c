//! Where a path meets the loops of its function.
//!
//! A loop head is the target of an edge that closes a cycle; the loop is what can come back to
//! it. For a reader it matters whether a loop was entered at all: "the loop body never runs" is
//! the whole story of many errors.

use ir::{Body, EdgeId, NodeId, Stmt};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// What a branch means for the loop whose head it stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    NeverRuns,
    Entered,
    GoesOn,
    Ends,
}

impl Turn {
    pub fn words(self) -> &'static str {
        match self {
            Turn::NeverRuns => "the loop body never runs",
            Turn::Entered => "the loop is entered",
            Turn::GoesOn => "the loop goes on",
            Turn::Ends => "the loop ends",
        }
    }
}

/// The loops of a body, by their heads.
pub struct Loops<'a> {
    body: &'a Body,
    /// Found when the first branch asks: a path of one step, as that of what is latent, has none.
    members: OnceCell<BTreeMap<NodeId, BTreeSet<NodeId>>>,
}

/// For each head what can come back to it.
fn members(body: &Body) -> BTreeMap<NodeId, BTreeSet<NodeId>> {
    let into = body.in_edges();
    let mut members: BTreeMap<NodeId, BTreeSet<NodeId>> = BTreeMap::new();
    for (from, head) in closing_edges(body) {
        let inside = members.entry(head).or_default();
        inside.insert(head);
        let mut stack = vec![from];
        while let Some(node) = stack.pop() {
            if inside.insert(node) {
                let edges = into.get(node.0 as usize).into_iter().flatten();
                stack.extend(edges.map(|e| body.edges()[*e].from));
            }
        }
    }
    members
}

impl<'a> Loops<'a> {
    pub fn of(body: &'a Body) -> Loops<'a> {
        Loops {
            body,
            members: OnceCell::new(),
        }
    }

    fn members(&self) -> &BTreeMap<NodeId, BTreeSet<NodeId>> {
        self.members.get_or_init(|| members(self.body))
    }

    /// What the branch at this step decides about a loop. `quiet` tells the statements that
    /// belong to the computation of the branch's condition.
    pub fn turn(
        &self,
        path: &[EdgeId],
        step: usize,
        quiet: &dyn Fn(&Stmt) -> bool,
    ) -> Option<Turn> {
        let edges = self.body.edges();
        let branch = &edges[path[step]];
        if let Some(turn) = self.behind_the_body(path[step]) {
            return Some(turn);
        }
        let mut at = step;
        let inside = loop {
            let from = edges[path[at]].from;
            if let Some(inside) = self.members().get(&from) {
                break inside;
            }
            at = at.checked_sub(1)?;
            if !quiet(&edges[path[at]].stmt) {
                return None;
            }
        };
        if !inside.contains(&branch.from) {
            return None;
        }
        let first = match at.checked_sub(1) {
            Some(before) => !inside.contains(&edges[path[before]].from),
            None => true,
        };
        Some(match (inside.contains(&branch.to), first) {
            (true, true) => Turn::Entered,
            (true, false) => Turn::GoesOn,
            (false, true) => Turn::NeverRuns,
            (false, false) => Turn::Ends,
        })
    }

    /// `do … while (c)` tests behind its body: one side of the branch leads straight to the head,
    /// the other out.
    fn behind_the_body(&self, taken: EdgeId) -> Option<Turn> {
        let branch = &self.body.edges()[taken];
        let mut others = self
            .body
            .out_edges(branch.from)
            .filter(|(id, _)| *id != taken);
        let (_, other) = others.next()?;
        let leaves = |head: NodeId, to: NodeId| {
            let inside = self.members().get(&head);
            inside.is_some_and(|inside| inside.contains(&branch.from) && !inside.contains(&to))
        };
        if let Some(head) = self.straight_to_head(branch.to)
            && leaves(head, other.to)
        {
            return Some(Turn::GoesOn);
        }
        let head = self.straight_to_head(other.to)?;
        leaves(head, branch.to).then_some(Turn::Ends)
    }

    /// The head that a node is, or that follows it with nothing in between.
    fn straight_to_head(&self, mut node: NodeId) -> Option<NodeId> {
        // A cycle of empty statements has at most all nodes.
        for _ in 0..self.body.node_count {
            if self.members().contains_key(&node) {
                return Some(node);
            }
            let mut next = self.body.out_edges(node);
            match (next.next(), next.next()) {
                (Some((_, edge)), None) if edge.stmt == Stmt::Skip => node = edge.to,
                _ => return None,
            }
        }
        None
    }
}

/// The edges that lead back to a node that is still being explored, depth-first from the entry.
fn closing_edges(body: &Body) -> Vec<(NodeId, NodeId)> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        Open,
        Done,
    }
    let mut seen = vec![Seen::No; body.node_count as usize];
    let mut closing = Vec::new();
    let mut stack = vec![(body.entry, 0usize)];
    seen[body.entry.0 as usize] = Seen::Open;
    while let Some((node, next)) = stack.last_mut() {
        let edge = body.out_edges(*node).nth(*next);
        *next += 1;
        let Some((_, edge)) = edge else {
            seen[node.0 as usize] = Seen::Done;
            stack.pop();
            continue;
        };
        match seen[edge.to.0 as usize] {
            Seen::Open => closing.push((edge.from, edge.to)),
            Seen::No => {
                seen[edge.to.0 as usize] = Seen::Open;
                stack.push((edge.to, 0));
            }
            Seen::Done => {}
        }
    }
    closing
}
