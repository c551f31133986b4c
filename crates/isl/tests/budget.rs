//! The budget: it is exact, and whenever it ends, nothing is wrong and nothing is lost.

mod common;

use common::work::{a_bit_of_everything, boxes};
use isl::{Context, Map, Result, Set, Stopped};

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
