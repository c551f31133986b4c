//! Each statement of the module's documentation, on programs in text form.

use super::{Hash, function_hash};
use crate::text::parse;

fn hash(source: &str, function: &str) -> Hash {
    let program = parse(source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let id = program.find_function(function).expect("the function");
    function_hash(&program, id)
}

const SOURCE: &str = r#"
    struct point { size 8 align 4; x: i32 @0; y: i32 @4 }
    struct line { size 16 align 4; from: struct point @0; to: struct point @8 }
    struct list { size 8 align 8; head: struct point* @0 }
    unit "a.c"
    extern fn __assert_fail(i8*, i8*, u32, i8*) -> void noreturn
    extern fn log(i8*, ...) -> i32
    static const global .str.3: i8[4] = bytes "abc"
    global mode: i32 = 1
    fn f(p: struct point*, n: i32) -> i32 { # "a.c":10:5
        0: p->x = n + 1 # 11:3
        1: call log("hello") # 12:3
        2: assume mode == 1 # 13:3
        3: call __assert_fail("n > 0", "a.c", 14, "f") noreturn # 14:3
        4: exit
    }
    fn g(l: struct line) -> i32 { 0: return l.to.y  1: exit }
    fn h(p: struct point*) -> struct point* { 0: return p  1: exit }
    fn k(l: struct list*) -> struct point* { 0: return l->head  1: exit }
    fn s(l: struct list*) -> struct point* { 0: return l->head + 1  1: exit }
    fn lit() -> i8* { 0: return &`.str.3`[0]  1: exit }
"#;

fn source() -> String {
    // `.str.3` is no plain name.
    SOURCE.replace("global .str.3", "global `.str.3`")
}

const ALL: &[&str] = &["f", "g", "h", "k", "s", "lit"];

/// Exactly these functions change their hash.
fn changes(from: &str, to: &str, expected: &[&str]) {
    let old = source();
    let new = old.replace(from, to);
    assert_ne!(old, new, "{from:?} does not occur");
    let changed: Vec<&str> = ALL
        .iter()
        .copied()
        .filter(|f| hash(&old, f) != hash(&new, f))
        .collect();
    assert_eq!(changed, expected, "{from:?} -> {to:?}");
}

#[test]
fn the_body_counts() {
    changes("n + 1", "n + 2", &["f"]);
    changes("return l.to.y", "return l.to.x", &["g"]);
}

#[test]
fn positions_do_not() {
    changes("\"a.c\":10:5", "\"a.c\":20:5", &[]);
    changes("# 11:3", "# 21:9", &[]);
    changes("# 12:3", "# \"b.h\":1:1", &[]);
}

#[test]
fn the_line_of_an_assertion_does_not() {
    changes("\"a.c\", 14, \"f\"", "\"a.c\", 24, \"f\"", &[]);
    changes("\"n > 0\", \"a.c\", 14", "\"n > 1\", \"a.c\", 14", &["f"]);
}

#[test]
fn ids_do_not() {
    // More types, symbols, functions, globals and files before everything else.
    changes(
        "unit \"a.c\"",
        "struct zero { size 1 align 1; c: i8[77] @0 }
         unit \"a.c\"
         global first: i8[77] = zero # \"zero.h\":1:1
         extern fn zeroth(i8[77]*) -> void",
        &[],
    );
}

#[test]
fn a_layout_changes_exactly_its_users() {
    // f reaches into a point, g has two, s steps over one; h and k only carry pointers to it.
    changes("y: i32 @4 }", "y: i32 @4; z: i8 @7 }", &["f", "g"]);
    changes(
        "struct point { size 8",
        "struct point { size 12",
        &["f", "g", "s"],
    );
    changes(
        "head: struct point* @0",
        "head: struct point* @8",
        &["k", "s"],
    );
}

#[test]
fn prototypes_count() {
    changes("fn log(i8*, ...) -> i32", "fn log(i8*, ...) -> i64", &["f"]);
    changes("-> void noreturn", "-> void", &["f"]);
}

#[test]
fn names_and_linkage_count() {
    changes("fn g(l", "static fn g(l", &["g"]);
    changes("fn g(l", "fn g \"ns::g\" (l", &["g"]);
    changes("mode", "mood", &["f"]);
}

#[test]
fn literals_count_by_contents() {
    changes("\"hello\"", "\"hullo\"", &["f"]);
    changes(".str.3", ".str.17", &[]);
    changes("bytes \"abc\"", "bytes \"abd\"", &["lit"]);
}
