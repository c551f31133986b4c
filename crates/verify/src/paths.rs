//! Inputs from level 2: the solution of a path says what each input must be for a run to take it.

use crate::proof::{Open, SOLVER, context, plan};
use crate::whole::Root;
use crate::{Code, Task};
use automata::Context;
use automata::hunt::{Hunt, Patience};
use feasible::Judgement;
use interp::replay::{Script, ScriptValue, StepEffect};
use ir::{Body, Callee, EdgeId, Program, Stmt};
use logic::Portfolio;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is tried for one check.
const PATIENCE: Patience = Patience {
    states: 4000,
    waiting: 400,
    turns: 60,
    paths: 12,
};

/// Checks that paths are sought to.
const CHECKS: usize = 20;

/// Inputs with which runs should come to the open checks and fail.
pub fn inputs(task: &Task<'_>, code: &Code<'_>, roots: &[Root], open: &[Open]) -> Vec<Vec<u64>> {
    let (Some(root), Some(make)) = (roots.first(), task.prover) else {
        return Vec::new();
    };
    let context = context(&task.proved, code);
    let body = &root.composed.body;
    let mut prover = make();
    let mut all: Vec<Vec<u64>> = Vec::new();
    // Only `main` is called with nothing unknown.
    for open in open.iter().filter(|open| open.root == 0).take(CHECKS) {
        let sought = || {
            let mut hunt = Hunt::new(&context, root.function, body, plan(true));
            hunt.seek(open.check, PATIENCE).paths
        };
        let mut paths = open.paths.clone();
        paths.extend(catch_unwind(AssertUnwindSafe(sought)).unwrap_or_default());
        paths.sort_by_key(Vec::len);
        paths.dedup();
        let solve = || solutions(&context, root, &paths, &mut prover);
        for inputs in catch_unwind(AssertUnwindSafe(solve)).unwrap_or_default() {
            if !all.contains(&inputs) {
                all.push(inputs);
            }
        }
    }
    all
}

fn solutions(
    context: &Context<'_>,
    root: &Root,
    paths: &[Vec<EdgeId>],
    prover: &mut Portfolio,
) -> Vec<Vec<u64>> {
    let body = &root.composed.body;
    let mut found = Vec::new();
    feasible::judge(
        context,
        root.function,
        body,
        paths,
        prover,
        SOLVER,
        |i, path, judgement| {
            if let Judgement::Feasible(model) = judgement
                && let Ok(script) = feasible::script::script(path, &model, &paths[i])
            {
                found.push(given(context.program, body, &script));
            }
        },
    );
    found
}

/// What the calls for inputs on a path give, in order.
fn given(program: &Program, body: &Body, script: &Script) -> Vec<u64> {
    let steps = script.path.iter().enumerate();
    let inputs = steps.filter(|(_, edge)| asks(program, body, **edge));
    inputs
        .map(|(step, _)| match script.steps.get(&step) {
            Some(StepEffect::Instead {
                result: Some(ScriptValue::Bits(bits)),
                ..
            }) => *bits as u64,
            _ => 0,
        })
        .collect()
}

/// Is it a call for an input?
fn asks(program: &Program, body: &Body, edge: EdgeId) -> bool {
    let Some(Stmt::Call(call)) = body.edges().get(edge).map(|edge| &edge.stmt) else {
        return false;
    };
    let Callee::Direct(f) = call.callee else {
        return false;
    };
    let function = program.functions.get(f).filter(|f| f.body.is_none());
    function.is_some_and(|f| program.name(f.name).starts_with("__VERIFIER_nondet_"))
}
