//! What functions give each other and errors come of: a result that is null on some path, and a parameter
//! through which something is written on some path; and callers that rely on both.

use crate::body::{checks, step};
use crate::exprs::{Scope, vars_of};
use crate::world::World;
use ir::{
    Call, CallOutcome, Callee, CompareOp, Condition, NodeId, Span, Stmt, Type, TypeId, VarId,
    VarKind,
};

/// Uses of callees in a body, at most.
const USES: usize = 3;

/// `if (c) *p = n`, for parameters that are pointers to numbers.
pub fn gives(w: &mut World, s: &mut Scope, mut at: NodeId) -> NodeId {
    let pointer = w.program.types.pointer_to(TypeId::I32);
    let params = vars_of(s, |t| t == pointer);
    for p in params.into_iter().take(2) {
        if w.rng.one_in(3) {
            continue;
        }
        let loaded = s.b.load_var(p);
        let null = s.b.null(pointer);
        let some = s.b.compare(CompareOp::Ne, loaded, null);
        let c = match w.rng.one_in(3) {
            true => some,
            false => w.condition(s, 1),
        };
        at = checks(w, s, at);
        let not = s.b.not(&w.program.types, c);
        let span = w.span();
        let yes = s.b.step(at, Stmt::Assume(c), span);
        let no = s.b.step(at, Stmt::Assume(not), span);
        s.checks.push(("null-dereference", Condition::Holds(some)));
        let yes = checks(w, s, yes);
        let place = s.b.deref(&w.program.types, loaded);
        let value = i128::from(w.rng.below(4));
        let value = s.b.int(&w.program.types, value, TypeId::I32);
        let yes = step(w, s, yes, Stmt::Assign { place, value });
        at = s.b.node();
        s.b.edge(yes, at, Stmt::Skip, Span::NONE);
        s.b.edge(no, at, Stmt::Skip, Span::NONE);
    }
    at
}

/// Calls functions, follows pointers that they give back, divides by numbers, and reads what they should have
/// written.
pub fn takes(w: &mut World, s: &mut Scope, mut at: NodeId) -> NodeId {
    let pointer = w.program.types.pointer_to(TypeId::I32);
    for f in w.functions.clone().into_iter().take(USES) {
        let signature = w.program.functions[f].signature;
        let Type::Function { ret, params, .. } = w.program.types.get(signature).clone() else {
            continue;
        };
        let mut written: Vec<VarId> = Vec::new();
        let mut args = Vec::new();
        for ty in params {
            if ty != pointer || w.rng.one_in(4) {
                args.push(w.expr(s, ty, 1));
                at = checks(w, s, at);
                continue;
            }
            let out = local(w, s, "out", TypeId::I32);
            at = step(w, s, at, Stmt::Declare(out));
            let place = s.b.var_place(out);
            args.push(s.b.addr_of(&mut w.program.types, place));
            written.push(out);
        }
        let result = match ret {
            TypeId::VOID => None,
            ret => {
                let got = local(w, s, "got", ret);
                at = step(w, s, at, Stmt::Declare(got));
                Some(got)
            }
        };
        let call = Call {
            result: result.map(|v| s.b.var_place(v)),
            callee: Callee::Direct(f),
            args,
            signature,
            outcome: CallOutcome::Return,
            noreturn: false,
        };
        at = step(w, s, at, Stmt::Call(Box::new(call)));
        for out in written {
            let place = s.b.var_place(out);
            s.checks
                .push(("uninitialized-use", Condition::Initialized(place)));
            at = checks(w, s, at);
            s.vars.push(out);
        }
        if let Some(got) = result {
            at = rely(w, s, at, got, ret);
            s.vars.push(got);
        }
    }
    at
}

/// What was given back is taken for a pointer to something, or for a number other than 0.
fn rely(w: &mut World, s: &mut Scope, at: NodeId, got: VarId, ty: TypeId) -> NodeId {
    let value = s.b.load_var(got);
    let (rule, nothing) = match w.program.types.is_pointer(ty) {
        true => ("null-dereference", s.b.null(ty)),
        false => (
            "division-by-zero",
            s.b.int(&w.program.types, 0, s.b.type_of(value)),
        ),
    };
    let fine = s.b.compare(CompareOp::Ne, value, nothing);
    // Some callers know better.
    if w.rng.one_in(3) {
        let not = s.b.not(&w.program.types, fine);
        let span = w.span();
        let yes = s.b.step(at, Stmt::Assume(fine), span);
        let no = s.b.step(at, Stmt::Assume(not), span);
        s.checks.push((rule, Condition::Holds(fine)));
        let yes = checks(w, s, yes);
        let join = s.b.node();
        s.b.edge(yes, join, Stmt::Skip, Span::NONE);
        s.b.edge(no, join, Stmt::Skip, Span::NONE);
        return join;
    }
    s.checks.push((rule, Condition::Holds(fine)));
    checks(w, s, at)
}

/// `if (c) return NULL`, or `return 0`; sometimes.
pub fn null(w: &mut World, s: &mut Scope, at: NodeId, ret: VarId, exit: NodeId) -> NodeId {
    if w.rng.one_in(2) {
        return at;
    }
    let ty = s.b.var_type(ret);
    let nothing = match w.program.types.is_pointer(ty) {
        true => s.b.null(ty),
        false => s.b.int(&w.program.types, 0, ty),
    };
    let c = w.condition(s, 1);
    let at = checks(w, s, at);
    let not = s.b.not(&w.program.types, c);
    let span = w.span();
    let yes = s.b.step(at, Stmt::Assume(c), span);
    let place = s.b.var_place(ret);
    let value = nothing;
    s.b.edge(yes, exit, Stmt::Assign { place, value }, span);
    s.b.step(at, Stmt::Assume(not), span)
}

fn local(w: &mut World, s: &mut Scope, name: &str, ty: TypeId) -> VarId {
    let symbols = &mut w.program.symbols;
    s.b.var(symbols, name, ty, VarKind::Local)
}
