//! Functions that are small together.
//!
//! Level 1 knows callees by summaries and callers by the states in which they enter: what a caller has put into a
//! global, what a callee leaves behind a pointer, which function a pointer that was stored stands for is lost on
//! the way. Looks at several functions ([`super::look`]) win some of it back, each for one check and for one
//! reason. Where a function and all that it calls are small, no reason has to be guessed: they are one body
//! ([`ir::compose()`]), level 1 goes through it once for all checks, and what fails there is judged by level 2 like any
//! path through several functions ([`Demand::Together`]).
//!
//! A call through a pointer is entered where level 1 knows, in that very body, that the pointer is one function:
//! a virtual call of an object that was just made, a callback that was just registered. Each such call makes
//! another body, and so a few rounds.

use super::Everything;
use super::digest::Digest;
use super::inside::entered;
use super::level1::Result1;
use super::look::STATES;
use super::memory::{Calls, Judged, Judgement, View};
use super::through::Through;
use super::turned;
use crate::coincidence::Demand;
use crate::coincidence::outside::Outside;
use crate::level2::{self, Error, Fate, Work};
use crate::{ErrorPath, Tally};
use automata::everywhere::single_targets;
use automata::{Context, Entry, Plan, Verdict, footprint};
use ir::arena::Id;
use ir::{
    Body, Call, CallOutcome, Callee, CheckId, Composed, EdgeId, FrameId, FuncId, Impossible,
    Inlined, Origin, Stmt,
};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Edges of a function and all that it calls, at most.
const EDGES: usize = 600;

/// Calls within calls.
const DEEPEST: u32 = 12;

/// Calls that are entered, at most.
const ENTERED: usize = 60;

/// Rounds in which calls through pointers are found out.
const ROUNDS: usize = 6;

/// A function, and the calls that are entered.
#[derive(Clone)]
struct Scene {
    root: FuncId,
    frames: Vec<Frame>,
    /// Functions that cannot be entered.
    barred: BTreeSet<FuncId>,
}

/// One function of a scene; the root is the first.
#[derive(Clone, Copy)]
struct Frame {
    function: FuncId,
    /// The frame and its call; none of the root.
    from: Option<(FrameId, EdgeId)>,
    depth: u32,
}

impl Scene {
    /// A function with all that it calls by name, if that is small enough.
    fn of(context: &Context<'_>, root: FuncId) -> Option<Scene> {
        let mut scene = Scene {
            root,
            frames: vec![Frame {
                function: root,
                from: None,
                depth: 0,
            }],
            barred: BTreeSet::new(),
        };
        scene.expand(context, 0).then_some(scene)
    }

    /// Enters the calls of frames, from this one on; false if that is too much.
    fn expand(&mut self, context: &Context<'_>, mut at: usize) -> bool {
        let mut size: usize = self.frames.iter().map(|f| edges(context, f.function)).sum();
        while let Some(frame) = self.frames.get(at).copied() {
            let Some(body) = context.body(frame.function) else {
                return false;
            };
            for (edge, e) in body.edges().iter() {
                let Stmt::Call(call) = &e.stmt else { continue };
                let Some(callee) = returning(call).and_then(|call| entered(context, call)) else {
                    continue;
                };
                if self.barred.contains(&callee) || self.is_within(at, callee) {
                    continue;
                }
                size += edges(context, callee);
                if !self.enter(at, edge, callee) || size > EDGES {
                    return false;
                }
            }
            at += 1;
        }
        size <= EDGES
    }

    fn enter(&mut self, at: usize, edge: EdgeId, callee: FuncId) -> bool {
        let depth = self.frames[at].depth + 1;
        self.frames.push(Frame {
            function: callee,
            from: Some((FrameId(at as u32), edge)),
            depth,
        });
        depth <= DEEPEST && self.frames.len() <= ENTERED
    }

    /// Is the function one of those that are being executed in this frame?
    fn is_within(&self, mut at: usize, f: FuncId) -> bool {
        loop {
            let frame = &self.frames[at];
            match frame.from {
                _ if frame.function == f => return true,
                Some((caller, _)) => at = caller.index(),
                None => return false,
            }
        }
    }

    /// Does not enter a function, nor whom only it calls.
    fn bar(&self, context: &Context<'_>, f: FuncId) -> Option<Scene> {
        let mut scene = Scene {
            root: self.root,
            frames: vec![self.frames[0]],
            barred: self.barred.clone(),
        };
        scene.barred.insert(f);
        (f != self.root && scene.expand(context, 0)).then_some(scene)
    }

    fn calls(&self) -> Vec<Inlined> {
        let frames = self.frames.iter();
        let calls = frames.filter_map(|f| {
            let (frame, call) = f.from?;
            Some(Inlined {
                frame,
                call,
                callee: f.function,
            })
        });
        calls.collect()
    }

    /// The functions as one body, without those that cannot be a part of one.
    fn composed(mut self, context: &Context<'_>) -> Option<(Scene, Composed)> {
        loop {
            match ir::compose(context.program, self.root, &self.calls()) {
                Ok(composed) => return Some((self, composed)),
                Err(
                    Impossible::Arguments(f)
                    | Impossible::Conversion(f)
                    | Impossible::Variadic(f)
                    | Impossible::Labels(f)
                    | Impossible::Allocates(f)
                    | Impossible::Handler(f),
                ) => self = self.bar(context, f)?,
                Err(_) => return None,
            }
        }
    }

    /// Enters calls through pointers that are known in the composed body; false if there are none, or too many.
    fn follow(&mut self, context: &Context<'_>, composed: &Composed, plan: Plan) -> bool {
        let targets = single_targets(context, self.root, &composed.body, plan);
        let from = self.frames.len();
        for (edge, callee) in targets {
            let Origin::Own(frame, own) = composed.origin(edge) else {
                continue;
            };
            let at = frame.index();
            let known = context.body(callee).is_some();
            if known
                && !self.barred.contains(&callee)
                && !self.is_within(at, callee)
                && !self.enter(at, own, callee)
            {
                return false;
            }
        }
        self.frames.len() > from && self.expand(context, from)
    }
}

fn edges(context: &Context<'_>, f: FuncId) -> usize {
    context.body(f).map_or(0, |body| body.edges().len())
}

fn returning(call: &Call) -> Option<&Call> {
    (call.outcome == CallOutcome::Return).then_some(call)
}

/// What level 1 said of checks of functions alone.
type Results<'a> = FxHashMap<FuncId, &'a Result1>;

/// Is a check worth to be looked at, where its function is looked at with others?
fn is_open(results: &Results<'_>, f: FuncId, check: CheckId) -> bool {
    let verdicts = results.get(&f).map(|r| &r.verdicts);
    let verdict = verdicts.and_then(|v| v.get(check.index()));
    !matches!(verdict, Some(Verdict::Fails(_)))
}

impl Everything<'_, '_> {
    /// Looks at functions with all that they call, where that is small. Reported checks stay what they are.
    pub fn together(
        &self,
        roots: &[(FuncId, Arc<Result1>)],
        judgements: &mut BTreeMap<Judged, Judgement>,
        kept: &mut BTreeMap<Judged, Judgement>,
        all: &mut level2::Judged,
        found: &mut Through,
    ) {
        let results: Results<'_> = roots.iter().map(|(f, r)| (*f, &**r)).collect();
        let scenes: Vec<Scene> = roots
            .iter()
            .filter_map(|(f, _)| Scene::of(self.context, *f))
            .filter(|scene| has_latent(scene, &results))
            .filter(|scene| {
                scene.frames.len() > 1
                    || self.calls_pointers(scene.root)
                    || self.counts(scene.root, &results)
            })
            .collect();
        let name = |scene: &Scene| {
            let root = self.numbers.of[scene.root.index()]?;
            Some((Judged::Together(root), self.of_scene(scene, &results)))
        };
        let judge = |scene: &Scene, of| self.judge_scene(scene, of, &results);
        let done = self.recall(&scenes, name, judge, judgements, kept);
        for (scene, judgement) in scenes.iter().zip(done) {
            let Some(judgement) = judgement else { continue };
            all.tally.add(&judgement.tally);
            let defect = judgement.defect.iter();
            all.defects
                .extend(defect.map(|why| (scene.root, why.clone())));
            for (place, error) in self.shown(scene.root, &judgement) {
                let reported = matches!(all.fates.get(&place), Some(Fate::Reported { .. }));
                if !reported {
                    found.entry(place).or_insert(error);
                }
            }
        }
    }

    fn calls_pointers(&self, f: FuncId) -> bool {
        let body = self.context.program.functions[f].body.as_ref();
        body.is_some_and(|body| {
            let mut edges = body.edges().values();
            edges.any(
                |e| matches!(&e.stmt, Stmt::Call(c) if matches!(c.callee, Callee::Indirect(_))),
            )
        })
    }

    /// Is there a check of bounds, and a loop that may come to it?
    fn counts(&self, f: FuncId, results: &Results<'_>) -> bool {
        let (Some(body), Some(result)) = (self.context.body(f), results.get(&f)) else {
            return false;
        };
        let all = self.turned(body, &result.verdicts, |_| true);
        let outside = self.outside(f, body);
        turned::is_worth(body, all, &outside)
    }

    fn outside<'b>(&'b self, root: FuncId, body: &'b Body) -> Outside<'b> {
        let program = self.context.program;
        Outside::new(program, body, program.is_main(root))
    }

    /// The checks that a loop may come to, of those that are wanted.
    fn turned(
        &self,
        body: &Body,
        verdicts: &[Verdict],
        is_wanted: impl Fn(CheckId) -> bool,
    ) -> Vec<CheckId> {
        let checks = verdicts.iter().enumerate();
        let checks = checks.map(|(i, verdict)| (CheckId::from_index(i), verdict));
        let shown = |c: CheckId| {
            let wanted = self.context.wanted;
            wanted.is_none_or(|w| w.contains(&body.checks[c].rule))
        };
        let checks = checks.filter(|(c, verdict)| {
            turned::may_be_come_to(body, *c, verdict) && shown(*c) && is_wanted(*c)
        });
        checks.map(|(c, _)| c).collect()
    }

    fn of_scene(&self, scene: &Scene, results: &Results<'_>) -> u128 {
        let mut digest = Digest::default();
        digest.wide(self.how());
        for frame in &scene.frames {
            // Whoever composes them reads their bodies, and asks nobody.
            digest.wide(self.keys[frame.function.index()]);
            let (caller, call) = frame.from.map_or((u64::MAX, u64::MAX), |(frame, call)| {
                (frame.index() as u64, call.index() as u64)
            });
            digest.number(caller).number(call);
            let verdicts = results
                .get(&frame.function)
                .map_or(&[][..], |r| &r.verdicts);
            for check in (0..verdicts.len()).map(CheckId::from_index) {
                digest.number(u64::from(is_open(results, frame.function, check)));
            }
        }
        digest.finish()
    }

    fn judge_scene(&self, scene: &Scene, of: u128, results: &Results<'_>) -> Judgement {
        let (done, mut asked) = footprint::of(|| {
            // A bug here must not cost the others.
            let work = std::panic::AssertUnwindSafe(|| self.scene(scene, results));
            std::panic::catch_unwind(work).map_err(|p| crate::panic_words(&*p))
        });
        let mut judgement = Judgement {
            of,
            asked: Vec::new(),
            fates: Vec::new(),
            tally: Tally::default(),
            solved: logic::Known::default(),
            defect: None,
            view: None,
        };
        match done {
            Ok(Some((judged, questions, calls))) => {
                asked.extend(questions);
                judgement.tally = judged.tally;
                judgement.solved = judged.solved;
                judgement.defect = judged.defects.into_iter().map(|(_, why)| why).next();
                let fates = judged.fates.into_iter();
                judgement.fates = fates.map(|((_, c), fate)| (c, fate)).collect();
                judgement.view = Some(View::Entered(calls));
            }
            Ok(None) => {}
            Err(why) => judgement.defect = Some(why),
        }
        judgement.tally.together += 1;
        asked.sort_unstable();
        asked.dedup();
        judgement.asked = self.answers.keep(&asked);
        judgement
    }

    fn scene(
        &self,
        scene: &Scene,
        results: &Results<'_>,
    ) -> Option<(level2::Judged, Vec<footprint::Question>, Calls)> {
        let plan = Plan {
            scheduled: false,
            only: None,
            max_states: self.plan.max_states.min(STATES),
            ..self.plan
        };
        let (mut scene, mut composed) = scene.clone().composed(self.context)?;
        for _ in 0..ROUNDS {
            let mut more = scene.clone();
            if !more.follow(self.context, &composed, plan) {
                break;
            }
            match more.composed(self.context) {
                Some(next) => (scene, composed) = next,
                None => break,
            }
        }
        let body = &composed.body;
        let outcome = automata::analyze(self.context, scene.root, body, plan, &Entry::Anything);
        let is_wanted = |check: CheckId| {
            let (frame, own) = composed.check(check);
            is_open(results, composed.frames[frame].function, own)
        };
        let errors: Vec<Error> = level2::errors(&outcome.verdicts)
            .into_iter()
            .filter(|(check, _)| is_wanted(*check))
            .collect();
        let calls = scene.calls().into_iter();
        let calls: Option<Calls> = calls
            .map(|c| Some((c.frame.0, c.call, self.numbers.of[c.callee.index()]?)))
            .collect();
        let outside = self.outside(scene.root, body);
        let (mut all, mut asked) = (level2::Judged::default(), Vec::new());
        let mut judge = |work: Work<'_>, all: &mut level2::Judged| {
            if work.errors.is_empty() {
                return;
            }
            let judged = level2::judge(self.context, self.level2, &self.known, plan, &[&work]);
            for (judged, questions) in judged {
                all.tally.add(&judged.tally);
                all.solved.extend(judged.solved);
                all.defects.extend(judged.defects);
                for (place, fate) in judged.fates {
                    let known = all.fates.get(&place);
                    if known.is_none_or(|known| fate.rank() > known.rank()) {
                        all.fates.insert(place, fate);
                    }
                }
                asked.extend(questions);
            }
        };
        let work = Work {
            function: scene.root,
            body,
            errors,
            merged: level2::merged(&outcome.verdicts),
            composed: Some(&composed),
            demand: Demand::Together(&composed),
            seeks: true,
        };
        judge(work, &mut all);
        let is_open = |check: CheckId| {
            let fate = all.of(scene.root, check);
            is_wanted(check) && !matches!(fate, Some(Fate::Reported { .. }))
        };
        let turned = self.turned(body, &outcome.verdicts, is_open);
        let work = Work {
            function: scene.root,
            body,
            errors: turned::errors(self.context, scene.root, body, plan, &outside, turned),
            merged: BTreeSet::new(),
            composed: Some(&composed),
            demand: Demand::Outside(&outside),
            seeks: false,
        };
        judge(work, &mut all);
        Some((all, asked, calls?))
    }

    /// The errors that a scene shows, and where.
    fn shown(&self, root: FuncId, judgement: &Judgement) -> Vec<((FuncId, CheckId), ErrorPath)> {
        let is_reported = |fate: &Fate| matches!(fate, Fate::Reported { .. });
        let (true, Some(View::Entered(calls))) = (
            judgement.fates.iter().any(|(_, fate)| is_reported(fate)),
            &judgement.view,
        ) else {
            return Vec::new();
        };
        let calls: Option<Vec<Inlined>> = calls
            .iter()
            .map(|(frame, call, n)| {
                Some(Inlined {
                    frame: FrameId(*frame),
                    call: *call,
                    callee: self.numbers.function(*n)?,
                })
            })
            .collect();
        let composed = calls.and_then(|calls| ir::compose(self.context.program, root, &calls).ok());
        let Some(composed) = composed.map(Arc::new) else {
            return Vec::new();
        };
        let mut shown = Vec::new();
        for (check, fate) in &judgement.fates {
            let Fate::Reported { path, when, .. } = fate else {
                continue;
            };
            let (frame, own) = composed.check(*check);
            let place = (composed.frames[frame].function, own);
            let error = ErrorPath::through(Arc::clone(&composed), *check, path.clone());
            let error = ErrorPath {
                when: when.clone(),
                ..error
            };
            shown.push((place, error));
        }
        shown
    }
}

/// Is there anything that a look could settle?
fn has_latent(scene: &Scene, results: &Results<'_>) -> bool {
    scene.frames.iter().any(|frame| {
        let verdicts = results
            .get(&frame.function)
            .map_or(&[][..], |r| &r.verdicts);
        let is_open = |v: &Verdict| matches!(v, Verdict::Latent | Verdict::Undecided(_));
        verdicts.iter().any(is_open)
    })
}
