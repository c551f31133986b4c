//! The paper's example, Fig. 1–3, with the interval automaton written by hand.

use reduction::*;
use std::collections::{BTreeSet, VecDeque};

struct Paper {
    automaton: Automaton,
    /// (source, target) of each edge.
    ends: Vec<(u32, u32)>,
}

const NAMES: [&str; 3] = ["p", "x", "a"];

fn name(x: Instance) -> String {
    format!("{}_l{}", NAMES[x.variable.0 as usize], x.location.0)
}

impl Paper {
    /// Fig. 2. The exits of the loop and of the test, which Fig. 3 does not need, are (l2, l7) and
    /// (l4, l6).
    fn new() -> Paper {
        let mut automaton = Automaton::new();
        let p = automaton.add_variable(Interval::FULL);
        let x = automaton.add_variable(Interval::FULL);
        let a = automaton.add_variable(Interval::FULL);
        let e = &mut automaton.expressions;
        let some = e.constant(Interval::at_least(1));
        let ten = e.constant(Interval::constant(10));
        let one = e.constant(Interval::constant(1));
        let minus_one = e.constant(Interval::constant(-1));
        let full = e.constant(Interval::FULL);
        let not_positive = e.constant(Interval::at_most(0));
        let x_value = e.variable(x);
        let p_value = e.variable(p);
        let x_positive = e.meet(x_value, some);
        let x_one = e.meet(x_value, one);
        let x_less = e.sum(x_value, minus_one);
        let x_done = e.meet(x_value, not_positive);
        let mut paper = Paper {
            automaton,
            ends: Vec::new(),
        };
        paper.edge(0, 1, Some((p, some)));
        paper.edge(1, 2, Some((x, ten)));
        paper.edge(2, 3, Some((x, x_positive)));
        paper.edge(3, 4, Some((a, p_value)));
        paper.edge(4, 5, Some((x, x_one)));
        paper.edge(5, 6, Some((p, full)));
        paper.edge(4, 6, None);
        paper.edge(6, 2, Some((x, x_less)));
        paper.edge(2, 7, Some((x, x_done)));
        paper
    }

    fn edge(&mut self, from: u32, to: u32, update: Option<(Variable, ExpressionId)>) {
        let update = update.map(|(variable, value)| Update { variable, value });
        self.automaton.add_edge(Location(to), update);
        self.ends.push((from, to));
    }

    fn word(&self, locations: &[u32]) -> Vec<Edge> {
        locations
            .windows(2)
            .map(|pair| {
                let at = self.ends.iter().position(|&e| e == (pair[0], pair[1]));
                Edge(at.unwrap() as u32)
            })
            .collect()
    }

    /// The paper's w.
    fn counterexample(&self) -> Vec<Edge> {
        self.word(&[0, 1, 2, 3, 4, 5, 6, 2, 3, 4])
    }

    /// A shortest word of the CFG, less what the observers accept, that uses p after it was freed.
    fn use_after_free(&self, observers: &Observers) -> Option<Vec<Edge>> {
        type Node = (u32, bool, States);
        let start: Node = (0, false, observers.initial());
        let mut seen: BTreeSet<Node> = BTreeSet::from([start.clone()]);
        let mut queue = VecDeque::from([(start, Vec::new())]);
        while let Some(((at, freed, states), word)) = queue.pop_front() {
            for (i, &(from, to)) in self.ends.iter().enumerate() {
                if from != at {
                    continue;
                }
                let edge = Edge(i as u32);
                let next = observers.step(&states, edge);
                if observers.is_conflict(&next) {
                    continue;
                }
                let mut word: Vec<Edge> = word.clone();
                word.push(edge);
                if freed && (from, to) == (3, 4) {
                    return Some(word);
                }
                let node = (to, freed || (from, to) == (5, 6), next);
                if seen.insert(node.clone()) {
                    queue.push_back((node, word));
                }
            }
        }
        None
    }
}

#[test]
fn equations_of_figure_3() {
    let paper = Paper::new();
    let system = word::equations(&paper.automaton, &paper.counterexample());
    let expected = "\
p_l1 = [1, ∞]
p_l6 = [-∞, ∞]
x_l2 = [10, 10] ⊔ (x_l5 + [-1, -1])
x_l3 = x_l2 ⊓ [1, ∞]
x_l5 = x_l3 ⊓ [1, 1]
a_l4 = p_l1 ⊔ p_l6
";
    assert_eq!(system.show(&name), expected);
}

#[test]
fn its_least_solution() {
    let paper = Paper::new();
    let system = word::equations(&paper.automaton, &paper.counterexample());
    let solution: Vec<String> = strategy::solve(&system)
        .into_iter()
        .map(|(x, value)| format!("{} = {value}", name(x)))
        .collect();
    let expected = [
        "p_l1 = [1, ∞]",
        "p_l6 = [-∞, ∞]",
        "x_l2 = [10, 10]",
        "x_l3 = [10, 10]",
        "x_l5 = ∅",
        "a_l4 = [-∞, ∞]",
    ];
    assert_eq!(solution, expected);
    assert!(word::is_spurious(&paper.automaton, &paper.counterexample()));
}

#[test]
fn both_reduced_conflicts() {
    let paper = Paper::new();
    let all = conflicts(&paper.automaton, &paper.counterexample(), 1000);
    assert!(!all.exhausted);
    let [one, two] = &all.found[..] else {
        panic!("{all:?}")
    };
    // (l1, l2, l3, l4, l5)
    assert_eq!((one.first, one.last), (1, 4));
    let expected = "\
x_l2 = [10, 10]
x_l3 = x_l2 ⊓ [1, ∞]
x_l5 = x_l3 ⊓ [1, 1]
";
    assert_eq!(one.conflict.system().show(&name), expected);
    let values: Vec<Interval> = one.conflict.solution().values().copied().collect();
    let ten = Interval::constant(10);
    assert_eq!(values, [ten, ten, Interval::EMPTY]);
    // (l4, l5, l6, l2, l3)
    assert_eq!((two.first, two.last), (4, 7));
    let expected = "\
x_l2 = x_l5 + [-1, -1]
x_l3 = x_l2 ⊓ [1, ∞]
x_l5 = [-∞, ∞] ⊓ [1, 1]
";
    assert_eq!(two.conflict.system().show(&name), expected);
    let values: Vec<Interval> = two.conflict.solution().values().copied().collect();
    assert_eq!(
        values,
        [
            Interval::constant(0),
            Interval::EMPTY,
            Interval::constant(1)
        ]
    );
}

/// (progress, current) after each edge of a word.
fn run(observer: &Observer, word: &[Edge]) -> Vec<(Progress, Vec<String>)> {
    let mut state = observer.initial();
    word.iter()
        .map(|&edge| {
            state = observer.step(&state, edge);
            let current = observer.current(&state).into_iter().map(name).collect();
            (state.progress(), current)
        })
        .collect()
}

#[test]
fn both_observers_step_by_step() {
    use Progress::{All, None, Some};
    let paper = Paper::new();
    let word = paper.counterexample();
    let all = conflicts(&paper.automaton, &word, 1000);
    let [one, two] = [0, 1].map(|i| Observer::new(&paper.automaton, &all.found[i].conflict));
    let at = |location: &str| vec![format!("x_{location}")];
    assert_eq!(
        run(&one, &word[..6]),
        [
            (None, vec![]),
            (Some, at("l2")),
            (Some, at("l3")),
            (Some, at("l3")),
            (All, vec![]),
            // Once all, always all.
            (All, vec![]),
        ]
    );
    // "All other edges are irrelevant": (l3, l4) writes a.
    assert!(!one.is_relevant(word[3]));
    // Without the first, the second accepts one turn later.
    assert_eq!(
        run(&two, &word[..8]),
        [
            (None, vec![]),
            (None, vec![]),
            (None, vec![]),
            (None, vec![]),
            (Some, at("l5")),
            (Some, at("l5")),
            (Some, at("l2")),
            (All, vec![]),
        ]
    );
    // The first: (l2, l3) with a last write to x that is not [10, 10] at l2 gives another
    // expression.
    let second_turn = paper.word(&[0, 1, 2, 3, 4, 6, 2, 3, 4, 5]);
    assert!(!one.accepts(&second_turn));
    assert!(!two.accepts(&second_turn));
    // Leaving the loop after the free is the real run.
    let real = paper.word(&[0, 1, 2, 3, 4, 6, 2, 3, 4, 5, 6, 2, 7]);
    assert!(!one.accepts(&real) && !two.accepts(&real));
    assert!(conflicts(&paper.automaton, &real, 1000).found.is_empty());
}

#[test]
fn the_observers_remove_all_counterexamples() {
    let paper = Paper::new();
    let mut observers = Observers::new();
    let first = paper.use_after_free(&observers);
    assert_eq!(first, Some(paper.counterexample()));
    for found in conflicts(&paper.automaton, &paper.counterexample(), 1000).found {
        assert!(observers.insert(&paper.automaton, found.conflict.clone()));
        assert!(!observers.insert(&paper.automaton, found.conflict));
    }
    assert_eq!(observers.len(), 2);
    assert_eq!(paper.use_after_free(&observers), None);
}

#[test]
fn the_first_observer_alone_leaves_the_second_turn() {
    let paper = Paper::new();
    let all = conflicts(&paper.automaton, &paper.counterexample(), 1000);
    let mut observers = Observers::new();
    assert!(observers.insert(&paper.automaton, all.found[0].conflict.clone()));
    let next = paper.use_after_free(&observers);
    let expected = paper.word(&[0, 1, 2, 3, 4, 6, 2, 3, 4, 5, 6, 2, 3, 4]);
    assert_eq!(next, Some(expected.clone()));
    // Of this word only the second conflict is left.
    let left = conflicts(&paper.automaton, &expected, 1000);
    assert_eq!(left.found.len(), 1);
    assert_eq!(left.found[0].conflict, all.found[1].conflict);
}
