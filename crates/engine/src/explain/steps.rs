//! The steps of a path, in words.
//!
//! Every statement with a place in the source is a step, except what only the compiler sees:
//! checks that passed, temporaries, empty statements. How much a step matters is decided by the
//! slice; what happens in a system header never matters much.

use super::Explainer;
use super::loops::Loops;
use super::notation::Words;
use super::slice;
use crate::ErrorPath;
use ir::{Body, CallOutcome, Edge, PlaceId, Stmt, VarId};
use report::{Importance, Step, StepKind};

impl Explainer<'_> {
    /// All steps but the last, which is the check's own.
    pub(super) fn steps(&self, error: &ErrorPath) -> Vec<Step> {
        let function = self.program.functions.get(error.function);
        let body = function.and_then(|f| f.body.as_ref());
        let check = body.and_then(|b| b.checks.get(error.check));
        let (Some(body), Some(check)) = (body, check) else {
            return Vec::new();
        };
        let words = Words {
            program: self.program,
            body,
            path: &error.path,
        };
        let mut importance = slice::importance(&words, &check.condition);
        if !error.core.is_empty() {
            importance = self.contradiction(body, error);
        }
        let teller = Teller {
            words,
            loops: Loops::of(body),
        };
        let display = self.display(error.function);
        let mut steps: Vec<Step> = Vec::new();
        for (at, id) in error.path.iter().enumerate().take(error.path.len() - 1) {
            let Some(edge) = body.edges().get(*id) else {
                continue;
            };
            if edge.span.is_none() {
                continue;
            }
            let Some((kind, text)) = teller.step(at, edge, importance[at]) else {
                continue;
            };
            let file = self.program.files.get(edge.span.file);
            let system = file.is_some_and(|file| file.system);
            steps.push(Step {
                location: (self.places)(edge.span),
                function: display.clone(),
                kind,
                text,
                depth: 0,
                importance: match system {
                    true => Importance::Unimportant,
                    false => importance[at],
                },
                values: Vec::new(),
            });
        }
        steps
    }
}

impl Explainer<'_> {
    /// Of a refuted path: the steps that contradict each other, and those that they come from.
    fn contradiction(&self, body: &Body, error: &ErrorPath) -> Vec<Importance> {
        let mut all = vec![Importance::Unimportant; error.path.len()];
        for &step in &error.core {
            let Some(path) = error.path.get(..=step) else {
                continue;
            };
            let edge = path.last().and_then(|id| body.edges().get(*id));
            let condition = match edge.map(|e| &e.stmt) {
                Some(Stmt::Assume(e)) => ir::Condition::Holds(*e),
                Some(Stmt::Check(check)) => body.checks[*check].condition.clone(),
                _ => ir::Condition::Unreachable,
            };
            let words = Words {
                program: self.program,
                body,
                path,
            };
            let part = slice::importance(&words, &condition);
            for (at, own) in part.into_iter().enumerate() {
                // The first is what the error's own path would show; branches on the way that do
                // not decide are left out.
                if own == Importance::Essential {
                    all[at] = own;
                }
            }
            all[step] = Importance::Essential;
        }
        all
    }
}

struct Teller<'a> {
    words: Words<'a>,
    loops: Loops<'a>,
}

impl Teller<'_> {
    fn step(&self, at: usize, edge: &Edge, importance: Importance) -> Option<(StepKind, String)> {
        let words = self.words.before(at);
        let body = words.body;
        // What an automaton notes is told as what has happened to the value.
        if rules::temporal::is_woven(words.program, body, edge) {
            let (value, happened) = rules::temporal::told(words.program, body, &edge.stmt)?;
            return Some((StepKind::Call, format!("{} {happened}", words.expr(value))));
        }
        Some(match &edge.stmt {
            Stmt::Skip | Stmt::Check(_) | Stmt::Trap(_) | Stmt::VaStart(_) => return None,
            Stmt::Declare(v) => {
                let name = words.name(*v)?;
                let text = match importance {
                    Importance::Essential => format!("{name} is declared without a value"),
                    _ => format!("{name} is declared"),
                };
                (StepKind::Declare, text)
            }
            Stmt::End(v) => {
                let name = words.name(*v)?;
                (StepKind::Declare, format!("{name} goes out of scope"))
            }
            Stmt::Allocate { var, count } => {
                let (name, count) = (words.name(*var)?, words.expr(*count));
                (StepKind::Declare, format!("{name}[{count}] is declared"))
            }
            Stmt::Assign { place, value } => {
                if words.is_temporary(*place) {
                    return None;
                }
                let value = words.expr(*value);
                match whole(body, *place) == body.ret && body.ret.is_some() {
                    true => (StepKind::Return, format!("return {value}")),
                    false => {
                        let place = words.place(*place);
                        (StepKind::Assign, format!("{place} = {value}"))
                    }
                }
            }
            Stmt::Havoc { place, .. } => {
                if words.is_temporary(*place) {
                    return None;
                }
                let place = words.place(*place);
                (StepKind::Assign, format!("{place} becomes unknown"))
            }
            Stmt::Assume(e) => {
                let fact = words.fact(*e);
                let turn = self.loops.turn(self.words.path, at, &|s| quiet(&words, s));
                match turn {
                    _ if body.out_edges(edge.from).nth(1).is_none() => {
                        (StepKind::Branch, format!("assumed: {fact}"))
                    }
                    Some(turn) => (StepKind::Loop, format!("{fact}: {}", turn.words())),
                    None => (StepKind::Branch, fact),
                }
            }
            Stmt::Copy { target, source, .. } => {
                let (target, source) = (words.expr(*target), words.expr(*source));
                let text = format!("{target} gets what is at {source}");
                (StepKind::Assign, text)
            }
            Stmt::Fill { target, byte, .. } => {
                let (target, byte) = (words.expr(*target), words.expr(*byte));
                let text = format!("the bytes at {target} become {byte}");
                (StepKind::Assign, text)
            }
            Stmt::Call(call) => {
                let text = words.call(call);
                let result = call.result.filter(|p| !words.is_temporary(*p));
                match (call.outcome, result) {
                    (CallOutcome::Unwind, _) => (StepKind::Call, format!("{text} throws")),
                    (_, Some(p)) if whole(body, p) == body.ret && body.ret.is_some() => {
                        (StepKind::Return, format!("return {text}"))
                    }
                    (CallOutcome::Again, _) => (StepKind::Call, format!("{text} returns again")),
                    (_, Some(p)) => {
                        let place = words.place(p);
                        (StepKind::Call, format!("{place} = {text}"))
                    }
                    (_, None) => (StepKind::Call, text),
                }
            }
            Stmt::LandingPad { .. } => (StepKind::Branch, "an exception is caught".to_string()),
            Stmt::Resume(_) => (StepKind::Call, "the exception is thrown on".to_string()),
        })
    }
}

fn whole(body: &Body, p: PlaceId) -> Option<VarId> {
    body.places.get(p)?.as_var()
}

/// What may belong to the computation of a branch's condition.
fn quiet(words: &Words<'_>, stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Skip | Stmt::Check(_) => true,
        Stmt::Assign { place, .. } => words.is_temporary(*place),
        Stmt::Call(call) => call.result.is_some_and(|p| words.is_temporary(p)),
        _ => false,
    }
}
