//! Orchestration: which function is analysed, in which order, with which budget; in parallel; and
//! what comes out of it.
//!
//! Functions are analysed bottom-up over the call graph, those that do not depend on each other
//! at the same time, each for itself: an analysis is a pure function of the body, the summaries
//! of its callees and the settings. A panic in one costs that function and is counted as a defect.
//! What this crate must not know: rules by name, LLVM, files, the clock.

mod coincidence;
mod court;
mod difference;
pub mod explain;
mod habits;
pub mod identity;
pub mod inexact;
mod level2;
mod loops;
mod noreturn;
mod origin;
mod own_edges;
pub mod projection;
pub mod refinement;
mod schedule;
mod settle;
mod tally;
mod when;
mod whole;
mod why;

pub use automata::Options as Automata;
use automata::{Context, Entry, Outcome, Plan, Verdict};
pub use inexact::Inexact;
pub use inter::Counts as Transitions;
use ir::{Body, CheckId, Composed, EdgeId, FuncId, Program, Symbol};
use level2::Fate;
pub use level2::{Level2, Provers};
pub use loops::ByDual;
use own_edges::Own;
use search::Statistics;
use std::sync::Arc;
pub use tally::{Refined, Tally};
pub use whole::{How, Memory};
use whole::{Result1, Said};
pub use why::Why;

/// How to analyse.
#[derive(Clone, Debug)]
pub struct Settings {
    pub algorithm: search::Algorithm,
    /// Merge the states of a location (and search in topological order).
    pub aggregate: bool,
    /// Which automata are in the product.
    pub automata: Automata,
    /// Functions that never return, by linkage name, besides those that are known or inferred.
    pub noreturn: Vec<String>,
    /// The rules to report, as the checks name them; none: all.
    pub rules: Option<Vec<Symbol>>,
    /// Name the checks that fail on no evidence, or that were not decided, too.
    pub latent: bool,
    /// States per function.
    pub max_states: usize,
    /// The feasibility check of each error path; none: every path of level 1 is reported.
    pub level2: Option<Level2>,
    /// Operations for dual analysis of one reported error; none: nothing is said of how sure it is.
    pub dual: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            algorithm: search::Algorithm::Covering,
            aggregate: true,
            automata: Automata::default(),
            noreturn: Vec::new(),
            rules: None,
            latent: false,
            max_states: 50_000,
            level2: None,
            dual: None,
        }
    }
}

/// A check that can fail, and a path on which it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorPath {
    /// The function that the check is in.
    pub function: FuncId,
    /// The path goes through several functions, which are one body here; none: it stays in this one.
    pub composed: Option<Arc<Composed>>,
    /// Of the composed body, if there is one; else of the function's.
    pub check: CheckId,
    /// In the same body, from its entry to the check's own edge, which is the last. Of a check that
    /// fails on no evidence only that one: nobody looked for a path.
    pub path: Vec<EdgeId>,
    /// When the path is taken, as far as level 2 knows: inputs and their values. If it must fail: the condition on the inputs.
    pub when: Option<String>,
    /// Every run that meets the condition fails here, or never ends (design.md §7).
    pub must: bool,
    /// A run of the program does it.
    pub seen: bool,
    /// Of a path that level 2 refuted: the steps that contradict each other.
    pub core: Vec<usize>,
    /// Of one that is not reported: why.
    pub why: Option<Why>,
}

impl ErrorPath {
    /// A path that level 2 has not seen.
    pub fn new(function: FuncId, check: CheckId, path: Vec<EdgeId>) -> ErrorPath {
        ErrorPath {
            function,
            composed: None,
            check,
            path,
            when: None,
            must: false,
            seen: false,
            core: Vec::new(),
            why: None,
        }
    }

    /// A path of a composed body, and its check there.
    pub fn through(composed: Arc<Composed>, check: CheckId, path: Vec<EdgeId>) -> ErrorPath {
        let (frame, _) = composed.check(check);
        let function = composed.frames[frame].function;
        ErrorPath {
            composed: Some(composed),
            ..ErrorPath::new(function, check, path)
        }
    }

    /// The body that the path and the check are of.
    pub fn body<'a>(&'a self, program: &'a Program) -> Option<&'a Body> {
        match &self.composed {
            Some(composed) => Some(&composed.body),
            None => program.functions.get(self.function)?.body.as_ref(),
        }
    }

    /// The check, as the function's own body has it: what the finding is known by.
    pub fn own_check(&self) -> CheckId {
        match &self.composed {
            Some(composed) => composed.check(self.check).1,
            None => self.check,
        }
    }
}

/// What became of the checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub checks: usize,
    pub proved: usize,
    /// Can fail only on inputs that nothing acknowledges.
    pub latent: usize,
    /// A path was suspected, and no path-precise one is left.
    pub refuted: usize,
    pub reported: usize,
    /// The budget ended first.
    pub undecided: usize,
}

/// How sure errors are, by what dual analysis says of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SureCounts {
    pub must: usize,
    pub may: usize,
    /// Taken back: no run fails.
    pub never: usize,
    /// It was too much to find out.
    pub unknown: usize,
}

/// What came out, everything in the order of the functions.
#[derive(Debug, Default)]
pub struct Analysis {
    pub errors: Vec<ErrorPath>,
    pub latent: Vec<ErrorPath>,
    /// Paths of level 1 that cannot happen. Those that level 1 itself took back are without a path,
    /// and here only with [`Settings::latent`].
    pub refuted: Vec<ErrorPath>,
    pub undecided: Vec<ErrorPath>,
    pub counts: Counts,
    pub by_function: Vec<(FuncId, Counts)>,
    /// Functions whose budget ended.
    pub exhausted: Vec<FuncId>,
    /// Functions whose analysis failed, and how: errors of rigel.
    pub defects: Vec<(FuncId, String)>,
    pub statistics: Statistics,
    /// Edges executed.
    pub steps: usize,
    /// What level 2 did.
    pub tally: Tally,
    /// How sure the reported errors are.
    pub sure: SureCounts,
    /// Names in [`Settings::noreturn`] that no function has.
    pub unknown_names: Vec<String>,
}

/// Analyses a program. `watch` is told of every function that is done.
pub fn analyze(program: &Program, settings: &Settings, watch: &(dyn Fn() + Sync)) -> Analysis {
    reanalyze(program, settings, &mut Memory::default(), How::Full, watch)
}

/// Analyses a program of which an earlier version may be known. The outcome is the same as that of
/// [`analyze`]; `memory` is then of this version.
pub fn reanalyze(
    program: &Program,
    settings: &Settings,
    memory: &mut Memory,
    how: How,
    watch: &(dyn Fn() + Sync),
) -> Analysis {
    let mut analysis = whole::analyze(program, settings, memory, how, watch);
    analysis.unknown_names = unknown_names(program, &settings.noreturn);
    analysis
}

fn params(program: &Program, f: FuncId) -> usize {
    program.functions[f]
        .body
        .as_ref()
        .map_or(0, |b| b.params.len())
}

/// The names that are nobody's.
fn unknown_names(program: &Program, names: &[String]) -> Vec<String> {
    let is_known = |name: &String| {
        let mut functions = program.functions.values();
        functions.any(|f| program.name(f.name) == name || program.name(f.display) == name)
    };
    names.iter().filter(|n| !is_known(n)).cloned().collect()
}

/// A bug in the analysis of one function must not cost the others.
fn fenced(context: &Context<'_>, f: FuncId, plan: Plan, entry: &Entry) -> Result<Outcome, String> {
    let Some(body) = &context.program.functions[f].body else {
        return Err("no body".to_string());
    };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        automata::analyze(context, f, body, plan, entry)
    }))
    .map_err(|panic| panic_words(&*panic))
}

/// What a panic said.
fn panic_words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("panic").to_string()
}

impl Analysis {
    fn add(
        &mut self,
        program: &Program,
        settings: &Settings,
        f: FuncId,
        result: &Result1,
        said: &mut Said<'_, '_>,
    ) {
        let (judged, unsaid) = (&said.judged, &said.unsaid);
        let Some(body) = &program.functions[f].body else {
            return;
        };
        let shown = |check: CheckId| {
            let rule = body.checks[check].rule;
            settings.rules.as_ref().is_none_or(|r| r.contains(&rule))
        };
        let checks = body.checks.iter().filter(|(id, _)| shown(*id)).count();
        let mut counts = Counts {
            checks,
            ..Counts::default()
        };
        let own = match settings.latent {
            true => Own::edges(body),
            false => Own::default(),
        };
        match &result.defect {
            None => {
                for (i, verdict) in result.verdicts.iter().enumerate() {
                    let check = CheckId(i as u32);
                    if !shown(check) {
                        continue;
                    }
                    // Whatever it is for any caller: there is one.
                    if let Some(error) = said.callers.remove(&(f, check)) {
                        counts.reported += 1;
                        self.errors.push(error);
                        continue;
                    }
                    let error = |path| ErrorPath::new(f, check, path);
                    match verdict {
                        Verdict::Proved => counts.proved += 1,
                        Verdict::Refuted => {
                            counts.refuted += 1;
                            if settings.latent {
                                self.refuted.push(ErrorPath {
                                    why: Some(Why::Merged),
                                    ..error(own.path(check))
                                });
                            }
                        }
                        Verdict::Latent => {
                            let fate = match unsaid.undecided(f, check) {
                                Some(why) => Fate::Undecided(why),
                                None => Fate::Latent,
                            };
                            let error = error(own.path(check));
                            self.settle(settings, &mut counts, error, fate, unsaid);
                        }
                        Verdict::Fails(path) => {
                            let fate = judged.of(f, check).cloned();
                            let fate = fate.unwrap_or(Fate::reported(path.clone()));
                            self.settle(settings, &mut counts, error(path.clone()), fate, unsaid);
                        }
                        Verdict::Undecided(Some(path)) => {
                            // Through merged states: only what was seen to fail counts, or what no path leads to.
                            let fate = judged.of(f, check).cloned();
                            let sure = fate.filter(|f| match f {
                                Fate::Reported { sure, .. } => *sure,
                                Fate::Refuted { .. } => true,
                                Fate::Latent => true,
                                Fate::Undecided(_) => false,
                            });
                            let fate = sure.unwrap_or(Fate::Undecided(Why::SearchBudget));
                            self.settle(settings, &mut counts, error(path.clone()), fate, unsaid);
                        }
                        Verdict::Undecided(None) => {
                            let path = own.path(check);
                            self.settle(
                                settings,
                                &mut counts,
                                error(path),
                                Fate::Undecided(Why::SearchBudget),
                                unsaid,
                            );
                        }
                        Verdict::Unwanted => {}
                    }
                }
                if result.exhausted {
                    self.exhausted.push(f);
                }
                self.statistics.add(&result.statistics);
                self.steps += result.steps;
            }
            Some(why) => {
                counts.undecided = checks;
                self.defects.push((f, why.clone()));
            }
        }
        self.counts.add(&counts);
        self.by_function.push((f, counts));
    }
}
