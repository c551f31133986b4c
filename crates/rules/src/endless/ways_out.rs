//! Ways out of a loop that are open: by the types of what is compared, or because a counter comes to its limit.
//!
//! This is seen without any engine, and is so of nearly all loops. It is a guess where it says yes: such a loop may still never end, for
//! reasons of other loops, of which [`super::turn`] knows some.

use super::matters::{Writes, edges, own, reads, writes};
use ir::expr::int_value;
use ir::flow::Loop;
use ir::{BinaryOp, Body, CompareOp, Edge, ExprId, ExprKind, Stmt, TypeTable, UnaryOp, VarId};
use std::collections::BTreeSet;

/// The ways out of a loop.
pub(super) struct WayOut<'b> {
    pub types: &'b TypeTable,
    pub body: &'b Body,
    pub one: &'b Loop,
    /// The variables that its turns write.
    pub turning: &'b BTreeSet<VarId>,
}

impl WayOut<'_> {
    /// Is it open, whatever the numbers are that the loop does not change?
    pub fn is_open(&self, edge: &Edge) -> bool {
        let Some((a, leaves, b)) = self.test(edge) else {
            return false;
        };
        let sides = [(a, leaves, b), (b, leaves.swapped(), a)];
        sides.into_iter().any(|(a, leaves, b)| {
            let turns = |e: ExprId| {
                let reads = reads(self.body, &Stmt::Assume(e));
                !reads.variables.is_disjoint(self.turning)
            };
            turns(a) && (self.fits(a, leaves, b) || self.counts_to(a, leaves, b))
        })
    }

    /// The comparison that leaves.
    fn test(&self, edge: &Edge) -> Option<(ExprId, CompareOp, ExprId)> {
        let Stmt::Assume(mut test) = edge.stmt else {
            return None;
        };
        let mut negated = false;
        while let ExprKind::Unary(UnaryOp::Not, inner) = self.body.exprs.get(test)?.kind {
            (test, negated) = (inner, !negated);
        }
        let ExprKind::Compare(op, a, b) = self.body.exprs.get(test)?.kind else {
            return None;
        };
        let leaves = if negated { op.negated()? } else { op };
        Some((a, leaves, b))
    }

    /// Is there, for every number that `b` can be, one of the type of `a` that leaves?
    fn fits(&self, a: ExprId, leaves: CompareOp, b: ExprId) -> bool {
        let (Some(a), Some(b)) = (self.range(a), self.range(b)) else {
            return false;
        };
        match leaves {
            CompareOp::Ge => a.1 >= b.1,
            CompareOp::Gt => a.1 > b.1,
            CompareOp::Le => a.0 <= b.0,
            CompareOp::Lt => a.0 < b.0,
            CompareOp::Eq => a.0 <= b.0 && b.1 <= a.1,
            CompareOp::Ne => a.0 < a.1,
            CompareOp::Unordered => false,
        }
    }

    /// The least and the greatest number that an expression can be, by its type and those of what it is converted from.
    fn range(&self, e: ExprId) -> Option<(i128, i128)> {
        let expr = self.body.exprs.get(e)?;
        let (width, signed) = self
            .types
            .as_int(expr.ty)
            .filter(|(width, _)| *width <= 64)?;
        let all = match signed {
            true => (-(1_i128 << (width - 1)), (1_i128 << (width - 1)) - 1),
            false => (0, (1_i128 << width) - 1),
        };
        match expr.kind {
            ExprKind::Int(bits) => {
                let n = int_value(bits, width, signed);
                Some((n, n))
            }
            ExprKind::Cast(inner) => {
                let fits = |inner: &(i128, i128)| all.0 <= inner.0 && inner.1 <= all.1;
                Some(self.range(inner).filter(fits).unwrap_or(all))
            }
            _ => Some(all),
        }
    }

    /// Does a variable come nearer to a limit with every turn that changes it, and cannot jump over it?
    fn counts_to(&self, counter: ExprId, leaves: CompareOp, limit: ExprId) -> bool {
        let reads = reads(self.body, &Stmt::Assume(limit));
        if reads.memory || reads.volatile || !reads.variables.is_disjoint(self.turning) {
            return false;
        }
        let Some(ExprKind::Load(place)) = self.body.exprs.get(counter).map(|e| &e.kind) else {
            return false;
        };
        let Some(v) = own(self.body, *place) else {
            return false;
        };
        let mut steps = self.writing(v);
        steps.all(|e| match e.stmt {
            Stmt::Assign { value, .. } => {
                let step = step(self.types, self.body, v, value);
                step.is_some_and(|step| step.comes_to(leaves))
            }
            _ => false,
        })
    }

    fn writing(&self, v: VarId) -> impl Iterator<Item = &Edge> {
        edges(self.body, self.one)
            .filter(move |e| writes(self.body, &e.stmt) == Writes::Variable(v))
    }
}

/// How an assignment moves its variable.
struct Step {
    by: i128,
    /// It begins anew at the other end of its type.
    wraps: bool,
}

impl Step {
    fn comes_to(&self, leaves: CompareOp) -> bool {
        use CompareOp::{Ge, Gt, Le, Lt};
        match (leaves, self.wraps) {
            (Ge | Gt, false) => self.by > 0,
            (Le | Lt, false) => self.by < 0,
            _ => false,
        }
    }
}

fn step(types: &TypeTable, body: &Body, v: VarId, value: ExprId) -> Option<Step> {
    let expr = body.exprs.get(value)?;
    let ExprKind::Binary(op, a, b) = expr.kind else {
        return None;
    };
    let (sign, wraps) = match op {
        BinaryOp::Add => (1, false),
        BinaryOp::WrapAdd => (1, true),
        BinaryOp::Sub => (-1, false),
        BinaryOp::WrapSub => (-1, true),
        _ => return None,
    };
    let (width, signed) = types.as_int(expr.ty)?;
    let ExprKind::Int(bits) = body.exprs.get(b)?.kind else {
        return None;
    };
    let is_itself = body.loaded(a).and_then(|p| own(body, p)) == Some(v);
    is_itself.then_some(Step {
        by: sign * int_value(bits, width, signed),
        wraps: wraps || !signed,
    })
}
