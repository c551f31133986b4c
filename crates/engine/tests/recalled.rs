//! After an edit that makes level 2 judge a function again, but leaves the formulas of its paths as they were, no solver
//! is asked: the answers are known by content.

use engine::{Analysis, How, Level2, Memory, Provers, Settings, reanalyze};
use logic::smt::{Patience, Session, z3};
use logic::{Answer, Label, Pool, Portfolio, Prover, TermId};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Squares modulo 2^32 are nothing that intervals know of: 17 is one, and 3 is none. What `f` gets from `g` it
/// gives away unseen.
fn program(in_callee: &str, square: u32) -> String {
    format!(
        r#"
        unit "a.c"
        fn g(n: u32) -> u32 {{
            0: return {in_callee}
            1: exit
        }}
        fn f(n: u32) -> u32 {{
            var q: i32*, m: u32, r: u32, v: i32
            0: r = g(n)
            1: q = null
            2: m = n * n
            3: assume m == {square} -> 4
            3: assume m != {square} -> 6
            4: check null-dereference q != null
            5: v = *q
            6: return r
            7: exit
        }}
        "#
    )
}

struct Counting(Session<z3::Z3>, Arc<AtomicU64>);

impl Prover for Counting {
    fn name(&self) -> String {
        self.0.name()
    }
    fn reset(&mut self) {
        self.0.reset();
    }
    fn push(&mut self) {
        self.0.push();
    }
    fn pop(&mut self) {
        self.0.pop();
    }
    fn assert(&mut self, pool: &Pool, label: Label, fact: TermId) {
        self.0.assert(pool, label, fact);
    }
    fn check(&mut self, pool: &Pool, budget: u64) -> Answer {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.check(pool, budget)
    }
}

/// The library that `./x setup` puts under the target directory.
fn library() -> z3::Library {
    let executable = std::env::current_exe().unwrap();
    let named = std::env::var_os("RIGEL_Z3").map(PathBuf::from);
    let mut candidates: Vec<PathBuf> = named.into_iter().collect();
    candidates.extend(executable.ancestors().map(|a| a.join("z3/libz3.so")));
    z3::load(&candidates).unwrap_or_else(|why| panic!("{why}: run `./x setup`, which fetches it"))
}

/// How often a solver was asked, and how often provers were made: once for each judgement.
#[derive(Clone, Default)]
struct Counts {
    asked: Arc<AtomicU64>,
    made: Arc<AtomicU64>,
}

/// Settings with a solver, and what is counted of it.
fn settings(name: &str, budget: u64) -> (Settings, Counts) {
    let counts = Counts::default();
    let (library, counter, made) = (
        library(),
        Arc::clone(&counts.asked),
        Arc::clone(&counts.made),
    );
    let make = move || {
        made.fetch_add(1, Ordering::Relaxed);
        let (library, counter) = (library.clone(), Arc::clone(&counter));
        Portfolio::new(Box::new(move || {
            let session = Session::new(library.solver(), Patience::default());
            Ok(Box::new(Counting(session, Arc::clone(&counter))))
        }))
    };
    let level2 = Level2 {
        provers: Provers {
            make: Arc::new(make),
            name: name.to_string(),
        },
        budget,
        stopwatch: None,
    };
    let settings = Settings {
        level2: Some(level2),
        ..Settings::default()
    };
    (settings, counts)
}

const BUDGET: u64 = 1_000_000;

/// Runs, and says how often the solver was asked and how much was judged. What comes of it is what comes of a
/// fresh run.
fn run(text: &str, (name, budget): (&str, u64), memory: &mut Memory) -> (Analysis, u64, u64) {
    let program = ir::parse(text).unwrap();
    let (settings, counts) = settings(name, budget);
    // As from a file.
    let bytes = memory.to_bytes().unwrap();
    *memory = Memory::from_bytes(&bytes).unwrap();
    let analysis = reanalyze(&program, &settings, memory, How::Backward, &|| {});
    let [asked, made] = [counts.asked, counts.made].map(|c| c.load(Ordering::Relaxed));
    let settled = analysis.tally.settled;
    assert_eq!(settled.asked + settled.repeated, asked);
    let (settings, _) = self::settings(name, budget);
    let mut fresh = Memory::default();
    let expected = reanalyze(&program, &settings, &mut fresh, How::Full, &|| {});
    assert_eq!(expected.difference(&analysis), None);
    (analysis, asked, made)
}

#[test]
fn an_edit_that_leaves_the_formula_asks_no_solver() {
    for (square, found) in [(17, 1), (3, 0)] {
        let z3 = ("z3", BUDGET);
        let mut memory = Memory::default();
        let (first, asked, _) = run(&program("1", square), z3, &mut memory);
        assert_eq!(first.errors.len(), found, "{:?}", first.tally);
        assert!(asked > 0, "{:?}", first.tally);
        let questions = first.tally.settled.asked + first.tally.settled.recalled;

        // What level 1 knows of the callee is another thing now, so `f` is judged again. Recalled answers stay, for
        // the next time.
        for in_callee in ["2", "3"] {
            let (edited, asked, judged) = run(&program(in_callee, square), z3, &mut memory);
            assert!(judged > 0);
            assert_eq!((asked, edited.tally.settled.recalled), (0, questions));
        }
        // Nothing is judged: what is taken over was not asked, either.
        let (same, asked, judged) = run(&program("3", square), z3, &mut memory);
        assert_eq!((asked, judged), (0, 0));
        assert_eq!(same.tally.settled.recalled, questions);
    }
}

#[test]
fn another_formula_another_solver_and_another_budget_are_other_questions() {
    let mut memory = Memory::default();
    let (_, asked, _) = run(&program("1", 17), ("z3", BUDGET), &mut memory);
    assert!(asked > 0);
    for (square, how) in [
        (19, ("z3", BUDGET)),
        (17, ("other", BUDGET)),
        (17, ("z3", BUDGET / 2)),
    ] {
        let (_, asked, _) = run(&program("1", square), how, &mut memory.clone());
        assert!(asked > 0, "{square} {how:?}");
    }
}
