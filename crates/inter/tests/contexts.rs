//! A bound on the contexts of a function, on programs small enough to be thought through; and what is
//! kept of a graph on disk.

mod common;

use common::{Automaton, Checker, Program, Random};
use inter::{
    Action, Analysis, Edge, EdgeKey, Exit, FunctionId, Limits, Machine, NodeId, Place, Property,
    Shape, full, incremental_backward, incremental_forward,
};
use std::sync::Arc;

/// Counts up: a state is an interval of numbers. A statement adds its key; a call hands the
/// state on as it is; above 100 it is "anything above".
struct Counter {
    shapes: Vec<Arc<Shape>>,
}

type Interval = (u64, u64);

fn function(edges: &[(u32, u128, Option<u32>, u32)]) -> Arc<Shape> {
    let edge = |(source, key, callee, target): &(u32, u128, Option<u32>, u32)| Edge {
        source: NodeId(*source),
        target: NodeId(*target),
        key: EdgeKey(*key),
        action: match callee {
            None => Action::Statement,
            Some(callee) => Action::Call {
                targets: vec![FunctionId(*callee)],
                unwind: None,
            },
        },
    };
    let edges: Vec<Edge> = edges.iter().map(edge).collect();
    let last = edges.iter().map(|e| e.target.0).max().unwrap_or(0);
    Arc::new(Shape::new(last + 1, NodeId(0), NodeId(last), None, edges).unwrap())
}

impl Machine for Counter {
    fn functions(&self) -> usize {
        self.shapes.len()
    }

    fn shape(&self, function: FunctionId) -> Option<&Arc<Shape>> {
        self.shapes.get(function.0 as usize)
    }

    fn roots(&self) -> Vec<FunctionId> {
        vec![FunctionId(0)]
    }
}

impl Property for Counter {
    type State = Interval;

    fn initial(&self, _: FunctionId) -> Vec<Interval> {
        vec![(0, 0)]
    }

    fn step(&self, state: &Interval, at: Place) -> Vec<Interval> {
        let shape = &self.shapes[at.function.0 as usize];
        let add = shape.edge(at.edge).key.0 as u64;
        let high = match state.1.saturating_add(add) {
            high if high > 100 => u64::MAX,
            high => high,
        };
        vec![(state.0.saturating_add(add), high)]
    }

    fn enter(&self, state: &Interval, _: Place, _: FunctionId) -> Option<Interval> {
        Some(*state)
    }

    fn leave(
        &self,
        before: &Interval,
        _: Place,
        _: FunctionId,
        _: Exit,
        _: &Interval,
    ) -> Option<Interval> {
        Some(*before)
    }

    fn is_rejecting(&self, state: &Interval) -> bool {
        state.0 <= 42 && 42 <= state.1
    }

    fn merge(&self, states: &[Interval]) -> Interval {
        let low = states.iter().map(|s| s.0).min().unwrap_or(0);
        let high = states.iter().map(|s| s.1).max().unwrap_or(u64::MAX);
        // Widened, so that chains end.
        (low, if high > 10 { u64::MAX } else { high })
    }

    fn covers(&self, bound: &Interval, state: &Interval) -> bool {
        bound.0 <= state.0 && state.1 <= bound.1
    }
}

fn at_most(contexts: usize) -> Limits {
    Limits {
        contexts: Some(contexts),
    }
}

/// main adds 1 before each of its calls of `leaf`.
fn caller(calls: u32) -> Counter {
    let mut edges = Vec::new();
    for call in 0..calls {
        edges.push((2 * call, 1, None, 2 * call + 1));
        edges.push((2 * call + 1, 0, Some(1), 2 * call + 2));
    }
    Counter {
        shapes: vec![function(&edges), function(&[(0, 5, None, 1)])],
    }
}

fn entries(analysis: &Analysis<Interval>, function: u32) -> Vec<Interval> {
    let part = &analysis.graph.functions[function as usize];
    let mut all: Vec<_> = part.entries.iter().map(|id| *part.state(*id)).collect();
    all.sort_unstable();
    all
}

#[test]
fn as_many_contexts_as_allowed_stay_apart() {
    let program = caller(3);
    let analysis = full(&program, &program, at_most(3));
    assert_eq!(entries(&analysis, 1), [(1, 1), (2, 2), (3, 3)]);
    assert_eq!(analysis.rounds().len(), 1);
}

#[test]
fn one_more_and_they_are_merged() {
    let program = caller(4);
    let analysis = full(&program, &program, at_most(3));
    assert_eq!(entries(&analysis, 1), [(1, 4)]);
    assert_eq!(analysis.rounds().len(), 2);
    // The second round asks for nothing that the first knows. Statements: four in main, and
    // in leaf (1,1), (2,2), (3,3), then (1,4). Calls: four. Returns: the three of the first round
    // and, in all four, the one of the merged entry.
    let counts = analysis.counts;
    assert_eq!((counts.steps, counts.enters, counts.leaves), (8, 4, 7));
}

/// An entry that an edit made unreachable does not count: contexts come apart again.
#[test]
fn fewer_contexts_after_an_edit() {
    let (four, three) = (caller(4), caller(3));
    let fresh = full(&three, &three, at_most(3));
    let before = full(&four, &four, at_most(3));
    let forward = incremental_forward(&three, &three, at_most(3), &before);
    assert_eq!(forward.rounds(), fresh.rounds());
    let backward = incremental_backward(&three, &three, at_most(3), &before);
    assert_eq!(entries(&backward, 1), [(1, 1), (2, 2), (3, 3)]);
    // And the other way round: surplus entries of IncrBack do not count either.
    let again = incremental_backward(&four, &four, at_most(3), &backward);
    assert_eq!(entries(&again, 1), [(1, 4)]);
    let changed = caller_with_other_numbers();
    let fresh = full(&changed, &changed, at_most(3));
    let before = full(&three, &three, at_most(3));
    let backward = incremental_backward(&changed, &changed, at_most(3), &before);
    assert_eq!(entries(&backward, 1), [(2, 2), (4, 4), (6, 6)]);
    assert_eq!(backward.errors, fresh.errors);
}

/// main → middle → leaf. An edit of `middle` gives `leaf` too many contexts, so IncrBack gives up before it
/// comes to `main`, which was edited as well: what it knows of `main` is the old version.
#[test]
fn an_overflow_before_all_changes_are_met() {
    let program = |step: u128, calls: u32| {
        let middle = &caller(calls).shapes[0];
        let main = function(&[(0, step, None, 1), (1, 0, Some(1), 2), (2, step, None, 3)]);
        let middle = Shape::new(
            middle.nodes(),
            NodeId(0),
            NodeId(middle.nodes() - 1),
            None,
            middle
                .edges()
                .iter()
                .cloned()
                .map(|mut edge| {
                    if let Action::Call { targets, .. } = &mut edge.action {
                        *targets = vec![FunctionId(2)];
                    }
                    edge
                })
                .collect(),
        );
        Counter {
            shapes: vec![
                main,
                Arc::new(middle.unwrap()),
                function(&[(0, 5, None, 1)]),
            ],
        }
    };
    let (old, new) = (program(1, 3), program(40, 4));
    let before = full(&old, &old, at_most(3));
    let fresh = full(&new, &new, at_most(3));
    // 41 to 44 in leaf, with 42 among them, and then 80 in main.
    assert_eq!(entries(&fresh, 2), [(41, u64::MAX)]);
    let backward = incremental_backward(&new, &new, at_most(3), &before);
    assert_eq!(backward.rounds(), fresh.rounds());
    assert_eq!(backward.errors, fresh.errors);
}

/// Three calls, with entries that `caller(3)` does not have, or has as well.
fn caller_with_other_numbers() -> Counter {
    let mut edges = Vec::new();
    for call in 0..3 {
        edges.push((2 * call, 2, None, 2 * call + 1));
        edges.push((2 * call + 1, 0, Some(1), 2 * call + 2));
    }
    let mut program = caller(3);
    program.shapes[0] = function(&edges);
    program
}

/// `f(n) { f(n + 1); }`: without a bound there is no end, up to 100; with one, there is soon.
#[test]
fn recursion_that_counts_up_comes_to_an_end() {
    let program = Counter {
        shapes: vec![
            function(&[(0, 0, Some(1), 1)]),
            function(&[(0, 1, None, 1), (1, 0, Some(1), 2), (0, 0, None, 2)]),
        ],
    };
    let analysis = full(&program, &program, at_most(4));
    // 0 to 4 are given; four are explored. Merged to (0, 4), which gives (1, 5): merged to (0, 5), and so
    // on until the widening.
    assert_eq!(entries(&analysis, 1), [(0, u64::MAX)]);
    let again = incremental_backward(&program, &program, at_most(4), &analysis);
    assert_eq!(again.counts.transitions(), 0);
    assert_eq!(again.errors, analysis.errors);
}

#[test]
fn a_function_is_stored_alone() {
    let mut random = Random(99);
    let mut program = Program::random(&mut random);
    let automaton = Automaton::random(&mut random);
    let machine = program.build();
    let checker = Checker {
        machine: &machine,
        automaton,
    };
    let before = full(&machine, &checker, Limits::default());
    let mut loaded = before.clone();
    for part in &mut loaded.graph.functions {
        let bytes = postcard::to_allocvec(&**part).unwrap();
        *part = Arc::new(postcard::from_bytes(&bytes).unwrap());
    }
    assert_eq!(loaded, before);
    program.edit(&mut random);
    let machine = program.build();
    let checker = Checker {
        machine: &machine,
        automaton,
    };
    let kept = incremental_backward(&machine, &checker, Limits::default(), &before);
    let stored = incremental_backward(&machine, &checker, Limits::default(), &loaded);
    assert_eq!(kept, stored);
    let bytes = postcard::to_allocvec(&stored).unwrap();
    let whole: Analysis<u16> = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(whole, stored);
}
