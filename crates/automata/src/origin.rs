//! Whose memory a pointer points into, judging by the expression alone.
//!
//! What a function may write through a pointer is its caller's business only if the pointer comes
//! from the caller. An expression can name several sources: both sides of a choice (`c ? p : q`),
//! both operands of arithmetic on addresses (`(char *)((uintptr_t)p & ~mask)`).

use crate::summary::fixed_params;
use ir::{Base, Body, ExprId, ExprKind, PlaceId, Program};
use rustc_hash::FxHashSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// What the caller passed as this parameter points to it.
    Param(usize),
    /// It is a variable's own.
    Local,
    Elsewhere,
}

pub struct Origins<'a> {
    program: &'a Program,
    body: &'a Body,
    /// Parameters that always hold what the caller passed.
    fixed: Vec<bool>,
}

impl<'a> Origins<'a> {
    pub fn new(program: &'a Program, body: &'a Body) -> Origins<'a> {
        Origins {
            program,
            body,
            fixed: fixed_params(body),
        }
    }

    /// Names every origin that the value of an expression may have, some more than once.
    pub fn of(&self, e: ExprId, mut name: impl FnMut(Origin)) {
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        let mut others: Vec<ExprId> = Vec::new();
        let mut next = Some(e);
        while let Some(e) = next.or_else(|| others.pop()) {
            next = None;
            if !self.can_be_address(e) {
                name(Origin::Elsewhere);
                continue;
            }
            match self.body.exprs[e].kind {
                ExprKind::Cast(inner) | ExprKind::PtrAdd(inner, _) => next = Some(inner),
                // Parts may be shared: looked at once, a large expression is no more than large.
                ExprKind::Select(_, a, b) | ExprKind::Binary(_, a, b) => {
                    if seen.insert(e) {
                        others.extend([a, b]);
                    }
                }
                ExprKind::AddrOf(p) => match self.body.places[p].base {
                    Base::Var(_) => name(Origin::Local),
                    Base::Global(_) => name(Origin::Elsewhere),
                    Base::Deref(inner) => next = Some(inner),
                },
                ExprKind::Load(p) => name(self.param(p).map_or(Origin::Elsewhere, Origin::Param)),
                _ => name(Origin::Elsewhere),
            }
        }
    }

    /// No address fits in a number of fewer bits.
    fn can_be_address(&self, e: ExprId) -> bool {
        let types = &self.program.types;
        let ty = self.body.exprs[e].ty;
        types.as_int(ty).is_none_or(|(width, _)| width >= 64)
    }

    /// The parameter that a place is, as long as it holds what the caller passed, and that is no
    /// number: an address that the caller made one is out already.
    fn param(&self, place: PlaceId) -> Option<usize> {
        let v = self.body.places[place].as_var()?;
        let i = self.body.params.iter().position(|q| *q == v)?;
        let number = self.program.types.as_int(self.body.vars[v].ty).is_some();
        (self.fixed[i] && !number).then_some(i)
    }
}
