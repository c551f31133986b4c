//! What is checked before which statement: programs before and after, in their text form.

use expect_test::{Expect, expect};
use ir::{BinaryOp, BodyBuilder, Span, Stmt, TypeId, VarKind};

/// Types and functions that the bodies below use.
const PRELUDE: &str = r#"
    struct node { size 16 align 8; next: struct node* @0; value: i32 @8; last: i32[1] @12 }
    struct fixed { size 8 align 4; items: i32[1] @0; n: i32 @4 }
    struct words { size 16 align 8; a: u64 @0; b: u64 @8 }
    struct bits { size 16 align 8; n: i64 @0; a: u32 @8 bits 0:5; b: u32 @8 bits 5:7 }
    union both { size 8 align 8; i: i64 @0; d: f64 @0 }
    unit "t.c"
    global table: i32[8] = zero
    extern fn h(i32) -> i32
    extern fn abort() -> void noreturn
    extern fn __assert_fail(i8*) -> void noreturn
    extern fn __rigel_assert(i32) -> void
    extern fn _assert(i8*) -> void
    fn __assert(i: i32) -> void { 0: exit }
    fn reach_error() -> void { 0: exit }
    fn forgets(i: i32) -> i32 { 0: assume i > 0 0: assume i <= 0 -> 2 1: return i 2: exit }
"#;

/// Instruments `fn f SOURCE` and prints its body.
fn check(source: &str, expected: Expect) {
    let source = format!("{PRELUDE}\nfn f{source}");
    let mut program = ir::text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    rules::instrument(&mut program, rules::Selection::all());
    if let Err(violations) = ir::validate::validate(&program) {
        panic!("{}", violations[0].describe(&program));
    }
    let f = program.find_function("f").unwrap();
    let text = ir::text::print_function(&program, f);
    let body: String = text
        .lines()
        .filter_map(|l| l.strip_prefix("    "))
        .filter(|l| l.starts_with(|c: char| c.is_ascii_digit()) || l.starts_with("label"))
        .map(|l| format!("{l}\n"))
        .collect();
    expected.assert_eq(&body);
}

#[test]
fn a_write_through_a_pointer() {
    check(
        "(p: i32*) -> void {
            0: *p = 1
            1: exit
        }",
        expect![[r#"
            0: check null-dereference p != null
            1: check use-after-free alive(p)
            2: check out-of-bounds in_bounds(p, 4)
            3: *p = 1
            4: exit
        "#]],
    );
}

#[test]
fn the_inner_pointer_is_read_before_it_is_followed() {
    check(
        "(p: struct node*) -> i32 {
            0: return p->next->value
            1: exit
        }",
        expect![[r#"
            0: check null-dereference p != null
            1: check use-after-free alive(p)
            2: check out-of-bounds in_bounds(p, 8)
            3: check uninitialized-use initialized(p->next)
            4: check null-dereference p->next != null
            5: check use-after-free alive(p->next)
            6: check out-of-bounds in_bounds(&p->next->value, 4)
            7: check uninitialized-use initialized(p->next->value)
            8: return p->next->value
            9: exit
        "#]],
    );
}

#[test]
fn one_check_for_one_pointer_however_often_it_is_used() {
    check(
        "(p: i32*) -> void {
            0: *p = p[1] ^ p[2]
            1: exit
        }",
        expect![[r#"
            0: check null-dereference p != null
            1: check use-after-free alive(p)
            2: check out-of-bounds in_bounds(p + 1, 4)
            3: check uninitialized-use initialized(p[1])
            4: check out-of-bounds in_bounds(p + 2, 4)
            5: check uninitialized-use initialized(p[2])
            6: check out-of-bounds in_bounds(p, 4)
            7: *p = p[1] ^ p[2]
            8: exit
        "#]],
    );
}

#[test]
fn taking_an_address_is_no_access() {
    check(
        "(p: struct node*) -> i32* {
            0: return &p->next->value
            1: exit
        }",
        expect![[r#"
            0: check null-dereference p != null
            1: check use-after-free alive(p)
            2: check out-of-bounds in_bounds(p, 8)
            3: check uninitialized-use initialized(p->next)
            4: return &p->next->value
            5: exit
        "#]],
    );
}

#[test]
fn both_sides_of_a_branch_share_their_checks() {
    check(
        "(p: u32*) -> void {
            0: assume *p < 10u32 -> 1
            0: assume *p >= 10u32 -> 2
            1: skip
            2: exit
        }",
        expect![[r#"
            0: check null-dereference p != null
            1: check use-after-free alive(p)
            2: check out-of-bounds in_bounds(p, 4)
            3: check uninitialized-use initialized(*p)
            4: assume *p < 10
            4: assume *p >= 10            -> 6
            5: skip
            6: exit
        "#]],
    );
}

#[test]
fn a_free_choice_keeps_its_checks_apart() {
    check(
        "(x: u32) -> void {
            var y: u32
            0: y = 10u32 / x -> 1
            0: skip -> 1
            1: exit
        }",
        expect![[r#"
            0: check division-by-zero x != 0
            0: skip                       -> 2
            1: y = 10 / x
            2: exit
        "#]],
    );
}

#[test]
fn the_outcomes_of_a_call_share_their_checks() {
    check(
        "(g: (fn(i32) -> i32)*) -> void {
            var i: i32, r: i32
            0: r = (*g)(i) -> 1
            0: r = (*g)(i) unwind -> 2
            1: exit
            2: unwind
        }",
        expect![[r#"
            0: check uninitialized-use initialized(i)
            1: check null-dereference g != null
            2: r = (*g)(i)
            2: r = (*g)(i) unwind         -> 4
            3: exit
            4: unwind
        "#]],
    );
}

#[test]
fn a_jump_to_a_label_passes_the_checks_behind_it() {
    check(
        "(p: i32*) -> void {
            0: *p = 1
            1: label 0
            1: *p = 2
            2: exit
        }",
        expect![[r#"
            0: check null-dereference p != null
            1: check use-after-free alive(p)
            2: check out-of-bounds in_bounds(p, 4)
            3: *p = 1
            4: label 0
            4: check null-dereference p != null
            5: check use-after-free alive(p)
            6: check out-of-bounds in_bounds(p, 4)
            7: *p = 2
            8: exit
        "#]],
    );
}

#[test]
fn array_indices() {
    check(
        "(i: i32, u: u64, c: i8) -> void {
            var a: i32[10], m: i32[2][3], end: i32*
            0: a[i] = 1
            1: a[u] = 1
            2: a[c] = 1
            3: a[9] = 1
            4: a[10] = 1
            5: a[i & 7] = 1
            6: table[(u8)u] = 1
            7: table[u % 8u64] = 1
            8: m[i][1] = 1
            9: end = &a[10]
            10: end = &a[11]
            11: end = &m[i][0]
            12: exit
        }",
        expect![[r#"
            0: check out-of-bounds i >= 0
            1: check out-of-bounds i < 10
            2: a[i] = 1
            3: check out-of-bounds u < 10
            4: a[u] = 1
            5: check out-of-bounds c >= 0
            6: check out-of-bounds c < 10
            7: a[c] = 1
            8: a[9] = 1
            9: check out-of-bounds 10i64 < 10
            10: a[10] = 1
            11: a[i & 7] = 1
            12: check out-of-bounds (u8)u < 8
            13: table[(u8)u] = 1
            14: table[u % 8] = 1
            15: check out-of-bounds i >= 0
            16: check out-of-bounds i < 3
            17: m[i][1] = 1
            18: end = &a[10]
            19: check out-of-bounds 11i64 < 11
            20: end = &a[11]
            21: check out-of-bounds i >= 0
            22: check out-of-bounds i < 4
            23: end = &m[i][0]
            24: exit
        "#]],
    );
}

#[test]
fn arrays_at_the_end_of_a_struct_behind_a_pointer_may_be_longer() {
    check(
        "(p: struct node*, q: struct fixed*, i: u32) -> void {
            var v: struct node
            0: p->last[i] = 0
            1: q->items[i] = 0
            2: v.last[i] = 0
            3: exit
        }",
        expect![[r#"
            0: check null-dereference p != null
            1: check use-after-free alive(p)
            2: check out-of-bounds in_bounds(&p->last[i], 4)
            3: p->last[i] = 0
            4: check out-of-bounds i < 1
            5: check null-dereference q != null
            6: check use-after-free alive(q)
            7: check out-of-bounds in_bounds(&q->items[i], 4)
            8: q->items[i] = 0
            9: check out-of-bounds i < 1
            10: v.last[i] = 0
            11: exit
        "#]],
    );
}

#[test]
fn a_variable_read_at_a_larger_type() {
    check(
        "() -> void {
            var x: i32, y: i64, a: u8[8]
            0: y = (x as i64)
            1: x = (y as i32)
            2: y = (a[0] as i64)
            3: y = (a[1] as i64)
            4: exit
        }",
        expect![[r#"
            0: check out-of-bounds in_bounds(&x, 8)
            1: y = (x as i64)
            2: x = (y as i32)
            3: y = (a[0] as i64)
            4: check out-of-bounds in_bounds(&a[1], 8)
            5: y = (a[1] as i64)
            6: exit
        "#]],
    );
}

#[test]
fn a_bit_field_is_checked_with_the_struct_that_holds_it() {
    check(
        "(p: struct bits*) -> void {
            0: p->b = p->a
            1: exit
        }",
        expect![[r#"
            0: check null-dereference p != null
            1: check use-after-free alive(p)
            2: check out-of-bounds in_bounds(p, 9)
            3: check uninitialized-use initialized(p->a)
            4: check out-of-bounds in_bounds(p, 10)
            5: p->b = p->a
            6: exit
        "#]],
    );
}

#[test]
fn division() {
    check(
        "(a: i32, d: i32, c: u8) -> void {
            var x: i32
            0: x = a % d
            1: x = a / 2
            2: x = a / -1
            3: x = a / 0
            4: x = a / ((i32)c + 1)
            5: x = 7 / d
            6: exit
        }",
        expect![[r#"
            0: check division-by-zero d != 0
            1: check integer-overflow d == -1 ? a != -2147483648 : true
            2: x = a % d
            3: x = a / 2
            4: check integer-overflow a != -2147483648
            5: x = a / -1
            6: check division-by-zero 0 != 0
            7: x = a / 0
            8: x = a / ((i32)c + 1)
            9: check division-by-zero d != 0
            10: x = 7 / d
            11: exit
        "#]],
    );
}

#[test]
fn arithmetic_and_shifts() {
    check(
        "(a: i32, u: u32, c: i8, w: i64) -> void {
            var x: i32, y: u32, z: i64
            0: x = (a + 1) * a
            1: x = a +% 1
            2: y = u + u
            3: x = (i32)c * (i32)c + 1
            4: z = (i64)a * (i64)a
            5: z = w - 1
            6: x = 1 << a
            7: y = u >> u
            8: y = u >> (u & 31u32)
            9: exit
        }",
        expect![[r#"
            0: check integer-overflow !overflow(a + 1)
            1: check integer-overflow !overflow((a + 1) * a)
            2: x = (a + 1) * a
            3: x = a +% 1
            4: y = u + u
            5: x = (i32)c * (i32)c + 1
            6: z = (i64)a * (i64)a
            7: check integer-overflow !overflow(w - 1)
            8: z = w - 1
            9: check shift-range (u32)a < 32
            10: x = 1 << a
            11: check shift-range u < 32
            12: y = u >> u
            13: y = u >> (u & 31)
            14: exit
        "#]],
    );
}

#[test]
fn what_is_surely_initialised_is_not_checked() {
    check(
        "(p: i32) -> i32 {
            var x: i32, y: i32, z: i32
            0: declare x
            1: x = 1
            2: declare y
            3: declare z
            4: z = z ^ 1
            5: x = x ^ y ^ p
            6: return x
            7: exit
        }",
        expect![[r#"
            0: declare x
            1: x = 1
            2: declare y
            3: declare z
            4: check uninitialized-use initialized(z)
            5: z = z ^ 1
            6: check uninitialized-use initialized(y)
            7: x = x ^ y ^ p
            8: return x
            9: exit
        "#]],
    );
}

#[test]
fn a_result_that_may_be_missing() {
    check(
        "(p: i32) -> i32 {
            temp $a: i32, $b: i32
            0: $a = h(p)
            1: $b = forgets(p)
            2: return $a ^ $b
            3: exit
        }",
        expect![[r#"
            0: $a = h(p)
            1: $b = forgets(p)
            2: check uninitialized-use initialized($b)
            3: return $a ^ $b
            4: exit
        "#]],
    );
}

#[test]
fn characters_are_moved_freely_and_used_with_care() {
    check(
        "(p: i8*) -> i8 {
            var c: i8
            0: declare c
            1: c = *p
            2: assume c == 0i8
            3: assume *p == 0i8
            4: return *p
            5: exit
        }",
        expect![[r#"
            0: declare c
            1: check null-dereference p != null
            2: check use-after-free alive(p)
            3: check out-of-bounds in_bounds(p, 1)
            4: c = *p
            5: check uninitialized-use initialized(c)
            6: assume c == 0
            7: check null-dereference p != null
            8: check use-after-free alive(p)
            9: check out-of-bounds in_bounds(p, 1)
            10: check uninitialized-use initialized(*p)
            11: assume *p == 0
            12: check null-dereference p != null
            13: check use-after-free alive(p)
            14: check out-of-bounds in_bounds(p, 1)
            15: check uninitialized-use initialized(*p)
            16: return *p
            17: exit
        "#]],
    );
}

#[test]
fn structs_in_registers_are_moved_with_their_padding() {
    check(
        "() -> void {
            var s: struct node, t: struct node
            temp $call: struct words
            0: (s as struct words).b = $call.b
            1: s = t
            2: call h((i32)(t as struct words).a)
            3: call h(s.value)
            4: exit
        }",
        expect![[r#"
            0: (s as struct words).b = $call.b
            1: s = t
            2: call h((i32)(t as struct words).a)
            3: check uninitialized-use initialized(s.value)
            4: call h(s.value)
            5: exit
        "#]],
    );
}

#[test]
fn globals_and_unions_are_set() {
    check(
        "(i: i32) -> i64 {
            var u: union both
            0: u.d = 1.0
            1: return u.i + (i64)table[0]
            2: exit
        }",
        expect![[r#"
            0: u.d = 1.0
            1: check uninitialized-use initialized(u.i)
            2: check integer-overflow !overflow(u.i + (i64)table[0])
            3: return u.i + (i64)table[0]
            4: exit
        "#]],
    );
}

#[test]
fn copying_memory() {
    check(
        "(p: void*, n: u64) -> void {
            var a: i8[8]
            0: copy &a <- p, n
            1: copy &a <- p, 0
            2: copy &a <- p, 8
            3: fill &a <- 0, 9
            4: exit
        }",
        expect![[r#"
            0: check null-dereference n != 0 ? p != null : true
            1: check use-after-free alive(p)
            2: check out-of-bounds in_bounds(p, n)
            3: check out-of-bounds in_bounds(&a, n)
            4: copy &a <- p, n
            5: copy &a <- p, 0
            6: check null-dereference p != null
            7: check use-after-free alive(p)
            8: check out-of-bounds in_bounds(p, 8)
            9: copy &a <- p, 8
            10: check out-of-bounds in_bounds(&a, 9)
            11: fill &a <- 0, 9
            12: exit
        "#]],
    );
}

#[test]
fn assertions() {
    check(
        r#"(x: i32) -> void {
            0: call __assert_fail("x")
            1: call abort()
            2: call __rigel_assert(x)
            3: call __rigel_assert(1)
            4: call __assert(x)
            5: call reach_error()
            6: call _assert("x")
            7: call h(x)
            8: trap poison
            9: exit
        }"#,
        expect![[r#"
            0: check assertion unreachable
            1: call __assert_fail("x")
            2: call abort()
            3: check assertion x != 0
            4: skip
            5: skip
            6: call __assert(x)
            7: check assertion unreachable
            8: call reach_error()
            9: check assertion unreachable
            10: call _assert("x")
            11: call h(x)
            12: check assertion unreachable
            13: trap poison
            14: exit
        "#]],
    );
}

/// `CHECK(x)` is at one place, with the branch in it; `if (!x) abort();` is at two.
#[test]
fn an_abort_of_a_macro_that_tests_is_an_assertion() {
    check(
        r#"(x: i32) -> void { # "f.c":1:0
            0: assume x != 0 -> 3 # 2:5
            0: assume x == 0      # 2:5
            1: call h(x)          # 2:5
            2: call abort()       # 2:5
            3: assume x > 5 -> 5  # 3:9
            3: assume x <= 5      # 3:9
            4: call abort()       # 3:16
            5: exit
        }"#,
        expect![[r#"
            0: assume x != 0              -> 4                  # 2:5
            0: assume x == 0                                    # 2:5
            1: call h(x)                                        # 2:5
            2: check assertion unreachable                      # 2:5
            3: call abort()                                     # 2:5
            4: assume x > 5               -> 6                  # 3:9
            4: assume x <= 5                                    # 3:9
            5: call abort()                                     # 3:16
            6: exit
        "#]],
    );
}

#[test]
fn only_what_is_selected_is_checked() {
    let source = format!("{PRELUDE}\nfn f(p: i32*, a: i32) -> void {{ 0: *p = a + 1 1: exit }}");
    let mut program = ir::text::parse(&source).unwrap();
    let selection = rules::Selection::parse("null-dereference").unwrap();
    rules::instrument(&mut program, selection);
    let f = program.find_function("f").unwrap();
    let body = program.functions[f].body.as_ref().unwrap();
    let rules: Vec<&str> = body.checks.values().map(|c| program.name(c.rule)).collect();
    assert_eq!(rules, ["null-dereference"]);
}

/// What has a meaning ends no run: what comes behind must not be taken for what no run comes to.
#[test]
fn beside_a_check_that_ends_no_run_leads_a_way_on() {
    let source = format!(
        "{PRELUDE}\nfn f(a: u32) -> u32* {{
            var x: u32, p: u32*
            0: x = a + 1
            1: p = &x
            2: return p
            3: exit
        }}"
    );
    let mut program = ir::text::parse(&source).unwrap();
    let selection = rules::Selection::parse("dangling-return,wrap-around").unwrap();
    rules::instrument(&mut program, selection);
    let f = program.find_function("f").unwrap();
    let body = program.functions[f].body.as_ref().unwrap();
    let mut rules = Vec::new();
    for (_, edge) in body.edges().iter() {
        let ir::Stmt::Check(check) = edge.stmt else {
            continue;
        };
        rules.push(program.name(body.checks[check].rule));
        let mut beside = body.out_edges(edge.from).map(|(_, e)| (&e.stmt, e.to));
        assert!(beside.any(|(stmt, to)| matches!(stmt, Stmt::Skip) && to == edge.to));
    }
    assert_eq!(rules, ["wrap-around", "dangling-return"]);
}

#[test]
fn a_deep_expression_does_not_overflow_the_stack() {
    let mut program = ir::text::parse(&format!("{PRELUDE} fn f() -> void {{ 0: exit }}")).unwrap();
    let mut b = BodyBuilder::new();
    let x = b.var(&mut program.symbols, "x", TypeId::I32, VarKind::Param);
    let mut sum = b.load_var(x);
    for _ in 0..200_000 {
        sum = b.binary(BinaryOp::Add, sum, sum);
    }
    let (entry, place) = (b.node(), b.var_place(x));
    let exit = b.step(entry, Stmt::Assign { place, value: sum }, Span::NONE);
    let f = program.find_function("f").unwrap();
    program.functions[f].body = Some(b.finish(entry, exit));
    rules::instrument(&mut program, rules::Selection::all());
    let body = program.functions[f].body.as_ref().unwrap();
    assert_eq!(body.checks.len(), 200_000);
}
