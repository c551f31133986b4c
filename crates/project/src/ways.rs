//! Which calls enter which functions, and what is passed on the way there and back.

use crate::choose::{Chosen, Fact, Scope, Told, at_call};
use crate::extended::Extended;
use automata::Context;
use ir::{Body, Call, CallOutcome, Callee, EdgeId, ExprId, Stmt};

/// A call that enters a function: its facts as this body says them, and what is asked of the result.
#[derive(Clone)]
pub struct Way {
    pub callee: usize,
    pub told: Vec<Option<ExprId>>,
    pub results: Vec<ExprId>,
}

/// The calls of a function that enter others, by edge.
pub type Calls = Vec<(EdgeId, Vec<Way>)>;

/// Which calls enter which functions. Callers get the expressions that they need for it.
pub fn with_calls(context: &Context<'_>, mut scope: Scope) -> (Vec<Calls>, Scope) {
    let mut all = Vec::new();
    for i in 0..scope.functions.len() {
        let mut extended = Extended::new(&scope.functions[i].body);
        let own = &context.program.functions[scope.functions[i].function];
        let mut calls: Calls = Vec::new();
        let edges = own.body.iter().flat_map(|b| b.edges().iter());
        for (id, edge) in edges {
            let Stmt::Call(call) = &edge.stmt else {
                continue;
            };
            let ways: Vec<Way> = callees(context, &scope, &extended.body, call)
                .into_iter()
                .map(|callee| {
                    let chosen = &scope.functions[callee];
                    Way {
                        callee,
                        told: chosen
                            .facts
                            .iter()
                            .map(|t| told_at(&mut extended, chosen, call, t))
                            .collect(),
                        results: asked_of(&mut extended, chosen, call),
                    }
                })
                .collect();
            if !ways.is_empty() {
                calls.push((id, ways));
            }
        }
        scope.functions[i].body = extended.body;
        all.push(calls);
    }
    (all, scope)
}

/// The functions that a call may enter, of those in scope.
fn callees(context: &Context<'_>, scope: &Scope, body: &Body, call: &Call) -> Vec<usize> {
    let all = match call.callee {
        _ if call.outcome == CallOutcome::Again => Vec::new(),
        Callee::Direct(f) => vec![f],
        Callee::Indirect(_) => context.indirect_targets(body, call).unwrap_or_default(),
    };
    let fits = |i: &usize| scope.functions[*i].body.params.len() <= call.args.len();
    let known = all.iter().filter_map(|f| scope.index.get(f).copied());
    known.filter(fits).collect()
}

/// A callee's fact, as the caller would say it before the call.
fn told_at(caller: &mut Extended, callee: &Chosen, call: &Call, told: &Told) -> Option<ExprId> {
    match told.fact {
        Fact::Condition(e) => at_call(caller, &callee.body, &call.args, e),
        Fact::Check(_) => None,
    }
}

/// What is asked of the result, said of the place that takes it; nothing if nobody takes it as it is.
fn asked_of(caller: &mut Extended, callee: &Chosen, call: &Call) -> Vec<ExprId> {
    let (Some(place), Some(ret)) = (call.result, callee.body.ret) else {
        return Vec::new();
    };
    let ty = caller.body.places[place].ty;
    if ty != callee.body.vars[ret].ty || call.outcome != CallOutcome::Return {
        return Vec::new();
    }
    let loaded = caller.expr(ir::ExprKind::Load(place), ty);
    let results = callee.results.iter();
    let here = results.map(|e| caller.carried(&callee.body, *e, &|v| (v == ret).then_some(loaded)));
    here.collect::<Option<Vec<ExprId>>>().unwrap_or_default()
}
