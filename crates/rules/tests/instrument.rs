//! What is checked before which statement, on hand-built bodies.

mod support;

use expect_test::{Expect, expect};
use ir::{BinaryOp, Call, CallOutcome, Callee, CompareOp, Span, Stmt, TrapReason, TypeId, VarKind};
use support::Build;

fn check(build: impl FnOnce(&mut Build), expected: Expect) {
    let mut b = Build::new();
    build(&mut b);
    expected.assert_eq(&b.instrumented());
}

fn call(callee: Callee, args: &[ir::ExprId], outcome: CallOutcome) -> Stmt {
    Stmt::Call(Box::new(Call {
        result: None,
        callee,
        args: args.to_vec(),
        signature: TypeId::VOID,
        outcome,
        noreturn: false,
    }))
}

#[test]
fn a_write_through_a_pointer() {
    check(
        |b| {
            let ty = b.pointer(TypeId::I32);
            let p = b.param("p", ty);
            let place = b.deref(p);
            let one = b.int(1, TypeId::I32);
            b.assign(place, one);
        },
        expect![[r#"
            check [null-dereference] p != null
            check [use-after-free] alive p
            check [out-of-bounds] 4 within p
            (*p) = 1
        "#]],
    );
}

#[test]
fn the_inner_pointer_is_read_before_it_is_followed() {
    check(
        |b| {
            let node = b.record("node", &[("pad", TypeId::I64)]);
            let link = b.pointer(node);
            let outer = b.record("outer", &[("n", TypeId::I64), ("next", link)]);
            let ty = b.pointer(outer);
            let p = b.param("p", ty);
            let outer = b.deref(p);
            let next = b.field(outer, 1);
            let next = b.b.load(next);
            let inner = b.deref(next);
            let pad = b.field(inner, 0);
            let x = b.local("x", TypeId::I64);
            let value = b.b.load(pad);
            b.assign(x, value);
        },
        expect![[r#"
            check [null-dereference] p != null
            check [use-after-free] alive p
            check [out-of-bounds] 8 within &(*p).1
            check [uninitialized-use] initialized (*p).1
            check [null-dereference] (*p).1 != null
            check [use-after-free] alive (*p).1
            check [out-of-bounds] 8 within (*p).1
            check [uninitialized-use] initialized (*(*p).1).0
            x = (*(*p).1).0
        "#]],
    );
}

#[test]
fn one_check_for_one_pointer_however_often_it_is_used() {
    check(
        |b| {
            let ty = b.pointer(TypeId::I32);
            let p = b.param("p", ty);
            let one = b.int(1, TypeId::I32);
            let next = b.b.ptr_add(p, one);
            let (to, from) = (b.deref(p), b.deref(next));
            let value = b.b.load(from);
            b.assign(to, value);
        },
        expect![[r#"
            check [null-dereference] p != null
            check [use-after-free] alive p
            check [out-of-bounds] 4 within p + 1
            check [uninitialized-use] initialized (*p + 1)
            check [out-of-bounds] 4 within p
            (*p) = (*p + 1)
        "#]],
    );
}

#[test]
fn both_sides_of_a_branch_share_their_checks() {
    check(
        |b| {
            let ty = b.pointer(TypeId::U32);
            let p = b.param("p", ty);
            let place = b.deref(p);
            let value = b.b.load(place);
            let ten = b.int(10, TypeId::U32);
            let yes = b.b.compare(CompareOp::Lt, value, ten);
            let no = b.b.not(&b.program.types, yes);
            let (t, f) = (b.b.node(), b.b.node());
            b.b.edge(b.at, t, Stmt::Assume(yes), Span::NONE);
            b.b.edge(b.at, f, Stmt::Assume(no), Span::NONE);
            b.b.edge(t, f, Stmt::Skip, Span::NONE);
            b.at = f;
        },
        expect![[r#"
            check [null-dereference] p != null
            check [use-after-free] alive p
            check [out-of-bounds] 4 within p
            check [uninitialized-use] initialized (*p)
              -> assume (*p) < 10
              -> assume (*p) >= 10
            Skip
        "#]],
    );
}

#[test]
fn a_free_choice_keeps_its_checks_apart() {
    check(
        |b| {
            let x = b.param("x", TypeId::U32);
            let ten = b.int(10, TypeId::U32);
            let quotient = b.b.binary(BinaryOp::Div, ten, x);
            let place = b.local("y", TypeId::U32);
            let end = b.b.node();
            let assign = Stmt::Assign {
                place,
                value: quotient,
            };
            b.b.edge(b.at, end, assign, Span::NONE);
            b.b.edge(b.at, end, Stmt::Skip, Span::NONE);
            b.at = end;
        },
        expect![[r#"
              -> check [division-by-zero] x != 0
              -> Skip
            y = (10 / x)
        "#]],
    );
}

#[test]
fn the_outcomes_of_a_call_share_their_checks() {
    check(
        |b| {
            let signature = b.program.types.intern(ir::Type::Function {
                ret: TypeId::VOID,
                params: vec![],
                variadic: false,
            });
            let ty = b.pointer(signature);
            let f = b.param("h", ty);
            let i = b.local("i", TypeId::I32);
            let i = b.b.load(i);
            let (end, handler) = (b.b.node(), b.b.node());
            for (to, outcome) in [(end, CallOutcome::Return), (handler, CallOutcome::Unwind)] {
                let stmt = call(Callee::Indirect(f), &[i], outcome);
                b.b.edge(b.at, to, stmt, Span::NONE);
            }
            b.at = end;
        },
        expect![[r#"
            check [uninitialized-use] initialized i
            check [null-dereference] h != null
              -> h(i) Return
              -> h(i) Unwind
        "#]],
    );
}

#[test]
fn array_indices() {
    check(
        |b| {
            let ty = b.array(TypeId::I32, 10);
            let a = b.local("a", ty);
            let i = b.param("i", TypeId::I32);
            let u = b.param("u", TypeId::U64);
            let narrow = b.param("c", TypeId::I8);
            let one = b.int(1, TypeId::I32);
            for index in [i, u, narrow] {
                let element = b.index(a, index);
                b.assign(element, one);
            }
            // Constants that fit, masks, and the address one past the end need no check.
            let nine = b.int(9, TypeId::I64);
            let element = b.index(a, nine);
            b.assign(element, one);
            let seven = b.int(7, TypeId::I32);
            let masked = b.b.binary(BinaryOp::And, i, seven);
            let element = b.index(a, masked);
            b.assign(element, one);
            let ty = b.pointer(TypeId::I32);
            let end = b.local("end", ty);
            for value in [10, 11] {
                let past = b.int(value, TypeId::I64);
                let element = b.index(a, past);
                let address = b.addr(element);
                b.assign(end, address);
            }
        },
        expect![[r#"
            check [out-of-bounds] i >= 0
            check [out-of-bounds] i < 10
            a[i] = 1
            check [out-of-bounds] u < 10
            a[u] = 1
            check [out-of-bounds] c >= 0
            check [out-of-bounds] c < 10
            a[c] = 1
            a[9] = 1
            a[(i & 7)] = 1
            end = &a[10]
            check [out-of-bounds] 11 < 11
            end = &a[11]
        "#]],
    );
}

#[test]
fn arrays_at_the_end_of_a_struct() {
    check(
        |b| {
            let one = b.array(TypeId::I32, 1);
            let flexible = b.record("flexible", &[("n", TypeId::I32), ("items", one)]);
            let fixed = b.record("fixed", &[("items", one), ("n", TypeId::I32)]);
            let i = b.param("i", TypeId::U32);
            let zero = b.int(0, TypeId::I32);
            for (name, ty, field) in [("p", flexible, 1), ("q", fixed, 0)] {
                let ty = b.pointer(ty);
                let p = b.param(name, ty);
                let place = b.deref(p);
                let items = b.field(place, field);
                let element = b.index(items, i);
                b.assign(element, zero);
            }
            // A variable is no longer than it says.
            let v = b.local("v", flexible);
            let items = b.field(v, 1);
            let element = b.index(items, i);
            b.assign(element, zero);
        },
        expect![[r#"
            check [null-dereference] p != null
            check [use-after-free] alive p
            check [out-of-bounds] 4 within &(*p).1[i]
            (*p).1[i] = 0
            check [out-of-bounds] i < 1
            check [null-dereference] q != null
            check [use-after-free] alive q
            check [out-of-bounds] 4 within &(*q).0[i]
            (*q).0[i] = 0
            check [out-of-bounds] i < 1
            v.1[i] = 0
        "#]],
    );
}

#[test]
fn a_variable_read_at_a_larger_type() {
    check(
        |b| {
            let x = b.local("x", TypeId::I32);
            let y = b.local("y", TypeId::I64);
            let wide = b.b.reinterpret(x, TypeId::I64);
            let value = b.b.load(wide);
            b.assign(y, value);
            let narrow = b.b.reinterpret(y, TypeId::I32);
            let value = b.b.load(narrow);
            b.assign(x, value);
        },
        expect![[r#"
            check [out-of-bounds] 8 within &x
            y = x as T
            x = y as T
        "#]],
    );
}

#[test]
fn division() {
    check(
        |b| {
            let a = b.param("a", TypeId::I32);
            let d = b.param("d", TypeId::I32);
            let x = b.local("x", TypeId::I32);
            let (zero, two, minus) = (
                b.int(0, TypeId::I32),
                b.int(2, TypeId::I32),
                b.int(-1, TypeId::I32),
            );
            for divisor in [d, two, minus, zero] {
                let value = b.b.binary(BinaryOp::Rem, a, divisor);
                b.assign(x, value);
            }
            let c = b.param("c", TypeId::U8);
            let c = b.b.cast(&b.program.types, c, TypeId::I32);
            let one = b.int(1, TypeId::I32);
            let above = b.b.binary(BinaryOp::Add, c, one);
            let value = b.b.binary(BinaryOp::Div, a, above);
            b.assign(x, value);
        },
        expect![[r#"
            check [division-by-zero] d != 0
            check [integer-overflow] (d == -1 ? a != -2147483648 : 1)
            x = (a % d)
            x = (a % 2)
            check [integer-overflow] a != -2147483648
            x = (a % -1)
            check [division-by-zero] 0 != 0
            x = (a % 0)
            x = (a / ((i32)c + 1))
        "#]],
    );
}

#[test]
fn arithmetic_and_shifts() {
    check(
        |b| {
            let a = b.param("a", TypeId::I32);
            let u = b.param("u", TypeId::U32);
            let x = b.local("x", TypeId::I32);
            let y = b.local("y", TypeId::U32);
            let one = b.int(1, TypeId::I32);
            let sum = b.b.binary(BinaryOp::Add, a, one);
            let product = b.b.binary(BinaryOp::Mul, sum, a);
            b.assign(x, product);
            let wrapped = b.b.binary(BinaryOp::WrapAdd, a, one);
            b.assign(x, wrapped);
            let unsigned = b.b.binary(BinaryOp::Add, u, u);
            b.assign(y, unsigned);
            let two = b.b.binary(BinaryOp::Add, one, one);
            b.assign(x, two);
            let shifted = b.b.binary(BinaryOp::Shl, one, a);
            b.assign(x, shifted);
            let shifted = b.b.binary(BinaryOp::Shr, u, u);
            b.assign(y, shifted);
            let mask = b.int(31, TypeId::U32);
            let amount = b.b.binary(BinaryOp::And, u, mask);
            let shifted = b.b.binary(BinaryOp::Shr, u, amount);
            b.assign(y, shifted);
        },
        expect![[r#"
            check [integer-overflow] !overflow(a + 1)
            check [integer-overflow] !overflow((a + 1) * a)
            x = ((a + 1) * a)
            x = (a +% 1)
            y = (u + u)
            x = (1 + 1)
            check [shift-range] (u32)a < 32
            x = (1 << a)
            check [shift-range] u < 32
            y = (u >> u)
            y = (u >> (u & 31))
        "#]],
    );
}

#[test]
fn what_is_surely_initialised_is_not_checked() {
    check(
        |b| {
            let x = b.var("x", TypeId::I32, VarKind::Local);
            let y = b.var("y", TypeId::I32, VarKind::Local);
            let z = b.var("z", TypeId::I32, VarKind::Local);
            let (xp, yp, zp) = (b.b.var_place(x), b.b.var_place(y), b.b.var_place(z));
            let (xv, yv, zv) = (b.b.load(xp), b.b.load(yp), b.b.load(zp));
            let one = b.int(1, TypeId::I32);
            b.stmt(Stmt::Declare(x));
            b.assign(xp, one);
            b.stmt(Stmt::Declare(y));
            // int z = z ^ 1;
            b.stmt(Stmt::Declare(z));
            let own = b.b.binary(BinaryOp::Xor, zv, one);
            b.assign(zp, own);
            let mixed = b.b.binary(BinaryOp::Xor, xv, yv);
            b.assign(xp, mixed);
        },
        expect![[r#"
            declare x
            x = 1
            declare y
            declare z
            check [uninitialized-use] initialized z
            z = (z ^ 1)
            check [uninitialized-use] initialized y
            x = (x ^ y)
        "#]],
    );
}

#[test]
fn characters_are_moved_freely_and_used_with_care() {
    check(
        |b| {
            let ty = b.pointer(TypeId::I8);
            let p = b.param("p", ty);
            let from = b.deref(p);
            let value = b.b.load(from);
            let c = b.local("c", TypeId::I8);
            b.assign(c, value);
            let zero = b.int(0, TypeId::I8);
            let c = b.b.load(c);
            let yes = b.b.compare(CompareOp::Eq, c, zero);
            b.stmt(Stmt::Assume(yes));
            let yes = b.b.compare(CompareOp::Eq, value, zero);
            b.stmt(Stmt::Assume(yes));
        },
        expect![[r#"
            check [null-dereference] p != null
            check [use-after-free] alive p
            check [out-of-bounds] 1 within p
            c = (*p)
            check [uninitialized-use] initialized c
            assume c == 0
            check [null-dereference] p != null
            check [use-after-free] alive p
            check [out-of-bounds] 1 within p
            check [uninitialized-use] initialized (*p)
            assume (*p) == 0
        "#]],
    );
}

#[test]
fn structs_in_registers_are_moved_with_their_padding() {
    check(
        |b| {
            let words = b.record("words", &[("0", TypeId::U64), ("1", TypeId::U64)]);
            let pair = b.record("pair", &[("c", TypeId::I64), ("n", TypeId::I64)]);
            let result = b.var("$call", words, VarKind::Temp);
            let result = b.b.var_place(result);
            let (s, t) = (b.local("s", pair), b.local("t", pair));
            // s is what a call returned, t is passed to another.
            let view = b.b.reinterpret(s, words);
            let (from, to) = (b.field(result, 1), b.field(view, 1));
            let value = b.b.load(from);
            b.assign(to, value);
            let view = b.b.reinterpret(t, words);
            let first = b.field(view, 0);
            let first = b.b.load(first);
            let f = b.declare("g");
            b.stmt(call(Callee::Direct(f), &[first], CallOutcome::Return));
            // A field by its own name is used.
            let n = b.field(s, 1);
            let n = b.b.load(n);
            b.stmt(call(Callee::Direct(f), &[n], CallOutcome::Return));
        },
        expect![[r#"
            s as T.1 = $call.1
            g(t as T.0) Return
            check [uninitialized-use] initialized s.1
            g(s.1) Return
        "#]],
    );
}

#[test]
fn copying_memory() {
    check(
        |b| {
            let p = b.param("p", TypeId::VOID_PTR);
            let n = b.param("n", TypeId::U64);
            let ty = b.array(TypeId::I8, 8);
            let a = b.local("a", ty);
            let target = b.addr(a);
            let (zero, eight) = (b.int(0, TypeId::U64), b.int(8, TypeId::U64));
            for size in [n, zero, eight] {
                b.stmt(Stmt::Copy {
                    target,
                    source: p,
                    size,
                    overlap: false,
                });
            }
        },
        expect![[r#"
            check [null-dereference] (n != 0 ? p != null : 1)
            check [use-after-free] alive p
            check [out-of-bounds] n within p
            check [out-of-bounds] n within &a
            copy &a <- p size n
            copy &a <- p size 0
            check [null-dereference] p != null
            check [use-after-free] alive p
            check [out-of-bounds] 8 within p
            copy &a <- p size 8
        "#]],
    );
}

#[test]
fn assertions() {
    check(
        |b| {
            let (fails, abort) = (b.declare("__assert_fail"), b.declare("abort"));
            let (assert, other) = (b.declare("__rigel_assert"), b.declare("other"));
            let x = b.param("x", TypeId::I32);
            for f in [fails, abort, assert, other] {
                b.stmt(call(Callee::Direct(f), &[x], CallOutcome::Return));
            }
            b.stmt(Stmt::Trap(TrapReason::Poison));
        },
        expect![[r#"
            check [assertion] unreachable
            __assert_fail(x) Return
            check [assertion] unreachable
            abort(x) Return
            check [assertion] x != 0
            __rigel_assert(x) Return
            other(x) Return
            check [assertion] unreachable
            Trap(Poison)
        "#]],
    );
}

#[test]
fn entry_exit_and_labels_stay() {
    let mut b = Build::new();
    let ty = b.pointer(TypeId::I32);
    let p = b.param("p", ty);
    let place = b.deref(p);
    let one = b.int(1, TypeId::I32);
    b.assign(place, one);
    let label = b.at;
    b.b.label(label);
    b.assign(place, one);
    let (entry, exit) = (b.entry, b.at);
    let f = b.declare("f");
    b.program.functions[f].body = Some(b.b.finish(entry, exit));
    rules::instrument(&mut b.program, rules::Selection::default());
    let body = b.program.functions[f].body.as_ref().unwrap();
    assert_eq!(
        (body.entry, body.exit, &body.labels),
        (entry, exit, &vec![label])
    );
    // The checks sit behind the label: a jump to it passes them.
    for node in [entry, label] {
        let out: Vec<_> = body.out_edges(node).collect();
        assert!(matches!(out[..], [(_, e)] if matches!(e.stmt, Stmt::Check(_))));
    }
    assert_eq!(body.out_edges(exit).count(), 0);
}

#[test]
fn steps_that_do_not_fit_their_types_do_not_panic() {
    check(
        |b| {
            let i = b.param("i", TypeId::I32);
            let zero = b.int(0, TypeId::I32);
            let x = b.local("x", TypeId::I32);
            let x = b.index(x, i);
            b.assign(x, zero);
            let ty = b.record("s", &[("n", TypeId::I32)]);
            let s = b.local("s", ty);
            let s = b.field(s, 7);
            b.assign(s, zero);
            // A pointer that is none.
            let place = b.deref(i);
            b.assign(place, zero);
        },
        expect![[r#"
            x[i] = 0
            s.7 = 0
            check [null-dereference] i != null
            check [use-after-free] alive i
            (*i) = 0
        "#]],
    );
}

#[test]
fn a_bit_field_is_checked_with_the_struct_that_holds_it() {
    check(
        |b| {
            let ty = b.record(
                "s",
                &[("n", TypeId::I64), ("a", TypeId::U32), ("b", TypeId::U32)],
            );
            let fields = &mut b.program.types.structs[ir::StructId(0)].fields;
            fields[1].bits = Some((0, 5));
            fields[2].offset = 8;
            fields[2].bits = Some((5, 7));
            let ty = b.pointer(ty);
            let p = b.param("p", ty);
            let place = b.deref(p);
            let (a, c) = (b.field(place, 1), b.field(place, 2));
            let value = b.b.load(a);
            b.assign(c, value);
        },
        expect![[r#"
            check [null-dereference] p != null
            check [use-after-free] alive p
            check [out-of-bounds] 9 within p
            check [uninitialized-use] initialized (*p).1
            check [out-of-bounds] 10 within p
            (*p).2 = (*p).1
        "#]],
    );
}

#[test]
fn a_deep_expression_does_not_overflow_the_stack() {
    let mut b = Build::new();
    let x = b.param("x", TypeId::I32);
    let mut sum = x;
    for _ in 0..200_000 {
        sum = b.b.binary(BinaryOp::Add, sum, sum);
    }
    let y = b.local("y", TypeId::I32);
    b.assign(y, sum);
    let f = b.declare("f");
    let (entry, exit) = (b.entry, b.at);
    b.program.functions[f].body = Some(b.b.finish(entry, exit));
    rules::instrument(&mut b.program, rules::Selection::all());
    let body = b.program.functions[f].body.as_ref().unwrap();
    assert_eq!(body.checks.len(), 200_000);
}
