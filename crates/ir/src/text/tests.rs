//! What the text form looks like, and that it parses back.

use super::{parse, print};
use expect_test::{Expect, expect};

/// Parses, prints, and checks that the print is a fixed point.
fn check(source: &str, expected: Expect) {
    let program = parse(source).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let text = print(&program);
    expected.assert_eq(&text);
    let again = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(print(&again), text);
}

fn fails(source: &str, expected: Expect) {
    match parse(source) {
        Ok(_) => panic!("this should not parse:\n{source}"),
        Err(e) => expected.assert_eq(&e.to_string()),
    }
}

#[test]
fn conditions_on_pointers() {
    check(
        r#"
        unit "example.c"
        fn f(p: i32*) -> void {
            var x: i32
            0: check a freeable(p, malloc)
            1: check b freeable(p, new)
            2: check c freeable(p, new_array)
            3: check d apart(p, &x)
            4: exit
        }
        "#,
        expect![[r#"
            unit "example.c"

            fn f(p: i32*) -> void {
                var x: i32
                0: check a freeable(p, malloc)
                1: check b freeable(p, new)
                2: check c freeable(p, new_array)
                3: check d apart(p, &x)
                4: exit
            }
        "#]],
    );
}

#[test]
fn a_function() {
    check(
        r#"
        unit "example.c"
        fn f(i: i32) -> i32 { # "example.c":1:5
            var r: i32, a: i32, p: i32*, m: i32
            0: declare r # 3:7
            1: declare a # 3:10
            4: p = &a # 3:14
            6: m = 1 # 4:7
            7: assume i < 2 -> 8 # 6:8
            7: assume i >= 2 -> 10 # 6:8
            8: r = m * i -> 11
            10: m = m + 1
            14: return r -> 15
            15: exit
        }
        "#,
        expect![[r#"
            unit "example.c"

            fn f(i: i32) -> i32 {                                   # "example.c":1:5
                var r: i32, a: i32, p: i32*, m: i32
                0: declare r                                        # 3:7
                1: declare a                                        # 3:10
                4: p = &a                                           # 3:14
                6: m = 1                                            # 4:7
                7: assume i < 2                                     # 6:8
                7: assume i >= 2              -> 10                 # 6:8
                8: r = m * i                  -> 11
                10: m = m + 1
                14: return r
                15: exit
            }
        "#]],
    );
}

#[test]
fn everything() {
    check(
        r#"
        system file "/usr/include/stdio.h"
        struct node { size 16 align 8; next: struct node* @0; value: i32 @8; flags: u32 @12 bits 0:3 }
        struct node#2 { size 4 align 4; x: i32 @0 }
        union u { size 8 align 8; i: i64 @0; d: f64 @0; a: i8[8] @0 }
        struct `std::vector<int, std::allocator<int> >` { size 24 align 8; `_M_impl`: opaque(24, 8) @0 }
        struct incomplete;
        unit "example.c"
        constructor 65535 init
        destructor 1 fini
        global counter: i32 = 1 # "example.c":2:5
        static const global table: i8*[2] = zero with { 0: &"a\n"; 8: &counter + 4 } unknown { 12: 1 }
        global fp: (fn(i32, i8*) -> void)* = &g
        extern thread_local global `errno`: i32
        global d: f64 = -1.5
        global raw: u8[4] = bytes "\x01\x02"
        weak const global _ZTI3Foo: i8[8] = zero
        extern fn printf(i8*, ...) -> i32 # "/usr/include/stdio.h":356:12
        extern fn exit(i32) -> void noreturn
        extern fn sqrt(f64) -> f64
        extern fn g(i32, i8*) -> void
        extern fn setjmp(i8*) -> i32
        fn init() -> void { 0: exit }
        static fn fini() -> void { 0: exit }
        fn _ZN3Foo3barEv "Foo::bar()" (this: struct node*, n: u8, `i8`: i8, ...) -> f64 {
            var i: i32, `i.1`: i32, end: i32, check: i32*, b: bool, x: f32, y: f64, l: x87, u: union u, arr: i32[10], s: struct node, q: struct node*, vla: i16*, v: struct `std::vector<int, std::allocator<int> >`, n8: i8*, table: i32
            temp $t: i64, exn: void*, sel: i32
            0: end = 5
            1: check[3] = end * (i + 1) - -7
            2: this->next->value = s.flags == 3 ? 1 : 2
            3: arr[i] = (i32)(u8)i.1
            4: i = -i
            5: b = !b & (i < 3) | overflow(i + 4)
            6: x = 1.5
            7: y = (f64)x * 2.0 + 1e300
            8: l = x87(0x3fff8000000000000000)
            9: (u as i32) = 5
            10: u.i = $t +% 5 -% 1
            11: havoc s because intrinsic `llvm.foo`
            12: havoc i because inline-assembly
            13: call printf("%d\n", i, 5u8, 7, (i8*)null) # "other.c":5:6
            14: y = call sqrt(y)
            15: y = sqrt(y)
            16: i = printf("x") : fn(i8*) -> i32 unwind -> 18
            16: i = setjmp("buf") again -> 18
            17: call exit(1) noreturn
            18: call (*fp)(5, null)
            19: call (*::fp)(i, &"abc"[1])
            20: check null-dereference this != null
            21: check uninitialized-use initialized(arr[2])
            22: check out-of-bounds in_bounds(&arr[i], 4)
            23: check use-after-free alive(q)
            24: check assertion unreachable
            25: check `Odd Rule` -x < 0.5
            26: copy &s <- this, 16
            27: move q <- q + 1, 16u32
            28: fill vla - 1 <- 0, $t
            29: allocate vla[n]
            30: landingpad exn, sel catch _ZTI3Foo catch ... filter(_ZTI3Foo, _ZTI3Foo) cleanup
            31: assume sel == typeid(_ZTI3Foo)
            32: resume exn -> 40
            33: va_start &exn
            34: $t = bits:i64(y)
            35: i = popcount(i) + min(3, i) + abs(5)
            36: exn = &&#0
            37: trap poison
            38: label 0
            38: s = *q
            39: return y * -(5.0) -> 41
            40: unwind
            41: exit
            42: q = (struct node*)undef -> 41
            43: q[i].value = q[0].value << 3 -> 41
            44: i = table + (5 << i) -> 41
            45: fp = (g : (fn(i32, i8*) -> void)*) -> 41
            46: n8 = ::table[0] -> 41
            47: b = y <> 1.0 -> 41
            48: skip -> 3
            49: b = is_class(y, 3) -> 41
        }
        unit "b.c"
        static fn fini(x: i32) -> i32 { 0: return x  1: exit }
        "#,
        expect![[r#"
            system file "/usr/include/stdio.h"

            struct node { size 16 align 8; next: struct node* @0; value: i32 @8; flags: u32 @12 bits 0:3 }
            struct node#2 { size 4 align 4; x: i32 @0 }
            union u { size 8 align 8; i: i64 @0; d: f64 @0; a: i8[8] @0 }
            struct `std::vector<int, std::allocator<int> >` { size 24 align 8; _M_impl: opaque(24, 8) @0 }
            struct incomplete;

            unit "example.c"
            constructor 65535 init
            destructor 1 fini
            global counter: i32 = 1                                 # "example.c":2:5
            static const global table: i8*[2] = zero with { 0: &"a\n"; 8: &counter + 4 } unknown { 12: 1 }
            global fp: (fn(i32, i8*) -> void)* = &g
            extern thread_local global errno: i32
            global d: f64 = -1.5
            global raw: u8[4] = bytes "\x01\x02"
            weak const global _ZTI3Foo: i8[8] = zero
            extern fn printf(i8*, ...) -> i32                       # "/usr/include/stdio.h":356:12
            extern fn exit(i32) -> void noreturn
            extern fn sqrt(f64) -> f64
            extern fn g(i32, i8*) -> void
            extern fn setjmp(i8*) -> i32

            fn init() -> void {
                0: exit
            }

            static fn fini() -> void {
                0: exit
            }

            fn _ZN3Foo3barEv "Foo::bar()" (this: struct node*, n: u8, `i8`: i8, ...) -> f64 {
                var i: i32, i.1: i32, end: i32, check: i32*, b: bool, x: f32, y: f64, l: x87, u: union u, arr: i32[10], s: struct node, q: struct node*, vla: i16*, v: struct `std::vector<int, std::allocator<int> >`, n8: i8*, table: i32
                temp $t: i64, exn: void*, sel: i32
                0: end = 5
                1: check[3] = end * (i + 1) - -7
                2: this->next->value = s.flags == 3 ? 1 : 2
                3: arr[i] = (i32)(u8)i.1
                4: i = -i
                5: b = (!b & (i < 3)) | overflow(i + 4)
                6: x = 1.5
                7: y = (f64)x * 2.0 + 1e300
                8: l = x87(0x3fff8000000000000000)
                9: (u as i32) = 5
                10: u.i = $t +% 5 -% 1
                11: havoc s because intrinsic `llvm.foo`
                12: havoc i because inline-assembly
                13: call printf("%d\n", i, 5u8, 7, (i8*)null)       # "other.c":5:6
                14: y = call sqrt(y)
                15: y = sqrt(y)
                16: i = printf("x") : fn(i8*) -> i32 unwind -> 18
                16: i = setjmp("buf") again   -> 18
                17: call exit(1) noreturn
                18: call (*fp)(5, null)
                19: call (*fp)(i, &"abc"[1])
                20: check null-dereference this != null
                21: check uninitialized-use initialized(arr[2])
                22: check out-of-bounds in_bounds(&arr[i], 4)
                23: check use-after-free alive(q)
                24: check assertion unreachable
                25: check `Odd Rule` -x < 0.5
                26: copy &s <- this, 16
                27: move q <- q + 1, 16u32
                28: fill vla - 1 <- 0, $t
                29: allocate vla[n]
                30: landingpad exn, sel catch _ZTI3Foo catch ... filter(_ZTI3Foo, _ZTI3Foo) cleanup
                31: assume sel == typeid(_ZTI3Foo)
                32: resume exn                -> 40
                33: va_start &exn
                34: $t = bits:i64(y)
                35: i = popcount(i) + min(3, i) + abs(5)
                36: exn = &&#0
                37: trap poison
                38: label 0
                38: s = *q
                39: return y * -(5.0)         -> 41
                40: unwind
                41: exit
                42: q = undef                 -> 41
                43: q[i].value = q[0].value << 3 -> 41
                44: i = table + (5 << i)      -> 41
                45: fp = g                    -> 41
                46: n8 = ::table[0]           -> 41
                47: b = y <> 1.0              -> 41
                48: skip                      -> 3
                49: b = is_class(y, 3)        -> 41
            }

            unit "b.c"

            static fn fini(x: i32) -> i32 {
                0: return x
                1: exit
            }
        "#]],
    );
}

#[test]
fn errors() {
    fails(
        "unit \"a\" fn f() -> i32 { 0: return x 1: exit }",
        expect!["1:36: no variable or global `x`"],
    );
    fails(
        "unit \"a\" fn f() -> i32 { 0: return 1 -> 2 }",
        expect!["1:43: expected an exit: `n: exit`"],
    );
    fails(
        "fn f(x: i8) -> i32 { 0: return x 1: exit }",
        expect!["1:22: in `f`, `return x`: a value of type i8 is assigned to a place of type i32"],
    );
    fails(
        "fn f() -> i8 { 0: return 300 1: exit }",
        expect!["1:26: 300 does not fit i8"],
    );
    fails(
        "fn f( -> i8",
        expect!["1:7: expected a parameter, found `->`"],
    );
    fails(
        "struct a { size 3 align }",
        expect!["1:25: expected an alignment, found `}`"],
    );
    fails(
        "fn f() -> void { 0: call g() 1: exit }",
        expect!["1:26: no function `g` (a call through a pointer is `(*g)(…)`)"],
    );
    let deep = format!(
        "fn f() -> i32 {{ 0: return {}1{} 1: exit }}",
        "(".repeat(9999),
        ")".repeat(9999)
    );
    fails(&deep, expect!["1:227: nested more than 200 levels deep"]);
}

#[test]
fn long_chains_are_no_nesting() {
    let chain = vec!["x"; 20000].join(" + ");
    let source =
        format!("unit \"a\"\n\nfn f(x: i32) -> i32 {{\n    0: return {chain}\n    1: exit\n}}\n");
    let program = parse(&source).unwrap();
    assert_eq!(print(&program), source);
}
