//! Runs of the interpreter, from `main` on.
//!
//! A run that stops at a check of the property is the proof that it does not hold: nothing is abstract in it. A run counts only if
//! nothing without a meaning happened before: all checks are in the program, and the first that fails decides. Memory is never
//! used up, as verification tasks have it: a run in which it was proves nothing.

use crate::inputs::{Source, Values};
use crate::{Answer, Code, Goal, Reason, Task, Verdict, obstacles};
use automata::models::{Gives, model};
use interp::{Cause, Config, Failure, FaultKind, Interpreter, Kind, Outcome};
use ir::walk::Item;
use ir::{Callee, Condition, ExprKind, FuncId, Intrinsic, Program, Stmt};
use std::collections::BTreeSet;

/// Statements of the only run of a program, and of one with inputs that should violate the property.
const ONLY: u64 = 50_000_000;
const LONG: u64 = 5_000_000;

/// Statements of one try, and of all: before a proof is sought, and after that.
const TRY: u64 = 400_000;
pub const FIRST: u64 = 3_000_000;
pub const LAST: u64 = 20_000_000;

/// Tries at most.
const MOST: usize = 4000;

/// What became of the only run.
pub enum Only {
    Holds,
    Fails(Answer),
    /// There are others, or it has no end in sight.
    Unclear,
}

/// Runs a program that has no inputs.
pub fn only(task: &Task<'_>, code: &Code<'_>) -> Only {
    let program = task.run;
    if code.doubtful || !is_determined(program, code.main, code.functions) {
        return Only::Unclear;
    }
    let values = Values::of(program, &BTreeSet::new());
    let ran = run(program, &values.exactly(&[]), ONLY);
    if !ran.inputs.is_empty() || ran.refused {
        return Only::Unclear;
    }
    match (&ran.outcome, task.goal) {
        // What is left at the end was lost on the way, or not: nobody asks.
        (Outcome::Exit(_), Goal::Memory) if ran.left > 0 => Only::Unclear,
        // Whether the result of a signed left shift fits is no check.
        (Outcome::Exit(_) | Outcome::Aborted { .. }, Goal::Arithmetic) if shifts(task, code) => {
            Only::Unclear
        }
        (Outcome::Exit(_), _) => Only::Holds,
        (Outcome::Aborted { .. }, Goal::Checks | Goal::Arithmetic | Goal::End) => Only::Holds,
        _ => match violation(task, &ran) {
            Some(answer) => Only::Fails(answer),
            None => Only::Unclear,
        },
    }
}

fn shifts(task: &Task<'_>, code: &Code<'_>) -> bool {
    let functions = code.functions.iter();
    let mut bodies = functions.filter_map(|f| task.run.functions.get(*f)?.body.as_ref());
    bodies.any(|body| obstacles::shifts(task.run, body))
}

/// Runs with these inputs.
pub fn with(task: &Task<'_>, inputs: &[Vec<u64>]) -> Option<Answer> {
    let values = Values::of(task.run, &BTreeSet::new());
    let mut all = inputs.iter();
    all.find_map(|inputs| violation(task, &run(task.run, &values.exactly(inputs), LONG)))
}

/// Tries inputs, for so many statements.
pub fn search(task: &Task<'_>, code: &Code<'_>, steps: u64) -> Option<Answer> {
    let program = task.run;
    let values = Values::of(program, code.functions);
    let mut left = steps;
    for n in 0..MOST {
        let ran = run(program, &values.tried(n), TRY.min(left));
        if let Some(answer) = violation(task, &ran) {
            return Some(answer);
        }
        left = left.saturating_sub(ran.steps + STARTING);
        // Without inputs every run is the same.
        if left == 0 || ran.inputs.is_empty() {
            return None;
        }
    }
    None
}

/// To start a run costs as much as so many statements.
const STARTING: u64 = 5000;

/// What a run came to.
struct Ran {
    outcome: Outcome,
    inputs: Vec<u64>,
    steps: u64,
    /// Memory was used up.
    refused: bool,
    /// Objects that were allocated and never freed.
    left: usize,
}

fn run(program: &Program, source: &Source, steps: u64) -> Ran {
    let config = config(source, steps);
    let mut interpreter = Interpreter::new(program, config);
    let outcome = interpreter.run();
    Ran {
        outcome,
        inputs: source.given(),
        steps: steps - interpreter.steps_left().min(steps),
        refused: interpreter.memory().has_refused(),
        left: interpreter.memory().living(Kind::Heap),
    }
}

/// A run with these inputs, and so many statements.
pub fn config(source: &Source, steps: u64) -> Config<'static> {
    Config {
        step_limit: steps,
        call_depth: 10_000,
        memory_limit: 1 << 28,
        oracle: Box::new(source.clone()),
        ..Config::default()
    }
}

/// Does the run violate the property?
fn violation(task: &Task<'_>, ran: &Ran) -> Option<Answer> {
    let Outcome::Failed(failure) = &ran.outcome else {
        return None;
    };
    if ran.refused || !is_asked(task, failure) {
        return None;
    }
    let text = match failure.detail.as_str() {
        "" => "a run fails here".to_string(),
        seen => format!("a run fails here: {seen}"),
    };
    let reason = Reason {
        function: failure.site.function,
        span: Some(failure.site.span),
        text,
    };
    Some(Answer {
        verdict: Verdict::False,
        reasons: vec![reason],
        inputs: ran.inputs.clone(),
    })
}

fn is_asked(task: &Task<'_>, failure: &Failure) -> bool {
    match failure.cause {
        Cause::Check { check, .. } => {
            let function = failure.site.function;
            let function = function.and_then(|f| task.run.functions.get(f));
            let body = function.and_then(|f| f.body.as_ref());
            body.is_some_and(|body| {
                let condition = body.checks.get(check).map(|check| &check.condition);
                let of_size = matches!(condition, Some(Condition::InBounds { .. }));
                (task.asks)(task.run, body, check) && (!of_size || knows_sizes(task))
            })
        }
        Cause::Fault(kind) => {
            task.goal == Goal::Memory
                && (kind != FaultKind::OutOfBounds || knows_sizes(task))
                && matches!(
                    kind,
                    FaultKind::NullAccess
                        | FaultKind::WildAccess
                        | FaultKind::OutOfBounds
                        | FaultKind::UseAfterFree
                        | FaultKind::UseAfterScope
                        | FaultKind::DoubleFree
                        | FaultKind::InvalidFree
                )
        }
    }
}

/// Is an object that is too small one on the machine that is meant? Where sizes differ, programs ask for what is
/// enough there.
fn knows_sizes(task: &Task<'_>) -> bool {
    let mut functions = task.run.functions.values();
    let allocates = |name: &str| {
        let gives = model(name).map(|model| model.gives);
        matches!(gives, Some(Gives::Memory { .. } | Gives::PointerOrNull))
    };
    task.sizes || !functions.any(|f| f.body.is_none() && allocates(task.run.name(f.name)))
}

/// Has the program one run only? It has if nothing in it depends on what is outside, nor on addresses.
fn is_determined(program: &Program, main: FuncId, functions: &BTreeSet<FuncId>) -> bool {
    let bodies = functions.iter().filter_map(|f| {
        let function = program.functions.get(*f)?;
        function.body.as_ref()
    });
    let takes_arguments = program.functions.get(main).is_none_or(|f| {
        let body = f.body.as_ref();
        body.is_none_or(|body| !body.params.is_empty())
    });
    if takes_arguments {
        return false;
    }
    let calls_known = |name: &str| {
        let determined = library::function(name).is_some_and(|f| f.determined);
        determined || model(name).is_some_and(|model| !model.returns)
    };
    for body in bodies {
        let is_known = |stmt: &Stmt| match stmt {
            Stmt::Havoc { .. } | Stmt::LandingPad { .. } => false,
            Stmt::Call(call) => match call.callee {
                Callee::Direct(f) => program.functions.get(f).is_some_and(|function| {
                    function.body.is_some() || calls_known(program.name(function.name))
                }),
                Callee::Indirect(_) => true,
            },
            _ => true,
        };
        if !body.edges().values().all(|edge| is_known(&edge.stmt)) {
            return false;
        }
        let mut depends = obstacles::asks_addresses(program, body);
        ir::walk::used_by_program(body, &mut |item| match item {
            Item::Expr(e) => {
                let e = &body.exprs[e];
                // Somebody else may write it at any time.
                depends |= matches!(e.kind, ExprKind::Intrinsic(Intrinsic::Volatile, _));
            }
            Item::Place(p) => {
                // Declared only: somebody else says what it holds.
                if let ir::Base::Global(g) = body.places[p].base {
                    depends |= program.globals.get(g).is_none_or(|g| g.init.is_none());
                }
            }
        });
        if depends {
            return false;
        }
    }
    true
}
