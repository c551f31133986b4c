//! Copying a body's variables, expressions, places, checks and statements into another body.
//!
//! Expressions and places are hash-consed across frames: what mentions no variable is the same in
//! all of them. Operands come before their users in the new arenas, as they did in the old ones.

use crate::arena::Arena;
use crate::body::{Body, Var, VarId, VarKind};
use crate::build::Interner;
use crate::compose::FrameId;
use crate::expr::{Base, Expr, ExprId, ExprKind, Place, PlaceId, Projection};
use crate::stmt::{Call, Callee, Check, CheckId, Condition, Stmt};

/// What the new body is made of, edges apart.
#[derive(Default)]
pub(super) struct Store {
    pub vars: Arena<VarId, Var>,
    /// Of each variable.
    pub owners: Vec<FrameId>,
    pub exprs: Interner<ExprId, Expr>,
    pub places: Interner<PlaceId, Place>,
    pub checks: Arena<CheckId, Check>,
}

/// For the ids of one copied body those of the new one.
pub(super) struct Copied {
    pub vars: Vec<VarId>,
    exprs: Vec<ExprId>,
    places: Vec<Option<PlaceId>>,
    pub first_check: u32,
}

impl Store {
    /// Copies all but the edges; none if the body is not well formed. The root keeps its parameters; those of other
    /// frames are variables like any other.
    pub fn copy(&mut self, body: &Body, frame: FrameId) -> Option<Copied> {
        let mut copied = Copied {
            vars: Vec::with_capacity(body.vars.len()),
            exprs: Vec::with_capacity(body.exprs.len()),
            places: vec![None; body.places.len()],
            first_check: self.checks.len() as u32,
        };
        for var in body.vars.values() {
            let kind = match (frame, var.kind) {
                (FrameId::ROOT, kind) => kind,
                (_, VarKind::Param) => VarKind::Local,
                (_, kind) => kind,
            };
            let var = Var {
                kind,
                ..var.clone()
            };
            copied.vars.push(self.vars.push(var));
            self.owners.push(frame);
        }
        for expr in body.exprs.values() {
            let kind = self.kind(body, &mut copied, &expr.kind)?;
            let expr = Expr { kind, ty: expr.ty };
            copied.exprs.push(self.exprs.intern(expr));
        }
        for place in body.places.ids() {
            self.place(body, &mut copied, place)?;
        }
        for check in body.checks.values() {
            let condition = match check.condition {
                Condition::Holds(e) => Condition::Holds(copied.expr(e)?),
                Condition::Alive(e) => Condition::Alive(copied.expr(e)?),
                Condition::Initialized(p) => Condition::Initialized(copied.place(p)?),
                Condition::InBounds { pointer, size } => Condition::InBounds {
                    pointer: copied.expr(pointer)?,
                    size: copied.expr(size)?,
                },
                Condition::Freeable { pointer, family } => Condition::Freeable {
                    pointer: copied.expr(pointer)?,
                    family,
                },
                Condition::Apart(a, b) => Condition::Apart(copied.expr(a)?, copied.expr(b)?),
                Condition::Unreachable => Condition::Unreachable,
            };
            let Check { rule, which, .. } = *check;
            self.checks.push(Check {
                rule,
                which,
                condition,
            });
        }
        Some(copied)
    }

    fn kind(&mut self, body: &Body, copied: &mut Copied, kind: &ExprKind) -> Option<ExprKind> {
        Some(match kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Null
            | ExprKind::Undef
            | ExprKind::Function(_)
            | ExprKind::Label(..)
            | ExprKind::TypeInfo(_) => kind.clone(),
            ExprKind::Load(p) => ExprKind::Load(self.place(body, copied, *p)?),
            ExprKind::AddrOf(p) => ExprKind::AddrOf(self.place(body, copied, *p)?),
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, copied.expr(*a)?),
            ExprKind::Cast(a) => ExprKind::Cast(copied.expr(*a)?),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, copied.expr(*a)?, copied.expr(*b)?),
            ExprKind::Compare(op, a, b) => {
                ExprKind::Compare(*op, copied.expr(*a)?, copied.expr(*b)?)
            }
            ExprKind::Overflow(op, a, b) => {
                ExprKind::Overflow(*op, copied.expr(*a)?, copied.expr(*b)?)
            }
            ExprKind::PtrAdd(a, b) => ExprKind::PtrAdd(copied.expr(*a)?, copied.expr(*b)?),
            ExprKind::Select(c, a, b) => {
                ExprKind::Select(copied.expr(*c)?, copied.expr(*a)?, copied.expr(*b)?)
            }
            ExprKind::Intrinsic(op, args) => {
                let args = args.iter().map(|a| copied.expr(*a));
                ExprKind::Intrinsic(*op, args.collect::<Option<_>>()?)
            }
        })
    }

    /// A place, when its first user needs it: its expressions come before that.
    fn place(&mut self, body: &Body, copied: &mut Copied, id: PlaceId) -> Option<PlaceId> {
        if let Some(known) = *copied.places.get(id.0 as usize)? {
            return Some(known);
        }
        let mut place = body.places.get(id)?.clone();
        place.base = match place.base {
            Base::Var(v) => Base::Var(copied.var(v)?),
            Base::Global(g) => Base::Global(g),
            Base::Deref(e) => Base::Deref(copied.expr(e)?),
        };
        for step in &mut place.projections {
            if let Projection::Index(e) = step {
                *e = copied.expr(*e)?;
            }
        }
        let new = self.places.intern(place);
        copied.places[id.0 as usize] = Some(new);
        Some(new)
    }
}

impl Copied {
    pub fn var(&self, v: VarId) -> Option<VarId> {
        self.vars.get(v.0 as usize).copied()
    }

    pub fn expr(&self, e: ExprId) -> Option<ExprId> {
        self.exprs.get(e.0 as usize).copied()
    }

    pub fn place(&self, p: PlaceId) -> Option<PlaceId> {
        self.places.get(p.0 as usize).copied().flatten()
    }

    /// A statement over the new body's ids.
    pub fn stmt(&self, stmt: &Stmt) -> Option<Stmt> {
        Some(match stmt {
            Stmt::Skip => Stmt::Skip,
            Stmt::Declare(v) => Stmt::Declare(self.var(*v)?),
            Stmt::End(v) => Stmt::End(self.var(*v)?),
            Stmt::Allocate { var, count } => Stmt::Allocate {
                var: self.var(*var)?,
                count: self.expr(*count)?,
            },
            Stmt::Assign { place, value } => Stmt::Assign {
                place: self.place(*place)?,
                value: self.expr(*value)?,
            },
            Stmt::Havoc { place, reason } => Stmt::Havoc {
                place: self.place(*place)?,
                reason: reason.clone(),
            },
            Stmt::Assume(e) => Stmt::Assume(self.expr(*e)?),
            Stmt::Copy {
                target,
                source,
                size,
                overlap,
            } => Stmt::Copy {
                target: self.expr(*target)?,
                source: self.expr(*source)?,
                size: self.expr(*size)?,
                overlap: *overlap,
            },
            Stmt::Fill { target, byte, size } => Stmt::Fill {
                target: self.expr(*target)?,
                byte: self.expr(*byte)?,
                size: self.expr(*size)?,
            },
            Stmt::Call(call) => Stmt::Call(Box::new(self.call(call)?)),
            Stmt::Check(c) => Stmt::Check(CheckId(self.first_check + c.0)),
            Stmt::VaStart(e) => Stmt::VaStart(self.expr(*e)?),
            Stmt::LandingPad {
                exception,
                selector,
                clauses,
                cleanup,
            } => Stmt::LandingPad {
                exception: self.var(*exception)?,
                selector: self.var(*selector)?,
                clauses: clauses.clone(),
                cleanup: *cleanup,
            },
            Stmt::Resume(e) => Stmt::Resume(self.expr(*e)?),
            Stmt::Trap(reason) => Stmt::Trap(*reason),
        })
    }

    pub fn call(&self, call: &Call) -> Option<Call> {
        let args = call.args.iter().map(|a| self.expr(*a));
        Some(Call {
            result: match call.result {
                Some(place) => Some(self.place(place)?),
                None => None,
            },
            callee: match call.callee {
                Callee::Direct(f) => Callee::Direct(f),
                Callee::Indirect(e) => Callee::Indirect(self.expr(e)?),
            },
            args: args.collect::<Option<_>>()?,
            ..*call
        })
    }
}
