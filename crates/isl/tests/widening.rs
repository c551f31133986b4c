//! Widening: it contains both pieces, and its chains end.

mod common;

use common::{config, constraint, satisfied, size, system};
use isl::{Constraint, Context, Dim, Piece, Set};
use proptest::collection::vec;
use proptest::prelude::*;

fn piece(context: &Context, text: &str) -> Piece {
    let set = Set::parse(context, text).unwrap();
    let pieces = set.pieces().unwrap();
    assert_eq!(pieces.len(), 1, "{text}");
    pieces[0].clone()
}

fn same(a: &Piece, b: &Piece) -> bool {
    a.to_set().unwrap().is_equal(&b.to_set().unwrap()).unwrap()
}

fn contains(a: &Piece, b: &Piece) -> bool {
    b.to_set().unwrap().is_subset(&a.to_set().unwrap()).unwrap()
}

fn widened(old: &str, new: &str, expected: &str) {
    let context = Context::new();
    let result = piece(&context, old).widen(&piece(&context, new)).unwrap();
    assert!(same(&result, &piece(&context, expected)), "{result}");
}

#[test]
fn what_moved_is_dropped() {
    widened(
        "{ [i] : 0 <= i <= 1 }",
        "{ [i] : 0 <= i <= 2 }",
        "{ [i] : i >= 0 }",
    );
}

#[test]
fn an_equality_becomes_an_inequality() {
    widened("{ [0] }", "{ [i] : 0 <= i <= 1 }", "{ [i] : i >= 0 }");
}

#[test]
fn what_did_not_move_stays() {
    // The paper's loop: i <= 10 is the loop's own condition.
    widened(
        "{ [i, n] : i = 0 and n <= 10 }",
        "{ [i, n] : 0 <= i <= 1 and n <= 10 }",
        "{ [i, n] : 0 <= i and n <= 10 }",
    );
}

#[test]
fn another_way_of_writing_the_old_is_kept() {
    // Of (0, 0), no constraint says x >= y; but it could be written with it.
    widened(
        "{ [0, 0] }",
        "{ [x, y] : 0 <= y <= x <= 1 }",
        "{ [x, y] : 0 <= y <= x }",
    );
    // And so in whichever way the old one comes.
    widened(
        "{ [x, y] : x = y and x + y = 0 }",
        "{ [x, y] : 0 <= y <= x <= 1 }",
        "{ [x, y] : 0 <= y <= x }",
    );
}

#[test]
fn nothing_is_widened_to_the_other() {
    let context = Context::new();
    let some = piece(&context, "{ [i] : i >= 3 }");
    // No integer, one fraction: isl finds out only when it is asked.
    let none = [Constraint::equal([(Dim::At(0), 2)], -1)];
    let none = Piece::from_constraints(&context, 1, &none).unwrap();
    assert!(same(&none.widen(&some).unwrap(), &some));
    assert!(same(&some.widen(&none).unwrap(), &some));
    assert!(none.widen(&none).unwrap().is_empty().unwrap());
}

#[test]
fn remainders_are_forgotten() {
    widened(
        "{ [i] : i mod 2 = 0 and 0 <= i <= 4 }",
        "{ [i] : i mod 2 = 0 and 0 <= i <= 6 }",
        "{ [i] : i >= 0 }",
    );
}

#[test]
fn shapes_must_fit() {
    let context = Context::new();
    let a = piece(&context, "{ [i] : i >= 0 }");
    let b = piece(&context, "{ [i, j] : i >= 0 }");
    assert!(matches!(a.widen(&b), Err(isl::Stopped::Failed(_))));
}

/// How long a chain can be: the affine hull grows, and then inequalities go, of which there are few.
const STEPS: usize = 40;

fn chain(first: &Piece, next: impl Fn(usize, &Piece) -> Piece) -> Result<Piece, TestCaseError> {
    let mut last = first.clone();
    let mut changes = 0;
    for turn in 0..10 * STEPS {
        let new = next(turn, &last);
        let result = last.widen(&new).unwrap();
        prop_assert!(contains(&result, &last) && contains(&result, &new));
        prop_assert_eq!(result.existentials(), 0);
        changes += usize::from(!same(&result, &last));
        prop_assert!(changes <= STEPS, "still {} after {} steps", result, turn);
        let quiet = turn >= changes + 12;
        last = result;
        if quiet {
            break;
        }
    }
    Ok(last)
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn contains_both((n, a, b) in (2usize..=4).prop_flat_map(|n| {
        (Just(n), system(n, size(n)), system(n, size(n)))
    })) {
        let context = Context::new();
        let old = Piece::from_constraints(&context, n, &a).unwrap();
        let new = Piece::from_constraints(&context, n, &b).unwrap();
        let result = old.widen(&new).unwrap();
        prop_assert!(contains(&result, &old) && contains(&result, &new));
        prop_assert_eq!(result.existentials(), 0);
        // Nothing moves: nothing is lost but what existential integers say.
        prop_assert!(same(&result.widen(&old).unwrap(), &result));
        prop_assert!(same(&result.widen(&new).unwrap(), &result));
        drop((old, new, result));
        prop_assert_eq!(context.references(), 0);
    }

    /// What holds for the result holds for the points of both: checked by evaluation, not by isl.
    #[test]
    fn keeps_only_what_holds((a, b) in (system(2, 6), system(2, 6))) {
        let context = Context::new();
        let old = Piece::from_constraints(&context, 2, &a).unwrap();
        let new = Piece::from_constraints(&context, 2, &b).unwrap();
        let constraints = old.widen(&new).unwrap().constraints().unwrap();
        for system in [a, b] {
            let union = common::Union { dimensions: 2, size: 6, systems: vec![system] };
            for point in union.points() {
                prop_assert!(constraints.iter().all(|c| satisfied(c, &point, &[])));
            }
        }
    }

    /// A chain that grows as it likes: each new piece is the hull of the last one and a random one.
    #[test]
    fn chains_end((n, systems) in (2usize..=3).prop_flat_map(|n| {
        (Just(n), vec((vec(constraint(n, false), 1..5), vec(-50i128..=50, n)), 2..10))
    })) {
        let context = Context::new();
        // Unbounded ones, too; every turn somewhere else.
        let pieces: Vec<Piece> = systems
            .iter()
            .map(|(system, _)| Piece::from_constraints(&context, n, system).unwrap())
            .collect();
        chain(&pieces[0], |turn, last| {
            let other = &pieces[turn % pieces.len()];
            let (_, offset) = &systems[turn % systems.len()];
            let moved: Vec<Constraint> = other.constraints().unwrap().into_iter().map(|mut c| {
                for (i, d) in offset.iter().enumerate() {
                    let factor: i128 = c.form.terms.iter().filter(|(dim, _)| *dim == Dim::At(i)).map(|(_, f)| f).sum();
                    c.form.constant -= factor * d * turn as i128;
                }
                c
            }).collect();
            let moved = Set::from_constraints(&context, n, &moved).unwrap();
            moved.union(&last.to_set().unwrap()).unwrap().convex_hull().unwrap()
        })?;
    }

    /// Points one by one: the chain starts with many equalities, which it must lose one after the other.
    #[test]
    fn chains_of_points_end(points in vec(vec(-20i128..=20, 3), 2..12)) {
        let context = Context::new();
        let point = |i: usize| Set::point(&context, &points[i % points.len()]).unwrap();
        let first = point(0).pieces().unwrap().remove(0);
        let limit = chain(&first, |turn, last| {
            let union = point(turn + 1).union(&last.to_set().unwrap()).unwrap();
            union.convex_hull().unwrap()
        })?;
        for i in 0..points.len() {
            prop_assert!(point(i).is_subset(&limit.to_set().unwrap()).unwrap());
        }
    }
}
