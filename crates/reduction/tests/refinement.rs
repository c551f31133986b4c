//! The loop of §4.1 around this crate, with a breadth-first search over a body: how many rounds it
//! takes.

use ir::{Body, EdgeId, NodeId};
use reduction::*;
use std::collections::VecDeque;

/// How a refinement ends.
#[derive(Clone, PartialEq, Eq, Debug)]
enum End {
    /// No path is left.
    Refuted,
    /// The intervals have nothing against this one.
    Possible(Vec<EdgeId>),
}

/// Searches for the error node, and lets infeasible paths teach the search; also the number of
/// paths looked at.
fn refine(text: &str, error: u32, is_dead: impl Fn(u32, &str) -> bool) -> (End, usize) {
    let program = ir::text::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let body = program
        .functions
        .values()
        .find_map(|f| f.body.as_ref())
        .unwrap();
    let abstraction = Abstraction::new(&program.types, body);
    let mut observers = Observers::new();
    for round in 1.. {
        let dead = |node: NodeId, x: Variable| match abstraction.origin(x) {
            Some(var) => is_dead(node.0, program.name(body.vars[var].name)),
            None => true,
        };
        let Some(path) = search(body, &abstraction, &observers, NodeId(error), dead) else {
            return (End::Refuted, round - 1);
        };
        let word = abstraction.word(path.iter().copied());
        let all = conflicts(&abstraction.automaton, &word, 1000);
        if all.found.is_empty() {
            return (End::Possible(path), round);
        }
        for found in all.found {
            assert!(
                observers.insert(&abstraction.automaton, found.conflict),
                "built twice"
            );
        }
    }
    unreachable!()
}

fn search(
    body: &Body,
    abstraction: &Abstraction,
    observers: &Observers,
    error: NodeId,
    is_dead: impl Fn(NodeId, Variable) -> bool,
) -> Option<Vec<EdgeId>> {
    let mut seen: Vec<Vec<States>> = vec![Vec::new(); body.node_count as usize];
    let mut queue = VecDeque::from([(body.entry, observers.initial(), Vec::new())]);
    while let Some((at, states, path)) = queue.pop_front() {
        if at == error {
            return Some(path);
        }
        for (edge, data) in body.out_edges(at) {
            let next = observers.step(&states, abstraction.edge(edge));
            if observers.is_conflict(&next) {
                continue;
            }
            let next = observers.forget(&next, |x| is_dead(data.to, x));
            let here = &mut seen[data.to.0 as usize];
            if here.iter().any(|before| observers.covers(before, &next)) {
                continue;
            }
            here.push(next.clone());
            let mut path = path.clone();
            path.push(edge);
            queue.push_back((data.to, next, path));
        }
    }
    None
}

/// So many pairs of tests of the same variable; the error is where two contradict each other, and,
/// if `feasible`, also at the end.
fn correlated(pairs: u32, feasible: bool) -> (String, u32) {
    let parameters: Vec<String> = (0..pairs).map(|i| format!("n{i}: i32")).collect();
    let (end, error) = (4 * pairs, 4 * pairs + 1);
    let mut text = format!(
        "unit \"t.c\"\nfn f({}) -> void {{\n    var e: i32\n",
        parameters.join(", ")
    );
    for i in 0..pairs {
        let (a, b, c, d) = (4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
        text += &format!("    {a}: assume n{i} > 0 -> {b}\n    {a}: assume n{i} <= 0 -> {c}\n");
        text += &format!("    {b}: assume n{i} > 0 -> {d}\n    {b}: assume n{i} <= 0 -> {error}\n");
        text += &format!("    {c}: assume n{i} > 0 -> {error}\n    {c}: assume n{i} <= 0 -> {d}\n");
        text += &format!("    {d}: skip -> {}\n", d + 1);
    }
    let target = if feasible { error } else { error + 1 };
    text += &format!(
        "    {end}: e = 0 -> {target}\n    {error}: e = 1 -> {}\n    {}: exit\n}}\n",
        error + 1,
        error + 1
    );
    (text, error)
}

#[test]
fn correlated_branches_take_rounds_linear_in_their_number() {
    for pairs in 1..=12 {
        let is_dead = |node: u32, name: &str| {
            let pair = name.trim_start_matches('n').parse::<u32>();
            pair.is_ok_and(|pair| node >= 4 * pair + 3)
        };
        let (text, error) = correlated(pairs, false);
        // Each pair has two ways to contradict itself, each ruled out once.
        assert_eq!(
            refine(&text, error, is_dead),
            (End::Refuted, 2 * pairs as usize)
        );
        let (text, error) = correlated(pairs, true);
        let (end, rounds) = refine(&text, error, is_dead);
        assert!(
            matches!(end, End::Possible(path) if path.len() == 4 * pairs as usize - pairs as usize + 1)
        );
        assert_eq!(rounds, 2 * pairs as usize + 1);
    }
}

/// P1 and P2 of §5.2 (use after free in the second turn), and the same with the bug `x >= 0`.
fn freed_in_the_last_turn(start: u32, condition: &str, opposite: &str) -> String {
    format!(
        "unit \"foo.c\"
fn foo() -> void {{
    var x: i32, a: i32, p: i32*, freed: i32
    0: freed = 0
    1: x = {start}
    2: assume x {condition} 0
    2: assume x {opposite} 0 -> 9
    3: assume freed != 0 -> 8
    3: assume freed == 0
    4: a = *p
    5: assume x == 1
    5: assume x != 1 -> 7
    6: freed = 1
    7: x = x - 1 -> 2
    8: skip
    9: exit
}}
"
    )
}

#[test]
fn the_papers_loop_does_not_depend_on_its_bound() {
    let rounds: Vec<usize> = [10, 100, 1000, 1_000_000]
        .map(|start| {
            let (end, rounds) = refine(&freed_in_the_last_turn(start, ">", "<="), 8, |_, _| false);
            assert_eq!(end, End::Refuted, "{start}");
            rounds
        })
        .to_vec();
    // Freed before any turn; in the first; or not, and the loop comes back.
    assert_eq!(rounds, [3; 4]);
    // With the bug there is a path that intervals have nothing against, as it should be.
    let buggy: Vec<usize> = [10, 100, 1000, 1_000_000]
        .map(|start| {
            let (end, rounds) = refine(&freed_in_the_last_turn(start, ">=", "<"), 8, |_, _| false);
            assert!(matches!(end, End::Possible(_)), "{start}");
            rounds
        })
        .to_vec();
    assert_eq!(buggy, [4; 4]);
}
