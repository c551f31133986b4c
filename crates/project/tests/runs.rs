//! The projection against the interpreter, on random programs: a run that fails passes no node outside the projection of the check
//! that it fails at, and the facts that it has on its way are among those of the projection's stores.

use automata::{Context, Entry, Options, Plan};
use interp::chance::{Chance, arguments};
use interp::{Cause, Config, FrameView, Interpreter, Observer};
use ir::{CallGraph, CheckId, Condition, FuncId, NodeId, Program};
use project::{Analysis, Limits, Model, Question};
use random_cfa::{Rng, Size};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const PROGRAMS: u64 = 600;
/// Calls of every function.
const CALLS: u32 = 4;
/// Checks of one program that are projected.
const CHECKS: usize = 3;

#[derive(Default)]
struct Tally {
    runs: usize,
    projections: usize,
    /// With something outside, of what level 1 reaches.
    narrow: usize,
    across: usize,
    witnesses: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn add(mut self, other: Tally) -> Tally {
        self.runs += other.runs;
        self.projections += other.projections;
        self.narrow += other.narrow;
        self.across += other.across;
        self.witnesses += other.witnesses;
        self.wrong.extend(other.wrong);
        self
    }
}

/// The nodes that a run visits, in order.
#[derive(Default)]
struct Visited(Vec<(FuncId, NodeId)>);

impl Observer for Visited {
    fn visit(&mut self, f: FuncId, node: NodeId, _: &FrameView<'_, '_>) {
        self.0.push((f, node));
    }
}

fn plan() -> Plan {
    Plan {
        algorithm: search::Algorithm::Covering,
        aggregate: true,
        max_states: 2_000,
        scheduled: false,
        only: None,
        automata: Options::default(),
    }
}

/// A check that fails: the function that the run began in, and the check's own.
type Failing = (FuncId, FuncId, CheckId);

/// Runs every function, and keeps the runs that fail at a check.
fn failing_runs(program: &Program, seed: u64) -> BTreeMap<Failing, Vec<Vec<(FuncId, NodeId)>>> {
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut all: BTreeMap<Failing, Vec<Vec<(FuncId, NodeId)>>> = BTreeMap::new();
    for f in program.functions.ids() {
        for _ in 0..CALLS {
            let config = Config {
                step_limit: 5_000,
                oracle: {
                    let mut own = Rng::new(rng.bits());
                    Box::new(Chance(move || own.bits()))
                },
                ..Config::default()
            };
            let mut interpreter = Interpreter::with_observer(program, config, Visited::default());
            let args = arguments(program, &interpreter, f, || rng.bits());
            let end = interpreter.call(f, args).err();
            let visited = interpreter.into_observer().0;
            if let Some(interp::Outcome::Failed(failure)) = end
                && let Cause::Check { check, .. } = failure.cause
                && let Some(at) = failure.site.function
                && is_known(program, f, at, check, &visited)
            {
                all.entry((f, at, check)).or_default().push(visited);
            }
        }
    }
    all
}

/// Level 1 takes what a function is handed to be written: a run that was handed something else is none of its runs.
fn is_known(
    program: &Program,
    root: FuncId,
    at: FuncId,
    check: CheckId,
    visited: &[(FuncId, NodeId)],
) -> bool {
    let body = program.functions[at].body.as_ref();
    let condition = body.map(|b| &b.checks[check].condition);
    let alone =
        visited.iter().all(|(f, _)| *f == root) && body.is_some_and(|b| b.params.is_empty());
    alone || !matches!(condition, Some(Condition::Initialized(_)))
}

fn examine(seed: u64) -> Tally {
    let size = match seed % 2 {
        0 => Size::MEDIUM,
        _ => Size::SMALL,
    };
    let program = match seed % 3 {
        0 => random_cfa::recursive_program(seed, size),
        _ => random_cfa::program(seed, size),
    };
    if std::env::var("RIGEL_SEED").is_ok() {
        println!("{}", ir::text::print(&program));
    }
    let graph = CallGraph::new(&program);
    let context = Context::new(&program, &graph, Vec::new());
    for component in graph.components() {
        for &f in component {
            if let Some(body) = &program.functions[f].body {
                let outcome = automata::analyze(&context, f, body, plan(), &Entry::Anything);
                context.summaries.set(f, outcome.summary);
            }
        }
    }
    let mut tally = Tally::default();
    for ((root, function, check), runs) in failing_runs(&program, seed).into_iter().take(CHECKS) {
        let question = Question {
            root,
            function,
            check,
            path: &[],
            learnt: &[],
        };
        let model = Model::new(&context, plan(), &question, &Limits::default());
        // Where states were too many, nothing is promised.
        if model.open.cut || !model.open.exhausted.is_empty() {
            continue;
        }
        let Ok(analysis) = Analysis::new(&model) else {
            continue;
        };
        tally.projections += 1;
        tally.across += usize::from(root != function);
        let inside: Vec<Vec<bool>> = (0..model.functions.len())
            .map(|i| analysis.nodes(i))
            .collect();
        let reached = |i: usize| model.functions[i].nodes.iter().map(Option::is_some);
        let narrow = (0..inside.len()).any(|i| reached(i).zip(&inside[i]).any(|(r, i)| r && !i));
        tally.narrow += usize::from(narrow);
        for visited in &runs {
            tally.runs += 1;
            let outside = visited.iter().find(|(f, node)| {
                let at = model.functions.iter().position(|e| e.function == *f);
                at.is_some_and(|i| !inside[i][node.0 as usize])
            });
            if let Some((f, node)) = outside {
                let name = program.function_name(*f);
                tally.wrong.push(format!(
                    "seed {seed}: a run from {} fails at {} {check:?} and passes {name} {node:?}, which is outside",
                    program.function_name(root),
                    program.function_name(function),
                ));
                return tally;
            }
        }
        witnesses(&model, &analysis, &question, &mut tally, seed);
    }
    tally
}

/// Every edge inside has a witness that passes it, begins at the root's entry, ends at the check, and whose steps follow each other.
fn witnesses(
    model: &Model,
    analysis: &Analysis<'_>,
    question: &Question<'_>,
    tally: &mut Tally,
    seed: u64,
) {
    for (i, entered) in model.functions.iter().enumerate() {
        let edges = analysis.edges(i);
        let inside = entered.body.edges().ids().filter(|e| edges[e.0 as usize]);
        for edge in inside.take(10) {
            let steps = match analysis.witness(i, &[edge]) {
                Ok(Some(steps)) => steps,
                other => {
                    tally
                        .wrong
                        .push(format!("seed {seed}: {edge:?} is inside, and {other:?}"));
                    return;
                }
            };
            tally.witnesses += 1;
            let passes = steps
                .iter()
                .any(|s| s.function == entered.function && s.edge == edge);
            let begins = steps
                .first()
                .is_some_and(|s| s.function == question.root && s.depth == 0);
            let ends = steps
                .last()
                .is_some_and(|s| s.function == question.function);
            let mut tops: Vec<NodeId> = Vec::new();
            let mut follows = true;
            for step in &steps {
                let at = model
                    .functions
                    .iter()
                    .position(|e| e.function == step.function);
                let Some(body) = at.map(|i| &model.functions[i].body) else {
                    follows = false;
                    break;
                };
                let own = &body.edges()[step.edge];
                if step.depth >= tops.len() {
                    follows &= step.depth == tops.len() && own.from == body.entry;
                    tops.push(own.to);
                } else {
                    tops.truncate(step.depth + 1);
                    follows &= tops[step.depth] == own.from;
                    tops[step.depth] = own.to;
                }
            }
            if !(passes && begins && ends && follows) {
                tally.wrong.push(format!(
                    "seed {seed}: the witness through {edge:?} passes {passes}, begins {begins}, ends {ends}, follows {follows}"
                ));
                return;
            }
        }
    }
}

fn fenced(seed: u64) -> Tally {
    std::panic::catch_unwind(|| examine(seed)).unwrap_or_else(|_| Tally {
        wrong: vec![format!("seed {seed}: panic")],
        ..Tally::default()
    })
}

#[test]
fn failing_runs_stay_inside() {
    // RIGEL_SEED=n looks at one program, and prints it; RIGEL_PROGRAMS=n looks at more.
    let setting = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    let seeds = match (setting("RIGEL_SEED"), setting("RIGEL_PROGRAMS")) {
        (Some(seed), _) => seed..seed + 1,
        (None, more) => 0..more.unwrap_or(PROGRAMS),
    };
    let programs = seeds.end - seeds.start;
    let tally = seeds
        .into_par_iter()
        .map(fenced)
        .reduce(Tally::default, Tally::add);
    println!(
        "{programs} programs: {} projections, {} with something outside, {} across functions; {} failing runs, {} witnesses",
        tally.projections, tally.narrow, tally.across, tally.runs, tally.witnesses
    );
    let all: BTreeSet<&String> = tally.wrong.iter().collect();
    for wrong in all.iter().take(30) {
        println!("{wrong}");
    }
    assert!(all.is_empty(), "{} violations", all.len());
    if programs >= PROGRAMS {
        assert!(
            tally.projections as u64 * 3 >= programs,
            "too few projections"
        );
        assert!(
            tally.narrow * 4 >= tally.projections,
            "projections leave nothing out"
        );
        assert!(tally.across > 0);
    }
}
