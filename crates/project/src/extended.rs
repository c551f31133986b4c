//! A body with more expressions: facts that the function itself never states.
//!
//! A callee tests `p`, which its caller calls `node->next`: that `node->next` is null is a fact of the caller, though it
//! tests no such thing. So facts are carried from a callee's body to a caller's, with arguments in the place of parameters,
//! and from one body to another if they speak of globals only. Nothing that the body executes changes.

use ir::{
    Base, Body, CompareOp, Expr, ExprId, ExprKind, Place, PlaceId, Projection, TypeId, VarId,
};
use rustc_hash::FxHashMap;

/// Expressions larger than this are not carried anywhere.
const ITEMS: usize = 40;

/// A copy of a function's body, to which expressions can be added.
pub struct Extended {
    pub body: Body,
    exprs: FxHashMap<Expr, ExprId>,
    places: FxHashMap<Place, PlaceId>,
}

impl Extended {
    pub fn new(body: &Body) -> Extended {
        Extended {
            exprs: body.exprs.iter().map(|(id, e)| (e.clone(), id)).collect(),
            places: body.places.iter().map(|(id, p)| (p.clone(), id)).collect(),
            body: body.clone(),
        }
    }

    /// The expression, which equal ones share.
    pub fn expr(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        let expr = Expr { kind, ty };
        if let Some(known) = self.exprs.get(&expr) {
            return *known;
        }
        let id = self.body.exprs.push(expr.clone());
        self.exprs.insert(expr, id);
        id
    }

    /// The place, which equal ones share.
    pub fn place(&mut self, place: Place) -> PlaceId {
        if let Some(known) = self.places.get(&place) {
            return *known;
        }
        let id = self.body.places.push(place.clone());
        self.places.insert(place, id);
        id
    }

    /// `place == bits`, or `place == NULL`.
    pub fn equals(&mut self, place: PlaceId, pointer: bool, bits: u128) -> ExprId {
        self.compared(CompareOp::Eq, place, pointer, bits)
    }

    /// `place op bits`.
    pub fn compared(&mut self, op: CompareOp, place: PlaceId, pointer: bool, bits: u128) -> ExprId {
        let ty = self.body.places[place].ty;
        let loaded = self.expr(ExprKind::Load(place), ty);
        let kind = match pointer {
            true => ExprKind::Null,
            false => ExprKind::Int(bits),
        };
        let constant = self.expr(kind, ty);
        self.expr(ExprKind::Compare(op, loaded, constant), TypeId::BOOL)
    }

    /// The place that is a variable as a whole.
    pub fn variable(&mut self, v: VarId) -> PlaceId {
        let ty = self.body.vars[v].ty;
        self.place(Place {
            base: Base::Var(v),
            projections: Default::default(),
            ty,
        })
    }

    /// An expression of another body, with an expression of this one for each of the other's variables; none if it cannot be
    /// said here.
    pub fn carried(
        &mut self,
        from: &Body,
        e: ExprId,
        argument: &dyn Fn(VarId) -> Option<ExprId>,
    ) -> Option<ExprId> {
        let mut left = ITEMS;
        self.carry(from, e, argument, &mut left)
    }

    fn carry(
        &mut self,
        from: &Body,
        e: ExprId,
        argument: &dyn Fn(VarId) -> Option<ExprId>,
        left: &mut usize,
    ) -> Option<ExprId> {
        *left = left.checked_sub(1)?;
        let Expr { kind, ty } = from.exprs[e].clone();
        let mut sub = |this: &mut Extended, e| this.carry(from, e, argument, left);
        let kind = match kind {
            ExprKind::Int(_) | ExprKind::Null | ExprKind::Function(_) => kind,
            ExprKind::Load(p) => match from.places[p].as_var() {
                Some(v) => {
                    let here = argument(v)?;
                    let given = self.body.exprs[here].ty;
                    // A pointer is the same at any type; a number need not be.
                    if given == ty {
                        return Some(here);
                    }
                    ExprKind::Cast(here)
                }
                None => ExprKind::Load(self.carry_place(from, p, argument, left)?),
            },
            ExprKind::AddrOf(p) => ExprKind::AddrOf(self.carry_place(from, p, argument, left)?),
            ExprKind::Unary(op, a) => ExprKind::Unary(op, sub(self, a)?),
            ExprKind::Cast(a) => ExprKind::Cast(sub(self, a)?),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(op, sub(self, a)?, sub(self, b)?),
            ExprKind::Compare(op, a, b) => ExprKind::Compare(op, sub(self, a)?, sub(self, b)?),
            ExprKind::PtrAdd(a, b) => ExprKind::PtrAdd(sub(self, a)?, sub(self, b)?),
            _ => return None,
        };
        Some(self.expr(kind, ty))
    }

    fn carry_place(
        &mut self,
        from: &Body,
        p: PlaceId,
        argument: &dyn Fn(VarId) -> Option<ExprId>,
        left: &mut usize,
    ) -> Option<PlaceId> {
        let mut place = from.places[p].clone();
        match place.base {
            Base::Var(_) => return None,
            Base::Global(_) => {}
            Base::Deref(e) => place.base = Base::Deref(self.carry(from, e, argument, left)?),
        }
        for step in &mut place.projections {
            if let Projection::Index(e) = step {
                *e = self.carry(from, *e, argument, left)?;
            }
        }
        Some(self.place(place))
    }
}
