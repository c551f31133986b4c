//! What running random functions (tests/soundness) has found, each as the few lines that show it.
#![allow(clippy::unwrap_used)]

use dual::arithmetic::Integers;
use dual::execute::Limits;
use dual::function::{Outcomes, outcomes};
use dual::input::{Aspect, Root};
use dual::program::{Dual, Settings};
use ir::{CallGraph, CheckId};
use isl::{Context, Set};

/// The outcomes of the only function.
fn alone(source: &str) -> Outcomes {
    let program = ir::text::parse(source).unwrap_or_else(|e| panic!("{e}"));
    let (_, _, body) = program.bodies().next().unwrap();
    let context = Context::new();
    let limits = Limits::default();
    outcomes(&context, &program, body, Integers::Machine, limits).unwrap()
}

/// The outcomes of `f`, with what is known of its callees.
fn with_callees(source: &str) -> Outcomes {
    let program = ir::text::parse(source).unwrap_or_else(|e| panic!("{e}"));
    let graph = CallGraph::new(&program);
    let f = program.find_function("f").unwrap();
    let mut dual = Dual::new(&program, &graph, Settings::default());
    dual.function(f).unwrap()
}

/// The part of a set in which this aspect of a parameter is so many; empty if nobody asked for it.
fn at(all: &Outcomes, set: &Set, parameter: u32, aspect: Aspect, number: i128) -> Set {
    let of = |input: &dual::input::Input| {
        let given = &input.given;
        given.root == Root::Parameter(parameter) && given.path.is_empty() && input.aspect == aspect
    };
    let at = all.inputs.iter().position(of).unwrap();
    set.fix(at, number).unwrap()
}

fn err(all: &Outcomes, check: u32) -> Set {
    all.err(CheckId(check)).unwrap()
}

#[test]
fn what_is_given_may_never_have_been_written() {
    let all = alone(
        r#"unit "a.c"
global g: i32 = 1
fn f() -> i32 {
    0: check uninitialized-use initialized(g)
    1: return 1
    2: exit
}
"#,
    );
    assert_eq!(all.inputs[0].aspect, Aspect::Initialized);
    let is = |set: &Set, wanted: &str| {
        let wanted = Set::parse(&set.context(), wanted).unwrap();
        assert!(set.is_equal(&wanted).unwrap(), "{set}");
    };
    is(&err(&all, 0), "{ [0] }");
    is(&all.ok, "{ [1] }");
}

#[test]
fn bits_that_nobody_has_written_are_moved_but_sums_are_numbers() {
    let all = alone(
        r#"unit "a.c"
fn f() -> i32 {
    var x: i32, y: i32, z: i32
    0: y = x & 3
    1: z = x +% 1
    2: check uninitialized-use initialized(y)
    3: check uninitialized-use initialized(z)
    4: return 1
    5: exit
}
"#,
    );
    // Which bits a mask leaves is not followed.
    assert!(!err(&all, 0).is_empty().unwrap());
    assert!(err(&all, 1).is_empty().unwrap());
    assert!(!all.ok.is_empty().unwrap());
}

#[test]
fn the_same_bits_are_other_numbers_at_another_type() {
    let all = alone(
        r#"unit "a.c"
union both { size 8 align 8; signed: i64 @0; unsigned: u64 @0 }
global g: union both = zero
fn f(n: i32) -> i32 {
    0: assume n == 0
    0: assume n != 0                       -> 2
    1: check assertion g.signed >= 0       -> 3
    2: check assertion g.unsigned < 9223372036854775808
    3: return 1
    4: exit
}
"#,
    );
    for (check, n) in [(0, 0), (1, 1)] {
        let fails = at(&all, &err(&all, check), 0, Aspect::Value, n);
        assert!(!fails.is_empty().unwrap(), "{check}");
    }
}

#[test]
fn null_that_is_moved_is_null_no_more() {
    let all = alone(
        r#"unit "a.c"
fn f(p: i32*) -> i32 {
    var q: i32*
    0: q = p + 4
    1: check null-dereference q != null
    2: check out-of-bounds in_bounds(q, 4)
    3: return 1
    4: exit
}
"#,
    );
    assert!(err(&all, 0).is_empty().unwrap());
    let null = at(&all, &err(&all, 1), 0, Aspect::Value, 0);
    assert!(!null.is_empty().unwrap());
    let null = at(&all, &all.ok, 0, Aspect::Value, 0);
    assert!(null.is_empty().unwrap());
}

#[test]
fn addresses_have_64_bits() {
    let all = alone(
        r#"unit "a.c"
fn f(p: i32*, n: i64) -> i32 {
    0: check null-dereference p != null
    1: check out-of-bounds in_bounds(p + n, 4)
    2: assume p + n < p
    2: assume p + n >= p                   -> 4
    3: return 1                            -> 5
    4: return 2
    5: exit
}
"#,
    );
    // 4 * 2^62 is 0 again.
    let wrapped = at(&all, &all.ok, 1, Aspect::Value, 1 << 62);
    assert!(!wrapped.is_empty().unwrap());
    // 4 bytes before the beginning are out of bounds, whatever they compare to.
    let before = at(&all, &all.ok, 1, Aspect::Value, -1);
    let before = at(&all, &before, 0, Aspect::Offset, 0);
    assert!(before.is_empty().unwrap());
}

#[test]
fn what_lies_far_before_its_object_is_beyond_the_others() {
    let all = alone(
        r#"unit "a.c"
fn f(p: i8*, n: i64) -> i32 {
    0: check null-dereference p != null
    1: assume p + n < p
    1: assume p + n >= p                   -> 3
    2: check assertion 0 != 0
    3: return 2
    4: exit
}
"#,
    );
    // Near: certain. Far: nobody knows where the object is.
    let at = |set: &Set, n: i128| at(&all, set, 1, Aspect::Value, n);
    assert!(at(&all.ok, -5).is_empty().unwrap());
    assert!(!at(&all.ok, i64::MIN.into()).is_empty().unwrap());
    assert!(!at(&err(&all, 1), i64::MIN.into()).is_empty().unwrap());
    assert!(at(&err(&all, 1), 5).is_empty().unwrap());
}

#[test]
fn a_trap_ends_the_program() {
    let all = alone(
        r#"unit "a.c"
fn f(n: i32) -> i32 {
    0: assume n > 0
    0: assume n <= 0                       -> 2
    1: trap trap                           -> 3
    2: return 2
    3: exit
}
"#,
    );
    let wanted = Set::parse(&all.exit.context(), "{ [n] : 0 < n <= 2147483647 }").unwrap();
    assert!(all.exit.is_equal(&wanted).unwrap());
    assert!(all.endless().unwrap().is_empty().unwrap());
}

#[test]
fn an_argument_may_never_have_been_written() {
    let all = with_callees(
        r#"unit "a.c"
fn uses(n: i32) -> i32 {
    0: check uninitialized-use initialized(n)
    1: return n
    2: exit
}
fn f(c: i32, n: i32) -> i32 {
    var x: i32
    temp $call: i32
    0: assume c > 0
    0: assume c <= 0                       -> 2
    1: x = n
    2: $call = uses(x)
    3: return $call
    4: exit
}
"#,
    );
    let fails = all.any_err().unwrap();
    let without = at(&all, &all.ok, 0, Aspect::Value, 0);
    assert!(without.is_empty().unwrap(), "x was not written");
    let with = at(&all, &fails, 0, Aspect::Value, 1);
    let with = at(&all, &with, 1, Aspect::Initialized, 1);
    assert!(with.is_empty().unwrap(), "it was");
    let neither = at(&all, &fails, 0, Aspect::Value, 1);
    let neither = at(&all, &neither, 1, Aspect::Initialized, 0);
    assert!(
        !neither.is_empty().unwrap(),
        "it was not written by the caller"
    );
}

#[test]
fn what_was_given_back_is_not_there() {
    let all = with_callees(
        r#"unit "a.c"
extern fn free(void*) -> void
fn drops(p: i32*) -> void {
    0: call free((void*)p)
    1: exit
}
fn f(p: i32*, q: i32*) -> i32 {
    0: check null-dereference p != null
    1: call drops(p)
    2: check use-after-free alive(q)
    3: check use-after-free alive(p)
    4: return 1
    5: exit
}
"#,
    );
    assert!(all.ok.is_empty().unwrap());
    // q may be the same.
    assert!(!err(&all, 1).is_empty().unwrap());
    assert!(!err(&all, 2).is_empty().unwrap());
}
