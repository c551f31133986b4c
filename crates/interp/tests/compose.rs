//! What `ir::compose` promises, held against the program itself: running a root with its calls
//! composed gives the same result, the same memory, and the same failing check of the same function.

use interp::{Cause, Config, Interpreter, Oracle, Outcome, Scalar, Value};
use ir::{
    CallOutcome, Callee, Composed, EdgeId, ExprKind, FrameId, FuncId, Impossible, Inlined, Program,
    Stmt, compose, validate_body,
};
use random_cfa::{Rng, Size};

/// Whatever is unknown is 1.
struct One;

impl Oracle for One {
    fn havoc(&mut self, _: &ir::HavocReason, _: ir::TypeId) -> Option<Value> {
        Some(Value::Scalar(Scalar::plain(1)))
    }
}

const LIMIT: u64 = 2_000_000;

fn interpreter(program: &Program) -> Interpreter<'_> {
    let config = Config {
        step_limit: LIMIT,
        oracle: Box::new(One),
        ..Config::default()
    };
    Interpreter::new(program, config)
}

/// The end of a run and what it left in the globals, in terms of the program.
fn told(
    program: &Program,
    run: &Interpreter<'_>,
    end: Result<Value, Outcome>,
    composed: Option<&Composed>,
) -> String {
    let end = match end {
        Ok(value) => format!("returns {value:?}"),
        Err(Outcome::Failed(f)) => {
            let cause = match (f.cause, composed) {
                (Cause::Check { check, .. }, Some(composed)) if f.site.stack.len() == 1 => {
                    let (frame, check) = composed.check(check);
                    format!("{check:?} of {:?}", composed.frames[frame].function)
                }
                (Cause::Check { check, .. }, _) => {
                    format!("{check:?} of {:?}", f.site.function.unwrap())
                }
                // The glue stands where the call does: only what is wrong can be compared.
                (Cause::Fault(kind), _) => format!("{kind}"),
            };
            format!("fails: {cause}, {}", f.detail)
        }
        Err(Outcome::Uncaught { .. }) => "an exception leaves".into(),
        Err(Outcome::Aborted { reason, .. }) => format!("aborts: {reason}"),
        Err(other) => panic!("{other:?}"),
    };
    let globals = program.globals.iter().map(|(id, g)| {
        let object = run.global(id).unwrap();
        let size = program.types.size_of(g.ty);
        format!("{:?}", run.memory().read_blob(object, 0, size))
    });
    let globals: Vec<String> = globals.collect();
    format!("{end}\n{}", globals.join("\n"))
}

/// Runs the root as it is and composed; what both say.
fn both(program: &Program, root: FuncId, composed: &Composed, args: &[Value]) -> [String; 2] {
    let mut plain = interpreter(program);
    let end = plain.call(root, args.to_vec());
    let plain = told(program, &plain, end, None);
    let mut joined = interpreter(program);
    let end = joined.call_body(root, &composed.body, args.to_vec());
    [plain, told(program, &joined, end, Some(composed))]
}

/// The function that a call edge calls, if its text says so.
fn called(program: &Program, f: FuncId, edge: EdgeId) -> Option<FuncId> {
    let body = program.functions[f].body.as_ref()?;
    let Stmt::Call(call) = &body.edges()[edge].stmt else {
        return None;
    };
    let callee = match call.callee {
        Callee::Direct(f) => f,
        Callee::Indirect(e) => match body.exprs[e].kind {
            ExprKind::Function(f) => f,
            _ => return None,
        },
    };
    let defined = program.functions[callee].body.is_some();
    (defined && call.outcome == CallOutcome::Return).then_some(callee)
}

/// Random calls of the root, of what they call, and so on.
fn some_calls(program: &Program, root: FuncId, rng: &mut Rng, most: u32) -> Vec<Inlined> {
    let mut frames = vec![root];
    let mut all: Vec<Inlined> = Vec::new();
    for _ in 0..rng.below(most) + 1 {
        let frame = rng.below(frames.len() as u32);
        let f = frames[frame as usize];
        let body = program.functions[f].body.as_ref().unwrap();
        let calls: Vec<EdgeId> = (body.edges().ids())
            .filter(|e| called(program, f, *e).is_some())
            .collect();
        let Some(call) = rng.pick(&calls) else {
            continue;
        };
        let frame = FrameId(frame);
        let callee = called(program, f, call).unwrap();
        if all.iter().any(|c| c.frame == frame && c.call == call) {
            continue;
        }
        all.push(Inlined {
            frame,
            call,
            callee,
        });
        frames.push(callee);
    }
    all
}

fn main_of(program: &Program) -> FuncId {
    program.find_function("main").unwrap()
}

#[test]
fn a_composed_body_does_what_the_program_does() {
    let (mut nested, mut recursive, mut failing, mut inside) = (0, 0, 0, 0);
    for seed in 0..900 {
        let program = match seed % 2 {
            0 => random_cfa::program(seed, Size::MEDIUM),
            _ => random_cfa::recursive_program(seed, Size::MEDIUM),
        };
        let root = main_of(&program);
        let mut rng = Rng::new(seed ^ 0x5EED);
        let calls = some_calls(&program, root, &mut rng, 12);
        let composed = compose(&program, root, &calls).unwrap();
        if let Err(violations) = validate_body(&program, root, &composed.body) {
            panic!("seed {seed}: {}", violations[0]);
        }
        let [plain, joined] = both(&program, root, &composed, &[]);
        assert_eq!(plain, joined, "seed {seed}, calls {calls:?}");
        nested += usize::from(composed.frames.values().any(|f| f.depth > 1));
        let itself = |f: &ir::compose::FrameInfo| {
            let caller = f.caller.map(|(c, _)| composed.frames[c].function);
            caller == Some(f.function)
        };
        recursive += usize::from(composed.frames.values().any(itself));
        failing += usize::from(plain.starts_with("fails"));
        let of_main = format!(" of {root:?}");
        let line = plain.lines().next().unwrap_or_default();
        inside += usize::from(line.contains("CheckId") && !line.contains(&of_main));
    }
    // The property means nothing on programs without calls.
    assert!(
        nested > 200 && recursive > 60 && failing > 200 && inside > 60,
        "{nested} nested, {recursive} recursive, {failing} failing, {inside} of them in a callee"
    );
}

#[test]
fn edges_and_checks_have_an_origin_and_are_found_again() {
    for seed in 0..100 {
        let program = random_cfa::recursive_program(seed, Size::SMALL);
        let root = main_of(&program);
        let calls = some_calls(&program, root, &mut Rng::new(seed), 6);
        let composed = compose(&program, root, &calls).unwrap();
        for edge in composed.body.edges().ids() {
            if let ir::Origin::Own(frame, own) = composed.origin(edge) {
                assert_eq!(composed.edge(frame, own), Some(edge));
                let body = program.functions[composed.frames[frame].function]
                    .body
                    .as_ref();
                let (old, new) = (&body.unwrap().edges()[own], &composed.body.edges()[edge]);
                assert_eq!(old.span, new.span);
            }
        }
        for check in composed.body.checks.ids() {
            let (frame, own) = composed.check(check);
            assert_eq!(composed.composed_check(frame, own), Some(check));
        }
    }
}

fn parse(text: &str) -> Program {
    let program = ir::text::parse(text).unwrap();
    ir::validate(&program).unwrap();
    program
}

/// A call of the frame's function to `callee`, the n-th in its text.
fn inlined(program: &Program, frame: u32, f: &str, n: usize, callee: &str) -> Inlined {
    let f = program.find_function(f).unwrap();
    let callee = program.find_function(callee).unwrap();
    let body = program.functions[f].body.as_ref().unwrap();
    let calls = body.edges().iter().filter(|(_, e)| match &e.stmt {
        Stmt::Call(call) => call.outcome == CallOutcome::Return,
        _ => false,
    });
    Inlined {
        frame: FrameId(frame),
        call: calls.map(|(id, _)| id).nth(n).unwrap(),
        callee,
    }
}

const MUTUAL: &str = r#"
    unit "a.c"
    global deepest: i32 = 0
    fn even(n: i32) -> i32 {
        var $r: i32
        0: assume n == 0 -> 1
        0: assume n != 0 -> 2
        1: return 1 -> 9
        2: $r = odd(n - 1)
        3: return $r -> 9
        9: exit
    }
    fn odd(n: i32) -> i32 {
        var $r: i32
        0: deepest = deepest + 1
        1: assume n == 0 -> 2
        1: assume n != 0 -> 3
        2: return 0 -> 9
        3: $r = even(n - 1)
        4: return $r -> 9
        9: exit
    }
"#;

#[test]
fn mutual_recursion_stays_recursive_where_the_frames_end() {
    let program = parse(MUTUAL);
    let calls = [
        inlined(&program, 0, "even", 0, "odd"),
        inlined(&program, 1, "odd", 0, "even"),
        inlined(&program, 2, "even", 0, "odd"),
    ];
    let root = program.find_function("even").unwrap();
    let composed = compose(&program, root, &calls).unwrap();
    validate_body(&program, root, &composed.body).unwrap();
    let depths: Vec<u32> = composed.frames.values().map(|f| f.depth).collect();
    assert_eq!(depths, [0, 1, 2, 3]);
    for n in 0..9 {
        let [plain, joined] = both(&program, root, &composed, &[Value::i32(n)]);
        assert_eq!(plain, joined);
        let result = format!("bits: {},", 1 - n % 2);
        assert!(plain.lines().next().unwrap().contains(&result), "{plain}");
    }
}

const POINTER: &str = r#"
    unit "a.c"
    static fn one(x: i32) -> i32 { 0: return x + 1 1: exit }
    static fn two(x: i32) -> i32 { 0: return x + 2 1: exit }
    fn f(c: i32) -> i32 {
        var p: (fn(i32) -> i32)*, r: i32
        0: assume c == 0 -> 1
        0: assume c != 0 -> 2
        1: p = one -> 3
        2: p = two -> 3
        3: r = (*p)(c)
        4: return r
        5: exit
    }
"#;

#[test]
fn a_call_through_a_pointer_stays_for_all_other_functions() {
    let program = parse(POINTER);
    let root = program.find_function("f").unwrap();
    let call = inlined(&program, 0, "f", 0, "two");
    let composed = compose(&program, root, &[call]).unwrap();
    validate_body(&program, root, &composed.body).unwrap();
    for (c, result) in [(0, 1), (5, 7)] {
        let [plain, joined] = both(&program, root, &composed, &[Value::i32(c)]);
        assert_eq!(plain, joined);
        let result = format!("bits: {result},");
        assert!(plain.lines().next().unwrap().contains(&result), "{plain}");
    }
    // Both ways are paths: through the frame, and by the call that stays.
    let own = |f: &str, n: u32| {
        let f = program.find_function(f).unwrap();
        let body = program.functions[f].body.as_ref().unwrap();
        let edges = body.edges().iter();
        let leaves: Vec<EdgeId> = edges
            .filter(|(_, e)| e.from.0 == n)
            .map(|(i, _)| i)
            .collect();
        leaves
    };
    let (root_frame, callee) = (FrameId(0), FrameId(1));
    let start = [
        (root_frame, own("f", 0)[1]),
        (root_frame, own("f", 2)[0]),
        (root_frame, call.call),
    ];
    let after = (root_frame, own("f", 4)[0]);
    let mut through = start.to_vec();
    through.extend([(callee, own("two", 0)[0]), after]);
    let through = composed.path(&through).unwrap();
    let mut beside = start.to_vec();
    beside.push(after);
    let beside = composed.path(&beside).unwrap();
    for path in [&through, &beside] {
        let edges = composed.body.edges();
        assert_eq!(edges[path[0]].from, composed.body.entry);
        assert!(path.windows(2).all(|w| edges[w[0]].to == edges[w[1]].from));
        assert_eq!(edges[*path.last().unwrap()].to, composed.body.exit);
    }
    let origins =
        |path: &[EdgeId]| -> Vec<ir::Origin> { path.iter().map(|e| composed.origin(*e)).collect() };
    assert!(origins(&through).contains(&ir::Origin::Own(callee, own("two", 0)[0])));
    assert!(origins(&through).contains(&ir::Origin::Leave(callee)));
    assert!(origins(&beside).contains(&ir::Origin::Own(root_frame, call.call)));
    assert!(origins(&beside).contains(&ir::Origin::Another(callee)));
    assert!(!origins(&beside).contains(&ir::Origin::Enter(callee)));
    // What does not follow is no path.
    assert_eq!(composed.path(&[(callee, own("two", 0)[0])]), None);
}

/// A loop that calls: the second time, the callee's variables are as fresh as the first time.
#[test]
fn variables_are_new_at_every_call() {
    let program = parse(
        r#"
        unit "a.c"
        global kept: i32* = zero
        fn once(first: i32) -> i32 {
            var x: i32, $t: i32
            0: assume first == 1 -> 1
            0: assume first != 1 -> 3
            1: x = 7
            2: $t = 7 -> 3
            3: check uninitialized-use initialized(x)
            4: kept = &x
            5: return x
            6: exit
        }
        fn f() -> i32 {
            var r: i32
            0: r = once(1)
            1: r = once(0)
            2: return r
            3: exit
        }
        fn g() -> i32 {
            var r: i32
            0: r = once(1)
            1: check use-after-scope alive(kept)
            2: return r
            3: exit
        }
    "#,
    );
    for (f, failing) in [("f", "once"), ("g", "g")] {
        let root = program.find_function(f).unwrap();
        let mut calls = vec![inlined(&program, 0, f, 0, "once")];
        if f == "f" {
            calls.push(inlined(&program, 0, f, 1, "once"));
        }
        let composed = compose(&program, root, &calls).unwrap();
        validate_body(&program, root, &composed.body).unwrap();
        let [plain, joined] = both(&program, root, &composed, &[]);
        assert_eq!(plain, joined);
        let failing = program.find_function(failing).unwrap();
        let start = format!("fails: CheckId(0) of {failing:?}");
        assert!(plain.starts_with(&start), "{plain}");
    }
}

const THROWS: &str = r#"
    unit "a.cc"
    global cleaned: i32 = 0
    extern const global _ZTIi: i8[16]
    extern fn __cxa_allocate_exception(u64) -> i8*
    extern fn __cxa_throw(i8*, i8*, i8*) -> void noreturn
    extern fn __cxa_begin_catch(i8*) -> i8*
    extern fn __cxa_end_catch() -> void
    fn raise(n: i32) -> void {
        var e: i8*
        0: assume n != 0 -> 1
        0: assume n == 0 -> 9
        1: e = __cxa_allocate_exception(4)
        2: *((i32*)e) = n
        3: call __cxa_throw(e, (i8*)&_ZTIi, null) -> 8
        8: trap unreachable -> 9
        9: exit
    }
    fn middle(n: i32) -> void {
        var exn: i8*, sel: i32
        0: call raise(n) -> 9
        0: call raise(n) unwind -> 1
        1: landingpad exn, sel cleanup
        2: cleaned = cleaned + 1
        3: resume exn -> 8
        8: unwind
        9: exit
    }
    fn f(n: i32) -> i32 {
        var exn: i8*, sel: i32, p: i8*
        0: call middle(n) -> 1
        0: call middle(n) unwind -> 3
        1: return 0 -> 9
        3: landingpad exn, sel catch _ZTIi
        4: p = __cxa_begin_catch(exn)
        5: call __cxa_end_catch()
        6: return 5 -> 9
        9: exit
    }
"#;

#[test]
fn exceptions_pass_through_frames_to_the_handler_of_a_call() {
    let program = parse(THROWS);
    let root = program.find_function("f").unwrap();
    let f = inlined(&program, 0, "f", 0, "middle");
    let middle = inlined(&program, 1, "middle", 0, "raise");
    for calls in [vec![f], vec![f, middle]] {
        let composed = compose(&program, root, &calls).unwrap();
        validate_body(&program, root, &composed.body).unwrap();
        for (n, result) in [(0, 0), (3, 5)] {
            let [plain, joined] = both(&program, root, &composed, &[Value::i32(n)]);
            assert_eq!(plain, joined, "{} frames", composed.frames.len());
            let result = format!("bits: {result},");
            assert!(plain.lines().next().unwrap().contains(&result), "{plain}");
        }
    }
}

#[test]
fn what_cannot_be_expressed_is_said() {
    let program = parse(
        r#"
        unit "a.c"
        extern fn outside(i32) -> i32
        static fn variadic(n: i32, ...) -> i32 {
            var list: i8[24]
            0: va_start (i8*)&list
            1: return n
            2: exit
        }
        static fn narrow(n: u8) -> u8 { 0: return n 1: exit }
        static fn sign(n: u32) -> u32 { 0: return n 1: exit }
        static fn stack(n: i32) -> i32 {
            var p: i32*
            0: allocate p[n]
            1: return n
            2: exit
        }
        fn f(x: i32, q: (fn(i32) -> i32)*) -> i32 {
            var r: i32
            0: r = outside(x)
            1: r = variadic(x) : fn(i32, ...) -> i32
            2: r = (*q)(x)
            3: r = stack(x)
            4: return r
            5: exit
        }
    "#,
    );
    let root = program.find_function("f").unwrap();
    let f = |name: &str| program.find_function(name).unwrap();
    let why = |call: Inlined| compose(&program, root, &[call]).unwrap_err();
    let outside = inlined(&program, 0, "f", 0, "outside");
    assert_eq!(why(outside), Impossible::NoBody(f("outside")));
    let variadic = inlined(&program, 0, "f", 1, "variadic");
    assert_eq!(why(variadic), Impossible::Variadic(f("variadic")));
    let narrow = inlined(&program, 0, "f", 2, "narrow");
    assert_eq!(why(narrow), Impossible::Conversion(f("narrow")));
    let stack = inlined(&program, 0, "f", 3, "stack");
    assert_eq!(why(stack), Impossible::Allocates(f("stack")));
    // The same bits: a matter of reading.
    let sign = inlined(&program, 0, "f", 2, "sign");
    let composed = compose(&program, root, &[sign]).unwrap();
    validate_body(&program, root, &composed.body).unwrap();
    let twice = compose(&program, root, &[sign, sign]);
    assert_eq!(twice.unwrap_err(), Impossible::Twice);
    let other = Inlined {
        callee: f("sign"),
        ..stack
    };
    assert_eq!(why(other), Impossible::NoSuchCall);
    let no_frame = Inlined {
        frame: FrameId(1),
        ..sign
    };
    assert_eq!(why(no_frame), Impossible::NoSuchCall);
}
