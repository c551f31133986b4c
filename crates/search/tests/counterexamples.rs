//! "Both path matching and the distinction between red and black states are important: there are
//! simple examples showing that dropping either one leads to an unsound or incomplete search
//! method" (§2.1). These are such examples.

mod common;

use common::exhaust;
use search::{Algorithm, Color, Options, Order, Space, Successor};

/// States are numbers, all at location 0, with an explicit covering relation.
#[derive(Clone)]
struct Graph {
    initial: Vec<usize>,
    edges: Vec<(usize, usize)>,
    errors: Vec<usize>,
    /// `(by, state)`: `by` covers `state`. Every state covers itself.
    covering: Vec<(usize, usize)>,
}

impl Space for Graph {
    type State = usize;
    type Label = ();

    fn locations(&self) -> usize {
        1
    }

    fn initial(&mut self, out: &mut Vec<(usize, usize)>) {
        out.extend(self.initial.iter().map(|state| (0, *state)));
    }

    fn successors(&mut self, _: usize, state: &usize, out: &mut Vec<Successor<(), usize>>) {
        let targets = self.edges.iter().filter(|(from, _)| from == state);
        out.extend(targets.map(|(_, to)| Successor {
            label: (),
            at: 0,
            state: *to,
        }));
    }

    fn is_error(&self, _: usize, state: &usize) -> bool {
        self.errors.contains(state)
    }

    fn covers(&self, _: usize, by: &usize, state: &usize) -> bool {
        by == state || self.covering.contains(&(*by, *state))
    }

    fn difference(&self, _: usize, _: &usize, _: &usize) -> Option<Vec<usize>> {
        None
    }

    fn merge(&mut self, _: usize, _: &usize, state: &usize, _: u32) -> usize {
        *state
    }

    fn widen(&mut self, _: usize, _: &usize, state: usize, _: u32) -> usize {
        state
    }
}

impl Graph {
    /// The length of the shortest path from a state to an error.
    fn distance(&self, state: usize) -> Option<usize> {
        let mut reached = vec![state];
        for length in 0..=self.edges.len() {
            if reached.iter().any(|state| self.errors.contains(state)) {
                return Some(length);
            }
            reached = self
                .edges
                .iter()
                .filter(|(from, _)| reached.contains(from))
                .map(|(_, to)| *to)
                .collect();
        }
        None
    }

    /// Does the covering relation match paths? It is enough to look at shortest ones.
    fn matches_paths(&self) -> bool {
        self.covering.iter().all(
            |(by, state)| match (self.distance(*by), self.distance(*state)) {
                (_, None) => true,
                (None, Some(_)) => false,
                (Some(by), Some(state)) => by <= state,
            },
        )
    }
}

/// Algorithm II as the paper writes it down, with the actions in a fixed order; `red_covers` drops
/// the distinction between red and black. Returns the error states among the black and red ones.
fn textbook(graph: &Graph, red_covers: bool) -> Vec<usize> {
    let mut colored: Vec<(usize, Color)> = Vec::new();
    for state in &graph.initial {
        colored.push((*state, Color::Grey));
    }
    while let Some(index) = colored.iter().position(|(_, color)| *color == Color::Grey) {
        let state = colored[index].0;
        let is_covered = colored.iter().any(|(by, color)| {
            *by != state
                && (red_covers || *color != Color::Red)
                && graph.covering.contains(&(*by, state))
        });
        if is_covered {
            colored[index].1 = Color::Red;
            continue;
        }
        for (_, to) in graph.edges.iter().filter(|(from, _)| *from == state) {
            if colored.iter().all(|(known, _)| known != to) {
                colored.push((*to, Color::Grey));
            }
        }
        colored[index].1 = Color::Black;
    }
    let states = colored.into_iter().map(|(state, _)| state);
    states
        .filter(|state| graph.errors.contains(state))
        .collect()
}

fn every_order() -> impl Iterator<Item = Options> {
    [Order::DepthFirst, Order::BreadthFirst, Order::Topological]
        .into_iter()
        .flat_map(|order| {
            [Algorithm::Covering, Algorithm::Differencing].map(|algorithm| Options {
                algorithm,
                order,
                ..Options::default()
            })
        })
}

/// 0 → 1 → 2, and 2 is an error. "Both reach an error" lets 0 cover 1, and 1 is left to 0, whose
/// only way to the error is through 1.
#[test]
fn without_path_matching_an_error_is_lost() {
    let mut broken = Graph {
        initial: vec![0],
        edges: vec![(0, 1), (1, 2)],
        errors: vec![2],
        covering: vec![(0, 1)],
    };
    assert!(!broken.matches_paths());
    assert!(textbook(&broken, false).is_empty());
    // The other way round path matching holds: 1 is nearer to the error.
    let mut right = Graph {
        covering: vec![(1, 0)],
        ..broken.clone()
    };
    assert!(right.matches_paths());
    assert_eq!(textbook(&right, false), [2]);
    for options in every_order() {
        assert!(exhaust(&mut broken, options).errors().is_empty());
        assert_eq!(exhaust(&mut right, options).errors().len(), 1);
    }
}

/// Three initial states, each one step from the error, each covering the next in a circle. If a red
/// state may cover, every one of them is left to another, and none is explored.
#[test]
fn if_red_states_cover_an_error_is_lost() {
    let mut graph = Graph {
        initial: vec![0, 1, 2],
        edges: vec![(0, 3), (1, 3), (2, 3)],
        errors: vec![3],
        covering: vec![(0, 1), (1, 2), (2, 0)],
    };
    assert!(graph.matches_paths());
    assert!(textbook(&graph, true).is_empty());
    assert_eq!(textbook(&graph, false), [3]);
    for options in every_order() {
        let search = exhaust(&mut graph, options);
        assert_eq!(search.errors().len(), 1, "{options:?}");
    }
}

/// The same circle in the breadth-first search: 1 is red at once (0 covers it), so that it may not
/// cover 2; 2 waits, and covers 0 when the turn of 0 comes; 2 itself must be explored.
#[test]
fn a_red_state_does_not_cover() {
    let mut graph = Graph {
        initial: vec![0, 1, 2],
        edges: vec![(0, 3), (1, 3), (2, 3)],
        errors: vec![3],
        covering: vec![(0, 1), (1, 2), (2, 0)],
    };
    let options = Options {
        order: Order::BreadthFirst,
        ..Options::default()
    };
    let search = exhaust(&mut graph, options);
    let black: Vec<_> = search.reached(0).map(|(_, state)| *state).collect();
    assert_eq!(black, [2, 3]);
    assert_eq!(search.statistics().red, 2);
}

/// Two states that cover each other: one is left to the other, not both.
#[test]
fn states_that_cover_each_other_are_explored_once() {
    let mut graph = Graph {
        initial: vec![0, 1],
        edges: vec![(0, 2), (1, 2)],
        errors: vec![2],
        covering: vec![(0, 1), (1, 0)],
    };
    assert!(graph.matches_paths());
    assert!(textbook(&graph, true).is_empty());
    for options in every_order() {
        let search = exhaust(&mut graph, options);
        assert_eq!(search.errors().len(), 1);
        assert_eq!(
            search.statistics().expanded,
            2,
            "one of the two, and the error"
        );
    }
}

/// The paper matches paths of length k > 0 only: an error state may be covered by a state that is
/// none. It is an error all the same.
#[test]
fn a_covered_error_is_recorded() {
    let mut graph = Graph {
        initial: vec![0],
        edges: vec![(0, 1), (0, 1)],
        errors: vec![1],
        covering: vec![(0, 1)],
    };
    for options in every_order() {
        let search = exhaust(&mut graph, options);
        let [error] = search.errors() else {
            panic!("one error, recorded once");
        };
        assert_eq!(search.color(*error), Color::Red);
        assert_eq!(search.state(*error), Some(&1));
        assert_eq!(search.path(*error).len(), 1);
    }
}
