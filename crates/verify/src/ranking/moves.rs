//! By how much statements move a variable.

use super::{Ranking, Way};
use ir::{BinaryOp, EdgeId, ExprId, ExprKind, Stmt, VarId};
use std::collections::BTreeSet;

impl Ranking<'_> {
    /// The edges that move a variable, and how far, if all writes to it move it the same way.
    pub(super) fn moves(
        &self,
        edges: &BTreeSet<EdgeId>,
        v: VarId,
    ) -> Option<(Vec<(EdgeId, i128)>, Way)> {
        let var = &self.body.vars[v];
        if var.address_taken || self.types.as_int(var.ty).is_none() {
            return None;
        }
        let mut moves = Vec::new();
        let mut way = None;
        for &id in edges {
            let step = match &self.body.edges()[id].stmt {
                Stmt::Assign { place, value } if self.is_of(*place, v) => self.step(*value, v)?,
                stmt if self.writes(stmt, v) => return None,
                _ => continue,
            };
            let this = if step > 0 { Way::Up } else { Way::Down };
            if step == 0 || way.is_some_and(|way| way != this) {
                return None;
            }
            way = Some(this);
            moves.push((id, step.abs()));
        }
        Some((moves, way?))
    }

    /// Is it this variable, or a part of it?
    pub(super) fn is_of(&self, place: ir::PlaceId, v: VarId) -> bool {
        self.body.places[place].base == ir::Base::Var(v)
    }

    /// Does the statement write the variable? (Nobody has its address.)
    pub(super) fn writes(&self, stmt: &Stmt, v: VarId) -> bool {
        match stmt {
            Stmt::Declare(w) | Stmt::End(w) => *w == v,
            Stmt::Allocate { var, .. } => *var == v,
            Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => self.is_of(*place, v),
            Stmt::Call(call) => call.result.is_some_and(|place| self.is_of(place, v)),
            Stmt::LandingPad {
                exception,
                selector,
                ..
            } => *exception == v || *selector == v,
            _ => false,
        }
    }

    /// `v + 3`: 3.
    pub(super) fn step(&self, value: ExprId, v: VarId) -> Option<i128> {
        let e = &self.body.exprs[value];
        // No cast: it would change what is added.
        let ExprKind::Binary(op, a, b) = e.kind else {
            return None;
        };
        match op {
            BinaryOp::Add | BinaryOp::WrapAdd => match self.is_var(a, v) {
                true => self.small(b),
                false => self.small(a).filter(|_| self.is_var(b, v)),
            },
            BinaryOp::Sub | BinaryOp::WrapSub if self.is_var(a, v) => self.small(b).map(|n| -n),
            _ => None,
        }
    }

    pub(super) fn is_var(&self, e: ExprId, v: VarId) -> bool {
        let ExprKind::Load(place) = self.body.exprs[e].kind else {
            return false;
        };
        self.body.places[place].as_var() == Some(v)
    }

    /// A constant; one of an unsigned type may stand for a step down.
    pub(super) fn small(&self, e: ExprId) -> Option<i128> {
        let ExprKind::Int(bits) = self.body.exprs[e].kind else {
            return None;
        };
        let (width, _) = self.types.as_int(self.body.exprs[e].ty)?;
        Some(ir::int_value(bits, width, true))
    }
}
