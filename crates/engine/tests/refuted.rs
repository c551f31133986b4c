//! What is refuted, refinement included, against the interpreter: on random programs no check that a run
//! fails is refuted. With the bounds automaton off, so that there is much to refute, and with it.
//!
//! `RIGEL_RANDOM=100000 cargo nextest run -p engine --test refuted --no-capture` runs more of them.

use engine::{Analysis, Automata, Level2, Provers, Settings, Tally, analyze};
use interp::chance::{Chance, number};
use interp::{Cause, Config, Interpreter, Value};
use ir::{CheckId, FuncId, Program, Type};
use random_cfa::{Rng, Size};
use rayon::prelude::*;
use std::collections::BTreeSet;

const PROGRAMS: u64 = 10_000;
const CALLS: u32 = 6;

/// Numbers for the parameters that are some; null for the others.
fn arguments(program: &Program, f: FuncId, rng: &mut Rng) -> Vec<Value> {
    let Type::Function { params, .. } = program.types.get(program.functions[f].signature) else {
        return Vec::new();
    };
    let argument = |ty: &ir::TypeId| match *program.types.get(*ty) {
        Type::Int { width, .. } => number(width, || rng.bits()),
        _ => Value::int(0),
    };
    params.iter().map(argument).collect()
}

/// The checks that runs fail.
fn failures(program: &Program, seed: u64) -> BTreeSet<(FuncId, CheckId)> {
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut found = BTreeSet::new();
    for f in program.functions.ids() {
        for _ in 0..CALLS {
            let config = Config {
                step_limit: 20_000,
                oracle: {
                    let mut own = Rng::new(rng.bits());
                    Box::new(Chance(move || own.bits()))
                },
                ..Config::default()
            };
            let mut interpreter = Interpreter::new(program, config);
            let args = arguments(program, f, &mut rng);
            if let Err(interp::Outcome::Failed(failure)) = interpreter.call(f, args)
                && let Cause::Check { check, .. } = failure.cause
                && let Some(at) = failure.site.function
            {
                found.insert((at, check));
            }
        }
    }
    found
}

fn settings(bounds: bool) -> Settings {
    Settings {
        automata: Automata {
            bounds,
            ..Automata::default()
        },
        latent: true,
        level2: Some(Level2 {
            provers: Provers::builtin(),
            budget: 100_000,
            stopwatch: None,
        }),
        ..Settings::default()
    }
}

#[derive(Default, Debug)]
struct Seen {
    failing: usize,
    refuted: usize,
    reported: usize,
    undecided: usize,
    tally: Tally,
    wrong: Vec<String>,
}

fn examine(seed: u64, bounds: bool) -> Seen {
    let size = match seed % 4 {
        0 => Size::SMALL,
        _ => Size::MEDIUM,
    };
    let program = random_cfa::program(seed, size);
    let analysis: Analysis = analyze(&program, &settings(bounds), &|| {});
    let refuted: BTreeSet<_> = analysis
        .refuted
        .iter()
        .map(|e| (e.function, e.check))
        .collect();
    let failing = failures(&program, seed);
    let condition = |(f, c): &(FuncId, CheckId)| {
        let body = program.functions[*f].body.as_ref();
        body.map(|b| b.checks[*c].condition.clone())
    };
    // What a caller hands over unwritten is the caller's error.
    let counts = |at: &&(FuncId, CheckId)| {
        !matches!(condition(at), Some(ir::Condition::Initialized(_)) | None)
    };
    let wrong = failing.intersection(&refuted).filter(counts);
    let wrong = wrong.map(|(f, c)| {
        let of_it = |e: &&engine::ErrorPath| (e.function, e.check) == (*f, *c);
        let why = analysis.refuted.iter().find(of_it).and_then(|e| e.why);
        if std::env::var("RIGEL_SEED").is_ok_and(|s| s == seed.to_string()) {
            println!("{}", ir::text::print(&program));
            println!("{:?}", analysis.refuted.iter().find(of_it));
        }
        format!("seed {seed}: {} {c:?} {why:?}", program.function_name(*f))
    });
    Seen {
        failing: failing.len(),
        refuted: refuted.len(),
        reported: analysis.errors.len(),
        undecided: analysis.undecided.len(),
        tally: analysis.tally.clone(),
        wrong: wrong.collect(),
    }
}

#[test]
fn what_fails_is_not_refuted() {
    let programs = std::env::var("RIGEL_RANDOM")
        .ok()
        .and_then(|n| n.parse().ok());
    for bounds in [true, false] {
        let all: Vec<Seen> = (0..programs.unwrap_or(PROGRAMS))
            .into_par_iter()
            .map(|seed| examine(seed, bounds))
            .collect();
        let sum = |of: &dyn Fn(&Seen) -> usize| all.iter().map(of).sum::<usize>();
        let refined = sum(&|s| s.tally.refined.values().sum());
        let learnt = sum(&|s| s.tally.observers.0 + s.tally.observers.1);
        println!(
            "bounds {bounds}: {} checks fail in runs; {} refuted, {} reported, {} undecided; {refined} refined, {learnt} observers",
            sum(&|s| s.failing),
            sum(&|s| s.refuted),
            sum(&|s| s.reported),
            sum(&|s| s.undecided),
        );
        let wrong: Vec<&String> = all.iter().flat_map(|s| &s.wrong).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        if !bounds {
            assert!(refined > 100, "too little is refined: {refined}");
        }
    }
}
