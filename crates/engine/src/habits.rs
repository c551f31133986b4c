//! What callers do with the pointers they are given.
//!
//! That a function *can* return null is evidence (design.md §6), but many can only for arguments
//! that no caller passes, and until summaries know arguments the callers know better: where most
//! of them follow the result without a test, they rely on something, and one more that does is no
//! news. Where most of them test, the one that does not is.

use ir::arena::Id;
use ir::{Body, Callee, CompareOp, ExprId, ExprKind, Program, Stmt, VarId};

/// Of fewer call sites nothing can be learnt.
const SITES: usize = 3;

/// For every function whether its callers rely on its result not being null.
pub fn trusted(program: &Program) -> Vec<bool> {
    let mut sites = vec![(0usize, 0usize); program.functions.len()];
    for (_, _, body) in program.bodies() {
        let tested = tested_variables(body);
        for edge in body.edges().values() {
            let Stmt::Call(call) = &edge.stmt else {
                continue;
            };
            let (Callee::Direct(f), Some(place)) = (call.callee, call.result) else {
                continue;
            };
            if !program.types.is_pointer(body.places[place].ty) {
                continue;
            }
            let (all, with_test) = &mut sites[f.index()];
            *all += 1;
            *with_test += usize::from(match body.places[place].as_var() {
                Some(v) => tested[v.index()],
                None => false,
            });
        }
    }
    let rely = |&(all, tested): &(usize, usize)| all >= SITES && tested * 3 < all * 2;
    sites.iter().map(rely).collect()
}

/// The variables that are compared with null, or whose value is handed to one that is.
fn tested_variables(body: &Body) -> Vec<bool> {
    let mut tested = vec![false; body.vars.len()];
    for edge in body.edges().values() {
        if let Stmt::Assume(e) = edge.stmt
            && let ExprKind::Compare(CompareOp::Eq | CompareOp::Ne, a, b) = body.exprs[e].kind
            && matches!(body.exprs[b].kind, ExprKind::Null)
            && let Some(v) = variable(body, a)
        {
            tested[v.index()] = true;
        }
    }
    for edge in body.edges().values() {
        if let Stmt::Assign { place, value } = edge.stmt
            && let (Some(to), Some(from)) = (body.places[place].as_var(), variable(body, value))
            && tested[to.index()]
        {
            tested[from.index()] = true;
        }
    }
    tested
}

/// The variable that an expression reads, casts apart.
fn variable(body: &Body, e: ExprId) -> Option<VarId> {
    match body.exprs[e].kind {
        ExprKind::Load(place) => body.places[place].as_var(),
        ExprKind::Cast(inner) => variable(body, inner),
        _ => None,
    }
}
