//! Small programs in the text form: what they print, and where they end.

use interp::{
    Cause, Config, FaultKind, FrameView, Interpreter, Observer, Oracle, Outcome, StuckReason, Value,
};
use ir::{FuncId, HavocReason, NodeId, Program, TypeId};

fn parse(source: &str) -> Program {
    ir::text::parse(source).unwrap_or_else(|e| panic!("{e}\n{source}"))
}

fn run_with(source: &str, stdin: &'static str) -> (Outcome, String) {
    let program = parse(source);
    let mut out = Vec::new();
    let config = Config {
        stdout: Box::new(&mut out),
        stdin: Box::new(stdin.as_bytes()),
        step_limit: 1_000_000,
        ..Config::default()
    };
    let outcome = Interpreter::new(&program, config).run();
    (outcome, String::from_utf8_lossy(&out).into_owned())
}

fn run(source: &str) -> (Outcome, String) {
    run_with(source, "")
}

#[track_caller]
fn prints(source: &str, expected: &str) {
    let (outcome, out) = run(source);
    assert_eq!(out, expected, "{outcome:?}");
    assert_eq!(outcome, Outcome::Exit(0));
}

/// Runs to a failing check of this rule, or a fault.
#[track_caller]
fn fails(source: &str, rule: &str) {
    let program = parse(source);
    match Interpreter::new(&program, Config::default()).run() {
        Outcome::Failed(f) => match f.cause {
            Cause::Check { rule: r, .. } => assert_eq!(program.name(r), rule),
            Cause::Fault(kind) => assert_eq!(format!("{kind:?}"), rule),
        },
        other => panic!("{other:?}"),
    }
}

fn main_of(body: &str) -> String {
    format!(
        "extern fn printf(i8*, ...) -> i32\nextern fn malloc(u64) -> void*\nextern fn free(void*) -> void\n\
         unit \"t.c\"\nfn main() -> i32 {{ {body} }}"
    )
}

#[test]
fn printf_formats() {
    prints(
        &main_of(
            r#"
            0: call printf("%d|%5d|%-5d|%05d|%+d|% d|%.3d|%u\n", -7, 42, 42, 42, 42, 42, 5, 4294967295u32)
            1: call printf("%x|%X|%#x|%o|%#o|%c|%s|%.2s|%8s|%-8s|\n", 255, 255, 255, 8, 8, 65, "str", "str", "str", "str")
            2: call printf("%ld|%lld|%hhd|%hd|%zu|%p\n", -1i64, 5i64, 300, 70000, 7u64, (i8*)null)
            3: call printf("%f|%.0f|%.0f|%10.3f|%-10.2f|%e|%E|%g|%g|%g|%G\n", 1.5, 0.5, 1.5, -3.14159, 2.5, 12345.678, 0.00012, 100000.0, 1000000.0, 0.0001, 1e-5)
            4: call printf("%a|%.3a|%A|%f|%F|%08.2f|%+.1e|%#g|%#.0f\n", 1.0, 3.14159, 0.5, 1e300 * 1e300, 1e300 * 1e300 - 1e300 * 1e300, -2.5, 5e20, 1.0, 3.0)
            5: call printf("%*d|%-*d|%.*f|%%|%5%|\n", 6, 1, 4, 2, 1, 2.55)
            6: return 0 -> 7
            7: exit"#,
        ),
        "-7|   42|42   |00042|+42| 42|005|4294967295\n\
         ff|FF|0xff|10|010|A|str|st|     str|str     |\n\
         -1|5|44|4464|7|(nil)\n\
         1.500000|0|2|    -3.142|2.50      |1.234568e+04|1.200000E-04|100000|1e+06|0.0001|1E-05\n\
         0x1p+0|0x1.922p+1|0X1P-1|inf|-NAN|-0002.50|+5.0e+20|1.00000|3.\n     \
         1|2   |2.5|%|%|\n",
    );
}

#[test]
fn long_double_keeps_64_bits() {
    prints(
        &main_of(
            r#"
            var x: x87
            0: x = (x87)1 / (x87)3
            1: call printf("%.20Lf %La %Lg\n", x, x, x * (x87)3)
            2: x = (x87)9223372036854775807i64 + (x87)1
            3: call printf("%Lf %lld\n", x - (x87)2, (i64)(x - (x87)2))
            4: return 0 -> 5
            5: exit"#,
        ),
        "0.33333333333333333334 0xa.aaaaaaaaaaaaaabp-5 1\n\
         9223372036854775806.000000 9223372036854775806\n",
    );
}

#[test]
fn uninitialized_memory_is_seen_only_by_checks() {
    let source = |check: &str| {
        format!(
            "struct s {{ size 8 align 4; a: i32 @0; b: i32 @4; }}
             {}",
            main_of(&format!(
                "var s: struct s, t: struct s, p: i64, q: struct s, x: i32
                0: s.a = 1
                1: t = s
                2: p = (t as i64)
                3: (q as i64) = p
                4: x = q.b
                5: {check}
                6: return 0 -> 7
                7: exit"
            ))
        )
    };
    // The mark goes with the copies: through a struct, a punned integer, another struct, a scalar.
    fails(&source("check uninit initialized(x)"), "uninit");
    fails(&source("check uninit initialized(q.b)"), "uninit");
    fails(&source("check uninit initialized(t)"), "uninit");
    assert_eq!(
        run(&source("check uninit initialized(q.a)")).0,
        Outcome::Exit(0)
    );
    assert_eq!(run(&source("x = x + 1")).0, Outcome::Exit(0));
}

#[test]
fn bit_fields() {
    let s = "struct b { size 8 align 8; a: u32 @0 bits 0:3; b: i32 @0 bits 3:5; c: u64 @1 bits 0:40; d: i32 @6 bits 0:1 }";
    prints(
        &format!(
            "{s} {}",
            main_of(
                r#"
            var b: struct b
            0: b.a = 13u32
            1: b.b = -3
            2: b.c = 1311768467463790320u64
            3: b.d = 1
            4: check i initialized(b.a)
            5: check i initialized(b.c)
            6: call printf("%u %d %llx %d\n", b.a, b.b, b.c, b.d)
            7: return 0 -> 8
            8: exit"#
            )
        ),
        "5 -3 789abcdef0 -1\n",
    );
    // A neighbour in the same byte stays unwritten.
    fails(
        &format!(
            "{s} {}",
            main_of(
                "var b: struct b 0: b.a = 1u32 1: check i initialized(b.b) 2: return 0 -> 3 3: exit"
            )
        ),
        "i",
    );
}

#[test]
fn memory_errors() {
    let one = |body: &str| {
        main_of(&format!(
            "var p: i32*, a: i32[4], i: i32, h: void* {body} 9: return 0 -> 10 10: exit"
        ))
    };
    fails(&one("0: p = null 1: *p = 1 -> 9"), "NullAccess");
    fails(&one("0: p = (i32*)12345678 1: i = *p -> 9"), "WildAccess");
    fails(&one("0: p = &a[0] + 4 1: *p = 1 -> 9"), "OutOfBounds");
    fails(&one("0: i = 4 1: a[i] = 1 -> 9"), "OutOfBounds");
    fails(
        &one("0: h = malloc(8u64) 1: p = (i32*)h 2: call free(h) 3: i = *p -> 9"),
        "UseAfterFree",
    );
    fails(
        &one("0: h = malloc(8u64) 1: call free(h) 2: call free(h) -> 9"),
        "DoubleFree",
    );
    fails(&one("0: call free((void*)&a[0]) -> 9"), "InvalidFree");
    fails(
        &one("0: declare i 1: p = &i 2: end i 3: *p = 1 -> 9"),
        "UseAfterScope",
    );
    fails(&one("0: *(i32*)&\"abc\"[0] = 1 -> 9"), "ReadOnlyWrite");
    fails(&one("0: i = 1 / (i - i) -> 9"), "DivisionByZero");
    // The object that a pointer was made from decides, not where it happens to point.
    fails(
        &main_of(
            "var a: i32, b: i32, p: i32* 0: p = &a 1: p = p + (((i64)&b - (i64)&a) / 4i64) 2: *p = 1 3: return 0 -> 4 4: exit",
        ),
        "OutOfBounds",
    );
    // An integer finds its object again.
    prints(
        &main_of(
            "var a: i32, n: u64 0: n = (u64)&a 1: *(i32*)n = 7 2: call printf(\"%d\\n\", a) 3: return 0 -> 4 4: exit",
        ),
        "7\n",
    );
}

#[test]
fn checks_on_pointers() {
    let one = |body: &str| {
        main_of(&format!(
            "var p: i32*, a: i32[4], h: void* {body} 9: return 0 -> 10 10: exit"
        ))
    };
    fails(
        &one("0: p = &a[2] 1: check oob in_bounds(p, 12) -> 9"),
        "oob",
    );
    fails(
        &one("0: p = (i32*)99999999 1: check oob in_bounds(p, 1) -> 9"),
        "oob",
    );
    fails(
        &one(
            "0: h = malloc(4u64) 1: p = (i32*)h 2: call free(h) 3: check inb in_bounds(p, 4) 4: check uaf alive(p) -> 9",
        ),
        "uaf",
    );
    fails(&one("0: check here unreachable -> 9"), "here");
    let freed = |what: &str, family: &str| {
        one(&format!(
            "0: h = malloc(8u64) 1: p = {what} 2: check inv freeable(p, {family}) -> 9"
        ))
    };
    for (what, family) in [
        ("&a[0]", "malloc"),
        ("(i32*)h + 1i64", "malloc"),
        ("(i32*)h", "new"),
        ("(i32*)h", "new_array"),
    ] {
        fails(&freed(what, family), "inv");
    }
    for what in ["(i32*)h", "null"] {
        assert_eq!(run(&freed(what, "malloc")).0, Outcome::Exit(0), "{what}");
    }
    fails(
        &one("0: p = &a[2] 1: check out apart(p, &a[0]) -> 9"),
        "out",
    );
    assert_eq!(run(&one("0: p = null 1: check out apart(p, &a[0]) 2: h = malloc(8u64) 3: p = (i32*)h 4: check out apart(p, &a[0]) -> 9")).0, Outcome::Exit(0));
    assert_eq!(run(&one("0: p = &a[2] 1: check oob in_bounds(p, 8) 2: check uaf alive(p) 3: p = null 4: check uaf alive(p) -> 9")).0, Outcome::Exit(0));
}

#[test]
fn varargs() {
    let list = "struct __va_list_tag { size 24 align 8; gp_offset: u32 @0; fp_offset: u32 @4; overflow_arg_area: void* @8; reg_save_area: void* @16 }
                struct s { size 12 align 4; a: i32[3] @0 }";
    prints(
        &format!(
            r#"{list}
            extern fn printf(i8*, ...) -> i32
            extern fn vprintf(i8*, struct __va_list_tag*) -> i32
            unit "v.c"
            fn show(f: i8*, ...) -> void {{
                var ap: struct __va_list_tag[1]
                0: va_start &ap[0]
                1: check regs ap[0].gp_offset == 48u32
                2: call vprintf(f, &ap[0])
                3: exit
            }}
            fn main() -> i32 {{
                var s: struct s, x: x87
                0: s.a[0] = 5
                1: x = (x87)1 / (x87)4
                2: call show("%d %s %f %Lf %c %ld\n", -3, "abc", 2.5, x, 65i8, -9i64)
                3: return 0
                4: exit
            }}"#
        ),
        "-3 abc 2.500000 0.250000 A -9\n",
    );
}

#[test]
fn exceptions() {
    let prelude = r#"
        extern fn printf(i8*, ...) -> i32
        extern fn __cxa_allocate_exception(u64) -> void*
        extern fn __cxa_throw(void*, void*, void*) -> void noreturn
        extern fn __cxa_begin_catch(void*) -> void*
        extern fn __cxa_end_catch() -> void
        extern global _ZTVN10__cxxabiv120__si_class_type_infoE: i8*[8]
        unit "e.cpp"
        global _ZTI1A: i8[16] = zero
        global _ZTI1B: i8[24] = zero with { 0: &_ZTVN10__cxxabiv120__si_class_type_infoE + 16; 16: &_ZTI1A }
        global _ZTI1C: i8[16] = zero
        fn raise(what: void*) -> void {
            var h: void*
            0: h = __cxa_allocate_exception(4u64)
            1: *(i32*)h = 42
            2: call __cxa_throw(h, what, (void*)null) noreturn -> 4
            3: exit
            4: unwind
        }"#;
    let main = |thrown: &str, clauses: &str| {
        format!(
            r#"{prelude}
            fn main() -> i32 {{
                var exn: void*, sel: i32, h: void*
                0: call raise((void*)&{thrown}) -> 9
                0: call raise((void*)&{thrown}) unwind -> 1
                1: landingpad exn, sel {clauses}
                2: assume sel == typeid(_ZTI1A) -> 4
                2: assume sel != typeid(_ZTI1A) -> 3
                3: resume exn -> 11
                4: h = __cxa_begin_catch(exn)
                5: call printf("caught %d\n", *(i32*)h)
                6: call __cxa_end_catch() -> 9
                9: return 0 -> 10
                10: exit
                11: unwind
            }}"#
        )
    };
    prints(&main("_ZTI1A", "catch _ZTI1A"), "caught 42\n");
    // By its base class.
    prints(&main("_ZTI1B", "catch _ZTI1C catch _ZTI1A"), "caught 42\n");
    let (outcome, _) = run(&main("_ZTI1C", "catch _ZTI1A cleanup"));
    assert!(matches!(outcome, Outcome::Uncaught { .. }), "{outcome:?}");
}

#[test]
fn long_jumps() {
    prints(
        r#"
        extern fn printf(i8*, ...) -> i32
        extern fn _setjmp(i64*) -> i32
        extern fn longjmp(i64*, i32) -> void noreturn
        unit "j.c"
        global buffer: i64[25] = zero
        fn jump(depth: i32) -> void {
            0: assume depth == 0 -> 1
            0: assume depth != 0 -> 2
            1: call longjmp(&buffer[0], 0) noreturn -> 3
            2: call jump(depth - 1)
            3: exit
        }
        fn main() -> i32 {
            var r: i32
            0: r = _setjmp(&buffer[0]) -> 1
            0: r = _setjmp(&buffer[0]) again -> 3
            1: call printf("first %d\n", r)
            2: call jump(3) -> 5
            3: call printf("again %d\n", r) -> 5
            5: return 0
            6: exit
        }"#,
        "first 0\nagain 1\n",
    );
}

#[test]
fn sorting_calls_back() {
    prints(
        r#"
        extern fn printf(i8*, ...) -> i32
        extern fn qsort(void*, u64, u64, (fn(void*, void*) -> i32)*) -> void
        unit "q.c"
        global v: i32[5] = bytes "\x05\x00\x00\x00\x01\x00\x00\x00\x04\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00"
        fn down(a: void*, b: void*) -> i32 {
            0: return *(i32*)b - *(i32*)a
            1: exit
        }
        fn main() -> i32 {
            0: call qsort((void*)&v[0], 5u64, 4u64, down)
            1: call printf("%d %d %d %d %d\n", v[0], v[1], v[2], v[3], v[4])
            2: return 0
            3: exit
        }"#,
        "5 4 3 2 1\n",
    );
}

#[test]
fn input() {
    let source = r#"
        extern fn printf(i8*, ...) -> i32
        extern fn scanf(i8*, ...) -> i32
        extern fn getchar() -> i32
        unit "i.c"
        fn main() -> i32 {
            var n: i32, d: f64, w: i8[16], k: i32, c: i32
            0: k = scanf("%d %lf %15s %*d", &n, &d, &w[0])
            1: call printf("%d %d %g %s\n", k, n, d, &w[0])
            2: c = getchar()
            3: k = scanf("%d", &n)
            4: call printf("%d %d\n", c, k)
            5: return 0
            6: exit
        }"#;
    let (outcome, out) = run_with(source, " -12 2.5e1 word 7\n");
    assert_eq!(out, "3 -12 25 word\n10 -1\n");
    assert_eq!(outcome, Outcome::Exit(0));
}

#[test]
fn library_functions_are_checked() {
    let source = |n: u32| {
        format!(
            "extern fn strcpy(i8*, i8*) -> i8*
             {}",
            main_of(&format!(
                "var b: i8[{n}] 0: call strcpy(&b[0], \"hello\") 1: return 0 -> 2 2: exit"
            ))
        )
    };
    assert_eq!(run(&source(6)).0, Outcome::Exit(0));
    fails(&source(5), "OutOfBounds");
}

#[test]
fn ends() {
    let stuck = |source: &str| match run(source).0 {
        Outcome::Stuck { reason, .. } => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        stuck(
            "extern fn unheard_of() -> i32\n unit \"a\" fn main() -> i32 { 0: call unheard_of() 1: return 0 2: exit }"
        ),
        StuckReason::UnknownFunction("unheard_of".into())
    );
    assert_eq!(
        stuck(
            "unit \"a\" fn main() -> i32 { var x: i32 0: havoc x because inline-assembly 1: return x 2: exit }"
        ),
        StuckReason::Havoc(HavocReason::InlineAssembly)
    );
    assert_eq!(
        stuck("unit \"a\" fn main() -> i32 { 0: assume 1 == 2 1: return 0 2: exit }"),
        StuckReason::Blocked
    );
    assert!(matches!(
        stuck("unit \"a\" fn main() -> i32 { var x: i32 0: x = main() 1: return x 2: exit }"),
        StuckReason::CallDepth(_)
    ));
    assert!(matches!(
        run("unit \"a\" fn main() -> i32 { 0: skip -> 0 1: return 0 2: exit }").0,
        Outcome::StepLimit { .. }
    ));
    let (outcome, _) = run(
        "extern fn exit(i32) -> void noreturn unit \"a\" fn main() -> i32 { 0: call exit(3) noreturn 1: return 0 2: exit }",
    );
    assert_eq!(outcome, Outcome::Exit(3));
    let (outcome, _) = run(
        "extern fn abort() -> void noreturn unit \"a\" fn main() -> i32 { 0: call abort() noreturn 1: return 0 2: exit }",
    );
    assert!(matches!(outcome, Outcome::Aborted { .. }));
}

struct Seven;

impl Oracle for Seven {
    fn havoc(&mut self, _: &HavocReason, _: TypeId) -> Option<Value> {
        Some(Value::int(7))
    }
}

#[derive(Default)]
struct Trace(Vec<(u32, Option<u64>)>);

impl Observer for Trace {
    fn visit(&mut self, _: FuncId, node: NodeId, frame: &FrameView<'_, '_>) {
        let x = frame.var(ir::VarId(0)).and_then(|v| v.scalar());
        let known = x.filter(|s| s.undef == 0).map(|s| s.bits);
        self.0.push((node.0, known));
    }
}

#[test]
fn oracle_and_observer() {
    let program = parse(
        "unit \"a\" fn main() -> i32 { var x: i32 0: havoc x because inline-assembly 1: skip 2: x = x + 1 3: return x 4: exit }",
    );
    let config = Config {
        oracle: Box::new(Seven),
        ..Config::default()
    };
    let mut trace = Trace::default();
    let outcome = Interpreter::with_observer(&program, config, &mut trace).run();
    assert_eq!(outcome, Outcome::Exit(8));
    let want = vec![
        (0, None),
        (1, Some(7)),
        (2, Some(7)),
        (3, Some(8)),
        (4, Some(8)),
    ];
    assert_eq!(trace.0, want);
}

#[test]
fn a_fault_says_where() {
    let program = parse(
        "unit \"a.c\"
         fn f(p: i32*) -> i32 { # \"a.c\":1:1
            0: return *p # 2:3
            1: exit }
         fn main() -> i32 { # \"a.c\":5:1
            var r: i32
            0: r = f(null) # 6:7
            1: return r
            2: exit }",
    );
    match Interpreter::new(&program, Config::default()).run() {
        Outcome::Failed(f) => {
            assert_eq!(f.cause, Cause::Fault(FaultKind::NullAccess));
            let lines: Vec<u32> = f.site.stack.iter().map(|(_, s)| s.line).collect();
            assert_eq!(lines, [2, 6]);
        }
        other => panic!("{other:?}"),
    }
}

/// Whatever ids a body holds, a run says so and does not crash.
#[test]
fn malformed_programs_get_stuck() {
    use ir::{Expr, ExprId, ExprKind, Place, PlaceId, Stmt};
    let good = parse("unit \"a\" fn main() -> i32 { var x: i32 0: x = x + 1 1: return x 2: exit }");
    let breakers: [fn(&mut ir::Body); 6] = [
        |b| {
            b.exprs = b
                .exprs
                .values()
                .map(|e| Expr {
                    kind: ExprKind::Cast(ExprId(0)),
                    ty: e.ty,
                })
                .collect::<Vec<_>>()
                .into()
        },
        |b| {
            b.exprs = b
                .exprs
                .values()
                .map(|e| Expr {
                    kind: e.kind.clone(),
                    ty: TypeId(9999),
                })
                .collect::<Vec<_>>()
                .into()
        },
        |b| {
            b.places = b
                .places
                .values()
                .map(|p| Place {
                    base: ir::Base::Var(ir::VarId(77)),
                    ..p.clone()
                })
                .collect::<Vec<_>>()
                .into()
        },
        |b| b.exprs = Vec::new().into(),
        |b| b.places = Vec::new().into(),
        |b| {
            let mut edges = b.take_edges();
            edges[0].stmt = Stmt::Assign {
                place: PlaceId(999),
                value: ExprId(999),
            };
            edges[1].to = NodeId(1234);
            b.set_edges(edges);
        },
    ];
    for breaker in breakers {
        let mut program = good.clone();
        for id in good.functions.ids() {
            if let Some(body) = &mut program.functions[id].body {
                breaker(body);
            }
        }
        let outcome = Interpreter::new(&program, Config::default()).run();
        assert!(matches!(outcome, Outcome::Stuck { .. }), "{outcome:?}");
    }
}

#[test]
fn constructors_and_exit_handlers() {
    prints(
        r#"
        extern fn puts(i8*) -> i32
        extern fn atexit((fn() -> void)*) -> i32
        unit "c.c"
        constructor 65535 late
        constructor 101 early
        destructor 65535 last
        fn late() -> void { 0: call puts("late") 1: exit }
        fn early() -> void { 0: call puts("early") 1: exit }
        fn last() -> void { 0: call puts("last") 1: exit }
        fn bye() -> void { 0: call puts("bye") 1: exit }
        fn main() -> i32 { 0: call atexit(bye) 1: call puts("main") 2: return 0 3: exit }
        "#,
        "early\nlate\nmain\nbye\nlast\n",
    );
}
