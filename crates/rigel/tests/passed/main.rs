//! What `explain --through` says, against the processor: random C programs are compiled and started, and whoever says that no failing run
//! passes a line must be right.
//!
//! RIGEL_SEED=n looks at one program, and prints it; RIGEL_THROUGH_CASES=n draws more of them.

#[path = "../common/mod.rs"]
mod common;
mod native;
mod program;

use engine::explain::Explainer;
use engine::projection::{Asked, Checked, Through};
use engine::{ErrorPath, How, Memory, Settings};
use native::Passed;
use program::Random;
use random_cfa::Rng;
use rayon::prelude::*;
use report::{Location, Verdict};
use std::collections::BTreeSet;

/// Programs that are drawn. Some of them fail.
const PROGRAMS: u64 = 900;
/// Lines of one finding that are asked for.
const LINES: usize = 3;
/// Findings of one program that are looked at.
const FINDINGS: usize = 3;

#[derive(Default)]
struct Tally {
    /// Findings at whose line a run of the program fails.
    findings: usize,
    /// Of these: nothing is unknown.
    closed: usize,
    /// Lines of which it is proved that no failing run passes them.
    outside: usize,
    /// Lines that some failing run passes, and are asked for.
    passed: usize,
    /// Of these: a path that a run can take is shown.
    shown: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn add(mut self, other: Tally) -> Tally {
        self.findings += other.findings;
        self.closed += other.closed;
        self.outside += other.outside;
        self.passed += other.passed;
        self.shown += other.shown;
        self.wrong.extend(other.wrong);
        self
    }
}

/// A program with runs that fail: its seed, its text, and where they fail.
struct Case {
    seed: u64,
    program: ir::Program,
    /// Lines of which it is known whether a run passes them.
    marked: BTreeSet<u32>,
    failures: Vec<(u32, &'static str, Passed)>,
}

/// All programs of these seeds that have runs that fail.
fn cases(seeds: &[u64]) -> Vec<Case> {
    let random = |seed: &u64| Random::new(&mut Rng::new(*seed));
    let programs: Vec<Random> = seeds.iter().map(random).collect();
    let all = seeds.iter().zip(&programs).zip(native::failing(&programs));
    let failing: Vec<_> = all.filter(|(_, failures)| !failures.is_empty()).collect();
    let project = common::Project::new(&[]);
    let name = |seed: u64| format!("p{seed}.c");
    for ((seed, random), failures) in &failing {
        project.write(&name(**seed), &random.plain());
        if seeds.len() == 1 {
            println!("{}\n{failures:#?}", random.plain());
        }
    }
    let lowered = failing.into_par_iter().map(|((seed, random), failures)| {
        let (mut program, _) = ir::link::link(common::lower(project.path(), &name(*seed)));
        rules::instrument(&mut program, rules::Selection::default());
        let failures = failures.into_iter();
        Case {
            seed: *seed,
            program,
            marked: random.marked(),
            failures: failures
                .map(|((line, cause), passed)| (line, cause.rule(), passed))
                .collect(),
        }
    });
    lowered.collect()
}

fn settings() -> Settings {
    Settings {
        level2: Some(engine::Level2 {
            provers: engine::Provers::builtin(),
            budget: 100_000,
            stopwatch: None,
        }),
        latent: true,
        ..Settings::default()
    }
}

/// Everything that is said of the findings at whose lines runs fail.
fn look_at(case: &Case) -> Tally {
    let mut tally = Tally::default();
    let program = &case.program;
    let settings = settings();
    let mut memory = Memory::default();
    let analysis = engine::reanalyze(program, &settings, &mut memory, How::Full, &|| {});
    let places = |span: ir::Span| Location::new("p.c", span.line, span.column);
    let explainer = Explainer::new(program, &places);
    let lists = [&analysis.errors, &analysis.latent, &analysis.undecided];
    let all: Vec<(u32, &str, &ErrorPath)> = lists
        .into_iter()
        .flatten()
        .map(|error| {
            let finding = explainer.finding(error, Verdict::May);
            (finding.location.line, finding.rule_id(), error)
        })
        .collect();
    for (line, rule, passed) in case.failures.iter().take(FINDINGS) {
        let mut there = all.iter().filter(|(at, of, _)| at == line && of == rule);
        // Of two at one line nobody says which of them a run fails at.
        let (Some((.., error)), None) = (there.next(), there.next()) else {
            continue;
        };
        tally.findings += 1;
        explain(
            case,
            &settings,
            &mut memory,
            error,
            (*line, passed),
            &mut tally,
        );
    }
    tally
}

/// The projection, and paths through some of its lines.
fn explain(
    case: &Case,
    settings: &Settings,
    memory: &mut Memory,
    error: &ErrorPath,
    (line, passed): (u32, &Passed),
    tally: &mut Tally,
) {
    let program = &case.program;
    let places = |span: ir::Span| Location::new("p.c", span.line, span.column);
    let from = program.find_function("main");
    let all: BTreeSet<u32> = passed.values().flatten().copied().collect();
    let mut wrong = |what: String| {
        let runs: Vec<&u64> = passed.keys().collect();
        tally.wrong.push(format!(
            "RIGEL_SEED={}: line {line} fails with argc {runs:?}: {what}",
            case.seed
        ));
    };
    let asked = Asked {
        from,
        ..Asked::default()
    };
    let projected = engine::projection::project(program, settings, memory, error, &places, asked);
    let lines = projected
        .projection
        .parts
        .iter()
        .flat_map(|part| part.lines.iter().copied());
    let lines: Vec<(u32, bool)> = lines.collect();
    let inside: BTreeSet<u32> = lines
        .iter()
        .filter(|(_, inside)| *inside)
        .map(|(n, _)| *n)
        .collect();
    let outside: BTreeSet<u32> = lines
        .iter()
        .map(|(n, _)| *n)
        .filter(|n| !inside.contains(n))
        .collect();
    if projected.proof {
        tally.closed += 1;
        tally.outside += outside.len();
        if !inside.contains(&line) {
            wrong("the projection does not have the line itself".to_string());
        }
        for line in outside.intersection(&all) {
            wrong(format!("{line} is said to be outside"));
        }
    }
    let asked: Vec<u32> = lines
        .iter()
        .map(|(n, _)| *n)
        .filter(|n| case.marked.contains(n))
        .collect();
    let mut rng = Rng::new(case.seed);
    for _ in 0..LINES {
        let Some(wanted) = rng.pick(&asked) else {
            continue;
        };
        let here = |span: ir::Span| span.line == wanted;
        let asked = Asked {
            from,
            through: Some(&here),
            ..Asked::default()
        };
        let answer = engine::projection::project(program, settings, memory, error, &places, asked);
        let is_passed = all.contains(&wanted);
        tally.passed += usize::from(is_passed);
        match answer.through {
            Some(Through::None) if answer.proof && is_passed => {
                wrong(format!(
                    "no failing run is said to pass {wanted}, which is said to be proved"
                ));
            }
            Some(Through::Path(path, Checked::Feasible)) => {
                tally.shown += usize::from(is_passed);
                let arguments = path.when.as_deref().and_then(arguments);
                if let Some(n) = arguments.filter(|n| *n <= native::ARGUMENTS)
                    && !passed.get(&n).is_some_and(|lines| lines.contains(&wanted))
                {
                    wrong(format!("with argc {n} a run is said to pass {wanted}"));
                }
            }
            _ => {}
        }
    }
}

/// The number of arguments that a path is said to need.
fn arguments(when: &str) -> Option<u64> {
    let rest = when.strip_prefix("argc = ")?;
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    rest[..end].parse().ok()
}

#[test]
fn what_is_said_of_lines_is_so() {
    let setting = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    let seeds: Vec<u64> = match (setting("RIGEL_SEED"), setting("RIGEL_THROUGH_CASES")) {
        (Some(seed), _) => vec![seed],
        (None, more) => (0..more.unwrap_or(PROGRAMS)).collect(),
    };
    let cases: Vec<Case> = seeds
        .chunks(600)
        .collect::<Vec<_>>()
        .into_par_iter()
        .flat_map(cases)
        .collect();
    let tally = cases
        .par_iter()
        .map(look_at)
        .reduce(Tally::default, Tally::add);
    println!(
        "{} programs, {} with runs that fail; {} findings there, {} with nothing unknown, {} lines proved to be outside; {} lines asked for that failing runs pass, {} with a path",
        seeds.len(),
        cases.len(),
        tally.findings,
        tally.closed,
        tally.outside,
        tally.passed,
        tally.shown
    );
    for wrong in tally.wrong.iter().take(30) {
        println!("{wrong}");
    }
    assert!(
        tally.wrong.is_empty(),
        "{} wrong answers",
        tally.wrong.len()
    );
    if seeds.len() > 1 {
        assert!(tally.findings * 10 >= seeds.len(), "too few findings");
        assert!(tally.closed * 2 >= tally.findings, "too few proofs");
        assert!(tally.shown * 10 >= tally.passed * 9, "too few paths");
    }
}
