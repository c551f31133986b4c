//! The paper's own examples: Figure 2 (§2) and `foo` (§3.2).

mod common;

use common::Statement::{Assume, Declare, Define, Skip, Use};
use common::{Automaton, Name, Program, exhaust, labels};
use search::{Algorithm, Bounds, Color, Interval, Names, Options, Space};

/// `int x, y; if (…) x = …; f(y);`, the branch that leaves `x` undefined first.
fn figure_2() -> Program<Names<Name>> {
    Program::new(
        5,
        &[
            (0, Declare("x"), 1),
            (1, Declare("y"), 2),
            (2, Skip, 3),
            (2, Define("x", Interval::ALL), 3),
            (3, Use("y"), 4),
        ],
    )
}

fn names(all: &[Name]) -> Names<Name> {
    all.iter().copied().collect()
}

/// The states at a location that have been coloured, and are not red.
fn visited<S: Space>(search: &search::Search<'_, S>, at: usize) -> Vec<S::State> {
    search
        .states()
        .filter(|id| search.at(*id) == at && search.color(*id) == Color::Black)
        .filter_map(|id| search.state(id).cloned())
        .collect()
}

#[test]
fn figure_2_with_covering_finds_y_once() {
    for algorithm in [Algorithm::Covering, Algorithm::Differencing] {
        let mut program = figure_2();
        let error = program.rejecting(4);
        let search = exhaust(
            &mut program,
            Options {
                algorithm,
                ..Options::default()
            },
        );
        assert_eq!(search.errors().len(), 1);
        assert_eq!(labels(&search, search.errors()[0]), [0, 1, 2, 4]);
        // (0,{}) (1,{x}) (2,{x,y}) (3,{x,y}) (4,{x,y}) are explored, (3,{y}) is covered.
        let statistics = search.statistics();
        assert_eq!(
            (statistics.grey, statistics.black, statistics.red),
            (6, 5, 1)
        );
        assert_eq!(visited(&search, 3), [names(&["x", "y"])]);
        assert_eq!(visited(&search, error), [names(&["x", "y"])]);
    }
}

#[test]
fn figure_2_without_covering_finds_y_twice() {
    let mut program = figure_2();
    let error = program.rejecting(4);
    let options = Options {
        algorithm: Algorithm::Plain,
        ..Options::default()
    };
    let search = exhaust(&mut program, options);
    assert_eq!(search.errors().len(), 2);
    assert_eq!(labels(&search, search.errors()[0]), [0, 1, 2, 4]);
    assert_eq!(labels(&search, search.errors()[1]), [0, 1, 3, 4]);
    let statistics = search.statistics();
    assert_eq!(
        (statistics.grey, statistics.black, statistics.red),
        (7, 7, 0)
    );
    assert_eq!(visited(&search, error), [names(&["x", "y"]), names(&["y"])]);
}

/// `foo`, its edges numbered as in the constants below.
fn foo<A: Automaton>() -> Program<A> {
    let positive = Interval::above(0);
    let not_positive = Interval::at_most(0);
    let negative = Interval::at_most(-1);
    let not_negative = Interval::above(-1);
    Program::new(
        9,
        &[
            (0, Declare("u"), 1),
            (1, Declare("v"), 2),
            // L1
            (2, Assume("x", positive), 3),
            (3, Define("v", Interval::ALL), 5),
            (2, Assume("x", not_positive), 4),
            (4, Define("v", Interval::ALL), 5),
            // L2
            (5, Assume("x", negative), 6),
            (6, Use("u"), 8),
            (5, Assume("x", not_negative), 7),
            (7, Use("x"), 8),
        ],
    )
}

const P1: [usize; 6] = [0, 1, 2, 3, 6, 7];
const P2: [usize; 6] = [0, 1, 4, 5, 6, 7];

#[test]
fn foo_without_bounds_has_one_path_and_it_is_p1() {
    let mut program = foo::<Names<Name>>();
    let search = exhaust(&mut program, Options::default());
    assert_eq!(search.errors().len(), 1);
    assert_eq!(labels(&search, search.errors()[0]), P1);
    // The else-branch comes to L2 with {u}, which is known there.
    assert_eq!(search.statistics().known, 1);
}

#[test]
fn foo_with_bounds_has_one_path_and_it_is_p2() {
    let mut program = foo::<(Names<Name>, Bounds<Name>)>();
    let search = exhaust(&mut program, Options::default());
    assert_eq!(search.errors().len(), 1);
    assert_eq!(labels(&search, search.errors()[0]), P2);
    // x > 0 at L2 leads to `return x` only; both states of L2 are explored.
    assert_eq!(search.reached(5).count(), 2);
}
