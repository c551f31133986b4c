//! Conditions of callees that a caller meets (issue 7 §4): errors that no path of level 1 shows.
//!
//! That `put(a, n)` fails if `n >= len(a) / 4` is nobody's error; a caller that passes four elements and 4 has one. Level 1 has
//! no path to it: it knows of loops what every turn has in common. So functions that pass objects of known size to callees that
//! go along them ([`candidates`]) are asked by dual analysis whether they meet such a condition, whoever calls them
//! ([`dual::met`]). Where they seem to, or where that is too much to find out, the function is run once with inputs that should
//! show it ([`run`]). The path of a run that fails is an error path as any other: level 2 judges it, and level 1 has to see
//! that it fails for what the program says, not for what the run was given.

mod alone;
mod candidates;
mod outside;
mod run;
mod scene;
mod settled;

use super::digest::Digest;
use super::level1::Result1;
use super::{Everything, Through};
use crate::coincidence::Demand;
use crate::level2::{self, Fate, Work};
use crate::{ErrorPath, panic_words};
use automata::hunt::Hunt;
use candidates::Asked;
use dual::execute::Place;
use dual::input::Input;
use dual::met::Met;
use dual::program::{Dual, Fork, Settings};
use ir::arena::Id;
use ir::{Body, FuncId, Program, Stmt};
use rayon::prelude::*;
use run::Shown;
use settled::Settled;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Statements of functions that are run as they are, all together at most; and of one.
const ALONE: u64 = 5_000_000;
const LEAST: u64 = 2_000;
const MOST: u64 = 50_000;

/// The functions that meet nothing, by what that was said of.
pub(crate) type Calm = BTreeSet<u128>;

/// How much may be done for one function. Objects that it is given are in good order: it has to show the error itself.
fn settings(operations: u64) -> Settings {
    Settings {
        operations,
        trusting: true,
        edges: 150,
        depth: 2,
        ..Settings::default()
    }
}

/// Operations for each of so many functions, if there are so many for one error: all together they may cost less than one.
/// (In steps, so that one function more or less does not change what is said of the others.)
fn share(operations: u64, functions: usize) -> u64 {
    let least = operations / 100;
    let mut share = operations / 10;
    while share > least && share.saturating_mul(functions as u64) > operations / 5 {
        share /= 2;
    }
    share.max(least)
}

impl Everything<'_, '_> {
    /// Adds the errors of functions that meet conditions of their callees.
    pub fn met(
        &self,
        roots: &[(FuncId, Arc<Result1>)],
        operations: u64,
        calm: &mut Calm,
        all: &mut level2::Judged,
        found: &mut Through,
    ) {
        let (program, graph) = (self.context.program, self.context.graph);
        let candidates = candidates::candidates(program, graph, roots);
        let operations = share(operations, candidates.len());
        let mut dual = Dual::new(program, graph, settings(operations));
        let before = std::mem::take(calm);
        let mut open: Vec<(Asked, u128)> = Vec::new();
        for asked in candidates {
            all.tally.met.asked += 1;
            let key = self.key(&dual, operations, &asked);
            match before.contains(&key) {
                true => _ = calm.insert(key),
                false => open.push((asked, key)),
            }
        }
        let callees = open.iter().flat_map(|(asked, _)| asked.callees());
        let callees: BTreeSet<FuncId> = callees.collect();
        dual.need(&callees.into_iter().collect::<Vec<_>>());
        let callers: Vec<FuncId> = open.iter().map(|(asked, _)| asked.function).collect();
        dual.need_special(&callers);
        let fork = dual.fork();
        // A bug in it must not cost the others.
        let ask =
            |asked: &Asked| catch_unwind(AssertUnwindSafe(|| suspected(program, &fork, asked)));
        let met: Vec<_> = open.par_iter().map(|(asked, _)| ask(asked)).collect();
        for ((asked, key), met) in open.into_iter().zip(met) {
            match met {
                Ok(met) if met.is_empty() => _ = calm.insert(key),
                Ok(met) => {
                    all.tally.met.suspected += 1;
                    let shown = AssertUnwindSafe(|| self.show(asked.function, &met, all, found));
                    let failed = catch_unwind(shown).err();
                    let defect = failed.map(|panic| (asked.function, panic_words(&*panic)));
                    all.defects.extend(defect);
                }
                Err(panic) => all.defects.push((asked.function, panic_words(&*panic))),
            }
        }
    }

    /// Of what is said what is said.
    fn key(&self, dual: &Dual<'_>, operations: u64, asked: &Asked) -> u128 {
        let mut digest = Digest::default();
        let of = |f: FuncId| self.keys.get(f.index()).copied().unwrap_or_default();
        digest.number(operations).wide(of(asked.function));
        // What runs before `main` is not in its key.
        let whole = self.context.program.is_start(asked.function);
        digest.number(u64::from(whole));
        for callee in dual.below(&asked.callees().collect::<Vec<_>>()) {
            digest.wide(of(callee));
        }
        digest.finish()
    }

    /// Runs the functions that are given nothing, and adds what they fail at. Those of which the only run is known, and fails nowhere,
    /// are named.
    pub fn run_alone(&self, all: &mut level2::Judged, found: &mut Through) -> BTreeSet<FuncId> {
        let mut fine = BTreeSet::new();
        let program = self.context.program;
        let is_given_nothing = |f: FuncId, body: &Body| {
            let is_alone = match program.is_main(f) {
                true => program.is_start(f),
                false => body.params.is_empty(),
            };
            is_alone && calls_or_turns(body)
        };
        let bodies = program.bodies();
        let functions: Vec<FuncId> = bodies
            .filter(|(f, _, body)| is_given_nothing(*f, body))
            .map(|(f, ..)| f)
            .collect();
        if functions.is_empty() {
            return fine;
        }
        let settled = Settled::new(program);
        let steps = (ALONE / functions.len() as u64).clamp(LEAST, MOST);
        let run = |f: &FuncId| {
            let run = AssertUnwindSafe(|| run::shown_alone(program, *f, &settled, steps));
            catch_unwind(run).map_err(|panic| (*f, panic_words(&*panic)))
        };
        let shown: Vec<_> = functions.par_iter().map(run).collect();
        for (f, alone) in functions.into_iter().zip(shown) {
            match alone {
                Ok(alone) => {
                    if alone.only {
                        fine.insert(f);
                    }
                    let shown = alone.shown.into_iter();
                    shown.for_each(|one| self.add(one, all, found));
                }
                Err(defect) => all.defects.push(defect),
            }
        }
        fine
    }

    /// Adds what a run shows, unless it is known.
    fn add(&self, shown: Shown, all: &mut level2::Judged, found: &mut Through) {
        let at = shown.place();
        let known = all.of(at.0, at.1);
        // What the only run of the program shows is surer than any path to it.
        let is_surer = shown.closed && found.get(&at).is_some_and(|known| !known.seen);
        let is_found = found.contains_key(&at) && !is_surer;
        if is_found || matches!(known, Some(Fate::Reported { .. })) {
            return;
        }
        let error = self
            .judge_shown(shown, all)
            .filter(|error| !is_surer || error.must);
        all.tally.met.shown += usize::from(error.is_some());
        found.extend(error.map(|error| (at, error)));
    }

    /// Runs a function, to show what it seems to meet.
    fn show(&self, f: FuncId, met: &[Met], all: &mut level2::Judged, found: &mut Through) {
        let tries: BTreeSet<&[(Input, i128)]> = met.iter().map(|met| &met.inputs[..]).collect();
        for inputs in tries {
            let Some(shown) = run::shown(self.context.program, f, inputs, met) else {
                continue;
            };
            self.add(shown, all, found);
        }
    }

    /// What level 2 makes of a run that failed.
    fn judge_shown(&self, shown: Shown, all: &mut level2::Judged) -> Option<ErrorPath> {
        let Shown {
            composed,
            check,
            path,
            closed,
        } = shown;
        // What the program does when it is started needs no judge.
        if closed {
            let root = composed.frames.get(ir::FrameId::ROOT)?.function;
            let program = self.context.program;
            let must = program.is_start(root) && alone::is_only_run(program);
            let error = ErrorPath::through(Arc::new(composed), check, path);
            return Some(ErrorPath {
                must,
                seen: true,
                ..error
            });
        }
        let root = composed.frames.get(ir::FrameId::ROOT)?.function;
        let work = Work {
            function: root,
            body: &composed.body,
            errors: vec![(check, path)],
            merged: BTreeSet::new(),
            composed: Some(&composed),
            demand: Demand::NoAgreement,
            seeks: true,
        };
        let judged = level2::judge(self.context, self.level2, &self.known, self.plan, &[&work]);
        let (judged, _) = judged.into_iter().next()?;
        all.tally.add(&judged.tally);
        all.defects.extend(judged.defects.iter().cloned());
        let Some(Fate::Reported { path, when, .. }) = judged.of(root, check) else {
            return None;
        };
        // Nobody says that what the function is given is as the run had it.
        let mut hunt = Hunt::new(self.context, root, &composed.body, self.plan);
        if !hunt.has_evidence(check, path) {
            return None;
        }
        let (path, when) = (path.clone(), when.clone());
        let error = ErrorPath::through(Arc::new(composed), check, path);
        Some(ErrorPath { when, ..error })
    }
}

/// Is there anything that level 1 takes less exactly than a run? It knows a callee by a summary, and a loop by what all turns have
/// in common.
fn calls_or_turns(body: &Body) -> bool {
    let mut edges = body.edges().values();
    edges.any(|edge| matches!(edge.stmt, Stmt::Call(_)) || edge.to <= edge.from)
}

/// What a function seems to meet. Of callees of which nothing is known that may be anything; but only a function that is given
/// nothing can be run for it.
fn suspected(program: &Program, fork: &Fork<'_>, asked: &Asked) -> Vec<Met> {
    let mut dual = fork.dual();
    let fails = |f: FuncId| dual.summary(f).is_some_and(|s| !s.fails.is_empty());
    let mut met = match asked.callees().any(fails) {
        true => dual.met(asked.function).unwrap_or_default(),
        false => Vec::new(),
    };
    let function = program.functions.get(asked.function);
    let body = function.and_then(|f| f.body.as_ref());
    // What a program begins with is run in any case: what it finds there is no input.
    let whole = program.is_start(asked.function);
    if !whole && body.is_none_or(|body| !body.params.is_empty()) {
        return met;
    }
    for (edge, callee) in &asked.calls {
        // It, or somebody below it.
        if whole || dual.summary(*callee).is_none_or(|s| s.guessed) {
            met.push(Met {
                place: Place::Call(*edge),
                inputs: Vec::new(),
            });
        }
    }
    met
}
