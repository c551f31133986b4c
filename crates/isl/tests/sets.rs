//! Operations on sets against the oracle.

mod common;

use std::collections::BTreeSet;

use common::{Point, Reading, any_union, config, grid, points, two_unions};
use isl::{Bound, Context, Set};
use proptest::prelude::*;

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn constraints_have_their_points(a in any_union()) {
        let context = Context::new();
        let set = a.set(&context).unwrap();
        prop_assert_eq!(set.dimensions(), a.dimensions);
        prop_assert_eq!(points(&set, a.size + 1).unwrap(), a.points());
        let all = a.points();
        // isl's own word for it, on some.
        for point in grid(a.dimensions, a.size).iter().step_by(29) {
            prop_assert_eq!(set.contains(point).unwrap(), all.contains(point));
        }
        drop(set);
        prop_assert_eq!(context.references(), 0);
    }

    #[test]
    fn boolean_operations((a, b) in two_unions()) {
        let context = Context::new();
        let (s, t) = (a.set(&context).unwrap(), b.set(&context).unwrap());
        let (p, q) = (a.points(), b.points());
        let size = a.size + 1;
        prop_assert_eq!(points(&s.intersect(&t).unwrap(), size).unwrap(), &p & &q);
        prop_assert_eq!(points(&s.union(&t).unwrap(), size).unwrap(), &p | &q);
        prop_assert_eq!(points(&s.subtract(&t).unwrap(), size).unwrap(), &p - &q);
        let all: BTreeSet<Point> = grid(a.dimensions, size).into_iter().collect();
        prop_assert_eq!(points(&s.complement().unwrap(), size).unwrap(), &all - &p);
        let gist = points(&s.gist(&t).unwrap(), size).unwrap();
        prop_assert_eq!(&gist & &q, &p & &q);
    }

    #[test]
    fn comparisons((a, b) in two_unions()) {
        let context = Context::new();
        let (s, t) = (a.set(&context).unwrap(), b.set(&context).unwrap());
        let (p, q) = (a.points(), b.points());
        prop_assert_eq!(s.is_empty().unwrap(), p.is_empty());
        prop_assert_eq!(s.is_subset(&t).unwrap(), p.is_subset(&q));
        prop_assert_eq!(s.is_equal(&t).unwrap(), p == q);
        prop_assert_eq!(s.is_disjoint(&t).unwrap(), p.is_disjoint(&q));
        // Random ones are seldom subsets of each other, these always are.
        let both = s.intersect(&t).unwrap();
        prop_assert!(both.is_subset(&s).unwrap());
        prop_assert_eq!(both.is_equal(&s).unwrap(), p.is_subset(&q));
        prop_assert!(s.subtract(&t).unwrap().is_disjoint(&t).unwrap());
    }

    #[test]
    fn other_ways_of_writing(a in any_union()) {
        let context = Context::new();
        let set = a.set(&context).unwrap();
        let expected = a.points();
        let size = a.size + 1;
        for (name, other) in [
            ("coalesce", set.coalesce()),
            ("remove_redundancies", set.remove_redundancies()),
            ("detect_equalities", set.detect_equalities()),
            ("compute_divs", set.compute_divs()),
            ("make_disjoint", set.make_disjoint()),
        ] {
            prop_assert_eq!(&points(&other.unwrap(), size).unwrap(), &expected, "{}", name);
        }
        prop_assert!(set.coalesce().unwrap().disjuncts() <= set.disjuncts());
        let apart = set.make_disjoint().unwrap().pieces().unwrap();
        let apart: Vec<_> = apart
            .iter()
            .map(|piece| Reading::of_piece(piece).unwrap().points(a.dimensions, size))
            .collect();
        let sum: usize = apart.iter().map(BTreeSet::len).sum();
        prop_assert_eq!(sum, expected.len());
        let above = set.remove_divs().unwrap();
        prop_assert!(points(&above, size).unwrap().is_superset(&expected));
        for piece in above.pieces().unwrap() {
            prop_assert_eq!(piece.existentials(), 0);
        }
    }

    #[test]
    fn pieces_are_their_constraints(a in any_union()) {
        let context = Context::new();
        let set = a.set(&context).unwrap();
        let pieces = set.pieces().unwrap();
        prop_assert_eq!(pieces.len(), set.disjuncts());
        let mut again = Set::empty(&context, a.dimensions).unwrap();
        for piece in &pieces {
            // Existential integers that isl does not know are in the constraints as well.
            let constraints = piece.constraints().unwrap();
            let copy = isl::Piece::from_constraints(&context, a.dimensions, &constraints).unwrap();
            prop_assert!(copy.to_set().unwrap().is_equal(&piece.to_set().unwrap()).unwrap());
            prop_assert_eq!(piece.is_empty().unwrap(), copy.is_empty().unwrap());
            again = again.union(&copy.to_set().unwrap()).unwrap();
        }
        prop_assert!(again.is_equal(&set).unwrap());
    }

    #[test]
    fn printed_is_read(a in any_union()) {
        let context = Context::new();
        let set = a.set(&context).unwrap();
        let read = Set::parse(&context, &set.to_string()).unwrap();
        prop_assert_eq!(points(&read, a.size + 1).unwrap(), a.points());
        prop_assert!(read.is_equal(&set).unwrap());
    }

    #[test]
    fn dimensions_go((a, mask) in (any_union(), 0usize..16)) {
        let context = Context::new();
        let set = a.set(&context).unwrap();
        let out: Vec<usize> = (0..a.dimensions).rev().filter(|i| mask >> i & 1 == 1).collect();
        let projected = set.project_out(&out).unwrap();
        let expected: BTreeSet<Point> = a
            .points()
            .into_iter()
            .map(|point| {
                let kept = (0..a.dimensions).filter(|i| !out.contains(i));
                kept.map(|i| point[i]).collect()
            })
            .collect();
        prop_assert_eq!(projected.dimensions(), a.dimensions - out.len());
        prop_assert_eq!(points(&projected, a.size + 1).unwrap(), expected);
    }

    #[test]
    fn dimensions_come((a, at, number) in (any_union(), 0usize..3, 0usize..2)) {
        let context = Context::new();
        let set = a.set(&context).unwrap();
        let all = a.points();
        let without = |point: &Point, at: usize| [&point[..at], &point[at + number..]].concat();
        for (inserted, at) in [
            (set.insert(at, number).unwrap(), at),
            (set.add(number).unwrap(), a.dimensions),
        ] {
            let expected: BTreeSet<Point> = grid(a.dimensions + number, 2)
                .into_iter()
                .filter(|point| all.contains(&without(point, at)))
                .collect();
            prop_assert_eq!(points(&inserted, 2).unwrap(), expected);
        }
    }

    #[test]
    fn dimensions_change_places((a, order) in any_union().prop_flat_map(|a| {
        let n = a.dimensions;
        (Just(a), proptest::collection::vec(0..n, 0..4))
    })) {
        let context = Context::new();
        let set = a.set(&context).unwrap().rearrange(&order).unwrap();
        let expected: BTreeSet<Point> = a
            .points()
            .iter()
            .map(|point| order.iter().map(|&i| point[i]).collect())
            .collect();
        prop_assert_eq!(set.dimensions(), order.len());
        prop_assert_eq!(points(&set, a.size).unwrap(), expected);
    }

    #[test]
    fn values((a, at, number) in (any_union(), 0usize..2, -7i128..7)) {
        let context = Context::new();
        let set = a.set(&context).unwrap().fix(at, number).unwrap();
        let mut expected = a.points();
        expected.retain(|point| point[at] == number);
        prop_assert_eq!(points(&set, a.size + 1).unwrap(), expected);
    }

    #[test]
    fn points_and_bounds(a in any_union()) {
        let context = Context::new();
        let set = a.set(&context).unwrap();
        let all = a.points();
        // A tree set of points is in the order of coordinates.
        prop_assert_eq!(set.lexmin().unwrap(), all.first().cloned());
        match set.sample().unwrap() {
            None => prop_assert!(all.is_empty()),
            Some(point) => prop_assert!(all.contains(&point)),
        }
        prop_assert!(set.is_bounded().unwrap());
        for i in 0..a.dimensions {
            let bound = |value: Option<i128>| value.map_or(Bound::Empty, Bound::Value);
            prop_assert_eq!(set.minimum(i).unwrap(), bound(all.iter().map(|p| p[i]).min()));
            prop_assert_eq!(set.maximum(i).unwrap(), bound(all.iter().map(|p| p[i]).max()));
        }
    }

    #[test]
    fn constrained((a, constraint) in any_union().prop_flat_map(|a| {
        let n = a.dimensions;
        (Just(a), common::constraint(n, false))
    })) {
        let context = Context::new();
        let set = a.set(&context).unwrap();
        let mut expected = a.points();
        for piece in set.pieces().unwrap() {
            let inside = Reading::of_piece(&piece).unwrap().points(a.dimensions, a.size);
            // Of a piece without points nothing is promised.
            if inside.is_empty() {
                continue;
            }
            prop_assert_eq!(
                piece.implies(&constraint).unwrap(),
                inside.iter().all(|point| common::satisfied(&constraint, point, &[]))
            );
        }
        expected.retain(|point| common::satisfied(&constraint, point, &[]));
        let constrained = set.constrain(&[constraint]).unwrap();
        prop_assert_eq!(points(&constrained, a.size).unwrap(), expected);
    }
}
