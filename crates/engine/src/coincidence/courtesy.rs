//! Tests out of courtesy.
//!
//! `length(p)` answers 0 for null as it does for an empty string; whoever calls it with a `p` that is never null is not told otherwise by
//! that. So a null that only a callee has tested for, on the way to where its caller follows it, is not acknowledged by the
//! caller (design.md §6), unless the caller asks what the callee answered: `if (!is_valid(p)) log(); p->x`.

use crate::origin::trace;
use automata::Context;
use automata::valid;
use ir::walk::{Item, Once};
use ir::{
    Body, Call, Callee, Composed, Condition, EdgeId, ExprId, ExprKind, FrameId, Origin, PlaceId,
    Stmt,
};

/// Is the value that the check asks for, at the end of the path, null only as far as callees tested for it?
pub(super) fn is_all(
    context: &Context<'_>,
    composed: Option<&Composed>,
    body: &Body,
    edges: &[EdgeId],
    condition: &Condition,
) -> bool {
    let (true, Some((places, None))) = (
        asks_for_null(context, body, condition),
        trace(body, edges, condition),
    ) else {
        return false;
    };
    let way = Way {
        context,
        body,
        edges,
    };
    if way.tests(|p| places.contains(&p)) {
        return false;
    }
    let told = match composed {
        Some(composed) => way.entered(composed, &places),
        None => way.called(&places),
    };
    told.is_some_and(|answers| !way.tests(|p| answers.contains(&p)))
}

fn asks_for_null(context: &Context<'_>, body: &Body, condition: &Condition) -> bool {
    let Condition::Holds(e) = condition else {
        return false;
    };
    match body.exprs[*e].kind {
        ExprKind::Compare(ir::CompareOp::Ne, a, b) => {
            let is_pointer = context.program.types.is_pointer(body.exprs[a].ty);
            is_pointer && matches!(body.exprs[b].kind, ExprKind::Null)
        }
        _ => false,
    }
}

/// A path of a body.
struct Way<'a, 'p> {
    context: &'a Context<'p>,
    body: &'a Body,
    edges: &'a [EdgeId],
}

impl Way<'_, '_> {
    fn stmts(&self) -> impl Iterator<Item = (EdgeId, &Stmt)> {
        let all = self.edges.iter();
        all.map(|id| (*id, &self.body.edges()[*id].stmt))
    }

    /// Is there a branch that depends on such a place?
    fn tests(&self, wanted: impl Fn(PlaceId) -> bool) -> bool {
        self.stmts()
            .any(|(_, stmt)| matches!(stmt, Stmt::Assume(e) if self.reads(*e, &wanted)))
    }

    fn reads(&self, e: ExprId, wanted: &impl Fn(PlaceId) -> bool) -> bool {
        let mut items = Once::default();
        items.push(Item::Expr(e));
        while let Some(item) = items.pop() {
            if matches!(item, Item::Place(p) if wanted(p)) {
                return true;
            }
            items.push_parts(self.body, item);
        }
        false
    }

    /// What the calls answer that are handed the value and test it; none if none does.
    fn called(&self, places: &[PlaceId]) -> Option<Vec<PlaceId>> {
        let tests = |call: &Call| {
            let Callee::Direct(f) = call.callee else {
                return false;
            };
            let body = self.context.program.functions[f].body.as_ref();
            let tested = body.map(valid::tested).unwrap_or_default();
            let holds = |e: &ExprId| self.body.loaded(*e).is_some_and(|p| places.contains(&p));
            let mut all = call.args.iter().zip(tested);
            all.any(|(arg, tested)| tested && holds(arg))
        };
        let mut told = None;
        for (_, stmt) in self.stmts() {
            if let Stmt::Call(call) = stmt
                && tests(call)
            {
                told.get_or_insert_with(Vec::new).extend(call.result);
            }
        }
        told
    }

    /// The same of callees whose bodies are a part of the path.
    fn entered(&self, composed: &Composed, places: &[PlaceId]) -> Option<Vec<PlaceId>> {
        let mut below: Vec<(FrameId, PlaceId)> = Vec::new();
        let mut answers: Vec<(FrameId, PlaceId)> = Vec::new();
        for (edge, stmt) in self.stmts() {
            let (Stmt::Assign { place, value }, origin) = (stmt, composed.origin(edge)) else {
                continue;
            };
            match origin {
                Origin::Enter(frame) if !places.contains(place) => {
                    let from = self.body.loaded(*value);
                    let from = from
                        .filter(|p| places.contains(p) || below.iter().any(|(_, copy)| copy == p));
                    below.extend(from.map(|_| (frame, *place)));
                }
                Origin::Leave(frame) => answers.push((frame, *place)),
                _ => {}
            }
        }
        below.retain(|(_, copy)| self.tests(|p| p == *copy));
        if below.is_empty() {
            return None;
        }
        let is_below = |frame: &FrameId| below.iter().any(|(other, _)| other == frame);
        let answers = answers.into_iter().filter(|(frame, _)| is_below(frame));
        Some(answers.map(|(_, place)| place).collect())
    }
}
