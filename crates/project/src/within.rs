//! The projection of a check within one body, for a search that is to stay inside it (§7.1 of the paper).
//!
//! An infeasible path taught some conditions. A search for another path that knows them need not look where, with these, no failing
//! path leads.

use crate::analysis::Analysis;
use crate::model::Model;
use crate::question::{Limits, Question};
use automata::{Context, Plan};
use ir::{Body, CheckId, ExprId, FuncId};

/// By node: can a failing run come there? None if that is too much to find out.
pub fn within(
    context: &Context<'_>,
    plan: Plan,
    (f, body): (FuncId, &Body),
    check: CheckId,
    learnt: &[ExprId],
    limits: &Limits,
) -> Option<Vec<bool>> {
    let learnt: Vec<(FuncId, ExprId)> = learnt.iter().map(|e| (f, *e)).collect();
    let question = Question {
        root: f,
        function: f,
        check,
        path: &[],
        body: Some(body),
        learnt: &learnt,
    };
    if body.edges().len() > limits.edges {
        return None;
    }
    let model = Model::new(context, plan, &question, limits);
    if !model.open.exhausted.is_empty() {
        return None;
    }
    let analysis = Analysis::new(&model).ok()?;
    Some(analysis.nodes(0))
}
