//! What an edit of one leaf function costs, counted in transitions: a program of 200 functions.

mod common;

use common::{Automaton, Checker, Draft, DraftEdge, Program, Random};
use inter::{Counts, Limits, full, incremental_backward, incremental_forward};

const NO_LIMITS: Limits = Limits { contexts: None };
const FUNCTIONS: u32 = 200;

/// A line of ten statements with a way around each fifth; inner functions call two or three with higher
/// numbers on the way, so there are leaves at the end.
fn draft(random: &mut Random, number: u32) -> Draft {
    let nodes = 13;
    let line = [0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1];
    let mut edges: Vec<DraftEdge> = line
        .windows(2)
        .map(|pair| DraftEdge {
            source: pair[0],
            target: pair[1],
            letter: random.below(40),
            call: None,
        })
        .collect();
    for (from, to) in [(3, 7), (8, 12)] {
        edges.push(DraftEdge {
            source: from,
            target: to,
            letter: random.below(40),
            call: None,
        });
    }
    if number < FUNCTIONS / 2 {
        for at in [1, 4, 9] {
            let reach = (FUNCTIONS - number - 1).min(20);
            let callee = number + 1 + random.below(reach);
            edges[at].call = Some((vec![callee], None));
        }
        // Everything is called by somebody.
        edges[6].call = Some((vec![number * 2 + 1], None));
        edges[7].call = Some((vec![(number * 2 + 2).min(FUNCTIONS - 1)], None));
    }
    Draft {
        nodes,
        edges,
        shift: 0,
    }
}

fn program() -> (Program, Automaton) {
    let mut random = Random(4711);
    let program = Program {
        drafts: (0..FUNCTIONS)
            .map(|number| Some(draft(&mut random, number)))
            .collect(),
        roots: vec![0],
    };
    let automaton = Automaton {
        seed: 3,
        plain: 14,
        wild: false,
    };
    (program, automaton)
}

/// Analyses `old`, then `new` from scratch and from what is known of `old`.
fn measure(automaton: Automaton, old: &Program, new: &Program) -> [Counts; 3] {
    let machine = old.build();
    let checker = Checker {
        machine: &machine,
        automaton,
    };
    let before = full(&machine, &checker, NO_LIMITS);
    let machine = new.build();
    let checker = Checker {
        machine: &machine,
        automaton,
    };
    let fresh = full(&machine, &checker, NO_LIMITS);
    let forward = incremental_forward(&machine, &checker, NO_LIMITS, &before);
    let backward = incremental_backward(&machine, &checker, NO_LIMITS, &before);
    assert_eq!(forward.rounds(), fresh.rounds());
    assert_eq!(backward.errors, fresh.errors);
    [fresh.counts, forward.counts, backward.counts]
}

fn show(title: &str, sums: [Counts; 3]) {
    for (name, sum) in ["full", "forward", "backward"].iter().zip(sums) {
        println!(
            "{title}: {name:8} {:8} transitions {:8} configurations {:6} functions",
            sum.transitions(),
            sum.configurations,
            sum.functions
        );
    }
}

/// A statement of a leaf is another one: both compute strictly less, for every fourth leaf.
#[test]
fn an_edited_leaf_costs_a_fraction() {
    let (program, automaton) = program();
    let mut sums = [Counts::default(); 3];
    for leaf in (FUNCTIONS / 2..FUNCTIONS).step_by(4) {
        let mut edited = program.clone();
        let changed = edited.drafts[leaf as usize].as_mut().unwrap();
        changed.edges[5].letter += 40;
        let counts = measure(automaton, &program, &edited);
        let [fresh, forward, backward] = counts;
        assert!(forward.transitions() < fresh.transitions());
        assert!(backward.transitions() < fresh.transitions());
        assert!(backward.configurations < fresh.configurations);
        for (sum, run) in sums.iter_mut().zip(counts) {
            *sum += run;
        }
    }
    show("a statement of a leaf", sums);
    let [fresh, forward, backward] = sums;
    assert!(forward.transitions() * 20 < fresh.transitions());
    assert!(backward.transitions() * 20 < fresh.transitions());
    assert!(backward.configurations * 20 < fresh.configurations);
}

/// The paper's experiment (§6) in small: every tenth function is an empty stub, and then put back.
#[test]
fn a_function_put_back() {
    let (program, automaton) = program();
    let mut sums = [Counts::default(); 3];
    for number in (1..FUNCTIONS).step_by(10) {
        let mut stubbed = program.clone();
        let stub = stubbed.drafts[number as usize].as_mut().unwrap();
        stub.edges.truncate(1);
        stub.edges[0].target = 1;
        stub.edges[0].call = None;
        for (sum, run) in sums.iter_mut().zip(measure(automaton, &stubbed, &program)) {
            *sum += run;
        }
    }
    show("a function put back", sums);
    let [fresh, forward, backward] = sums;
    assert!(forward.transitions() * 2 < fresh.transitions());
    assert!(backward.transitions() * 2 < fresh.transitions());
    assert!(backward.configurations < fresh.configurations);
}
