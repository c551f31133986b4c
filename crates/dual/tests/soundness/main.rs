//! Soundness by execution: what really happens is among what dual says can happen.
//!
//! For random functions and random inputs: a run that fails at a check lies in ERR of this check, one that returns in OK, one
//! that ends the program in EXIT; so none from MUST returns, none from NEVER fails, and none from LOOP ends. No exception.
//!
//! `RIGEL_DUAL_CASES` functions of each kind are tried (default: few), from `RIGEL_DUAL_SEED` on.
#![allow(clippy::unwrap_used)]

mod numbers;
mod outputs;
mod scene;

use dual::arithmetic::Integers;
use dual::execute::{Failure, Limits};
use dual::function::{Outcomes, outcomes};
use dual::program::{Dual, Settings};
use dual::summary::Summary;
use interp::{Cause, Config, Interpreter, Outcome, chance::Chance};
use ir::{CallGraph, CheckId, FuncId, Program};
use isl::{Context, Set};
use numbers::{Before, is_in, shapes};
use outputs::Start;
use random_cfa::{Rng, Size};
use scene::Scene;

/// Runs of each function.
const RUNS: u64 = 100;
/// What isl may do for one function.
const BUDGET: u64 = 3_000_000;

/// How a run ended, as far as dual speaks of it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    Returned,
    /// The program ended, or an exception left the function.
    Left,
    Failed(CheckId),
    /// In a callee, at a check of that function.
    FailedBelow(FuncId, CheckId),
    /// It did not end, or nobody can say what it means.
    Nothing(&'static str),
}

#[derive(Default)]
struct Count {
    functions: u64,
    skipped: u64,
    guessed: u64,
    returned: u64,
    left: u64,
    failed: u64,
    below: u64,
    nothing: std::collections::BTreeMap<&'static str, u64>,
    /// Runs from MUST, and from NEVER.
    must: u64,
    never: u64,
    wrong: Vec<(usize, String)>,
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(default)
}

fn end_of(result: Result<interp::Value, Outcome>, function: FuncId) -> End {
    match result {
        Ok(_) => End::Returned,
        Err(Outcome::Exit(_) | Outcome::Aborted { .. } | Outcome::Uncaught { .. }) => End::Left,
        Err(Outcome::Failed(failure)) => match failure.cause {
            Cause::Check { check, .. } if failure.site.stack.len() <= 1 => {
                assert_eq!(failure.site.function, Some(function));
                End::Failed(check)
            }
            Cause::Check { check, .. } => {
                End::FailedBelow(failure.site.function.unwrap_or(function), check)
            }
            // No check stood in the way: what it does has no meaning.
            Cause::Fault(_) => End::Nothing("fault"),
        },
        Err(Outcome::Stuck { .. }) => End::Nothing("stuck"),
        Err(Outcome::StepLimit { .. }) => End::Nothing("fuel"),
    }
}

/// The sets of a function, all of them.
struct Sets {
    outcomes: Outcomes,
    must: Set,
    never: Set,
    endless: Set,
}

impl Sets {
    fn new(outcomes: Outcomes) -> isl::Result<Sets> {
        Ok(Sets {
            must: outcomes.must()?,
            never: outcomes.never()?,
            endless: outcomes.endless()?,
            outcomes,
        })
    }

    /// Can a callee fail there?
    fn fails_at(&self, f: FuncId, check: CheckId, point: &[Option<i128>]) -> isl::Result<bool> {
        for (failure, set) in &self.outcomes.failures {
            let is_it = match failure {
                Failure::Call(_, Some(origin)) => *origin == (f, check),
                Failure::Call(_, None) => true,
                Failure::Here(_) => false,
            };
            if is_it && is_in(set, point)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What is wrong about a run that started there and ended so.
    fn wrong(&self, point: &[Option<i128>], end: &End) -> isl::Result<Option<&'static str>> {
        let exact = point.iter().all(Option::is_some);
        let within = |set: &Set| is_in(set, point);
        let outcomes = &self.outcomes;
        Ok(match end {
            _ if !within(&outcomes.possible)? => Some("it is not possible"),
            End::Returned if !within(&outcomes.ok)? => Some("it returned, and is not in OK"),
            End::Left if !outcomes.guessed && !within(&outcomes.exit)? => {
                Some("it ended, and is not in EXIT")
            }
            End::FailedBelow(f, check)
                if !outcomes.guessed && !self.fails_at(*f, *check, point)? =>
            {
                Some("a callee failed, and it is not in ERR")
            }
            End::Failed(check) if !within(&outcomes.err_at(Failure::Here(*check))?)? => {
                Some("it failed, and is not in ERR")
            }
            End::Returned if exact && within(&self.must)? => Some("it is in MUST"),
            End::Failed(_) if exact && within(&self.never)? => Some("it is in NEVER"),
            End::Returned | End::Failed(_) if exact && within(&self.endless)? => {
                Some("it is in LOOP")
            }
            _ => None,
        })
    }
}

/// What is known of a function: none if it costs too much.
type Known = Option<(Outcomes, Option<Summary>)>;

/// Where the outcomes of functions come from.
type Source = fn(&Program, &[FuncId]) -> Vec<Known>;

/// Nothing is known of callees.
fn alone(program: &Program, functions: &[FuncId]) -> Vec<Known> {
    let each = functions.iter().map(|f| {
        let body = program.functions[*f].body.as_ref()?;
        let context = Context::new();
        context.allow(BUDGET);
        let limits = Limits::default();
        let found = outcomes(&context, program, body, Integers::Machine, limits);
        context.allow_anything();
        Some((found.ok()?, None))
    });
    each.collect()
}

/// With the summaries of callees.
fn together(program: &Program, functions: &[FuncId]) -> Vec<Known> {
    with(Limits::default(), program, functions)
}

/// The same, as it is done where relations are too much.
fn by_ranges(program: &Program, functions: &[FuncId]) -> Vec<Known> {
    let ranges = Limits {
        disjuncts: 1,
        turns: 1,
        relations: false,
        ..Limits::default()
    };
    with(ranges, program, functions)
}

fn with(limits: Limits, program: &Program, functions: &[FuncId]) -> Vec<Known> {
    let graph = CallGraph::new(program);
    let settings = Settings {
        operations: BUDGET,
        limits,
        ..Settings::default()
    };
    let mut dual = Dual::new(program, &graph, settings);
    dual.need(functions);
    let each = functions.iter().map(|f| {
        let outcomes = dual.function(*f).ok()?;
        Some((outcomes, dual.summary(*f).cloned()))
    });
    each.collect()
}

fn shown(sets: &Sets) -> String {
    let mut text = String::new();
    for (at, input) in sets.outcomes.inputs.iter().enumerate() {
        let given = &input.given;
        let path: Vec<String> = given
            .path
            .iter()
            .map(|p| format!("[{}:{}]", p.start, p.bits))
            .collect();
        let path = path.concat();
        text += &format!("  i{at}: {:?} of {:?}{path}\n", input.aspect, given.root);
    }
    text += &format!(
        "possible {}\nOK {}\nEXIT {}\n",
        sets.outcomes.possible, sets.outcomes.ok, sets.outcomes.exit
    );
    for (failure, set) in &sets.outcomes.failures {
        text += &format!("ERR {failure:?} {set}\n");
    }
    text
}

fn function(count: &mut Count, known: Known, program: &Program, function: FuncId, seed: u64) {
    let body = program.functions[function].body.as_ref().unwrap();
    count.functions += 1;
    let Some((found, summary)) = known else {
        count.skipped += 1;
        return;
    };
    count.guessed += u64::from(found.guessed);
    let sets = Sets::new(found).unwrap();
    let context = Context::new();
    let shapes = shapes(&sets.outcomes).unwrap();
    for turn in 0..RUNS {
        let mut rng = Rng::new(seed ^ turn << 32 ^ u64::from(function.0) << 56);
        let mut bits = Rng::new(rng.bits());
        let config = Config {
            step_limit: 5_000,
            call_depth: 200,
            memory_limit: 1 << 24,
            oracle: Box::new(Chance(move || bits.bits())),
            ..Config::default()
        };
        let mut run = Interpreter::new(program, config);
        let mut scene = Scene::new(&mut run, program, body, &mut rng);
        let args = scene.arguments(body);
        let objects = scene.objects;
        let before = Before {
            run: &run,
            args: &args,
            some: match rng.one_in(2) {
                true => |_| 1,
                false => i128::from,
            },
        };
        let point = before.point(&sets.outcomes.inputs, &shapes);
        let start = summary.as_ref().map(|s| Start::new(&before, s, &objects));
        let result = run.call(function, args.clone());
        let given_back = match (&result, body.ret.map(|v| body.vars[v].ty)) {
            (Ok(value), Some(ty)) => value.scalar().zip(width(program, ty)),
            _ => None,
        };
        let end = end_of(result, function);
        match &end {
            End::Returned => count.returned += 1,
            End::Left => count.left += 1,
            End::Failed(_) => count.failed += 1,
            End::FailedBelow(..) => count.below += 1,
            End::Nothing(why) => *count.nothing.entry(why).or_default() += 1,
        }
        count.must += u64::from(is_in(&sets.must, &point).unwrap());
        count.never += u64::from(is_in(&sets.never, &point).unwrap());
        let mut wrong = sets.wrong(&point, &end).unwrap();
        if let (Some(start), Some(summary), End::Returned) = (start, &summary, &end)
            && !start.leads_to(&context, summary, &run, given_back).unwrap()
        {
            wrong = wrong.or(Some("what it left behind is not in OK"));
        }
        if let Some(what) = wrong {
            let name = program.function_name(function);
            let text = format!(
                "seed {seed}, {name}, turn {turn}: {what}: {end:?} {given_back:x?}\nargs {args:x?}\npoint {point:?}\n{}\n{}",
                shown(&sets) + &summary.map_or(String::new(), |s| format!("{:#?}", s.returns)),
                ir::text::print(program),
            );
            eprintln!("{}", text.lines().next().unwrap_or_default());
            count.wrong.push((body.edges().len(), text));
            return;
        }
    }
}

/// Bits of a scalar type.
fn width(program: &Program, ty: ir::TypeId) -> Option<u32> {
    let types = &program.types;
    match types.as_int(ty) {
        Some((width, _)) => Some(u32::from(width)),
        None => types.is_pointer(ty).then_some(64),
    }
}

/// Tries functions of random programs.
fn tried(kind: &str, cases: u64, source: Source, make: impl Fn(u64) -> Program) {
    let cases = number("RIGEL_DUAL_CASES", cases);
    let mut count = Count::default();
    for seed in number("RIGEL_DUAL_SEED", 0).. {
        let program = make(seed);
        let functions: Vec<FuncId> = program.bodies().map(|(id, _, _)| id).collect();
        let known = source(&program, &functions);
        for (id, known) in functions.into_iter().zip(known) {
            function(&mut count, known, &program, id, seed);
        }
        if count.functions >= cases {
            break;
        }
    }
    println!(
        "{kind}: {} functions, {} skipped, {} guessed; {} runs returned, {} left, {} failed, {} below, others {:?}; {} from MUST, {} from NEVER",
        count.functions,
        count.skipped,
        count.guessed,
        count.returned,
        count.left,
        count.failed,
        count.below,
        count.nothing,
        count.must,
        count.never,
    );
    // The smallest says most.
    count.wrong.sort_by_key(|(size, _)| *size);
    if let Some((_, text)) = count.wrong.first() {
        panic!("{} functions are wrong, one is\n{text}", count.wrong.len());
    }
    assert!(
        count.skipped * 10 <= count.functions,
        "{} of {} functions are too costly",
        count.skipped,
        count.functions
    );
    assert!(count.returned > 0 && count.failed > 0);
}

#[test]
fn small_functions() {
    tried("small", 60, together, |seed| {
        random_cfa::program(seed, Size::SMALL)
    });
}

#[test]
fn functions_of_whose_callees_nothing_is_known() {
    tried("alone", 60, alone, |seed| {
        random_cfa::program(seed, Size::SMALL)
    });
}

#[test]
fn medium_functions() {
    tried("medium", 12, together, |seed| {
        random_cfa::program(seed, Size::MEDIUM)
    });
}

#[test]
fn functions_that_call_themselves() {
    tried("recursive", 20, together, |seed| {
        random_cfa::recursive_program(seed, Size::SMALL)
    });
}

#[test]
fn functions_that_walk_over_arrays() {
    tried("scanning", 20, together, |seed| {
        random_cfa::scanning_program(seed, Size::SMALL)
    });
}

#[test]
fn functions_known_by_ranges() {
    tried("ranges", 20, by_ranges, |seed| match seed % 2 {
        0 => random_cfa::scanning_program(seed, Size::SMALL),
        _ => random_cfa::recursive_program(seed, Size::SMALL),
    });
}
