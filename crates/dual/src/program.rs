//! Whole programs: functions bottom-up, each with the summaries of those that it calls.
//!
//! Functions that call each other are a fixed point (dual.txt §2.2): the first round knows of none of them that it ever
//! comes back, or fails; each round adds what follows, until nothing does. After some rounds what grows is widened, as at the
//! head of a loop, and narrowed by one more. How a function fails that calls only itself follows from the activations that are
//! below one ([`crate::descend`]).
//!
//! Functions that do not call each other are analysed side by side, each in a context of its own, which goes when it is done.
//!
//! A function that costs more than it may is tried again with one disjunct, then with ranges of numbers instead of relations between them,
//! and then nothing is known of it; the others go on.

mod recursive;

use crate::arithmetic::Integers;
use crate::execute::{Ends, Limits};
use crate::function::{Outcomes, collected, ends};
use crate::input::Symbols;
use crate::run::Run;
use crate::seen::Seen;
use crate::summary::{Callees, Summary};
use ir::{Body, CallGraph, FuncId, Program};
use isl::{Context, Result, Stopped};
use rayon::prelude::*;
pub(crate) use recursive::ROUNDS;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How to analyse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub integers: Integers,
    pub limits: Limits,
    /// Operations of isl for one function and one try.
    pub operations: u64,
    /// Operations of isl for all that is ever asked.
    pub total: u64,
    /// Objects that functions are given are taken to be alive and initialised: then less is said, of fewer inputs.
    pub trusting: bool,
    /// Functions of more edges are not summarised.
    pub edges: usize,
    /// Calls below a function that are followed.
    pub depth: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            integers: Integers::Machine,
            limits: Limits::default(),
            operations: 2_000_000,
            total: u64::MAX,
            trusting: false,
            edges: usize::MAX,
            depth: usize::MAX,
        }
    }
}

/// What was tried before it was little enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effort {
    Full,
    /// One disjunct everywhere.
    Hull,
    /// One disjunct, and of numbers only between which ends they are.
    Ranges,
    /// Nothing is known: all of these were too much.
    Nothing(Stopped),
}

/// The summaries that there are.
type Known = FxHashMap<FuncId, Arc<Summary>>;

/// The summaries of a program, computed as they are needed.
pub struct Dual<'p> {
    pub(crate) program: &'p Program,
    graph: &'p CallGraph,
    pub(crate) settings: Settings,
    pub(crate) context: Context,
    known: Arc<Known>,
    tried: Arc<BTreeMap<FuncId, Effort>>,
    spent: u64,
}

/// What a [`Dual`] knows, without its context: nothing of it belongs to a thread.
#[derive(Clone)]
pub struct Fork<'p> {
    pub(crate) program: &'p Program,
    graph: &'p CallGraph,
    pub(crate) settings: Settings,
    known: Arc<Known>,
    tried: Arc<BTreeMap<FuncId, Effort>>,
}

impl<'p> Fork<'p> {
    pub fn dual(&self) -> Dual<'p> {
        Dual {
            program: self.program,
            graph: self.graph,
            settings: self.settings,
            context: Context::new(),
            known: self.known.clone(),
            tried: self.tried.clone(),
            spent: 0,
        }
    }
}

impl<'p> Dual<'p> {
    pub fn new(program: &'p Program, graph: &'p CallGraph, settings: Settings) -> Dual<'p> {
        Dual {
            program,
            graph,
            settings,
            context: Context::new(),
            known: Arc::default(),
            tried: Arc::default(),
            spent: 0,
        }
    }

    /// One that knows what this one knows, in a context of its own: for another thread.
    pub fn fork(&self) -> Fork<'p> {
        Fork {
            program: self.program,
            graph: self.graph,
            settings: self.settings,
            known: self.known.clone(),
            tried: self.tried.clone(),
        }
    }

    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Operations of isl so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// What each function took that was analysed.
    pub fn efforts(&self) -> &BTreeMap<FuncId, Effort> {
        &self.tried
    }

    /// What callers know of a function; none if that is nothing. See [`Dual::need`].
    pub fn summary(&self, f: FuncId) -> Option<&Summary> {
        self.known.get(&f).map(Arc::as_ref)
    }

    /// The outcomes of a function, with summaries of all that it calls.
    pub fn function(&mut self, f: FuncId) -> Result<Outcomes> {
        let program = self.program;
        let Some(body) = &program.functions[f].body else {
            return Err(Stopped::Failed("it has no body".into()));
        };
        self.need(self.graph.callees(f));
        self.body(body)
    }

    /// The outcomes of a body, with the summaries that there are.
    pub fn body(&mut self, body: &Body) -> Result<Outcomes> {
        let mut outcomes = None;
        let effort = self.try_hard(&mut |dual, limits| {
            let mut run = dual.run(body);
            let ends = ends(&dual.context, &mut run, dual.callees(), limits)?;
            outcomes = Some(collected(&dual.context, &run.symbols, &ends)?);
            Ok(())
        });
        match (outcomes, effort) {
            (Some(outcomes), _) => Ok(outcomes),
            (None, Effort::Nothing(stopped)) => Err(stopped),
            (None, _) => Err(Stopped::Budget),
        }
    }

    pub(crate) fn callees(&self) -> Callees<'_> {
        Callees {
            graph: Some(self.graph),
            known: &self.known,
        }
    }

    /// The functions whose summaries are needed for these, themselves among them: as far down as is followed, in order.
    pub fn below(&self, functions: &[FuncId]) -> Vec<FuncId> {
        let is_small = |f: FuncId| {
            let body = self.program.functions.get(f).and_then(|f| f.body.as_ref());
            body.is_some_and(|body| body.edges().len() <= self.settings.edges)
        };
        let mut seen: BTreeSet<FuncId> = BTreeSet::new();
        let mut level: Vec<FuncId> = functions.to_vec();
        let mut depth = 0;
        while !level.is_empty() && depth < self.settings.depth {
            depth += 1;
            let new: Vec<FuncId> = level
                .into_iter()
                .filter(|f| is_small(*f) && seen.insert(*f))
                .collect();
            let below = new.iter().flat_map(|f| self.graph.callees(*f));
            level = below.copied().collect();
        }
        seen.into_iter().collect()
    }

    /// Computes the summaries of these, and of those that they call.
    pub fn need(&mut self, functions: &[FuncId]) {
        let wanted = self.below(functions);
        let new = wanted.iter().filter(|f| !self.tried.contains_key(f));
        let mut components: Vec<usize> = new.map(|f| self.graph.component_of(*f)).collect();
        components.sort_unstable();
        components.dedup();
        let members = |at: &usize| -> Vec<FuncId> {
            let members = self.graph.components()[*at].iter().copied();
            members
                .filter(|f| wanted.binary_search(f).is_ok())
                .collect()
        };
        let components: Vec<Vec<FuncId>> = components.iter().map(members).collect();
        // What all may cost together is counted in order.
        if self.settings.total != u64::MAX {
            components
                .iter()
                .for_each(|members| self.component(members));
            return;
        }
        for level in levels(self.graph, components) {
            let workers: Vec<(Fork<'p>, Vec<FuncId>)> = level
                .into_iter()
                .map(|members| (self.below_these(&members), members))
                .collect();
            let done: Vec<Fork<'p>> = workers
                .into_par_iter()
                .map(|(fork, members)| {
                    let mut dual = fork.dual();
                    dual.component(&members);
                    dual.fork()
                })
                .collect();
            let known = Arc::make_mut(&mut self.known);
            let tried = Arc::make_mut(&mut self.tried);
            for fork in done {
                for (f, effort) in fork.tried.iter() {
                    known.extend(fork.known.get(f).map(|summary| (*f, summary.clone())));
                    tried.insert(*f, effort.clone());
                }
            }
        }
    }

    /// What is needed for these functions, and nothing else: the summaries of those that they call.
    fn below_these(&self, members: &[FuncId]) -> Fork<'p> {
        let called = members.iter().flat_map(|f| self.graph.callees(*f));
        let known = called.filter_map(|f| Some((*f, self.known.get(f)?.clone())));
        Fork {
            program: self.program,
            graph: self.graph,
            settings: self.settings,
            known: Arc::new(known.collect()),
            tried: Arc::default(),
        }
    }

    /// With full effort, and with less if that is too much.
    fn try_hard(&mut self, with: &mut dyn FnMut(&mut Self, Limits) -> Result<()>) -> Effort {
        let full = self.settings.limits;
        let hull = Limits {
            disjuncts: 1,
            turns: 1,
            ..full
        };
        let ranges = Limits {
            relations: false,
            ..hull
        };
        let tries = [
            (full, Effort::Full),
            (hull, Effort::Hull),
            (ranges, Effort::Ranges),
        ];
        let mut stopped = Stopped::Budget;
        for (limits, effort) in tries {
            match self.attempt(limits, with) {
                Ok(()) => return effort,
                Err(why) => stopped = why,
            }
        }
        Effort::Nothing(stopped)
    }

    /// One try, with what it may cost.
    pub(crate) fn attempt<T>(
        &mut self,
        limits: Limits,
        with: &mut dyn FnMut(&mut Self, Limits) -> Result<T>,
    ) -> Result<T> {
        let left = self.settings.total.saturating_sub(self.spent);
        if left == 0 {
            return Err(Stopped::Budget);
        }
        self.context.allow(self.settings.operations.min(left));
        let done = with(self, limits);
        self.spent += self.context.spent();
        self.context.allow_anything();
        done
    }

    pub(crate) fn run<'b>(&self, body: &'b Body) -> Run<'b>
    where
        'p: 'b,
    {
        let mut run = Run::new(self.program, body, self.settings.integers);
        run.trusting = self.settings.trusting;
        run
    }

    /// The summaries of functions that call each other, or of one that does not.
    fn component(&mut self, members: &[FuncId]) {
        let recursive = members.iter().any(|f| self.graph.is_recursive(*f));
        let effort = self.try_hard(&mut |dual, limits| {
            let known = Arc::make_mut(&mut dual.known);
            members.iter().for_each(|f| {
                known.remove(f);
            });
            match (members, recursive) {
                ([f], false) => {
                    let (mut symbols, seen) = dual.round(*f, limits, Symbols::default())?;
                    let summary = seen.summary(&dual.context, &mut symbols, limits)?;
                    dual.knows(*f, summary);
                    Ok(())
                }
                _ => dual.fixed_point(members, limits),
            }
        });
        for f in members.iter().copied() {
            if matches!(effort, Effort::Nothing(_)) {
                Arc::make_mut(&mut self.known).remove(&f);
            }
            Arc::make_mut(&mut self.tried).insert(f, effort.clone());
        }
    }

    pub(crate) fn knows(&mut self, f: FuncId, summary: Summary) {
        Arc::make_mut(&mut self.known).insert(f, Arc::new(summary));
    }

    fn round(&self, f: FuncId, limits: Limits, symbols: Symbols) -> Result<(Symbols, Seen)> {
        let (body, symbols, ends) = self.ends_of(f, limits, symbols)?;
        Ok((symbols, Seen::of(f, body, ends)))
    }

    pub(crate) fn ends_of(
        &self,
        f: FuncId,
        limits: Limits,
        symbols: Symbols,
    ) -> Result<(&'p Body, Symbols, Ends)> {
        let program = self.program;
        let Some(body) = &program.functions[f].body else {
            return Err(Stopped::Failed("a function without a body".into()));
        };
        let mut run = self.run(body);
        run.symbols = symbols;
        let ends = ends(&self.context, &mut run, self.callees(), limits)?;
        Ok((body, run.symbols, ends))
    }
}

/// The components by how many others are below them, those at the bottom first: in one level nobody calls anybody.
fn levels(graph: &CallGraph, components: Vec<Vec<FuncId>>) -> Vec<Vec<Vec<FuncId>>> {
    let mut height: BTreeMap<usize, usize> = BTreeMap::new();
    let mut levels: Vec<Vec<Vec<FuncId>>> = Vec::new();
    // Callees come first.
    for members in components {
        let Some(own) = members.first().map(|f| graph.component_of(*f)) else {
            continue;
        };
        let called = members.iter().flat_map(|f| graph.callees(*f));
        let below = called.filter_map(|f| height.get(&graph.component_of(*f)));
        let level = below.max().map_or(0, |highest| highest + 1);
        height.insert(own, level);
        if levels.len() <= level {
            levels.resize_with(level + 1, Vec::new);
        }
        levels[level].push(members);
    }
    levels
}
