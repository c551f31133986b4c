//! What is claimed to be certain is: programs for which too much was claimed (a hostile review).
#![allow(clippy::unwrap_used)]

use dual::error::Certain;
use dual::program::{Dual, Settings};
use ir::{CallGraph, EdgeId, Stmt};

/// What is certain of the only check, on the path that takes the first edge at every node.
fn of(source: &str) -> Certain {
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
            return dual.error(body, check, &path, &[]).unwrap();
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
