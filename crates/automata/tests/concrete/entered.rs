//! Functions in the states that callers enter them in, against runs.
//!
//! Every function of a random program is analysed for any caller and in the entries that calls ask for. An
//! analysis in an entry is a claim about all runs that enter the function in a state that the entry
//! describes. A run is held against the claims of each of its activations:
//!
//! - every state that it visits lies in one of the states of the analysis;
//! - a check that fails in it is neither proved nor refuted;
//! - if it makes a call that is made in listed entries *only*, one of them describes what is passed.

use super::inside::{Inside, Level, contains};
use super::{arguments, leaks, plan};
use automata::entry::{Access, Content, Kind, Known};
use automata::{Context, Entry, Outcome, Verdict, function};
use domain::Definition;
use interp::chance::Chance;
use interp::{Cause, Config, FrameView, Interpreter, Observer, Scalar};
use ir::{Body, CallGraph, CallOutcome, CheckId, EdgeId, FuncId, NodeId, Program, Stmt};
use random_cfa::{Rng, Size};
use rayon::prelude::*;
use search::Algorithm;

const PROGRAMS: u64 = 1_500;
const CALLS: u32 = 4;
/// Entries of a function that are looked at.
const CONTEXTS: usize = 6;

/// A function in a state that it is entered in.
struct Claim<'p> {
    entry: Entry,
    outcome: Outcome,
    level: Level<'p>,
}

/// What was seen, over all programs.
#[derive(Default)]
struct Tally {
    contexts: usize,
    /// Visits of activations that an entry describes; calls made in listed entries only; checks
    /// that failed in such an activation.
    visits: usize,
    calls: usize,
    failures: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn add(mut self, other: Tally) -> Tally {
        self.contexts += other.contexts;
        self.visits += other.visits;
        self.calls += other.calls;
        self.failures += other.failures;
        self.wrong.extend(other.wrong);
        self
    }
}

/// A function that is being run.
struct Activation {
    function: FuncId,
    /// Where it is.
    node: NodeId,
    /// The claims that speak of it.
    claims: Vec<usize>,
}

struct Witness<'a, 'p> {
    program: &'p Program,
    claims: &'a [Vec<Claim<'p>>],
    stack: Vec<Activation>,
    leaked: bool,
    tally: Tally,
}

impl Observer for Witness<'_, '_> {
    fn visit(&mut self, f: FuncId, node: NodeId, view: &FrameView<'_, '_>) {
        let Some(body) = &self.program.functions[f].body else {
            return;
        };
        let claims = &self.claims[f.0 as usize];
        let (Some(root), depth) = (claims.first(), view.depth()) else {
            return;
        };
        if node == body.entry || node == body.exit {
            self.leaked = self.leaked || leaks(&root.level, view, node == body.exit);
        }
        if depth > self.stack.len() {
            self.enter(f, body, view);
        }
        self.stack.truncate(depth);
        if let Some(top) = self.stack.last_mut() {
            top.node = node;
        }
        self.stand(f, node, view);
    }
}

impl Witness<'_, '_> {
    fn enter(&mut self, f: FuncId, body: &Body, view: &FrameView<'_, '_>) {
        let of_f = &self.claims[f.0 as usize];
        let program = self.program;
        let describes = |c: &usize| described(&of_f[*c].entry, (program, body), view, false);
        let claims: Vec<usize> = (0..of_f.len()).filter(describes).collect();
        if let Some(caller) = self.stack.last()
            && let Some(calling) = &self.program.functions[caller.function].body
            && let Some(edge) = call_at(calling, caller.node)
        {
            for &c in &caller.claims {
                let outcome = &self.claims[caller.function.0 as usize][c].outcome;
                let listed = outcome.calls.iter();
                let listed: Vec<_> = listed
                    .filter(|a| a.edge == edge && a.callee == f && a.only)
                    .collect();
                if listed.is_empty() || outcome.exhausted {
                    continue;
                }
                self.tally.calls += 1;
                if !listed
                    .iter()
                    .any(|a| described(&a.entry, (program, body), view, true))
                {
                    self.tally.wrong.push(format!(
                        "{} at {edge:?} calls {} in a state that is not listed: {listed:?}",
                        self.program.function_name(caller.function),
                        self.program.function_name(f),
                    ));
                }
            }
        }
        self.stack.push(Activation {
            function: f,
            node: body.entry,
            claims,
        });
    }

    /// Does the run stand where the claims say that it can?
    fn stand(&mut self, f: FuncId, node: NodeId, view: &FrameView<'_, '_>) {
        let Some(top) = self.stack.last() else {
            return;
        };
        for &c in &top.claims {
            let claim = &self.claims[f.0 as usize][c];
            let level = &claim.level;
            let (Entry::Given(_), Some(Some(states)), Some(location)) = (
                &claim.entry,
                level.states.get(node.0 as usize),
                level.graph.location(node),
            ) else {
                continue;
            };
            if !self.tally.wrong.is_empty() {
                return;
            }
            self.tally.visits += 1;
            let mut why = Vec::new();
            let inside = states.iter().any(|state| {
                let inside = Inside {
                    level,
                    view,
                    state,
                    location,
                    unwritten_around: self.leaked,
                };
                let violation = inside.violation();
                let is_inside = violation.is_none();
                why.extend(violation);
                is_inside
            });
            if !inside {
                let name = self.program.function_name(f);
                let entry = &claim.entry;
                self.tally.wrong.push(format!(
                    "{name} {node:?} entered in {entry:?}: in none of {} states: {why:#?}",
                    states.len()
                ));
            }
        }
    }

    /// A check failed in the innermost activation.
    fn fail(&mut self, f: FuncId, check: CheckId) {
        let Some(top) = self.stack.last().filter(|top| top.function == f) else {
            return;
        };
        for &c in &top.claims {
            let claim = &self.claims[f.0 as usize][c];
            self.tally.failures += usize::from(claim.entry != Entry::Anything);
            let verdict = &claim.outcome.verdicts[check.0 as usize];
            if matches!(verdict, Verdict::Proved | Verdict::Refuted) {
                let name = self.program.function_name(f);
                let entry = &claim.entry;
                self.tally.wrong.push(format!(
                    "{name} {check:?} fails, and is {verdict:?} in {entry:?}"
                ));
            }
        }
    }
}

/// The edge of the call that is made at a node.
fn call_at(body: &Body, node: NodeId) -> Option<EdgeId> {
    let mut edges = body.out_edges(node);
    edges.find_map(|(id, e)| match &e.stmt {
        Stmt::Call(call) if call.outcome == CallOutcome::Return => Some(id),
        _ => None,
    })
}

/// Is a run in a state that the entry stands for? `strict`: what cannot be read is not described, for the
/// caller has claimed that it is there.
fn described(
    entry: &Entry,
    (program, body): (&Program, &Body),
    view: &FrameView<'_, '_>,
    strict: bool,
) -> bool {
    let Entry::Given(given) = entry else {
        return true;
    };
    let mut all = given.iter();
    all.all(|(access, content)| match read(access, body, view) {
        Read::Scalar(value) => {
            let int = match access.path.last() {
                Some(part) => Some((part.bits as u16, part.kind == Kind::Signed)),
                None => {
                    let param = body.params[access.param as usize];
                    program.types.as_int(body.vars[param].ty)
                }
            };
            fits(int, view, value, content)
        }
        // Nothing is behind null, and nothing is said of it.
        Read::Nothing => true,
        Read::Unreadable => !strict,
    })
}

enum Read {
    Scalar(Scalar),
    Nothing,
    Unreadable,
}

fn read(access: &Access, body: &Body, view: &FrameView<'_, '_>) -> Read {
    let param = body.params[access.param as usize];
    let Some(mut value) = view.var(param).and_then(|v| v.scalar()) else {
        return Read::Unreadable;
    };
    let memory = view.memory();
    for part in &access.path {
        if value.bits == 0 {
            return Read::Nothing;
        }
        let pointer = memory.with_object(value);
        if pointer.prov.is_none() {
            return Read::Unreadable;
        }
        let offset = i128::from(pointer.bits) - i128::from(memory.base(pointer.prov));
        let Ok(offset) = u64::try_from(offset + i128::from(part.start.div_euclid(8))) else {
            return Read::Unreadable;
        };
        let low = part.start.rem_euclid(8) as u32;
        let read = match low == 0 && part.bits % 8 == 0 {
            true => memory.read(pointer.prov, offset, part.bits as usize / 8),
            false => memory.read_bits(pointer.prov, offset, low, part.bits),
        };
        match read {
            Ok(read) => value = read,
            Err(_) => return Read::Unreadable,
        }
    }
    Read::Scalar(value)
}

fn fits(
    int: Option<(u16, bool)>,
    view: &FrameView<'_, '_>,
    value: Scalar,
    content: &Content,
) -> bool {
    if content.definition == Definition::Undefined && value.undef == 0 {
        return false;
    }
    match &content.value {
        Known::Nothing => true,
        Known::Number(n) => int.is_none_or(|(width, signed)| {
            contains(n, ir::int_value(u128::from(value.bits), width, signed))
        }),
        Known::Pointer(r) => {
            if value.bits == 0 {
                return r.null.may_be_null;
            }
            let memory = view.memory();
            let pointer = memory.with_object(value);
            let room = r.room.is_none_or(|room| {
                !pointer.prov.is_none()
                    && memory.size(pointer.prov) == room.size
                    && pointer.bits.wrapping_sub(memory.base(pointer.prov)) == room.before
            });
            r.null.may_be_valid && room
        }
    }
}

/// All functions for any caller, and in the entries that calls ask for.
fn claims<'p>(
    context: &'p mut Context<'p>,
    aggregate: bool,
) -> (&'p Context<'p>, Vec<Vec<Claim<'p>>>) {
    let program = context.program;
    let plan = plan(Algorithm::Covering, aggregate);
    let mut outcomes = super::analyze(context, plan);
    let context: &'p Context<'p> = context;
    let mut entries: Vec<Vec<Entry>> = vec![vec![Entry::Anything]; program.functions.len()];
    let mut all: Vec<Vec<Claim<'p>>> = Vec::new();
    all.resize_with(program.functions.len(), Vec::new);
    // Callers come after their callees in these programs: from the last function on, all that will be
    // asked of one is known when it is its turn.
    for (f, function) in program
        .functions
        .iter()
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
    {
        let Some(body) = &function.body else {
            continue;
        };
        let index = f.0 as usize;
        for entry in std::mem::take(&mut entries[index]) {
            let outcome = match outcomes[index].take() {
                Some(outcome) if entry == Entry::Anything => outcome,
                _ => automata::analyze(context, f, body, plan, &entry),
            };
            for asked in &outcome.calls {
                let known = &mut entries[asked.callee.0 as usize];
                if known.len() < CONTEXTS && !known.contains(&asked.entry) {
                    known.push(asked.entry.clone());
                }
            }
            let (automata, states) = function::reached(context, f, body, plan, &entry);
            all[index].push(Claim {
                entry,
                outcome,
                level: Level::new(automata, states),
            });
        }
    }
    (context, all)
}

/// Runs a program many times, and checks each run.
fn examine(seed: u64) -> Tally {
    let size = match seed % 2 {
        0 => Size::MEDIUM,
        _ => Size::SMALL,
    };
    let program = random_cfa::program(seed, size);
    if std::env::var("RIGEL_SEED").is_ok() {
        println!("{}", ir::text::print(&program));
    }
    let graph = CallGraph::new(&program);
    let mut context = Context::new(&program, &graph, Vec::new());
    let (_, claims) = claims(&mut context, !seed.is_multiple_of(3));
    let mut tally = Tally {
        contexts: claims.iter().map(|c| c.len().saturating_sub(1)).sum(),
        ..Tally::default()
    };
    let mut rng = Rng::new(seed ^ 0xca11);
    for f in program.functions.ids() {
        for _ in 0..CALLS {
            let mut own = Rng::new(rng.bits());
            let config = Config {
                step_limit: 20_000,
                oracle: Box::new(Chance(move || own.bits())),
                ..Config::default()
            };
            let witness = Witness {
                program: &program,
                claims: &claims,
                stack: Vec::new(),
                leaked: false,
                tally: Tally::default(),
            };
            let mut interpreter = Interpreter::with_observer(&program, config, witness);
            let args = arguments(&program, &interpreter, f, || rng.bits());
            let end = interpreter.call(f, args).err();
            let mut witness = interpreter.into_observer();
            if let Some(interp::Outcome::Failed(failure)) = end
                && let Cause::Check { check, .. } = failure.cause
                && let Some(at) = failure.site.function
                && let Some(body) = &program.functions[at].body
            {
                let condition = &body.checks[check].condition;
                // Level 1 takes what is handed around to be written.
                let initialized = matches!(condition, ir::Condition::Initialized(_));
                if !(initialized && witness.leaked) {
                    witness.fail(at, check);
                }
            }
            tally = tally.add(witness.tally);
        }
    }
    tally.wrong.truncate(1);
    for wrong in &mut tally.wrong {
        *wrong = format!("seed {seed}: {wrong}");
    }
    tally
}

#[test]
fn what_runs_do_lies_in_the_contexts_that_describe_them() {
    let setting = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    let seeds = match (setting("RIGEL_SEED"), setting("RIGEL_PROGRAMS")) {
        (Some(seed), _) => seed..seed + 1,
        (None, more) => 0..more.unwrap_or(PROGRAMS),
    };
    let programs = seeds.end - seeds.start;
    let tally = seeds
        .into_par_iter()
        .map(|seed| {
            std::panic::catch_unwind(|| examine(seed)).unwrap_or_else(|_| Tally {
                wrong: vec![format!("seed {seed}: panic")],
                ..Tally::default()
            })
        })
        .reduce(Tally::default, Tally::add);
    println!(
        "{} contexts of {programs} programs; {} visits, {} calls, {} failures in them",
        tally.contexts, tally.visits, tally.calls, tally.failures
    );
    for wrong in tally.wrong.iter().take(20) {
        println!("{wrong}");
    }
    assert!(tally.wrong.is_empty(), "{} violations", tally.wrong.len());
    if programs < PROGRAMS {
        return;
    }
    // A test that meets nothing tests nothing.
    assert!(tally.contexts as u64 >= programs / 4);
    assert!(tally.visits as u64 >= 10 * programs && tally.calls as u64 >= programs);
    assert!(tally.failures as u64 >= programs / 4);
}
