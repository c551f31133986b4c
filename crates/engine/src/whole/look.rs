//! Looking at several functions as one body.
//!
//! What level 1 knows of other functions it knows by summaries and by the states in which they are entered.
//! Where an error hangs on one of these, it looks again, at the functions in question as one body
//! ([`ir::compose()`]): if the check still fails there, level 2 judges its path as any other.

use super::Everything;
use super::digest::Digest;
use super::memory::{Calls, Judged, Judgement, View};
use crate::coincidence::Demand;
use crate::level2::{self, Fate, Work};
use crate::{ErrorPath, Why};
use automata::{Entry, Plan, Verdict, footprint};
use ir::arena::Id;
use ir::{CheckId, Composed, EdgeId, FrameId, FuncId, Inlined};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What to look at, and for which check.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Look {
    pub root: FuncId,
    /// The calls that are entered: of which frame, by which edge, and whom. Each makes the next frame.
    pub calls: Vec<(FrameId, EdgeId, FuncId)>,
    /// The frame and its check.
    pub check: (FrameId, CheckId),
    pub kind: Kind,
}

impl Look {
    /// The function that the check is of, and which it is.
    pub fn place(&self) -> (FuncId, CheckId) {
        let (frame, check) = self.check;
        let callee = (frame.0 as usize)
            .checked_sub(1)
            .and_then(|i| self.calls.get(i));
        (callee.map_or(self.root, |call| call.2), check)
    }
}

/// Why one looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// For where the root has its value from.
    Inside,
    /// For what a callee does with what it is passed: the check is there.
    Down,
    /// For what callees do that are told all that they ask for.
    Decided,
    /// For what callees free.
    Freed,
}

/// Edges of a composed body, at most.
pub(crate) const EDGES: usize = 2000;

/// States of the search there. What takes more is not settled by a look.
pub(super) const STATES: usize = 2500;

/// Calls within calls that are looked into for where a value comes from.
const DEEPEST: usize = 3;

/// What came of a look.
pub(crate) enum Sight {
    /// A path on which the check fails.
    Error(Box<ErrorPath>),
    /// It does not fail when one looks.
    Holds,
    /// It may, for all that level 1 knows; but nothing acknowledges it.
    Latent,
    /// And why, if somebody knows.
    Unclear(Option<Why>),
}

impl Everything<'_, '_> {
    /// Looks, as far as no earlier look holds. The answers are in order.
    pub fn look(
        &self,
        looks: &[Look],
        judgements: &mut BTreeMap<Judged, Judgement>,
        kept: &mut BTreeMap<Judged, Judgement>,
        all: &mut level2::Judged,
    ) -> Vec<Sight> {
        let name = |look: &Look| Some((self.name(look)?, self.of(look)));
        let judge = |look: &Look, of| self.judge_look(look, of);
        let done = self.recall(looks, name, judge, judgements, kept);
        all.tally.looks += looks.len();
        let mut sights = Vec::new();
        for (look, judgement) in looks.iter().zip(done) {
            let Some(judgement) = judgement else {
                sights.push(Sight::Unclear(None));
                continue;
            };
            all.tally.add(&judgement.tally);
            let defect = judgement.defect.iter();
            all.defects
                .extend(defect.map(|why| (look.root, why.clone())));
            sights.push(self.sight(look, &judgement));
        }
        sights
    }

    /// The judgements of some questions: kept ones where they hold, else new ones. In order; none where a question has no name.
    pub(super) fn recall<Q: Sync>(
        &self,
        questions: &[Q],
        name: impl Fn(&Q) -> Option<(Judged, u128)>,
        judge: impl Fn(&Q, u128) -> Judgement + Sync,
        judgements: &mut BTreeMap<Judged, Judgement>,
        kept: &mut BTreeMap<Judged, Judgement>,
    ) -> Vec<Option<Judgement>> {
        let answers = &self.answers;
        let named: Vec<Option<(Judged, u128)>> = questions.iter().map(name).collect();
        // In two steps, for what is kept need not be done side by side.
        let open: Vec<(usize, u128)> = named
            .iter()
            .enumerate()
            .filter_map(|(i, named)| {
                let (what, of) = named.as_ref()?;
                let known = kept.get(what);
                let holds = known.is_some_and(|k| k.of == *of && answers.are_as_before(&k.asked));
                (!holds).then_some((i, *of))
            })
            .collect();
        let done: Vec<Judgement> = open
            .par_iter()
            .map(|(i, of)| judge(&questions[*i], *of))
            .collect();
        let mut fresh: BTreeMap<usize, Judgement> =
            open.into_iter().map(|(i, _)| i).zip(done).collect();
        let mut all = Vec::with_capacity(named.len());
        for (i, named) in named.into_iter().enumerate() {
            let judgement = named.and_then(|(what, _)| {
                let judgement = fresh.remove(&i).or_else(|| kept.remove(&what))?;
                let keep = judgement.clone().into_kept();
                judgements.extend(keep.map(|judgement| (what, judgement)));
                Some(judgement)
            });
            all.push(judgement);
        }
        all
    }

    fn sight(&self, look: &Look, judgement: &Judgement) -> Sight {
        let view = judgement.view.as_ref();
        match (judgement.fates.first(), view) {
            (Some((_, Fate::Reported { path, when, .. })), Some(View::Entered(calls))) => {
                let known = |n: &u32| self.numbers.function(*n);
                let calls: Option<Vec<_>> = calls
                    .iter()
                    .map(|(frame, edge, n)| Some((FrameId(*frame), *edge, known(n)?)))
                    .collect();
                let deeper = calls.map(|calls| Look {
                    calls,
                    ..look.clone()
                });
                match deeper.and_then(|look| self.composed(&look)) {
                    Some((composed, check)) => {
                        let error = ErrorPath::through(Arc::new(composed), check, path.clone());
                        Sight::Error(Box::new(ErrorPath {
                            when: when.clone(),
                            ..error
                        }))
                    }
                    None => Sight::Unclear(None),
                }
            }
            (None, Some(View::Holds)) => Sight::Holds,
            (None, Some(View::Latent)) => Sight::Latent,
            (Some((_, Fate::Undecided(why))), _) => Sight::Unclear(Some(*why)),
            (None, Some(View::Unclear)) => Sight::Unclear(Some(Why::SearchBudget)),
            (None, None) if judgement.defect.is_none() => Sight::Unclear(Some(self.obstacle(look))),
            _ => Sight::Unclear(None),
        }
    }

    /// Why functions are not looked at as one body.
    fn obstacle(&self, look: &Look) -> Why {
        match self.size(look) {
            Some(size) if size <= EDGES => Why::Apart,
            _ => Why::Size,
        }
    }

    /// The edges of all functions together.
    fn size(&self, look: &Look) -> Option<usize> {
        let functions = std::iter::once(look.root).chain(look.calls.iter().map(|c| c.2));
        let sizes = functions.map(|f| Some(self.context.body(f)?.edges().len()));
        sizes.sum()
    }

    /// The functions as one body, and the check in it.
    fn composed(&self, look: &Look) -> Option<(Composed, CheckId)> {
        let program = self.context.program;
        if self.size(look)? > EDGES {
            return None;
        }
        let calls: Vec<Inlined> = look
            .calls
            .iter()
            .map(|&(frame, call, callee)| Inlined {
                frame,
                call,
                callee,
            })
            .collect();
        let composed = ir::compose(program, look.root, &calls).ok()?;
        let check = composed.composed_check(look.check.0, look.check.1)?;
        Some((composed, check))
    }

    /// What a look is kept as.
    fn name(&self, look: &Look) -> Option<Judged> {
        let root = self.numbers.of[look.root.index()]?;
        let (frame, check) = look.check;
        Some(Judged::Look(root, self.numbered(look)?, frame.0, check))
    }

    /// The calls that are entered, as they are kept.
    fn numbered(&self, look: &Look) -> Option<Calls> {
        let calls = look.calls.iter();
        calls
            .map(|(frame, edge, f)| Some((frame.0, *edge, self.numbers.of[f.index()]?)))
            .collect()
    }

    fn of(&self, look: &Look) -> u128 {
        let mut digest = Digest::default();
        digest.wide(self.how()).wide(self.keys[look.root.index()]);
        digest.number(look.kind as u64).finish()
    }

    fn judge_look(&self, look: &Look, of: u128) -> Judgement {
        let mut judgement = Judgement {
            of,
            asked: Vec::new(),
            fates: Vec::new(),
            tally: crate::Tally::default(),
            solved: logic::Known::default(),
            defect: None,
            view: None,
        };
        let mut asked = Vec::new();
        let mut look = look.clone();
        for _ in 0..=DEEPEST {
            let (done, questions) = footprint::of(|| {
                // A bug here must not cost the other looks.
                let work = std::panic::AssertUnwindSafe(|| self.judge_once(&look));
                std::panic::catch_unwind(work).map_err(|p| crate::panic_words(&*p))
            });
            asked.extend(questions);
            let once = match done {
                Ok(Some(once)) => once,
                Ok(None) => break,
                Err(why) => {
                    judgement.defect = Some(why);
                    break;
                }
            };
            asked.extend(once.questions);
            judgement.tally.add(&once.judged.tally);
            judgement.solved.extend(once.judged.solved);
            let defects = once.judged.defects.into_iter();
            judgement.defect = defects.map(|(_, why)| why).next();
            let fates = once.judged.fates.into_iter();
            let fates: Vec<(CheckId, Fate)> = fates.map(|((_, c), fate)| (c, fate)).collect();
            let reported = matches!(fates.first(), Some((_, Fate::Reported { .. })));
            // Deeper looks only say more of what is seen already.
            if judgement.view.is_some() && !reported {
                break;
            }
            judgement.fates = fates;
            judgement.view = Some(once.view);
            match once.next.filter(|_| reported && look.kind == Kind::Inside) {
                Some(call) => look.calls.push(call),
                None => break,
            }
        }
        asked.sort_unstable();
        asked.dedup();
        judgement.asked = self.answers.keep(&asked);
        judgement
    }

    fn judge_once(&self, look: &Look) -> Option<Once> {
        let (composed, check) = self.composed(look)?;
        let plan = Plan {
            scheduled: false,
            only: Some(check),
            max_states: self.plan.max_states.min(STATES),
            ..self.plan
        };
        let body = &composed.body;
        let outcome = automata::analyze(self.context, look.root, body, plan, &Entry::Anything);
        let verdict = outcome.verdicts.get(check.index());
        let errors = level2::errors(&outcome.verdicts);
        if errors.is_empty() {
            let view = match verdict {
                Some(Verdict::Proved | Verdict::Refuted) if !outcome.exhausted => View::Holds,
                Some(Verdict::Latent) => View::Latent,
                _ => View::Unclear,
            };
            return Some(Once {
                judged: level2::Judged::default(),
                questions: Vec::new(),
                view,
                next: None,
            });
        }
        let work = Work {
            function: look.root,
            body,
            errors,
            merged: level2::merged(&outcome.verdicts),
            composed: Some(&composed),
            demand: match look.kind {
                Kind::Inside => Demand::Usual,
                Kind::Down => Demand::NoAgreement,
                Kind::Decided => Demand::NoChoice(&composed),
                Kind::Freed => Demand::Freed(&composed),
            },
            seeks: true,
        };
        let judged = level2::judge(self.context, self.level2, &self.known, plan, &[&work]);
        let (judged, questions) = judged.into_iter().next()?;
        let next = match judged.of(look.root, check) {
            Some(Fate::Reported { path, .. }) => {
                super::inside::source(self.context, &composed, path, check)
            }
            _ => None,
        };
        Some(Once {
            judged,
            questions,
            view: View::Entered(self.numbered(look)?),
            next,
        })
    }
}

/// One look.
struct Once {
    judged: level2::Judged,
    questions: Vec<automata::footprint::Question>,
    view: View,
    /// The call that the bad value comes from.
    next: Option<(FrameId, EdgeId, FuncId)>,
}
