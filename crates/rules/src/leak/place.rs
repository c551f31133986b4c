//! Where a person would look for a loss.
//!
//! All returns of a function meet before its variables end, at the closing brace; what is lost there is lost by the return that was
//! taken. (So it is with what is left by `continue`.) So a loss where a variable ends is moved back, past what only leaves, to each return that leads there.

use ir::arena::Id;
use ir::{
    BinaryOp, Body, CompareOp, Edge, EdgeId, ExprId, ExprKind, NodeId, Span, Stmt, UnaryOp, VarId,
    VarKind,
};

pub struct Places<'a> {
    body: &'a Body,
    into: Vec<Vec<EdgeId>>,
    /// Nodes from which an exception leaves the function, and nothing else can come.
    thrown: Vec<bool>,
}

/// Edges that are walked along, and places that a loss is moved to at most.
const STEPS: usize = 64;
const MOVED: usize = 24;

impl<'a> Places<'a> {
    pub fn of(body: &'a Body) -> Places<'a> {
        let into = body.in_edges();
        let mut places = Places {
            body,
            into,
            thrown: Vec::new(),
        };
        if let Some(unwind) = body.unwind {
            let (throws, returns) = (places.leading_to(unwind), places.leading_to(body.exit));
            let both = throws.into_iter().zip(returns);
            places.thrown = both.map(|(throws, returns)| throws && !returns).collect();
        }
        places
    }

    /// The nodes from which a way leads to one.
    fn leading_to(&self, node: NodeId) -> Vec<bool> {
        let mut seen = vec![false; self.into.len()];
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut seen[node.index()], true) {
                let edges = self.into[node.index()].iter();
                stack.extend(edges.map(|id| self.body.edges()[*id].from));
            }
        }
        seen
    }

    /// Does an edge only lead to where an exception leaves the function?
    pub fn is_thrown(&self, edge: &Edge) -> bool {
        self.thrown.get(edge.to.index()).copied().unwrap_or(false)
    }

    pub fn is_entered_once(&self, node: NodeId) -> bool {
        self.into[node.index()].len() == 1
    }

    /// Does nothing but the end of the function come behind an edge?
    pub fn leads_to_exit(&self, edge: &Edge) -> bool {
        let mut node = edge.to;
        for _ in 0..STEPS {
            if node == self.body.exit {
                return true;
            }
            let mut out = self
                .body
                .out_edges(node)
                .filter(|(_, e)| Some(e.to) != self.body.unwind);
            let Some((_, next)) = out.next() else {
                return false;
            };
            // Beside a check there may be a way on.
            if out.any(|(_, e)| e.to != next.to) {
                return false;
            }
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
        let choice = self.chooses(edge);
        let leaves = !self.returns(edge) && self.only_leaves(edge);
        let returning = leaves.then(|| self.returning(edge)).flatten();
        let mut back = Back {
            places: self,
            span: returning.unwrap_or(edge.span),
            owning,
            passed: choice.into_iter().collect(),
            moved: Vec::new(),
        };
        if (leaves || choice.is_some()) && back.to(edge.from, STEPS) {
            found.extend(back.moved);
        } else {
            found.push((id, back.span));
        }
    }

    /// The place of the `return` that comes right behind an edge: in C++ variables may end before.
    fn returning(&self, edge: &Edge) -> Option<Span> {
        let mut edge = edge;
        for _ in 0..STEPS {
            if self.returns(edge) {
                return Some(edge.span);
            }
            let mut out = self.body.out_edges(edge.to);
            edge = match (out.next(), out.next()) {
                (Some((_, next)), None) if self.only_leaves(next) => next,
                _ => return None,
            };
        }
        None
    }

    /// Is it the branch on the way by which something is left, that the front end has put down as a number?
    fn chooses(&self, edge: &Edge) -> Option<ExprId> {
        match edge.stmt {
            Stmt::Assume(e) => self.with(e, None).map(|_| e),
            _ => None,
        }
    }

    /// Does a condition on a temporary hold if that has a value? None if it asks for anything else.
    fn with(&self, e: ExprId, value: Option<(VarId, u128)>) -> Option<bool> {
        match &self.body.exprs[e].kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.with(*inner, value).map(|b| !b),
            ExprKind::Binary(BinaryOp::Or, a, b) => {
                Some(self.with(*a, value)? | self.with(*b, value)?)
            }
            ExprKind::Compare(op, a, b) => {
                let ExprKind::Load(place) = self.body.exprs[*a].kind else {
                    return None;
                };
                let v = self.body.places[place].as_var()?;
                let ExprKind::Int(constant) = self.body.exprs[*b].kind else {
                    return None;
                };
                let is = value.is_none_or(|(w, n)| w == v && n == constant);
                let temp = self.body.vars[v].kind == VarKind::Temp;
                match op {
                    CompareOp::Eq if temp => Some(is),
                    CompareOp::Ne if temp => Some(!is),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The number that is put down for the way by which something is left.
    fn chosen(&self, edge: &Edge) -> Option<(VarId, u128)> {
        let Stmt::Assign { place, value } = edge.stmt else {
            return None;
        };
        let v = self.body.places[place].as_var()?;
        match self.body.exprs[value].kind {
            ExprKind::Int(n) if self.body.vars[v].kind == VarKind::Temp => Some((v, n)),
            _ => None,
        }
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

/// A loss on its way back to the returns.
struct Back<'a> {
    places: &'a Places<'a>,
    /// Where it is told if no return is met.
    span: Span,
    owning: &'a dyn Fn(EdgeId) -> Option<bool>,
    /// The branches on the way by which something is left that it came past.
    passed: Vec<ExprId>,
    moved: Vec<(EdgeId, Span)>,
}

impl Back<'_> {
    /// Moves it to the edges into a node; false if that is not to be done.
    fn to(&mut self, node: NodeId, steps: usize) -> bool {
        let places = self.places;
        let Some(steps) = steps.checked_sub(1) else {
            return false;
        };
        let mut out = places.body.out_edges(node);
        let single = places.body.out_edges(node).nth(1).is_none();
        let branch = out.all(|(_, e)| places.chooses(e).is_some());
        if !(single || branch) || places.into[node.index()].is_empty() {
            return false;
        }
        for id in &places.into[node.index()] {
            let edge = &places.body.edges()[*id];
            match (self.owning)(*id) {
                Some(true) => {}
                Some(false) => continue,
                None => return false,
            }
            if self.moved.len() >= MOVED {
                return false;
            }
            let chosen = places.chosen(edge);
            if chosen.is_some() && !self.passed.is_empty() {
                let holds = |e: &ExprId| places.with(*e, chosen);
                match self.passed.iter().map(holds).collect::<Option<Vec<bool>>>() {
                    Some(all) if all.iter().all(|b| *b) => self.moved.push((*id, edge.span)),
                    Some(_) => {}
                    None => return false,
                }
            } else if let Some(e) = places.chooses(edge) {
                self.passed.push(e);
                let done = self.to(edge.from, steps);
                self.passed.pop();
                if !done {
                    return false;
                }
            } else if places.returns(edge) && self.passed.is_empty() {
                self.moved.push((*id, edge.span));
            } else if !places.only_leaves(edge) && !self.passed.is_empty() {
                return false;
            } else if !(places.only_leaves(edge) && self.to(edge.from, steps)) {
                if !self.passed.is_empty() {
                    return false;
                }
                self.moved.push((*id, self.span));
            }
        }
        true
    }
}
