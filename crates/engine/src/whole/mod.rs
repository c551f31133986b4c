//! Whole programs, and edits that cost what they change (Conway et al.).
//!
//! The program is a recursive state machine ([`machine`]) whose property is level 1 ([`level1`]); [`inter`]
//! says which functions are analysed in which states, and after an edit, which again. What level 2
//! says of a function is kept with the questions that it asked ([`answers`]), and with what a solver said to it: if it
//! is judged again, then from the same formulas come the same verdicts, and no solver is asked
//! ([`logic::remember`]). What is worth knowing in the next run is the [`Memory`].
//!
//! | module | what |
//! | --- | --- |
//! | `prepared` | what is found of the program before anything is analysed |
//! | `numbers` | functions are known again |
//! | `keys` | what an analysis depends on |
//! | `machine`, `level1` | the program and the property, for `inter` |
//! | `ahead` | all functions for any caller, on all threads |
//! | `contexts` | in which states they are analysed for their callers |
//! | `answers` | what level 2 depends on |
//! | `chains`, `inside`, `decided`, `stored`, `freed` | which functions are looked at together: callers; callees, for what they give, leave and free |
//! | `look`, `through` | what that shows |
//! | `together` | functions that are small with all that they call |
//! | `met` | which conditions of callees a caller meets |
//! | `sure` | which errors must happen, and when |
//! | `unsaid` | why the rest is not reported |
//! | `memory` | what is kept |

mod ahead;
mod answers;
mod chains;
mod contexts;
mod decided;
mod digest;
mod freed;
mod inside;
mod keys;
mod level1;
mod look;
mod machine;
mod memory;
mod met;
mod numbers;
mod prepared;
mod stored;
mod sure;
mod through;
mod together;
mod turned;
mod unsaid;

use crate::coincidence::Demand;
use crate::level2::{self, Fate, Level2, Work};
use crate::{Analysis, Settings};
use answers::Answers;
use automata::{Context, Entry, Plan};
pub(crate) use chains::LONGEST;
use contexts::Contexts;
use digest::Digest;
use inter::Limits;
use ir::arena::Id;
use ir::{CheckId, FuncId, Program};
use level1::Level1;
pub(crate) use level1::Result1;
use logic::Known;
pub(crate) use look::EDGES;
use machine::Machines;
use memory::Judged;
pub(crate) use memory::Judgement;
pub use memory::Memory;
use numbers::Numbers;
use prepared::Prepared;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use through::Through;
pub(crate) use unsaid::Unsaid;

/// How a run uses what an earlier one has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Not at all: Full.
    Full,
    /// IncrFwd: walks the program from its roots; the memory is then what Full would leave.
    Forward,
    /// IncrBack: looks only at what the edit can reach.
    Backward,
}

/// Repairs from the changes outwards leave entries behind that nobody needs; after so many the graph is walked
/// from its roots.
const REPAIRS: u32 = 32;

/// Analyses a program. What `memory` holds of an earlier version is used, and then it is of this one.
pub(crate) fn analyze(
    program: &Program,
    settings: &Settings,
    memory: &mut Memory,
    how: How,
    watch: &(dyn Fn() + Sync),
) -> Analysis {
    // What looks at all functions is most of the cost after a small edit.
    let (contents, prepared) = rayon::join(
        || keys::contents(program),
        || Prepared::new(program, &settings.noreturn),
    );
    let mut context = prepared.context(program, settings);
    let Prepared {
        graph,
        habits,
        schedule,
        ..
    } = &prepared;
    let plan = settings.plan();
    if how == How::Full {
        *memory = Memory::default();
    }
    let mut numbers = Numbers::new(program, &mut memory.seen);
    if numbers.gone() > program.functions.len() {
        *memory = Memory::default();
        numbers = Numbers::new(program, &mut memory.seen);
    }
    let keys = keys::keys(&context, &numbers, &contents, settings.level1(program));
    keep_summaries(&mut context, &numbers, &memory.results);
    let mut level1 = Level1 {
        context: &context,
        plan,
        numbers: &numbers,
        keys: &keys,
        results: Mutex::new(std::mem::take(&mut memory.results)),
        watch,
        contexts: Contexts::default(),
    };
    let ahead = ahead::ahead(&level1, schedule);
    level1.contexts = Contexts::new(&level1, &ahead);
    let machines = Machines::new(&level1, schedule, &ahead);
    // How many states of a function there are is settled.
    let limits = Limits { contexts: None };
    let before = memory.graph.take();
    let forward = how == How::Forward || memory.repairs >= REPAIRS;
    memory.repairs = match &before {
        Some(_) if !forward => memory.repairs + 1,
        _ => 0,
    };
    let walk = || match &before {
        None => inter::full(&machines, &level1, limits),
        Some(before) if forward => inter::incremental_forward(&machines, &level1, limits, before),
        Some(before) => inter::incremental_backward(&machines, &level1, limits, before),
    };
    // A walk is one thread; what level 2 will ask is found meanwhile.
    let (walked, ()) = rayon::join(walk, || {
        if settings.level2.is_some() {
            context.effects();
        }
    });
    let mut results = level1
        .results
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    results.retain(|(number, entry), known| {
        let f = numbers.function(*number);
        f.is_some_and(|f| keys[f.index()] == known.key)
            && (*entry == Entry::Anything || level1.contexts.is_asked(*number, entry))
    });
    let roots = roots(&numbers, &results);
    let mut analysis = Analysis::default();
    let mut callers = Through::new();
    let mut fine: BTreeSet<FuncId> = BTreeSet::new();
    let mut unsaid = Unsaid::new(&context, habits, &numbers, level1.contexts.cut());
    let judged = match &settings.level2 {
        Some(level2) => {
            let all = Everything {
                context: &context,
                level2,
                plan,
                numbers: &numbers,
                keys: &keys,
                answers: Answers::new(&context, &numbers, &keys),
                known: memory.solved(),
            };
            let mut kept = std::mem::take(&mut memory.judgements);
            let mut judged = all.judge(&roots, &mut memory.judgements, &mut kept);
            let mut chains = chains::chains(&walked.graph, &walked.errors, &numbers);
            chains.retain(|(f, check), _| {
                !matches!(judged.of(*f, *check), Some(Fate::Reported { .. }))
            });
            let keep = &mut memory.judgements;
            callers = all.through(&chains, keep, &mut kept, &mut judged, &mut unsaid);
            all.inside(&roots, keep, &mut kept, &mut judged, &mut callers);
            all.together(&roots, keep, &mut kept, &mut judged, &mut callers);
            if let Some(operations) = settings.dual {
                let calm = &mut memory.calm;
                all.met(&roots, operations, calm, &mut judged, &mut callers);
                fine = all.run_alone(&mut judged, &mut callers);
            }
            judged
        }
        None => level2::Judged::default(),
    };
    analysis.tally = judged.tally.clone();
    analysis.defects.clone_from(&judged.defects);
    let mut said = Said {
        judged,
        callers,
        unsaid,
    };
    for (f, result) in roots {
        analysis.add(program, settings, f, &result, &mut said);
    }
    analysis.take_back_of(&fine);
    if let Some(operations) = settings.dual {
        let court = sure::Court {
            program,
            graph,
            keys: &keys,
            operations,
        };
        court.judge(&mut analysis, &mut memory.sure);
    }
    memory.results = results;
    memory.graph = Some(walked);
    analysis
}

/// What is known of functions already is known of callees.
fn keep_summaries(context: &mut Context<'_>, numbers: &Numbers, results: &level1::Results) {
    for ((number, entry), known) in results {
        if *entry == Entry::Anything
            && let Some(f) = numbers.functions[*number as usize]
        {
            context.summaries.keep(f, known.result.summary.clone());
        }
    }
}

/// Asks something of a program that was analysed: `memory` is what that has left.
pub(crate) fn afterwards<T>(
    program: &Program,
    settings: &Settings,
    memory: &mut Memory,
    ask: impl FnOnce(&Context<'_>, Plan) -> T,
) -> T {
    let prepared = Prepared::new(program, &settings.noreturn);
    let mut context = prepared.context(program, settings);
    let numbers = Numbers::new(program, &mut memory.seen);
    keep_summaries(&mut context, &numbers, &memory.results);
    ask(&context, settings.plan())
}

/// What became of errors.
pub(crate) struct Said<'a, 'p> {
    pub judged: level2::Judged,
    /// Those that a look at several functions showed.
    pub callers: Through,
    pub unsaid: Unsaid<'a, 'p>,
}

/// The results of all functions in the state of which nothing is known, in the order of the functions.
fn roots(numbers: &Numbers, results: &level1::Results) -> Vec<(FuncId, Arc<Result1>)> {
    let numbered = numbers.of.iter().enumerate();
    numbered
        .filter_map(|(f, number)| {
            let known = results.get(&((*number)?, Entry::Anything))?;
            Some((FuncId::from_index(f), Arc::clone(&known.result)))
        })
        .collect()
}

/// What level 2 needs to know.
struct Everything<'a, 'p> {
    context: &'a Context<'p>,
    level2: &'a Level2,
    plan: Plan,
    numbers: &'a Numbers,
    keys: &'a [u128],
    answers: Answers<'a, 'p>,
    /// What the solver said in earlier runs.
    known: Arc<Known>,
}

impl Everything<'_, '_> {
    /// Judges the errors of level 1, as far as no earlier judgement holds.
    fn judge(
        &self,
        roots: &[(FuncId, Arc<Result1>)],
        judgements: &mut BTreeMap<Judged, Judgement>,
        kept: &mut BTreeMap<Judged, Judgement>,
    ) -> level2::Judged {
        let answers = &self.answers;
        let mut open: Vec<(Judged, u128, Work<'_>)> = Vec::new();
        let mut all = level2::Judged::default();
        for (f, result) in roots {
            let errors = level2::errors(&result.verdicts);
            let (Some(number), Some(body)) = (
                self.numbers.of[f.index()],
                self.context.program.functions[*f].body.as_ref(),
            ) else {
                continue;
            };
            if errors.is_empty() {
                continue;
            }
            let what = Judged::Function(number);
            let merged = level2::merged(&result.verdicts);
            let of = self.judged_of(*f, &errors, &merged);
            match kept.remove(&what) {
                Some(known) if known.of == of && answers.are_as_before(&known.asked) => {
                    all.add(*f, &known);
                    judgements.insert(what, known);
                }
                _ => open.push((
                    what,
                    of,
                    Work {
                        function: *f,
                        body,
                        errors,
                        merged,
                        composed: None,
                        demand: Demand::Usual,
                        seeks: true,
                    },
                )),
            }
        }
        let work: Vec<&Work<'_>> = open.iter().map(|(.., work)| work).collect();
        let done = level2::judge(self.context, self.level2, &self.known, self.plan, &work);
        for ((what, of, work), (judged, questions)) in open.iter().zip(done) {
            let judgement = Judgement {
                of: *of,
                asked: answers.keep(&questions),
                fates: judged
                    .fates
                    .into_iter()
                    .map(|((_, c), fate)| (c, fate))
                    .collect(),
                tally: judged.tally,
                solved: judged.solved,
                defect: judged.defects.into_iter().next().map(|(_, why)| why),
                view: None,
            };
            all.add(work.function, &judgement);
            judgements.extend(
                judgement
                    .into_kept()
                    .map(|judgement| (what.clone(), judgement)),
            );
        }
        // Kept judgements came first; which are kept must not be seen.
        all.in_order();
        all
    }

    /// Of what a judgement is, questions about others apart.
    fn judged_of(&self, f: FuncId, errors: &[level2::Error], merged: &BTreeSet<CheckId>) -> u128 {
        let mut digest = Digest::default();
        digest.wide(self.how()).wide(self.keys[f.index()]);
        digest.wide(digest::of(&errors)).wide(digest::of(merged));
        digest.finish()
    }

    /// How level 2 works.
    fn how(&self) -> u128 {
        let mut digest = Digest::default();
        digest.number(self.level2.budget);
        digest.text(&self.level2.provers.name).finish()
    }
}

impl Settings {
    /// How functions are searched.
    fn plan(&self) -> Plan {
        Plan {
            algorithm: self.algorithm,
            aggregate: self.aggregate,
            max_states: self.max_states,
            automata: self.automata,
            scheduled: true,
            only: None,
        }
    }

    /// What level 1 is told, as a number.
    fn level1(&self, program: &Program) -> u128 {
        let mut digest = Digest::default();
        digest.text(&format!(
            "{:?} {:?} {:?} {}",
            self.algorithm, self.aggregate, self.automata, self.max_states
        ));
        for rule in self.rules.iter().flatten() {
            digest.text(program.name(*rule));
        }
        digest.number(u64::from(self.rules.is_some())).finish()
    }
}
