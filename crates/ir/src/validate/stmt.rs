//! The types in statements.

use super::Validator;
use crate::body::{Body, VarId};
use crate::expr::ExprId;
use crate::program::GlobalId;
use crate::stmt::{Call, Callee, CatchClause, Condition, HavocReason, Stmt};
use crate::types::{Type, TypeId};

impl Validator<'_> {
    pub(super) fn stmt(&mut self, body: &Body, stmt: &Stmt) {
        match stmt {
            Stmt::Skip | Stmt::Trap(_) => {}
            Stmt::Declare(v) | Stmt::End(v) => {
                self.var(body, *v);
            }
            Stmt::Allocate { var, count } => {
                if let Some(ty) = self.var(body, *var) {
                    let pointer = self.program.types.is_pointer(ty);
                    self.ensure(pointer, |_| "what is allocated must be a pointer");
                }
                self.int(body, *count, "the count");
            }
            Stmt::Assign { place, value } => {
                let (to, from) = (body.places[*place].ty, body.exprs[*value].ty);
                self.ensure(self.program.types.assignable(to, from), |v| {
                    let (to, from) = (v.type_name(to), v.type_name(from));
                    format!("a value of type {from} is assigned to a place of type {to}")
                });
            }
            Stmt::Havoc { reason, .. } => match reason {
                HavocReason::Intrinsic(s) | HavocReason::Instruction(s) => {
                    self.symbol(*s, "a havoc's reason");
                }
                HavocReason::InlineAssembly
                | HavocReason::Vector
                | HavocReason::Constant
                | HavocReason::WideInteger => {}
            },
            Stmt::Assume(e) => self.bool(body, *e, "what is assumed"),
            Stmt::Copy {
                target,
                source,
                size,
                ..
            } => {
                self.pointer(body, *target, "the target");
                self.pointer(body, *source, "the source");
                self.int(body, *size, "the size");
            }
            Stmt::Fill { target, byte, size } => {
                self.pointer(body, *target, "the target");
                let width = self.program.types.as_int(body.exprs[*byte].ty);
                self.ensure(
                    matches!(width, Some((8, _))),
                    |_| "the byte must have 8 bits",
                );
                self.int(body, *size, "the size");
            }
            Stmt::Call(call) => self.call(body, call),
            Stmt::Check(id) => match &body.checks[*id].condition {
                Condition::Holds(e) => self.bool(body, *e, "what is checked"),
                Condition::Alive(e) | Condition::Freeable { pointer: e, .. } => {
                    self.pointer(body, *e, "what is checked");
                }
                Condition::Apart(a, b) => {
                    self.pointer(body, *a, "what is checked");
                    self.pointer(body, *b, "what is checked");
                }
                Condition::InBounds { pointer, size } => {
                    self.pointer(body, *pointer, "what is checked");
                    self.int(body, *size, "the size");
                }
                Condition::Initialized(_) | Condition::Unreachable => {}
            },
            Stmt::VaStart(e) => self.pointer(body, *e, "the va_list"),
            Stmt::LandingPad {
                exception,
                selector,
                clauses,
                ..
            } => {
                self.var(body, *exception);
                self.var(body, *selector);
                for clause in clauses {
                    match clause {
                        CatchClause::Catch(g) => g.iter().for_each(|g| self.global(*g)),
                        CatchClause::Filter(types) => types.iter().for_each(|g| self.global(*g)),
                    }
                }
            }
            Stmt::Resume(_) => {}
        }
    }

    fn var(&mut self, body: &Body, v: VarId) -> Option<TypeId> {
        let ty = body.vars.get(v).map(|v| v.ty);
        self.ensure(ty.is_some(), |_| format!("no variable {v:?}"));
        ty
    }

    fn global(&mut self, g: GlobalId) {
        self.ensure(self.program.globals.get(g).is_some(), |_| {
            format!("no global {g:?}")
        });
    }

    fn bool(&mut self, body: &Body, e: ExprId, what: &str) {
        let ty = body.exprs[e].ty;
        self.ensure(ty == TypeId::BOOL, |v| {
            format!("{what} must be a bool, not {}", v.type_name(ty))
        });
    }

    fn int(&mut self, body: &Body, e: ExprId, what: &str) {
        let ty = body.exprs[e].ty;
        self.ensure(self.program.types.as_int(ty).is_some(), |v| {
            format!("{what} must be an integer, not {}", v.type_name(ty))
        });
    }

    fn pointer(&mut self, body: &Body, e: ExprId, what: &str) {
        let ty = body.exprs[e].ty;
        self.ensure(self.program.types.is_pointer(ty), |v| {
            format!("{what} must be a pointer, not {}", v.type_name(ty))
        });
    }

    fn call(&mut self, body: &Body, call: &Call) {
        match call.callee {
            Callee::Direct(f) => {
                self.ensure(self.program.functions.get(f).is_some(), |_| {
                    format!("no function {f:?}")
                });
            }
            Callee::Indirect(e) => self.pointer(body, e, "what is called"),
        }
        let Some(Type::Function {
            ret,
            params,
            variadic,
        }) = self.program.types.lookup(call.signature)
        else {
            self.report("the signature of a call is not a function type");
            return;
        };
        let (have, want) = (call.args.len(), params.len());
        let fits = have == want || *variadic && have > want;
        self.ensure(fits, |_| format!("{have} arguments for {want} parameters"));
        for (i, (&a, &p)) in call.args.iter().zip(params).enumerate() {
            let ty = body.exprs[a].ty;
            self.ensure(self.program.types.assignable(p, ty), |v| {
                let (ty, p) = (v.type_name(ty), v.type_name(p));
                format!("argument {} has type {ty}, the parameter {p}", i + 1)
            });
        }
        if let Some(result) = call.result {
            let ty = body.places[result].ty;
            self.ensure(self.program.types.assignable(ty, *ret), |v| {
                let (ty, ret) = (v.type_name(ty), v.type_name(*ret));
                format!("a result of type {ret} goes to a place of type {ty}")
            });
        }
    }
}
