//! What callees free.
//!
//! A summary says through which parameters a callee may free something, not what, nor when: behind `drop(p)` it
//! is not known whether `p` is alive ([`automata::freed`]). Where the next use of such a pointer is a check that nothing
//! speaks for, caller and callee are looked at together, down to the calls that free. The error is believed if
//! the callees do not decide by data of others whether they free ([`crate::coincidence::Demand::Freed`]): who counts
//! references, or says by its result that the memory is gone, has its reasons.

use super::decided::{copies, sources};
use super::inside::entered;
use super::look::{Kind, Look};
use automata::{Context, Verdict};
use ir::arena::Id;
use ir::walk::{Item, expr_items, place_items};
use ir::{
    Base, Body, Call, CallOutcome, CheckId, Condition, EdgeId, ExprId, FrameId, FuncId, NodeId,
    Place, Stmt, VarId,
};

/// Uses that are looked at for one call.
const USES: usize = 2;

/// Edges of all callees that are entered for one look.
const LARGEST: usize = 120;

/// Edges of a caller that is looked at.
const LARGEST_CALLER: usize = 400;

/// Calls that are entered for one look.
const ENTERED: usize = 6;

/// Looks into calls behind which something is used that they may have freed.
pub(crate) fn looks(context: &Context<'_>, f: FuncId, verdicts: &[Verdict]) -> Vec<Look> {
    let function = context.program.functions.get(f);
    let Some(body) = function.and_then(|f| f.body.as_ref()) else {
        return Vec::new();
    };
    let mut looks = Vec::new();
    let mut copied = None;
    for (edge, e) in body.edges().iter() {
        let Stmt::Call(call) = &e.stmt else { continue };
        let Some(callee) = freeing(context, call).filter(|g| *g != f) else {
            continue;
        };
        let copied = copied.get_or_insert_with(|| copies(body));
        let handed = handed(context, body, call, callee, copied);
        let uses = uses(body, verdicts, e.to, &handed, copied);
        if uses.is_empty() {
            continue;
        }
        let calls = further(context, (FrameId::ROOT, edge, callee));
        // What frees much of what it is given, somewhere deep below, hardly ever frees what is used next.
        let size = |f: FuncId| context.body(f).map_or(0, |body| body.edges().len());
        let entered: usize = calls.iter().map(|(.., f)| size(*f)).sum();
        if entered > LARGEST || body.edges().len() > LARGEST_CALLER {
            continue;
        }
        looks.extend(uses.into_iter().map(|check| Look {
            root: f,
            calls: calls.clone(),
            check: (FrameId::ROOT, check),
            kind: Kind::Freed,
        }));
    }
    looks
}

/// The function that a call enters, if it may free something of its caller's.
fn freeing(context: &Context<'_>, call: &Call) -> Option<FuncId> {
    let callee = entered(context, call).filter(|_| call.outcome == CallOutcome::Return)?;
    let summary = context.summaries.get(callee)?;
    summary.frees.contains(&true).then_some(callee)
}

/// The variables that lead to what the callee may free.
fn handed(
    context: &Context<'_>,
    body: &Body,
    call: &Call,
    callee: FuncId,
    copied: &[Vec<VarId>],
) -> Vec<VarId> {
    let frees = context.summaries.get(callee).map(|s| &s.frees[..]);
    let args = call.args.iter().zip(frees.unwrap_or(&[]));
    let mut all = Vec::new();
    for v in args
        .filter(|(_, frees)| **frees)
        .filter_map(|(arg, _)| root(body, *arg))
    {
        all.extend(sources(copied, v));
    }
    all
}

/// The checks behind a call that ask whether what a variable leads to is alive, on each way the first.
fn uses(
    body: &Body,
    verdicts: &[Verdict],
    from: NodeId,
    handed: &[VarId],
    copied: &[Vec<VarId>],
) -> Vec<CheckId> {
    let mut found = Vec::new();
    if handed.is_empty() {
        return found;
    }
    let mut seen = vec![false; body.node_count as usize];
    let mut queue = vec![from];
    let mut at = 0;
    while let Some(&node) = queue.get(at) {
        at += 1;
        if std::mem::replace(&mut seen[node.index()], true) {
            continue;
        }
        for (_, edge) in body.out_edges(node) {
            if let Stmt::Check(check) = edge.stmt
                && verdicts.get(check.index()) == Some(&Verdict::Latent)
                && let Condition::Alive(e) = body.checks[check].condition
                && root(body, e)
                    .is_some_and(|v| sources(copied, v).iter().any(|v| handed.contains(v)))
            {
                if !found.contains(&check) {
                    found.push(check);
                }
                if found.len() == USES {
                    return found;
                }
                continue;
            }
            // Another value: `p = NULL`.
            let overwritten = match &edge.stmt {
                Stmt::Assign { place, .. } => body.places[*place].as_var(),
                Stmt::Call(call) => call.result.and_then(|p| body.places[p].as_var()),
                Stmt::Declare(v) | Stmt::End(v) => Some(*v),
                _ => None,
            };
            if !(handed.len() == 1 && overwritten == Some(handed[0])) {
                queue.push(edge.to);
            }
        }
    }
    found
}

/// The call, and those of the callees by which they free, as far as they are few.
fn further(
    context: &Context<'_>,
    first: (FrameId, EdgeId, FuncId),
) -> Vec<(FrameId, EdgeId, FuncId)> {
    let mut all = vec![first];
    let mut at = 0;
    while let Some(&(_, _, f)) = all.get(at) {
        at += 1;
        let Some(body) = context.body(f) else {
            continue;
        };
        for (edge, e) in body.edges().iter() {
            if let Stmt::Call(call) = &e.stmt
                && all.len() < ENTERED
                && let Some(callee) = freeing(context, call)
            {
                all.push((FrameId(at as u32), edge, callee));
            }
        }
    }
    all
}

/// The variable that an address or a pointer leads from: `b` of `b`, `&b`, `b.data`, `b->next->data`.
fn root(body: &Body, e: ExprId) -> Option<VarId> {
    let mut item = Item::Expr(e);
    loop {
        if let Item::Place(p) = item
            && let Base::Var(v) = body.places[p].base
        {
            return Some(v);
        }
        item = match item {
            Item::Expr(e) => {
                let mut first = None;
                expr_items(&body.exprs[e], &mut |i| {
                    first.get_or_insert(i);
                });
                first?
            }
            Item::Place(p) => base(&body.places[p])?,
        };
    }
}

fn base(place: &Place) -> Option<Item> {
    let mut first = None;
    if matches!(place.base, Base::Deref(_)) {
        place_items(place, &mut |i| {
            first.get_or_insert(i);
        });
    }
    first
}
