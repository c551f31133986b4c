//! What is claimed to be certain is: programs for which too much was claimed (a hostile review).
#![allow(clippy::unwrap_used)]

use dual::error::Certain;
use dual::program::{Dual, Settings};
use ir::{CallGraph, EdgeId, Stmt};

/// What is certain of the only check, on the path that takes the first edge at every node.
fn of(source: &str) -> Certain {
    asked(source).unwrap()
}

fn asked(source: &str) -> isl::Result<Certain> {
    let program = ir::text::parse(source).unwrap_or_else(|e| panic!("{e}"));
    let graph = CallGraph::new(&program);
    let mut dual = Dual::new(&program, &graph, Settings::default());
    let (_, _, body) = program.bodies().next().unwrap();
    let mut path: Vec<EdgeId> = Vec::new();
    let mut node = body.entry;
    loop {
        let (id, edge) = body.out_edges(node).next().unwrap();
        path.push(id);
        node = edge.to;
        if let Stmt::Check(check) = edge.stmt {
            return dual.error(body, check, &path, &[]);
        }
    }
}

#[test]
fn branches_on_inputs_force_a_path() {
    let certain = of(r#"unit "a.c"
fn f(a: i32, b: i32) -> void {
    0: assume a > b
    0: assume a <= b              -> 2
    1: check assertion 0 != 0
    2: exit
}
"#);
    assert_eq!(certain, Certain::Must(Some("a > b".into())));
}

#[test]
fn an_allocation_may_fail() {
    let certain = of(r#"unit "a.c"
extern fn malloc(u64) -> i8*
fn f() -> void {
    var p: i8*
    0: p = call malloc(4)
    1: assume p != null
    1: assume p == null           -> 3
    2: check assertion 0 != 0
    3: exit
}
"#);
    assert_eq!(certain, Certain::May);
}

#[test]
fn floats_are_not_known() {
    let certain = of(r#"unit "a.c"
fn f(x: f32) -> void {
    0: assume x > 0.5
    0: assume !(x > 0.5)          -> 2
    1: check assertion 0 != 0
    2: exit
}
"#);
    assert_eq!(certain, Certain::May);
}

#[test]
fn pointers_to_different_objects_compare_as_they_like() {
    let certain = of(r#"unit "a.c"
fn f(p: i8*, q: i8*) -> void {
    0: assume p < q
    0: assume p >= q              -> 2
    1: check assertion 0 != 0
    2: exit
}
"#);
    assert_eq!(certain, Certain::May);
}

#[test]
fn a_block_that_was_moved_is_gone() {
    let moved = |condition: &str| {
        of(&format!(
            r#"unit "a.c"
extern fn malloc(u64) -> i8*
extern fn realloc(i8*, u64) -> i8*
fn f() -> void {{
    var p: i8*, q: i8*
    0: p = call malloc(4)
    1: q = call realloc(p, 8)
    2: assume {condition}
    2: assume !({condition})      -> 4
    3: check use-after-free alive(p)
    4: exit
}}
"#
        ))
    };
    assert_eq!(moved("q != null"), Certain::May);
    assert_eq!(moved("q == null"), Certain::Never);
}

#[test]
fn new_may_throw() {
    let certain = of(r#"unit "a.cpp"
extern fn _Znwm(u64) -> i8*
fn f() -> void {
    var p: i8*
    0: p = call _Znwm(4)
    1: check assertion 0 != 0
    2: exit
}
"#);
    assert_eq!(certain, Certain::May);
}

#[test]
fn what_was_written_before_a_jump_back_is_not_known() {
    let certain = asked(
        r#"unit "a.c"
extern fn setjmp(i8*) -> i32
fn f(b: i8*) -> void {
    var w: i32, r: i32
    0: w = 1
    1: r = setjmp(b) again
    1: r = setjmp(b)
    2: check division-by-zero w != 0
    3: w = 0
    4: exit
}
"#,
    );
    assert!(certain.is_err());
}

#[test]
fn a_bit_field_keeps_its_bits() {
    let certain = of(r#"unit "a.c"
struct flags { size 4 align 4; kind: u32 @0 bits 0:3 }
fn f() -> void {
    var f: struct flags
    0: f.kind = 8
    1: check division-by-zero f.kind != 0
    2: exit
}
"#);
    assert_eq!(certain, Certain::Must(Some("true".into())));
}

/// What is freed through a copy is the same block.
#[test]
fn a_copy_of_a_freed_pointer_is_freed() {
    let certain = of(r#"unit "a.c"
extern fn free(i8*) -> void
fn f(p: i8*) -> void {
    var q: i8*
    temp $state: i32, $value: void*
    0: q = p
    1: $value = (void*)p
    2: $state = $value != null ? 1 : 0
    3: call free(p)
    4: check double-free $state == 1 ? (void*)q != $value : true
    5: exit
}
"#);
    assert_eq!(certain, Certain::Must(Some("p != NULL".into())));
}

/// A way on beside a check, to the same place, is that of an error that ends no run: every run that comes there has met it. One that
/// leads elsewhere is chosen instead.
#[test]
fn an_error_behind_which_runs_go_on_is_certain() {
    let beside = |way: &str| {
        of(&format!(
            r#"unit "a.c"
fn f(a: i32) -> void {{
    0: check assertion a != 3
    0: skip                       -> {way}
    1: skip
    2: exit
}}
"#
        ))
    };
    assert_eq!(beside("1"), Certain::Must(Some("a == 3".into())));
    assert_eq!(beside("2"), Certain::May);
}
