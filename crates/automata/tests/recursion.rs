//! What is found from the statements of functions that call themselves, or each other.

use automata::Recursion;
use ir::{CallGraph, Callee, FuncId, Program, Stmt};

struct Found {
    program: Program,
    recursion: Recursion,
}

fn found(source: &str) -> Found {
    let program = ir::parse(source).unwrap_or_else(|e| panic!("{e}"));
    let graph = CallGraph::new(&program);
    let recursion = Recursion::new(&program, graph.components());
    Found { program, recursion }
}

impl Found {
    fn function(&self, name: &str) -> FuncId {
        self.program.find_function(name).unwrap()
    }

    fn gives_null(&self, name: &str) -> bool {
        self.recursion.gives_null(self.function(name))
    }

    fn moved(&self, name: &str) -> &[bool] {
        self.recursion.moved(self.function(name))
    }

    /// Of each direct call of a function, whether its result is only passed on.
    fn passed_on(&self, name: &str) -> Vec<bool> {
        let f = self.function(name);
        let body = self.program.functions[f].body.as_ref().unwrap();
        let calls = body.edges().values().filter_map(|e| match &e.stmt {
            Stmt::Call(call) if matches!(call.callee, Callee::Direct(_)) => Some(call),
            _ => None,
        });
        let passes = calls.map(|call| self.recursion.passes_on(f, body, call));
        passes.collect()
    }
}

const NODE: &str = "struct node { size 16 align 8; next: struct node* @0; value: i32 @8 }\n";

#[test]
fn a_search_that_is_handed_on_moves_its_pointer() {
    let found = found(&format!(
        "{NODE}
        fn search(p: struct node*, value: i32) -> struct node* {{
            0: assume p != null -> 2
            0: assume p == null
            1: return null -> 5
            2: assume p->value == value
            2: assume p->value != value -> 4
            3: return p -> 5
            4: return search(p->next, value)
            5: exit
        }}
        fn use(p: struct node*) -> struct node* {{ 0: return search(p, 1) 1: exit }}"
    ));
    assert_eq!(found.moved("search"), [true, false]);
    assert!(found.gives_null("search"));
    assert_eq!(found.passed_on("search"), [true]);
    // Who is not of the recursion is a caller like any.
    assert_eq!(found.passed_on("use"), [false]);
    assert!(!found.gives_null("use") && found.moved("use").is_empty());
}

#[test]
fn a_null_for_a_null_is_an_answer() {
    let found = found(&format!(
        "{NODE}
        fn copy(p: struct node*, made: struct node*) -> struct node* {{
            temp t: struct node*
            0: assume p != null -> 2
            0: assume p == null
            1: return null -> 5
            2: t = copy(p->next, made)
            3: made->next = t
            4: return made
            5: exit
        }}"
    ));
    assert_eq!(found.moved("copy"), [false, false]);
    assert!(!found.gives_null("copy"));
    // It is put away, and not followed.
    assert_eq!(found.passed_on("copy"), [true]);
}

#[test]
fn what_is_followed_or_tested_is_not_passed_on() {
    let found = found(&format!(
        "{NODE}
        fn last(n: i32) -> struct node* {{
            var a: struct node*, b: struct node*
            0: assume n > 0 -> 2
            0: assume n <= 0
            1: return null -> 8
            2: a = last(n - 1)
            3: a->value = n
            4: b = last(n - 2)
            5: assume b != null -> 7
            5: assume b == null
            6: return a -> 8
            7: return b
            8: exit
        }}"
    ));
    assert_eq!(found.passed_on("last"), [false, false]);
    assert!(found.gives_null("last"));
}

#[test]
fn null_and_what_is_moved_come_round_through_others() {
    let found = found(&format!(
        "{NODE}
        fn first(p: struct node*, n: i32) -> struct node* {{ 0: return second(p->next, n) 1: exit }}
        fn second(p: struct node*, n: i32) -> struct node* {{ 0: return third(p, n) 1: exit }}
        fn third(p: struct node*, n: i32) -> struct node* {{
            0: assume p != null -> 2
            0: assume p == null
            1: return null -> 3
            2: return first(p, n)
            3: exit
        }}"
    ));
    // A null that first passes on comes to third through second; first gets only what third has tested.
    assert_eq!(found.moved("first"), [false, false]);
    assert_eq!(found.moved("second"), [true, false]);
    assert_eq!(found.moved("third"), [true, false]);
    for name in ["first", "second", "third"] {
        assert!(found.gives_null(name), "{name}");
    }
}

#[test]
fn a_recursion_that_replaces_the_null_does_not_hand_it_on() {
    let found = found(
        "global cell: i32 = zero
        fn begun(n: i32) -> i32* {
            var p: i32*
            0: p = stated(n)
            1: assume p != null -> 3
            1: assume p == null
            2: p = &cell
            3: return p
            4: exit
        }
        fn stated(n: i32) -> i32* {
            0: assume n == 0
            0: assume n != 0 -> 2
            1: return null -> 3
            2: return begun(n - 1)
            3: exit
        }",
    );
    assert!(found.gives_null("stated") && !found.gives_null("begun"));
    assert_eq!(found.passed_on("begun"), [false]);
    assert_eq!(found.passed_on("stated"), [true]);
}
