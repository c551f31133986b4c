//! `rigel summary`: with which inputs a function fails, comes back, ends the program, or never ends.
//!
//! Dual analysis says it in sets, its notation in C; here it is asked of every function, each in a context of its own, so that
//! the answers do not depend on the order, and one that is given up costs no other.

mod assumed;
mod json;
mod named;
mod text;

use crate::folded::{self, Folded};
use crate::kept::Kept;
use crate::pipeline::Loaded;
use crate::{Exit, cli, pipeline, print};
use assumed::Given;
use dual::execute::Failure;
use dual::notation::{Condition, Notation};
use dual::program::{Dual, Effort, Fork, Settings};
use engine::ErrorPath;
use engine::explain::Explainer;
use ir::{Body, CallGraph, CheckId, EdgeId, FuncId, Function};
use isl::{Set, Stopped};
use named::wanted;
use rayon::prelude::*;
use report::{Location, Verdict};
use std::cell::Cell;
use std::collections::VecDeque;

/// What isl may do for the outcomes of one function, if they are few; and to say its conditions.
const BUDGET: u64 = 1_000_000;
/// For one of many: what it may do for all together, divided; and at least so much.
const BUDGET_OF_ALL: u64 = 12_000_000;
const LEAST_BUDGET: u64 = 30_000;
/// So many times that for the last try.
const LAST: u64 = 4;
/// What it may do to say one condition, of what is left.
const BUDGET_TO_SAY: u64 = 400_000;
/// Facts and scalars that are handled for one operation of isl, at most ([`dual::work`]).
const WORK: u64 = 20;

/// What isl may do for one of so many functions.
fn budget(functions: usize) -> u64 {
    let functions = u64::try_from(functions).unwrap_or(u64::MAX);
    (BUDGET_OF_ALL / functions.max(1)).clamp(LEAST_BUDGET, BUDGET)
}

/// What is said of a function.
struct Summary {
    name: String,
    linkage_name: String,
    signature: String,
    location: Location,
    /// How many checks it has.
    checks: usize,
    /// Why there is nothing to say, if so.
    said: Result<Conditions, String>,
}

/// None: too complicated.
type Said = Option<Condition>;

struct Conditions {
    returns: Said,
    exits: Said,
    must: Said,
    may: Said,
    never: Said,
    endless: Said,
    failing: Vec<Failing>,
    given: Given,
}

impl Conditions {
    /// Every condition that is told.
    fn all(&self) -> impl Iterator<Item = &Condition> {
        let own = [
            &self.returns,
            &self.exits,
            &self.must,
            &self.may,
            &self.never,
            &self.endless,
        ];
        let failing = self.failing.iter();
        let checks = failing.flat_map(|check| [&check.fails, &check.must, &check.may]);
        own.into_iter().chain(checks).flatten()
    }

    /// Of so many checks of the function itself those that cannot fail.
    fn proved(&self, checks: usize) -> usize {
        let own = self.failing.iter().filter(|f| !f.in_call);
        checks.saturating_sub(own.count())
    }
}

/// A check that can fail.
struct Failing {
    /// In a function that is called.
    in_call: bool,
    rule: String,
    message: String,
    location: Location,
    fails: Said,
    must: Said,
    may: Said,
}

/// How many functions were too much for the budget, and what was made of them for their callers.
#[derive(Default)]
struct Efforts {
    hull: usize,
    ranges: usize,
    nothing: usize,
}

impl Efforts {
    fn of<'e>(all: impl Iterator<Item = &'e Effort>) -> Efforts {
        let mut efforts = Efforts::default();
        for effort in all {
            match effort {
                Effort::Full => {}
                Effort::Hull => efforts.hull += 1,
                Effort::Ranges => efforts.ranges += 1,
                Effort::Nothing(_) => efforts.nothing += 1,
            }
        }
        efforts
    }

    /// None if nothing was too much.
    fn words(&self) -> Option<String> {
        let (hull, ranges, nothing) = (self.hull, self.ranges, self.nothing);
        let parts: Vec<String> = [
            (hull, "known by one case each"),
            (ranges, "known by ranges of numbers"),
            (nothing, "not known to their callers"),
        ]
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
        let all = hull + ranges + nothing;
        let too_much = match all {
            1 => "1 function was".to_string(),
            all => format!("{all} functions were"),
        };
        (all > 0).then(|| format!("{too_much} too much for the budget: {}", parts.join(", ")))
    }
}

/// What is relied on; of each function, on what others do that are only declared.
struct Trust {
    /// That they do nothing wrong.
    declared: Vec<bool>,
    /// That they come back.
    strangers: Vec<bool>,
    /// What the compiler has done, and no check is left of.
    folded: Vec<Folded>,
}

pub fn summary(args: &cli::Summary) -> Result<Exit, String> {
    let mut loaded = pipeline::load(&args.input, &args.flags, &Kept::nothing())?;
    let wanted = wanted(&loaded, &args.function)?;
    loaded.instrument(rules::Selection::all_but_loops(), &[]);
    let graph = CallGraph::new(&loaded.program);
    let mut settings = Settings::default();
    let mut dual = Dual::new(&loaded.program, &graph, settings);
    settings.last = LAST;
    settings.operations = budget(dual.below(&wanted).len());
    settings.limits.work = WORK * settings.operations;
    dual.settings = settings;
    dual.need(&wanted);
    let efforts = Efforts::of(dual.efforts().values());
    let trust = Trust {
        declared: dual::trust::trusting(&loaded.program, &graph),
        strangers: dual::trust::hoping(&loaded.program, &graph),
        folded: folded::overflows(&loaded),
    };
    let known = dual.fork();
    let mut all: Vec<Summary> = wanted
        .par_iter()
        .filter_map(|id| {
            let function = loaded.program.functions.get(*id)?;
            let body = function.body.as_ref()?;
            Some(summarized(&loaded, &known, *id, function, body, &trust))
        })
        .collect();
    all.sort_by(|a, b| (&a.location, &a.linkage_name).cmp(&(&b.location, &b.linkage_name)));
    let text = match args.format {
        cli::PlainFormat::Text => text::render(&all),
        cli::PlainFormat::Json => json::render(&all, &efforts),
    };
    if let Some(words) = efforts.words() {
        print::note(&words);
    }
    print::report(&text, None)?;
    Ok(match loaded.failed > 0 {
        true => Exit::Failed,
        false => Exit::Clean,
    })
}

fn summarized(
    loaded: &Loaded,
    known: &Fork<'_>,
    id: FuncId,
    function: &Function,
    body: &Body,
    trust: &Trust,
) -> Summary {
    let program = &loaded.program;
    // A bug in the analysis of one function must not cost the others.
    let said = std::panic::AssertUnwindSafe(|| conditions(loaded, known, id, body, trust));
    let said = std::panic::catch_unwind(said);
    Summary {
        name: program.name(function.display).to_string(),
        linkage_name: program.name(function.name).to_string(),
        signature: dual::notation::signature(program, function, body),
        location: loaded.location(function.span),
        checks: own_edges(body).count(),
        said: match said {
            Ok(Ok(conditions)) => Ok(conditions),
            Ok(Err(Stopped::Budget)) => Err("given up: it is too complicated".to_string()),
            Ok(Err(Stopped::Failed(why))) => Err(format!("given up: {why}")),
            Err(_) => Err("rigel failed to analyse it, which is an error of rigel".to_string()),
        },
    }
}

fn conditions(
    loaded: &Loaded,
    known: &Fork<'_>,
    id: FuncId,
    body: &Body,
    trust: &Trust,
) -> isl::Result<Conditions> {
    let mut dual = known.dual();
    let outcomes = dual.again(id)?;
    let left = Cell::new(dual.settings.operations);
    let context = dual.context();
    context.allow(BUDGET_TO_SAY);
    let notation = Notation::new(&loaded.program, body, &outcomes)?;
    let say = |set: &dyn Fn() -> isl::Result<Set>| {
        context.allow(BUDGET_TO_SAY.min(left.get()));
        let said = set().and_then(|set| notation.condition(&set)).ok();
        left.set(left.get().saturating_sub(context.spent()));
        said
    };
    // Those of the function first: they are what one wants to know of it.
    let mut conditions = Conditions {
        returns: say(&|| Ok(outcomes.ok.clone())),
        exits: say(&|| Ok(outcomes.exit.clone())),
        must: say(&|| outcomes.must()),
        may: say(&|| outcomes.may()),
        never: say(&|| outcomes.never()),
        endless: say(&|| outcomes.endless()),
        failing: Vec::new(),
        given: Given {
            inputs: Vec::new(),
            calls_unknown: outcomes.guessed,
            folded: folded::within(&trust.folded, loaded, body),
            calls_declared: trust.declared.get(id.0 as usize) == Some(&true),
            calls_strangers: trust.strangers.get(id.0 as usize) == Some(&true),
        },
    };
    let places = |span| loaded.location(span);
    let explainer = Explainer::new(&loaded.program, &places);
    let own = |check: &CheckId| outcomes.failures.contains_key(&Failure::Here(*check));
    let failing = own_edges(body).filter(|(check, _)| own(check));
    let failing = failing.map(|(check, edge)| {
        let path = path_to(body, edge);
        let steps = path.len();
        let finding = explainer.finding(&ErrorPath::new(id, check, path), Verdict::May);
        let failing = Failing {
            in_call: false,
            rule: finding.rule_id().to_string(),
            message: finding.message,
            location: finding.location,
            fails: say(&|| outcomes.err_at(Failure::Here(check))),
            must: say(&|| outcomes.must_at(Failure::Here(check))),
            may: say(&|| outcomes.may_at(Failure::Here(check))),
        };
        (steps, failing)
    });
    let mut failing: Vec<(usize, Failing)> = failing.collect();
    let calls = outcomes.failures.keys().filter_map(|failure| {
        let Failure::Call(edge, origin) = *failure else {
            return None;
        };
        let at = origin.and_then(|(f, check)| below(loaded, f, check));
        let failing = Failing {
            in_call: true,
            rule: at.as_ref().map_or("", |(rule, _)| rule).to_string(),
            message: match &at {
                Some((_, place)) => format!("the call fails at {place}"),
                None => "the call fails".to_string(),
            },
            location: loaded.location(body.edges()[edge].span),
            fails: say(&|| outcomes.err_at(*failure)),
            must: say(&|| outcomes.must_at(*failure)),
            may: say(&|| outcomes.may_at(*failure)),
        };
        Some((0, failing))
    });
    failing.extend(calls);
    // Those of one place in the order in which they happen.
    failing.sort_by(|(m, a), (n, b)| (&a.location, m, &a.rule).cmp(&(&b.location, n, &b.rule)));
    conditions.failing = failing.into_iter().map(|(_, failing)| failing).collect();
    conditions.given.inputs = Given::inputs(&notation, conditions.all());
    Ok(conditions)
}

/// The rule of a check of another function, and where that stands.
fn below(loaded: &Loaded, f: FuncId, check: CheckId) -> Option<(String, Location)> {
    let body = loaded.program.functions.get(f)?.body.as_ref()?;
    let (_, edge) = own_edges(body).find(|(other, _)| *other == check)?;
    let rule = loaded.program.name(body.checks.get(check)?.rule);
    Some((rule.to_string(), loaded.location(body.edges()[edge].span)))
}

/// The checks of a body that stand somewhere, each with its first edge.
fn own_edges(body: &Body) -> impl Iterator<Item = (CheckId, EdgeId)> {
    let mut seen = vec![false; body.checks.len()];
    body.edges()
        .iter()
        .filter_map(move |(id, edge)| match edge.stmt {
            ir::Stmt::Check(check) => {
                let seen = seen.get_mut(check.0 as usize)?;
                (!std::mem::replace(seen, true)).then_some((check, id))
            }
            _ => None,
        })
}

/// A shortest path from the entry that ends with an edge: what temporaries stand for is found on it. The edge alone if none
/// leads there.
fn path_to(body: &Body, edge: EdgeId) -> Vec<EdgeId> {
    let target = body.edges()[edge].from;
    let mut from: Vec<Option<EdgeId>> = vec![None; body.node_count as usize];
    let mut waiting = VecDeque::from([body.entry]);
    while let Some(node) = waiting.pop_front() {
        if node == target {
            break;
        }
        for (id, next) in body.out_edges(node) {
            let slot = &mut from[next.to.0 as usize];
            if slot.is_none() && next.to != body.entry {
                *slot = Some(id);
                waiting.push_back(next.to);
            }
        }
    }
    let mut path = vec![edge];
    let mut node = target;
    while let Some(id) = from[node.0 as usize] {
        path.push(id);
        node = body.edges()[id].from;
    }
    path.reverse();
    path
}
