//! Numbers, mistakes, lifetimes, and examples that are known.

use isl::{Bound, Constraint, Context, Dim, Map, Piece, Result, Set, Stopped};

#[test]
fn numbers_of_128_bits() {
    let context = Context::new();
    for number in [
        0,
        1,
        -1,
        i128::from(i32::MAX),
        i128::from(i32::MIN),
        i128::from(i32::MAX) + 1,
        i128::from(i64::MIN),
        i128::from(u64::MAX),
        -i128::from(u64::MAX) - 1,
        i128::MAX,
        i128::MIN,
    ] {
        let set = Set::point(&context, &[number]).unwrap();
        assert_eq!(set.sample().unwrap(), Some(vec![number]));
        assert_eq!(set.minimum(0).unwrap(), Bound::Value(number));
        assert_eq!(set.to_string(), format!("{{ [{number}] }}"));
        let universe = Set::universe(&context, 1).unwrap();
        assert!(universe.fix(0, number).unwrap().is_equal(&set).unwrap());
        // number x + y = 0, whose sign isl may turn.
        let constraints = [Constraint::equal(
            [(Dim::At(0), number), (Dim::At(1), 1)],
            0,
        )];
        let line = Set::from_constraints(&context, 2, &constraints).unwrap();
        if let Some(negated) = number.checked_neg() {
            assert!(line.contains(&[1, negated]).unwrap());
            assert!(line.contains(&[-1, number]).unwrap());
        }
    }
    // Larger ones are in sets, but not to be had.
    let large = Set::point(&context, &[i128::MAX, 0])
        .unwrap()
        .apply(&Map::parse(&context, "{ [x, y] -> [x + 2] }").unwrap())
        .unwrap();
    assert_eq!(large.to_string(), format!("{{ [{}] }}", (1u128 << 127) + 1));
    let too_large = Stopped::Failed("a number of more than 128 bits".into());
    assert_eq!(large.sample().unwrap_err(), too_large);
    assert_eq!(large.maximum(0).unwrap_err(), too_large);
    assert_eq!(
        large.pieces().unwrap()[0].constraints().unwrap_err(),
        too_large
    );
    let twice = [Constraint::equal(
        [(Dim::At(0), i128::MAX), (Dim::At(0), 1)],
        0,
    )];
    assert_eq!(
        Set::from_constraints(&context, 1, &twice).unwrap_err(),
        too_large
    );
}

#[test]
fn mistakes_are_said() {
    let context = Context::new();
    let failed = |result: Result<String>| match result {
        Err(Stopped::Failed(message)) => message,
        other => panic!("{other:?}"),
    };
    let line = Set::universe(&context, 1).unwrap();
    let plane = Set::universe(&context, 2).unwrap();
    let map = Map::identity(&context, 2).unwrap();
    let text = |set: Result<Set>| set.map(|set| set.to_string());
    let map_text = |map: Result<Map>| map.map(|map| map.to_string());
    assert_eq!(
        failed(text(line.union(&plane))),
        "sets of 1 and 2 dimensions"
    );
    assert_eq!(
        failed(plane.is_subset(&line).map(|b| b.to_string())),
        "sets of 2 and 1 dimensions"
    );
    assert_eq!(
        failed(text(line.fix(1, 0))),
        "dimension 1 of 1 (they count from 0)"
    );
    assert!(failed(text(plane.project_out(&[0, 2]))).contains("dimension 2 of 2"));
    assert!(failed(text(plane.insert(3, 1))).contains("dimension 3 of 3"));
    assert!(failed(text(plane.insert(0, usize::MAX))).contains("dimensions"));
    assert!(failed(text(plane.rearrange(&[2]))).contains("In(2)"));
    assert!(failed(text(line.apply(&map))).contains("2 inputs"));
    assert!(failed(map_text(map.insert(Dim::In(3), 1))).contains("dimension 3 of 3"));
    assert!(failed(map_text(map.fix(Dim::Exists(0), 1))).contains("existential"));
    assert!(failed(map_text(map.intersect_range(&line))).contains("1 dimensions"));
    assert!(failed(map_text(Map::unwrap(&line, 2))).contains("dimension 2 of 2"));
    assert!(failed(text(Set::universe(&context, usize::MAX))).contains("dimensions"));
    for dim in [Dim::At(2), Dim::In(0), Dim::Out(0)] {
        let constraints = [Constraint::equal([(dim, 1)], 0)];
        let message = failed(text(Set::from_constraints(&context, 2, &constraints)));
        assert!(message.contains("no dimension"), "{message}");
    }
    let elsewhere = Set::universe(&Context::new(), 1).unwrap();
    assert_eq!(
        failed(text(line.union(&elsewhere))),
        "objects of different contexts"
    );
    for syntax in [
        "",
        "{ [x] : x > }",
        "{ [x] -> [y] }",
        "[n] -> { [x] : x < n }",
        "{ A[x] }",
        "{ [x] : \0 }",
    ] {
        failed(text(Set::parse(&context, syntax)));
    }
    failed(map_text(Map::parse(&context, "{ [x] -> B[y] }")));
    // There is no first point.
    failed(
        Set::parse(&context, "{ [x] : x <= 0 }")
            .unwrap()
            .lexmin()
            .map(|p| format!("{p:?}")),
    );
    // It all goes on.
    assert!(line.complement().unwrap().is_empty().unwrap());
    drop((line, plane, map, elsewhere));
    assert_eq!(context.references(), 0);
}

#[test]
fn objects_outlive_the_context_they_were_made_in() {
    let set = Set::parse(&Context::new(), "{ [x] : x > 0 }").unwrap();
    let piece: Piece = set.pieces().unwrap().remove(0);
    let context = set.context();
    assert!(context == piece.context() && context != Context::new());
    drop((context, set));
    assert_eq!(piece.to_string(), "{ [x] : x > 0 }");
    assert!(piece.to_set().unwrap().contains(&[1]).unwrap());
}

#[test]
fn unbounded_sets_have_no_bounds() {
    let context = Context::new();
    let set = Set::parse(&context, "{ [x, y] : x >= 3 and y <= 2x; [x, 0] : x = -5 }").unwrap();
    assert_eq!(set.minimum(0).unwrap(), Bound::Value(-5));
    assert_eq!(set.maximum(0).unwrap(), Bound::Unbounded);
    assert_eq!(set.minimum(1).unwrap(), Bound::Unbounded);
    assert!(!set.is_bounded().unwrap());
    let empty = Set::parse(&context, "{ [x] : 2x = 1 }").unwrap();
    assert_eq!(empty.minimum(0).unwrap(), Bound::Empty);
    assert_eq!(
        (empty.lexmin().unwrap(), empty.sample().unwrap()),
        (None, None)
    );
}

#[test]
fn remainders_are_known_as_floor_divisions() {
    let context = Context::new();
    // n % 4 == 0, by an integer that nobody defined.
    let constraints = [Constraint::equal(
        [(Dim::At(0), 1), (Dim::Exists(0), -4)],
        0,
    )];
    let set = Set::from_constraints(&context, 1, &constraints).unwrap();
    let pieces = set.compute_divs().unwrap().pieces().unwrap();
    assert_eq!(pieces.len(), 1);
    let definitions = pieces[0].definitions().unwrap();
    let [Some(quotient)] = definitions.as_slice() else {
        panic!("{definitions:?}")
    };
    // floor(n / 4), or a way of writing it that is the same for all n.
    for n in -9i128..9 {
        let [(Dim::At(0), factor)] = quotient.form.terms[..] else {
            panic!("{quotient:?}")
        };
        let q = (factor * n + quotient.form.constant).div_euclid(quotient.divisor);
        let equal = pieces[0].constraints().unwrap().iter().all(|c| {
            let terms = c
                .form
                .terms
                .iter()
                .map(|(dim, k)| k * if *dim == Dim::At(0) { n } else { q });
            let value = terms.sum::<i128>() + c.form.constant;
            value == 0 || (c.kind == isl::Kind::AtLeastZero && value > 0)
        });
        assert_eq!(equal, n % 4 == 0, "{n}");
    }
}
