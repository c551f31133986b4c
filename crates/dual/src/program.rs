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
//! and then nothing is known of it; the others go on. Functions that call each other and are too much together are tried one by one before that:
//! each with what is known of some of the others, and nothing of the rest.

mod order;
mod recursive;

use crate::arithmetic::Integers;
use crate::execute::{Ends, Limits};
use crate::function::{Outcomes, collected, ends};
use crate::input::Symbols;
use crate::run::Run;
use crate::seen::Seen;
use crate::special::{Constants, Special};
use crate::summary::{Callees, Summary};
use crate::work::Work;
use ir::{Body, Call, CallGraph, Callee, FuncId, Program, Stmt};
use isl::{Context, Result, Stopped};
pub(crate) use recursive::ROUNDS;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How to analyse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub integers: Integers,
    pub limits: Limits,
    /// Operations of isl for one function and one try.
    pub operations: u64,
    /// So many times that for the last try: behind it nothing is known.
    pub last: u64,
    /// Operations of isl for all that is ever asked.
    pub total: u64,
    /// Objects that functions are given are taken to be alive and initialised: then less is said, of fewer inputs.
    pub trusting: bool,
    /// The program begins with the body of an error: then globals hold their initial values ([`Dual::error`]).
    pub begins: bool,
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
            last: 1,
            total: u64::MAX,
            trusting: false,
            begins: false,
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
    pub settings: Settings,
    pub(crate) context: Context,
    known: Arc<Known>,
    special: Arc<Special>,
    tried: Arc<BTreeMap<FuncId, Effort>>,
    spent: u64,
    work: Work,
}

/// What a [`Dual`] knows, without its context: nothing of it belongs to a thread.
#[derive(Clone)]
pub struct Fork<'p> {
    pub(crate) program: &'p Program,
    graph: &'p CallGraph,
    pub(crate) settings: Settings,
    known: Arc<Known>,
    special: Arc<Special>,
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
            special: self.special.clone(),
            tried: self.tried.clone(),
            spent: 0,
            work: Work::default(),
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
            special: Arc::default(),
            tried: Arc::default(),
            spent: 0,
            work: Work::default(),
        }
    }

    /// One that knows what this one knows, in a context of its own: for another thread.
    pub fn fork(&self) -> Fork<'p> {
        Fork {
            program: self.program,
            graph: self.graph,
            settings: self.settings,
            known: self.known.clone(),
            special: self.special.clone(),
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

    /// What callers know that pass constants.
    pub fn special(&self) -> &Special {
        &self.special
    }

    /// The outcomes of a function, with summaries of all that it calls.
    pub fn function(&mut self, f: FuncId) -> Result<Outcomes> {
        let program = self.program;
        let Some(body) = &program.functions[f].body else {
            return Err(Stopped::Failed("it has no body".into()));
        };
        self.need(self.graph.callees(f));
        self.need_special(&[f]);
        self.body(body)
    }

    /// The outcomes of a body, with the summaries that there are.
    pub fn body(&mut self, body: &Body) -> Result<Outcomes> {
        self.body_from(&Effort::Full, body)
    }

    /// The outcomes of a function whose summary is there: what was too much for that is not tried again.
    pub fn again(&mut self, f: FuncId) -> Result<Outcomes> {
        let program = self.program;
        let Some(body) = program.functions.get(f).and_then(|f| f.body.as_ref()) else {
            return Err(Stopped::Failed("it has no body".into()));
        };
        // What is too much until all that call each other come to rest may be little for one of them.
        let effort = match self.tried.get(&f) {
            Some(Effort::Nothing(_)) if self.graph.is_recursive(f) => Effort::Full,
            effort => effort.cloned().unwrap_or(Effort::Full),
        };
        self.body_from(&effort, body)
    }

    fn body_from(&mut self, first: &Effort, body: &Body) -> Result<Outcomes> {
        let mut outcomes = None;
        let effort = self.try_from(first, &mut |dual, limits| {
            let mut run = dual.run(body);
            let ends = ends(&dual.context, &mut run, dual.callees(), limits)?;
            outcomes = Some(collected(&dual.context, &run.symbols, &ends, limits)?);
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
            special: &self.special,
        }
    }

    /// With full effort, and with less if that is too much.
    pub(crate) fn try_hard(
        &mut self,
        with: &mut dyn FnMut(&mut Self, Limits) -> Result<()>,
    ) -> Effort {
        self.try_from(&Effort::Full, with)
    }

    /// The same, where it is known that more effort than the `first` is too much.
    fn try_from(
        &mut self,
        first: &Effort,
        with: &mut dyn FnMut(&mut Self, Limits) -> Result<()>,
    ) -> Effort {
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
        let skipped = match first {
            Effort::Full => 0,
            Effort::Hull => 1,
            Effort::Ranges | Effort::Nothing(_) => 2,
        };
        let mut stopped = Stopped::Budget;
        let operations = self.settings.operations;
        for (at, (limits, effort)) in tries.iter().cloned().enumerate().skip(skipped) {
            // Who asks for little from the start is not asked thrice.
            if at > skipped && tries[at - 1].0 == limits {
                continue;
            }
            let last = effort == Effort::Ranges;
            let allowed = operations.saturating_mul(if last { self.settings.last } else { 1 });
            match self.attempt(limits, allowed, with) {
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
        operations: u64,
        with: &mut dyn FnMut(&mut Self, Limits) -> Result<T>,
    ) -> Result<T> {
        let left = self.settings.total.saturating_sub(self.spent);
        if left == 0 {
            return Err(Stopped::Budget);
        }
        self.context.allow(operations.min(left));
        self.work.begin();
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
        run.work = self.work.clone();
        run.symbols.height = self.height(body, None);
        run
    }

    /// How many calls are below a body, one within the other, as far as there are summaries. Calls by itself do not count.
    fn height(&self, body: &Body, own: Option<FuncId>) -> u32 {
        let component = own.map(|f| self.graph.component_of(f));
        let is_own = |call: &Call| match call.callee {
            Callee::Direct(f) => component == Some(self.graph.component_of(f)),
            Callee::Indirect(_) => false,
        };
        let edges = body.edges().values();
        let calls = edges.filter_map(|edge| match &edge.stmt {
            Stmt::Call(call) if !is_own(call) => Some(call),
            _ => None,
        });
        let callees = self.callees();
        let below = calls.filter_map(|call| callees.of(self.program, body, call));
        let below = below.flatten().map(|summary| summary.height + 1);
        below.max().unwrap_or(0)
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
                ([f], false) => dual.single(*f, limits),
                _ => dual.fixed_point(members, limits),
            }
        });
        let known = Arc::make_mut(&mut self.known);
        let given_up = matches!(effort, Effort::Nothing(_));
        for f in members.iter().copied() {
            if given_up {
                known.remove(&f);
            }
            Arc::make_mut(&mut self.tried).insert(f, effort.clone());
        }
        if given_up && recursive {
            self.one_by_one(members);
        }
    }

    /// The summary of a function, with those that there are of the functions that it calls.
    fn single(&mut self, f: FuncId, limits: Limits) -> Result<()> {
        let (mut symbols, seen) = self.round(f, limits, Symbols::default())?;
        let summary = seen.summary(&self.context, &mut symbols, limits)?;
        self.knows(f, summary);
        Ok(())
    }

    /// The same, with less effort if that is too much: of those that call it back nothing may be known.
    fn alone(&mut self, members: &[FuncId]) {
        for f in members.iter().copied() {
            let effort = self.try_hard(&mut |dual, limits| dual.single(f, limits));
            Arc::make_mut(&mut self.tried).insert(f, effort);
        }
    }

    /// What callers know that pass these constants; none if that is too much.
    fn for_constants(&mut self, f: FuncId, constants: &Constants) -> Option<Arc<Summary>> {
        let body = self.program.functions.get(f)?.body.as_ref()?;
        let mut summary = None;
        self.try_hard(&mut |dual, limits| {
            let mut run = dual.run(body);
            run.constants.clone_from(constants);
            let ends = ends(&dual.context, &mut run, dual.callees(), limits)?;
            let seen = Seen::of(f, body, ends);
            summary = Some(seen.summary(&dual.context, &mut run.symbols, limits)?);
            Ok(())
        });
        summary.map(Arc::new)
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
        run.symbols.height = self.height(body, Some(f));
        let ends = ends(&self.context, &mut run, self.callees(), limits)?;
        Ok((body, run.symbols, ends))
    }
}
