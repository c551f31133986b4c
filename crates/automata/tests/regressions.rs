//! What level 1 once got wrong, each as a program of a few lines: the checks that it may call
//! proved, and those that it must not.

use automata::hunt::Hunt;
use automata::{Context, Entry, Options, Plan, Verdict};
use ir::{CallGraph, CheckId, EdgeId};
use search::Algorithm;

/// What becomes of the checks of `f`, in every mode: proved (and never refuted), or not.
fn proved(text: &str) -> Vec<bool> {
    let program = ir::text::parse(text).unwrap();
    let graph = CallGraph::new(&program);
    let mut answers: Vec<Vec<bool>> = Vec::new();
    for algorithm in [
        Algorithm::Plain,
        Algorithm::Covering,
        Algorithm::Differencing,
    ] {
        for aggregate in [true, false] {
            let context = Context::new(&program, &graph, Vec::new());
            let plan = Plan {
                algorithm,
                aggregate,
                max_states: 1000,
                scheduled: false,
                only: None,
                automata: Options::default(),
            };
            let f = program.find_function("f").unwrap();
            let body = program.functions[f].body.as_ref().unwrap();
            let verdicts = automata::analyze(&context, f, body, plan, &Entry::Anything).verdicts;
            let holds = |v: &Verdict| matches!(v, Verdict::Proved | Verdict::Refuted);
            answers.push(verdicts.iter().map(holds).collect());
        }
    }
    assert!(answers.iter().all(|a| *a == answers[0]), "{answers:?}");
    answers.swap_remove(0)
}

#[test]
fn a_large_unsigned_number_becomes_a_negative_one() {
    let text = "unit \"a.c\"
        fn f(p: u64) -> void {
            var x: i64
            0: declare x
            1: x = (i64)p
            2: check assertion x >= 0
            3: check assertion x >= 0
            4: exit
        }";
    // The second check holds because the first did.
    assert_eq!(proved(text), [false, true]);
}

#[test]
fn a_test_of_a_converted_number_excludes_nothing() {
    let text = "unit \"a.c\"
        fn f(p: u64) -> void {
            0: assume (i64)p < 0
            1: check assertion p < 5
            2: exit
        }";
    assert_eq!(proved(text), [false]);
}

#[test]
fn a_sum_that_wraps_says_nothing_of_its_operand() {
    let text = "unit \"a.c\"
        fn f(p: u64) -> void {
            0: assume p + 1 < 5
            1: check assertion p < 5
            2: exit
        }";
    assert_eq!(proved(text), [false]);
}

#[test]
fn a_bit_field_keeps_its_bits() {
    let text = "struct flags { size 4 align 4; low: u32 @0 bits 0:3; }
        unit \"a.c\"
        fn f() -> void {
            var x: struct flags
            0: declare x
            1: fill &x <- 0, 4
            2: x.low = 12
            3: check assertion x.low == 4
            4: check assertion x.low == 12
            5: exit
        }";
    assert_eq!(proved(text), [true, false]);
}

#[test]
fn members_of_a_union_share_their_bits() {
    let text = "union both { size 8 align 8; wide: i64 @0; narrow: u16 @0; }
        unit \"a.c\"
        fn f() -> void {
            var x: union both
            0: declare x
            1: fill &x <- 0, 8
            2: x.wide = -1
            3: check assertion x.narrow == 0
            4: exit
        }";
    assert_eq!(proved(text), [false]);
}

#[test]
fn an_address_that_is_chosen_is_not_lost() {
    let text = "unit \"a.c\"
        global g: i32* = zero
        fn f(c: i32) -> void {
            var x: i32, p: i32*
            0: declare x
            1: declare p
            2: p = c != 0 ? &x : g
            3: x = 1
            4: check assertion x == 1
            5: *p = 2
            6: check assertion x == 1
            7: exit
        }";
    assert_eq!(proved(text), [true, false]);
}

#[test]
fn what_was_tested_through_a_pointer_is_forgotten_with_its_variable() {
    let text = "unit \"a.c\"
        fn f(c: i32) -> void {
            var x: i32, p: i32*
            0: declare x
            1: declare p
            2: x = c
            3: p = &x
            4: check assertion *p < 3
            5: check assertion *p < 3
            6: x = 5
            7: check assertion *p < 3
            8: exit
        }";
    assert_eq!(proved(text), [false, true, false]);
}

#[test]
fn bits_of_something_undefined_are_not_defined() {
    let text = "unit \"a.c\"
        fn f() -> void {
            var x: i32, y: i32, z: i32
            0: declare x
            1: declare y
            2: declare z
            3: y = x & 3
            4: z = x + 3
            5: check uninitialized-use initialized(y)
            6: check uninitialized-use initialized(z)
            7: exit
        }";
    assert_eq!(proved(text), [false, true]);
}

/// The runs with `x` written are no part of those without, which end at the first check.
#[test]
fn a_difference_keeps_what_is_defined() {
    let text = "unit \"a.c\"
        fn f() -> void {
            var x: i32
            0: declare x
            1: skip            -> 3
            1: skip
            2: x = 1
            3: check uninitialized-use initialized(x)
            4: check assertion x == 2
            5: exit
        }";
    assert_eq!(proved(text), [false, false]);
}

#[test]
fn the_least_number_has_no_absolute_value() {
    let text = "unit \"a.c\"
        fn f(p: i32) -> void {
            0: check assertion abs(p) >= 0
            1: check assertion p > -5
            2: check assertion abs(p) >= 0
            3: exit
        }";
    assert_eq!(proved(text), [false, false, true]);
}

#[test]
fn copies_are_equal_until_one_is_written() {
    let text = "unit \"a.c\"
        extern fn g() -> i8*
        fn f(p: i8*, a: i32, c: i32) -> void {
            var q: i8*, b: i32
            0: q = p
            1: b = a
            2: check assertion q == p
            3: check assertion (void*)b == (void*)a
            4: check assertion (void*)b == (void*)c
            5: q = g()
            6: check assertion q == p
            7: exit
        }";
    assert_eq!(proved(text), [true, true, false, false]);
}

/// Nothing reads the temporary any more where paths meet; what was copied from it is the same still.
#[test]
fn copies_of_what_is_forgotten_are_equal() {
    let text = "unit \"a.c\"
        extern fn g() -> i8*
        fn f(c: i32) -> void {
            var p: i8*, q: i8*, n: i32
            temp $t: i8*
            0: $t = g()
            1: p = $t
            2: q = $t
            3: assume c > 0
            3: assume c <= 0 -> 5
            4: n = 1 -> 6
            5: n = 2
            6: check assertion p == q
            7: p = g()
            8: check assertion p == q
            9: exit
        }";
    assert_eq!(proved(text), [true, false]);
}

#[test]
fn a_small_number_in_memory_is_no_pointer() {
    let text = "struct box { size 24 align 8; data: i8* @0; n: i32 @8; large: i64 @16 }
        unit \"a.c\"
        fn f(s: struct box*, t: struct box*, q: i8*) -> void {
            0: assume s->data == q
            1: t->n = 1
            2: check assertion s->data == q
            3: t->large = 1i64
            4: check assertion s->data == q
            5: t->data = null
            6: check assertion s->data == q
            7: exit
        }";
    // A number of 64 bits may be a pointer in disguise; the check before has narrowed nothing that
    // lasts.
    assert_eq!(proved(text), [true, false, false]);
}

/// Both paths lead to the check, and states that are merged there fail on evidence. On the one that leaves `x` to callers there is none.
#[test]
fn evidence_is_that_of_the_path() {
    let text = "unit \"a.c\"
        fn f(x: i32, c: i32) -> void {
            0: assume c != 0
            0: assume c == 0    -> 2
            1: x = -1
            2: check assertion x >= 0
            3: exit
        }";
    let program = ir::text::parse(text).unwrap();
    let graph = CallGraph::new(&program);
    let context = Context::new(&program, &graph, Vec::new());
    let plan = Plan {
        algorithm: Algorithm::Covering,
        aggregate: true,
        max_states: 1000,
        scheduled: false,
        only: None,
        automata: Options::default(),
    };
    let (f, _, body) = program.bodies().next().unwrap();
    let mut hunt = Hunt::new(&context, f, body, plan);
    let mut has_evidence = |path: &[u32]| {
        let path: Vec<EdgeId> = path.iter().map(|edge| EdgeId(*edge)).collect();
        hunt.has_evidence(CheckId(0), &path)
    };
    assert!(has_evidence(&[0, 2, 3]));
    assert!(!has_evidence(&[1, 3]));
}

/// The same, with what is known of the callees.
fn proved_with_callees(text: &str) -> Vec<bool> {
    let program = ir::text::parse(text).unwrap();
    let graph = CallGraph::new(&program);
    let context = Context::new(&program, &graph, Vec::new());
    let plan = Plan {
        algorithm: Algorithm::Covering,
        aggregate: true,
        max_states: 1000,
        scheduled: false,
        only: None,
        automata: Options::default(),
    };
    let mut verdicts = Vec::new();
    for f in graph.components().iter().flatten() {
        let Some(body) = &program.functions[*f].body else {
            continue;
        };
        let outcome = automata::analyze(&context, *f, body, plan, &Entry::Anything);
        context.summaries.set(*f, outcome.summary.clone());
        if program.function_name(*f) == "f" {
            verdicts = outcome.verdicts;
        }
    }
    let holds = |v: &Verdict| matches!(v, Verdict::Proved | Verdict::Refuted);
    verdicts.iter().map(holds).collect()
}

/// A callee that writes nothing through its parameter may still give it back: then its caller writes through what it gets.
#[test]
fn what_a_callee_gives_back_may_be_what_it_was_handed() {
    let with = |body: &str| {
        let text = format!(
            "unit \"a.c\"
            global g: i32 = 0
            global g5: i32* = &g
            static fn pick(p: i32*) -> i32* {{ {body} }}
            fn f(n: i32) -> void {{
                var x: i32, q: i32*
                0: declare x
                1: x = 0
                2: q = pick(&x)
                3: *q = n
                4: check assertion x == 0
                5: exit
            }}"
        );
        proved_with_callees(&text)
    };
    let own = "0: g5 = &g
               1: return p
               2: exit";
    let pure = "0: return p
                1: exit";
    let another = "0: return &g
                   1: exit";
    assert_eq!(with(own), [false]);
    assert_eq!(with(pure), [false]);
    assert_eq!(with(another), [true]);
}

/// So it may give back, or leave in memory, what it has read there.
#[test]
fn what_a_callee_finds_in_memory_it_may_pass_on() {
    let with = |last: &str| {
        let text = format!(
            "struct s {{ size 8 align 8; to: i32* @0 }}
            unit \"a.c\"
            static fn read(p: struct s*) -> i32* {{
                0: return p->to
                1: exit
            }}
            static fn link(p: struct s*, q: struct s*) -> void {{
                0: q->to = p->to
                1: exit
            }}
            fn f(n: i32) -> void {{
                var x: i32, a: struct s, b: struct s, q: i32*
                0: declare x
                1: x = 0
                2: declare a
                3: a.to = &x
                4: declare b
                5: b.to = null
                {last}
                8: check assertion x == 0
                9: check assertion a.to == &x
                10: exit
            }}"
        );
        proved_with_callees(&text)
    };
    let read = "6: q = read(&a)
                7: *q = n";
    let link = "6: call link(&a, &b)
                7: *b.to = n";
    // The one that holds the pointer has not become others' with it.
    assert_eq!(with(read), [false, true]);
    assert_eq!(with(link), [false, true]);
}
