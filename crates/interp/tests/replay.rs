//! Replays of paths through small programs: what a script says, and what the run makes of it.

use interp::replay::{
    Allocation, Replayed, Replayer, Script, ScriptObject, ScriptTarget, ScriptValue, StepEffect,
    Write, replay,
};
use ir::{EdgeId, FuncId, GlobalId, Program, VarId};

fn parse(source: &str) -> Program {
    ir::text::parse(source).unwrap_or_else(|e| panic!("{e}\n{source}"))
}

fn function(program: &Program, name: &str) -> FuncId {
    program.find_function(name).unwrap()
}

/// The edges between consecutive nodes.
fn path(program: &Program, name: &str, nodes: &[u32]) -> Vec<EdgeId> {
    let body = program.functions[function(program, name)].body.as_ref();
    let edges = body.unwrap().edges();
    let between = |pair: &[u32]| {
        let mut all = edges.iter();
        let found = all.find(|(_, e)| e.from.0 == pair[0] && e.to.0 == pair[1]);
        found.unwrap_or_else(|| panic!("no edge {pair:?}")).0
    };
    nodes.windows(2).map(between).collect()
}

/// A script without inputs, along the nodes of the function `f`.
fn script(program: &Program, nodes: &[u32]) -> Script {
    Script {
        function: function(program, "f"),
        path: path(program, "f", nodes),
        objects: Vec::new(),
        args: Vec::new(),
        globals: Vec::new(),
        steps: Default::default(),
    }
}

fn global(program: &Program, name: &str) -> GlobalId {
    let mut all = program.globals.iter();
    all.find(|(_, g)| program.name(g.name) == name).unwrap().0
}

fn local(program: &Program, name: &str) -> VarId {
    let f = &program.functions[function(program, "f")];
    let mut vars = f.body.as_ref().unwrap().vars.iter();
    vars.find(|(_, v)| program.name(v.name) == name).unwrap().0
}

fn bits(n: i32) -> ScriptValue {
    ScriptValue::Bits(u128::from(n as u32))
}

fn to(target: ScriptTarget) -> ScriptValue {
    ScriptValue::Pointer { target, offset: 0 }
}

fn object(size: u64) -> ScriptObject {
    ScriptObject {
        size,
        align: 8,
        writes: Vec::new(),
        heap: true,
    }
}

fn write(offset: u64, size: u64, value: ScriptValue) -> Write {
    Write {
        offset,
        value,
        size,
    }
}

/// A call that does nothing but return.
fn returns(result: Option<ScriptValue>) -> StepEffect {
    StepEffect::Instead {
        result,
        writes: Vec::new(),
        frees: Vec::new(),
        allocates: None,
    }
}

#[track_caller]
fn confirmed(program: &Program, script: &Script) {
    assert_eq!(replay(program, script), Replayed::Confirmed);
}

#[track_caller]
fn diverges(program: &Program, script: &Script, at: usize, words: &str) {
    match replay(program, script) {
        Replayed::Diverged { step, why } if step == at && why.contains(words) => {}
        other => panic!("{other:?}, not diverged at {at}: {words}"),
    }
}

#[track_caller]
fn sticks(program: &Program, script: &Script, at: usize, words: &str) {
    match replay(program, script) {
        Replayed::Stuck { step, why } if step == at && why.contains(words) => {}
        other => panic!("{other:?}, not stuck at {at}: {words}"),
    }
}

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
fn what_an_unknown_call_frees_is_gone() {
    let p = parse(
        r#"extern fn release(i8*) -> void
        unit "a.c" fn f(p: i8*) -> i32 {
            0: call release(p)
            1: check use-after-free alive(p)
            2: return 0
            3: exit }"#,
    );
    let frees = |target, heap| {
        let mut s = script(&p, &[0, 1, 2]);
        s.objects = vec![ScriptObject { heap, ..object(4) }];
        s.args = vec![to(ScriptTarget::Object(0))];
        let effect = StepEffect::Instead {
            result: None,
            writes: Vec::new(),
            frees: vec![target],
            allocates: None,
        };
        s.steps.insert(0, effect);
        s
    };
    let first = ScriptTarget::Object(0);
    confirmed(&p, &frees(first, true));
    sticks(&p, &frees(first, false), 0, "no living heap block");
    sticks(&p, &frees(ScriptTarget::Absolute, true), 0, "no object");
    sticks(&p, &frees(ScriptTarget::Object(1), true), 0, "Object(1)");
    let mut keeps = frees(first, true);
    keeps.steps.insert(0, returns(None));
    diverges(&p, &keeps, 1, "the last check holds");
    // Nobody knows what it does.
    keeps.steps.clear();
    sticks(&p, &keeps, 0, "unknown function release");
}

#[test]
fn free_of_the_library_is_executed() {
    let p = parse(
        r#"extern fn free(void*) -> void
        unit "a.c" fn f(p: void*, q: void*) -> i32 {
            0: call free(p)
            1: call free(q)
            2: check use-after-free alive(q)
            3: return 0
            4: exit }"#,
    );
    let with = |q| Script {
        objects: vec![object(4), object(4)],
        args: vec![to(ScriptTarget::Object(0)), q],
        ..script(&p, &[0, 1, 2, 3])
    };
    confirmed(&p, &with(to(ScriptTarget::Object(1))));
    diverges(&p, &with(to(ScriptTarget::Object(0))), 1, "freed twice");
    diverges(&p, &with(bits(0)), 2, "the last check holds");
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
fn allocations_succeed_or_fail() {
    let p = parse(
        r#"extern fn malloc(u64) -> void*
        unit "a.c" fn f(n: u64) -> i32 { var p: i32*
            0: p = malloc(n)
            1: assume p == null -> 4
            1: assume p != null -> 2
            2: check uninitialized-use initialized(*p)
            3: check out-of-bounds in_bounds(p + 1, 4) -> 5
            4: check null-dereference p != null
            5: return 0
            6: exit }"#,
    );
    let failure = [0, 1, 4, 5];
    let with = |nodes: &[u32], n: u128, effect| {
        let mut s = script(&p, nodes);
        s.args = vec![ScriptValue::Bits(n)];
        s.steps.extend([(0, effect)]);
        s
    };
    let gives = |size, zeroed, writes| StepEffect::Instead {
        result: None,
        writes,
        frees: Vec::new(),
        allocates: Some(Allocation { size, zeroed }),
    };
    confirmed(&p, &with(&failure, 8, returns(Some(bits(0)))));
    diverges(&p, &with(&failure, 8, StepEffect::Execute), 1, "false");
    diverges(&p, &with(&failure, 8, gives(8, true, vec![])), 1, "false");
    // More than there is.
    confirmed(&p, &with(&failure, 1 << 40, StepEffect::Execute));

    let fresh = [0, 1, 2, 3];
    confirmed(&p, &with(&fresh, 8, StepEffect::Execute));
    confirmed(&p, &with(&fresh, 8, gives(8, false, vec![])));
    diverges(&p, &with(&fresh, 8, gives(8, true, vec![])), 2, "holds");
    let written = vec![(ScriptTarget::Step(0), write(0, 4, bits(1)))];
    diverges(&p, &with(&fresh, 8, gives(8, false, written)), 2, "holds");

    let bounds = [0, 1, 2, 3, 5];
    confirmed(&p, &with(&bounds, 4, gives(4, true, vec![])));
    confirmed(&p, &with(&bounds, 4, gives(7, true, vec![])));
    diverges(&p, &with(&bounds, 4, gives(8, true, vec![])), 3, "holds");
    sticks(
        &p,
        &with(&bounds, 4, gives(1 << 40, true, vec![])),
        0,
        "no memory",
    );
}

#[test]
fn a_step_names_what_it_allocated() {
    let p = parse(
        r#"extern fn make() -> i32*
        extern fn malloc(u64) -> void*
        extern fn set(i32*) -> void
        unit "a.c" fn f(n: u64) -> i32 { var p: void*, q: i32*, r: i8*
            0: p = malloc(n)
            1: q = make()
            2: allocate r[n]
            3: call set(q)
            4: check a *q != 5
            5: exit }"#,
    );
    let step = ScriptTarget::Step;
    let with = |target| {
        let mut s = script(&p, &[0, 1, 2, 3, 4, 5]);
        s.args = vec![ScriptValue::Bits(4)];
        s.steps.insert(1, returns(Some(to(target))));
        let writes = [0, 2].map(|k| (step(k), write(0, 4, bits(5))));
        let set = StepEffect::Instead {
            result: None,
            writes: writes.to_vec(),
            frees: vec![step(0)],
            allocates: None,
        };
        s.steps.insert(3, set);
        s
    };
    // What `malloc` made is written and freed; what the stack has only written.
    diverges(&p, &with(step(0)), 4, "freed memory");
    // Not yet allocated.
    sticks(&p, &with(step(2)), 1, "Step(2)");
    let mut late = with(step(0));
    late.steps.insert(1, returns(Some(bits(0))));
    diverges(&p, &late, 4, "null pointer");
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
fn setjmp_returns_again() {
    let p = parse(
        r#"extern fn _setjmp(i64*) -> i32
        extern fn longjmp(i64*, i32) -> void noreturn
        unit "j.c"
        global buffer: i64[25] = zero
        fn jump(n: i32) -> void {
            0: call longjmp(&buffer[0], n) noreturn -> 1
            1: exit
        }
        fn f(n: i32) -> i32 {
            var r: i32
            0: r = _setjmp(&buffer[0]) -> 1
            0: r = _setjmp(&buffer[0]) again -> 3
            1: check first r == 0
            2: call jump(n) -> 4
            3: check again r != 5 -> 4
            4: return 0
            5: exit
        }"#,
    );
    let base = |nodes: &[u32], n: i32| Script {
        args: vec![bits(n)],
        ..script(&p, nodes)
    };
    // In one go, as level 1 sees it: somebody has jumped.
    let mut short = base(&[0, 3, 4], 0);
    diverges(&p, &short, 0, "for the first time");
    short.steps.insert(0, returns(Some(bits(5))));
    confirmed(&p, &short);
    short.steps.insert(0, returns(Some(bits(6))));
    diverges(&p, &short, 1, "holds");
    short.steps.insert(0, returns(Some(bits(0))));
    sticks(&p, &short, 0, "with 0");
    // And as a run sees it: the call jumps to where the path goes on.
    let mut long = base(&[0, 1, 2, 4], 5);
    long.path.extend(path(&p, "f", &[0, 3, 4]));
    confirmed(&p, &long);
    long.args = vec![bits(6)];
    diverges(&p, &long, 4, "holds");
    long.path.remove(3);
    diverges(&p, &long, 2, "jumps to the setjmp at node 0");
}

#[test]
fn indirect_calls() {
    let p = parse(
        r#"extern fn printf(i8*, ...) -> i32
        unit "a.c"
        fn one(x: i32) -> i32 { 0: return x - 1 1: exit }
        fn two(x: i32) -> i32 { 0: check negative x < 0 1: return x 2: exit }
        fn three(x: i32) -> i32 { 0: skip -> 0 1: exit }
        fn f(g: (fn(i32) -> i32)*) -> i32 { var r: i32
            0: r = (*g)(1)
            1: check division-by-zero r != 0
            2: return 5 / r
            3: exit }"#,
    );
    let with = |g: ScriptValue| Script {
        args: vec![g],
        ..script(&p, &[0, 1, 2])
    };
    let to_function = |name| with(to(ScriptTarget::Function(function(&p, name))));
    confirmed(&p, &to_function("one"));
    diverges(&p, &to_function("two"), 0, "check negative fails in two: 1");
    sticks(&p, &to_function("three"), 0, "too many statements in three");
    diverges(&p, &with(bits(0)), 0, "null");
    let mut unknown = with(to(ScriptTarget::Object(0)));
    unknown.objects.push(object(8));
    diverges(&p, &unknown, 0, "call of what is no function");
    // Somebody's function that is not in view.
    unknown.steps.insert(0, returns(Some(bits(0))));
    confirmed(&p, &unknown);
    unknown.args = vec![bits(0)];
    diverges(&p, &unknown, 0, "null");
}

#[test]
fn calls_that_end_otherwise() {
    let p = parse(
        r#"extern fn exit(i32) -> void noreturn
        extern fn abort() -> void noreturn
        extern fn puts(i8*) -> i32
        unit "a.c"
        fn end(n: i32) -> void {
            0: assume n == 0 -> 1
            0: assume n == 1 -> 2
            0: assume n == 2 -> 3
            1: call exit(3) noreturn -> 3
            2: call abort() noreturn -> 3
            3: exit
        }
        fn f(n: i32) -> i32 { var r: i32
            0: call end(n)
            1: r = puts("said nowhere")
            2: check a n != 2
            3: exit }"#,
    );
    let with = |n: i32| Script {
        args: vec![bits(n)],
        ..script(&p, &[0, 1, 2, 3])
    };
    confirmed(&p, &with(2));
    diverges(&p, &with(0), 0, "exits with 3");
    diverges(&p, &with(1), 0, "the run ends in end: abort()");
    diverges(&p, &with(3), 0, "no way on");
}

#[test]
fn exceptions() {
    let p = parse(
        r#"
        extern fn __cxa_allocate_exception(u64) -> void*
        extern fn __cxa_throw(void*, void*, void*) -> void noreturn
        extern fn __cxa_begin_catch(void*) -> void*
        extern fn __cxa_end_catch() -> void
        unit "e.cpp"
        global _ZTI1A: i8[16] = zero
        global _ZTI1B: i8[16] = zero
        fn raise(n: i32) -> void {
            var h: void*
            0: assume n == 0 -> 5
            0: assume n != 0 -> 1
            1: h = __cxa_allocate_exception(4u64)
            2: *(i32*)h = n
            3: call __cxa_throw(h, (void*)&_ZTI1A, (void*)null) noreturn -> 4
            4: unwind
            5: exit
        }
        fn f(n: i32) -> i32 {
            var exn: void*, sel: i32, h: void*
            0: call raise(n) -> 7
            0: call raise(n) unwind -> 1
            1: landingpad exn, sel catch _ZTI1A catch _ZTI1B
            2: assume sel == typeid(_ZTI1A) -> 3
            2: assume sel != typeid(_ZTI1A) -> 7
            3: h = __cxa_begin_catch(exn)
            4: check five *(i32*)h != 5
            5: call __cxa_end_catch()
            6: check alive alive(h)
            7: check reached false
            8: exit
        }"#,
    );
    let with = |nodes: &[u32], n: i32| Script {
        args: vec![bits(n)],
        ..script(&p, nodes)
    };
    confirmed(&p, &with(&[0, 1, 2, 3, 4, 5], 5));
    confirmed(&p, &with(&[0, 1, 2, 3, 4, 5, 6, 7], 4));
    confirmed(&p, &with(&[0, 7, 8], 0));
    diverges(&p, &with(&[0, 1, 2, 7, 8], 5), 2, "false");
    diverges(&p, &with(&[0, 1, 2, 7, 8], 0), 0, "throws nothing");
    diverges(&p, &with(&[0, 7, 8], 5), 0, "throws an exception");
    // An exception that the script makes: no clause knows its type, unless the script says which.
    let mut made = with(&[0, 1, 2, 3, 4, 5], 0);
    let allocates = Some(Allocation {
        size: 4,
        zeroed: true,
    });
    let thrown = |n| StepEffect::Instead {
        result: None,
        writes: vec![(ScriptTarget::Step(0), write(0, 4, bits(n)))],
        frees: Vec::new(),
        allocates,
    };
    made.steps.insert(0, thrown(5));
    diverges(&p, &made, 1, "an exception leaves the function");
    let selector = |name| bits(global(&p, name).0 as i32 + 1);
    made.steps.insert(1, returns(Some(selector("_ZTI1A"))));
    confirmed(&p, &made);
    made.steps.insert(1, returns(Some(selector("_ZTI1B"))));
    diverges(&p, &made, 2, "false");
    made.steps.insert(1, returns(None));
    sticks(&p, &made, 1, "without a selector");
    made.steps.insert(1, returns(Some(selector("_ZTI1A"))));
    made.steps.insert(0, thrown(4));
    diverges(&p, &made, 4, "holds");
    // Of which nothing is known at all.
    made.steps.insert(0, returns(None));
    diverges(&p, &made, 4, "out of bounds");
}

#[test]
fn what_calls_and_havocs_write() {
    let p = parse(
        r#"extern fn fill(i32*) -> i32
        unit "a.c"
        global g: i32 = 4
        const global k: i32 = 4
        fn f() -> i32 { var x: i32, y: i32
            0: declare x
            1: x = 1
            2: y = fill(&x)
            3: havoc y because inline-assembly
            4: check a x + y + g != 60
            5: exit }"#,
    );
    let effect = |target, w| StepEffect::Instead {
        result: Some(bits(0)),
        writes: vec![
            (ScriptTarget::Global(global(&p, "g")), write(0, 4, bits(20))),
            (target, w),
        ],
        frees: Vec::new(),
        allocates: None,
    };
    let x = ScriptTarget::Local(local(&p, "x"));
    let with = |target, w, y: Option<ScriptValue>| {
        let mut s = script(&p, &[0, 1, 2, 3, 4, 5]);
        s.steps.insert(2, effect(target, w));
        s.steps.insert(3, returns(y));
        s
    };
    let ten = write(0, 4, bits(10));
    confirmed(&p, &with(x, ten.clone(), Some(bits(30))));
    diverges(&p, &with(x, ten.clone(), Some(bits(31))), 4, "holds");
    sticks(&p, &with(x, ten.clone(), None), 3, "without a value");
    let mut bare = with(x, ten.clone(), None);
    bare.steps.remove(&3);
    sticks(&p, &bare, 3, "unknown to the front end");
    sticks(&p, &with(x, write(1, 4, bits(0)), None), 2, "offset 1 of 4");
    let y = ScriptTarget::Local(local(&p, "y"));
    sticks(&p, &with(y, ten.clone(), None), 2, "not there");
    let constant = ScriptTarget::Global(global(&p, "k"));
    sticks(&p, &with(constant, ten.clone(), None), 2, "constant memory");
    let code = ScriptTarget::Function(FuncId(0));
    sticks(&p, &with(code, write(0, 1, bits(0)), None), 2, "a function");
    // Only what the path leaves open can be replaced.
    let mut wrong = with(x, ten, Some(bits(30)));
    wrong.steps.insert(1, returns(None));
    sticks(&p, &wrong, 1, "the path determines");
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
