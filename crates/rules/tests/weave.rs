//! What automata become in a body: programs before and after, in their text form.

use expect_test::{Expect, expect};
use rules::temporal::{
    Automaton, Label, Outcome, Pattern, State, Target, Transition, Valid, weave,
};

const PRELUDE: &str = r#"
    struct box { size 16 align 8; data: i8* @0; n: i32 @8 }
    unit "t.c"
    global lock: i32 = zero
    global recursive: i32 = 1
    extern fn free(i8*) -> void
    extern fn malloc(u64) -> i8*
    extern fn realloc(i8*, u64) -> i8*
    extern fn close(i32) -> i32
    extern fn read(i32, i8*, u64) -> i64
    extern fn open(i8*, i32) -> i32
    extern fn pthread_mutex_lock(i32*) -> i32
    extern fn pthread_mutex_unlock(i32*) -> i32
    extern fn pthread_mutex_trylock(i32*) -> i32
    extern fn puts(i8*) -> i32
    extern fn unknown() -> void
"#;

fn parse(source: &str) -> ir::Program {
    let source = format!("{PRELUDE}\nfn f{source}");
    ir::text::parse(&source).unwrap_or_else(|e| panic!("{e}\n{source}"))
}

/// A rule that rigel has.
fn check(rule: &str, source: &str, expected: Expect) {
    let mut program = parse(source);
    let selection = rules::Selection::parse(rule).unwrap();
    rules::instrument(&mut program, selection);
    compare(&program, &expected);
}

/// One that a user could write.
fn check_with(automaton: &'static Automaton, source: &str, expected: Expect) {
    assert_eq!(automaton.validate(), Ok(()));
    let mut program = parse(source);
    weave(&mut program, &[("mine", automaton)]);
    compare(&program, &expected);
}

fn compare(program: &ir::Program, expected: &Expect) {
    if let Err(violations) = ir::validate::validate(program) {
        panic!("{}", violations[0].describe(program));
    }
    let f = program.find_function("f").unwrap();
    let text = ir::text::print_function(program, f);
    let body: String = text
        .lines()
        .filter_map(|l| l.strip_prefix("    "))
        .filter(|l| l.starts_with(|c: char| c.is_ascii_digit()) || l.starts_with("temp"))
        .map(|l| format!("{l}\n"))
        .collect();
    expected.assert_eq(&body);
}

#[test]
fn freed_and_freed_again() {
    check(
        "double-free",
        "(p: i8*) -> void {
            0: call free(p)
            1: call free(p)
            2: exit
        }",
        expect![[r#"
            temp `$double-free.state`: i32, `$double-free.value`: void*
            0: `$double-free.state` = 0
            1: `$double-free.value` = null
            2: `$double-free.value` = (void*)p
            3: `$double-free.state` = `$double-free.value` != null ? 1 : 0
            4: call free(p)
            5: check double-free `$double-free.state` == 1 ? (void*)p != `$double-free.value` : true
            6: call free(p)
            7: exit
        "#]],
    );
}

#[test]
fn what_is_freed_once_costs_nothing() {
    check(
        "double-free",
        "(p: i8*, q: i8*, c: i32) -> void {
            0: assume c > 0 -> 1
            0: assume c <= 0 -> 2
            1: call free(p) -> 3
            2: call free(p) -> 3
            3: call free(q)
            4: exit
        }",
        expect![[r#"
            0: assume c > 0
            0: assume c <= 0              -> 2
            1: call free(p)               -> 3
            2: call free(p)
            3: call free(q)
            4: exit
        "#]],
    );
}

#[test]
fn a_variable_that_is_overwritten_is_another_value() {
    check(
        "double-free",
        "(p: i8*) -> void {
            0: call free(p)
            1: p = null
            2: call free(p)
            3: exit
        }",
        expect![[r#"
            0: call free(p)
            1: p = null
            2: call free(p)
            3: exit
        "#]],
    );
}

#[test]
fn two_instances_are_one_check() {
    check(
        "double-free",
        "(p: i8*, c: i32) -> void {
            0: assume c > 0 -> 1
            0: assume c <= 0 -> 2
            1: call free(p) -> 3
            2: call free(p) -> 3
            3: call free(p)
            4: exit
        }",
        expect![[r#"
            temp `$double-free.state`: i32, `$double-free.value`: void*, `$double-free.state.1`: i32, `$double-free.value.1`: void*
            0: `$double-free.state` = 0
            1: `$double-free.value` = null
            2: `$double-free.state.1` = 0
            3: `$double-free.value.1` = null
            4: assume c > 0
            4: assume c <= 0              -> 8
            5: `$double-free.value` = (void*)p
            6: `$double-free.state` = `$double-free.value` != null ? 1 : 0
            7: call free(p)               -> 11
            8: `$double-free.value.1` = (void*)p
            9: `$double-free.state.1` = `$double-free.value.1` != null ? 1 : 0
            10: call free(p)
            11: check double-free (`$double-free.state` == 1 ? (void*)p != `$double-free.value` : true) ? (`$double-free.state.1` == 1 ? (void*)p != `$double-free.value.1` : true) : false
            12: call free(p)
            13: exit
        "#]],
    );
}

#[test]
fn a_field_is_noted_and_an_allocation_begins_anew() {
    check(
        "double-free",
        "(s: struct box*) -> void {
            0: call free(s->data)
            1: s->data = malloc(8u64)
            2: call free(s->data)
            3: exit
        }",
        expect![[r#"
            temp `$double-free.state`: i32, `$double-free.value`: void*
            0: `$double-free.state` = 0
            1: `$double-free.value` = null
            2: `$double-free.value` = (void*)s->data
            3: assume (void*)s->data == `$double-free.value`
            4: `$double-free.state` = `$double-free.value` != null ? 1 : 0
            5: call free(s->data)
            6: s->data = malloc(8)
            7: `$double-free.state` = (void*)s->data == `$double-free.value` ? 0 : `$double-free.state`
            8: check double-free `$double-free.state` == 1 ? (void*)s->data != `$double-free.value` : true
            9: call free(s->data)
            10: exit
        "#]],
    );
}

#[test]
fn a_start_that_waits_for_the_outcome() {
    check(
        "use-after-close",
        "(fd: i32, b: i8*) -> void {
            temp $r: i32, $n: i64
            0: $r = close(fd)
            1: $n = read(fd, b, 1u64)
            2: exit
        }",
        expect![[r#"
            temp $r: i32, $n: i64, `$use-after-close.state`: i32, `$use-after-close.value`: i32
            0: `$use-after-close.state` = 0
            1: `$use-after-close.value` = 0
            2: `$use-after-close.value` = fd
            3: `$use-after-close.state` = 0
            4: $r = close(fd)
            5: assume $r == 0
            5: assume $r != 0             -> 8
            6: `$use-after-close.state` = `$use-after-close.value` >= 0 ? 1 : 0
            7: skip                       -> 9
            8: `$use-after-close.state` = 0 -> 7
            9: check use-after-close `$use-after-close.state` == 1 ? (void*)fd != (void*)`$use-after-close.value` : true
            10: $n = read(fd, b, 1)
            11: exit
        "#]],
    );
    check(
        "double-free",
        "(p: i8*) -> void {
            var q: i8*
            0: q = realloc(p, 8u64)
            1: call free(p)
            2: exit
        }",
        expect![[r#"
            temp `$double-free.state`: i32, `$double-free.value`: void*
            0: `$double-free.state` = 0
            1: `$double-free.value` = null
            2: `$double-free.value` = (void*)p
            3: `$double-free.state` = 0
            4: q = realloc(p, 8)
            5: `$double-free.state` = q != null ? (`$double-free.value` != null ? 1 : 0) : 0
            6: skip
            7: check double-free `$double-free.state` == 1 ? (void*)p != `$double-free.value` : true
            8: call free(p)
            9: exit
        "#]],
    );
}

#[test]
fn what_may_unlock_elsewhere() {
    check(
        "double-lock",
        "() -> void {
            temp $r: i32
            0: $r = pthread_mutex_lock(&lock)
            1: call unknown()
            2: $r = pthread_mutex_lock(&lock)
            3: exit
        }",
        expect![[r#"
            temp $r: i32, `$double-lock.state`: i32, `$double-lock.value`: void*
            0: `$double-lock.state` = 0
            1: `$double-lock.value` = null
            2: `$double-lock.value` = (void*)&lock
            3: `$double-lock.state` = 1
            4: $r = pthread_mutex_lock(&lock)
            5: `$double-lock.state` = 0
            6: call unknown()
            7: check double-lock `$double-lock.state` == 1 ? (void*)&lock != `$double-lock.value` : true
            8: $r = pthread_mutex_lock(&lock)
            9: exit
        "#]],
    );
}

#[test]
fn what_nobody_looks_at_may_have_failed() {
    check(
        "double-lock",
        "() -> void {
            0: call pthread_mutex_trylock(&lock)
            1: call pthread_mutex_lock(&lock)
            2: exit
        }",
        expect![[r#"
            temp `$double-lock.state`: i32, `$double-lock.value`: void*, `$double-lock.given`: i32
            0: `$double-lock.state` = 0
            1: `$double-lock.value` = null
            2: `$double-lock.value` = (void*)&lock
            3: `$double-lock.state` = 0
            4: `$double-lock.given` = pthread_mutex_trylock(&lock)
            5: assume `$double-lock.given` == 0
            5: assume `$double-lock.given` != 0 -> 8
            6: `$double-lock.state` = 1
            7: skip                       -> 9
            8: `$double-lock.state` = 0   -> 7
            9: check double-lock `$double-lock.state` == 1 ? (void*)&lock != `$double-lock.value` : true
            10: call pthread_mutex_lock(&lock)
            11: exit
        "#]],
    );
}

#[test]
fn a_lock_that_begins_as_another_kind_is_left_alone() {
    check(
        "double-lock",
        "() -> void {
            0: call pthread_mutex_lock(&recursive)
            1: call pthread_mutex_lock(&recursive)
            2: exit
        }",
        expect![[r#"
            0: call pthread_mutex_lock(&recursive)
            1: call pthread_mutex_lock(&recursive)
            2: exit
        "#]],
    );
}

const fn label(patterns: &'static [Pattern]) -> Label {
    Label {
        name: "",
        patterns,
        valid: Valid::Always,
    }
}

const fn argument(functions: &'static [&'static str]) -> Pattern {
    Pattern::Argument {
        functions,
        position: 0,
        outcome: Outcome::Any,
    }
}

const fn to(from: usize, on: usize, to: Target) -> Transition {
    Transition { from, on, to }
}

const STATES: &[State] = &[
    State {
        name: "idle",
        told: "",
    },
    State {
        name: "one",
        told: "is one",
    },
    State {
        name: "two",
        told: "is two",
    },
];

/// Locked, and not unlocked when the function is left.
static LEFT: Automaton = Automaton {
    states: STATES.split_at(2).0,
    labels: &[
        label(&[argument(&["pthread_mutex_lock"])]),
        label(&[argument(&["pthread_mutex_unlock"])]),
        label(&[Pattern::Left]),
    ],
    transitions: &[
        to(0, 0, Target::State(1)),
        to(1, 1, Target::State(0)),
        to(1, 2, Target::Error),
    ],
    library_only: true,
    by_callees: &[],
    void_if_called: &[],
    zero_at_first: false,
    needs: None,
    goes_on: false,
    any_state: None,
};

#[test]
fn left_while_it_is_locked() {
    check_with(
        &LEFT,
        "(c: i32) -> void {
            temp $r: i32
            0: $r = pthread_mutex_lock(&lock)
            1: assume c > 0 -> 2
            1: assume c <= 0 -> 3
            2: $r = pthread_mutex_unlock(&lock) -> 3
            3: exit
        }",
        expect![[r#"
            temp $r: i32, `$mine.state`: i32, `$mine.value`: void*
            0: `$mine.state` = 0
            1: `$mine.value` = null
            2: `$mine.value` = (void*)&lock
            3: `$mine.state` = 1
            4: $r = pthread_mutex_lock(&lock)
            5: assume c > 0               -> 7
            5: assume c <= 0
            6: check mine `$mine.state` != 1 -> 10
            7: `$mine.state` = (void*)&lock == `$mine.value` ? 0 : `$mine.state`
            8: $r = pthread_mutex_unlock(&lock)
            9: check mine `$mine.state` != 1
            10: exit
        "#]],
    );
}

/// Once `unknown` was called nothing is allocated any more: there is no value to follow.
static CALLED: Automaton = Automaton {
    states: STATES.split_at(2).0,
    labels: &[
        label(&[Pattern::Called {
            functions: &["unknown"],
        }]),
        label(&[Pattern::Called {
            functions: &["malloc", "realloc"],
        }]),
    ],
    transitions: &[to(0, 0, Target::State(1)), to(1, 1, Target::Error)],
    library_only: true,
    by_callees: &[],
    void_if_called: &[],
    zero_at_first: false,
    needs: None,
    goes_on: false,
    any_state: None,
};

#[test]
fn called_after_another() {
    check_with(
        &CALLED,
        "() -> void {
            var p: i8*
            0: p = malloc(1u64)
            1: call unknown()
            2: p = malloc(2u64)
            3: exit
        }",
        expect![[r#"
            temp `$mine.state`: i32
            0: `$mine.state` = 0
            1: p = malloc(1)
            2: `$mine.state` = 1
            3: call unknown()
            4: check mine `$mine.state` != 1
            5: p = malloc(2)
            6: exit
        "#]],
    );
}

/// Freed, stored somewhere, and returned or followed after that: three states, and a step that shifts.
static MOVED: Automaton = Automaton {
    states: STATES,
    labels: &[
        label(&[argument(&["free"])]),
        label(&[Pattern::Assigned]),
        label(&[Pattern::Returned, Pattern::Dereferenced]),
    ],
    transitions: &[
        to(0, 0, Target::State(1)),
        to(1, 1, Target::State(2)),
        to(2, 1, Target::State(1)),
        to(2, 2, Target::Error),
    ],
    library_only: true,
    by_callees: &[],
    void_if_called: &[],
    zero_at_first: false,
    needs: None,
    goes_on: false,
    any_state: None,
};

#[test]
fn stored_and_returned_or_followed() {
    check_with(
        &MOVED,
        "(p: i8*) -> i8* {
            var q: i8*
            0: call free(p)
            1: q = p
            2: *q = 1i8
            3: return q
            4: exit
        }",
        expect![[r#"
            temp `$mine.state.one`: i32, `$mine.state.two`: i32, `$mine.was.one`: i32, `$mine.was.two`: i32, `$mine.value`: void*
            0: `$mine.state.one` = 0
            1: `$mine.state.two` = 0
            2: `$mine.value` = null
            3: `$mine.value` = (void*)p
            4: `$mine.state.one` = 1
            5: `$mine.state.two` = 0
            6: call free(p)
            7: `$mine.was.one` = `$mine.state.one`
            8: `$mine.was.two` = `$mine.state.two`
            9: `$mine.state.one` = (void*)p == `$mine.value` ? (`$mine.was.two` == 1 ? 1 : 0) : `$mine.state.one`
            10: `$mine.state.two` = (void*)p == `$mine.value` ? (`$mine.was.one` == 1 ? 1 : 0) : `$mine.state.two`
            11: q = p
            12: check mine `$mine.state.two` == 1 ? (void*)q != `$mine.value` : true
            13: *q = 1
            14: check mine `$mine.state.two` == 1 ? (void*)q != `$mine.value` : true
            15: return q
            16: exit
        "#]],
    );
}

#[test]
fn an_automaton_may_be_void() {
    static VOID: Automaton = Automaton {
        void_if_called: &["unknown"],
        ..LEFT
    };
    check_with(
        &VOID,
        "() -> void {
            temp $r: i32
            0: $r = pthread_mutex_lock(&lock)
            1: exit
        }",
        expect![[r#"
            temp $r: i32
            0: $r = pthread_mutex_lock(&lock)
            1: exit
        "#]],
    );
}
