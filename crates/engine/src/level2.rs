//! Level 2 on the error paths of level 1: which can happen, and when.
//!
//! The paths of one function are judged together ([`feasible::judge`]), functions in parallel. A path
//! with a solution is replayed by the interpreter with its values. If the interpreter does not fail
//! where the solution says, one of the two is wrong: an error of rigel, counted as such, and the
//! path is not reported as feasible.

use crate::Why;
use crate::coincidence::Demand;
use crate::court::Court;
use crate::tally::Tally;
use crate::whole::Judgement;
use automata::footprint::{self, Question};
use automata::hunt::{Hunt, Patience};
use automata::{Context, Plan, Verdict};
use interp::replay::Replayer;
use ir::arena::Id;
use ir::{Body, CheckId, EdgeId, FuncId};
use logic::{Known, Portfolio};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// Makes a prover, for one function.
#[derive(Clone)]
pub struct Provers {
    pub make: Arc<dyn Fn() -> Portfolio + Send + Sync>,
    /// Which, for those who keep its answers: another name, other answers.
    pub name: String,
}

impl Provers {
    /// What needs no solver.
    pub fn builtin() -> Provers {
        Provers {
            make: Arc::new(Portfolio::builtin),
            name: "built in".to_string(),
        }
    }
}

impl std::fmt::Debug for Provers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Provers").field(&self.name).finish()
    }
}

/// How level 2 works.
#[derive(Clone, Debug)]
pub struct Level2 {
    pub provers: Provers,
    /// For one question, in whatever the prover counts.
    pub budget: u64,
    /// A running clock, where somebody wants to know what each path costs. Nothing is decided by it.
    pub stopwatch: Option<fn() -> Duration>,
}

/// What becomes of an error of level 1.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Fate {
    Reported {
        path: Vec<EdgeId>,
        when: Option<String>,
        /// The interpreter was seen to fail there.
        sure: bool,
    },
    /// On this path these steps contradict each other.
    Refuted {
        path: Vec<EdgeId>,
        core: Vec<usize>,
        by: Why,
    },
    Undecided(Why),
    /// No path with evidence is left, though it may fail.
    Latent,
}

impl Fate {
    /// Reported for want of a better answer.
    pub fn reported(path: Vec<EdgeId>) -> Fate {
        Fate::Reported {
            path,
            when: None,
            sure: false,
        }
    }

    /// What is said of a check with several paths: the highest.
    pub fn rank(&self) -> u8 {
        match self {
            Fate::Refuted { .. } | Fate::Latent => 0,
            Fate::Undecided(_) => 1,
            Fate::Reported { sure: false, .. } => 2,
            Fate::Reported { sure: true, .. } => 3,
        }
    }
}

/// What became of all.
#[derive(Default)]
pub(crate) struct Judged {
    pub fates: BTreeMap<(FuncId, CheckId), Fate>,
    pub tally: Tally,
    /// What the solver said, now or in an earlier run.
    pub solved: Known,
    /// Functions whose paths could not be judged, and how that failed: errors of rigel. What level 1
    /// found in them is reported as it is.
    pub defects: Vec<(FuncId, String)>,
}

impl Judged {
    /// Takes one function's into account.
    pub fn add(&mut self, f: FuncId, one: &Judgement) {
        let fates = one.fates.iter();
        self.fates
            .extend(fates.map(|(c, fate)| ((f, *c), fate.clone())));
        self.tally.add(&one.tally);
        self.defects
            .extend(one.defect.iter().map(|why| (f, why.clone())));
    }

    /// What was noted in the order of the work, in an order that does not depend on it.
    pub fn in_order(&mut self) {
        self.defects.sort();
        self.tally.troubles.sort();
    }

    /// None: level 2 did not look at it.
    pub fn of(&self, f: FuncId, check: CheckId) -> Option<&Fate> {
        self.fates.get(&(f, check))
    }
}

/// The errors of one function.
pub(crate) struct Work<'p> {
    pub function: FuncId,
    pub body: &'p Body,
    pub errors: Vec<Error>,
    /// Of these, those whose path leads through merged states ([`merged`]).
    pub merged: BTreeSet<CheckId>,
    /// The body, where it is made of several.
    pub composed: Option<&'p ir::Composed>,
    /// What paths must not need.
    pub demand: Demand<'p>,
    /// Where none of the paths can be taken, others are sought.
    pub seeks: bool,
}

/// What is to be judged of the verdicts of level 1.
pub(crate) fn errors(verdicts: &[Verdict]) -> Vec<Error> {
    let failing = verdicts.iter().enumerate();
    failing
        .filter_map(|(c, v)| match v {
            // Through merged states: nobody knows yet, but a solver may.
            Verdict::Fails(path) | Verdict::Undecided(Some(path)) => {
                Some((CheckId::from_index(c), path.clone()))
            }
            _ => None,
        })
        .collect()
}

/// The errors with a path through merged states: what makes them fail may have come from other paths.
pub(crate) fn merged(verdicts: &[Verdict]) -> BTreeSet<CheckId> {
    let all = verdicts.iter().enumerate();
    let merged = all.filter(|(_, v)| matches!(v, Verdict::Undecided(Some(_))));
    merged.map(|(c, _)| CheckId::from_index(c)).collect()
}

/// Judges the error paths of functions, each for itself, and tells what it asked about others. No solver is asked what
/// it is known to say.
pub(crate) fn judge(
    context: &Context<'_>,
    level2: &Level2,
    known: &Arc<Known>,
    plan: Plan,
    work: &[&Work<'_>],
) -> Vec<(Judged, Vec<Question>)> {
    work.par_iter()
        .map_init(
            || Replayer::new(context.program),
            |replayer, work| {
                let f = work.function;
                // A bug here must not cost the other functions.
                let judge = std::panic::AssertUnwindSafe(|| {
                    footprint::of(|| function(context, level2, known, plan, work, replayer))
                });
                std::panic::catch_unwind(judge).unwrap_or_else(|panic| {
                    *replayer = Replayer::new(context.program);
                    let failed = Judged {
                        defects: vec![(f, crate::panic_words(&*panic))],
                        ..Judged::default()
                    };
                    (failed, Vec::new())
                })
            },
        )
        .collect()
}

/// States for all errors of a function that other paths are sought for: one large function must not
/// cost as much as all others.
const ALL_SOUGHT: usize = 3000;

/// States of the refinements of a function that come to nothing.
const ALL_REFINED: usize = 600;

/// States for a path that goes round no loop.
const FEW: usize = 150;

/// What is tried when the path of level 1 cannot happen.
const PATIENCE: Patience = Patience {
    states: 1000,
    waiting: 30,
    turns: 300,
    paths: 4,
};

fn function<'p>(
    context: &'p Context<'p>,
    level2: &Level2,
    known: &Arc<Known>,
    plan: Plan,
    work: &Work<'p>,
    replayer: &mut Replayer<'p>,
) -> Judged {
    let mut judged = Judged::default();
    let (f, body, errors) = (work.function, work.body, &work.errors);
    let mut prover = (level2.provers.make)();
    prover.remember(&level2.provers.name, Arc::clone(known));
    let mut court = Court {
        context,
        f,
        body,
        composed: work.composed,
        demand: work.demand,
        plan,
        budget: level2.budget,
        stopwatch: level2.stopwatch,
        prover: &mut prover,
        replayer,
        refuted: BTreeMap::new(),
        objected: BTreeMap::new(),
        valid: None,
        abstraction: None,
    };
    court.hear(errors, &mut judged);
    if !work.seeks {
        judged.tally.settled = prover.settled();
        judged.solved = prover.take_used();
        return judged;
    }
    let mut hunt: Option<Hunt<'p>> = None;
    // A run with an input that nobody spoke of is no error, and there always is one.
    for (check, path) in errors.iter().filter(|(c, _)| work.merged.contains(c)) {
        if let Some(Fate::Reported { .. }) = judged.of(f, *check) {
            let hunt = hunt.get_or_insert_with(|| Hunt::new(context, f, body, plan));
            if !hunt.has_evidence(*check, path) {
                let fate = Fate::Undecided(Why::SearchBudget);
                judged.fates.insert((f, *check), fate);
            }
        }
    }
    // Another path may do what the first one cannot.
    let mut more: Vec<Error> = Vec::new();
    let mut open: Vec<CheckId> = Vec::new();
    let mut crowded: Vec<CheckId> = Vec::new();
    let mut left = ALL_SOUGHT;
    for (check, path) in errors {
        let patience = match judged.of(f, *check) {
            // A loop that was left too early is what a long search is good for; for the rest there is
            // refinement.
            Some(Fate::Refuted { .. }) => {
                open.push(*check);
                match turns(path) {
                    true => PATIENCE,
                    false => continue,
                }
            }
            // What is objected to teaches as much as what cannot be.
            Some(_) if court.objected.contains_key(path) => {
                open.push(*check);
                continue;
            }
            Some(Fate::Undecided(Why::Coincidence)) => Patience {
                states: FEW,
                ..PATIENCE
            },
            _ => continue,
        };
        let patience = Patience {
            states: patience.states.min(left),
            ..patience
        };
        if patience.states == 0 {
            continue;
        }
        let hunt = hunt.get_or_insert_with(|| Hunt::new(context, f, body, plan));
        let sought = hunt.seek(*check, patience);
        left = left.saturating_sub(sought.states);
        judged.tally.sought += 1;
        if sought.crowded && sought.paths.is_empty() {
            crowded.push(*check);
        }
        let others = sought.paths.into_iter().filter(|other| other != path);
        more.extend(others.map(|other| (*check, other)));
    }
    if !more.is_empty() {
        court.hear(&more, &mut judged);
    }
    // That some paths cannot be taken says nothing of those that nobody has seen (Orion, §3.2): one that
    // level 1 cannot tell from a refuted one may be. But it teaches something.
    let mut allowance = ALL_REFINED;
    for check in open {
        let Some(Fate::Refuted { .. } | Fate::Latent | Fate::Undecided(Why::Coincidence)) =
            judged.of(f, check)
        else {
            continue;
        };
        let known = errors.iter().chain(&more).filter(|(c, _)| *c == check);
        let known: Vec<Vec<EdgeId>> = known.map(|(_, p)| p.clone()).collect();
        let hunt = hunt.get_or_insert_with(|| Hunt::new(context, f, body, plan));
        // Where the ways were too many for one search, each of a few more would have that many.
        if !crowded.contains(&check)
            && let Some(fate) = court.refine(hunt, check, &known, &mut allowance, &mut judged.tally)
        {
            judged.fates.insert((f, check), fate);
            continue;
        }
        let path = errors.iter().find(|(c, _)| *c == check).map(|(_, p)| p);
        let fate = match path {
            Some(path) if turns(path) && court.around_loops(check, path) => {
                Fate::reported(path.clone())
            }
            _ => Fate::Undecided(Why::SearchBudget),
        };
        judged.fates.insert((f, check), fate);
    }
    judged.tally.settled = prover.settled();
    judged.solved = prover.take_used();
    judged
}

/// Does a path take an edge twice?
fn turns(path: &[EdgeId]) -> bool {
    let mut sorted = path.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|w| w[0] == w[1])
}

/// An error of level 1: the check, and a path on which it fails.
pub(crate) type Error = (CheckId, Vec<EdgeId>);

#[cfg(test)]
mod tests;
