//! Hulls against the oracle: what contains all points, and what holds for all points.

mod common;

use common::{Point, any_union, config, grid, points};
use isl::{Constraint, Context, Dim, Piece, Set, Stopped};
use proptest::collection::vec;
use proptest::prelude::*;

type Hull = fn(&Set) -> isl::Result<Piece>;

/// Small directions: not zero.
fn directions(dimensions: usize) -> Vec<Point> {
    let mut all = grid(dimensions, if dimensions > 3 { 1 } else { 2 });
    all.retain(|d| d.iter().any(|x| *x != 0));
    all
}

fn product(a: &[i128], b: &[i128]) -> i128 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn terms(direction: &[i128]) -> Vec<(Dim, i128)> {
    let with_position = direction.iter().enumerate();
    with_position.map(|(i, x)| (Dim::At(i), *x)).collect()
}

/// A box given by a corner and its extent.
fn cuboid(context: &Context, corner: &[i128], extent: &[i128]) -> Set {
    let constraints: Vec<Constraint> = (0..corner.len())
        .flat_map(|i| {
            [
                Constraint::at_least_zero([(Dim::At(i), 1)], -corner[i]),
                Constraint::at_least_zero([(Dim::At(i), -1)], corner[i] + extent[i]),
            ]
        })
        .collect();
    Set::from_constraints(context, corner.len(), &constraints).unwrap()
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn all_hulls_contain_the_set(a in any_union()) {
        let context = Context::new();
        let set = a.set(&context).unwrap();
        let hulls: [(&str, Hull); 5] = [
            ("affine", Set::affine_hull),
            ("simple", Set::simple_hull),
            ("bounded simple", Set::bounded_simple_hull),
            ("convex", Set::convex_hull),
            ("polyhedral", Set::polyhedral_hull),
        ];
        for (name, hull) in hulls {
            // Every existential integer of every piece is a dimension to the convex hull, which then takes too long.
            context.allow(200_000);
            let hull = match hull(&set) {
                Err(Stopped::Budget) if matches!(name, "convex" | "polyhedral") => return Ok(()),
                hull => hull.unwrap().to_set().unwrap(),
            };
            context.allow_anything();
            prop_assert!(points(&hull, a.size).unwrap().is_superset(&a.points()), "{}", name);
            prop_assert!(set.is_subset(&hull).unwrap(), "{}", name);
            prop_assert!(hull.disjuncts() <= 1);
            if name == "bounded simple" || name == "convex" {
                prop_assert!(hull.is_bounded().unwrap());
            }
        }
        let convex = set.convex_hull().unwrap().to_set().unwrap();
        // What existential integers say is left out of the one, not of the other.
        let polyhedral = set.polyhedral_hull().unwrap();
        prop_assert_eq!(polyhedral.existentials(), 0);
        let polyhedral = polyhedral.to_set().unwrap();
        prop_assert!(convex.is_subset(&polyhedral).unwrap());
        if set.pieces().unwrap().iter().all(|piece| piece.existentials() == 0) {
            prop_assert!(polyhedral.is_subset(&convex).unwrap());
        }
    }

    #[test]
    fn the_affine_hull_has_every_equality(a in any_union()) {
        let context = Context::new();
        let all = a.points();
        let hull = a.set(&context).unwrap().affine_hull().unwrap();
        let Some(first) = all.first() else {
            prop_assert!(hull.is_empty().unwrap());
            return Ok(());
        };
        for direction in directions(a.dimensions) {
            let value = product(&direction, first);
            let constant = all.iter().all(|point| product(&direction, point) == value);
            let equality = Constraint::equal(terms(&direction), -value);
            prop_assert_eq!(hull.implies(&equality).unwrap(), constant);
        }
    }
}

proptest! {
    #![proptest_config(config(30))]

    // Boxes have integers at their corners, so that the hull is that of the integer points: in every direction, it goes as far
    // as they do.
    #[test]
    fn the_convex_hull_is_the_least((n, boxes) in (2usize..=4).prop_flat_map(|n| {
        (Just(n), vec((vec(-4i128..=4, n), vec(0i128..=3, n)), 1..4))
    })) {
        let context = Context::new();
        let mut set = Set::empty(&context, n).unwrap();
        for (corner, extent) in &boxes {
            set = set.union(&cuboid(&context, corner, extent)).unwrap();
        }
        let far = |direction: &Point| {
            let least = boxes.iter().map(|(corner, extent)| {
                let coordinates = (0..n).map(|i| {
                    (direction[i] * corner[i]).min(direction[i] * (corner[i] + extent[i]))
                });
                coordinates.sum::<i128>()
            });
            least.min().unwrap()
        };
        let hulls: [Piece; 2] = [set.convex_hull().unwrap(), set.polyhedral_hull().unwrap()];
        for hull in hulls {
            for direction in directions(n) {
                let least = far(&direction);
                let touches = Constraint::at_least_zero(terms(&direction), -least);
                let cuts = Constraint::at_least_zero(terms(&direction), -least - 1);
                prop_assert!(hull.implies(&touches).unwrap(), "{:?}", direction);
                prop_assert!(!hull.implies(&cuts).unwrap(), "{:?}", direction);
            }
        }
    }
}

#[test]
fn a_hull_that_is_known() {
    let context = Context::new();
    let set = Set::parse(&context, "{ [0, 0]; [4, 0]; [0, 4] }").unwrap();
    let triangle = Set::parse(&context, "{ [x, y] : x >= 0 and y >= 0 and x + y <= 4 }").unwrap();
    assert!(
        set.convex_hull()
            .unwrap()
            .to_set()
            .unwrap()
            .is_equal(&triangle)
            .unwrap()
    );
    // x + y <= 4 is no constraint of a point.
    let square = Set::parse(&context, "{ [x, y] : 0 <= x <= 4 and 0 <= y <= 4 }").unwrap();
    let simple = set.simple_hull().unwrap().to_set().unwrap();
    assert!(triangle.is_subset(&simple).unwrap() && simple.is_subset(&square).unwrap());
    // That all are odd is no equality of these points, but it is one of sets that say so.
    let odd = Set::parse(&context, "{ [1]; [3]; [7] }").unwrap();
    let hull = odd.affine_hull().unwrap().to_set().unwrap();
    assert!(hull.is_equal(&Set::universe(&context, 1).unwrap()).unwrap());
    let odd = Set::parse(
        &context,
        "{ [x] : x mod 2 = 1 and (0 <= x <= 5 or 11 <= x <= 20) }",
    );
    let hull = odd.unwrap().affine_hull().unwrap().to_set().unwrap();
    let expected = Set::parse(&context, "{ [x] : x mod 2 = 1 }").unwrap();
    assert!(hull.is_equal(&expected).unwrap(), "{hull}");
}
