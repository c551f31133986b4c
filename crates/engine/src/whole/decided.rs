//! Calls that are told all that decides what they give back.
//!
//! The summary of a function says what it may give to anybody: `gcd` any number, `find` perhaps null, which is
//! no news where its callers rely on it ([`crate::habits`]); what a function gives that calls another by a
//! pointer nobody knows. `gcd(0, 0)`, `find(table, -1)` and `apply(give_null, p)` say more. Where a check
//! depends on what such a call gave back, caller and callee are looked at together, and the error is
//! believed if nothing in the callee is up to chance ([`crate::coincidence::Demand::NoChoice`]).

use super::inside::entered;
use super::look::{Kind, Look};
use crate::origin::spoken_of;
use automata::summary::Result;
use automata::{Context, Verdict};
use ir::arena::Id;
use ir::{
    Body, CallOutcome, CheckId, Condition, EdgeId, ExprId, ExprKind, FrameId, FuncId, Stmt, VarId,
};

/// Checks that are looked at for one call.
const CHECKS: usize = 2;

/// Copies through which a value is followed.
const COPIES: usize = 4;

/// Looks into calls that a check without evidence may have its value from.
pub(crate) fn looks(context: &Context<'_>, f: FuncId, verdicts: &[Verdict]) -> Vec<Look> {
    let function = context.program.functions.get(f);
    let Some(body) = function.and_then(|f| f.body.as_ref()) else {
        return Vec::new();
    };
    let mut calls = decided_calls(context, body);
    let mut looks = Vec::new();
    if calls.is_empty() {
        return looks;
    }
    let copies = copies(body);
    for (i, _) in verdicts
        .iter()
        .enumerate()
        .filter(|(_, v)| **v == Verdict::Latent)
    {
        let check = CheckId::from_index(i);
        let Some(condition @ Condition::Holds(_)) = body.checks.get(check).map(|c| &c.condition)
        else {
            continue;
        };
        let place = spoken_of(body, condition);
        let Some(v) = place.and_then(|p| body.places[p].as_var()) else {
            continue;
        };
        let sources = sources(&copies, v);
        for call in &mut calls {
            if sources.contains(&call.to) && call.checks < CHECKS {
                call.checks += 1;
                looks.push(Look {
                    root: f,
                    calls: vec![(FrameId::ROOT, call.edge, call.callee)],
                    check: (FrameId::ROOT, check),
                    kind: Kind::Decided,
                });
            }
        }
    }
    looks
}

struct Decided {
    edge: EdgeId,
    callee: FuncId,
    /// Where the result goes.
    to: VarId,
    /// Checks that it is looked at for.
    checks: usize,
}

/// The calls that are passed a constant, or a function, and that may give back something bad.
fn decided_calls(context: &Context<'_>, body: &Body) -> Vec<Decided> {
    let mut all = Vec::new();
    for (edge, e) in body.edges().iter() {
        let Stmt::Call(call) = &e.stmt else { continue };
        let to = call.result.and_then(|p| body.places[p].as_var());
        let told = call.args.iter().any(|arg| is_told(body, *arg));
        if let (Some(to), true, CallOutcome::Return) = (to, told, call.outcome)
            && let Some(callee) = entered(context, call)
            && may_be_bad(context, callee)
        {
            all.push(Decided {
                edge,
                callee,
                to,
                checks: 0,
            });
        }
    }
    all
}

pub(super) fn is_told(body: &Body, mut e: ExprId) -> bool {
    while let ExprKind::Cast(inner) = body.exprs[e].kind {
        e = inner;
    }
    matches!(
        body.exprs[e].kind,
        ExprKind::Int(_) | ExprKind::Null | ExprKind::Function(_)
    )
}

fn may_be_bad(context: &Context<'_>, callee: FuncId) -> bool {
    match context.summaries.get(callee).map(|s| (s.returns, s.result)) {
        Some((false, _)) => false,
        Some((true, Result::Pointer(null))) => null.may_be_null,
        _ => true,
    }
}

/// For each variable those that are copied to it.
pub(super) fn copies(body: &Body) -> Vec<Vec<VarId>> {
    let mut copied: Vec<Vec<VarId>> = vec![Vec::new(); body.vars.len()];
    for edge in body.edges().values() {
        if let Stmt::Assign { place, value } = edge.stmt
            && let Some(to) = body.places[place].as_var()
            && let Some(from) = body.loaded(value).and_then(|p| body.places[p].as_var())
        {
            copied[to.index()].push(from);
        }
    }
    copied
}

/// The variables that a variable may be a copy of, itself first.
pub(super) fn sources(copies: &[Vec<VarId>], v: VarId) -> Vec<VarId> {
    let mut all = vec![v];
    let mut at = 0;
    while let Some(v) = all.get(at).copied() {
        for from in &copies[v.index()] {
            if !all.contains(from) && all.len() < COPIES {
                all.push(*from);
            }
        }
        at += 1;
    }
    all
}
