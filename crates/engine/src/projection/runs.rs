//! Runs of the program that fail at the check: the only paths of which nothing has to be asked.
//!
//! Where failing runs begin with the program there is little to choose: how many arguments it is given. A few numbers are tried, small ones and those that
//! `main` compares something with; then all others below a limit, if none of the first fails there. A run that stops at the check has turned its loops as often as it had to, however they are
//! nested, which no search for paths does: there each turn is one more path. That no such run is found says nothing.

use super::Lines;
use crate::ErrorPath;
use interp::{Cause, Config, FrameView, Interpreter, Observer, Outcome};
use ir::arena::Id;
use ir::{Body, CallOutcome, CheckId, EdgeId, ExprKind, FuncId, NodeId, Program, Stmt};
use project::Step;
use std::collections::BTreeSet;

/// Statements of one run, and of all.
const STEPS: u64 = 200_000;
const ALL: u64 = 1_000_000;
/// The greatest number of arguments.
const ARGUMENTS: u64 = 64;
/// Numbers that are tried in any case.
const SMALL: u64 = 6;
/// Edges of a path that is shown.
const LONGEST: usize = 4000;

/// A run that fails at the check.
struct Found {
    arguments: u64,
    visits: Vec<Visit>,
}

/// Runs that fail at a check, as far as they are found.
struct Runs<'p> {
    program: &'p Program,
    function: FuncId,
    check: CheckId,
    /// Statements that may still be executed.
    rest: u64,
    found: Vec<Found>,
}

/// The shortest way of a run that begins with `main`, fails as an error does and passes these places; and its number of arguments.
pub(super) fn through(
    program: &Program,
    main: FuncId,
    error: &ErrorPath,
    lines: &Lines<'_>,
) -> Option<(Vec<Step>, u64)> {
    let body = program.functions.get(main)?.body.as_ref()?;
    if !program.is_start(main) {
        return None;
    }
    let mut runs = Runs {
        program,
        function: error.function,
        check: error.own_check(),
        rest: ALL,
        found: Vec::new(),
    };
    if body.params.is_empty() {
        runs.go([1]);
        return runs.through(lines);
    }
    let first = numbers(body);
    let others = (1..=ARGUMENTS).filter(|n| !first.contains(n));
    runs.go(first.iter().copied());
    // What decides may stand in a callee, or be computed.
    runs.through(lines).or_else(|| {
        runs.found.clear();
        runs.go(others);
        runs.through(lines)
    })
}

impl Runs<'_> {
    /// Runs the program with these numbers of arguments, in their order.
    fn go(&mut self, all: impl IntoIterator<Item = u64>) {
        for arguments in all {
            if self.rest == 0 {
                break;
            }
            let (outcome, visits) = run(self.program, arguments, self.rest.min(STEPS));
            self.rest = self.rest.saturating_sub(visits.len() as u64);
            match outcome {
                Outcome::Failed(failure) => {
                    if let Cause::Check { check, .. } = failure.cause
                        && check == self.check
                        && failure.site.function == Some(self.function)
                    {
                        self.found.push(Found { arguments, visits });
                    }
                }
                // Others would not get further.
                Outcome::Stuck { .. } | Outcome::StepLimit { .. } => self.rest /= 2,
                _ => {}
            }
        }
    }

    /// The shortest way of a run that passes these places, and its number of arguments.
    fn through(&self, lines: &Lines<'_>) -> Option<(Vec<Step>, u64)> {
        let ways = self.found.iter().filter_map(|found| {
            let way = way(self.program, &found.visits, self.check, lines)?;
            (way.len() <= LONGEST).then_some((way, found.arguments))
        });
        ways.min_by_key(|(way, _)| way.len())
    }
}

/// Numbers of arguments that are likely to make a difference, the program's name among them.
fn numbers(body: &Body) -> BTreeSet<u64> {
    let mut all: BTreeSet<u64> = (1..=SMALL).collect();
    for expr in body.exprs.values() {
        if let ExprKind::Int(n) = expr.kind
            && let Ok(n) = u64::try_from(n)
        {
            all.extend([n.saturating_sub(1), n, n.saturating_add(1)]);
        }
    }
    all.retain(|n| (1..=ARGUMENTS).contains(n));
    all
}

fn run(program: &Program, arguments: u64, steps: u64) -> (Outcome, Vec<Visit>) {
    let mut args = vec!["a.out".to_string()];
    args.extend((1..arguments).map(|_| "a".to_string()));
    let config = Config {
        args,
        step_limit: steps,
        call_depth: 1000,
        memory_limit: 1 << 26,
        ..Config::default()
    };
    let recorder = Recorder {
        program,
        visits: Vec::new(),
    };
    let mut run = Interpreter::with_observer(program, config, recorder);
    let outcome = run.run();
    (outcome, run.into_observer().visits)
}

/// A node that a run came to.
#[derive(Clone, Copy)]
struct Visit {
    function: FuncId,
    node: NodeId,
    /// Calls, the outermost is 0.
    depth: usize,
    /// The only edge whose condition holds, where some are there to choose from.
    taken: Option<EdgeId>,
}

struct Recorder<'p> {
    program: &'p Program,
    visits: Vec<Visit>,
}

impl Observer for Recorder<'_> {
    fn visit(&mut self, function: FuncId, node: NodeId, frame: &FrameView<'_, '_>) {
        let body = self.program.functions.get(function);
        let body = body.and_then(|f| f.body.as_ref());
        self.visits.push(Visit {
            function,
            node,
            depth: frame.depth().saturating_sub(1),
            taken: body.and_then(|body| taken(body, node, frame)),
        });
    }
}

/// Both edges of a branch can lead to one node: then the node that the run comes to next does not tell which it took.
fn taken(body: &Body, node: NodeId, frame: &FrameView<'_, '_>) -> Option<EdgeId> {
    let edges = || body.out_edges(node);
    if edges().all(|(id, edge)| edges().all(|(other, e)| other == id || e.to != edge.to)) {
        return None;
    }
    let mut open = edges().filter(|(_, edge)| match edge.stmt {
        Stmt::Assume(condition) => {
            let value = frame.eval(condition).and_then(|value| value.scalar());
            value.is_none_or(|value| value.undef & 1 != 0 || value.bits & 1 != 0)
        }
        // Who comes to a `setjmp` returns from it for the first time.
        Stmt::Call(ref call) => call.outcome != CallOutcome::Again,
        _ => true,
    });
    let (only, _) = open.next()?;
    open.next().is_none().then_some(only)
}

/// A call on the way of a run.
struct Called {
    by: Option<usize>,
    /// It is shown: it passes the places, or has not come back.
    shown: bool,
}

/// The edges of a run, without the calls that came back and have nothing to do with these places; none if it does not pass
/// them.
fn way(
    program: &Program,
    visits: &[Visit],
    check: CheckId,
    lines: &Lines<'_>,
) -> Option<Vec<Step>> {
    let mut calls: Vec<Called> = Vec::new();
    // The calls under way: which, and the step that each is at.
    let mut stack: Vec<(usize, usize)> = Vec::new();
    let mut steps: Vec<(usize, Step)> = Vec::new();
    let mut known: Vec<bool> = Vec::new();
    for visit in visits {
        let body = program.functions.get(visit.function)?.body.as_ref()?;
        stack.truncate(visit.depth + 1);
        let back = stack.len() == visit.depth + 1;
        if let (true, Some((_, last))) = (back, stack.last().copied())
            && let (Some((_, step)), Some(known)) = (steps.get_mut(last), known.get_mut(last))
        {
            // Whoever is called twice in one step is called by the library: that is no path of the program.
            if step.function != visit.function {
                return None;
            }
            let from = visits.get(last)?;
            let mut there = body
                .out_edges(from.node)
                .filter(|(_, e)| e.to == visit.node);
            let (edge, _) = there.next()?;
            // Of two that lead there it is the one whose condition held, if that is known.
            let edge = match there.next() {
                Some(_) => from.taken?,
                None => edge,
            };
            (step.edge, *known) = (edge, true);
        }
        if !back {
            let by = stack.last().map(|(call, _)| *call);
            if stack.len() != visit.depth {
                return None;
            }
            calls.push(Called { by, shown: false });
            stack.push((calls.len() - 1, 0));
        }
        let (call, at) = stack.last_mut()?;
        *at = steps.len();
        let (function, depth) = (visit.function, visit.depth);
        let edge = EdgeId::from_index(0);
        let step = Step {
            function,
            edge,
            depth,
        };
        steps.push((*call, step));
        known.push(false);
    }
    // Those that have not come back are at their calls, and the last is at the check.
    let innermost = stack.len().checked_sub(1)?;
    for (i, (call, at)) in stack.iter().enumerate() {
        let visit = visits.get(*at)?;
        let body = program.functions.get(visit.function)?.body.as_ref()?;
        let is_it = |stmt: &Stmt| match stmt {
            Stmt::Check(c) => i == innermost && *c == check,
            Stmt::Call(_) => i < innermost,
            _ => false,
        };
        let (edge, _) = body.out_edges(visit.node).find(|(_, e)| is_it(&e.stmt))?;
        steps.get_mut(*at)?.1.edge = edge;
        *known.get_mut(*at)? = true;
        calls.get_mut(*call)?.shown = true;
    }
    let mut passed = false;
    for ((call, step), known) in steps.iter().zip(&known) {
        if *known && super::through::is_there(program, (step.function, step.edge), lines) {
            passed = true;
            let mut at = Some(*call);
            while let Some(call) = at.and_then(|i| calls.get_mut(i)).filter(|c| !c.shown) {
                call.shown = true;
                at = call.by;
            }
        }
    }
    let shown = |call: &usize| calls.get(*call).is_some_and(|call| call.shown);
    let steps = steps.into_iter().zip(known);
    let steps = steps.filter(|((call, _), known)| *known && shown(call));
    passed.then(|| steps.map(|((_, step), _)| step).collect())
}
