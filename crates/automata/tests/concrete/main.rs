//! Level 1 against the interpreter, on random programs: whatever a run does, the states of level 1
//! allow, and no check that fails in a run is held to be proved.

mod entered;
mod inside;

use automata::{Automata, Context, Entry, Options, Outcome, Plan, Verdict, function};
use inside::{Inside, Level};
use interp::chance::{Chance, arguments};
use interp::{Cause, Config, FrameView, Interpreter, Memory, ObjId, Observer};
use ir::{CallGraph, CheckId, FuncId, NodeId, Program, Type};
use random_cfa::{Rng, Size};
use rayon::prelude::*;
use search::Algorithm;

const PROGRAMS: u64 = 2_000;
/// Calls of every function besides the run from `main`.
const CALLS: u32 = 3;
const MAX_STATES: usize = 2_000;
/// Of the live integers at the locations that runs visit, the share with bounds narrower than the
/// type, and the share of all checks that level 1 proves; a little below what it does.
const BOUNDED: f64 = 0.42;
const PROVED: f64 = 0.78;

/// What was seen, over all programs.
#[derive(Default)]
struct Tally {
    failing: usize,
    visits: usize,
    numbers: usize,
    bounded: usize,
    checks: usize,
    proved: usize,
    undecided: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn add(mut self, other: Tally) -> Tally {
        self.failing += other.failing;
        self.visits += other.visits;
        self.numbers += other.numbers;
        self.bounded += other.bounded;
        self.checks += other.checks;
        self.proved += other.proved;
        self.undecided += other.undecided;
        self.wrong.extend(other.wrong);
        self
    }
}

/// Whatever is unknown is random.
/// Holds every state of a run against those of level 1.
struct Watch<'a, 'p> {
    levels: &'a [Option<Level<'p>>],
    tally: Tally,
    /// Something unwritten was handed to or by a function.
    leaked: bool,
}

impl Observer for Watch<'_, '_> {
    fn visit(&mut self, f: FuncId, node: NodeId, view: &FrameView<'_, '_>) {
        let Some(Some(level)) = self.levels.get(f.0 as usize) else {
            return;
        };
        let body = level.automata.frame.body;
        if node == body.entry || node == body.exit {
            self.leaked = self.leaked || leaks(level, view, node == body.exit);
        }
        let Some(Some(states)) = level.states.get(node.0 as usize) else {
            return;
        };
        let Some(location) = level.graph.location(node) else {
            return;
        };
        if !self.tally.wrong.is_empty() {
            // The first tells more than what follows from it.
            return;
        }
        self.tally.visits += 1;
        let mut why = Vec::new();
        for state in states {
            let inside = Inside {
                level,
                view,
                state,
                location,
                unwritten_around: self.leaked,
            };
            match inside.violation() {
                None => {
                    self.precision(level, state, location);
                    return;
                }
                Some(what) => why.push(what),
            }
        }
        let name = level.automata.frame.program.function_name(f);
        self.tally.wrong.push(format!(
            "{name} {node:?}: in none of {} states: {why:#?}",
            states.len()
        ));
    }
}

impl Watch<'_, '_> {
    fn precision(&mut self, level: &Level<'_>, state: &automata::State, location: usize) {
        let frame = &level.automata.frame;
        for (v, var) in frame.body.vars.iter() {
            if let Type::Int { width, signed } = *frame.program.types.get(var.ty)
                && level.graph.is_live(location, v)
            {
                self.tally.numbers += 1;
                let (low, high) = domain::IntType { width, signed }.bounds();
                let cell = domain::CellId::whole(frame.var_object(v));
                let bounds = state.bounds.get(cell);
                self.tally.bounded +=
                    usize::from(bounds.is_some_and(|n| n.low > low || n.high < high));
            }
        }
    }
}

/// Is something unwritten in what a function shares with its caller: parameters, result, and all
/// that can be reached through them and globals? Level 1 takes that to be written.
fn leaks(level: &Level<'_>, view: &FrameView<'_, '_>, at_exit: bool) -> bool {
    let (body, program) = (level.automata.frame.body, level.automata.frame.program);
    let memory = view.memory();
    let mut work: Vec<ObjId> = program
        .globals
        .ids()
        .filter_map(|g| view.global(g))
        .collect();
    for &v in body
        .params
        .iter()
        .chain(body.ret.iter().filter(|_| at_exit))
    {
        match view.object(v) {
            Some(object) => work.push(object),
            None => {
                let value = view.var(v).and_then(|v| v.scalar()).unwrap_or_default();
                if value.undef != 0 {
                    return true;
                }
                work.push(memory.with_object(value).prov);
            }
        }
    }
    reaches_unwritten(memory, work)
}

fn reaches_unwritten(memory: &Memory, mut work: Vec<ObjId>) -> bool {
    let mut seen = std::collections::BTreeSet::new();
    while let Some(object) = work.pop() {
        if object.is_none() || !seen.insert(object) {
            continue;
        }
        if let Ok(blob) = memory.read_blob(object, 0, memory.size(object)) {
            if blob.undef.iter().any(|u| *u != 0) {
                return true;
            }
            work.extend(blob.prov.iter().copied());
        }
    }
    false
}

fn plan(algorithm: Algorithm, aggregate: bool) -> Plan {
    Plan {
        algorithm,
        aggregate,
        max_states: MAX_STATES,
        scheduled: false,
        only: None,
        automata: Options::default(),
    }
}

/// Every function with a body, callees first; the context has their summaries afterwards.
fn analyze(context: &mut Context<'_>, plan: Plan) -> Vec<Option<Outcome>> {
    let program = context.program;
    let mut outcomes: Vec<Option<Outcome>> = Vec::new();
    outcomes.resize_with(program.functions.len(), || None);
    for component in context.graph.components() {
        for &f in component {
            if let Some(body) = &program.functions[f].body {
                let outcome = automata::analyze(context, f, body, plan, &Entry::Anything);
                context.summaries.set(f, outcome.summary.clone());
                outcomes[f.0 as usize] = Some(outcome);
            }
        }
    }
    outcomes
}

/// Runs a program many times, and checks each run.
fn examine(seed: u64) -> Tally {
    let size = if seed.is_multiple_of(2) {
        Size::MEDIUM
    } else {
        Size::SMALL
    };
    let program = random_cfa::program(seed, size);
    if std::env::var("RIGEL_SEED").is_ok() {
        println!("{}", ir::text::print(&program));
    }
    let graph = CallGraph::new(&program);
    let mut answers = Vec::new();
    let mut context = Context::new(&program, &graph, Vec::new());
    for (algorithm, aggregate) in [
        (Algorithm::Plain, false),
        (Algorithm::Covering, false),
        (Algorithm::Differencing, false),
        (Algorithm::Plain, true),
        (Algorithm::Differencing, true),
        (Algorithm::Covering, true),
    ] {
        context = Context::new(&program, &graph, Vec::new());
        let plan = plan(algorithm, aggregate);
        answers.push((plan, analyze(&mut context, plan)));
    }
    let levels: Vec<Option<Level<'_>>> = program
        .functions
        .iter()
        .map(|(f, function)| {
            let body = function.body.as_ref()?;
            let plan = plan(Algorithm::Covering, true);
            let (automata, states): (Automata<'_>, _) =
                function::reached(&context, f, body, plan, &Entry::Anything);
            Some(Level::new(automata, states))
        })
        .collect();
    let mut tally = Tally::default();
    for outcome in answers
        .iter()
        .filter(|(p, _)| p.aggregate && p.algorithm == Algorithm::Covering)
        .flat_map(|a| a.1.iter().flatten())
    {
        for verdict in &outcome.verdicts {
            tally.checks += 1;
            tally.proved += usize::from(*verdict == Verdict::Proved);
            tally.undecided += usize::from(matches!(verdict, Verdict::Undecided(_)));
        }
    }
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut failed = false;
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
            let watch = Watch {
                levels: &levels,
                tally: Tally::default(),
                leaked: false,
            };
            let mut interpreter = Interpreter::with_observer(&program, config, watch);
            let args = arguments(&program, &interpreter, f, || rng.bits());
            let end = interpreter.call(f, args).err();
            let watch = interpreter.into_observer();
            let leaked = watch.leaked;
            tally = tally.add(watch.tally);
            if let Some(interp::Outcome::Failed(failure)) = end
                && let Cause::Check { check, .. } = failure.cause
                && let Some(at) = failure.site.function
            {
                failed = true;
                let initialized = matches!(
                    program.functions[at]
                        .body
                        .as_ref()
                        .map(|b| &b.checks[check].condition),
                    Some(ir::Condition::Initialized(_))
                );
                if !(leaked && initialized) {
                    held_to_be_fine(&program, &answers, at, check, &mut tally.wrong);
                }
            }
        }
    }
    tally.failing = usize::from(failed);
    tally.wrong.truncate(1);
    for wrong in &mut tally.wrong {
        *wrong = format!("seed {seed}: {wrong}");
    }
    tally
}

/// A panic is one more thing that is wrong, and costs one program.
fn fenced(seed: u64) -> Tally {
    std::panic::catch_unwind(|| examine(seed)).unwrap_or_else(|_| Tally {
        wrong: vec![format!("seed {seed}: panic")],
        ..Tally::default()
    })
}

/// Notes who says that a check that fails does not.
fn held_to_be_fine(
    program: &Program,
    answers: &[(Plan, Vec<Option<Outcome>>)],
    f: FuncId,
    check: CheckId,
    wrong: &mut Vec<String>,
) {
    for (plan, outcomes) in answers {
        let Some(Some(outcome)) = outcomes.get(f.0 as usize) else {
            continue;
        };
        let verdict = &outcome.verdicts[check.0 as usize];
        if matches!(verdict, Verdict::Proved | Verdict::Refuted) {
            let name = program.function_name(f);
            wrong.push(format!(
                "{name} {check:?} fails, and is {verdict:?} by {:?}, aggregate {}",
                plan.algorithm, plan.aggregate
            ));
        }
    }
}

#[test]
fn what_runs_do_lies_in_the_states_of_level_one() {
    // RIGEL_SEED=n looks at one program, and prints it; RIGEL_PROGRAMS=n looks at more.
    let setting = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    let seeds = match (setting("RIGEL_SEED"), setting("RIGEL_PROGRAMS")) {
        (Some(seed), _) => seed..seed + 1,
        (None, more) => 0..more.unwrap_or(PROGRAMS),
    };
    let programs = seeds.end - seeds.start;
    let tally = seeds
        .into_par_iter()
        .map(fenced)
        .reduce(Tally::default, Tally::add);
    println!(
        "{} of {programs} programs fail a check; {} visits; {} of {} numbers bounded; {} of {} checks proved, {} undecided",
        tally.failing,
        tally.visits,
        tally.bounded,
        tally.numbers,
        tally.proved,
        tally.checks,
        tally.undecided
    );
    for wrong in tally.wrong.iter().take(40) {
        println!("{wrong}");
    }
    assert!(tally.wrong.is_empty(), "{} violations", tally.wrong.len());
    if programs < PROGRAMS {
        return;
    }
    assert!(
        tally.failing as u64 * 3 >= programs,
        "too few programs fail a check"
    );
    // Knowing nothing would be right as well: what is known must not become less.
    let share = |part: usize, of: usize| part as f64 / of as f64;
    assert!(
        share(tally.bounded, tally.numbers) >= BOUNDED,
        "fewer numbers are bounded"
    );
    assert!(
        share(tally.proved, tally.checks) >= PROVED,
        "fewer checks are proved"
    );
}
