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

#[test]
fn an_edited_leaf_costs_a_fraction() {
    let mut random = Random(4711);
    let program = Program {
        drafts: (0..FUNCTIONS)
            .map(|number| Some(draft(&mut random, number)))
            .collect(),
        roots: vec![0],
    };
    let automaton = Automaton {
        seed: 3,
        plain: 5,
        wild: false,
    };
    let machine = program.build();
    let checker = Checker {
        machine: &machine,
        automaton,
    };
    let before = full(&machine, &checker, NO_LIMITS);
    let mut reached = 0;
    let mut sums = [Counts::default(); 3];
    for leaf in FUNCTIONS / 2..FUNCTIONS {
        let entered = !before.graph().functions[leaf as usize].entries.is_empty();
        reached += u32::from(entered);
        let mut edited = program.clone();
        let changed = edited.drafts[leaf as usize].as_mut().unwrap();
        changed.edges[5].letter += 40;
        let machine = edited.build();
        let checker = Checker {
            machine: &machine,
            automaton,
        };
        let fresh = full(&machine, &checker, NO_LIMITS);
        let forward = incremental_forward(&machine, &checker, NO_LIMITS, &before);
        let backward = incremental_backward(&machine, &checker, NO_LIMITS, &before);
        assert_eq!(forward.rounds, fresh.rounds);
        assert_eq!(backward.errors, fresh.errors);
        assert!(forward.counts.transitions() < fresh.counts.transitions());
        assert!(backward.counts.transitions() < fresh.counts.transitions());
        assert!(backward.counts.configurations < fresh.counts.configurations);
        for (sum, run) in sums.iter_mut().zip([fresh, forward, backward]) {
            *sum += run.counts;
        }
    }
    let [fresh, forward, backward] = sums;
    for (name, sum) in [
        ("full", fresh),
        ("forward", forward),
        ("backward", backward),
    ] {
        println!(
            "{name:8} {:8} transitions {:8} configurations {:6} functions",
            sum.transitions(),
            sum.configurations,
            sum.functions
        );
    }
    println!(
        "{reached} leaves; transitions: full / forward {:.1}, full / backward {:.1}",
        fresh.transitions() as f64 / forward.transitions() as f64,
        fresh.transitions() as f64 / backward.transitions() as f64
    );
    assert!(reached > FUNCTIONS / 4, "{reached}");
    assert!(forward.transitions() * 5 < fresh.transitions());
    assert!(backward.transitions() * 5 < fresh.transitions());
    assert!(backward.configurations * 2 < fresh.configurations);
}
