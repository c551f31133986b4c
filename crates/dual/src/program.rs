//! Whole programs: functions bottom-up, each with the summaries of those that it calls.
//!
//! Functions that call each other are a fixed point (dual.txt §2.2): the first round knows of none of them that it ever
//! comes back, or fails; each round adds what follows, until nothing does. After some rounds what grows is widened, as at the
//! head of a loop, and narrowed by one more.
//!
//! A function that costs more than it may is tried again with one disjunct, then with ranges alone, and then nothing is known of it;
//! the others go on.

use crate::arithmetic::Integers;
use crate::execute::Limits;
use crate::function::{Outcomes, collected, ends};
use crate::grow::Ground;
use crate::input::Symbols;
use crate::run::Run;
use crate::seen::{Grown, Seen};
use crate::summary::{Callees, Summary};
use ir::{Body, CallGraph, FuncId, Program};
use isl::{Context, Result, Stopped};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How to analyse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub integers: Integers,
    pub limits: Limits,
    /// Operations of isl for one function and one try.
    pub operations: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            integers: Integers::Machine,
            limits: Limits::default(),
            operations: 2_000_000,
        }
    }
}

/// What was tried before it was little enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effort {
    Full,
    /// One disjunct everywhere.
    Hull,
    /// Nothing is known: both were too much.
    Nothing(Stopped),
}

/// The summaries of a program, computed as they are needed.
pub struct Dual<'p> {
    program: &'p Program,
    graph: &'p CallGraph,
    settings: Settings,
    context: Context,
    known: FxHashMap<FuncId, Arc<Summary>>,
    tried: BTreeMap<FuncId, Effort>,
}

/// Rounds over functions that call each other, at most.
const ROUNDS: usize = 40;

impl<'p> Dual<'p> {
    pub fn new(program: &'p Program, graph: &'p CallGraph, settings: Settings) -> Dual<'p> {
        Dual {
            program,
            graph,
            settings,
            context: Context::new(),
            known: FxHashMap::default(),
            tried: BTreeMap::new(),
        }
    }

    pub fn context(&self) -> &Context {
        &self.context
    }

    /// What each function took that was analysed.
    pub fn efforts(&self) -> &BTreeMap<FuncId, Effort> {
        &self.tried
    }

    /// The outcomes of a function, with summaries of all that it calls; none if it has no body, or costs too much.
    pub fn function(&mut self, f: FuncId) -> Option<Outcomes> {
        let program = self.program;
        let body = program.functions[f].body.as_ref()?;
        self.body(body, self.graph.callees(f))
    }

    /// The outcomes of a body that calls these.
    pub fn body(&mut self, body: &Body, callees: &[FuncId]) -> Option<Outcomes> {
        self.need(callees);
        let mut outcomes = None;
        self.try_hard(&mut |dual, limits| {
            let mut run = Run::new(dual.program, body, dual.settings.integers);
            let ends = ends(&dual.context, &mut run, dual.callees(), limits)?;
            outcomes = Some(collected(&dual.context, &run.symbols, &ends)?);
            Ok(())
        });
        outcomes
    }

    fn callees(&self) -> Callees<'_> {
        Callees {
            graph: Some(self.graph),
            known: &self.known,
        }
    }

    /// Computes the summaries of these, and of all that they call.
    pub fn need(&mut self, functions: &[FuncId]) {
        let mut seen: FxHashSet<FuncId> = FxHashSet::default();
        let mut work: Vec<FuncId> = functions.to_vec();
        let mut components: Vec<usize> = Vec::new();
        while let Some(f) = work.pop() {
            let has_body = (self.program.functions.get(f)).is_some_and(|f| f.body.is_some());
            if has_body && !self.tried.contains_key(&f) && seen.insert(f) {
                components.push(self.graph.component_of(f));
                work.extend(self.graph.callees(f));
            }
        }
        components.sort_unstable();
        components.dedup();
        for at in components {
            let graph = self.graph;
            self.component(&graph.components()[at]);
        }
    }

    /// With full effort, and with less if that is too much.
    fn try_hard(&mut self, with: &mut dyn FnMut(&mut Self, Limits) -> Result<()>) -> Effort {
        let full = self.settings.limits;
        let hull = Limits {
            disjuncts: 1,
            turns: 1,
        };
        let mut one = |dual: &mut Self, limits| {
            dual.context.allow(dual.settings.operations);
            let done = with(dual, limits);
            dual.context.allow_anything();
            done
        };
        match one(self, full) {
            Ok(()) => Effort::Full,
            Err(_) => match one(self, hull) {
                Ok(()) => Effort::Hull,
                Err(stopped) => Effort::Nothing(stopped),
            },
        }
    }

    /// The summaries of functions that call each other, or of one that does not.
    fn component(&mut self, members: &[FuncId]) {
        let members: Vec<FuncId> = members
            .iter()
            .copied()
            .filter(|f| self.program.functions[*f].body.is_some())
            .collect();
        let recursive = members.iter().any(|f| self.graph.is_recursive(*f));
        let effort = self.try_hard(&mut |dual, limits| {
            members.iter().for_each(|f| {
                dual.known.remove(f);
            });
            match (members.as_slice(), recursive) {
                ([f], false) => {
                    let (mut symbols, seen) = dual.round(*f, limits, Symbols::default())?;
                    let summary = seen.summary(&dual.context, &mut symbols, limits)?;
                    dual.known.insert(*f, Arc::new(summary));
                    Ok(())
                }
                _ => dual.fixed_point(&members, limits),
            }
        });
        for f in members {
            if matches!(effort, Effort::Nothing(_)) {
                self.known.remove(&f);
            }
            self.tried.insert(f, effort.clone());
        }
    }

    fn round(&self, f: FuncId, limits: Limits, symbols: Symbols) -> Result<(Symbols, Seen)> {
        let program = self.program;
        let Some(body) = &program.functions[f].body else {
            return Err(Stopped::Failed("a function without a body".into()));
        };
        let mut run = Run::new(program, body, self.settings.integers);
        run.symbols = symbols;
        let ends = ends(&self.context, &mut run, self.callees(), limits)?;
        Ok((run.symbols, Seen::of(f, body, ends)))
    }

    fn fixed_point(&mut self, members: &[FuncId], limits: Limits) -> Result<()> {
        let mut grown: BTreeMap<FuncId, (Symbols, Grown)> = BTreeMap::new();
        for f in members {
            grown.insert(*f, Default::default());
            self.known.insert(*f, Arc::default());
        }
        for round in 0.. {
            let mut at_rest = true;
            for f in members {
                let (symbols, before) = grown.remove(f).unwrap_or_default();
                let (mut symbols, seen) = self.round(*f, limits, symbols)?;
                let mut ground = Ground {
                    context: &self.context,
                    symbols: &mut symbols,
                    limits,
                };
                let now = before.with(&mut ground, &seen)?;
                let after = match now.is_rest(&before)? {
                    true => before,
                    false => {
                        at_rest = false;
                        now.next(&before, &ground, round > limits.turns)?
                    }
                };
                let summary = after.seen(&mut symbols)?;
                let summary = summary.summary(&self.context, &mut symbols, limits)?;
                self.known.insert(*f, Arc::new(summary));
                grown.insert(*f, (symbols, after));
            }
            if at_rest {
                break;
            }
            if round > ROUNDS {
                return Err(Stopped::Failed("a recursion does not come to rest".into()));
            }
        }
        // Once more: what widening guessed too much goes.
        let mut last = Vec::new();
        for f in members {
            let (symbols, _) = grown.remove(f).unwrap_or_default();
            let (mut symbols, seen) = self.round(*f, limits, symbols)?;
            last.push((*f, seen.summary(&self.context, &mut symbols, limits)?));
        }
        for (f, summary) in last {
            self.known.insert(f, Arc::new(summary));
        }
        Ok(())
    }
}
