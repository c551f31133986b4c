//! A run without an end: one that comes back to a state in which it was before.
//!
//! Inputs are free, so that the way from the state to itself can be taken again and again. Brent's algorithm keeps one state at a
//! time, and takes a later one whenever the number of those that were compared with it has doubled.

use crate::inputs::Values;
use crate::runs::config;
use crate::{Answer, Code, Reason, Task, Verdict};
use automata::models::model;
use interp::{FrameView, Interpreter, Observer, Snapshot};
use ir::{Callee, FuncId, NodeId, Program, Stmt};
use std::collections::BTreeSet;

/// Statements of one try, and of all.
const TRY: u64 = 60_000;
const TRIES: u64 = 5_000_000;

/// Tries at most.
const MOST: usize = 1500;

/// Looks for a run without an end among those with a few inputs.
pub fn search(task: &Task<'_>, code: &Code<'_>) -> Option<Answer> {
    let program = task.run;
    if !forgets(program, code.functions) {
        return None;
    }
    let values = Values::of(program, code.functions);
    let mut left = TRIES;
    for n in 0..MOST {
        let source = values.tried(n);
        let steps = TRY.min(left);
        let watch = Watch::new(program, code.functions);
        let mut interpreter = Interpreter::with_observer(program, config(&source, steps), watch);
        interpreter.run();
        left = left.saturating_sub(steps - interpreter.steps_left().min(steps) + 5000);
        if let Some((function, node)) = interpreter.into_observer().found {
            return Some(Answer {
                verdict: Verdict::False,
                reasons: vec![reason(program, function, node)],
                inputs: source.given(),
            });
        }
        if left == 0 || source.given().is_empty() {
            return None;
        }
    }
    None
}

fn reason(program: &Program, function: FuncId, node: NodeId) -> Reason {
    let body = program
        .functions
        .get(function)
        .and_then(|f| f.body.as_ref());
    let spans = body.into_iter().flat_map(|body| body.out_edges(node));
    let span = spans
        .map(|(_, edge)| edge.span)
        .find(|span| !span.is_none());
    Reason {
        function: Some(function),
        span,
        text: "a run comes back here to the very state that it was in before".to_string(),
    }
}

/// Does all that is called leave nothing behind but what is in the program's memory?
fn forgets(program: &Program, functions: &BTreeSet<FuncId>) -> bool {
    let bodies = functions.iter().filter_map(|f| {
        let function = program.functions.get(*f)?;
        function.body.as_ref()
    });
    let forgets = |stmt: &Stmt| match stmt {
        Stmt::VaStart(_) | Stmt::LandingPad { .. } => false,
        Stmt::Call(call) => match call.callee {
            Callee::Direct(f) => program.functions.get(f).is_some_and(|f| {
                let name = program.name(f.name);
                f.body.is_some()
                    || name.starts_with("__VERIFIER_nondet_")
                    || library::function(name).is_some_and(|f| f.pure || f.prints)
                    || model(name).is_some_and(|model| !model.returns)
            }),
            Callee::Indirect(_) => true,
        },
        _ => true,
    };
    let mut statements = bodies.flat_map(|body| body.edges().values());
    statements.all(|edge| forgets(&edge.stmt))
}

/// Watches the nodes that a loop comes back to.
struct Watch {
    /// Targets of edges that lead back, by function.
    heads: BTreeSet<(FuncId, NodeId)>,
    kept: Option<Snapshot>,
    /// How often the kept state was compared, and how often it will be.
    compared: usize,
    until: usize,
    found: Option<(FuncId, NodeId)>,
}

impl Watch {
    fn new(program: &Program, functions: &BTreeSet<FuncId>) -> Watch {
        let mut heads = BTreeSet::new();
        for &f in functions {
            let Some(body) = program.functions.get(f).and_then(|f| f.body.as_ref()) else {
                continue;
            };
            let components = crate::ranking::loops(body, |_| true);
            for component in components {
                heads.extend(component.into_iter().map(|node| (f, node)));
            }
        }
        Watch {
            heads,
            kept: None,
            compared: 0,
            until: 1,
            found: None,
        }
    }
}

impl Observer for Watch {
    fn visit(&mut self, function: FuncId, node: NodeId, frame: &FrameView<'_, '_>) {
        if self.found.is_some() || !self.heads.contains(&(function, node)) {
            return;
        }
        match &self.kept {
            Some(kept) if frame.is_same(node, kept) => {
                self.found = Some((function, node));
            }
            Some(_) if self.compared < self.until => self.compared += 1,
            _ => {
                self.kept = Some(frame.snapshot(node));
                self.compared = 0;
                self.until *= 2;
            }
        }
    }
}
