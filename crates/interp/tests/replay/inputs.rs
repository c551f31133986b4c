//! What a path starts with: arguments, globals, memory that pointers lead to.

use super::*;

#[test]
fn arguments_and_globals_decide_branches() {
    let p = parse(
        r#"unit "a.c"
        global mode: i32 = 1
        fn f(n: i32, d: i32) -> i32 {
            0: assume n > 10 -> 1
            0: assume n <= 10 -> 5
            1: assume mode == 3 -> 2
            1: assume mode != 3 -> 5
            2: check overflow !overflow(n + n)
            3: check division-by-zero d != 0
            4: return n / d
            5: exit
        }"#,
    );
    let mode = global(&p, "mode");
    let good = Script {
        args: vec![bits(11), bits(0)],
        globals: vec![(mode, write(0, 4, bits(3)))],
        ..script(&p, &[0, 1, 2, 3, 4])
    };
    confirmed(&p, &good);
    let with = |n: i32, d: i32| Script {
        args: vec![bits(n), bits(d)],
        ..good.clone()
    };
    diverges(&p, &with(10, 0), 0, "the assumption is false: 10");
    diverges(&p, &with(-1, 0), 0, "the assumption is false: -1");
    diverges(&p, &with(11, 1), 3, "the last check holds");
    // The earlier check is named, not the last one.
    diverges(&p, &with(i32::MAX, 0), 2, "check overflow fails");
    let initial = Script {
        globals: Vec::new(),
        ..good.clone()
    };
    diverges(&p, &initial, 1, "the assumption is false: 1");
    // The other way round, the path to the same node is another one.
    let other = Script {
        globals: Vec::new(),
        path: path(&p, "f", &[0, 1, 5]),
        ..good
    };
    sticks(&p, &other, 1, "does not end at a check");
}

#[test]
fn pointers_may_be_equal() {
    let p = parse(
        r#"unit "a.c" fn f(a: i32*, b: i32*) -> i32 {
            0: *a = 5
            1: *b = 0
            2: check division-by-zero *a != 0
            3: return 1 / *a
            4: exit }"#,
    );
    let at = |i, offset| ScriptValue::Pointer {
        target: ScriptTarget::Object(i),
        offset,
    };
    let with = |a, b| Script {
        objects: vec![object(8), object(4)],
        args: vec![a, b],
        ..script(&p, &[0, 1, 2, 3])
    };
    confirmed(&p, &with(at(0, 4), at(0, 4)));
    diverges(&p, &with(at(0, 0), at(0, 4)), 2, "the last check holds");
    diverges(&p, &with(at(0, 0), at(1, 0)), 2, "the last check holds");
    // Memory has bounds, and null is none of it.
    diverges(&p, &with(at(0, 0), at(0, 6)), 1, "out of bounds");
    diverges(&p, &with(at(0, 0), at(0, -1)), 1, "out of bounds");
    let absolute = |offset| ScriptValue::Pointer {
        target: ScriptTarget::Absolute,
        offset,
    };
    diverges(&p, &with(absolute(0), at(0, 0)), 0, "null pointer");
    diverges(&p, &with(bits(0), at(0, 0)), 0, "null pointer");
    diverges(&p, &with(absolute(-1), at(0, 0)), 0, "belongs to no object");
}

#[test]
fn objects_point_to_each_other() {
    let p = parse(
        r#"struct node { size 16 align 8; next: struct node* @0; value: i32 @8; }
        unit "a.c" fn f(l: struct node*) -> i32 {
            0: check null l != null
            1: assume l->value == 7
            2: l = l->next -> 3
            3: assume l->value == 8
            4: l = l->next
            5: check last l->value != 7
            6: return 0
            7: exit }"#,
    );
    let node = |next: usize, value| ScriptObject {
        writes: vec![
            write(0, 8, to(ScriptTarget::Object(next))),
            write(8, 4, bits(value)),
        ],
        ..object(16)
    };
    // A ring of two.
    let ring = Script {
        objects: vec![node(1, 7), node(0, 8)],
        args: vec![to(ScriptTarget::Object(0))],
        ..script(&p, &[0, 1, 2, 3, 4, 5, 6])
    };
    confirmed(&p, &ring);
    let mut chain = ring.clone();
    chain.objects[1].writes.remove(0);
    diverges(&p, &chain, 5, "null pointer");
}

#[test]
fn undefined_values() {
    let p = parse(
        r#"unit "a.c" fn f(x: i32, p: i32*) -> i32 { var y: i32
            0: declare y
            1: y = *p
            2: check uninitialized-use initialized(x)
            3: check uninitialized-use initialized(y)
            4: return y
            5: exit }"#,
    );
    let with = |x: ScriptValue, writes, nodes: &[u32]| Script {
        objects: vec![ScriptObject {
            writes,
            ..object(4)
        }],
        args: vec![x, to(ScriptTarget::Object(0))],
        ..script(&p, nodes)
    };
    let all = [0, 1, 2, 3, 4];
    let holes = vec![write(1, 2, ScriptValue::Undefined)];
    confirmed(&p, &with(ScriptValue::Undefined, Vec::new(), &all[..4]));
    confirmed(&p, &with(bits(1), holes.clone(), &all));
    // The other bytes of an object are defined.
    diverges(&p, &with(bits(1), Vec::new(), &all), 3, "holds");
    let undefined = with(ScriptValue::Undefined, holes, &all);
    diverges(&p, &undefined, 2, "check uninitialized-use fails");
}

#[test]
fn structs_by_value() {
    let p = parse(
        r#"struct s { size 24 align 8; n: i32 @0; p: i32* @8; b: u8 @16; }
        unit "a.c" fn f(s: struct s) -> i32 { var t: struct s
            0: assume s.n == 3
            1: t = s
            2: check a *t.p == 9
            3: check uninitialized-use initialized(t.b)
            4: return 0
            5: exit }"#,
    );
    let p9 = ScriptObject {
        writes: vec![write(0, 4, bits(9))],
        ..object(4)
    };
    let with = |n, size, b, target| Script {
        objects: vec![p9.clone()],
        args: vec![ScriptValue::Bytes(
            vec![
                write(0, 4, bits(n)),
                write(8, 8, to(target)),
                write(16, 1, b),
            ],
            size,
        )],
        ..script(&p, &[0, 1, 2, 3, 4])
    };
    let first = ScriptTarget::Object(0);
    confirmed(&p, &with(3, 24, ScriptValue::Undefined, first));
    diverges(&p, &with(4, 24, ScriptValue::Undefined, first), 0, ": 4");
    diverges(&p, &with(3, 24, bits(255), first), 3, "holds");
    sticks(&p, &with(3, 24, bits(256), first), 0, "0x100 in 1 bytes");
    sticks(&p, &with(3, 16, bits(0), first), 0, "16 bytes where 24");
    // A pointer of the argument may lead into the function's own frame.
    let own = with(3, 24, bits(0), ScriptTarget::Local(local(&p, "s")));
    diverges(&p, &own, 2, "check a fails: 3");
    let scalar = Script {
        args: vec![bits(3)],
        ..own
    };
    sticks(&p, &scalar, 0, "0x3 in 24 bytes");
}

#[test]
fn variadic_arguments() {
    let p = parse(
        r#"struct __va_list_tag { size 24 align 8; gp: u32 @0; fp: u32 @4; area: void* @8; save: void* @16; }
        unit "a.c" fn f(n: i32, ...) -> i32 { var l: struct __va_list_tag
            0: va_start &l
            1: check a *(i32*)l.area != 7
            2: check b **(i32**)((i8*)l.area + 8) != 8
            3: exit }"#,
    );
    let with = |first: i32| Script {
        objects: vec![ScriptObject {
            writes: vec![write(0, 4, bits(8))],
            ..object(4)
        }],
        args: vec![bits(1), bits(first), to(ScriptTarget::Object(0))],
        ..script(&p, &[0, 1, 2, 3])
    };
    confirmed(&p, &with(6));
    diverges(&p, &with(7), 1, "check a fails");
}
