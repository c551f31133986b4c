//! A solution in words: with which inputs a path is taken.

use crate::explain::naming::{CHOICE, modelled};
use automata::Context;
use feasible::Path;
use feasible::witness::{Input, Place, Value};
use ir::Stmt;

/// Inputs that are shown at most.
const MOST_INPUTS: usize = 6;

/// The inputs of a solution, as the report has them.
pub(crate) fn words(
    context: &Context<'_>,
    path: &Path<'_>,
    model: &logic::Model,
) -> Option<String> {
    inputs_in_words(context, path, feasible::witness::inputs(path, model))
}

/// The same for a run that has executed all callees with a body: what the solver chose for them is not what they gave. That what a
/// started program is given is there goes without saying.
pub(crate) fn words_of_run(
    context: &Context<'_>,
    path: &Path<'_>,
    model: &logic::Model,
) -> Option<String> {
    let started = Some(path.function).filter(|f| context.program.is_start(*f));
    let mut inputs = feasible::witness::inputs(path, model);
    inputs.retain(|input| match input.place {
        Place::Named(_) => started.is_none() || input.value != Value::NonNull,
        Place::Result(step) => {
            let edge = path.edge_at(step).map(|e| &path.body().edges()[e].stmt);
            !matches!(edge, Some(Stmt::Call(call)) if match call.callee {
                ir::Callee::Direct(f) => context.program.functions[f].body.is_some(),
                ir::Callee::Indirect(_) => false,
            })
        }
    });
    inputs_in_words(context, path, inputs)
}

fn inputs_in_words(context: &Context<'_>, path: &Path<'_>, inputs: Vec<Input>) -> Option<String> {
    if inputs.is_empty() {
        return None;
    }
    let mut text: Vec<String> = Vec::new();
    for Input { place, value } in inputs.iter().take(MOST_INPUTS) {
        let place = match place {
            Place::Named(name) => name.clone(),
            Place::Result(step) => call_words(context, path, *step)?,
        };
        // What a model leaves open is no input.
        if place.starts_with(CHOICE) {
            continue;
        }
        text.push(format!("{place} = {value}"));
    }
    if inputs.len() > MOST_INPUTS {
        text.push("…".into());
    }
    (!text.is_empty()).then(|| text.join(", "))
}

/// A call as the source has it, roughly: `strlen()`.
fn call_words(context: &Context<'_>, path: &Path<'_>, step: u32) -> Option<String> {
    let edge = path.edge_at(step)?;
    let Stmt::Call(call) = &path.body().edges()[edge].stmt else {
        return None;
    };
    Some(match call.callee {
        ir::Callee::Direct(f) => {
            let name = context.program.name(context.program.functions[f].display);
            report::called_name(modelled(name))
        }
        ir::Callee::Indirect(_) => "the call".into(),
    })
}
