//! What calls do on a path: entered, or replaced by what the script says.

use super::*;

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
        allocates: Some(Allocation {
            size,
            zeroed,
            family: ir::Family::Malloc,
        }),
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
    sticks(&p, &with(x, ten.clone(), None), 3, "no value for a place");
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
