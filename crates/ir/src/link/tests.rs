//! Linking, on units in text form.

use super::link;
use crate::program::{FuncId, Program};
use crate::text::{parse, print};
use crate::validate::validate;
use expect_test::{Expect, expect};

fn units(sources: &[&str]) -> Vec<Program> {
    let parse = |s: &&str| parse(s).unwrap_or_else(|e| panic!("{e}\n{s}"));
    sources.iter().map(parse).collect()
}

/// Links and compares the program, followed by the warnings.
fn check(sources: &[&str], expected: Expect) {
    let (program, warnings) = link(units(sources));
    assert_eq!(validate(&program), Ok(()));
    let mut text = print(&program);
    let again = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(print(&again), text);
    for w in warnings {
        text += &format!("warning: {w}\n");
    }
    expected.assert_eq(&text);
}

#[test]
fn one_unit_is_left_alone() {
    let source = "unit \"a.c\"\nextern fn g() -> void\nextern fn h() -> void\n";
    let (program, warnings) = link(units(&[source]));
    assert_eq!(print(&program), source);
    assert_eq!(warnings, []);
    assert!(link(vec![]).0.functions.is_empty());
}

#[test]
fn names_are_resolved() {
    check(
        &[
            r#"unit "a.c"
            extern global counter: i32
            extern fn g(i32) -> i32 # "a.c":2:5
            static fn helper() -> void { # "a.c":3:1
                0: counter = counter + 1 # 4:1
                1: exit
            }
            fn main() -> i32 { 0: call helper() 1: return g(1) 2: exit }"#,
            r#"unit "b.c"
            constructor 7 helper
            extern fn main() -> i32
            global counter: i32 = 3
            global pointer: (fn(i32) -> i32)* = &g
            static fn helper() -> void { 0: exit }
            fn g(n: i32) -> i32 { # "b.c":9:5
                0: call helper() # "a.c":7:1
                1: return main()
                2: exit
            }"#,
        ],
        expect![[r#"
            unit "a.c"

            static fn helper() -> void {                            # "a.c":3:1
                0: counter = counter + 1                            # 4:1
                1: exit
            }

            fn main() -> i32 {
                0: call helper()
                1: return g(1)
                2: exit
            }

            unit "b.c"
            constructor 7 helper
            global counter: i32 = 3
            global pointer: (fn(i32) -> i32)* = &g

            fn g(n: i32) -> i32 {                                   # "b.c":9:5
                0: call helper()                                    # "a.c":7:1
                1: return main()
                2: exit
            }

            static fn helper() -> void {
                0: exit
            }
        "#]],
    );
}

#[test]
fn strong_beats_weak_beats_declared() {
    check(
        &[
            "unit \"a\" extern fn f() -> i32 extern fn w() -> i32 weak fn v() -> i32 { 0: return 1 1: exit }",
            "unit \"b\" weak fn f() -> i32 { 0: return 2 1: exit } weak fn w() -> i32 { 0: return 2 1: exit }",
            "unit \"c\" fn f() -> i32 { 0: return 3 1: exit } weak fn w() -> i32 { 0: return 3 1: exit } weak fn v() -> i32 { 0: return 3 1: exit }",
        ],
        expect![[r#"
            unit "a"

            weak fn v() -> i32 {
                0: return 1
                1: exit
            }

            unit "b"

            weak fn w() -> i32 {
                0: return 2
                1: exit
            }

            unit "c"

            fn f() -> i32 {
                0: return 3
                1: exit
            }
        "#]],
    );
}

#[test]
fn disagreements_are_warnings() {
    check(
        &[
            r#"unit "a.c"
            extern fn f(i32) -> i32 # "a.c":1:5
            extern fn unprototyped(...) -> i32
            extern fn pointee(i8*) -> u32
            extern fn result(...) -> i32 # "a.h":2:5
            extern global array: i32[0]
            extern global wrong: i64 # "a.c":3:12
            fn twice() -> void { # "a.c":8:6
                0: exit }
            fn user() -> void {
                var p: (fn(i32) -> i32)*, i: i32
                0: call f(1)
                1: p = f
                2: i = array[2]
                3: wrong = 5
                4: copy &array <- p, 4
                5: exit
            }"#,
            r#"unit "b.c"
            fn f(a: i32, b: i32) -> i32 { # "b.c":1:5
                0: exit }
            fn unprototyped(a: i32) -> i32 { 0: exit }
            fn pointee(a: i64*) -> i32 { 0: exit }
            fn result(a: i64) -> i8* { # "b.c":4:5
                0: exit }
            global array: i32[10] = zero
            global wrong: i32 = 0 # "b.c":6:5
            fn twice() -> void { # "b.c":7:6
                0: exit }"#,
        ],
        expect![[r#"
            unit "a.c"

            fn twice() -> void {                                    # "a.c":8:6
                0: exit
            }

            fn user() -> void {
                var p: (fn(i32) -> i32)*, i: i32
                0: call f(1) : fn(i32) -> i32
                1: p = (f : (fn(i32) -> i32)*)
                2: i = array[2]
                3: (wrong as i64) = 5
                4: copy &(array as i32[0]) <- p, 4
                5: exit
            }

            unit "b.c"
            global array: i32[10] = zero
            global wrong: i32 = 0                                   # "b.c":6:5

            fn f(a: i32, b: i32) -> i32 {                           # "b.c":1:5
                0: exit
            }

            fn unprototyped(a: i32) -> i32 {
                0: exit
            }

            fn pointee(a: i64*) -> i32 {
                0: exit
            }

            fn result(a: i64) -> i8* {                              # "b.c":4:5
                0: exit
            }

            fn `twice@b.c` "twice" () -> void {                     # "b.c":7:6
                0: exit
            }
            warning: `twice` is defined at a.c:8:6 and again at b.c:7:6: two programs?
            warning: `f` is declared as `fn(i32) -> i32` at a.c:1:5 but defined as `fn(i32, i32) -> i32` at b.c:1:5
            warning: `result` is declared as `fn(...) -> i32` at a.h:2:5 (in a.c) but defined as `fn(i64) -> i8*` at b.c:4:5
            warning: `wrong` is declared as `i64` at a.c:3:12 but defined as `i32` at b.c:6:5
        "#]],
    );
}

#[test]
fn equal_structs_become_one() {
    check(
        &[
            r#"struct node { size 16 align 8; next: struct node* @0; data: struct data* @8 }
            struct data { size 4 align 4; x: i32 @0 }
            struct handle;
            struct same { size 4 align 4; x: i32 @0 }
            unit "a.c"
            fn a(n: struct node*, h: struct handle*, s: struct same) -> i32 { 0: return n->next->data->x 1: exit }"#,
            r#"struct handle { size 8 align 8; n: struct node* @0 }
            struct data { size 4 align 4; x: i32 @0 }
            struct node { size 16 align 8; next: struct node* @0; data: struct data* @8 }
            struct same { size 8 align 8; x: i64 @0 }
            unit "b.c"
            fn b(n: struct node*, h: struct handle*, s: struct same) -> i32 { 0: return h->n->data->x 1: exit }"#,
        ],
        expect![[r#"
            struct node { size 16 align 8; next: struct node* @0; data: struct data* @8 }
            struct data { size 4 align 4; x: i32 @0 }
            struct handle { size 8 align 8; n: struct node* @0 }
            struct same { size 4 align 4; x: i32 @0 }
            struct same#2 { size 8 align 8; x: i64 @0 }

            unit "a.c"

            fn a(n: struct node*, h: struct handle*, s: struct same) -> i32 {
                0: return n->next->data->x
                1: exit
            }

            unit "b.c"

            fn b(n: struct node*, h: struct handle*, s: struct same#2) -> i32 {
                0: return h->n->data->x
                1: exit
            }
        "#]],
    );
}

#[test]
fn a_difference_behind_a_pointer_keeps_structs_apart() {
    let source = |size: u32| {
        format!(
            "struct node {{ size 16 align 8; next: struct node* @0; data: struct data* @8 }}
            struct data {{ size {size} align 4 }} unit \"{size}.c\""
        )
    };
    let (a, b) = (source(4), source(8));
    let (program, _) = link(units(&[&a, &b]));
    assert_eq!(program.types.structs.len(), 4);
    let (program, _) = link(units(&[&a, &a]));
    assert_eq!(program.types.structs.len(), 2);
}

#[test]
fn equal_literals_become_one() {
    let a = "unit \"a\" extern fn puts(i8*) -> i32 fn a() -> i32 { 0: return puts(\"x\") 1: exit }";
    let b = "unit \"b\" extern fn puts(i8*) -> i32 fn b() -> i32 { 0: call puts(\"x\") 1: return puts(\"y\") 2: exit }";
    let (program, _) = link(units(&[a, b]));
    assert_eq!(program.globals.len(), 2);
    assert_eq!(program.functions.len(), 3);
    assert!(
        program
            .functions
            .get(FuncId(2))
            .is_some_and(|f| f.body.is_some())
    );
}

#[test]
fn functions_are_no_variables() {
    check(
        &[
            "unit \"a\" fn x() -> void { 0: exit }",
            "unit \"b\" global x: i32 = 1",
        ],
        expect![[r#"
            unit "a"

            fn x() -> void {
                0: exit
            }

            unit "b"
            global x#2: i32 = 1
            warning: `x` is a function at a but a variable at b
        "#]],
    );
}

#[test]
fn many_units() {
    let mut sources = Vec::new();
    for i in 0..150 {
        let mut s = format!("struct s {{ size 8 align 8; n: struct s* @0 }}\nunit \"{i}.c\"\n");
        for j in 0..50 {
            let other = (i + 1) % 150;
            s += &format!("extern fn f{other}_{j}(struct s*) -> i32\n");
            s += &format!(
                "fn f{i}_{j}(p: struct s*) -> i32 {{ 0: return f{other}_{j}(p->n) 1: exit }}\n"
            );
        }
        sources.push(s);
    }
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    let (program, warnings) = link(units(&sources));
    assert_eq!(warnings, []);
    assert_eq!(program.functions.len(), 150 * 50);
    assert_eq!(program.types.structs.len(), 1);
    assert_eq!(validate(&program), Ok(()));
}

/// Two units declare a variable alike; the one that defines it at another type comes last.
#[test]
fn every_unit_that_saw_another_type_reads_it_so() {
    let declares = |unit: &str, f: &str| {
        format!(
            "unit \"{unit}\"\nextern global modes: i8[4]\nfn {f}() -> i8 {{ 0: return modes[1] 1: exit }}"
        )
    };
    let defines = "unit \"c.c\"\nglobal modes: u8[4] = bytes \"\\xff\\xff\\xff\\xff\"";
    let sources = [
        declares("a.c", "f"),
        declares("b.c", "g"),
        defines.to_string(),
    ];
    let (program, warnings) = link(units(&sources.each_ref().map(String::as_str)));
    assert_eq!(validate(&program), Ok(()));
    assert_eq!(warnings, []);
    assert_eq!(print(&program).matches("(modes as i8[4])[1]").count(), 2);
}

#[test]
fn the_largest_common_variable_is_the_object() {
    let unit = |name: &str, len: u32| format!("unit \"{name}\"\nweak global a: i32[{len}] = zero");
    for sizes in [[2, 10, 4], [10, 2, 4], [4, 2, 10]] {
        let sources = [
            unit("a.c", sizes[0]),
            unit("b.c", sizes[1]),
            unit("c.c", sizes[2]),
        ];
        let (program, _) = link(units(&sources.each_ref().map(String::as_str)));
        assert_eq!(validate(&program), Ok(()));
        let g = program
            .globals
            .values()
            .next()
            .map(|g| program.types.size_of(g.ty));
        assert_eq!(g, Some(40), "{sizes:?}");
    }
}

/// Two programs in one database: each `main` stays, each unit calls its own `usage`, and who calls
/// it from a third unit means the one with the signature of the call, or the one next to it.
#[test]
fn functions_of_two_programs_stay_apart() {
    check(
        &[
            r#"unit "one/a.c"
            fn usage(n: i32) -> void { # "one/a.c":1:5
                0: exit }
            fn main() -> i32 { # "one/a.c":9:5
                0: call usage(1)
                1: exit }"#,
            r#"unit "two/b.c"
            fn usage() -> void { # "two/b.c":1:5
                0: exit }
            fn near() -> void { # "two/b.c":2:5
                0: exit }
            fn main() -> i32 { # "two/b.c":9:5
                0: call usage()
                1: exit }"#,
            r#"unit "one/c.c"
            extern fn usage() -> void
            extern fn near() -> void
            fn near_user() -> void {
                0: call usage()
                1: call near()
                2: exit }"#,
            r#"unit "one/d.c"
            fn near() -> void { # "one/d.c":1:5
                0: exit }"#,
        ],
        expect![[r#"
            unit "one/a.c"

            fn usage(n: i32) -> void {                              # "one/a.c":1:5
                0: exit
            }

            fn main() -> i32 {                                      # "one/a.c":9:5
                0: call usage(1)
                1: exit
            }

            unit "two/b.c"

            fn `usage@two/b.c` "usage" () -> void {                 # "two/b.c":1:5
                0: exit
            }

            fn near() -> void {                                     # "two/b.c":2:5
                0: exit
            }

            fn `main@two/b.c` "main" () -> i32 {                    # "two/b.c":9:5
                0: call `usage@two/b.c`()
                1: exit
            }

            unit "one/c.c"

            fn near_user() -> void {
                0: call `usage@two/b.c`()
                1: call `near@one/d.c`()
                2: exit
            }

            unit "one/d.c"

            fn `near@one/d.c` "near" () -> void {                   # "one/d.c":1:5
                0: exit
            }
            warning: `usage` is defined at one/a.c:1:5 and again at two/b.c:1:5: two programs?
            warning: `main` is defined at one/a.c:9:5 and again at two/b.c:9:5: two programs?
            warning: `near` is defined at two/b.c:2:5 and again at one/d.c:1:5: two programs?
        "#]],
    );
}
