//! Broken programs, each broken in one way, and what is said of it.

use super::validate;
use crate::body::{Body, Edge, EdgeId, NodeId};
use crate::expr::{ExprId, ExprKind, Projection};
use crate::program::{FuncId, Program};
use crate::stmt::Stmt;
use crate::text::parse;
use crate::types::TypeId;
use expect_test::{Expect, expect};

/// Breaks a good program and compares the first complaint.
fn broken(by: impl FnOnce(&mut Program), expected: Expect) {
    let source = "
        struct s { size 4 align 4; x: i32 @0 }
        unit \"a.c\"
        global g: struct s = zero
        fn f(a: i32, p: struct s*) -> i32 {
            0: assume a < 3
            1: p->x = a + 1
            2: g.x = a
            3: return f(a, p)
            4: exit
        }";
    let mut program = parse(source).unwrap();
    assert_eq!(validate(&program), Ok(()));
    by(&mut program);
    let violations = validate(&program).expect_err("this should not be valid");
    expected.assert_eq(&violations[0].describe(&program));
}

fn body(p: &mut Program) -> &mut Body {
    p.functions[FuncId(0)].body.as_mut().unwrap()
}

/// The expression of this kind.
fn find(p: &mut Program, wanted: impl Fn(&ExprKind) -> bool) -> ExprId {
    let mut exprs = body(p).exprs.iter();
    exprs.find(|(_, e)| wanted(&e.kind)).unwrap().0
}

#[test]
fn operands_agree() {
    broken(
        |p| {
            let sum = find(p, |k| matches!(k, ExprKind::Binary(..)));
            body(p).exprs[sum].ty = TypeId::U8;
        },
        expect!["in `f`: `a + 1`: the left operand has another type than the result: u8 and i32"],
    );
    broken(
        |p| {
            let one = find(p, |k| *k == ExprKind::Int(1));
            body(p).exprs[one].ty = TypeId::I64;
        },
        expect!["in `f`: `a + 1i64`: the operands differ in type: i32 and i64"],
    );
    broken(
        |p| {
            let c = find(p, |k| matches!(k, ExprKind::Compare(..)));
            body(p).exprs[c].ty = TypeId::I32;
        },
        expect!["in `f`: `a < 3`: a comparison is a bool: i32 and bool"],
    );
}

#[test]
fn places_lead_somewhere() {
    broken(
        |p| {
            let places = &mut body(p).places;
            for (_, place) in places.iter_mut() {
                for step in &mut place.projections {
                    *step = Projection::Field(7);
                }
            }
        },
        expect!["in `f`: `p->#7`: struct s has no field 7"],
    );
    broken(
        |p| {
            for (_, place) in body(p).places.iter_mut() {
                place.ty = TypeId::BOOL;
            }
        },
        expect!["in `f`: `a`: a load and its place differ in type: i32 and bool"],
    );
}

#[test]
fn statements_are_typed() {
    broken(
        |p| {
            let sum = find(p, |k| matches!(k, ExprKind::Binary(..)));
            body(p).edge_mut(EdgeId(0)).stmt = Stmt::Assume(sum);
        },
        expect!["in `f`, `assume a + 1`: what is assumed must be a bool, not i32"],
    );
    broken(
        |p| {
            if let Stmt::Call(call) = &mut body(p).edge_mut(EdgeId(3)).stmt {
                call.args.pop();
            }
        },
        expect!["in `f`, `return f(a)`: 1 arguments for 2 parameters"],
    );
    broken(
        |p| {
            if let Stmt::Call(call) = &mut body(p).edge_mut(EdgeId(3)).stmt {
                call.args.swap(0, 1);
            }
        },
        expect!["in `f`, `return f(p, a)`: argument 1 has type struct s*, the parameter i32"],
    );
}

#[test]
fn graphs_are_closed() {
    broken(
        |p| body(p).edge_mut(EdgeId(1)).to = NodeId(99),
        expect!["in `f`, `p->x = a + 1`: it leads from 1 to 99, of 5 nodes"],
    );
    broken(
        |p| {
            let mut edges = body(p).take_edges();
            edges.push(Edge {
                from: NodeId(4),
                to: NodeId(0),
                ..edges[0].clone()
            });
            body(p).set_edges(edges);
        },
        expect!["in `f`, `assume a < 3`: it leaves the exit"],
    );
    broken(
        |p| body(p).exit = NodeId(5),
        expect!["in `f`: the exit is out of range"],
    );
}

#[test]
fn ids_are_in_range() {
    broken(
        |p| {
            let sum = find(p, |k| matches!(k, ExprKind::Binary(..)));
            body(p).edge_mut(EdgeId(0)).stmt = Stmt::Assume(ExprId(sum.0 + 100));
        },
        expect![
            "in `f`, `assume `bad expression 105``: it holds an expression or place out of range"
        ],
    );
    broken(
        |p| {
            // A cycle.
            let sum = find(p, |k| matches!(k, ExprKind::Binary(..)));
            body(p).exprs[sum].kind = ExprKind::Cast(sum);
        },
        expect![
            "in `f`: ExprId(5) holds an operand that is out of range or does not come before it"
        ],
    );
    broken(
        |p| p.functions[FuncId(0)].signature = TypeId::I32,
        expect!["in `f`: its signature is not a function type"],
    );
    broken(
        |p| p.functions[FuncId(0)].unit = crate::program::UnitId(3),
        expect!["in `f`: its unit is out of range: UnitId(3)"],
    );
}
