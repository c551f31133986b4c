//! What callers are told of conditions that are not convex: a parameter by which a function chooses, several reasons to come
//! back, numbers so large that others wrap. All with one disjunct, with which a condition is lost at the next join.
#![allow(clippy::unwrap_used)]

use dual::execute::Limits;
use dual::function::Outcomes;
use dual::program::{Dual, Settings};
use ir::CallGraph;

fn with_disjuncts(disjuncts: usize, source: &str, name: &str) -> Outcomes {
    let program = ir::text::parse(source).unwrap_or_else(|e| panic!("{e}"));
    let graph = CallGraph::new(&program);
    let limits = Limits {
        disjuncts,
        ..Limits::default()
    };
    let settings = Settings {
        limits,
        ..Settings::default()
    };
    let mut dual = Dual::new(&program, &graph, settings);
    let f = program.find_function(name).unwrap();
    dual.function(f).unwrap()
}

/// As in Linpack: what is done for other steps than 1 is out of reach for those who pass 1.
const STEPS: &str = r#"unit "steps.c"
fn walk(n: i32, step: i32) -> void {
    0: assume step != 1
    0: assume step == 1           -> 3
    1: skip
    2: check assertion n < 100    -> 4
    3: check assertion n < 1000
    4: exit
}
fn by_one(n: i32) -> void {
    0: call walk(n, 1)
    1: exit
}
fn by_two(n: i32) -> void {
    0: call walk(n, 2)
    1: exit
}
fn by_any(n: i32, step: i32) -> void {
    0: call walk(n, step)
    1: exit
}
"#;

#[test]
fn a_constant_that_is_passed_chooses() {
    let least = |name: &str| {
        let all = with_disjuncts(1, STEPS, name);
        let err = all.any_err().unwrap();
        (err.minimum(0).unwrap(), all.failures.len())
    };
    assert_eq!(least("by_one"), (isl::Bound::Value(1000), 1));
    assert_eq!(least("by_two"), (isl::Bound::Value(100), 1));
    assert_eq!(least("by_any"), (isl::Bound::Value(100), 2));
}

/// It comes back for two reasons, and the hull of both is all inputs.
const TWO: &str = r#"unit "two.c"
fn two(a: i32, b: i32) -> void {
    0: assume a <= 0              -> 4
    0: assume a > 0
    1: assume b <= 0              -> 3
    1: assume b > 0
    2: check assertion a < 0
    3: skip
    4: exit
}
fn neither() -> void {
    0: call two(1, 2)
    1: exit
}
fn one() -> void {
    0: call two(1, 0)
    1: exit
}
"#;

#[test]
fn reasons_to_come_back_stay_apart() {
    let all = with_disjuncts(1, TWO, "neither");
    assert!(all.ok.is_empty().unwrap());
    assert!(!all.must().unwrap().is_empty().unwrap());
    let all = with_disjuncts(1, TWO, "one");
    assert!(!all.ok.is_empty().unwrap());
}

/// Twice an index wraps only beyond 2^30: who passes less is not concerned.
const TWICE: &str = r#"unit "twice.c"
fn twice(p: i8*, n: i32, i: i32, mode: i32) -> void {
    var j: i32
    0: assume 0 <= i
    1: assume i < n
    2: j = i << 1
    3: assume mode < 0            -> 5
    3: assume mode >= 0
    4: assume mode > 1
    4: assume mode <= 1           -> 5
    5: check null-dereference p != null
    6: check out-of-bounds in_bounds(p + j, 1)
    7: exit
}
fn few(i: i32, mode: i32) -> void {
    var all: i8[200]
    0: call twice(&all[0], 100, i, mode)
    1: exit
}
"#;

#[test]
fn what_needs_large_numbers_stays_apart() {
    let all = with_disjuncts(2, TWICE, "few");
    assert!(all.failures.is_empty(), "{:?}", all.failures);
}

/// An element's address is passed on: the callee is told which.
const ELEMENT: &str = r#"unit "element.c"
fn reads(p: i8*) -> void {
    0: check null-dereference p != null
    1: check out-of-bounds in_bounds(p, 1)
    2: exit
}
fn passes(p: i8*, i: i32) -> void {
    0: assume i >= 0
    1: call reads(p + i)
    2: exit
}
fn within() -> void {
    var all: i8[10]
    0: call passes(&all[0], 9)
    1: exit
}
fn behind() -> void {
    var all: i8[10]
    0: call passes(&all[0], 10)
    1: exit
}
"#;

#[test]
fn an_offset_that_was_moved_is_one() {
    let all = with_disjuncts(4, ELEMENT, "within");
    assert!(all.failures.is_empty(), "{:?}", all.failures);
    let all = with_disjuncts(4, ELEMENT, "behind");
    assert!(all.ok.is_empty().unwrap());
}
