//! A function's body: variables, expressions, places, checks, nodes and edges.

use crate::arena::Arena;
use crate::define_id;
use crate::expr::{Expr, ExprId, ExprKind, Place, PlaceId};
use crate::program::Symbol;
use crate::span::Span;
use crate::stmt::{Check, CheckId, Stmt};
use crate::types::TypeId;
use serde::{Deserialize, Serialize};

define_id!(
    /// A program point of a body.
    NodeId
);
define_id!(
    /// An edge of a body. Edges are sorted by their source node.
    EdgeId
);
define_id!(
    /// A parameter, local or temporary of a body.
    VarId
);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Body {
    pub vars: Arena<VarId, Var>,
    /// The parameters, in order.
    pub params: Vec<VarId>,
    /// Holds the result at `exit`; none in a void function.
    pub ret: Option<VarId>,
    pub exprs: Arena<ExprId, Expr>,
    pub places: Arena<PlaceId, Place>,
    pub checks: Arena<CheckId, Check>,
    /// Nodes are 0..node_count.
    pub node_count: u32,
    pub entry: NodeId,
    /// The one node where the function returns.
    pub exit: NodeId,
    /// Where an exception leaves the function; none if none can.
    pub unwind: Option<NodeId>,
    /// Targets of GNU `&&label`, in the order `ExprKind::Label` numbers them.
    pub labels: Vec<NodeId>,
    edges: Arena<EdgeId, Edge>,
    /// `edges[first_out[n] .. first_out[n + 1]]` leave node n.
    first_out: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    pub from: NodeId,
    pub to: NodeId,
    pub stmt: Stmt,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Var {
    /// Unique in its body. A second `i` of the source is `i.1` (C names have no dots); what the
    /// compiler introduced starts with `$`.
    pub name: Symbol,
    pub ty: TypeId,
    pub kind: VarKind,
    /// Some expression takes its address, or that of a part: it may be written through pointers.
    pub address_taken: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum VarKind {
    Param,
    Local,
    /// Introduced by the front end.
    Temp,
}

/// What makes up a body, before its edges are put in order.
pub struct Parts {
    pub vars: Arena<VarId, Var>,
    pub params: Vec<VarId>,
    pub ret: Option<VarId>,
    pub exprs: Arena<ExprId, Expr>,
    pub places: Arena<PlaceId, Place>,
    pub checks: Arena<CheckId, Check>,
    pub node_count: u32,
    pub entry: NodeId,
    pub exit: NodeId,
    pub unwind: Option<NodeId>,
    pub labels: Vec<NodeId>,
    pub edges: Vec<Edge>,
}

impl Body {
    /// Sorts the edges by source node (stable) and builds the index.
    pub fn new(parts: Parts) -> Body {
        let mut body = Body {
            vars: parts.vars,
            params: parts.params,
            ret: parts.ret,
            exprs: parts.exprs,
            places: parts.places,
            checks: parts.checks,
            node_count: parts.node_count,
            entry: parts.entry,
            exit: parts.exit,
            unwind: parts.unwind,
            labels: parts.labels,
            edges: Arena::new(),
            first_out: Vec::new(),
        };
        body.set_edges(parts.edges);
        body
    }

    /// Replaces all edges.
    pub fn set_edges(&mut self, mut edges: Vec<Edge>) {
        edges.sort_by_key(|e| e.from);
        let mut first_out = vec![0u32; self.node_count as usize + 1];
        for e in &edges {
            first_out[e.from.0 as usize + 1] += 1;
        }
        for n in 0..self.node_count as usize {
            first_out[n + 1] += first_out[n];
        }
        self.edges = edges.into();
        self.first_out = first_out;
    }

    pub fn edges(&self) -> &Arena<EdgeId, Edge> {
        &self.edges
    }

    /// For passes that rewrite statements in place; sources and targets must stay.
    pub fn edge_mut(&mut self, id: EdgeId) -> &mut Edge {
        &mut self.edges[id]
    }

    /// Takes the edges out, to be put back with `set_edges`.
    pub fn take_edges(&mut self) -> Vec<Edge> {
        std::mem::take(&mut self.edges).into_vec()
    }

    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.node_count).map(NodeId)
    }

    /// The place of which an expression is the value, casts apart: `p` of `(char *)p`.
    pub fn loaded(&self, mut e: ExprId) -> Option<PlaceId> {
        loop {
            match self.exprs.get(e)?.kind {
                ExprKind::Load(place) => return Some(place),
                ExprKind::Cast(inner) => e = inner,
                _ => return None,
            }
        }
    }

    /// The edges that leave a node, in the order they were added.
    pub fn out_edges(&self, node: NodeId) -> impl DoubleEndedIterator<Item = (EdgeId, &Edge)> {
        let lo = self.first_out[node.0 as usize];
        let hi = self.first_out[node.0 as usize + 1];
        self.edges.as_slice()[lo as usize..hi as usize]
            .iter()
            .enumerate()
            .map(move |(i, e)| (EdgeId(lo + i as u32), e))
    }

    /// For every node the edges that enter it.
    pub fn in_edges(&self) -> Vec<Vec<EdgeId>> {
        let mut into = vec![Vec::new(); self.node_count as usize];
        for (id, e) in self.edges.iter() {
            into[e.to.0 as usize].push(id);
        }
        into
    }

    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id]
    }

    pub fn place(&self, id: PlaceId) -> &Place {
        &self.places[id]
    }
}
