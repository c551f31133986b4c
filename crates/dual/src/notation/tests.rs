//! Conditions as people read them.

mod reading;

use super::signature::without_types;
use super::*;
use crate::arithmetic::Integers;
use crate::execute::Limits;
use crate::function::outcomes;
use isl::Context;

/// The notation of `fn f(PARAMETERS)`, and sets over its inputs as isl writes them.
struct World {
    isl: Context,
    notation: Notation,
}

impl World {
    fn new(parameters: &str) -> World {
        World::of(parameters, "0: exit")
    }

    fn of(parameters: &str, body: &str) -> World {
        let source = format!("unit \"f.c\"\nfn f({parameters}) -> void {{\n    {body}\n}}\n");
        let program = ir::text::parse(&source).unwrap_or_else(|e| panic!("{e}"));
        let (_, _, body) = program.bodies().next().unwrap();
        let isl = Context::new();
        let all = outcomes(&isl, &program, body, Integers::Machine, Limits::default()).unwrap();
        let notation = Notation::new(&program, body, &all).unwrap();
        World { isl, notation }
    }

    fn condition(&self, set: &str) -> Condition {
        let set = Set::parse(&self.isl, set).unwrap_or_else(|e| panic!("{e}"));
        self.notation.condition(&set).unwrap()
    }

    #[track_caller]
    fn says(&self, set: &str, text: &str) {
        let condition = self.condition(set);
        assert_eq!(condition.text, text);
        assert!(
            condition.exact && !condition.valid_pointers,
            "{condition:?}"
        );
    }

    /// Only of pointers as they should be.
    #[track_caller]
    fn says_of_valid(&self, set: &str, text: &str) {
        let condition = self.condition(set);
        assert_eq!(condition.text, text);
        assert!(condition.exact && condition.valid_pointers, "{condition:?}");
    }
}

#[test]
fn comparisons_of_numbers() {
    let w = World::new("n: i32, m: i32");
    w.says("{ [n, m] : 10 < n <= m }", "n > 10 && n <= m");
    w.says("{ [n, m] : n >= 10 }", "n >= 10");
    w.says("{ [n, m] : n < 10 }", "n < 10");
    w.says("{ [n, m] : n >= 1 }", "n > 0");
    w.says("{ [n, m] : n <= -1 }", "n < 0");
    w.says("{ [n, m] : n <= 0 }", "n <= 0");
    w.says("{ [n, m] : n = 7 and m = 2n }", "n == 7 && m == 14");
    w.says("{ [n, m] : m = 2n }", "m == 2 * n");
    w.says("{ [n, m] : n >= m + 3 }", "n > m + 2");
    w.says("{ [n, m] : 2n + 3m >= 12 }", "2 * n + 3 * m >= 12");
    w.says("{ [n, m] : n + m <= -1 }", "n + m < 0");
    w.says("{ [n, m] : n < 2m }", "n < 2 * m");
}

#[test]
fn what_types_say_is_not_said() {
    let w = World::new("n: i32, u: u32, b: bool");
    w.says("{ [n, u, b] }", "true");
    w.says("{ [n, u, b] : n <= 2147483647 and u >= 0 }", "true");
    w.says("{ [n, u, b] : u < 0 }", "false");
    w.says("{ [n, u, b] : n >= 2147483647 }", "n == INT_MAX");
    w.says("{ [n, u, b] : n >= -2147483647 }", "n > INT_MIN");
    w.says("{ [n, u, b] : u <= 0 }", "u == 0");
    w.says("{ [n, u, b] : b = 1 and n = 0 }", "n == 0 && b");
    w.says("{ [n, u, b] : b = 0 }", "!b");
    w.says("{ [n, u, b] : n + u > 4294967295 }", "n + u > UINT_MAX");
    // n + 4 overflows; n + u + 4 does.
    w.says("{ [n, u, b] : n + 4 > 2147483647 }", "n > INT_MAX - 4");
    w.says("{ [n, u, b] : n < u - 2147483647 }", "n < u - INT_MAX");
}

#[test]
fn alternatives_are_few_and_short() {
    let w = World::new("x: i32, y: i32");
    // The example of the paper's introduction.
    w.says(
        "{ [x, y] : (x <= y and x <= 10) or x > y }",
        "x <= 10 || x > y",
    );
    w.says("{ [x, y] : x < y or x > y }", "x != y");
    w.says(
        "{ [x, y] : (x < 5 or x > 5) and (y < 3 or y > 3) }",
        "x != 5 && y != 3",
    );
    w.says(
        "{ [x, y] : x < 0 or (x >= 0 and y > 7 and y < 20) }",
        "x < 0 || (y >= 8 && y < 20)",
    );
    w.says("{ [x, y] : x > 0 or x > 5 or (x > 3 and y > 1) }", "x > 0");
    w.says(
        "{ [x, y] : (x >= 1 and y >= 1) or (x <= -1 and y <= -1) }",
        "(x < 0 && y < 0) || (x > 0 && y > 0)",
    );
}

#[test]
fn what_is_common_is_said_once() {
    let w = World::new("x: i32, y: i32");
    w.says(
        "{ [x, y] : x > 0 and (y < x or y > 30) }",
        "x > 0 && (x > y || y > 30)",
    );
    w.says(
        "{ [x, y] : x > 0 and ((y < 0 and x < 9) or y > 30) }",
        "x > 0 && (y > 30 || (x <= 8 && y < 0))",
    );
}

#[test]
fn what_it_is_not_may_be_shorter() {
    let w = World::new("a: i32, b: i32");
    // a / b
    w.says(
        "{ [a, b] : b != 0 and not (a = -2147483648 and b = -1) }",
        "b != 0 && (a != INT_MIN || b != -1)",
    );
    w.says(
        "{ [a, b] : a != 1 and a != 5 and a != 9 }",
        "a != 1 && a != 5 && a != 9",
    );
    w.says(
        "{ [a, b] : not (0 < a < b < 20 and a != 7) }",
        "a <= 0 || a == 7 || a >= b || b >= 20",
    );
}

#[test]
fn remainders_and_quotients() {
    let w = World::new("n: i32, u: u32");
    w.says("{ [n, u] : n mod 4 = 0 }", "n % 4 == 0");
    // -3 % 4 is -3 in C.
    w.says("{ [n, u] : n mod 4 = 1 }", "(n - 1) % 4 == 0");
    w.says("{ [n, u] : n mod 4 = 3 }", "(n + 1) % 4 == 0");
    w.says("{ [n, u] : u mod 4 = 1 }", "u % 4 == 1");
    w.says("{ [n, u] : n mod 4 = 1 and n > 8 }", "n > 8 && n % 4 == 1");
    w.says("{ [n, u] : n mod 4 > 0 }", "n % 4 != 0");
    w.says("{ [n, u] : u mod 8 >= 3 }", "u % 8 > 2");
    w.says("{ [n, u] : n mod 8 >= 4 }", "(n % 8 + 8) % 8 >= 4");
    w.says("{ [n, u] : (n - 2) mod 8 = 0 }", "(n - 2) % 8 == 0");
    w.says("{ [n, u] : (n - 2) mod 8 = 3 }", "(n + 3) % 8 == 0");
    w.says("{ [n, u] : (u - 2) mod 8 >= 4 }", "(u + 6) % 8 >= 4");
    // That n is 4 at least follows from the remainder only as it is meant here, not as C computes it.
    w.says(
        "{ [n, u] : n >= 0 and n mod 10 >= 4 }",
        "n >= 0 && n % 10 >= 4",
    );
    w.says(
        "{ [n, u] : n >= 0 and (n - 4) mod 10 <= 5 }",
        "n >= 0 && (n + 6) % 10 <= 5",
    );
    w.says("{ [n, u] : n > 2 * floor(u / 4) }", "n > 2 * (u / 4)");
    w.says(
        "{ [n, u] : u > 2 * floor(n / 3) }",
        "u > 2 * (n / 3 - (n % 3 < 0))",
    );
    w.says(
        "{ [n, u] : n > 2 * floor((u - 2) / 4) }",
        "n >= 2 * ((u + 2) / 4) - 1",
    );
    // isl needs no quotient here, nor do people.
    w.says(
        "{ [n, u] : u = floor(n / 4) }",
        "n >= 4 * u && n < 4 * u + 4",
    );
}

/// Inputs: value, offset, length, alive.
#[test]
fn pointers() {
    let w = World::new("p: i32*, n: i32");
    let over = |condition: &str| format!("{{ [p, o, l, a, n] : {condition} }}");
    w.says(&over("p = 0"), "p == NULL");
    w.says(&over("p > 0"), "p != NULL");
    w.says(&over("l - o < 4n"), "len(p) < 4 * n");
    w.says(&over("p > 0 and a = 0"), "p != NULL && !alive(p)");
    w.says(&over("o + n < 0"), "offset(p) + n < 0");
    // What `*p` needs, and what makes it fail.
    w.says_of_valid(
        &over("p > 0 and a = 1 and l >= o + 4"),
        "p != NULL && len(p) >= 4",
    );
    w.says_of_valid(
        &over("p = 0 or (p > 0 and a = 0) or (p > 0 and a = 1 and l < o + 4)"),
        "p == NULL || len(p) < 4",
    );
    // A pointer beyond the end of its object is not as it should be: told in full, and only so.
    w.says(&over("o > l"), "len(p) < 0");
    w.says_of_valid(&over("a = 1"), "true");
}

/// Inputs: the number; value, offset, length and alive of the pointer; what is behind it.
#[test]
fn pointers_are_followed_where_they_are_not_null() {
    let w = World::of("n: i32, p: i32*", "0: n = *p\n    1: exit");
    let over = |condition: &str| format!("{{ [n, p, o, l, a, x] : {condition} }}");
    w.says(&over("p = 0 or x > n"), "p == NULL || n < *p");
    w.says(
        &over("n > 3 and (p = 0 or x > n)"),
        "n >= 4 && (p == NULL || n < *p)",
    );
    w.says(
        &over("(p > 0 and x > 5) or n > 8"),
        "n > 8 || (p != NULL && *p > 5)",
    );
    w.says(&over("not (p > 0 and x > n)"), "p == NULL || n >= *p");
}

#[test]
fn truths_are_no_numbers() {
    let w = World::new("a: bool, b: bool, n: i32");
    let over = |condition: &str| format!("{{ [a, b, n] : {condition} }}");
    w.says(&over("a > b"), "a && !b");
    w.says(&over("a >= b and n > 0"), "(a || !b) && n > 0");
    w.says(&over("a + b <= 1"), "!a || !b");
    w.says(&over("a = b"), "(!a && !b) || (a && b)");
}

#[test]
fn numbers_are_such_as_c_has() {
    let w = World::new("n: i64, u: u64");
    w.says("{ [n, u] : n = -2147483649 }", "n == -2147483649");
    w.says("{ [n, u] : n < -2147483648 }", "n < INT_MIN");
    w.says("{ [n, u] : n = 2147483650 }", "n == 2147483650");
    w.says("{ [n, u] : n = -2147483640 }", "n == INT_MIN + 8");
    w.says(
        "{ [n, u] : u >= 9223372036854775900 }",
        "u >= 9223372036854775900u",
    );
    let w = World::new("u: u64, v: u64, n: i64, m: i64");
    let over = |condition: &str| format!("{{ [u, v, n, m] : {condition} }}");
    w.says(&over("u + v > 18446744073709551615"), "u + v > ULONG_MAX");
    w.says(
        &over("u + v > 18446744073709551620"),
        "u + v - 5 > ULONG_MAX",
    );
    w.says(
        &over("n + m < -9223372036854775818"),
        "n + m + 10 < LONG_MIN",
    );
    // Nobody wants to read this.
    let condition = w.condition(&over("u + v > 9 * n + 8 * m + 90000000000000000000"));
    assert_eq!((&*condition.text, condition.exact), ("…", false));
}

/// Inputs: value, offset, length and alive of each pointer.
#[test]
fn pointers_are_no_numbers() {
    let w = World::new("b: i32, p: i32*, q: i32*");
    let over = |condition: &str| format!("{{ [b, p, o, l, a, q, oo, ll, aa] : {condition} }}");
    w.says(&over("b < p + 2147483647"), "p != NULL || b != INT_MAX");
    w.says(
        &over("b < p + 2147483647 and b > 5"),
        "b > 5 && (p != NULL || b != INT_MAX)",
    );
    w.says(&over("p = q"), "p == q");
    w.says(&over("p > q and b > 3"), "p > q && b >= 4");
    // Of addresses there is nothing to say but whether they are null: and of some only that something is the case.
    let condition = w.condition(&over("p > 7"));
    assert_eq!((&*condition.text, condition.exact), ("…", false));
    let condition = w.condition(&over("p > b + 7 or b = 3"));
    assert!(!condition.exact, "{condition:?}");
    assert_eq!(condition.text, "b <= -8 || b == 3 || …");
}

#[test]
fn what_is_too_long_is_cut() {
    let w = World::new("x: i32, y: i32");
    let points: Vec<String> = (0..12)
        .map(|i| format!("(x = {} and y = {})", i * 7, i * i))
        .collect();
    let condition = w.condition(&format!("{{ [x, y] : {} }}", points.join(" or ")));
    assert!(!condition.exact && !condition.valid_pointers);
    assert_eq!(condition.text.matches("||").count(), 8);
    assert!(
        condition.text.starts_with("(x == 0 && y == 0) || "),
        "{condition:?}"
    );
    assert!(condition.text.ends_with(" || …"));
}

#[test]
fn names_of_cpp_lose_their_types() {
    for (display, name) in [
        ("f", "f"),
        ("(anonymous namespace)::f", "(anonymous namespace)::f"),
        ("A::f(int, void (*)(int)) const", "A::f"),
        ("A::operator()(int)", "A::operator()"),
    ] {
        assert_eq!(without_types(display), name);
    }
}
