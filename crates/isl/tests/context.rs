//! The budget, errors, and that nothing is lost.

use isl::{Bound, Constraint, Context, Dim, Map, Piece, Result, Set, Stopped};

/// The complement of so many small boxes on a diagonal: more pieces with every one.
fn boxes(context: &Context, number: i128) -> Result<Set> {
    let mut set = Set::empty(context, 3)?;
    for i in 0..number {
        let sides = (0..3).flat_map(|d| {
            [
                Constraint::at_least_zero([(Dim::At(d), 1)], -10 * i),
                Constraint::at_least_zero([(Dim::At(d), -1)], 10 * i + 3 + d as i128),
            ]
        });
        let sides: Vec<_> = sides.collect();
        set = set.union(&Set::from_constraints(context, 3, &sides)?)?;
    }
    Ok(set)
}

#[test]
fn a_budget_ends_and_is_given_again() {
    let context = Context::new();
    let set = boxes(&context, 40).unwrap();
    context.allow(100_000);
    assert_eq!(set.complement().unwrap_err(), Stopped::Budget);
    assert_eq!(context.spent(), 100_000);
    // Nothing goes any more …
    assert_eq!(set.complement().unwrap_err(), Stopped::Budget);
    assert_eq!(Set::universe(&context, 2).unwrap_err(), Stopped::Budget);
    // … but to look at what there is, and to print it.
    assert_eq!((set.dimensions(), set.disjuncts()), (3, 40));
    assert!(set.to_string().contains(" or "));
    assert_eq!(set.complement().unwrap_err(), Stopped::Budget);

    // The set is as it was.
    context.allow(10_000_000);
    assert!(set.contains(&[13, 14, 15]).unwrap());
    assert!(!set.contains(&[13, 14, 16]).unwrap());
    let small = boxes(&context, 3).unwrap();
    let outside = small.complement().unwrap();
    assert!(outside.is_disjoint(&small).unwrap());
    assert!(small.is_subset(&set).unwrap());
    drop((set, small, outside));
    assert_eq!(context.references(), 0);
}

#[test]
fn nothing_may_be_allowed() {
    let context = Context::new();
    let set = boxes(&context, 2).unwrap();
    context.allow(0);
    assert_eq!(set.complement().unwrap_err(), Stopped::Budget);
    assert_eq!(context.spent(), 0);
    assert_eq!(set.complement().unwrap_err(), Stopped::Budget);
    context.allow_anything();
    assert!(!set.complement().unwrap().is_empty().unwrap());
}

#[test]
fn what_is_spent_is_counted() {
    let context = Context::new();
    context.allow_anything();
    assert_eq!(context.spent(), 0);
    let set = boxes(&context, 4).unwrap();
    let made = context.spent();
    assert!(made > 0);
    assert_eq!(context.spent(), made);
    // Printing is free.
    assert!(set.to_string().len() > 20);
    assert_eq!(context.spent(), made);
    set.complement().unwrap();
    let cost = context.spent() - made;
    // Exactly so much is needed, whatever was done before, and whether it is counted from zero or not.
    context.allow(cost);
    set.complement().unwrap();
    assert_eq!(context.spent(), cost);
    context.allow(cost - 1);
    assert_eq!(set.complement().unwrap_err(), Stopped::Budget);
    context.allow(2 * cost);
    set.complement().unwrap();
    assert_eq!(context.spent(), cost);
    assert!(set.to_string().len() > 20);
    set.complement().unwrap();
    assert_eq!(context.spent(), 2 * cost);
    assert_eq!(set.complement().unwrap_err(), Stopped::Budget);
}

#[test]
fn the_cost_does_not_depend_on_what_was_done_before() {
    let cost = |context: &Context| {
        let set = boxes(context, 4).unwrap();
        let hulls = Set::parse(
            context,
            "{ [x, y] : 0 <= x <= y and (x + y) mod 3 = 0 or x = 9 }",
        );
        context.allow_anything();
        set.complement().unwrap().coalesce().unwrap();
        hulls.unwrap().convex_hull().unwrap();
        context.spent()
    };
    let fresh = Context::new();
    let expected = cost(&fresh);
    let used = Context::new();
    let other = boxes(&used, 7).unwrap().complement().unwrap();
    let _ = other.convex_hull().unwrap();
    used.allow(5_000);
    let _ = other.complement();
    used.allow_anything();
    assert_eq!(cost(&used), expected);
    assert_eq!(cost(&used), expected);
    assert_eq!(cost(&fresh), expected);
}

/// A bit of everything, as text.
fn a_bit_of_everything(context: &Context) -> Result<Vec<String>> {
    let a = Set::parse(
        context,
        "{ [x, y] : 0 <= x <= 3y and (x + y) mod 3 = 0 and y <= 9; [x, 4] : x > 2 }",
    )?;
    let b = Set::from_constraints(
        context,
        2,
        &[
            Constraint::equal([(Dim::At(0), 1), (Dim::Exists(0), -2)], 1),
            Constraint::at_least_zero([(Dim::At(1), 5), (Dim::Exists(0), -3)], 1 << 70),
        ],
    )?;
    let map = Map::parse(context, "{ [x, y] -> [z] : z = 2x - y or 2z <= x }")?;
    let mut out = Vec::new();
    for set in [
        a.intersect(&b)?,
        a.union(&b)?.coalesce()?,
        a.subtract(&b)?,
        a.complement()?,
        a.gist(&b)?,
        a.project_out(&[0])?,
        a.insert(1, 1)?,
        a.rearrange(&[1, 0, 1])?,
        a.fix(0, 6)?,
        b.compute_divs()?,
        a.make_disjoint()?,
        a.remove_divs()?
            .detect_equalities()?
            .remove_redundancies()?,
        a.apply(&map)?,
        map.wrap()?,
        map.reverse()?.domain()?,
        map.complement()?.gist_domain(&b)?.wrap()?,
        map.intersect_domain(&a)?.range()?,
        map.project_out(&[Dim::In(1)])?
            .apply_range(&Map::identity(context, 1)?)?
            .wrap()?,
    ] {
        out.push(set.to_string());
        for piece in set.pieces()? {
            out.push(format!(
                "{:?} {:?}",
                piece.constraints()?,
                piece.definitions()?
            ));
        }
        out.push(format!("{:?}", set.sample()?));
    }
    let bounded = a.remove_divs()?.fix(1, 4)?;
    for hull in [
        a.convex_hull()?,
        a.simple_hull()?,
        a.affine_hull()?,
        a.polyhedral_hull()?,
        bounded.bounded_simple_hull()?,
    ] {
        out.push(hull.to_string());
        out.push(hull.widen(&a.convex_hull()?)?.to_string());
    }
    out.push(format!("{:?} {:?}", a.minimum(0)?, a.maximum(0)?));
    out.push(format!(
        "{:?}",
        (
            a.is_subset(&b)?,
            a.is_equal(&b)?,
            a.is_disjoint(&b)?,
            a.lexmin()?
        )
    ));
    Ok(out)
}

#[test]
fn any_budget_gives_the_right_answer_or_none() {
    let context = Context::new();
    let expected = a_bit_of_everything(&context).unwrap();
    // Once more: names in the notation, which nothing but `parse` makes, are remembered by isl.
    context.allow_anything();
    assert_eq!(a_bit_of_everything(&context).unwrap(), expected);
    let cost = context.spent();
    let mut stopped = 0;
    // More densely at the beginning, and to stop at all kinds of places.
    let mut budget = 1;
    while budget < cost {
        context.allow(budget);
        assert_eq!(
            a_bit_of_everything(&context),
            Err(Stopped::Budget),
            "{budget}"
        );
        assert_eq!(context.references(), 0, "lost with a budget of {budget}");
        stopped += 1;
        budget += 1 + budget.min(cost / 150);
    }
    assert!(stopped > 100);
    context.allow(cost);
    assert_eq!(a_bit_of_everything(&context).unwrap(), expected);
    assert_eq!(context.spent(), cost);
}

/// Objects that an operation shares with its arguments must not be left half done.
#[test]
fn objects_are_as_before_when_a_budget_ends() {
    let context = Context::new();
    let text = "{ [x, y] : 0 <= x <= 3y and (x + y) mod 3 = 0 and y <= 9; [x, 4] : x > 2; [x, y] : 2x < y < 7x }";
    let set = Set::parse(&context, text).unwrap();
    let other = Set::parse(
        &context,
        "{ [x, y] : exists q : y = 3q and q < x < 2q + 5 }",
    )
    .unwrap();
    let map = Map::parse(&context, "{ [x, y] -> [z] : z = 2x - y or 2z <= x }").unwrap();
    let operations: [&dyn Fn() -> Result<Set>; 9] = [
        &|| set.complement(),
        &|| set.subtract(&other),
        &|| set.union(&other)?.coalesce(),
        &|| set.apply(&map),
        &|| set.convex_hull()?.to_set(),
        &|| other.project_out(&[1])?.compute_divs(),
        &|| set.gist(&other),
        &|| map.complement()?.wrap()?.make_disjoint(),
        &|| {
            Ok(if set.is_subset(&other)? {
                set.clone()
            } else {
                other.clone()
            })
        },
    ];
    for (i, operation) in operations.iter().enumerate() {
        context.allow_anything();
        let expected = operation().unwrap();
        let cost = context.spent();
        let mut budget = 1;
        while budget < cost {
            context.allow(budget);
            // It may be less than at first: isl notes on objects what it found out about them.
            let result = operation();
            context.allow_anything();
            match result {
                Ok(result) => assert!(result.is_equal(&expected).unwrap(), "{i} with {budget}"),
                Err(stopped) => assert_eq!(stopped, Stopped::Budget),
            }
            budget += 1 + cost / 60;
        }
        for (used, text) in [
            (&set, text),
            (
                &other,
                "{ [x, y] : y mod 3 = 0 and y < 3x and 3x < 2y + 15 }",
            ),
        ] {
            let pristine = Set::parse(&context, text).unwrap();
            assert!(used.is_equal(&pristine).unwrap(), "{i}: {used}");
        }
    }
}

#[test]
fn the_same_in_any_context_and_after_anything() {
    let context = Context::new();
    let first = a_bit_of_everything(&context).unwrap();
    let other = boxes(&context, 5).unwrap();
    context.allow(30_000);
    let _ = other.complement().and_then(|set| set.convex_hull());
    context.allow_anything();
    assert_eq!(a_bit_of_everything(&context).unwrap(), first);
    assert_eq!(a_bit_of_everything(&Context::new()).unwrap(), first);
    let elsewhere = std::thread::spawn(|| a_bit_of_everything(&Context::new()).unwrap());
    assert_eq!(elsewhere.join().unwrap(), first);
}

/// In another process, where addresses are others: this test starts itself. That process sees errors of all kinds, too, and
/// says nothing.
#[test]
fn the_same_in_any_process() {
    const CHILD: &str = "ISL_TEST_WRITES_TO";
    if let Some(file) = std::env::var_os(CHILD) {
        let context = Context::new();
        assert!(Set::parse(&context, "{ [x] : x > }").is_err());
        let set = boxes(&context, 9).unwrap();
        context.allow(1_000);
        assert_eq!(set.complement().unwrap_err(), Stopped::Budget);
        context.allow_anything();
        assert!(
            Set::parse(&context, "{ [x] : x < 0 }")
                .unwrap()
                .lexmin()
                .is_err()
        );
        let text = a_bit_of_everything(&context).unwrap().join("\n");
        std::fs::write(file, text).unwrap();
        return;
    }
    let expected = a_bit_of_everything(&Context::new()).unwrap().join("\n");
    for number in 0..2 {
        let file = std::env::temp_dir().join(format!("isl-{}-{number}", std::process::id()));
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "the_same_in_any_process"])
            .env(CHILD, &file)
            .output()
            .unwrap();
        let text = std::fs::read_to_string(&file);
        let _ = std::fs::remove_file(&file);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(text.unwrap(), expected);
    }
}

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
