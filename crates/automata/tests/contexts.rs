//! Functions in the states that callers enter them in: what fails there, and what must stay silent.

use automata::entry::{Access, Content, Known, Reference};
use automata::sensitive::Sensitive;
use automata::summary::Result as Given;
use automata::{Asked, Context, Entry, Options, Outcome, Plan, Verdict};
use domain::{Definition, Nullness, Number};
use ir::{CallGraph, FuncId, Program};
use search::Algorithm;
use std::collections::{BTreeMap, BTreeSet};

const PLAN: Plan = Plan {
    scheduled: false,
    only: None,
    algorithm: Algorithm::Covering,
    aggregate: true,
    max_states: 1000,
    automata: Options {
        bounds: true,
        pointers: true,
        flags: true,
        doubts: false,
    },
};

/// Contexts of a function that are kept apart here, and rounds in which they must come to rest.
const CONTEXTS: usize = 3;
const ROUNDS: usize = 40;

fn parse(text: &str) -> Program {
    let text = format!(
        "struct item {{ size 16 align 8; idx: i32 @0; p: i32* @8 }}
        unit \"a.c\"
        global a: i32[10] = zero
        {text}"
    );
    ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}"))
}

fn analyze(context: &Context<'_>, f: FuncId, entry: &Entry) -> Option<Outcome> {
    let body = context.program.functions[f].body.as_ref()?;
    Some(automata::analyze(context, f, body, PLAN, entry))
}

/// The functions for any caller, callees first.
fn roots(context: &mut Context<'_>) -> BTreeMap<FuncId, Outcome> {
    let mut outcomes = BTreeMap::new();
    for component in context.graph.components() {
        for &f in component {
            if let Some(outcome) = analyze(context, f, &Entry::Anything) {
                context.summaries.set(f, outcome.summary.clone());
                outcomes.insert(f, outcome);
            }
        }
    }
    outcomes
}

/// The rules that fail, by function, for any caller and in the contexts that calls lead to.
fn failing(text: &str) -> Vec<(String, String)> {
    let program = parse(text);
    let graph = CallGraph::new(&program);
    let mut context = Context::new(&program, &graph, Vec::new());
    let outcomes = roots(&mut context);
    let mut found: BTreeSet<(String, String)> = BTreeSet::new();
    let mut entries: BTreeMap<FuncId, BTreeSet<Entry>> = BTreeMap::new();
    let mut work: Vec<(FuncId, Outcome)> = outcomes.into_iter().collect();
    let mut rounds = 0;
    while !work.is_empty() {
        rounds += 1;
        assert!(rounds < ROUNDS, "no end: {entries:?}");
        let mut next: BTreeMap<FuncId, BTreeSet<Entry>> = BTreeMap::new();
        for (f, outcome) in std::mem::take(&mut work) {
            note(&program, f, &outcome, &mut found);
            for asked in outcome.calls {
                let known = entries.entry(asked.callee).or_default();
                if known.iter().any(|e| e.covers(&asked.entry)) {
                    continue;
                }
                known.insert(asked.entry.clone());
                let mut new = asked.entry;
                if known.len() > CONTEXTS {
                    let all: Vec<Entry> = known.iter().cloned().collect();
                    new = Entry::merge(&all);
                    assert!(all.iter().all(|e| new.covers(e)));
                    known.clear();
                    known.insert(new.clone());
                }
                next.entry(asked.callee).or_default().insert(new);
            }
        }
        for (f, entries) in next {
            for entry in entries {
                work.extend(analyze(&context, f, &entry).map(|outcome| (f, outcome)));
            }
        }
    }
    found.into_iter().collect()
}

fn note(program: &Program, f: FuncId, outcome: &Outcome, found: &mut BTreeSet<(String, String)>) {
    let body = program.functions[f].body.as_ref();
    for (check, verdict) in body
        .iter()
        .flat_map(|b| b.checks.values())
        .zip(&outcome.verdicts)
    {
        if matches!(verdict, Verdict::Fails(_)) {
            let rule = program.name(check.rule).to_string();
            found.insert((program.function_name(f).to_string(), rule));
        }
    }
}

fn assert_fails(text: &str, expected: &[(&str, &str)]) {
    let found = failing(text);
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|(f, rule)| (f.as_str(), rule.as_str()))
        .collect();
    assert_eq!(found, expected);
}

/// The outcome of one function for any caller.
fn root(text: &str, name: &str) -> Outcome {
    let program = parse(text);
    let graph = CallGraph::new(&program);
    let mut context = Context::new(&program, &graph, Vec::new());
    let f = program.find_function(name).expect("it is there");
    roots(&mut context).remove(&f).expect("it has a body")
}

const USE: &str = "fn use(p: i32*) -> i32 {
        0: check null-dereference p != null
        1: return *p
        2: exit
    }";

#[test]
fn null_is_passed_down_one_call() {
    let null = "fn main() -> i32 { temp $: i32 0: $ = use(null) 1: return $ 2: exit }";
    assert_fails(&format!("{USE} {null}"), &[("use", "null-dereference")]);
    let valid = "fn main() -> i32 {
            var x: i32
            temp $: i32
            0: declare x
            1: x = 5
            2: $ = use(&x)
            3: return $
            4: exit
        }";
    assert_fails(&format!("{USE} {valid}"), &[]);
    // A parameter of the caller's own: nobody says that it is null.
    let passed = "fn on(q: i32*) -> i32 { temp $: i32 0: $ = use(q) 1: return $ 2: exit }";
    assert_fails(&format!("{USE} {passed}"), &[]);
}

#[test]
fn null_that_was_tested_for_is_passed_down() {
    let tested = "fn main(q: i32*) -> i32 {
            temp $: i32
            0: assume q == null -> 1
            0: assume q != null -> 1
            1: $ = use(q)
            2: return $
            3: exit
        }";
    // `main` gets valid pointers.
    assert_fails(&format!("{USE} {tested}"), &[]);
    let on = tested.replace("main", "on");
    assert_fails(&format!("{USE} {on}"), &[("use", "null-dereference")]);
    let left = on.replace("q == null -> 1", "q == null -> 2");
    assert_fails(&format!("{USE} {left}"), &[]);
}

#[test]
fn a_callee_that_tests_is_silent() {
    let text = "fn use(p: i32*) -> i32 {
            0: assume p == null -> 3
            0: assume p != null -> 1
            1: check null-dereference p != null
            2: return *p -> 4
            3: return 0 -> 4
            4: exit
        }
        fn main() -> i32 { temp $: i32 0: $ = use(null) 1: return $ 2: exit }";
    assert_fails(text, &[]);
    // What is proved for any caller is not asked.
    assert!(root(text, "use").summary.sensitive.is_empty());
    assert_eq!(root(text, "main").calls, []);
}

#[test]
fn null_is_passed_down_three_calls() {
    let between = "fn c(p: i32*) -> i32 { temp $: i32 0: $ = use(p) 1: return $ 2: exit }
        fn b(x: i32, p: i32*) -> i32 { temp $: i32 0: $ = c(p) 1: return $ 2: exit }
        fn main() -> i32 {
            var q: i32*, y: i32
            temp $: i32
            0: declare q
            1: declare y
            2: y = 3
            3: q = null
            4: $ = b(1, q)
            5: return $
            6: exit
        }";
    let text = format!("{USE} {between}");
    assert_fails(&text, &[("use", "null-dereference")]);
    assert_fails(&text.replace("q = null", "q = &y"), &[]);
}

const GET: &str = "fn get(s: struct item*) -> i32 {
        0: check null-dereference s != null
        1: check uninitialized-use initialized(s->idx)
        2: check out-of-bounds s->idx >= 0
        3: check out-of-bounds s->idx < 10
        4: return a[s->idx]
        5: exit
    }";

#[test]
fn an_index_is_passed_through_a_struct() {
    let caller = |index: &str| {
        format!(
            "{GET}
            fn main() -> i32 {{
                var s: struct item
                temp $: i32
                0: declare s
                1: {index}
                2: $ = get(&s)
                3: return $
                4: exit
            }}"
        )
    };
    assert_fails(&caller("s.idx = 12"), &[("get", "out-of-bounds")]);
    assert_fails(&caller("s.idx = 9"), &[]);
    assert_fails(&caller("s.idx = -1"), &[("get", "out-of-bounds")]);
    assert_fails(&caller("fill &s <- 0, 16"), &[]);
    assert_fails(&caller("s.p = null"), &[("get", "uninitialized-use")]);
}

#[test]
fn a_field_that_is_a_pointer_is_passed_through_a_struct() {
    let text = |value: &str| {
        format!(
            "fn first(s: struct item*) -> i32 {{
                0: check null-dereference s->p != null
                1: check uninitialized-use initialized(*s->p)
                2: return *s->p
                3: exit
            }}
            fn main() -> i32 {{
                var s: struct item, x: i32
                temp $: i32
                0: declare s
                1: declare x
                2: {value}
                3: $ = first(&s)
                4: return $
                5: exit
            }}"
        )
    };
    assert_fails(&text("s.p = null"), &[("first", "null-dereference")]);
    // Two pointers away, and never written.
    assert_fails(&text("s.p = &x"), &[("first", "uninitialized-use")]);
    let written = text("x = 1").replace("3: $ =", "3: s.p = &x 4: $ =");
    let written = written.replace("4: return", "5: return");
    assert_fails(&written.replace("5: exit", "6: exit"), &[]);
}

#[test]
fn an_out_parameter_that_nobody_wrote_is_read() {
    let text = |before: &str, inside: &str| {
        format!(
            "fn use(p: i32*) -> i32 {{
                0: check null-dereference p != null
                1: {inside}
                2: check uninitialized-use initialized(*p)
                3: return *p
                4: exit
            }}
            fn main() -> i32 {{
                var x: i32
                temp $: i32
                0: declare x
                1: {before}
                2: $ = use(&x)
                3: return $
                4: exit
            }}"
        )
    };
    assert_fails(&text("skip", "skip"), &[("use", "uninitialized-use")]);
    assert_fails(&text("x = 1", "skip"), &[]);
    assert_fails(&text("skip", "*p = 1"), &[]);
}

#[test]
fn what_a_callee_may_have_written_is_no_evidence() {
    let text = "extern fn elsewhere(i32*) -> void
        fn use(p: i32*) -> i32 {
            0: check uninitialized-use initialized(*p)
            1: return *p
            2: exit
        }
        fn main() -> i32 {
            var x: i32
            temp $: i32
            0: declare x
            1: call elsewhere(&x)
            2: $ = use(&x)
            3: return $
            4: exit
        }";
    assert_fails(text, &[]);
}

const DIVIDE: &str = "fn divide(x: i32, by: i32) -> i32 {
        0: check division-by-zero by != 0
        1: return x / by
        2: exit
    }";

#[test]
fn a_divisor_of_zero_is_passed() {
    let caller = |by: &str| {
        format!(
            "{DIVIDE}
            fn main(n: i32) -> i32 {{ temp $: i32 0: $ = divide(1, {by}) 1: return $ 2: exit }}"
        )
    };
    assert_fails(&caller("0"), &[("divide", "division-by-zero")]);
    assert_fails(&caller("2"), &[]);
    let tested = "fn divide(x: i32, by: i32) -> i32 {
            0: assume by == 0 -> 3
            0: assume by != 0 -> 1
            1: check division-by-zero by != 0
            2: return x / by -> 4
            3: return 0 -> 4
            4: exit
        }
        fn main() -> i32 { temp $: i32 0: $ = divide(1, 0) 1: return $ 2: exit }";
    assert_fails(tested, &[]);
}

#[test]
fn a_parameter_that_guards_is_passed_along() {
    let text = |flag: &str| {
        format!(
            "fn maybe(p: i32*, flag: i32) -> i32 {{
                0: assume flag != 0 -> 1
                0: assume flag == 0 -> 3
                1: check null-dereference p != null
                2: return *p -> 4
                3: return 0 -> 4
                4: exit
            }}
            fn main() -> i32 {{ temp $: i32 0: $ = maybe(null, {flag}) 1: return $ 2: exit }}"
        )
    };
    assert_fails(&text("1"), &[("maybe", "null-dereference")]);
    assert_fails(&text("0"), &[]);
}

#[test]
fn memory_that_is_too_small_is_passed() {
    let text = |len: u32| {
        format!(
            "fn fourth(p: i32*) -> i32 {{
                0: check out-of-bounds in_bounds(p + 3, 4)
                1: return *(p + 3)
                2: exit
            }}
            fn main() -> i32 {{
                var x: i32[{len}]
                temp $: i32
                0: declare x
                1: fill &x <- 0, {}
                2: $ = fourth(&x[0])
                3: return $
                4: exit
            }}",
            4 * len
        )
    };
    assert_fails(&text(3), &[("fourth", "out-of-bounds")]);
    assert_fails(&text(4), &[]);
    // From the middle there is room before it, and less behind it.
    let middle = |text: String| text.replace("&x[0]", "&x[1]");
    assert_fails(&middle(text(4)), &[("fourth", "out-of-bounds")]);
    assert_fails(&middle(text(5)), &[]);
    let before = |text: String| text.replace("p + 3", "p + -1");
    assert_fails(&before(text(5)), &[("fourth", "out-of-bounds")]);
    assert_fails(&before(middle(text(5))), &[]);
}

#[test]
fn a_callback_is_called_with_null() {
    let text = |function: &str, argument: &str| {
        format!(
            "{USE}
            fn fine(p: i32*) -> i32 {{ 0: return 0 1: exit }}
            fn apply(f: (fn(i32*) -> i32)*, p: i32*) -> i32 {{
                temp $: i32
                0: $ = (*f)(p)
                1: return $
                2: exit
            }}
            fn main() -> i32 {{
                var x: i32
                temp $: i32
                0: declare x
                1: x = 1
                2: $ = apply({function}, {argument})
                3: return $
                4: exit
            }}"
        )
    };
    assert_fails(&text("use", "null"), &[("use", "null-dereference")]);
    assert_fails(&text("use", "&x"), &[]);
    assert_fails(&text("fine", "null"), &[]);
}

#[test]
fn a_callee_makes_the_null_that_its_callback_gets() {
    let text = |argument: &str| {
        format!(
            "{USE}
            fn apply(f: (fn(i32*) -> i32)*) -> i32 {{
                var x: i32
                temp $: i32
                0: declare x
                1: x = 1
                2: $ = (*f)({argument})
                3: return $
                4: exit
            }}
            fn main() -> i32 {{ temp $: i32 0: $ = apply(use) 1: return $ 2: exit }}"
        )
    };
    assert_fails(&text("null"), &[("use", "null-dereference")]);
    assert_fails(&text("&x"), &[]);
}

#[test]
fn a_recursion_passes_null_down() {
    let text = |first: &str| {
        format!(
            "fn down(n: i32, p: i32*) -> i32 {{
                temp $: i32
                0: assume n <= 0 -> 1
                0: assume n > 0 -> 3
                1: check null-dereference p != null
                2: return *p -> 5
                3: $ = down(n - 1, p)
                4: return $ -> 5
                5: exit
            }}
            fn main() -> i32 {{
                var x: i32
                temp $: i32
                0: declare x
                1: x = 1
                2: $ = down(7, {first})
                3: return $
                4: exit
            }}"
        )
    };
    assert_fails(&text("null"), &[("down", "null-dereference")]);
    assert_fails(&text("&x"), &[]);
}

#[test]
fn a_recursion_that_counts_comes_to_rest() {
    let text = |last: u32| {
        format!(
            "fn up(n: i32) -> i32 {{
                temp $: i32
                0: check out-of-bounds n >= 0
                1: check out-of-bounds n < 10
                2: assume n < {last} -> 3
                2: assume n >= {last} -> 5
                3: $ = up(n + 1)
                4: return $ -> 6
                5: return a[n] -> 6
                6: exit
            }}
            fn main() -> i32 {{ temp $: i32 0: $ = up(0) 1: return $ 2: exit }}"
        )
    };
    // Behind the test, n + 1 is acknowledged up to the bound.
    assert_fails(&text(9), &[]);
    assert_fails(&text(10), &[("up", "out-of-bounds")]);
}

#[test]
fn a_call_that_is_not_reached_is_not_asked() {
    let text = format!(
        "{USE}
        fn main() -> i32 {{
            var n: i32
            temp $: i32
            0: declare n
            1: n = 1
            2: assume n == 0 -> 3
            2: assume n != 0 -> 4
            3: $ = use(null)
            4: return 0
            5: exit
        }}"
    );
    assert_fails(&text, &[]);
    assert_eq!(root(&text, "main").calls, []);
}

fn pointer(null: Nullness) -> Content {
    Content {
        value: Known::Pointer(Reference {
            null,
            ..Reference::ANY
        }),
        definition: Definition::Defined,
    }
}

#[test]
fn calls_say_in_which_states_they_are_made() {
    let text = format!(
        "{USE}
        fn on(q: i32*, c: i32) -> i32 {{
            temp $: i32
            0: $ = use(null)
            1: $ = use(q)
            2: return $
            3: exit
        }}"
    );
    let program = parse(&text);
    let calls = root(&text, "on").calls;
    let expected = Asked {
        edge: ir::EdgeId(0),
        callee: program.find_function("use").expect("it is there"),
        entry: Entry::given([(Access::param(0), pointer(Nullness::NULL))]),
        only: true,
    };
    // Of the second call nothing is known.
    assert_eq!(calls, [expected]);
}

#[test]
fn a_call_in_many_states_is_asked_in_one() {
    let tests: String = (0..6)
        .map(|i| {
            format!(
                "0: assume c == {i} -> {from}
                {from}: by = {value} -> 90\n",
                from = i + 1,
                value = i * 10
            )
        })
        .collect();
    let text = format!(
        "{DIVIDE}
        fn on(c: i32) -> i32 {{
            var by: i32
            temp $: i32
            {tests}
            90: $ = divide(1, by)
            91: return $
            92: exit
        }}"
    );
    let calls = root(&text, "on").calls;
    assert!(!calls.is_empty() && calls.len() <= 4, "{calls:?}");
    let described = |value: i64| {
        let one = Entry::given([(
            Access::param(1),
            Content {
                value: Known::Number(Number::constant(value).settled()),
                definition: Definition::Defined,
            },
        )]);
        calls.iter().any(|asked| asked.entry.covers(&one))
    };
    assert!((0..6).all(|i| described(i * 10)), "{calls:?}");
}

#[test]
fn what_comes_back_depends_on_what_was_passed() {
    let text = "fn id(p: i32*) -> i32* { 0: return p 1: exit }";
    let program = parse(text);
    let graph = CallGraph::new(&program);
    let context = Context::new(&program, &graph, Vec::new());
    let result = |entry: &Entry| {
        analyze(&context, FuncId(0), entry)
            .expect("it has a body")
            .summary
            .result
    };
    let given = |null| Entry::given([(Access::param(0), pointer(null))]);
    assert_eq!(result(&Entry::Anything), Given::Pointer(Nullness::ANY));
    assert_eq!(
        result(&given(Nullness::NULL)),
        Given::Pointer(Nullness::NULL)
    );
    assert_eq!(
        result(&given(Nullness::VALID)),
        Given::Pointer(Nullness::VALID)
    );
    assert_eq!(
        result(&given(Nullness::FALLIBLE)),
        Given::Pointer(Nullness::FALLIBLE)
    );
}

#[test]
fn a_number_comes_back_as_it_was_passed() {
    let text = "fn next(n: i32) -> i32 { 0: return n + 1 1: exit }";
    let program = parse(text);
    let graph = CallGraph::new(&program);
    let context = Context::new(&program, &graph, Vec::new());
    let entry = Entry::given([(
        Access::param(0),
        Content {
            value: Known::Number(Number::constant(4)),
            definition: Definition::Defined,
        },
    )]);
    let outcome = analyze(&context, FuncId(0), &entry).expect("it has a body");
    let Given::Number(n) = outcome.summary.result else {
        panic!("a number");
    };
    assert_eq!(n.as_constant(), Some(5));
    assert!(n.acknowledges(5));
}

#[test]
fn a_function_without_open_checks_is_sensitive_to_nothing() {
    let text = "fn f(n: i32, p: i32*) -> i32 {
            0: assume p != null -> 1
            0: assume p == null -> 2
            1: check null-dereference p != null -> 2
            2: return n
            3: exit
        }";
    assert_eq!(root(text, "f").summary.sensitive, Sensitive::default());
}

#[test]
fn outcomes_are_what_they_were_after_a_time_on_disk() {
    let null = "fn main() -> i32 { temp $: i32 0: $ = use(null) 1: return $ 2: exit }";
    let outcome = root(&format!("{USE} {null}"), "main");
    assert_eq!(outcome.calls.len(), 1);
    let bytes = postcard::to_allocvec(&outcome).expect("it is plain data");
    let again: Outcome = postcard::from_bytes(&bytes).expect("it was written so");
    assert_eq!(again, outcome);
}
