//! No run fails: what level 1, refinement and dual analysis can show.
//!
//! All three over-approximate: what they do not see cannot happen. Each takes what the ones before left open.
//!
//! 1. Level 1 on every body, first with states merged, then with all states apart.
//! 2. Refinement (path reduction, §4.1): each path to an open check is judged by level 2; if none is left that the observers of
//!    infeasible ones let pass, the check holds.
//! 3. Dual analysis of `main`: ERR is empty, with nothing guessed.

use crate::whole::Root;
use crate::{Code, Reason, Task};
use automata::hunt::Hunt;
use automata::models::model;
use automata::{Context, Entry, Plan, Verdict};
use dual::execute::Failure;
use dual::program::{Dual, Settings};
use engine::Refined;
use engine::refinement::{self, Limits, refine};
use feasible::Judgement;
use ir::arena::Id;
use ir::{Body, CheckId, EdgeId, FuncId, Program, Stmt};
use logic::Portfolio;
use reduction::Abstraction;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// States of one body at level 1, merged and apart.
const MERGED: usize = 50_000;
const APART: usize = 20_000;

/// Operations of isl for dual analysis.
const OPERATIONS: u64 = 5_000_000;

/// What level 2 may cost for one path, in units of the solver.
pub const SOLVER: u64 = 1_000_000;

/// A check that nobody has proved.
pub struct Open {
    /// Which of the bodies it is in, and which of its checks it is.
    pub root: usize,
    pub check: CheckId,
    /// Paths on which it fails, as far as level 1 knows.
    pub paths: Vec<Vec<EdgeId>>,
    pub reason: Reason,
}

/// Shows that no check of the property fails, and says how; or which are open.
pub fn prove(task: &Task<'_>, code: &Code<'_>, roots: &[Root]) -> Result<&'static str, Vec<Open>> {
    let program = &task.proved;
    let context = context(program, code);
    let mut open = Vec::new();
    let mut apart = false;
    let mut refined = false;
    for (at, root) in roots.iter().enumerate() {
        let asked = checks(task, root);
        if asked.is_empty() {
            continue;
        }
        let mut left = level1(&context, root, &asked, true);
        if !left.is_empty() {
            let again = level1(&context, root, &asked, false);
            // Each of the two may know what the other does not.
            let still: BTreeSet<CheckId> = again.iter().map(|(check, _)| *check).collect();
            left.retain(|(check, _)| still.contains(check));
            for (check, paths) in &mut left {
                let others = again.iter().filter(|(other, _)| other == check);
                paths.extend(others.flat_map(|(_, paths)| paths.clone()));
            }
            apart = true;
        }
        left.retain_mut(|(check, paths)| {
            refined = true;
            let none_left = refuted(task, &context, root, *check, paths);
            !none_left || code.fresh
        });
        open.extend(left.into_iter().map(|(check, paths)| Open {
            root: at,
            check,
            paths,
            reason: reason(root, check),
        }));
    }
    if open.is_empty() {
        return Ok(match (refined, apart) {
            (true, _) => "refinement leaves no path to an error",
            (false, true) => "no abstract state reaches an error, all kept apart",
            (false, false) => "no abstract state reaches an error",
        });
    }
    match catch_unwind(AssertUnwindSafe(|| dual(task, code, roots))) {
        Ok(true) => Ok("dual analysis: there is no input with which a check fails"),
        _ => Err(open),
    }
}

/// What the analyses of level 1 and 2 know of the rest of the program.
pub fn context<'p>(program: &'p Program, code: &Code<'p>) -> Context<'p> {
    let never = program.functions.iter().filter(|(_, f)| {
        let known = model(program.name(f.name)).filter(|_| f.body.is_none());
        f.noreturn && f.body.is_none() || known.is_some_and(|model| !model.returns)
    });
    Context::new(program, code.graph, never.map(|(f, _)| f).collect())
}

/// The checks of a body that the property asks for.
fn checks(task: &Task<'_>, root: &Root) -> Vec<CheckId> {
    let there = root
        .composed
        .body
        .edges()
        .values()
        .filter_map(|edge| match edge.stmt {
            Stmt::Check(check) => Some(check),
            _ => None,
        });
    let asked: BTreeSet<CheckId> = there.filter(|check| is_asked(task, root, *check)).collect();
    asked.into_iter().collect()
}

/// Does the property ask for a check of a body? That is said of the function that has it.
fn is_asked(task: &Task<'_>, root: &Root, check: CheckId) -> bool {
    let (frame, own) = root.composed.check(check);
    is_asked_of(task, root.composed.frames[frame].function, own)
}

fn is_asked_of(task: &Task<'_>, f: FuncId, check: CheckId) -> bool {
    let function = task.proved.functions.get(f);
    let body = function.and_then(|f| f.body.as_ref());
    body.is_none_or(|body| (task.asks)(&task.proved, body, check))
}

pub fn plan(aggregate: bool) -> Plan {
    Plan {
        algorithm: search::Algorithm::Covering,
        aggregate,
        max_states: if aggregate { MERGED } else { APART },
        automata: automata::Options {
            doubts: true,
            ..automata::Options::default()
        },
        scheduled: false,
        only: None,
    }
}

/// The checks that level 1 leaves open, each with a path if it has one.
fn level1(
    context: &Context<'_>,
    root: &Root,
    asked: &[CheckId],
    aggregate: bool,
) -> Vec<(CheckId, Vec<Vec<EdgeId>>)> {
    let body = &root.composed.body;
    let analyze = || {
        automata::analyze(
            context,
            root.function,
            body,
            plan(aggregate),
            &Entry::Anything,
        )
    };
    let Ok(outcome) = catch_unwind(AssertUnwindSafe(analyze)) else {
        return asked.iter().map(|check| (*check, Vec::new())).collect();
    };
    let open = asked
        .iter()
        .filter_map(|check| match outcome.verdicts.get(check.index()) {
            Some(Verdict::Proved | Verdict::Refuted) if !outcome.exhausted => None,
            Some(Verdict::Fails(path) | Verdict::Undecided(Some(path))) => {
                Some((*check, vec![path.clone()]))
            }
            _ => Some((*check, Vec::new())),
        });
    open.collect()
}

/// Is there no path to a check that can be taken? Paths that can be are added.
fn refuted(
    task: &Task<'_>,
    context: &Context<'_>,
    root: &Root,
    check: CheckId,
    paths: &mut Vec<Vec<EdgeId>>,
) -> bool {
    let Some(make) = task.prover else {
        return false;
    };
    let body = &root.composed.body;
    let work = || {
        let mut prover = make();
        let abstraction = Arc::new(Abstraction::new(&context.program.types, body));
        let mut hunt = Hunt::new(context, root.function, body, plan(true));
        let limits = Limits {
            rounds: 60,
            edges: 60_000,
            search: 3000,
            states: 30_000,
            systems: 60,
        };
        let known = std::mem::take(paths);
        let done = refine(
            &mut hunt,
            &abstraction,
            check,
            &known,
            limits,
            // The projection's pruning decides none of the fixtures that are open without it, and costs.
            || None,
            |path| {
                let judged = judge(context, root.function, body, path, &mut prover);
                if judged == refinement::Judged::Other {
                    paths.push(path.to_vec());
                }
                judged
            },
        );
        done.end == Refined::Refuted
    };
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(false)
}

/// Can a path be taken? Infeasible only if nothing on it is approximated in a way that could hide a run.
fn judge(
    context: &Context<'_>,
    f: FuncId,
    body: &Body,
    path: &[EdgeId],
    prover: &mut Portfolio,
) -> refinement::Judged {
    let mut judged = refinement::Judged::Other;
    let paths = [path.to_vec()];
    feasible::judge(
        context,
        f,
        body,
        &paths,
        prover,
        SOLVER,
        |_, path, judgement| {
            if let Judgement::Infeasible(core, _) = judgement {
                let core = core.into_iter().map(|step| step as usize).collect();
                let whole = !path.is_rebased();
                judged = refinement::Judged::Infeasible(whole.then_some(core));
            }
        },
    );
    judged
}

/// Is there no input of `main` with which a check of the property fails?
fn dual(task: &Task<'_>, code: &Code<'_>, roots: &[Root]) -> bool {
    let program = &task.proved;
    let Some(root) = roots.first() else {
        return false;
    };
    let settings = Settings {
        operations: OPERATIONS,
        total: 4 * OPERATIONS,
        ..Settings::default()
    };
    let mut dual = Dual::new(program, code.graph, settings);
    let body = &root.composed.body;
    let called: BTreeSet<FuncId> = roots.iter().skip(1).map(|root| root.function).collect();
    dual.need(&called.into_iter().collect::<Vec<_>>());
    let Ok(outcomes) = dual.body(body) else {
        return false;
    };
    let fails = |failure: &Failure| match *failure {
        Failure::Here(check) => is_asked(task, root, check),
        Failure::Call(_, Some((f, check))) => is_asked_of(task, f, check),
        Failure::Call(_, None) => true,
    };
    !outcomes.guessed && !outcomes.failures.keys().any(fails)
}

/// Where an open check is.
fn reason(root: &Root, check: CheckId) -> Reason {
    let (frame, _) = root.composed.check(check);
    let function = root.composed.frames[frame].function;
    let body = &root.composed.body;
    let is_it = |edge: &&ir::Edge| matches!(edge.stmt, Stmt::Check(c) if c == check);
    let span = body.edges().values().find(is_it).map(|edge| edge.span);
    Reason::of(
        function,
        span,
        "neither a proof that this holds nor a run that fails was found",
    )
}
