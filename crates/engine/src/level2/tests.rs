//! Paths through several functions, judged as paths of one body.

use super::{Demand, Fate, Judged, Level2, Provers, Work, judge};
use crate::noreturn::{Jumps, noreturn};
use crate::schedule::Mentions;
use automata::{Context, Entry, Options, Plan, Verdict};
use interp::{Cause, Config, Interpreter, Outcome};
use ir::{
    CallGraph, Callee, CheckId, Composed, EdgeId, FrameId, FuncId, Inlined, Program, Stmt, compose,
};
use std::sync::Arc;

fn level2() -> Level2 {
    Level2 {
        provers: Provers::builtin(),
        budget: 20_000,
        stopwatch: None,
    }
}

const PLAN: Plan = Plan {
    algorithm: search::Algorithm::Covering,
    aggregate: true,
    max_states: 50_000,
    scheduled: false,
    only: None,
    automata: Options {
        bounds: true,
        pointers: true,
        flags: true,
        doubts: false,
    },
};

/// All direct calls of the root, and of what they call, up to so many frames.
fn all_calls(program: &Program, root: FuncId, most: usize) -> Vec<Inlined> {
    let mut frames = vec![root];
    let mut calls = Vec::new();
    let mut at = 0;
    while at < frames.len() {
        let body = program.functions[frames[at]].body.as_ref().unwrap();
        for (call, edge) in body.edges().iter() {
            if let Stmt::Call(site) = &edge.stmt
                && let Callee::Direct(callee) = site.callee
                && program.functions[callee].body.is_some()
                && frames.len() <= most
            {
                let frame = FrameId(at as u32);
                calls.push(Inlined {
                    frame,
                    call,
                    callee,
                });
                frames.push(callee);
            }
        }
        at += 1;
    }
    calls
}

/// Levels 1 and 2 on a composed body: what level 1 says of each check, and level 2 of those that fail.
fn judged(program: &Program, root: FuncId, composed: &Composed) -> (Vec<Verdict>, Judged) {
    let graph = CallGraph::new(program);
    let never = noreturn(
        program,
        &graph,
        &Mentions::of_all(program),
        &[],
        Jumps::Back,
    );
    let context = Context::new(program, &graph, never);
    let outcome = automata::analyze(&context, root, &composed.body, PLAN, &Entry::Anything);
    let failing = outcome.verdicts.iter().enumerate();
    let failing = failing.filter_map(|(c, verdict)| match verdict {
        Verdict::Fails(path) => Some((CheckId(c as u32), path.clone())),
        _ => None,
    });
    let failing: Vec<(CheckId, Vec<EdgeId>)> = failing.collect();
    let work = Work {
        function: root,
        body: &composed.body,
        errors: failing,
        merged: Default::default(),
        composed: None,
        demand: Demand::NoAgreement,
        seeks: true,
    };
    let mut judged = judge(&context, &level2(), &Arc::default(), PLAN, &[&work]);
    (outcome.verdicts, judged.remove(0).0)
}

/// `f` calls `use` with a pointer that is null for small `n`; `use` follows it for large ones.
fn text(limit: i32) -> String {
    format!(
        r#"
        unit "a.c"
        global x: i32 = 0
        static fn use(n: i32, p: i32*) -> i32 {{
            var r: i32
            0: assume n > {limit} -> 1
            0: assume n <= {limit} -> 4
            1: check null-dereference p != null
            2: r = *p
            3: return r -> 5
            4: return 0 -> 5
            5: exit
        }}
        fn f(n: i32) -> i32 {{
            var q: i32*, r: i32
            0: q = null
            1: assume n > 5 -> 2
            1: assume n <= 5 -> 3
            2: q = &x -> 3
            3: r = use(n, q)
            4: return r
            5: exit
        }}
        "#
    )
}

#[test]
fn a_null_that_a_caller_passes_is_followed_into_the_callee() {
    for (limit, possible) in [(2, true), (10, false)] {
        let program = ir::parse(&text(limit)).unwrap();
        let root = program.find_function("f").unwrap();
        let calls = all_calls(&program, root, 4);
        let composed = compose(&program, root, &calls).unwrap();
        let check = composed.composed_check(FrameId(1), CheckId(0)).unwrap();
        let (verdicts, judged) = judged(&program, root, &composed);
        assert_eq!(judged.tally.defects, 0);
        assert!(judged.defects.is_empty());
        if !possible {
            let gone = match &verdicts[check.0 as usize] {
                Verdict::Proved | Verdict::Refuted => true,
                _ => matches!(judged.of(root, check), Some(Fate::Refuted { .. })),
            };
            assert!(gone, "{:?}", judged.of(root, check));
            continue;
        }
        let Some(Fate::Reported { path, when, sure }) = judged.of(root, check) else {
            panic!("{:?}, {:?}", verdicts, judged.of(root, check));
        };
        assert!(sure, "the interpreter fails there");
        assert_eq!(judged.tally.confirmed, 1);
        let last = composed.body.edges()[*path.last().unwrap()].stmt.clone();
        assert_eq!(last, Stmt::Check(check));
        // 3, 4 or 5: the only numbers that are small enough for `f` and large enough for `use`.
        let n: i32 = when
            .as_deref()
            .unwrap()
            .strip_prefix("n = ")
            .unwrap()
            .parse()
            .unwrap();
        assert!((3..=5).contains(&n), "n = {n}");
    }
}

/// Random programs: `RIGEL_RANDOM` says how many.
fn seeds() -> u64 {
    let wanted = std::env::var("RIGEL_RANDOM").ok();
    wanted.and_then(|n| n.parse().ok()).unwrap_or(1000)
}

/// What a run of a random program fails at is neither proved nor refuted in the composed body.
#[test]
fn what_fails_in_a_run_is_not_refuted_in_the_composed_body() {
    let (mut failing, mut reported, mut replayed) = (0, 0, 0);
    for seed in 0..seeds() {
        let program = random_cfa::recursive_program(seed, random_cfa::Size::SMALL);
        let root = program.find_function("main").unwrap();
        let calls = all_calls(&program, root, 6);
        let composed = compose(&program, root, &calls).unwrap();
        let config = Config {
            step_limit: 200_000,
            oracle: Box::new(interp::chance::Chance(move || seed)),
            ..Config::default()
        };
        let mut run = Interpreter::new(&program, config);
        let end = run.call_body(root, &composed.body, Vec::new());
        let (verdicts, judged) = judged(&program, root, &composed);
        assert!(
            judged.defects.is_empty(),
            "seed {seed}: {:?}",
            judged.defects
        );
        // Of a call that is entered in the formula, level 2 does not end the variables.
        let known = |why: &String| why.contains(" of a local ");
        let defects = judged.tally.defects > 0 && !judged.tally.reasons.keys().all(known);
        assert!(!defects, "seed {seed}: {:?}", judged.tally.reasons);
        replayed += judged.tally.confirmed;
        let Err(Outcome::Failed(failure)) = end else {
            continue;
        };
        // What fails in a call that is not composed is a check of that function.
        let Cause::Check { check, .. } = failure.cause else {
            continue;
        };
        // An unwritten value that was converted is taken for written, composed or not.
        let condition = |check: CheckId| composed.body.checks.get(check).map(|c| &c.condition);
        let unset = matches!(condition(check), Some(ir::Condition::Initialized(_)));
        if failure.site.stack.len() > 1 || unset {
            continue;
        }
        failing += 1;
        let verdict = &verdicts[check.0 as usize];
        let lost = matches!(verdict, Verdict::Proved | Verdict::Refuted);
        assert!(!lost, "seed {seed}: {check:?} fails, and is {verdict:?}");
        let fate = judged.of(root, check);
        let lost = matches!(fate, Some(Fate::Refuted { .. }));
        assert!(!lost, "seed {seed}: {check:?} fails, and is {fate:?}");
        reported += usize::from(matches!(fate, Some(Fate::Reported { .. })));
    }
    assert!(
        failing > 150 && reported > 80 && replayed > 80,
        "{failing} runs fail, {reported} are reported, {replayed} paths replayed"
    );
}
