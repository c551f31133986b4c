//! Level 2 against the interpreter, on random paths of random programs: a path that level 2 holds to be
//! feasible fails in the interpreter with the values of the solution, and a path that a run takes
//! is never held to be infeasible.

use automata::Context;
use feasible::{Judgement, judge, script::script};
use interp::replay::{Replayed, Replayer};
use ir::{Body, CallGraph, EdgeId, NodeId, Program, Stmt};
use logic::Portfolio;
use logic::smt::{Patience, Session, z3};
use random_cfa::{Rng, Size};
use std::path::PathBuf;

const PROGRAMS: u64 = 1500;
const PATHS: usize = 12;
const LONGEST: usize = 80;

/// Z3 where `./x` puts it: beside the profiles of the target directory.
fn library() -> z3::Library {
    let exe = std::env::current_exe().unwrap();
    let candidates: Vec<PathBuf> = exe
        .ancestors()
        .map(|d| d.join("z3/libz3.so"))
        .chain(std::env::var_os("RIGEL_Z3").map(PathBuf::from))
        .collect();
    z3::load(&candidates).expect("Z3 is needed: run ./x setup")
}

/// A random walk from the entry, cut after a check; none if there is none on the way.
fn walk(body: &Body, rng: &mut Rng) -> Option<Vec<EdgeId>> {
    let mut at: NodeId = body.entry;
    let mut path = Vec::new();
    let mut checks = Vec::new();
    while path.len() < LONGEST {
        let edges: Vec<EdgeId> = body.out_edges(at).map(|(id, _)| id).collect();
        if edges.is_empty() {
            break;
        }
        let edge = edges[rng.below(edges.len() as u32) as usize];
        path.push(edge);
        if matches!(body.edges()[edge].stmt, Stmt::Check(_)) {
            checks.push(path.len());
        }
        at = body.edges()[edge].to;
    }
    if checks.is_empty() {
        return None;
    }
    path.truncate(checks[rng.below(checks.len() as u32) as usize]);
    Some(path)
}

#[derive(Debug, Default)]
struct Tally {
    feasible: usize,
    infeasible: usize,
    undecided: usize,
    confirmed: usize,
    stuck: usize,
    /// Diverged, with something on the path that level 2 does not compute.
    inexact: usize,
}

fn one(program: &Program, seed: u64, tally: &mut Tally) {
    let graph = CallGraph::new(program);
    let context = Context::new(program, &graph, Vec::new());
    let library = library();
    let mut rng = Rng::new(seed);
    let mut replayer = Replayer::new(program);
    for (f, _, body) in program.bodies() {
        let paths: Vec<Vec<EdgeId>> = (0..PATHS).filter_map(|_| walk(body, &mut rng)).collect();
        let library = library.clone();
        let mut prover = Portfolio::new(Box::new(move || {
            Ok(Box::new(Session::new(
                library.solver(),
                Patience::default(),
            )))
        }));
        judge(
            &context,
            f,
            body,
            &paths,
            &mut prover,
            3_000_000,
            |i, path, judgement| match judgement {
                Judgement::Infeasible(core, _) => {
                    assert!(core.iter().all(|s| (*s as usize) < paths[i].len()));
                    tally.infeasible += 1;
                }
                Judgement::Undecided(_) => tally.undecided += 1,
                Judgement::Feasible(model) => {
                    tally.feasible += 1;
                    let Ok(script) = script(path, &model, &paths[i]) else {
                        tally.stuck += 1;
                        return;
                    };
                    let name = program.function_name(f);
                    match replayer.replay(&script) {
                        Replayed::Confirmed => tally.confirmed += 1,
                        Replayed::Stuck { .. } => tally.stuck += 1,
                        Replayed::Diverged { step, why } => {
                            let a = path.approximations;
                            assert!(
                                a.opaque > 0 || a.splits_dropped > 0,
                                "seed {seed}, {name}, step {step} of {}: {why}\n{}\n{script:#?}",
                                paths[i].len(),
                                in_words(program, f, body, &paths[i]),
                            );
                            tally.inexact += 1;
                        }
                    }
                }
            },
        );
    }
}

fn in_words(program: &Program, f: ir::FuncId, body: &Body, path: &[EdgeId]) -> String {
    let printer = ir::text::Printer::new(program);
    let line = |(i, e): (usize, &EdgeId)| {
        let stmt = &body.edges()[*e].stmt;
        format!("{i}: {}\n", printer.stmt(f, body, stmt))
    };
    path.iter().enumerate().map(line).collect()
}

#[test]
fn what_is_feasible_fails_in_the_interpreter() {
    let mut tally = Tally::default();
    for seed in 0..PROGRAMS {
        let program = random_cfa::program(seed, Size::MEDIUM);
        one(&program, seed, &mut tally);
    }
    println!("{tally:?}");
    // So that the test does not come to test nothing.
    assert!(tally.confirmed > 1000, "{tally:?}");
    assert!(tally.infeasible > 1000, "{tally:?}");
    assert!(tally.undecided * 20 < tally.feasible, "{tally:?}");
    assert!(tally.inexact * 4 < tally.confirmed, "{tally:?}");
}
