//! What a function costs too much for is known less precisely, and never wrongly (issue 7: hull, then ranges, then nothing).
#![allow(clippy::unwrap_used)]

use dual::function::Outcomes;
use dual::program::{Dual, Effort, Settings};
use ir::{CallGraph, FuncId, Program};
use std::collections::BTreeSet;

/// Two loops over numbers that are related to each other in many ways.
const SOURCE: &str = r#"unit "f.c"
fn f(n: i32, m: i32, k: i32) -> i32 {
    var i: i32, j: i32, a: i32, b: i32, c: i32
    0: i = 0
    1: j = n
    2: a = m
    3: b = k
    4: c = 0
    5: assume i < n
    5: assume i >= n              -> 16
    6: assume a < m
    6: assume a >= m              -> 9
    7: a = a +% 2
    8: b = b -% 1                 -> 11
    9: a = a -% 1
    10: c = c +% 1
    11: assume b < k
    11: assume b >= k             -> 14
    12: j = j -% 1
    13: skip                      -> 15
    14: b = b -% 2
    15: i = i +% 1                -> 5
    16: check assertion i >= 0
    17: check assertion n < 100
    18: return i
    19: exit
}
"#;

fn outcomes(program: &Program, operations: u64) -> (Effort, Option<Outcomes>) {
    let graph = CallGraph::new(program);
    let settings = Settings {
        operations,
        ..Settings::default()
    };
    let mut dual = Dual::new(program, &graph, settings);
    let f: FuncId = program.find_function("f").unwrap();
    dual.need(&[f]);
    let effort = dual.efforts()[&f].clone();
    let outcomes = dual.function(f).ok();
    (effort, outcomes)
}

/// Every set contains all inputs of such runs: with less effort it has more of them.
#[test]
fn less_effort_says_less() {
    let program = ir::text::parse(SOURCE).unwrap_or_else(|e| panic!("{e}"));
    let (effort, full) = outcomes(&program, u64::MAX);
    assert_eq!(effort, Effort::Full);
    let full = full.unwrap();
    let mut seen = BTreeSet::new();
    let mut budget = 64;
    while !seen.contains(&0) {
        let (effort, less) = outcomes(&program, budget);
        seen.insert(match effort {
            Effort::Full => 0,
            Effort::Hull => 1,
            Effort::Ranges => 2,
            Effort::Nothing(_) => 3,
        });
        if let Some(less) = less {
            assert_eq!(less.inputs, full.inputs);
            let contains = |all: &isl::Set, part: &isl::Set| {
                let part = isl::Set::parse(&all.context(), &part.to_string()).unwrap();
                part.subtract(all).unwrap().is_empty().unwrap()
            };
            assert!(contains(&less.ok, &full.ok), "{budget}: OK");
            let (less, full) = (less.any_err().unwrap(), full.any_err().unwrap());
            assert!(contains(&less, &full), "{budget}: ERR");
        }
        budget += budget / 2;
    }
    assert_eq!(seen, BTreeSet::from([0, 1, 2, 3]));
}

/// Work outside of isl is counted, too: less of it is less effort, too little is nothing.
#[test]
fn paths_are_counted_where_isl_does_nothing() {
    let program = ir::text::parse(SOURCE).unwrap_or_else(|e| panic!("{e}"));
    let graph = CallGraph::new(&program);
    let f = program.find_function("f").unwrap();
    let effort = |work: u64| {
        let mut settings = Settings::default();
        settings.limits.work = work;
        let mut dual = Dual::new(&program, &graph, settings);
        dual.need(&[f]);
        dual.efforts()[&f].clone()
    };
    assert_eq!(effort(u64::MAX), Effort::Full);
    assert!(matches!(effort(10), Effort::Nothing(_)));
    let all = (4..30).map(|n| effort(1 << n));
    assert!(all.into_iter().any(|effort| matches!(effort, Effort::Hull)));
}

/// Two functions that call each other, one with loops that cost much.
const PAIR: &str = r#"
fn even(n: i32, m: i32, k: i32) -> i32 {
    var x: i32
    0: assume n == 0
    0: assume n != 0              -> 2
    1: return 1                   -> 4
    2: x = odd(n - 1, m, k)
    3: return x
    4: exit
}
fn odd(n: i32, m: i32, k: i32) -> i32 {
    var x: i32
    0: assume n == 0
    0: assume n != 0              -> 2
    1: return 0                   -> 5
    2: x = f(n, m, k)
    3: x = even(n - 1, m, k)
    4: return x
    5: exit
}
"#;

/// Functions that call each other and are too much together are known one by one, if not that well.
#[test]
fn a_recursion_that_is_too_much_is_taken_apart() {
    let source = format!("{SOURCE}{PAIR}");
    let program = ir::text::parse(&source).unwrap_or_else(|e| panic!("{e}"));
    let graph = CallGraph::new(&program);
    let pair = ["even", "odd"].map(|name| program.find_function(name).unwrap());
    let mut apart = 0;
    for budget in (6..24).map(|n| 1 << n) {
        let settings = Settings {
            operations: budget,
            ..Settings::default()
        };
        let mut dual = Dual::new(&program, &graph, settings);
        dual.need(&pair);
        for f in pair {
            let is_known = !matches!(dual.efforts()[&f], Effort::Nothing(_));
            assert_eq!(is_known, dual.summary(f).is_some(), "{budget}");
            let Some(summary) = dual.summary(f).filter(|s| s.guessed) else {
                continue;
            };
            // It comes back: also where it is known only that it may.
            assert!(!summary.returns.is_empty());
            apart += 1;
        }
    }
    assert!(apart > 0);
}
