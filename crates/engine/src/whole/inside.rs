//! Which callees are worth a look: those that a bad value comes from.

use super::look::{Kind, Look};
use crate::origin::{self, leads_to, trace};
use automata::summary::{Effect, fixed_params};
use automata::{Context, Verdict};
use ir::arena::Id;
use ir::walk::{Item, Once};
use ir::{
    Base, Body, Call, CallOutcome, Callee, CheckId, Composed, Condition, EdgeId, ExprId, FrameId,
    FuncId, Origin, PlaceId, Stmt, VarKind,
};

/// Calls that are looked into at once, for a variable that they were handed.
const HANDED: usize = 2;

/// And with those by which the callees hand it on.
const FURTHER: usize = 5;

/// The function that a call enters, if it can be looked into. It may be in view already: a recursion is followed
/// as deep as other calls are.
pub(super) fn entered(context: &Context<'_>, call: &Call) -> Option<FuncId> {
    let Callee::Direct(f) = call.callee else {
        return None;
    };
    let known = context.program.functions.get(f)?.body.is_some();
    known.then_some(f)
}

/// A look into the call that gave back what a reported check fails on, if it is one.
pub(crate) fn look_for_source(
    context: &Context<'_>,
    f: FuncId,
    path: &[EdgeId],
    check: CheckId,
) -> Option<Look> {
    let body = context.program.functions.get(f)?.body.as_ref()?;
    let condition = &body.checks.get(check)?.condition;
    let (_, made) = trace(body, path, condition)?;
    let (step, origin::Kind::Result) = made? else {
        return None;
    };
    let Stmt::Call(call) = &body.edges().get(path[step])?.stmt else {
        return None;
    };
    Some(Look {
        root: f,
        calls: vec![(FrameId::ROOT, path[step], entered(context, call)?)],
        check: (FrameId::ROOT, check),
        kind: Kind::Inside,
    })
}

/// On a path of a composed body: the call that gave back what the check fails on, and that is not entered yet.
pub(crate) fn source(
    context: &Context<'_>,
    composed: &Composed,
    path: &[EdgeId],
    check: CheckId,
) -> Option<(FrameId, EdgeId, FuncId)> {
    let body = &composed.body;
    let (_, made) = trace(body, path, &body.checks.get(check)?.condition)?;
    let (step, origin::Kind::Result) = made? else {
        return None;
    };
    let Stmt::Call(call) = &body.edges().get(path[step])?.stmt else {
        return None;
    };
    let Origin::Own(frame, edge) = composed.origin(path[step]) else {
        return None;
    };
    Some((frame, edge, entered(context, call)?))
}

/// Looks for variables that only callees set, and not on all of their ways, where nobody asks a callee whether it
/// did.
pub(crate) fn half_set(context: &Context<'_>, f: FuncId, verdicts: &[Verdict]) -> Vec<Look> {
    let function = context.program.functions.get(f);
    let Some(body) = function.and_then(|f| f.body.as_ref()) else {
        return Vec::new();
    };
    let mut looks = Vec::new();
    for (i, verdict) in verdicts.iter().enumerate() {
        let check = CheckId::from_index(i);
        let Some(Condition::Initialized(place)) = body.checks.get(check).map(|c| &c.condition)
        else {
            continue;
        };
        let Base::Var(v) = body.places[*place].base else {
            continue;
        };
        let var = &body.vars[v];
        let is_local = var.kind == VarKind::Local && var.address_taken;
        if *verdict == Verdict::Latent && is_local {
            let handed = half_set_by(context, f, body, *place);
            let deeper = handed.as_ref().and_then(|handed| further(context, handed));
            looks.extend(handed.into_iter().chain(deeper).map(|handed| Look {
                root: f,
                calls: handed.into_iter().map(|h| h.call).collect(),
                check: (FrameId::ROOT, check),
                kind: Kind::Inside,
            }));
        }
    }
    looks
}

/// A call that is handed the address of a variable, and as which argument.
#[derive(Clone, Copy)]
struct Handed {
    call: (FrameId, EdgeId, FuncId),
    arg: usize,
}

/// The calls that may set a place; none if something else does, or if their results are asked for.
fn half_set_by(
    context: &Context<'_>,
    f: FuncId,
    body: &Body,
    place: PlaceId,
) -> Option<Vec<Handed>> {
    let mut calls = Vec::new();
    for (id, edge) in body.edges().iter() {
        match &edge.stmt {
            Stmt::Call(call) => {
                let handed = call.args.iter().position(|a| leads_to(body, *a, place));
                let Some(arg) = handed else { continue };
                let callee = entered(context, call).filter(|g| *g != f)?;
                let asks = call.result.is_some_and(|r| asked(body, r));
                if asks || !may_set(context, callee, arg) {
                    return None;
                }
                calls.push(Handed {
                    call: (FrameId::ROOT, id, callee),
                    arg,
                });
            }
            Stmt::Assign { place: to, .. } if same_base(body, *to, place) => return None,
            Stmt::Copy { target, .. } | Stmt::Fill { target, .. }
                if leads_to(body, *target, place) =>
            {
                return None;
            }
            _ => {}
        }
    }
    (1..=HANDED).contains(&calls.len()).then_some(calls)
}

/// Does the callee set what an argument points to, on some of its ways?
fn may_set(context: &Context<'_>, callee: FuncId, arg: usize) -> bool {
    let summary = context.summaries.get(callee);
    let effect = summary.and_then(|summary| summary.params.get(arg));
    effect == Some(&Effect::Maybe)
}

/// The same calls, and those by which the callees hand on the address; none if there are none of these.
fn further(context: &Context<'_>, handed: &[Handed]) -> Option<Vec<Handed>> {
    let mut all = handed.to_vec();
    let mut at = 0;
    while let Some(&Handed { call, arg }) = all.get(at) {
        let function = context.program.functions.get(call.2)?;
        let body = function.body.as_ref()?;
        at += 1;
        let frame = FrameId(at as u32);
        // What a parameter is that is assigned, nobody knows here.
        if fixed_params(body).get(arg) != Some(&true) {
            continue;
        }
        let is_it = |e: &ExprId| {
            let var = body.loaded(*e).and_then(|p| body.places[p].as_var());
            var.is_some_and(|v| body.params.get(arg) == Some(&v))
        };
        for (id, edge) in body.edges().iter() {
            let Stmt::Call(call) = &edge.stmt else {
                continue;
            };
            let arg = call.args.iter().position(is_it);
            if let (Some(arg), Some(callee)) = (arg, entered(context, call))
                && call.outcome == CallOutcome::Return
                && may_set(context, callee, arg)
                && all.len() < FURTHER
            {
                let call = (frame, id, callee);
                all.push(Handed { call, arg });
            }
        }
    }
    (all.len() > handed.len()).then_some(all)
}

fn same_base(body: &Body, a: PlaceId, b: PlaceId) -> bool {
    body.places[a].base == body.places[b].base
}

/// Does a branch depend on the variable, or is it passed on?
fn asked(body: &Body, result: PlaceId) -> bool {
    body.edges().values().any(|edge| {
        let mut items = Once::default();
        match &edge.stmt {
            Stmt::Assume(e) => items.push(Item::Expr(*e)),
            Stmt::Assign { value, .. } => items.push(Item::Expr(*value)),
            // Whoever gets it can ask; but not who gives it.
            Stmt::Call(call) if !call.result.is_some_and(|r| same_base(body, r, result)) => {
                let args = call.args.iter();
                args.for_each(|arg| items.push(Item::Expr(*arg)));
            }
            _ => return false,
        }
        while let Some(item) = items.pop() {
            match item {
                Item::Place(p) if same_base(body, p, result) => return true,
                item => items.push_parts(body, item),
            }
        }
        false
    })
}
