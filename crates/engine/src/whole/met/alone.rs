//! What a program does when it is started, and whether it could do anything else.
//!
//! A program that asks nobody outside for anything has one run; what that does, the program *must* do. One that asks may answer
//! otherwise the next time: then a run is one of several.

use automata::models::{Writes, model};
use ir::{Body, Call, Callee, Expr, ExprKind, Intrinsic, Program, Stmt, VarId};

/// Is a run of the program the only one? It asks nobody outside for anything, nor what others may change, nor where objects are,
/// and does not look at what it was called with.
pub(super) fn is_only_run(program: &Program) -> bool {
    // It may say something, and end.
    let is_known = |call: &Call| match call.callee {
        Callee::Direct(f) => program.functions.get(f).is_some_and(|function| {
            let model = model(program.name(function.name));
            let quiet = model.is_some_and(|m| matches!(m.writes, Writes::Nothing));
            function.body.is_some() || function.noreturn || quiet && call.result.is_none()
        }),
        Callee::Indirect(_) => true,
    };
    let is_volatile = |e: &Expr| matches!(e.kind, ExprKind::Intrinsic(Intrinsic::Volatile, _));
    let mut bodies = program.bodies();
    let asks = bodies.any(|(f, _, body)| {
        let is_told = program.is_main(f) && reads_parameters(body);
        is_told
            || body.exprs.values().any(is_volatile)
            || body.edges().values().any(|edge| match &edge.stmt {
                Stmt::Call(call) => !is_known(call),
                Stmt::Havoc { .. } => true,
                _ => false,
            })
    });
    !asks && !names_addresses(program)
}

/// Does the program compute with where objects are? An interpreter has them somewhere else.
pub(super) fn names_addresses(program: &Program) -> bool {
    let is_pointer = |e: &Expr| program.types.is_pointer(e.ty);
    let mut bodies = program.bodies();
    bodies.any(|(.., body)| {
        let mut exprs = body.exprs.values();
        exprs.any(|e| match e.kind {
            ExprKind::Cast(of) => body.exprs.get(of).is_some_and(is_pointer) && !is_pointer(e),
            _ => false,
        })
    })
}

/// Does a body use what it is given? (That it has a variable for it is no use.)
pub(super) fn reads_parameters(body: &Body) -> bool {
    let is_given = |v: &VarId| body.vars.get(*v).is_some_and(|v| v.address_taken);
    let is_read = |e: &Expr| match e.kind {
        ExprKind::Load(place) => {
            let v = body.places.get(place).and_then(|p| p.as_var());
            v.is_some_and(|v| body.params.contains(&v))
        }
        _ => false,
    };
    body.params.iter().any(is_given) || body.exprs.values().any(is_read)
}
