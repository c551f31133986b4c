//! Orders, aggregates, widening, budgets: what a search does, step by step, on graphs small enough
//! to be thought through.

mod common;

use common::Statement::{Declare, Define, Skip, Use};
use common::{Name, Program, exhaust, labels};
use search::{Algorithm, Color, End, Interval, Names, Options, Order, Search, Space, Successor};

fn names(all: &[Name]) -> Names<Name> {
    all.iter().copied().collect()
}

/// A tree: 0 → 1, 2; 1 → 3; 2 → 4; without errors.
fn tree() -> Program<Names<Name>> {
    Program::new(5, &[(0, Skip, 1), (0, Skip, 2), (1, Skip, 3), (2, Skip, 4)])
}

fn order_of_coloring(order: Order) -> Vec<usize> {
    let mut program = tree();
    let options = Options {
        order,
        ..Options::default()
    };
    let search = exhaust(&mut program, options);
    search.states().map(|id| search.at(id)).collect()
}

#[test]
fn depth_first_finishes_one_branch_before_the_next() {
    assert_eq!(order_of_coloring(Order::DepthFirst), [0, 1, 3, 2, 4]);
}

#[test]
fn breadth_first_goes_level_by_level() {
    assert_eq!(order_of_coloring(Order::BreadthFirst), [0, 1, 2, 3, 4]);
}

/// Depth-first a state is white until its turn comes: 2 is found through 1, though 0 leads there too.
#[test]
fn depth_first_colors_as_a_recursive_search_would() {
    let edges = [(0, Skip, 1), (0, Skip, 2), (1, Skip, 2), (2, Skip, 3)];
    let mut program: Program<Names<Name>> = Program::new(4, &edges);
    let search = exhaust(&mut program, Options::default());
    let last = search.states().find(|id| search.at(*id) == 3);
    assert_eq!(last.map(|id| labels(&search, id)), Some(vec![0, 2, 3]));
    let options = Options {
        order: Order::BreadthFirst,
        ..Options::default()
    };
    let search = exhaust(&mut program, options);
    let last = search.states().find(|id| search.at(*id) == 3);
    assert_eq!(last.map(|id| labels(&search, id)), Some(vec![1, 3]));
}

/// The states on the path to the error are grey: they are not done. Running again finishes them.
#[test]
fn a_search_stops_at_an_error_and_goes_on() {
    let edges = [
        (0, Declare("a"), 1),
        (1, Use("a"), 2),
        (0, Declare("b"), 3),
        (3, Use("b"), 4),
    ];
    let mut program: Program<Names<Name>> = Program::new(5, &edges);
    let options = Options {
        stop_at_first_error: true,
        ..Options::default()
    };
    let mut search = Search::new(&mut program, options);
    assert_eq!(search.run(), End::Error);
    assert_eq!(labels(&search, search.errors()[0]), [0, 1]);
    assert!(search.states().all(|id| search.color(id) == Color::Grey));
    assert_eq!(search.run(), End::Error);
    assert_eq!(labels(&search, search.errors()[1]), [2, 3]);
    assert_eq!(search.run(), End::Exhausted);
    assert_eq!(search.errors().len(), 2);
    assert!(search.states().all(|id| search.color(id) == Color::Black));
}

#[test]
fn a_budget_ends_the_search() {
    for order in [Order::DepthFirst, Order::BreadthFirst, Order::Topological] {
        let mut program = tree();
        let options = |max_states| Options {
            order,
            max_states,
            ..Options::default()
        };
        let mut search = Search::new(&mut program, options(3));
        assert_eq!(search.run(), End::Budget);
        assert_eq!(search.statistics().grey, 3);
        assert_eq!(search.run(), End::Budget, "it stays spent");
        assert_eq!(search.statistics().grey, 3);
        let mut search = Search::new(&mut program, options(6));
        assert_eq!(
            search.run(),
            End::Exhausted,
            "five states, and one to spare"
        );
    }
}

/// A path of a million states, depth-first, on a stack of ordinary size.
#[test]
fn paths_may_be_long() {
    struct Chain;
    impl Space for Chain {
        type State = u32;
        type Label = ();
        fn locations(&self) -> usize {
            1_000_001
        }
        fn initial(&mut self, out: &mut Vec<(usize, u32)>) {
            out.push((0, 0));
        }
        fn successors(&mut self, at: usize, state: &u32, out: &mut Vec<Successor<(), u32>>) {
            if at < 1_000_000 {
                out.push(Successor {
                    label: (),
                    at: at + 1,
                    state: *state,
                });
            }
        }
        fn is_error(&self, at: usize, _: &u32) -> bool {
            at == 1_000_000
        }
        fn covers(&self, _: usize, by: &u32, state: &u32) -> bool {
            by == state
        }
        fn difference(&self, _: usize, _: &u32, _: &u32) -> Option<Vec<u32>> {
            None
        }
        fn merge(&mut self, _: usize, _: &u32, state: &u32, _: u32) -> u32 {
            *state
        }
        fn widen(&mut self, _: usize, _: &u32, state: u32, _: u32) -> u32 {
            state
        }
    }
    let mut chain = Chain;
    let search = exhaust(&mut chain, Options::default());
    let [error] = search.errors() else {
        panic!("one error");
    };
    assert_eq!(search.path(*error).len(), 1_000_000);
}

/// Diamonds in a row, each of which may or may not define its own variable.
fn diamonds(count: usize) -> Program<Names<Name>> {
    const ALL: [Name; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let mut edges: Vec<_> = (0..count).map(|i| (i, Declare(ALL[i]), i + 1)).collect();
    for (i, name) in ALL.into_iter().enumerate().take(count) {
        let top = count + 3 * i;
        edges.push((top, Define(name, Interval::ALL), top + 1));
        edges.push((top, Skip, top + 2));
        edges.push((top + 1, Skip, top + 3));
        edges.push((top + 2, Skip, top + 3));
    }
    Program::new(4 * count + 1, &edges)
}

/// One variable less on every second branch: 2^8 states at the end for a plain search. The branch
/// that defines comes first, so that the other covers it only afterwards.
#[test]
fn topological_aggregation_explores_each_location_once() {
    let mut program = diamonds(8);
    let options = |algorithm, order, aggregate| Options {
        algorithm,
        order,
        aggregate,
        ..Options::default()
    };
    let search = exhaust(
        &mut program,
        options(Algorithm::Covering, Order::Topological, Some(1)),
    );
    assert_eq!(search.statistics().expanded, 33);
    assert_eq!(search.statistics().merges, 8);
    assert_eq!(search.statistics().superseded, 8);
    let plain = exhaust(
        &mut program,
        options(Algorithm::Plain, Order::Topological, None),
    );
    assert_eq!(plain.reached(32).count(), 256);
}

/// Two branches declare one variable each; what comes first waits when the other is merged into it.
fn join() -> Program<Names<Name>> {
    let edges = [
        (0, Declare("x"), 1),
        (0, Declare("y"), 2),
        (1, Skip, 3),
        (2, Skip, 3),
        (3, Skip, 4),
    ];
    Program::new(5, &edges)
}

#[test]
fn a_superseded_version_is_not_explored() {
    let mut program = join();
    let options = Options {
        order: Order::BreadthFirst,
        aggregate: Some(1),
        ..Options::default()
    };
    let search = exhaust(&mut program, options);
    let at_join: Vec<_> = search.states().filter(|id| search.at(*id) == 3).collect();
    let [old, new] = at_join[..] else {
        panic!("two versions");
    };
    assert_eq!(search.color(old), Color::Red);
    assert_eq!(search.state(old), None, "nobody needs it");
    assert_eq!(search.color(new), Color::Black);
    assert_eq!(search.state(new), Some(&names(&["x", "y"])));
    assert_eq!(search.previous_version(new), Some(old));
    assert_eq!(labels(&search, old), [0, 2]);
    assert_eq!(labels(&search, new), [1, 3]);
    let statistics = search.statistics();
    // 0, 1, 2, both versions at 3, and 4.
    assert_eq!(
        (statistics.grey, statistics.black, statistics.red),
        (6, 5, 1)
    );
    assert_eq!((statistics.merges, statistics.superseded), (1, 1));
}

/// Depth-first {x} is explored before {y} comes; then {x, y} is, or with differencing {y} alone.
#[test]
fn an_explored_version_leaves_its_difference() {
    let at_4 = |algorithm| {
        let mut program = join();
        let options = Options {
            algorithm,
            aggregate: Some(1),
            ..Options::default()
        };
        let search = exhaust(&mut program, options);
        let newest: Vec<_> = search.reached(4).map(|(_, state)| state.clone()).collect();
        assert_eq!(newest, [names(&["x", "y"])]);
        let newest: Vec<_> = search.reached(3).map(|(_, state)| state.clone()).collect();
        assert_eq!(newest, [names(&["x", "y"])]);
        let statistics = search.statistics();
        (statistics.differences, statistics.pieces, statistics.red)
    };
    assert_eq!(at_4(Algorithm::Covering), (0, 0, 0));
    // At 3 {x, y} is replaced by {y}, and at 4 again.
    assert_eq!(at_4(Algorithm::Differencing), (2, 2, 2));
}

/// {x} is explored at 3 and 4; of {x, y}, which comes second, only {y} is.
#[test]
fn differencing_explores_the_rest() {
    let edges = [
        (0, Declare("x"), 1),
        (1, Skip, 3),
        (1, Declare("y"), 3),
        (3, Skip, 4),
    ];
    let mut program: Program<Names<Name>> = Program::new(5, &edges);
    let options = Options {
        algorithm: Algorithm::Differencing,
        ..Options::default()
    };
    let search = exhaust(&mut program, options);
    let reached = |at| {
        let states = search.reached(at).map(|(_, state)| state.clone());
        states.collect::<Vec<_>>()
    };
    assert_eq!(reached(3), [names(&["x"]), names(&["y"])]);
    assert_eq!(reached(4), [names(&["x"]), names(&["y"])]);
    let statistics = search.statistics();
    assert_eq!((statistics.differences, statistics.pieces), (1, 1));
    let (rest, _) = search.reached(4).last().expect("two");
    assert_eq!(labels(&search, rest), [0, 2, 3]);
}

#[test]
fn classes_are_kept_apart_while_there_is_room() {
    // The class of a state is whether `a` is undefined.
    let edges = [(0, Declare("a"), 1), (0, Declare("b"), 1), (0, Skip, 1)];
    let reached = |most| {
        let mut program: Program<Names<Name>> = Program::new(2, &edges);
        let options = Options {
            aggregate: Some(most),
            ..Options::default()
        };
        let search = exhaust(&mut program, options);
        let states = search.reached(1).map(|(_, state)| state.clone());
        states.collect::<Vec<_>>()
    };
    assert_eq!(reached(2), [names(&["a"]), names(&["b"])]);
    assert_eq!(reached(1), [names(&["a", "b"])]);
}

/// `i = 0; while (…) i++; use(i)`: an error if `i` may exceed 100 after the loop. Locations: 0 start,
/// 1 head, 2 after the loop.
#[derive(Default)]
struct Counter {
    /// The `times` that widening and merging at the head were told.
    times: Vec<u32>,
}

impl Counter {
    fn grown(&mut self, earlier: Interval, state: Interval, times: u32) -> Interval {
        self.times.push(times);
        if times < 2 {
            earlier.hull(state)
        } else {
            Interval {
                high: i64::MAX,
                ..earlier
            }
        }
    }
}

impl Space for Counter {
    type State = Interval;
    type Label = ();

    fn locations(&self) -> usize {
        3
    }

    fn initial(&mut self, out: &mut Vec<(usize, Interval)>) {
        out.push((0, Interval { low: 0, high: 0 }));
    }

    fn successors(&mut self, at: usize, state: &Interval, out: &mut Vec<Successor<(), Interval>>) {
        let mut push = |at, state| {
            out.push(Successor {
                label: (),
                at,
                state,
            });
        };
        match at {
            0 => push(1, *state),
            1 => {
                let low = state.low.saturating_add(1);
                let high = state.high.saturating_add(1);
                push(1, Interval { low, high });
                push(2, *state);
            }
            _ => {}
        }
    }

    fn is_error(&self, at: usize, state: &Interval) -> bool {
        at == 2 && state.high > 100
    }

    fn covers(&self, _: usize, by: &Interval, state: &Interval) -> bool {
        by.contains(*state)
    }

    fn difference(&self, _: usize, state: &Interval, reached: &Interval) -> Option<Vec<Interval>> {
        let above = Interval::above(reached.high).meet(*state)?;
        (reached.low <= state.low && above != *state).then(|| vec![above])
    }

    fn merge(&mut self, at: usize, reached: &Interval, state: &Interval, times: u32) -> Interval {
        if at == 1 {
            self.grown(*reached, *state, times)
        } else {
            reached.hull(*state)
        }
    }

    fn is_loop_head(&self, at: usize) -> bool {
        at == 1
    }

    fn widen(&mut self, _: usize, earlier: &Interval, state: Interval, times: u32) -> Interval {
        self.grown(*earlier, state, times)
    }
}

#[test]
fn loops_are_widened() {
    for options in common::all_options() {
        let mut counter = Counter::default();
        let search = exhaust(&mut counter, options);
        assert!(!search.errors().is_empty(), "{options:?}");
        // [0,0], [0,1], [0,2], [0,∞]
        assert!(search.statistics().expanded <= 10, "{options:?}");
        let all = Interval {
            low: 0,
            high: i64::MAX,
        };
        if options.algorithm != Algorithm::Differencing || options.aggregate.is_some() {
            assert!(search.reached(1).any(|(_, state)| *state == all));
        }
        let widens = options.aggregate.is_none();
        assert_eq!(search.statistics().widenings > 0, widens);
        let is_plain = options.algorithm == Algorithm::Plain && widens;
        // Plain looks whether [1,∞] is known only after it is widened to [0,∞].
        let times: &[u32] = if is_plain { &[0, 1, 2, 3] } else { &[0, 1, 2] };
        assert_eq!(counter.times, times, "{options:?}");
    }
}
