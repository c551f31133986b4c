//! Level 2 on the error paths of level 1: which can happen, and when.
//!
//! The paths of one function are judged together ([`feasible::judge`]), functions in parallel. A path
//! with a solution is replayed by the interpreter with its values. If the interpreter does not fail
//! where the solution says, one of the two is wrong: an error of rigel, counted as such, and the
//! path is not reported as feasible.

use crate::Outcome;
use automata::{Context, Verdict};
use feasible::witness::{Input, Place};
use feasible::{Judgement, Path};
use interp::replay::{Replayed, Replayer};
use ir::arena::Id;
use ir::{CheckId, EdgeId, FuncId, Stmt};
use logic::{Portfolio, Settled, Unknown};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Makes a prover, for one function.
#[derive(Clone)]
pub struct Provers(pub Arc<dyn Fn() -> Portfolio + Send + Sync>);

impl std::fmt::Debug for Provers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Provers")
    }
}

/// How level 2 works.
#[derive(Clone, Debug)]
pub struct Level2 {
    pub provers: Provers,
    /// For one question, in whatever the prover counts.
    pub budget: u64,
}

/// What level 2 did, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub paths: usize,
    /// Who settled the questions that were asked.
    pub settled: Settled,
    /// Paths on which some fact is false as it stands: nobody was asked.
    pub contradictions: usize,
    pub infeasible: usize,
    pub feasible: usize,
    pub undecided: usize,
    /// Feasible paths: the interpreter fails there, too.
    pub confirmed: usize,
    /// It does not, although nothing on the path is approximated: an error of rigel.
    pub defects: usize,
    /// It cannot tell: something on the path is approximated, or cannot be run.
    pub not_replayed: usize,
    /// Why, with how often.
    pub reasons: BTreeMap<String, usize>,
    /// What the provers said of themselves.
    pub troubles: Vec<String>,
}

/// What becomes of an error of level 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Reported(Option<String>),
    Refuted(Vec<usize>),
    Undecided,
}

/// What became of all.
#[derive(Default)]
pub(crate) struct Judged {
    fates: BTreeMap<(FuncId, CheckId), Fate>,
    pub tally: Tally,
}

impl Judged {
    pub fn of(&self, f: FuncId, check: CheckId) -> &Fate {
        self.fates.get(&(f, check)).unwrap_or(&Fate::Reported(None))
    }
}

/// Judges the error paths of all functions.
pub(crate) fn judge(
    context: &Context<'_>,
    level2: &Level2,
    outcomes: &[Option<Result<Outcome, String>>],
) -> Judged {
    let mut work: Vec<(FuncId, Vec<(CheckId, Vec<EdgeId>)>)> = Vec::new();
    for (i, outcome) in outcomes.iter().enumerate() {
        let Some(Ok(outcome)) = outcome else { continue };
        let failing = outcome.verdicts.iter().enumerate();
        let failing: Vec<_> = failing
            .filter_map(|(c, v)| match v {
                Verdict::Fails(path) => Some((CheckId::from_index(c), path.clone())),
                _ => None,
            })
            .collect();
        if !failing.is_empty() {
            work.push((FuncId(i as u32), failing));
        }
    }
    let done: Vec<Judged> = work
        .par_iter()
        .map_init(
            || Replayer::new(context.program),
            |replayer, (f, errors)| function(context, level2, *f, errors, replayer),
        )
        .collect();
    let mut all = Judged::default();
    for one in done {
        all.fates.extend(one.fates);
        all.tally.add(&one.tally);
    }
    all
}

fn function<'p>(
    context: &'p Context<'p>,
    level2: &Level2,
    f: FuncId,
    errors: &[(CheckId, Vec<EdgeId>)],
    replayer: &mut Replayer<'p>,
) -> Judged {
    let mut judged = Judged::default();
    let Some(body) = &context.program.functions[f].body else {
        return judged;
    };
    let mut prover = (level2.provers.0)();
    let paths: Vec<Vec<EdgeId>> = errors.iter().map(|(_, p)| p.clone()).collect();
    feasible::judge(
        context,
        f,
        body,
        &paths,
        &mut prover,
        level2.budget,
        |i, path, judgement| {
            let tally = &mut judged.tally;
            tally.paths += 1;
            let fate = match judgement {
                Judgement::Infeasible(core) => {
                    tally.infeasible += 1;
                    tally.contradictions += usize::from(path.is_contradictory());
                    Fate::Refuted(core.into_iter().map(|s| s as usize).collect())
                }
                Judgement::Undecided(why) => {
                    tally.undecided += 1;
                    match why {
                        Unknown::Budget => Fate::Undecided,
                        Unknown::Incomplete => Fate::Reported(None),
                        Unknown::Trouble(what) => {
                            tally.troubles.push(what);
                            Fate::Reported(None)
                        }
                    }
                }
                Judgement::Feasible(model) => {
                    tally.feasible += 1;
                    let replayed = match feasible::script::script(path, &model, &paths[i]) {
                        Ok(script) => replayer.replay(&script),
                        Err(why) => Replayed::Stuck { step: 0, why },
                    };
                    let when = words(context, path, &model);
                    settle(tally, path, replayed, when)
                }
            };
            judged.fates.insert((f, errors[i].0), fate);
        },
    );
    judged.tally.settled = prover.settled();
    judged
}

/// What a replay makes of a feasible path.
fn settle(tally: &mut Tally, path: &Path<'_>, replayed: Replayed, when: Option<String>) -> Fate {
    let a = &path.approximations;
    let exact = a.opaque == 0 && a.splits_dropped == 0;
    match replayed {
        Replayed::Confirmed => {
            tally.confirmed += 1;
            Fate::Reported(when)
        }
        Replayed::Diverged { why, .. } if exact => {
            tally.defects += 1;
            *tally.reasons.entry(why).or_default() += 1;
            Fate::Undecided
        }
        Replayed::Diverged { why, .. } | Replayed::Stuck { why, .. } => {
            tally.not_replayed += 1;
            *tally.reasons.entry(why).or_default() += 1;
            Fate::Reported(None)
        }
    }
}

/// Inputs that are shown at most.
const MOST_INPUTS: usize = 6;

/// The inputs of a solution, as the report has them.
fn words(context: &Context<'_>, path: &Path<'_>, model: &logic::Model) -> Option<String> {
    let inputs = feasible::witness::inputs(path, model);
    if inputs.is_empty() {
        return None;
    }
    let mut text: Vec<String> = Vec::new();
    for Input { place, value } in inputs.iter().take(MOST_INPUTS) {
        let place = match place {
            Place::Named(name) => name.clone(),
            Place::Result(step) => call_words(context, path, *step)?,
        };
        text.push(format!("{place} = {value}"));
    }
    if inputs.len() > MOST_INPUTS {
        text.push("…".into());
    }
    Some(text.join(", "))
}

/// A call as the source has it, roughly: `strlen()`.
fn call_words(context: &Context<'_>, path: &Path<'_>, step: u32) -> Option<String> {
    let body = context.program.functions[path.function].body.as_ref()?;
    let edge = path.edge_at(step)?;
    let Stmt::Call(call) = &body.edges()[edge].stmt else {
        return None;
    };
    Some(match call.callee {
        ir::Callee::Direct(f) => {
            let name = context.program.name(context.program.functions[f].display);
            format!("{}()", report::called_name(name))
        }
        ir::Callee::Indirect(_) => "the call".into(),
    })
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.paths += other.paths;
        self.settled += other.settled;
        self.contradictions += other.contradictions;
        self.infeasible += other.infeasible;
        self.feasible += other.feasible;
        self.undecided += other.undecided;
        self.confirmed += other.confirmed;
        self.defects += other.defects;
        self.not_replayed += other.not_replayed;
        for (why, count) in &other.reasons {
            *self.reasons.entry(why.clone()).or_default() += count;
        }
        for what in &other.troubles {
            if !self.troubles.contains(what) {
                self.troubles.push(what.clone());
            }
        }
    }
}
