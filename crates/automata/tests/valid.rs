//! Which parameters callers surely hand over something in.

use automata::Context;
use automata::valid::{given_by_callers, tested};
use ir::{CallGraph, FuncId};

fn given(callers: &str) -> Vec<bool> {
    let text = format!(
        "struct Box {{ size 8 align 8; first: i32 @0; second: i32 @4 }}
        unit \"a\"
        static fn use(p: i32*) -> i32 {{
            0: return 0
            1: exit
        }}
        {callers}"
    );
    let program = ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}"));
    let graph = CallGraph::new(&program);
    let context = Context::new(&program, &graph, Vec::new());
    given_by_callers(&context, FuncId(0))
}

#[test]
fn what_all_callers_have_tested_is_given() {
    let tested = "fn a(q: i32*) -> i32 {
            temp $: i32
            0: assume q != null
            0: assume q == null -> 2
            1: $ = use(q)
            2: return 0
            3: exit
        }";
    assert_eq!(given(tested), [true]);
    let and_not = format!(
        "{tested}
        fn b(q: i32*) -> i32 {{
            temp $: i32
            0: $ = use(q)
            1: return 0
            2: exit
        }}"
    );
    assert_eq!(given(&and_not), [false]);
}

#[test]
fn the_first_member_of_nothing_is_nothing() {
    let member = "fn a(b: struct Box*) -> i32 {
            temp $: i32
            0: $ = use(&b->first)
            1: return 0
            2: exit
        }";
    assert_eq!(given(member), [false]);
    let local = "fn a() -> i32 {
            var b: struct Box
            temp $: i32
            0: declare b
            1: $ = use(&b.second)
            2: return 0
            3: exit
        }";
    assert_eq!(given(local), [true]);
}

#[test]
fn a_copy_that_is_tested_is_a_test() {
    let text = "unit \"a\"
        fn f(p: i32*, q: i32*) -> i32 {
            var copy: i32*
            0: declare copy
            1: copy = p
            2: assume copy == null
            2: assume copy != null -> 3
            3: return 0
            4: exit
        }";
    let program = ir::text::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let body = program.functions[FuncId(0)].body.as_ref();
    let body = body.unwrap_or_else(|| panic!("no body"));
    assert_eq!(tested(body), [true, false]);
}
