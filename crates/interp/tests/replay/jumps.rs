//! Calls that do not return: long jumps and exceptions.

use super::*;

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
        family: ir::Family::Malloc,
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
