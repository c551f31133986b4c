//! A loop as a function of its numbers: what is left of it when everything is taken out that does not decide about its end.
//!
//! The integers that nobody else can write are its parameters; whoever reads memory, a pointer or a float gets *any* number, and a branch on
//! such goes either way; checks, calls and what they write are gone. The function comes back where the loop is left. It can do
//! whatever the loop can do, and more: so what it surely does not do, come to an end, the loop does not either.

use super::matters::{Matters, own, reads};
use ir::body::Parts;
use ir::flow::Loop;
use ir::walk::{Item, expr_items};
use ir::{
    Arena, BinaryOp, Body, Edge, ExprId, ExprKind, HavocReason, NodeId, PlaceId, Span, Stmt,
    TypeTable, VarId,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Edges of such a function, at most.
const EDGES: usize = 400;

/// The integers on which the end of a loop depends.
pub(super) fn numbers(types: &TypeTable, body: &Body, matters: &Matters) -> BTreeSet<VarId> {
    let all = matters.variables.iter().copied();
    all.filter(|v| is_number(types, body, *v)).collect()
}

fn is_number(types: &TypeTable, body: &Body, v: VarId) -> bool {
    let var = body.vars.get(v);
    var.is_some_and(|var| types.as_int(var.ty).is_some_and(|(width, _)| width <= 64))
}

/// Does an expression read nothing but these, and nothing that somebody else may write?
pub(super) fn reads_only(body: &Body, stmt: &Stmt, numbers: &BTreeSet<VarId>) -> bool {
    let reads = reads(body, stmt);
    !reads.memory && !reads.volatile && reads.variables.is_subset(numbers)
}

/// The loop as a function, of these numbers those that are carried from turn to turn; none if it is too long.
pub(super) fn function(
    body: &Body,
    one: &Loop,
    numbers: &BTreeSet<VarId>,
    carried: &[VarId],
) -> Option<Body> {
    // The entry and the exit come first.
    let (entry, exit) = (NodeId(0), NodeId(1));
    let nodes: FxHashMap<NodeId, NodeId> =
        one.nodes.iter().copied().zip((2..).map(NodeId)).collect();
    let head = *nodes.get(&one.head)?;
    let mut copy = Copy {
        of: body,
        vars: FxHashMap::default(),
        exprs: FxHashMap::default(),
        places: FxHashMap::default(),
        parts: Parts {
            vars: Arena::default(),
            params: Vec::new(),
            ret: None,
            exprs: Arena::default(),
            places: Arena::default(),
            checks: Arena::default(),
            node_count: u32::try_from(one.nodes.len()).ok()? + 2,
            entry,
            exit,
            unwind: None,
            labels: Vec::new(),
            edges: Vec::new(),
        },
    };
    for v in carried {
        let param = copy.var(*v)?;
        copy.parts.params.push(param);
    }
    let mut edges = vec![Edge {
        from: entry,
        to: head,
        stmt: Stmt::Skip,
        span: Span::NONE,
    }];
    for (old, new) in one.nodes.iter().zip((2..).map(NodeId)) {
        for (_, edge) in body.out_edges(*old) {
            let stmt = copy.stmt(&edge.stmt, numbers)?;
            edges.push(Edge {
                from: new,
                to: nodes.get(&edge.to).copied().unwrap_or(exit),
                stmt,
                span: edge.span,
            });
        }
        if edges.len() > EDGES {
            return None;
        }
    }
    copy.parts.edges = edges;
    Some(Body::new(copy.parts))
}

/// Parts of a body, in a body of their own.
struct Copy<'b> {
    of: &'b Body,
    vars: FxHashMap<VarId, VarId>,
    exprs: FxHashMap<ExprId, ExprId>,
    places: FxHashMap<PlaceId, PlaceId>,
    parts: Parts,
}

impl Copy<'_> {
    fn var(&mut self, old: VarId) -> Option<VarId> {
        if let Some(new) = self.vars.get(&old) {
            return Some(*new);
        }
        let new = self.parts.vars.push(self.of.vars.get(old)?.clone());
        self.vars.insert(old, new);
        Some(new)
    }

    /// A place that is a variable.
    fn place(&mut self, old: PlaceId) -> Option<PlaceId> {
        if let Some(new) = self.places.get(&old) {
            return Some(*new);
        }
        let mut place = self.of.places.get(old)?.clone();
        place.base = ir::Base::Var(self.var(place.as_var()?)?);
        let new = self.parts.places.push(place);
        self.places.insert(old, new);
        Some(new)
    }

    /// An expression on variables; its parts first, and each once.
    fn expr(&mut self, old: ExprId) -> Option<ExprId> {
        let mut work = vec![(old, false)];
        while let Some((e, parts_done)) = work.pop() {
            if self.exprs.contains_key(&e) {
                continue;
            }
            let expr = self.of.exprs.get(e)?;
            if !parts_done {
                work.push((e, true));
                expr_items(expr, &mut |item| {
                    if let Item::Expr(part) = item {
                        work.push((part, false));
                    }
                });
                continue;
            }
            let mut expr = expr.clone();
            if let ExprKind::Load(p) = expr.kind {
                expr.kind = ExprKind::Load(self.place(p)?);
            } else {
                expr.kind = self.renamed(&expr.kind)?;
            }
            let new = self.parts.exprs.push(expr);
            self.exprs.insert(e, new);
        }
        self.exprs.get(&old).copied()
    }

    /// The same operation on the copies of its parts; none if it is about something else than numbers, or if there are numbers for which
    /// nobody knows what it does. (That a sum does not fit is an error of its own, and most machines go on.)
    fn renamed(&self, kind: &ExprKind) -> Option<ExprKind> {
        let of = |e: &ExprId| self.exprs.get(e).copied();
        Some(match kind {
            ExprKind::Int(n) => ExprKind::Int(*n),
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, of(a)?),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(self.total(*op, *b)?, of(a)?, of(b)?),
            ExprKind::Compare(op, a, b) => ExprKind::Compare(*op, of(a)?, of(b)?),
            ExprKind::Overflow(op, a, b) => ExprKind::Overflow(*op, of(a)?, of(b)?),
            ExprKind::Cast(a) => ExprKind::Cast(of(a)?),
            ExprKind::Select(c, a, b) => ExprKind::Select(of(c)?, of(a)?, of(b)?),
            _ => return None,
        })
    }

    /// The operation as one that has a result for all numbers, with this second operand.
    fn total(&self, op: BinaryOp, second: ExprId) -> Option<BinaryOp> {
        use BinaryOp::{Add, Div, Mul, Rem, Shl, Shr, Sub, WrapAdd, WrapMul, WrapSub};
        let constant = || match self.of.exprs.get(second)?.kind {
            ExprKind::Int(n) => Some(n),
            _ => None,
        };
        match op {
            Add => Some(WrapAdd),
            Sub => Some(WrapSub),
            Mul => Some(WrapMul),
            // All numbers up to here are the same in every type, and none of them is -1.
            Div | Rem => constant().filter(|n| (1..128).contains(n)).map(|_| op),
            Shl | Shr => constant().filter(|n| *n < 8).map(|_| op),
            op => Some(op),
        }
    }

    /// What a statement does to these numbers.
    fn stmt(&mut self, stmt: &Stmt, numbers: &BTreeSet<VarId>) -> Option<Stmt> {
        let knows = reads_only(self.of, stmt, numbers);
        let written = match stmt {
            Stmt::Assume(e) if knows => {
                let known = self.expr(*e);
                return Some(known.map_or(Stmt::Skip, Stmt::Assume));
            }
            Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => Some(*place),
            Stmt::Call(call) => call.result,
            _ => None,
        };
        let is_kept = |p: &PlaceId| own(self.of, *p).is_some_and(|v| numbers.contains(&v));
        let Some(written) = written.filter(is_kept) else {
            return Some(Stmt::Skip);
        };
        let value = match stmt {
            Stmt::Assign { value, .. } if knows => self.expr(*value),
            _ => None,
        };
        let place = self.place(written)?;
        Some(match value {
            Some(value) => Stmt::Assign { place, value },
            None => Stmt::Havoc {
                place,
                // Nobody counts reasons here.
                reason: HavocReason::Constant,
            },
        })
    }
}
