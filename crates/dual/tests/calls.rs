//! Calls and recursion: what callers know of those they call.
#![allow(clippy::unwrap_used)]

use dual::arithmetic::Integers;
use dual::execute::Failure;
use dual::function::Outcomes;
use dual::program::{Dual, Effort, Settings};
use ir::CallGraph;
use isl::{Context, Set};

fn of(source: &str, name: &str, integers: Integers) -> (Context, Outcomes) {
    let program = ir::text::parse(source).unwrap_or_else(|e| panic!("{e}"));
    let graph = CallGraph::new(&program);
    let settings = Settings {
        integers,
        ..Settings::default()
    };
    let mut dual = Dual::new(&program, &graph, settings);
    let f = program.find_function(name).unwrap();
    let all = dual.function(f).unwrap();
    for (f, effort) in dual.efforts() {
        assert_eq!(*effort, Effort::Full, "{}", program.function_name(*f));
    }
    (dual.context().clone(), all)
}

fn assert_is(context: &Context, what: &str, set: &Set, wanted: &str) {
    let wanted = Set::parse(context, wanted).unwrap();
    assert!(
        set.is_equal(&wanted).unwrap(),
        "{what}: {set}, not {wanted}"
    );
}

/// §2.1: `g` calls itself. The array's length is a number.
const G: &str = r#"unit "g.c"
fn g(i: i32, len: i32) -> void {
    0: assume i > 0
    0: assume i <= 0              -> 3
    1: check assertion i < len
    2: call g(i - 1, len)
    3: exit
}
"#;

#[test]
fn g_is_precise_after_the_fixed_point() {
    let (context, all) = of(G, "g", Integers::Unbounded);
    let must = "{ [i, len] : i > 0 and i >= len }";
    assert_is(&context, "MUST", &all.must().unwrap(), must);
    assert_is(&context, "MAY", &all.may().unwrap(), "{ [i, len] : false }");
    let never = "{ [i, len] : i <= 0 or 1 <= i <= len - 1 }";
    assert_is(&context, "NEVER", &all.never().unwrap(), never);
    let endless = all.endless().unwrap();
    assert_is(&context, "LOOP", &endless, "{ [i, len] : false }");
}

/// An index that grows with the recursion: it can be too small in the first activation only, too large in any below.
const ROWS: &str = r#"unit "rows.c"
fn rows(row: i32, n: i32, len: i32) -> void {
    0: assume row < n
    0: assume row >= n            -> 4
    1: check assertion row >= 0
    2: check assertion row < len
    3: call rows(row + 1, n, len)
    4: exit
}
"#;

#[test]
fn an_activation_below_fails_with_its_own_inputs() {
    let (context, all) = of(ROWS, "rows", Integers::Unbounded);
    let err = "{ [row, n, len] : row < n and (row < 0 or n > len) }";
    assert_is(&context, "ERR", &all.any_err().unwrap(), err);
    let never = "{ [row, n, len] : row >= n or (0 <= row and n <= len) }";
    assert_is(&context, "NEVER", &all.never().unwrap(), never);
}

/// §3: comes back for no more than 10.
const FOO5: &str = r#"unit "foo5.c"
fn foo5(i: i32) -> i32 {
    temp $call: i32
    0: assume i == 10
    0: assume i != 10             -> 2
    1: return 1                   -> 6
    2: check integer-overflow !overflow(i + 1)
    3: $call = foo5(i + 1)
    4: check integer-overflow !overflow($call + 2)
    5: return $call + 2
    6: exit
}
fn caller(n: i32) -> i32 {
    temp $call: i32
    0: $call = foo5(n)
    1: check assertion $call == 21 - 2 * n
    2: return $call
    3: exit
}
"#;

#[test]
fn foo5_never_ends_beyond_ten() {
    let (context, all) = of(FOO5, "foo5", Integers::Unbounded);
    assert_is(&context, "OK", &all.ok, "{ [i] : i <= 10 }");
    let endless = all.endless().unwrap();
    assert_is(&context, "LOOP", &endless, "{ [i] : i > 10 }");
    assert!(all.failures.is_empty(), "{:?}", all.failures);
}

/// OK: i ≤ 10 ∧ res = 2(10 - i) + 1, seen by a caller.
#[test]
fn foo5_is_a_relation_between_input_and_result() {
    let (context, all) = of(FOO5, "caller", Integers::Unbounded);
    assert!(all.failures.is_empty(), "{:?}", all.failures);
    assert_is(&context, "OK", &all.ok, "{ [n] : n <= 10 }");
    let endless = all.endless().unwrap();
    assert_is(&context, "LOOP", &endless, "{ [n] : n > 10 }");
}

#[test]
fn foo5_overflows_on_a_machine() {
    let (context, all) = of(FOO5, "foo5", Integers::Machine);
    let endless = all.endless().unwrap();
    assert_is(&context, "LOOP", &endless, "{ [i] : false }");
    let must = all.must().unwrap();
    let beyond = Set::parse(&context, "{ [i] : 10 < i <= 2147483647 }").unwrap();
    assert!(beyond.is_subset(&must).unwrap(), "{must}");
}

/// A callee that fails for some inputs, a caller that meets them, and one that does not.
const DIVIDE: &str = r#"unit "divide.c"
fn divide(a: i32, b: i32) -> i32 {
    0: check division-by-zero b != 0
    1: return a / b
    2: exit
}
fn meets(a: i32) -> i32 {
    temp $call: i32
    0: $call = divide(a, 0)
    1: return $call
    2: exit
}
fn avoids(a: i32) -> i32 {
    temp $call: i32
    0: assume a > 0
    0: assume a <= 0              -> 3
    1: $call = divide(100, a)
    2: return $call               -> 4
    3: return 0
    4: exit
}
fn passes_on(a: i32, b: i32) -> i32 {
    temp $call: i32
    0: $call = divide(a, b - 1)
    1: return $call
    2: exit
}
"#;

#[test]
fn a_condition_of_the_callee_becomes_one_of_the_caller() {
    let (context, all) = of(DIVIDE, "meets", Integers::Unbounded);
    assert_is(&context, "MUST", &all.must().unwrap(), "{ [a] }");
    assert_is(&context, "OK", &all.ok, "{ [a] : false }");
    let (_, all) = of(DIVIDE, "avoids", Integers::Unbounded);
    assert!(all.failures.is_empty(), "{:?}", all.failures);
    let (context, all) = of(DIVIDE, "passes_on", Integers::Unbounded);
    assert_is(&context, "MUST", &all.must().unwrap(), "{ [a, b] : b = 1 }");
    assert_is(&context, "MAY", &all.may().unwrap(), "{ [a, b] : false }");
    assert!(matches!(
        all.failures.keys().next(),
        Some(Failure::Call(_, Some(_)))
    ));
}

/// What is behind pointers goes in and comes out.
const SWAP: &str = r#"unit "swap.c"
fn swap(p: i32*, q: i32*) -> void {
    var t: i32
    0: t = *p
    1: *p = *q
    2: *q = t
    3: exit
}
fn right() -> void {
    var x: i32, y: i32
    0: x = 1
    1: y = 2
    2: call swap(&x, &y)
    3: check assertion y == 1
    4: exit
}
fn set(p: i32*, n: i32) -> void {
    0: *p = n + 1
    1: exit
}
fn sets(n: i32) -> void {
    var x: i32, other: i32
    0: other = 5
    1: call set(&x, n)
    2: check assertion x == n + 1
    3: check assertion other == 5
    4: check assertion x != 8
    5: exit
}
"#;

#[test]
fn what_a_callee_stores_the_caller_sees() {
    let (context, all) = of(SWAP, "sets", Integers::Unbounded);
    let must = all.must().unwrap();
    assert_is(&context, "MUST", &must, "{ [n] : n = 7 }");
    assert_eq!(all.failures.len(), 1, "{:?}", all.failures);
    let (_, all) = of(SWAP, "right", Integers::Unbounded);
    assert!(all.failures.is_empty(), "{:?}", all.failures);
}

/// A callee that makes an object, or gives null.
const MAKE: &str = r#"unit "make.c"
extern fn malloc(u64) -> i8*
extern fn exit(i32) -> void noreturn
fn make(n: i32) -> i8* {
    temp $call: i8*
    0: assume n > 0
    0: assume n <= 0              -> 4
    1: $call = malloc((u64)n)
    2: assume $call != null
    2: assume $call == null       -> 5
    3: return $call               -> 6
    4: return null                -> 6
    5: call exit(1) noreturn      -> 6
    6: exit
}
fn uses(n: i32, i: i32) -> void {
    var p: i8*
    0: p = make(n)
    1: check null-dereference p != null
    2: check out-of-bounds in_bounds(p + i, 1)
    3: exit
}
"#;

#[test]
fn an_object_that_a_callee_makes_has_its_length() {
    let (context, all) = of(MAKE, "uses", Integers::Machine);
    let world = "-2147483648 <= n <= 2147483647 and -2147483648 <= i <= 2147483647";
    let ok = format!("{{ [n, i] : n > 0 and 0 <= i < n and {world} }}");
    assert_is(&context, "OK", &all.ok, &ok);
    let exit = format!("{{ [n, i] : n > 0 and {world} }}");
    assert_is(&context, "EXIT", &all.exit, &exit);
    let must = format!("{{ [n, i] : n <= 0 and {world} }}");
    assert_is(&context, "MUST", &all.must().unwrap(), &must);
}

/// Recursion through two functions.
const EVEN: &str = r#"unit "even.c"
fn even(n: i32) -> i32 {
    temp $call: i32
    0: assume n == 0
    0: assume n != 0              -> 2
    1: return 1                   -> 4
    2: $call = odd(n - 1)
    3: return $call
    4: exit
}
fn odd(n: i32) -> i32 {
    temp $call: i32
    0: assume n == 0
    0: assume n != 0              -> 2
    1: return 0                   -> 4
    2: $call = even(n - 1)
    3: return $call
    4: exit
}
"#;

#[test]
fn two_functions_that_call_each_other() {
    let (context, all) = of(EVEN, "even", Integers::Unbounded);
    assert_is(&context, "OK", &all.ok, "{ [n] : n >= 0 }");
    assert_is(&context, "LOOP", &all.endless().unwrap(), "{ [n] : n < 0 }");
}

/// A list walked in a loop, and objects made in one: their number is not bounded, their names are.
const MANY: &str = r#"unit "many.c"
extern fn malloc(u64) -> i8*
fn many(n: i32) -> void {
    var i: i32, p: i8*, q: i8*
    0: i = 0
    1: p = null
    2: assume i < n
    2: assume i >= n              -> 6
    3: q = p
    4: p = malloc(8)
    5: i = i + 1                  -> 2
    6: check null-dereference q != null
    7: exit
}
"#;

#[test]
fn objects_made_in_a_loop() {
    let (_, all) = of(MANY, "many", Integers::Unbounded);
    // For n = 1 it is null, for more it may be, since malloc may fail.
    assert!(!all.any_err().unwrap().is_empty().unwrap());
    assert!(!all.ok.is_empty().unwrap());
}

/// §4.2: a copy that writes one byte more than there is room for, and its correction.
fn copy(less: &str) -> String {
    format!(
        r#"unit "copy.c"
fn r_strncpy(to: i8*, from: i8*, n: i32) -> void {{
    var i: i32
    0: i = 0
    1: assume i {less} n
    1: assume !(i {less} n)       -> 6
    2: check null-dereference from != null
    3: check out-of-bounds in_bounds(from + i, 1)
    4: check null-dereference to != null
    5: check out-of-bounds in_bounds(to + i, 1) -> 7
    7: *(to + i) = *(from + i)
    8: i = i + 1                  -> 1
    6: exit
}}
fn caller() -> void {{
    var name: i8[64], long: i8[100]
    0: call r_strncpy(&name[0], &long[0], 64)
    1: exit
}}
"#
    )
}

#[test]
fn off_by_one_must_fail_and_its_correction_never_does() {
    let (_, all) = of(&copy("<="), "caller", Integers::Machine);
    assert!(all.ok.is_empty().unwrap());
    assert!(!all.must().unwrap().is_empty().unwrap());
    let (context, all) = of(&copy("<"), "caller", Integers::Machine);
    assert!(all.failures.is_empty(), "{:?}", all.failures);
    assert_is(&context, "OK", &all.ok, "{ [] }");
}

/// A pointer that the function is handed may lead to a function of which nobody in view knows.
const THROUGH: &str = r#"unit "through.c"
const global table: (fn(i32) -> i32)*[1] = zero with { 0: &zero }
static fn zero(n: i32) -> i32 {
    0: return 0
    1: exit
}
fn use(f: (fn(i32) -> i32)*, n: i32) -> i32 {
    var got: i32
    0: assume n == 7
    0: assume n != 7              -> 4
    1: got = (*f)(n)
    2: check division-by-zero got != 0
    3: return 10 / got            -> 5
    4: return 1
    5: exit
}
"#;

#[test]
fn whoever_is_called_through_a_pointer_may_be_somebody_else() {
    let (_, all) = of(THROUGH, "use", Integers::Machine);
    assert!(all.guessed);
    // It can fail, and come back, whoever is called.
    assert!(!all.any_err().unwrap().is_empty().unwrap());
    assert!(all.possible.is_subset(&all.ok).unwrap(), "{}", all.ok);
    assert!(all.must().unwrap().is_empty().unwrap());
}
