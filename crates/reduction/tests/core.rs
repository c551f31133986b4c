//! Observers of contradictory steps: what they rely on, and what they must not accept.

use ir::{Body, EdgeId, NodeId};
use reduction::core::{Accesses, CoreObserver, FAILS};
use reduction::{Abstraction, Edge, Watch};
use std::sync::Arc;

/// `done` is in memory, and so is `guard`, whose end says nothing of `done`.
const GUARD: &str = "
    extern fn set(i32*) -> void

    fn f(n: i32) -> i32 {
        var done: i32, guard: i32
        0: declare done
        1: done = 0
        2: declare guard
        3: assume n > 4
        3: assume n <= 4 -> 5
        4: guard = 1 -> 6
        5: guard = 0
        6: call set(&guard)
        7: call set(&done)
        8: end guard
        9: assume done == 0
        10: check assertion n != 0
        11: return 0
        12: exit
    }
";

fn path(body: &Body, nodes: &[u32]) -> Vec<EdgeId> {
    let edge = |pair: &[u32]| {
        let mut out = body.out_edges(NodeId(pair[0]));
        let found = out.find(|(_, e)| e.to == NodeId(pair[1]));
        found.unwrap_or_else(|| panic!("{pair:?}")).0
    };
    nodes.windows(2).map(edge).collect()
}

#[test]
fn what_ends_in_memory_leaves_the_rest_as_it_was() {
    let program = ir::text::parse(GUARD).unwrap_or_else(|e| panic!("{e}"));
    let f = program.functions.values().find_map(|f| f.body.as_ref());
    let body = f.unwrap_or_else(|| panic!("no body"));
    let first = path(body, &[0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11]);
    let other = path(body, &[0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11]);
    let check = *first.last().unwrap_or_else(|| panic!("no edge"));
    // Somebody found that `done == 0` cannot be on the first path.
    let assume = 8;
    let accesses = Accesses::new(body, check);
    let observer = CoreObserver::new(&accesses, &first, &[assume]);
    let observer = observer.unwrap_or_else(|| panic!("no observer"));
    let word = |path: &[EdgeId]| -> Vec<Edge> {
        let before = &path[..path.len() - 1];
        before.iter().map(|e| Edge(e.0)).chain([FAILS]).collect()
    };
    assert!(observer.accepts(&accesses, word(&first)));
    // What `set` made of `done` may depend on what else was in memory.
    assert!(!observer.accepts(&accesses, word(&other)));

    let abstraction = Arc::new(Abstraction::new(&program.types, body));
    let mut watch = Watch::new(abstraction, check);
    assert_eq!(watch.learn(&first, Some(&[assume]), 100).cores, 1);
    assert!(watch.accepts(&first));
    assert!(!watch.accepts(&other));
}

#[test]
fn what_is_not_relevant_changes_nothing() {
    let program = ir::text::parse(GUARD).unwrap_or_else(|e| panic!("{e}"));
    let f = program.functions.values().find_map(|f| f.body.as_ref());
    let body = f.unwrap_or_else(|| panic!("no body"));
    let first = path(body, &[0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11]);
    let check = *first.last().unwrap_or_else(|| panic!("no edge"));
    let mut watch = Watch::new(Arc::new(Abstraction::new(&program.types, body)), check);
    watch.learn(&first, Some(&[8]), 100);
    let mut seen = watch.initial();
    let mut skipped = 0;
    for edge in &first[..first.len() - 2] {
        let Some(after) = watch.step(&seen, *edge) else {
            break;
        };
        if !watch.is_relevant(*edge) {
            assert_eq!(after, seen, "{edge:?}");
            skipped += 1;
        }
        seen = after;
    }
    assert!(skipped > 0);
}
