//! On which parts of the state the way of the next turn depends: a slice of the loop.
//!
//! Statements *matter* where the loop can be left, or ended by a call; where something is written that a branch which matters
//! reads; and branches matter behind which different statements that matter come next (the next observable of a node: Ranganath et
//! al., "A new foundation for control dependence", 2007). The sums and counters of a loop do not, nor the branches around them.

use super::callees::Callees;
use ir::arena::Id;
use ir::flow::Loop;
use ir::walk::{Item, expr_items, place_items, statement_items};
use ir::{Body, Edge, ExprKind, Intrinsic, NodeId, PlaceId, Stmt, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// The slice.
#[derive(Debug, Default)]
pub(super) struct Matters {
    /// The nodes whose statements matter.
    nodes: BTreeSet<NodeId>,
    /// The variables that are read by these, and that nobody else can write.
    pub variables: BTreeSet<VarId>,
    /// They read memory.
    pub memory: bool,
}

/// What an expression or a place reads.
#[derive(Debug, Default)]
pub(super) struct Reads {
    pub variables: BTreeSet<VarId>,
    pub memory: bool,
    pub volatile: bool,
}

/// The variable that a place is, if nobody else can write it.
pub(super) fn own(body: &Body, place: PlaceId) -> Option<VarId> {
    let v = body.places.get(place)?.as_var()?;
    body.vars.get(v).filter(|v| !v.address_taken)?;
    Some(v)
}

/// What a statement reads, that which says where it writes among it.
pub(super) fn reads(body: &Body, stmt: &Stmt) -> Reads {
    let mut items = Vec::new();
    // The places directly in a statement are written. What checks read they only look at.
    if !matches!(stmt, Stmt::Check(_)) {
        statement_items(body, stmt, &mut |item| {
            items.push((item, matches!(item, Item::Place(_))));
        });
    }
    let mut reads = Reads {
        // Whoever computes may read what the arguments point to.
        memory: matches!(stmt, Stmt::Call(_) | Stmt::Copy { .. }),
        ..Reads::default()
    };
    let mut seen = BTreeSet::new();
    while let Some((item, written)) = items.pop() {
        match item {
            Item::Expr(e) => {
                let Some(expr) = body.exprs.get(e).filter(|_| seen.insert(e)) else {
                    continue;
                };
                if let ExprKind::Intrinsic(Intrinsic::Volatile, _) = expr.kind {
                    reads.volatile = true;
                }
                let is_address = matches!(expr.kind, ExprKind::AddrOf(_));
                expr_items(expr, &mut |item| items.push((item, is_address)));
            }
            Item::Place(p) => {
                let Some(place) = body.places.get(p) else {
                    continue;
                };
                if !written {
                    match own(body, p) {
                        Some(v) => {
                            reads.variables.insert(v);
                        }
                        None => reads.memory = true,
                    }
                }
                place_items(place, &mut |item| items.push((item, false)));
            }
        }
    }
    reads
}

/// What a statement writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writes {
    Nothing,
    Variable(VarId),
    Memory,
}

pub(super) fn writes(body: &Body, stmt: &Stmt) -> Writes {
    let at = |place| match own(body, place) {
        Some(v) => Writes::Variable(v),
        None => Writes::Memory,
    };
    match stmt {
        Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => at(*place),
        Stmt::Call(call) => call.result.map_or(Writes::Nothing, at),
        Stmt::Allocate { var, .. } => Writes::Variable(*var),
        Stmt::Copy { .. } | Stmt::Fill { .. } | Stmt::VaStart(_) => Writes::Memory,
        _ => Writes::Nothing,
    }
}

impl Matters {
    pub fn of(body: &Body, callees: &Callees, one: &Loop) -> Matters {
        let mut all = Matters::default();
        all.nodes.insert(one.head);
        for edge in edges(body, one) {
            let ends = match &edge.stmt {
                Stmt::Call(call) => !callees.compute(call.callee),
                _ => false,
            };
            if ends || !one.nodes.contains(&edge.to) {
                all.nodes.insert(edge.from);
            }
        }
        loop {
            let before = (all.nodes.len(), all.variables.len(), all.memory);
            all.read(body, one);
            all.written(body, one);
            all.branches(body, one);
            if before == (all.nodes.len(), all.variables.len(), all.memory) {
                return all;
            }
        }
    }

    pub fn has(&self, node: NodeId) -> bool {
        self.nodes.contains(&node)
    }

    fn reads_variable(&self, body: &Body, edge: &Edge, v: VarId) -> bool {
        self.is_read(body, edge) && reads(body, &edge.stmt).variables.contains(&v)
    }

    /// Does what the statement reads decide anything?
    fn is_read(&self, body: &Body, edge: &Edge) -> bool {
        self.has(edge.from)
            && match writes(body, &edge.stmt) {
                Writes::Nothing => matches!(edge.stmt, Stmt::Assume(_)),
                Writes::Variable(v) => self.variables.contains(&v),
                Writes::Memory => self.memory,
            }
    }

    fn read(&mut self, body: &Body, one: &Loop) {
        for edge in edges(body, one) {
            if self.is_read(body, edge) {
                let reads = reads(body, &edge.stmt);
                self.variables.extend(reads.variables);
                self.memory |= reads.memory;
            }
        }
    }

    fn written(&mut self, body: &Body, one: &Loop) {
        for edge in edges(body, one) {
            let matters = match writes(body, &edge.stmt) {
                Writes::Nothing => false,
                Writes::Variable(v) => self.variables.contains(&v),
                Writes::Memory => self.memory,
            };
            if matters {
                self.nodes.insert(edge.from);
            }
        }
    }

    /// Branches behind which one of several nodes that matter comes next.
    fn branches(&mut self, body: &Body, one: &Loop) {
        #[derive(Clone, Copy, PartialEq)]
        enum Next {
            One(NodeId),
            Several,
        }
        let mut next: BTreeMap<NodeId, Next> = BTreeMap::new();
        let mut predecessors: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        for edge in edges(body, one).filter(|e| one.nodes.contains(&e.to)) {
            predecessors.entry(edge.to).or_default().push(edge.from);
        }
        let mut work: Vec<NodeId> = self.nodes.iter().copied().collect();
        while let Some(node) = work.pop() {
            let here = match self.has(node) {
                true => Next::One(node),
                false => match next.get(&node) {
                    Some(known) => *known,
                    None => continue,
                },
            };
            for before in predecessors.get(&node).into_iter().flatten() {
                if self.has(*before) {
                    continue;
                }
                let joined = match next.get(before) {
                    None => here,
                    Some(known) if *known == here => continue,
                    Some(Next::Several) => continue,
                    Some(Next::One(_)) => Next::Several,
                };
                next.insert(*before, joined);
                work.push(*before);
            }
        }
        let parts = |node: &NodeId| body.out_edges(*node).count() > 1;
        let several = next.iter().filter(|(_, next)| **next == Next::Several);
        let branches = several.map(|(node, _)| *node).filter(|node| parts(node));
        self.nodes.extend(branches.collect::<Vec<_>>());
    }

    /// Is the value that a variable has at the head read, before another one is written?
    pub fn is_carried(&self, body: &Body, one: &Loop, v: VarId) -> bool {
        let mut seen = BTreeSet::from([one.head]);
        let mut work = vec![one.head];
        while let Some(node) = work.pop() {
            for (_, edge) in body.out_edges(node) {
                if self.reads_variable(body, edge, v) {
                    return true;
                }
                if writes(body, &edge.stmt) != Writes::Variable(v)
                    && one.nodes.contains(&edge.to)
                    && seen.insert(edge.to)
                {
                    work.push(edge.to);
                }
            }
        }
        false
    }
}

/// The edges that leave nodes of a loop.
pub(super) fn edges<'b>(body: &'b Body, one: &Loop) -> impl Iterator<Item = &'b Edge> {
    let nodes = one
        .nodes
        .iter()
        .filter(|n| n.index() < body.node_count as usize);
    let nodes: Vec<NodeId> = nodes.copied().collect();
    nodes
        .into_iter()
        .flat_map(|node| body.out_edges(node).map(|(_, edge)| edge))
}
