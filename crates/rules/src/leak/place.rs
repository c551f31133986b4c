//! Where a person would look for a loss.
//!
//! All returns of a function meet before its variables end, at the closing brace; what is lost there is lost by the return that was
//! taken. (So it is with what is left by `continue`.) So a loss where a variable ends is moved back, past what only leaves, to each return that leads there.

use ir::arena::Id;
use ir::{Body, Edge, EdgeId, ExprKind, NodeId, Span, Stmt, VarKind};

pub struct Places<'a> {
    body: &'a Body,
    into: Vec<Vec<EdgeId>>,
}

/// Edges that are walked along, and places that a loss is moved to at most.
const STEPS: usize = 64;
const MOVED: usize = 24;

impl<'a> Places<'a> {
    pub fn of(body: &'a Body) -> Places<'a> {
        let into = body.in_edges();
        Places { body, into }
    }

    /// Does nothing but the end of the function come behind an edge?
    pub fn leads_to_exit(&self, edge: &Edge) -> bool {
        let mut node = edge.to;
        for _ in 0..STEPS {
            if node == self.body.exit {
                return true;
            }
            let mut out = self.body.out_edges(node).filter(|(_, e)| Some(e.to) != self.body.unwind);
            let (Some((_, next)), None) = (out.next(), out.next()) else {
                return false;
            };
            node = next.to;
        }
        false
    }

    /// The places to tell a loss behind an edge; `owning`: can it be owned in front of an edge? None: from there on it is.
    pub fn of_loss(
        &self,
        id: EdgeId,
        owning: &dyn Fn(EdgeId) -> Option<bool>,
        found: &mut Vec<(EdgeId, Span)>,
    ) {
        let edge = &self.body.edges()[id];
        let mut moved = Vec::new();
        if !self.returns(edge)
            && self.only_leaves(edge)
            && self.back(edge.from, edge.span, owning, STEPS, &mut moved)
        {
            found.extend(moved);
        } else {
            found.push((id, edge.span));
        }
    }

    /// Moves it to the edges into a node; false if that is not to be done.
    fn back(
        &self,
        node: NodeId,
        span: Span,
        owning: &dyn Fn(EdgeId) -> Option<bool>,
        steps: usize,
        moved: &mut Vec<(EdgeId, Span)>,
    ) -> bool {
        let Some(steps) = steps.checked_sub(1) else {
            return false;
        };
        let single = self.body.out_edges(node).nth(1).is_none();
        if !single || self.into[node.index()].is_empty() {
            return false;
        }
        for id in &self.into[node.index()] {
            let edge = &self.body.edges()[*id];
            match owning(*id) {
                Some(true) => {}
                Some(false) => continue,
                None => return false,
            }
            if moved.len() >= MOVED {
                return false;
            }
            if self.returns(edge) {
                moved.push((*id, edge.span));
            } else if !(self.only_leaves(edge)
                && self.back(edge.from, span, owning, steps, moved))
            {
                moved.push((*id, span));
            }
        }
        true
    }

    /// Is it what `return` does?
    fn returns(&self, edge: &Edge) -> bool {
        let (place, value) = match &edge.stmt {
            Stmt::Assign { place, value } => (*place, *value),
            Stmt::Call(call) => {
                let into = call.result.and_then(|p| self.body.places[p].as_var());
                return into.is_some() && into == self.body.ret;
            }
            _ => return false,
        };
        let Some(v) = self.body.places[place].as_var() else {
            return false;
        };
        let constant = matches!(self.body.exprs[value].kind, ExprKind::Int(_));
        Some(v) == self.body.ret || constant && self.body.vars[v].kind == VarKind::Temp
    }

    fn only_leaves(&self, edge: &Edge) -> bool {
        let ends = matches!(edge.stmt, Stmt::End(_) | Stmt::Declare(_) | Stmt::Skip);
        ends || !matches!(edge.stmt, Stmt::Call(_)) && self.returns(edge)
    }
}
