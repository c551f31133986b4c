//! What a path through several functions must not need.
//!
//! A caller hands a bad value down, and what becomes of it there depends on the callee's data: `open(pager, 0)`
//! follows its second argument only if a log is open, and who passes none knows that none is. Within one
//! function its author sees both conditions; across a call they are an agreement between two functions that
//! nobody wrote down. So a path that crosses a call is believed only if nothing decides, after the bad value was
//! made or last tested for, that is up to data which neither of the functions in view determines.

use super::Case;
use super::outside::Outside;
use crate::origin::{Kind, Origin, trace};
use automata::Context;
use feasible::Path;
use feasible::unknown::unknowns;
use ir::walk::{Item, Once, statement_items};
use ir::{
    Body, Call, Callee, CheckId, CompareOp, Composed, EdgeId, ExprKind, FrameId, Origin as From,
    PlaceId, Stmt,
};

/// What a path must not need besides the bad value.
#[derive(Clone, Copy)]
pub(crate) enum Demand<'p> {
    /// What every path must not need, and nothing more.
    Usual,
    /// An agreement: see above.
    NoAgreement,
    /// Luck: what the callees in view do, and that the check fails, follows from what they are passed. For a null
    /// that callers rely on not to come: that it may is known to them, that it must is not.
    NoChoice(&'p Composed),
    /// An agreement, of functions that are looked at with all that they call; and where a null comes out of a function whose callers rely on it
    /// not to, luck.
    Together(&'p Composed),
    /// A decision of the callees in view that is up to data: for what they free. Whether a pointer is null before it is followed
    /// or freed is none: nobody frees null.
    Freed(&'p Composed),
    /// Anything that does not come from outside: for what loops come to after some turns.
    Outside(&'p Outside<'p>),
}

impl Demand<'_> {
    /// Does the path need what it must not?
    pub fn is_missed(
        self,
        context: &Context<'_>,
        body: &Body,
        path: &Path<'_>,
        edges: &[EdgeId],
        check: CheckId,
    ) -> bool {
        match self {
            Demand::Usual => false,
            Demand::NoAgreement => needs_more(context, body, path, edges, check),
            Demand::Outside(outside) => outside.is_missed(path, edges),
            Demand::NoChoice(composed) => is_chosen(composed, path, edges),
            Demand::Together(composed) => {
                needs_more(context, body, path, edges, check)
                    || is_relied_on(context, composed, edges, check)
                        && is_chosen(composed, path, edges)
            }
            Demand::Freed(composed) => {
                let decides = |step: usize| {
                    let own = match composed.origin(edges[step]) {
                        From::Own(frame, _) => frame != FrameId::ROOT,
                        _ => false,
                    };
                    let is_test = matches!(body.edges()[edges[step]].stmt, Stmt::Assume(_));
                    own && is_test && !is_before_use(body, edges, step)
                };
                let mut facts = path.facts.iter();
                facts.any(|(step, fact)| {
                    decides(*step as usize) && !unknowns(path, *fact).is_empty()
                })
            }
        }
    }
}

/// Is anything in the callees, or whether the check fails, up to chance?
fn is_chosen(composed: &Composed, path: &Path<'_>, edges: &[EdgeId]) -> bool {
    let within = |step: usize| match composed.origin(edges[step]) {
        From::Own(frame, _) => frame != FrameId::ROOT || step + 1 == edges.len(),
        _ => false,
    };
    let mut facts = path.facts.iter();
    facts.any(|(step, fact)| within(*step as usize) && !unknowns(path, *fact).is_empty())
}

/// Does the bad value come out of a call of a function whose callers rely on it to give none?
fn is_relied_on(
    context: &Context<'_>,
    composed: &Composed,
    edges: &[EdgeId],
    check: CheckId,
) -> bool {
    let condition = &composed.body.checks[check].condition;
    let Some((_, Some((step, _)))) = trace(&composed.body, edges, condition) else {
        return false;
    };
    let From::Own(mut frame, _) = composed.origin(edges[step]) else {
        return false;
    };
    let (mut at, _) = composed.check(check);
    let mut around = vec![at];
    while let Some((caller, _)) = composed.frames[at].caller {
        at = caller;
        around.push(at);
    }
    while !around.contains(&frame) {
        let info = &composed.frames[frame];
        // Habits are those of callers by name.
        let by_name = |call: &Call| matches!(call.callee, Callee::Direct(_));
        if info.call.as_ref().is_some_and(by_name)
            && context.trusted.get(info.function.0 as usize) == Some(&true)
        {
            return true;
        }
        match info.caller {
            Some((caller, _)) => frame = caller,
            None => return false,
        }
    }
    false
}

/// Does the path need more than the value that was handed down?
fn needs_more(
    context: &Context<'_>,
    body: &Body,
    path: &Path<'_>,
    edges: &[EdgeId],
    check: CheckId,
) -> bool {
    let condition = &body.checks[check].condition;
    let (places, made) = trace(body, edges, condition).unwrap_or_default();
    let (step, kind) = made.unwrap_or((0, Kind::Constant));
    // What the code has tested for it has acknowledged: whatever it came through before.
    let told = |step: &usize| speaks_of(body, edges[*step], &places);
    let start = (step..edges.len() - 1).rev().find(told).unwrap_or(step);
    let case = Case {
        context,
        body,
        path,
        edges,
        condition,
        origin: &Origin {
            step,
            kind,
            places: places.clone(),
        },
    };
    let after = path.facts.iter().filter(|(step, _)| {
        let step = *step as usize;
        step > start && step + 1 < edges.len()
    });
    let mut deciding = after.filter(|(step, _)| case.decides(*step as usize));
    deciding.any(|(_, fact)| unknowns(path, *fact).iter().any(|u| case.is_foreign(u)))
}

/// Is the step a test that a pointer is not null, which is used later on the path?
fn is_before_use(body: &Body, edges: &[EdgeId], step: usize) -> bool {
    let Stmt::Assume(e) = body.edges()[edges[step]].stmt else {
        return false;
    };
    let ExprKind::Compare(CompareOp::Ne, tested, null) = body.exprs[e].kind else {
        return false;
    };
    let (Some(place), ExprKind::Null) = (body.loaded(tested), &body.exprs[null].kind) else {
        return false;
    };
    let mut later = edges[step + 1..].iter();
    later.any(|edge| {
        let mut items = Once::default();
        statement_items(body, &body.edges()[*edge].stmt, &mut |item| {
            items.push(item)
        });
        while let Some(item) = items.pop() {
            match item {
                Item::Place(p) if body.places[p] == body.places[place] => return true,
                item => items.push_parts(body, item),
            }
        }
        false
    })
}

/// Is the edge a test of one of the places, and of nothing else? (A comparison with other data is an agreement
/// like any.)
fn speaks_of(body: &Body, edge: EdgeId, places: &[PlaceId]) -> bool {
    let Stmt::Assume(e) = body.edges()[edge].stmt else {
        return false;
    };
    let (mut told, mut other) = (false, false);
    let mut items = Once::default();
    items.push(Item::Expr(e));
    while let Some(item) = items.pop() {
        match item {
            Item::Expr(_) => items.push_parts(body, item),
            Item::Place(p) if places.contains(&p) => told = true,
            Item::Place(_) => other = true,
        }
    }
    told && !other
}
