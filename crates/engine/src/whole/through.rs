//! Errors that need a caller: judged on the body that the calls of a chain compose.
//!
//! That a check fails in the state in which callers enter its function is what level 1 makes of states that it
//! has projected and merged. So it looks again, at the callers and the function as one body
//! ([`ir::compose()`]): if the check still fails there, level 2 judges its path as any other.

use super::Everything;
use super::answers::Answers;
use super::chains::Chain;
use super::digest::Digest;
use super::memory::{Judged, Judgement};
use crate::ErrorPath;
use crate::level2::{self, Fate, Work};
use automata::{Entry, Plan, footprint};
use ir::arena::Id;
use ir::{CheckId, Composed, FrameId, FuncId, Inlined, Program};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Edges of a composed body, at most.
const EDGES: usize = 12_000;

/// The functions of a chain as one body, and the check in it.
fn composed(program: &Program, chain: &Chain, check: CheckId) -> Option<(Composed, CheckId)> {
    let edges = |f: FuncId| {
        let body = program.functions.get(f)?.body.as_ref()?;
        Some(body.edges().len())
    };
    let size: Option<usize> = chain.functions().map(edges).sum();
    if size? > EDGES {
        return None;
    }
    let calls: Vec<Inlined> = chain
        .calls
        .iter()
        .zip(0..)
        .map(|((call, callee), frame)| Inlined {
            frame: FrameId(frame),
            call: *call,
            callee: *callee,
        })
        .collect();
    let composed = ir::compose(program, chain.root, &calls).ok()?;
    let check = composed.composed_check(FrameId(calls.len() as u32), check)?;
    Some((composed, check))
}

impl Everything<'_, '_> {
    /// The checks that are reported for the sake of a caller, with the path from there.
    pub fn through(
        &self,
        chains: &BTreeMap<(FuncId, CheckId), Vec<Chain>>,
        judgements: &mut BTreeMap<Judged, Judgement>,
        kept: &mut BTreeMap<Judged, Judgement>,
        all: &mut level2::Judged,
    ) -> BTreeMap<(FuncId, CheckId), ErrorPath> {
        let answers = Answers {
            context: self.context,
            numbers: self.numbers,
            keys: self.keys,
        };
        let work: Vec<(&(FuncId, CheckId), &Chain, Judged, u128)> = chains
            .iter()
            .flat_map(|(at, chains)| chains.iter().map(move |chain| (at, chain)))
            .filter_map(|(at, chain)| {
                let what = self.judged_as(chain, at.1)?;
                Some((at, chain, what, self.judged_through(chain, at.1)))
            })
            .collect();
        // In two steps, for what is kept need not be done side by side.
        let open: Vec<usize> = (0..work.len())
            .filter(|i| {
                let (_, _, what, of) = &work[*i];
                let known = kept.get(what);
                !known.is_some_and(|k| k.of == *of && answers.are_as_before(&k.asked))
            })
            .collect();
        let done: Vec<Judgement> = open
            .par_iter()
            .map(|i| {
                let ((_, check), chain, _, of) = &work[*i];
                self.judge_chain(chain, *check, *of, &answers)
            })
            .collect();
        let mut fresh: BTreeMap<usize, Judgement> = open.into_iter().zip(done).collect();
        let mut found: BTreeMap<(FuncId, CheckId), ErrorPath> = BTreeMap::new();
        for (i, (at, chain, what, _)) in work.into_iter().enumerate() {
            let Some(judgement) = fresh.remove(&i).or_else(|| kept.remove(&what)) else {
                continue;
            };
            all.tally.add(&judgement.tally);
            if !found.contains_key(at)
                && let Some((_, Fate::Reported { path, when, .. })) = judgement.fates.first()
                && let Some((composed, check)) = composed(self.context.program, chain, at.1)
            {
                let error = ErrorPath::through(Arc::new(composed), check, path.clone());
                let when = when.clone();
                found.insert(*at, ErrorPath { when, ..error });
            }
            if judgement.tally.troubles.is_empty() {
                judgements.insert(what, judgement);
            }
        }
        found
    }

    fn judged_as(&self, chain: &Chain, check: CheckId) -> Option<Judged> {
        let number = |f: FuncId| self.numbers.of[f.index()];
        let calls = chain.calls.iter();
        let calls: Option<Vec<_>> = calls.map(|(e, f)| Some((*e, number(*f)?))).collect();
        Some(Judged::Chain(number(chain.root)?, calls?, check))
    }

    fn judged_through(&self, chain: &Chain, check: CheckId) -> u128 {
        let mut digest = Digest::default();
        digest.wide(self.how());
        for f in chain.functions() {
            digest.wide(self.keys[f.index()]);
        }
        digest.number(u64::from(check.0)).finish()
    }

    fn judge_chain(
        &self,
        chain: &Chain,
        check: CheckId,
        of: u128,
        answers: &Answers<'_, '_>,
    ) -> Judgement {
        let mut judgement = Judgement {
            of,
            asked: Vec::new(),
            fates: Vec::new(),
            tally: crate::Tally::default(),
            defect: None,
        };
        let Some((composed, check)) = composed(self.context.program, chain, check) else {
            return judgement;
        };
        let plan = Plan {
            scheduled: false,
            only: Some(check),
            ..self.plan
        };
        let body = &composed.body;
        let level1 = std::panic::AssertUnwindSafe(|| {
            automata::analyze(self.context, chain.root, body, plan, &Entry::Anything).verdicts
        });
        let (verdicts, mut asked) =
            footprint::of(|| std::panic::catch_unwind(level1).map_err(|p| crate::panic_words(&*p)));
        let errors = match verdicts {
            Ok(verdicts) => level2::errors(&verdicts),
            Err(why) => {
                judgement.defect = Some(why);
                return judgement;
            }
        };
        if !errors.is_empty() {
            let work = Work {
                function: chain.root,
                body,
                errors,
                crosses: true,
            };
            for (judged, questions) in level2::judge(self.context, self.level2, plan, &[&work]) {
                asked.extend(questions);
                judgement.tally.add(&judged.tally);
                let fates = judged.fates.into_iter();
                judgement
                    .fates
                    .extend(fates.map(|((_, c), fate)| (c, fate)));
                judgement.defect = judged.defects.into_iter().next().map(|(_, why)| why);
            }
        }
        asked.sort_unstable();
        asked.dedup();
        judgement.asked = answers.keep(&asked);
        judgement
    }
}
