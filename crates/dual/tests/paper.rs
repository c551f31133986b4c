//! The paper's examples (dual.txt), as control-flow automata, with its formulas.
#![allow(clippy::unwrap_used)]

use dual::arithmetic::Integers;
use dual::execute::Limits;
use dual::function::{Outcomes, outcomes};
use isl::{Context, Set};

fn of(source: &str, integers: Integers) -> (Context, Outcomes) {
    let program = ir::text::parse(source).unwrap_or_else(|e| panic!("{e}"));
    let (_, _, body) = program.bodies().next().unwrap();
    let context = Context::new();
    let all = outcomes(&context, &program, body, integers, Limits::default()).unwrap();
    (context, all)
}

fn assert_is(context: &Context, what: &str, set: &Set, wanted: &str) {
    let wanted = Set::parse(context, wanted).unwrap();
    assert!(
        set.is_equal(&wanted).unwrap(),
        "{what}: {set}, not {wanted}"
    );
}

/// §1: `complexTest` is a function of which nothing is known.
const FOO: &str = r#"unit "foo.c"
fn foo(x: i32, y: i32) -> i32 {
    temp $call: i32
    0: assume x <= y
    0: assume x > y               -> 4
    1: assume x > 10
    1: assume x <= 10             -> 3
    2: check assertion 0 != 0     -> 9
    3: return 1                   -> 10
    4: $call = complexTest(x, y)
    5: assume $call != 0
    5: assume $call == 0          -> 7
    6: check assertion 0 != 0     -> 9
    7: assume x >= y
    7: assume x < y               -> 9
    8: return 2                   -> 10
    9: check assertion 0 != 0
    10: exit
}
extern fn complexTest(i32, i32) -> i32
"#;

#[test]
fn foo_must_may_or_never_fail() {
    let (context, all) = of(FOO, Integers::Unbounded);
    assert_is(
        &context,
        "OK",
        &all.ok,
        "{ [x, y] : (x <= y and x <= 10) or x > y }",
    );
    let err = all.any_err().unwrap();
    assert_is(
        &context,
        "ERR",
        &err,
        "{ [x, y] : (x <= y and x > 10) or x > y }",
    );
    assert_is(
        &context,
        "MUST",
        &all.must().unwrap(),
        "{ [x, y] : x <= y and x > 10 }",
    );
    assert_is(&context, "MAY", &all.may().unwrap(), "{ [x, y] : x > y }");
    assert_is(
        &context,
        "NEVER",
        &all.never().unwrap(),
        "{ [x, y] : x <= y and x <= 10 }",
    );
    assert_is(
        &context,
        "LOOP",
        &all.endless().unwrap(),
        "{ [x, y] : false }",
    );
    // ℓ3 is behind x > y and x < y.
    assert_eq!(all.own().count(), 2);
}

/// §2: `g` with its array's length as a number, as a loop.
const G: &str = r#"unit "g.c"
fn g(i: i32, len: i32) -> void {
    0: assume i > 0
    0: assume i <= 0              -> 4
    1: check assertion i < len
    2: check integer-overflow !overflow(i - 1)
    3: i = i - 1                  -> 0
    4: exit
}
"#;

#[test]
fn g_is_precise_after_the_fixed_point() {
    let (context, all) = of(G, Integers::Unbounded);
    assert_is(
        &context,
        "MUST",
        &all.must().unwrap(),
        "{ [i, len] : i > 0 and i >= len }",
    );
    assert_is(&context, "MAY", &all.may().unwrap(), "{ [i, len] : false }");
    let never = "{ [i, len] : i <= 0 or 1 <= i <= len - 1 }";
    assert_is(&context, "NEVER", &all.never().unwrap(), never);
    assert_is(
        &context,
        "LOOP",
        &all.endless().unwrap(),
        "{ [i, len] : false }",
    );
}

#[test]
fn g_is_as_precise_with_machine_integers() {
    let (context, all) = of(G, Integers::Machine);
    let world = "-2147483648 <= i <= 2147483647 and -2147483648 <= len <= 2147483647";
    let must = format!("{{ [i, len] : i > 0 and i >= len and {world} }}");
    assert_is(&context, "MUST", &all.must().unwrap(), &must);
    assert_is(&context, "MAY", &all.may().unwrap(), "{ [i, len] : false }");
    // The assertion; i - 1 never overflows.
    assert_eq!(all.own().count(), 1);
}

/// §4.1: where SYNERGY does not come to an end.
const FIG9: &str = r#"unit "fig9.c"
fn ex_fig9() -> void {
    var x: i32, y: i32
    0: x = 0
    1: y = 0
    2: assume y >= 0
    2: assume y < 0               -> 5
    3: check integer-overflow !overflow(y + x)
    4: y = y + x                  -> 2
    5: check assertion 0 != 0
    6: exit
}
"#;

#[test]
fn ex_fig9_never_ends_and_never_fails() {
    for integers in [Integers::Unbounded, Integers::Machine] {
        let (context, all) = of(FIG9, integers);
        assert_is(&context, "OK", &all.ok, "{ [] : false }");
        assert_is(&context, "LOOP", &all.endless().unwrap(), "{ [] }");
        assert!(all.failures.is_empty());
    }
}

/// §4.2, SpamAssassin: the limit is 0, the inner loop is never entered, the outer one never ends.
fn message_write(limit: u32) -> String {
    format!(
        r#"unit "loop_ok.c"
fn message_write(len: i32) -> void {{
    var limit: i32, i: i32, j: i32
    0: limit = {limit}
    1: i = 0
    2: assume i < len
    2: assume i >= len            -> 10
    3: j = 0
    4: assume i < len
    4: assume i >= len            -> 2
    5: assume j < limit
    5: assume j >= limit          -> 2
    6: check out-of-bounds j < 4
    7: check integer-overflow !overflow(j + 1)
    8: j = j + 1
    9: i = i + 1                  -> 4
    10: exit
}}
"#
    )
}

#[test]
fn a_limit_of_zero_is_an_endless_loop() {
    let (context, all) = of(&message_write(0), Integers::Machine);
    let endless = "{ [len] : 0 < len <= 2147483647 }";
    assert_is(&context, "LOOP", &all.endless().unwrap(), endless);
    assert!(all.failures.is_empty());
}

#[test]
fn the_corrected_loop_ends_and_stays_within_its_buffer() {
    let (context, all) = of(&message_write(2), Integers::Machine);
    assert_is(
        &context,
        "LOOP",
        &all.endless().unwrap(),
        "{ [len] : false }",
    );
    assert!(all.failures.is_empty(), "{:?}", all.failures);
}
