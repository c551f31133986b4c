//! Theorems 1–3 (§2.1) on random graphs and random programs, for every algorithm, order and way to
//! aggregate, against an oracle that looks at every reachable state.

mod common;

use common::Statement::{Assume, Declare, Define, Skip, Use};
use common::graphs::{Covering, Graph, graphs};
use common::{Automaton, Name, Program, Statement, all_options, exhaust, labels, reachable};
use proptest::prelude::*;
use search::{
    Algorithm, Bounds, Color, End, Interval, Names, Options, Order, Search, Space, StateId,
};

const NAMES: [Name; 4] = ["a", "b", "c", "d"];

fn statements() -> impl Strategy<Value = Statement> {
    let name = || prop::sample::select(&NAMES[..]);
    let interval = || {
        (-3i64..3, 0i64..4).prop_map(|(low, more)| Interval {
            low,
            high: low + more,
        })
    };
    prop_oneof![
        1 => Just(Skip),
        4 => name().prop_map(Declare),
        3 => (name(), interval()).prop_map(|(name, interval)| Define(name, interval)),
        2 => (name(), interval()).prop_map(|(name, interval)| Assume(name, interval)),
        2 => name().prop_map(Use),
    ]
}

/// Edges from every node to the next, so that much can be reached, and some more.
fn programs<A: std::fmt::Debug>() -> impl Strategy<Value = Program<A>> {
    (3usize..10, any::<bool>()).prop_flat_map(|(nodes, goes_on)| {
        (
            prop::collection::vec(statements(), nodes - 1),
            prop::collection::vec((0..nodes, statements(), 0..nodes), 0..2 * nodes),
        )
            .prop_map(move |(spine, mut edges)| {
                let spine = spine.into_iter().enumerate();
                edges.extend(spine.map(|(node, statement)| (node, statement, node + 1)));
                Program {
                    goes_on,
                    ..Program::new(nodes, &edges)
                }
            })
    })
}

/// Follows the labels from the start: each leaves where the one before arrived. Says where the
/// variables that are really undefined there first made a run fail, if it can be executed so far.
fn replay<A: Automaton>(program: &Program<A>, path: &[usize]) -> Option<usize> {
    let mut node = 0;
    let mut state = A::start();
    for (length, label) in path.iter().enumerate() {
        let (from, statement, to) = program.edges[*label];
        assert_eq!(from, node, "the path is connected");
        if matches!(statement, Use(name) if state.is_undefined(name)) {
            // A program that goes on has the error at the end of the path, others at the first.
            if !program.goes_on || length + 1 == path.len() {
                return Some(length + 1);
            }
        }
        state = state.step(statement)?;
        node = to;
    }
    None
}

/// The statements of the path are a path of the graph, from the start to a use.
fn assert_is_path<A: Automaton>(program: &Program<A>, path: &[usize], at: usize) {
    let mut node = 0;
    for label in path {
        let (from, _, to) = program.edges[*label];
        assert_eq!(from, node, "the path is connected");
        node = to;
    }
    assert_eq!(program.rejecting(node), at);
    let last = path.last().map(|label| program.edges[*label].1);
    assert!(matches!(last, Some(Use(_))));
}

fn error_locations<S: Space>(search: &Search<'_, S>) -> Vec<usize> {
    let mut all: Vec<usize> = search.errors().iter().map(|id| search.at(*id)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn check_paths<A: Automaton>(program: &Program<A>, options: Options) {
    let mut copy = program.clone();
    let search = exhaust(&mut copy, options);
    for error in search.errors() {
        let path = labels(&search, *error);
        assert_is_path(program, &path, search.at(*error));
        if options.aggregate.is_none() {
            let failed = replay(program, &path);
            match options.algorithm {
                Algorithm::Plain | Algorithm::Covering => assert_eq!(failed, Some(path.len())),
                // The whole state of which a difference failed fails as well.
                Algorithm::Differencing => assert!(failed.is_some_and(|at| at <= path.len())),
            }
        }
    }
}

fn black<S: Space>(search: &Search<'_, S>) -> Vec<(usize, S::State)> {
    let is_black = |id: &StateId| search.color(*id) == Color::Black;
    let state = |id: StateId| Some((search.at(id), search.state(id)?.clone()));
    search.states().filter(is_black).filter_map(state).collect()
}

fn assert_same<T: PartialEq + std::fmt::Debug>(left: &[T], right: &[T]) {
    assert_eq!(left.len(), right.len());
    assert!(
        left.iter().all(|one| right.contains(one)),
        "{left:?} {right:?}"
    );
}

const ORDERS: [Order; 3] = [Order::DepthFirst, Order::BreadthFirst, Order::Topological];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Theorem 1: Algorithm I ends with Black = Reach.
    #[test]
    fn plain_search_blackens_what_is_reachable(mut graph in graphs()) {
        let expected = reachable(&mut graph);
        for order in ORDERS {
            let options = Options { algorithm: Algorithm::Plain, order, ..Options::default() };
            let search = exhaust(&mut graph, options);
            assert_same(&black(&search), &expected);
            prop_assert_eq!(search.statistics().red, 0);
        }
    }

    /// Theorems 2 and 3, with any covering relation that matches paths.
    #[test]
    fn an_error_is_found_iff_one_is_reachable(graph in graphs()) {
        let mut graph = graph;
        let expected = reachable(&mut graph).iter().any(|(_, state)| graph.is_error[*state]);
        for options in all_options() {
            for covering in [Covering::Equality, Covering::Some, Covering::Greatest] {
                // A merged state must be seen to cover its parts.
                if options.aggregate.is_some() && covering != Covering::Greatest {
                    continue;
                }
                graph.covering = covering;
                let search = exhaust(&mut graph, options);
                prop_assert_eq!(
                    !search.errors().is_empty(), expected, "{:?} {:?}", options, covering
                );
                let first = Options { stop_at_first_error: true, ..options };
                let mut search = Search::new(&mut graph, first);
                let end = if expected { End::Error } else { End::Exhausted };
                prop_assert_eq!(search.run(), end);
                prop_assert_eq!(search.errors().is_empty(), !expected);
            }
        }
    }

    /// Without differences and aggregates a path is one of the graph, state by state; the first error
    /// of a breadth-first search has a shortest one.
    #[test]
    fn paths_are_paths_of_the_graph(graph in graphs()) {
        for options in all_options() {
            if options.aggregate.is_some() || options.algorithm == Algorithm::Differencing {
                continue;
            }
            let mut copy = Graph { covering: Covering::Some, ..graph.clone() };
            let search = exhaust(&mut copy, options);
            for error in search.errors() {
                let path = search.path(*error);
                let ends = path.iter().skip(1).map(|step| step.0).chain([*error]);
                for ((from, label), to) in path.iter().zip(ends) {
                    let edge = (search.state(*from).copied(), search.state(to).copied());
                    let (source, target) = graph.edges[*label];
                    prop_assert_eq!(edge, (Some(source), Some(target)));
                }
                let start = path.first().map_or(*error, |step| step.0);
                let start = search.state(start).copied();
                prop_assert!(start.is_some_and(|start| graph.initial.contains(&start)));
                prop_assert!(graph.is_error[*search.state(*error).unwrap()]);
            }
            if options.order == Order::BreadthFirst && options.algorithm == Algorithm::Plain {
                let shortest = graph.initial.iter().map(|state| graph.distance[*state]).min();
                let found = search.errors().first().map(|error| search.path(*error).len());
                prop_assert_eq!(found, shortest.filter(|distance| *distance != usize::MAX));
            }
        }
    }

    /// Theorems 2 and 3 for sets of undefined variables. Where a run goes on after an error the very
    /// places of errors are the same; and merging by union adds none.
    #[test]
    fn programs_fail_iff_plain_search_says_so(program in programs::<Names<Name>>()) {
        let mut copy = program.clone();
        let reached = reachable(&mut copy);
        let mut expected: Vec<usize> =
            reached.iter().map(|found| found.0).filter(|at| *at >= program.nodes).collect();
        expected.sort_unstable();
        expected.dedup();
        for options in all_options() {
            let search = exhaust(&mut copy, options);
            let found = error_locations(&search);
            prop_assert_eq!(found.is_empty(), expected.is_empty(), "{:?}", options);
            if program.goes_on || options.algorithm == Algorithm::Plain && options.aggregate.is_none() {
                prop_assert_eq!(found, expected.clone(), "{:?}", options);
            }
            check_paths(&program, options);
        }
    }
}

proptest! {
    // Fewer: the oracle compares every state with every other.
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Theorem 1 for programs, whose states are equal when they cover each other.
    #[test]
    fn plain_search_blackens_what_is_reachable_in_programs(
        mut program in programs::<(Names<Name>, Bounds<Name>)>(),
    ) {
        let expected = reachable(&mut program);
        for order in ORDERS {
            let options = Options { algorithm: Algorithm::Plain, order, ..Options::default() };
            assert_same(&black(&exhaust(&mut program, options)), &expected);
        }
    }

    /// Theorems 2 and 3 for the product with bounds. The hull of bounds allows more than its parts, so an
    /// aggregate may find errors that are none; it never loses one.
    #[test]
    fn products_fail_iff_plain_search_says_so(
        program in programs::<(Names<Name>, Bounds<Name>)>(),
    ) {
        let mut copy = program.clone();
        let expected = reachable(&mut copy).iter().any(|found| found.0 >= program.nodes);
        for options in all_options() {
            let found = !exhaust(&mut copy, options).errors().is_empty();
            if options.aggregate.is_none() {
                prop_assert_eq!(found, expected, "{:?}", options);
            } else {
                prop_assert!(found || !expected, "{:?}", options);
            }
            check_paths(&program, options);
        }
    }

    /// What an exhausted search reached contains every reachable state (of runs that go on after
    /// errors, so that a larger state has no fewer successors).
    #[test]
    fn reached_states_contain_the_reachable_ones(
        program in programs::<(Names<Name>, Bounds<Name>)>(),
    ) {
        let mut program = Program { goes_on: true, ..program };
        let expected = reachable(&mut program);
        for options in all_options() {
            if options.algorithm == Algorithm::Differencing {
                continue; // There the parts of a state go different ways.
            }
            let search = exhaust(&mut program, options);
            for (at, state) in &expected {
                use search::Component;
                prop_assert!(search.reached(*at).any(|(_, by)| by.covers(state)), "{:?}", options);
            }
        }
    }
}

/// Inputs as the properties above get them.
fn sample<T: std::fmt::Debug>(strategy: impl Strategy<Value = T>) -> Vec<T> {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut draw = || strategy.new_tree(&mut runner).expect("a value").current();
    (0..400).map(|_| draw()).collect()
}

/// The random inputs are worth something: many have errors, many have none, and every operation is
/// used. Counts are inputs out of 400: with an error, with red states, with differences, and with
/// superseded versions under aggregation.
fn worth<S: Space>(inputs: Vec<S>) -> [usize; 4] {
    let mut counts = [0; 4];
    for mut space in inputs {
        let differencing = Options {
            algorithm: Algorithm::Differencing,
            ..Options::default()
        };
        let search = exhaust(&mut space, differencing);
        counts[0] += usize::from(!search.errors().is_empty());
        counts[1] += usize::from(search.statistics().red > 0);
        counts[2] += usize::from(search.statistics().differences > 0);
        let aggregating = Options {
            order: Order::BreadthFirst,
            aggregate: Some(1),
            ..differencing
        };
        let statistics = exhaust(&mut space, aggregating).statistics();
        counts[3] += usize::from(statistics.superseded > 0);
    }
    counts
}

#[test]
fn random_programs_are_not_trivial() {
    let counts = worth(sample(programs::<(Names<Name>, Bounds<Name>)>()));
    assert!((80..320).contains(&counts[0]), "{counts:?}");
    assert!(counts.iter().all(|count| *count > 40), "{counts:?}");
}

#[test]
fn random_graphs_are_not_trivial() {
    let graphs = sample(graphs().prop_map(|graph| Graph {
        covering: Covering::Greatest,
        ..graph
    }));
    let counts = worth(graphs);
    assert!((80..320).contains(&counts[0]), "{counts:?}");
    assert!(counts.iter().all(|count| *count > 40), "{counts:?}");
}
