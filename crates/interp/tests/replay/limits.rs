//! Scripts that make no sense, and replays that must not see each other.

use super::*;

#[test]
fn malformed_scripts() {
    let p = parse(
        r#"extern fn g() -> i32
        unit "a.c" fn f(a: i8, b: f64, c: i32*, d: i128) -> i32 {
            0: assume a == 1
            1: check a a != 1
            2: exit }
        fn h() -> i32 { 0: skip 1: exit }"#,
    );
    let good = Script {
        args: vec![
            bits(1),
            ScriptValue::Bits(u128::from(1.5f64.to_bits())),
            bits(0),
            ScriptValue::Bits(u128::MAX),
        ],
        ..script(&p, &[0, 1, 2])
    };
    confirmed(&p, &good);
    let bad_argument = |i: usize, value: ScriptValue, words: &str| {
        let mut s = good.clone();
        s.args[i] = value;
        sticks(&p, &s, 0, words);
    };
    bad_argument(0, bits(256), "0x100 in 8 bits");
    bad_argument(0, bits(-1), "0xffffffff in 8 bits");
    bad_argument(2, ScriptValue::Bits(1 << 64), "in 64 bits");
    bad_argument(
        0,
        to(ScriptTarget::Function(FuncId(0))),
        "a pointer in 8 bits",
    );
    bad_argument(3, to(ScriptTarget::Function(FuncId(0))), "a pointer in 128");
    bad_argument(0, ScriptValue::Bytes(Vec::new(), 1), "bytes where a number");
    for target in [
        ScriptTarget::Object(0),
        ScriptTarget::Global(GlobalId(0)),
        ScriptTarget::Function(FuncId(99)),
        ScriptTarget::Local(VarId(99)),
        ScriptTarget::Local(VarId(0)),
        ScriptTarget::Step(0),
    ] {
        bad_argument(2, to(target), "which is not there");
    }
    let bad = |change: fn(&mut Script), at: usize, words: &str| {
        let mut s = good.clone();
        change(&mut s);
        sticks(&p, &s, at, words);
    };
    bad(|s| s.args.truncate(3), 0, "3 arguments for 4");
    bad(|s| s.path.clear(), 0, "does not end at a check");
    bad(|s| s.path.truncate(1), 0, "does not end at a check");
    bad(|s| s.path.push(EdgeId(99)), 2, "does not end at a check");
    bad(
        |s| s.path = s.path.split_off(1),
        0,
        "no such edge leaves node 0",
    );
    bad(|s| s.path[0] = EdgeId(99), 0, "no such edge leaves node 0");
    bad(
        |s| s.path.insert(1, s.path[0]),
        1,
        "no such edge leaves node 1",
    );
    bad(|s| s.function = FuncId(99), 0, "without a body");
    bad(|s| s.function = FuncId(0), 0, "without a body");
    bad(
        |s| s.function = FuncId(2),
        0,
        "4 arguments for 0 parameters",
    );
    let elsewhere = |s: &mut Script| {
        s.function = FuncId(2);
        s.args.clear();
    };
    bad(elsewhere, 1, "does not end at a check");
    bad(|s| s.objects.push(object(1 << 50)), 0, "no memory");
    let misaligned = |s: &mut Script| {
        s.objects.push(ScriptObject {
            align: 3,
            ..object(8)
        })
    };
    bad(misaligned, 0, "aligned to 3");
    let beyond = |s: &mut Script| {
        let writes = vec![write(u64::MAX, 8, bits(0))];
        s.objects.push(ScriptObject {
            writes,
            ..object(8)
        });
    };
    bad(beyond, 0, "at offset 18446744073709551615 of 8");
    let nowhere = |s: &mut Script| s.globals.push((GlobalId(7), write(0, 1, bits(0))));
    bad(nowhere, 0, "GlobalId(7)");
    let deep = |s: &mut Script| {
        let mut value = ScriptValue::Bytes(Vec::new(), 8);
        for _ in 0..1000 {
            value = ScriptValue::Bytes(vec![write(0, 8, value)], 8);
        }
        let writes = vec![write(0, 8, value)];
        s.objects.push(ScriptObject {
            writes,
            ..object(8)
        });
    };
    bad(deep, 0, "a value of 8 bytes");
}

#[test]
fn replays_do_not_see_each_other() {
    let p = parse(
        r#"extern fn malloc(u64) -> void*
        extern fn rand() -> i32
        extern fn strtol(i8*, i8**, i32) -> i64
        extern fn __errno_location() -> i32*
        unit "a.c"
        global counter: i32 = 0
        global table: i32[4000] = zero
        global kept: void* = zero
        fn f(n: i32, first: i32) -> i32 { var x: i32, y: i64, e: i32*
            0: check a counter == 0
            1: counter = counter + n
            2: table[3999] = n
            3: kept = malloc(64u64)
            4: x = rand()
            5: y = strtol("99999999999999999999999", (i8**)null, 10)
            6: e = __errno_location()
            7: check errno *e == 34
            8: check rand x == first
            9: check last counter + table[3999] != 14
            10: exit }"#,
    );
    // glibc's first number without a seed.
    let with = |n: i32| Script {
        args: vec![bits(n), bits(1_804_289_383)],
        ..script(&p, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    };
    let mut replayer = Replayer::new(&p);
    for _ in 0..3 {
        assert_eq!(replayer.replay(&with(7)), Replayed::Confirmed);
        let other = replayer.replay(&with(8));
        assert!(
            matches!(other, Replayed::Diverged { step: 9, .. }),
            "{other:?}"
        );
        let mut early = with(7);
        early.globals = vec![(global(&p, "counter"), write(0, 4, bits(1)))];
        let early = replayer.replay(&early);
        assert!(
            matches!(early, Replayed::Diverged { step: 0, .. }),
            "{early:?}"
        );
    }
}

#[test]
fn code_of_the_library_does_not_outlive_a_replay() {
    let p = parse(
        r#"extern fn _ZSt19__throw_logic_errorPKc(i8*) -> void
        unit "a.cpp"
        fn throws() -> void {
            0: call _ZSt19__throw_logic_errorPKc("no") -> 3
            0: call _ZSt19__throw_logic_errorPKc("no") unwind -> 1
            1: check caught false
            2: unwind
            3: exit }
        fn f(g: (fn() -> void)*) -> void {
            0: call (*g)()
            1: check reached false
            2: exit }"#,
    );
    let throws = Script {
        function: function(&p, "throws"),
        path: path(&p, "throws", &[0, 1, 2]),
        ..script(&p, &[])
    };
    let mut replayer = Replayer::new(&p);
    // The library makes a vtable then, with functions at addresses that are data afterwards.
    assert_eq!(replayer.replay(&throws), Replayed::Confirmed);
    for i in 0..12 {
        let data = Script {
            objects: vec![object(1); 12],
            args: vec![to(ScriptTarget::Object(i))],
            ..script(&p, &[0, 1, 2])
        };
        match replayer.replay(&data) {
            Replayed::Diverged { step: 0, why } if why.contains("no function") => {}
            other => panic!("{i}: {other:?}"),
        }
    }
}

#[test]
fn a_broken_program_has_no_verdicts() {
    let mut p = parse(r#"unit "a.c" fn f() -> i32 { 0: check a false 1: exit }"#);
    let s = script(&p, &[0, 1]);
    confirmed(&p, &s);
    let f = function(&p, "f");
    p.functions[f].signature = ir::TypeId(999);
    sticks(&p, &s, 0, "malformed program");
}
