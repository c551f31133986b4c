//! The glue between caller and callee: what a call does besides running the callee's statements.

use super::join::Join;
use super::{FrameId, Impossible, Origin};
use crate::body::{Edge, NodeId, VarId, VarKind};
use crate::expr::{Base, CompareOp, Expr, ExprId, ExprKind, Place, PlaceId};
use crate::span::Span;
use crate::stmt::{Callee, Stmt};
use crate::types::TypeId;
use smallvec::smallvec;

impl Join<'_> {
    /// From the call to the callee's entry.
    pub(super) fn entering(&mut self, id: FrameId) -> Result<(), Impossible> {
        let frame = &self.frames[id];
        let (function, body) = (frame.function, frame.body);
        let Some(site) = &frame.caller else {
            return Ok(());
        };
        let (caller, node, span) = (site.frame, site.node, site.span);
        let (args, callee) = (site.call.args.clone(), site.call.callee);
        let entry = NodeId(frame.first_node + body.entry.0);
        let mut from = NodeId(self.frames[caller].first_node + node.0);
        if let Callee::Indirect(pointer) = callee
            && self.store.exprs.items[pointer].kind != ExprKind::Function(function)
        {
            from = self.dispatch(id, caller, node, pointer, from)?;
        }
        if args.len() != body.params.len() {
            return Err(Impossible::Arguments(function));
        }
        let mut declared = vec![false; body.vars.len()];
        for edge in body.edges().values() {
            if let Stmt::Declare(v) = edge.stmt
                && let Some(declared) = declared.get_mut(v.0 as usize)
            {
                *declared = true;
            }
        }
        let from_start = |v: &VarId| body.params.contains(v) || !declared[v.0 as usize];
        let copied = &self.frames[id].copied;
        let vars = body.vars.ids().filter(from_start);
        let mut stmts: Vec<Stmt> = (vars.filter_map(|v| copied.var(v)))
            .map(Stmt::Declare)
            .collect();
        let params = body.params.iter().map(|v| copied.var(*v));
        let params: Option<Vec<VarId>> = params.collect();
        let params = params.ok_or(Impossible::Malformed(function))?;
        for (param, arg) in params.into_iter().zip(args) {
            let place = self.var_place(param);
            let value = self.convert(arg, self.store.vars[param].ty);
            let value = value.ok_or(Impossible::Conversion(function))?;
            stmts.push(Stmt::Assign { place, value });
        }
        self.chain(from, entry, stmts, Origin::Enter(id), span);
        Ok(())
    }

    /// A call through a pointer: whether it points to the callee decides; if not, the call stays.
    /// The node from which the callee is entered.
    fn dispatch(
        &mut self,
        id: FrameId,
        caller: FrameId,
        node: NodeId,
        pointer: ExprId,
        from: NodeId,
    ) -> Result<NodeId, Impossible> {
        let function = self.frames[id].function;
        let ty = self.store.exprs.items[pointer].ty;
        let address = ExprKind::Function(function);
        let address = self.store.exprs.intern(Expr { kind: address, ty });
        let mut compare = |op| {
            let kind = ExprKind::Compare(op, pointer, address);
            let ty = TypeId::BOOL;
            Stmt::Assume(self.store.exprs.intern(Expr { kind, ty }))
        };
        let (same, other) = (compare(CompareOp::Eq), compare(CompareOp::Ne));
        let (inside, beside) = (self.node(), self.node());
        let body = self.frames[caller].body;
        let mut span = Span::NONE;
        for (edge_id, edge) in body.out_edges(node) {
            let frame = &self.frames[caller];
            let stmt = frame.copied.stmt(&edge.stmt);
            let to = NodeId(frame.first_node + edge.to.0);
            let edge = Edge {
                from: beside,
                to,
                stmt: stmt.ok_or(Impossible::Malformed(frame.function))?,
                span: edge.span,
            };
            span = edge.span;
            self.edges.push((edge, Origin::Own(caller, edge_id)));
        }
        let new = |to, stmt| Edge {
            from,
            to,
            stmt,
            span,
        };
        self.edges.push((new(inside, same), Origin::Enter(id)));
        self.edges.push((new(beside, other), Origin::Another(id)));
        Ok(inside)
    }

    /// From the callee's exit to where the call returns.
    pub(super) fn returning(&mut self, id: FrameId) -> Result<(), Impossible> {
        let frame = &self.frames[id];
        let function = frame.function;
        let Some(site) = &frame.caller else {
            return Ok(());
        };
        // The caller does not know what to do behind a call that must not return.
        let Some(to) = site.returns else {
            return Ok(());
        };
        let (span, result) = (site.span, site.call.result);
        let from = NodeId(frame.first_node + frame.body.exit.0);
        let ret = frame.body.ret.and_then(|v| frame.copied.var(v));
        let mut stmts = self.ends(id, ret);
        if let Some(place) = result {
            let ret = ret.ok_or(Impossible::Conversion(function))?;
            let source = self.var_place(ret);
            let ty = self.store.vars[ret].ty;
            let kind = ExprKind::Load(source);
            let value = self.store.exprs.intern(Expr { kind, ty });
            let value = self.convert(value, self.store.places.items[place].ty);
            let value = value.ok_or(Impossible::Conversion(function))?;
            stmts.push(Stmt::Assign { place, value });
        }
        stmts.extend(ret.map(Stmt::End));
        self.chain(from, to, stmts, Origin::Leave(id), span);
        Ok(())
    }

    /// The ends of a frame's variables, but one. What only the front end sees and keeps in a
    /// register is declared anew before anybody can read it.
    pub(super) fn ends(&self, id: FrameId, but: Option<VarId>) -> Vec<Stmt> {
        let vars = self.frames[id].copied.vars.iter().copied();
        let ended = vars.filter(|v| {
            let var = &self.store.vars[*v];
            let seen = var.kind != VarKind::Temp || var.address_taken;
            Some(*v) != but && (seen || !self.program.types.is_scalar(var.ty))
        });
        ended.map(Stmt::End).collect()
    }

    /// A value at another type of the same representation.
    fn convert(&mut self, value: ExprId, to: TypeId) -> Option<ExprId> {
        let types = &self.program.types;
        let from = self.store.exprs.items[value].ty;
        if types.assignable(to, from) {
            return Some(value);
        }
        let ((from, _), (width, _)) = (types.as_int(from)?, types.as_int(to)?);
        let cast = Expr {
            kind: ExprKind::Cast(value),
            ty: to,
        };
        (from == width).then(|| self.store.exprs.intern(cast))
    }

    fn var_place(&mut self, var: VarId) -> PlaceId {
        let ty = self.store.vars[var].ty;
        self.store.places.intern(Place {
            base: Base::Var(var),
            projections: smallvec![],
            ty,
        })
    }

    /// Edges from one node to another, one for each statement; at least one.
    pub(super) fn chain(
        &mut self,
        from: NodeId,
        to: NodeId,
        stmts: Vec<Stmt>,
        origin: Origin,
        span: Span,
    ) {
        let mut stmts = stmts;
        if stmts.is_empty() {
            stmts.push(Stmt::Skip);
        }
        let last = stmts.len() - 1;
        let mut at = from;
        for (i, stmt) in stmts.into_iter().enumerate() {
            let next = if i == last { to } else { self.node() };
            let edge = Edge {
                from: at,
                to: next,
                stmt,
                span,
            };
            self.edges.push((edge, origin));
            at = next;
        }
    }
}
