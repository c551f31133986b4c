//! The judgement of single paths: feasible or not, replayed, and what is reported of it.

use crate::Why;
use crate::coincidence::{Between, Demand, between};
use crate::level2::{Error, Fate, Judged};
use crate::refinement::{self, Limits, refine};
use crate::tally::{Refined, Tally};
use crate::when::words;
use automata::hunt::Hunt;
use automata::valid::{given_by_callers, tested};
use automata::{Context, Plan};
use feasible::start::Start;
use feasible::{Granted, Judgement, Path, Refuter, contradiction};
use interp::replay::{Replayed, Replayer};
use ir::{Body, CheckId, EdgeId, ExprId, FuncId, Stmt, VarId};
use logic::{Label, Portfolio, Unknown};
use reduction::Abstraction;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Facts that a projection tells apart for a search, those first that infeasible paths have taught.
const FACTS: usize = 4;
/// Edges of a body that is worth a projection.
const PROJECTED: usize = 1500;

/// Who judges the errors of one function.
pub(crate) struct Court<'a, 'p> {
    pub context: &'p Context<'p>,
    pub f: FuncId,
    /// The function's, or one that stands for it and its callees.
    pub body: &'p Body,
    /// The body, where it is made of several.
    pub composed: Option<&'p ir::Composed>,
    /// What paths must not need.
    pub demand: Demand<'p>,
    pub plan: Plan,
    pub budget: u64,
    pub stopwatch: Option<fn() -> Duration>,
    pub prover: &'a mut Portfolio,
    pub replayer: &'a mut Replayer<'p>,
    /// What was refuted, by path: refinement asks again.
    pub refuted: BTreeMap<Vec<EdgeId>, (Fate, bool)>,
    /// Paths that can be taken, but need somebody to do the unexpected: what becomes of them, and the steps
    /// that show it.
    pub objected: BTreeMap<Vec<EdgeId>, (Fate, Vec<usize>)>,
    /// Parameters that are taken for valid, once somebody asks.
    pub valid: Option<Vec<VarId>>,
    /// Of the body, once refinement needs it.
    pub abstraction: Option<Arc<Abstraction>>,
}

impl<'p> Court<'_, 'p> {
    /// Is the error one that the loops on its path have nothing to do with? (Who writes an array does
    /// it in a loop.)
    pub fn around_loops(&mut self, check: CheckId, path: &[EdgeId]) -> bool {
        let condition = &self.body.checks[check].condition;
        let unset = matches!(condition, ir::Condition::Initialized(_));
        !unset
            && feasible::feasible_around_loops(
                self.context,
                self.f,
                self.body,
                path,
                self.prover,
                self.budget,
            )
    }

    /// What refinement makes of an error whose known paths cannot be taken; none if it does not know.
    pub fn refine(
        &mut self,
        hunt: &mut Hunt<'p>,
        check: CheckId,
        known: &[Vec<EdgeId>],
        allowance: &mut usize,
        tally: &mut Tally,
    ) -> Option<Fate> {
        if *allowance == 0 {
            return None;
        }
        let limits = Limits::default();
        let (types, body) = (&self.context.program.types, self.body);
        let made = || Arc::new(Abstraction::new(types, body));
        let abstraction = Arc::clone(self.abstraction.get_or_insert_with(made));
        let mut last = None;
        let mut objection: Option<Fate> = None;
        let started = self.stopwatch.map(|now| (now, now()));
        let mut projected = (0, 0);
        let learnt = self.learnt(known);
        let (context, f, plan) = (self.context, self.f, self.plan);
        let inside = || {
            let limits = project::Limits {
                facts: FACTS,
                cube: FACTS,
                edges: PROJECTED,
                nodes: 1 << 16,
                ..project::Limits::default()
            };
            let inside = project::within(context, plan, (f, body), check, &learnt, &limits)?;
            projected = (inside.len(), inside.iter().filter(|i| **i).count());
            Some(inside)
        };
        let refinement = refine(hunt, &abstraction, check, known, limits, inside, |path| {
            let judged = match (self.refuted.get(path), self.objected.get(path)) {
                (Some(known), _) => Some(known.clone()),
                (None, Some((fate, _))) => Some((fate.clone(), false)),
                _ => self.judge(&[(check, path.to_vec())], tally).pop(),
            };
            let answer = match (&judged, self.objected.get(path)) {
                (Some((Fate::Refuted { core, .. }, whole)), _) => {
                    refinement::Judged::Infeasible(whole.then(|| core.clone()))
                }
                // The next one may do without.
                (_, Some((fate, core))) => {
                    objection.get_or_insert_with(|| fate.clone());
                    refinement::Judged::Infeasible(Some(core.clone()))
                }
                _ => refinement::Judged::Other,
            };
            last = judged.map(|(fate, _)| fate);
            answer
        });
        if let Some((now, before)) = started {
            tally.refining += now().saturating_sub(before);
        }
        // What leads to something may go on; one large function must not cost as much as all others.
        if refinement.end == Refined::Budget {
            *allowance -= refinement.states.min(*allowance);
        }
        tally.refining_states += refinement.states;
        tally.projected.0 += projected.0;
        tally.projected.1 += projected.1;
        tally.observers.0 += refinement.observers.0;
        tally.observers.1 += refinement.observers.1;
        let key = (refinement.end, refinement.rounds);
        *tally.refined.entry(key).or_default() += 1;
        if let Some(objection) = objection
            && refinement.end != Refined::Found
        {
            return Some(objection);
        }
        match (refinement.end, last) {
            // Where the known paths were all, who refuted them has said it.
            (Refined::Refuted, Some(Fate::Refuted { path, core, by })) => Some(Fate::Refuted {
                path,
                core,
                by: match refinement.rounds {
                    1 => by,
                    _ => Why::Refinement,
                },
            }),
            (Refined::Latent, _) => Some(Fate::Latent),
            (Refined::Found, fate) => fate,
            _ => None,
        }
    }

    /// The conditions that showed paths to be infeasible.
    fn learnt(&self, known: &[Vec<EdgeId>]) -> Vec<ExprId> {
        let mut learnt: Vec<ExprId> = Vec::new();
        for path in known {
            let Some((Fate::Refuted { core, .. }, _)) = self.refuted.get(path) else {
                continue;
            };
            for step in core {
                if let Some(edge) = path.get(*step)
                    && let Stmt::Assume(e) = self.body.edges()[*edge].stmt
                    && !learnt.contains(&e)
                    && learnt.len() < FACTS
                {
                    learnt.push(e);
                }
            }
        }
        learnt
    }

    /// Judges paths. A fate that is known gives way to a better one.
    pub fn hear(&mut self, errors: &[Error], judged: &mut Judged) {
        // In the order of the paths, the shortest of a check first.
        for (i, (fate, _)) in self
            .judge(errors, &mut judged.tally)
            .into_iter()
            .enumerate()
        {
            let key = (self.f, errors[i].0);
            let known = judged.fates.get(&key);
            if known.is_none_or(|known| fate.rank() > known.rank()) {
                judged.fates.insert(key, fate);
            }
        }
    }

    /// What becomes of an error whose path needs somebody to do the unexpected, and the steps that show it.
    fn objection(&mut self, path: &[EdgeId]) -> Option<(Fate, Vec<usize>)> {
        let (context, body) = (self.context, self.body);
        let valid = self.valid.get_or_insert_with(|| {
            // That a callee asks for null says nothing of who hands it on.
            let own = match self.demand {
                Demand::Together(_) => context.body(self.f),
                _ => None,
            };
            let tested = tested(own.unwrap_or(body)).into_iter();
            let given = given_by_callers(context, self.f).into_iter();
            let params = body.params.iter().zip(tested.zip(given));
            let valid = params.filter(|(v, (tested, given))| {
                context.program.types.is_pointer(body.vars[**v].ty) && (*given || !tested)
            });
            valid.map(|(v, _)| *v).collect()
        });
        let mut against = |granted| {
            let (prover, budget) = (&mut *self.prover, self.budget);
            let core = contradiction(context, self.f, body, path, granted, prover, budget)?;
            Some(core.into_iter().map(|s| s as usize).collect())
        };
        // A caller's fault, and nothing says that there is such a caller.
        if !valid.is_empty()
            && let Some(core) = against(Granted::Valid(valid))
        {
            return Some((Fate::Latent, core));
        }
        let core = against(Granted::Calm)?;
        Some((Fate::Undecided(Why::Coincidence), core))
    }

    /// Paths that cannot be taken when the program starts, with the initial values of its globals. Their core is not all of it: it says nothing
    /// of the start. Only where there are no loops: there another turn may make of the values what the path needs.
    fn refute_by_start(&mut self, paths: &[Vec<EdgeId>], fates: &mut [(usize, Fate, bool)]) {
        let (context, body) = (self.context, self.body);
        let start = Start::of(context.program, context.graph, self.f);
        if start == Start::Called || !is_straight(body) {
            return;
        }
        let reported = fates.iter_mut();
        let reported = reported.filter(|(_, fate, _)| matches!(fate, Fate::Reported { .. }));
        let mut reported: Vec<_> = reported.collect();
        let again: Vec<Vec<EdgeId>> = reported.iter().map(|f| paths[f.0].clone()).collect();
        let (start, prover, budget) = ((start, self.f), &mut *self.prover, self.budget);
        feasible::judge_from(context, start, body, &again, prover, budget, |n, _, j| {
            if let Judgement::Infeasible(core, by) = j {
                let (i, fate, whole) = &mut *reported[n];
                (*fate, *whole) = (refuted(paths[*i].clone(), core, by), false);
            }
        });
    }

    /// The fates of paths; and of each whether its core says all that the contradiction needs.
    fn judge(&mut self, errors: &[Error], tally: &mut Tally) -> Vec<(Fate, bool)> {
        let paths: Vec<Vec<EdgeId>> = errors.iter().map(|(_, p)| p.clone()).collect();
        let (context, body, replayer) = (self.context, self.body, &mut *self.replayer);
        let mut fates: Vec<(usize, Fate, bool)> = Vec::new();
        let (stopwatch, demand, composed) = (self.stopwatch, self.demand, self.composed);
        let mut started = stopwatch.map(|now| now());
        feasible::judge(
            context,
            self.f,
            self.body,
            &paths,
            self.prover,
            self.budget,
            |i, path, judgement| {
                tally.paths += 1;
                tally.inexact.add(path);
                let fate = match judgement {
                    Judgement::Infeasible(core, by) => {
                        tally.infeasible += 1;
                        tally.contradictions += usize::from(by == Refuter::Walk);
                        refuted(paths[i].clone(), core, by)
                    }
                    Judgement::Undecided(why) => {
                        tally.undecided += 1;
                        match why {
                            Unknown::Budget => Fate::Undecided(Why::SolverBudget),
                            Unknown::Incomplete => Fate::reported(paths[i].clone()),
                            Unknown::Trouble(what) => {
                                tally.troubles.push(what);
                                Fate::Undecided(Why::NoSolver)
                            }
                        }
                    }
                    Judgement::Feasible(model) => {
                        tally.feasible += 1;
                        let replayed = match feasible::script::script(path, &model, &paths[i]) {
                            Ok(script) => replayer.replay_in(body, &script),
                            Err(why) => Replayed::Stuck { step: 0, why },
                        };
                        let when = words(context, path, &model);
                        let between =
                            match demand.is_missed(context, body, path, &paths[i], errors[i].0) {
                                true => Between::Coincidence,
                                false => {
                                    between(context, body, composed, path, &paths[i], errors[i].0)
                                }
                            };
                        settle(tally, path, &paths[i], replayed, when, between)
                    }
                };
                fates.push((i, fate, !path.is_rebased()));
                if let (Some(now), Some(before)) = (stopwatch, &mut started) {
                    let after = now();
                    tally.costs.push(after.saturating_sub(*before));
                    *before = after;
                }
            },
        );
        self.refute_by_start(&paths, &mut fates);
        for (i, fate, _) in &mut fates {
            if matches!(fate, Fate::Reported { .. })
                && let Some((instead, core)) = self.objection(&paths[*i])
            {
                tally.coincidences += 1;
                *fate = instead.clone();
                self.objected.insert(paths[*i].clone(), (instead, core));
            }
        }
        for (i, fate, whole) in &fates {
            if let Fate::Refuted { .. } = fate {
                let known = (fate.clone(), *whole);
                self.refuted.insert(paths[*i].clone(), known);
            }
        }
        fates.sort_by_key(|(i, _, _)| *i);
        fates
            .into_iter()
            .map(|(_, fate, whole)| (fate, whole))
            .collect()
    }
}

/// Is there no loop in it?
fn is_straight(body: &Body) -> bool {
    let steps = ir::flow::order(body);
    steps.is_some_and(|steps| {
        steps
            .iter()
            .all(|step| matches!(step, ir::flow::Step::Node(_)))
    })
}

/// The fate of a path that cannot be taken.
fn refuted(path: Vec<EdgeId>, core: Vec<Label>, by: Refuter) -> Fate {
    Fate::Refuted {
        path,
        core: core.into_iter().map(|step| step as usize).collect(),
        by: match by {
            Refuter::Walk => Why::Walked,
            Refuter::Builtin => Why::Intervals,
            Refuter::Solver => Why::Solver,
        },
    }
}

/// What a replay makes of a feasible path.
fn settle(
    tally: &mut Tally,
    path: &Path<'_>,
    edges: &[EdgeId],
    replayed: Replayed,
    when: Option<String>,
    between: Between,
) -> Fate {
    let a = &path.approximations;
    let exact = a.opaque == 0 && a.splits_dropped == 0;
    let fate = match replayed {
        Replayed::Confirmed => {
            tally.confirmed += 1;
            Fate::Reported {
                path: edges.to_vec(),
                when,
                sure: true,
            }
        }
        Replayed::Diverged { why, .. } => {
            match exact {
                true => tally.defects += 1,
                false => tally.not_replayed += 1,
            }
            *tally.reasons.entry(why).or_default() += 1;
            // What is not exact may be why; but then only what comes for certain is believed.
            match between {
                Between::Nothing if !exact => Fate::reported(edges.to_vec()),
                _ => Fate::Undecided(Why::Replay),
            }
        }
        Replayed::Stuck { why, .. } => {
            tally.not_replayed += 1;
            *tally.reasons.entry(why).or_default() += 1;
            Fate::reported(edges.to_vec())
        }
    };
    match (&fate, between) {
        (Fate::Reported { .. }, Between::Coincidence) => {
            tally.coincidences += 1;
            Fate::Undecided(Why::Coincidence)
        }
        _ => fate,
    }
}
