//! Theorems 1 to 3 of the paper, on random machines, automata and edits.
//!
//! 500 cases each; `INTER_CASES=20000 cargo nextest run --cargo-profile fast -p inter theorem` is the long run
//! (ten to twenty minutes).

mod common;

use common::{Automaton, Checker, Program, Random, cases, oracle};
use inter::{
    Analysis, Changes, Graph, Limits, Paths, full, incremental_backward, incremental_forward,
};
use std::collections::BTreeSet;

const NO_LIMITS: Limits = Limits { contexts: None };

fn subset<T: Ord + std::fmt::Debug>(small: Vec<T>, large: Vec<T>, what: &str) {
    let large: BTreeSet<T> = large.into_iter().collect();
    for element in small {
        assert!(large.contains(&element), "{what}: {element:?} is missing");
    }
}

/// Everything that is in the first graph is in the second.
fn contained(small: &Graph<u16>, large: &Graph<u16>) {
    assert_eq!(small.functions.len(), large.functions.len());
    for (a, b) in small.functions.iter().zip(&large.functions) {
        assert_eq!(a.shape, b.shape);
        subset(a.triples(), b.triples(), "configuration");
        subset(a.derivations(), b.derivations(), "derivation");
        subset(a.summary_pairs(), b.summary_pairs(), "summary");
    }
}

fn shortest(analysis: &Analysis<u16>) -> Vec<Option<inter::Path<u16>>> {
    let paths = Paths::new(&analysis.graph);
    let errors = analysis.errors.iter();
    errors.map(|error| paths.to(error, 1 << 20)).collect()
}

#[derive(Default)]
struct Tally {
    edits: u64,
    errors: u64,
    full: u64,
    forward: u64,
    backward: u64,
    surplus: u64,
    merged: u64,
}

/// Theorems 2 and 3 along a random sequence of edits.
fn edits(seed: u64, tally: &mut Tally) {
    let mut random = Random(seed << 20);
    let mut program = Program::random(&mut random);
    let automaton = Automaton::random(&mut random);
    let mut limits = Limits {
        contexts: random.chance(2).then(|| 1 + random.below(3) as usize),
    };
    let machine = program.build();
    let checker = Checker {
        machine: &machine,
        automaton,
    };
    let mut forward = full(&machine, &checker, limits);
    let mut backward = forward.clone();
    for _ in 0..1 + random.below(20) {
        for _ in 0..1 + random.below(3) {
            program.edit(&mut random);
        }
        if limits.contexts.is_some() && random.chance(20) {
            limits.contexts = Some(1 + random.below(3) as usize);
        }
        let machine = program.build();
        let checker = Checker {
            machine: &machine,
            automaton,
        };
        let fresh = full(&machine, &checker, limits);
        let from_surplus = incremental_forward(&machine, &checker, limits, &backward);
        forward = incremental_forward(&machine, &checker, limits, &forward);
        backward = incremental_backward(&machine, &checker, limits, &backward);

        // Theorem 2, up to ids; whatever graph it starts from.
        assert_eq!(forward.rounds(), fresh.rounds());
        assert_eq!(from_surplus.rounds(), fresh.rounds());
        assert_eq!(forward.errors, fresh.errors);
        assert!(forward.counts.transitions() <= fresh.counts.transitions());
        assert_eq!(forward.counts.configurations, fresh.counts.configurations);
        // Theorem 3.
        assert_eq!(backward.errors, fresh.errors);
        assert_eq!(backward.rounds().len(), fresh.rounds().len());
        assert_eq!(backward.graph.plan, fresh.graph.plan);
        contained(&fresh.graph, &backward.graph);
        assert_eq!(shortest(&backward), shortest(&fresh));

        // Nothing changed: nothing is computed, and IncrBack does not even look at a function.
        let again = incremental_forward(&machine, &checker, limits, &forward);
        assert_eq!(again.counts.transitions(), 0);
        assert_eq!(again.rounds(), fresh.rounds());
        let again = incremental_backward(&machine, &checker, limits, &backward);
        assert_eq!(again.counts.transitions(), 0);
        assert_eq!(again.errors, fresh.errors);
        if again.rounds().len() == 1 {
            assert_eq!(again.counts.functions, 0);
        }

        tally.edits += 1;
        tally.errors += fresh.errors.len() as u64;
        tally.full += fresh.counts.transitions();
        tally.forward += forward.counts.transitions();
        tally.backward += backward.counts.transitions();
        tally.merged += fresh.graph.plan.len() as u64;
        let surplus = backward.graph.configurations() - fresh.graph.configurations();
        tally.surplus += u64::from(surplus > 0);
    }
}

#[test]
fn theorems_2_and_3() {
    let mut tally = Tally::default();
    for seed in 0..cases(500) {
        edits(seed, &mut tally);
    }
    println!(
        "{} edits, {} errors, {} functions merged, {} graphs with surplus; transitions: {} full, {} forward, {} backward",
        tally.edits,
        tally.errors,
        tally.merged,
        tally.surplus,
        tally.full,
        tally.forward,
        tally.backward
    );
    // The cases are worth something.
    assert!(tally.errors > tally.edits);
    assert!(tally.merged > tally.edits / 50);
    assert!(tally.surplus > tally.edits / 50);
    assert!(tally.forward < tally.full / 2);
    assert!(tally.backward < tally.full / 2);
}

/// Deleting edges needs no transition at all.
#[test]
fn deletions_compute_nothing_forward() {
    for seed in 0..cases(500) {
        let mut random = Random(seed << 20 | 1);
        let mut program = Program::random(&mut random);
        let automaton = Automaton::random(&mut random);
        let machine = program.build();
        let checker = Checker {
            machine: &machine,
            automaton,
        };
        let before = full(&machine, &checker, NO_LIMITS);
        let at = random.below(program.drafts.len() as u32) as usize;
        let draft = program.drafts[at].as_mut().expect("all are there");
        let edge = random.below(draft.edges.len() as u32) as usize;
        draft.edges.remove(edge);
        let machine = program.build();
        let checker = Checker {
            machine: &machine,
            automaton,
        };
        // Laying the versions over each other may take one of two equal edges for the other, and
        // then something is computed; here only what is certain is asserted.
        let changes = Changes::between(&before.graph, &machine);
        let certain = changes.iter().all(|(_, change)| match change {
            inter::FunctionChange::Edited(c) => {
                c.added.is_empty()
                    && c.modified.is_empty()
                    && c.old_node
                        .iter()
                        .enumerate()
                        .all(|(new, old)| old.is_none_or(|old| old.0 as usize == new))
            }
            _ => true,
        });
        let after = incremental_forward(&machine, &checker, NO_LIMITS, &before);
        assert_eq!(after.rounds(), full(&machine, &checker, NO_LIMITS).rounds());
        if certain {
            assert_eq!(after.counts.transitions(), 0, "seed {seed}");
        }
    }
}

/// Theorem 1: against explicit executions, and against pre* of a pushdown system.
#[test]
fn theorem_1() {
    let mut complete_cases = 0;
    let mut rejections = 0;
    for seed in 0..cases(500) {
        let mut random = Random(seed << 20 | 2);
        let program = Program::random(&mut random);
        let automaton = Automaton::random(&mut random);
        let machine = program.build();
        let checker = Checker {
            machine: &machine,
            automaton,
        };
        let analysis = full(&machine, &checker, NO_LIMITS);
        let errors = analysis.errors.iter();
        let found: BTreeSet<oracle::Rejection> =
            errors.map(|e| (e.function, e.node, e.state)).collect();
        rejections += found.len();
        let (executed, complete) = oracle::executions(&machine, &checker, 5, 4000);
        assert!(executed.is_subset(&found), "seed {seed}");
        if complete {
            complete_cases += 1;
            assert_eq!(executed, found, "seed {seed}");
        }
        assert_eq!(oracle::pre_star(&machine, &checker), found, "seed {seed}");
        // Every error has a path, which is an execution, and no longer than it says.
        let paths = Paths::new(&analysis.graph);
        for error in &analysis.errors {
            let path = paths.to(error, 1 << 20).expect("a path");
            assert_eq!(path.steps.len() as u128, path.length);
            let end = oracle::follow(&machine, &checker, &path);
            assert_eq!(end, (error.function, error.node, error.state));
        }
    }
    println!("{rejections} rejections, {complete_cases} cases without a cut");
    assert!(complete_cases > cases(500) / 10);
}
