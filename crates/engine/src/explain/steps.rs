//! The steps of a path, in words.
//!
//! Every statement with a place in the source is a step, except what only the compiler sees:
//! checks that passed, temporaries, empty statements. How much a step matters is decided by the
//! slice; what happens in a system header never matters much.

use super::Explainer;
use super::frames::{Told, Visits};
use super::loops::Loops;
use super::naming::CHOICE;
use super::notation::Words;
use super::slice;
use crate::ErrorPath;
use ir::{CallOutcome, Edge, FrameId, Span, Stmt};
use report::{Importance, Step, StepKind};

impl Explainer<'_> {
    /// All steps but the last, which is the check's own.
    pub(super) fn steps(&self, error: &ErrorPath) -> Vec<Step> {
        let words = self.words(error);
        let check = words.and_then(|w| w.body.checks.get(error.check));
        let (Some(words), Some(check)) = (words, check) else {
            return Vec::new();
        };
        let importance = match error.core.is_empty() {
            true => slice::importance(&words, &check.condition),
            false => self.contradiction(&words, error),
        };
        let teller = Teller {
            words,
            loops: Loops::of(words.body),
        };
        let before = 0..error.path.len().saturating_sub(1);
        let own = before.clone().map(|at| {
            let edge = words.body.edges().get(error.path[at])?;
            match words.is_glue(at) {
                true => None,
                false => teller.step(at, edge, importance[at]),
            }
        });
        let told: Vec<Option<(StepKind, String)>> = own.collect();
        let mut steps: Vec<Step> = Vec::new();
        let visits = Visits::of(&words, &told, &importance);
        for (at, own) in before.zip(&told) {
            let (span, frame) = (words.body.edges().get(error.path[at]))
                .map_or((Span::NONE, FrameId::ROOT), |edge| {
                    (edge.span, words.frame(at))
                });
            let own = own.as_ref().map(|(kind, text)| Told {
                span,
                frame,
                kind: *kind,
                text: text.clone(),
                importance: importance[at],
            });
            let glue = visits.told(at);
            let shown = own.into_iter().chain(glue).filter(|t| !t.span.is_none());
            let woven = (words.body.edges().get(error.path[at]))
                .is_some_and(|edge| rules::temporal::is_woven(words.program, words.body, edge));
            for told in shown {
                let step = self.step(error, told);
                match steps.last_mut() {
                    // Several automata follow the same value, each from another statement on.
                    Some(last) if woven && is_same(last, &step) => {
                        last.importance = last.importance.min(step.importance);
                    }
                    _ => steps.push(step),
                }
            }
        }
        steps
    }

    fn step(&self, error: &ErrorPath, told: Told) -> Step {
        let file = self.program.files.get(told.span.file);
        let system = file.is_some_and(|file| file.system);
        let frame = error.composed.as_ref().map(|c| &c.frames[told.frame]);
        Step {
            location: (self.places)(told.span),
            function: self.display(frame.map_or(error.function, |f| f.function)),
            kind: told.kind,
            text: told.text,
            depth: frame.map_or(0, |f| f.depth),
            importance: match system {
                true => Importance::Unimportant,
                false => told.importance,
            },
            values: Vec::new(),
        }
    }
}

impl Explainer<'_> {
    /// Of a refuted path: the steps that contradict each other, and those that they come from.
    fn contradiction(&self, words: &Words<'_>, error: &ErrorPath) -> Vec<Importance> {
        let body = words.body;
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
            let words = Words { path, ..*words };
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

fn is_same(a: &Step, b: &Step) -> bool {
    (&a.location, &a.text, a.depth) == (&b.location, &b.text, b.depth)
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
            let text = match value {
                Some(value) => format!("{} {happened}", words.expr(value)),
                None => happened.to_string(),
            };
            return Some((StepKind::Call, text));
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
                match words.returns(*place) {
                    Some(returns) => (StepKind::Return, format!("{returns} {value}")),
                    None => {
                        let place = words.place(*place);
                        // What is thrown is put where the runtime says, and caught from there.
                        if place.contains("__cxa_allocate_exception(") {
                            return None;
                        }
                        if value.contains("__cxa_begin_catch(") {
                            let text = format!("{place} is what was thrown");
                            return Some((StepKind::Assign, text));
                        }
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
                let fact = match words.fact(*e) {
                    fact if fact.contains(CHOICE) => "as its model allows".to_string(),
                    fact => fact,
                };
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
                match words.runtime(call) {
                    Some("") => return None,
                    Some(text) => return Some((StepKind::Call, text.to_string())),
                    None => {}
                }
                let text = words.call(call);
                let result = call.result.filter(|p| !words.is_temporary(*p));
                let returns = result.and_then(|p| words.returns(p));
                match (call.outcome, result, returns) {
                    (CallOutcome::Unwind, ..) => (StepKind::Call, format!("{text} throws")),
                    (_, _, Some(returns)) => (StepKind::Return, format!("{returns} {text}")),
                    (CallOutcome::Again, ..) => (StepKind::Call, format!("{text} returns again")),
                    (_, Some(p), _) => {
                        let place = words.place(p);
                        (StepKind::Call, format!("{place} = {text}"))
                    }
                    (_, None, _) => (StepKind::Call, text),
                }
            }
            Stmt::LandingPad { .. } => (StepKind::Branch, "an exception is caught".to_string()),
            Stmt::Resume(_) => (StepKind::Call, "the exception is thrown on".to_string()),
        })
    }
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
