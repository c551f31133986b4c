//! Level 1 as the property of the machines of a program: a step is the analysis of one function.
//!
//! An analysis is a function of the body (its key), of what is known of callees (a digest of their
//! summaries) and of the state in which it is entered. Results are remembered by these three; the
//! derivation graph says which are needed.

use super::contexts::Contexts;
use super::digest::{self, Digest};
use super::look;
use super::machine::{Kind, machine_of, whose};
use super::numbers::Numbers;
use automata::{Context, Entry, Plan, Summary, Verdict};
use inter::{Exit, FunctionId, Place, Property};
use ir::arena::Id;
use ir::{EdgeId, FuncId, Program};
use search::Statistics;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Where a machine is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum State {
    /// At its entry.
    Entered(Entry),
    /// Told so much of callees, as a digest.
    Told(Entry, u128),
    /// At the exit of a summary machine: the summary's digest.
    Returns(u128),
    /// A call by this edge enters a function.
    Asks(Ask),
    /// This check fails in this state.
    Fails(u32),
}

/// A call that enters a function in a state that matters to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct Ask {
    pub edge: EdgeId,
    /// By number.
    pub callee: u32,
    pub entry: Entry,
}

/// What level 1 says of a function in a state.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Result1 {
    pub verdicts: Vec<Verdict>,
    pub summary: Summary,
    pub statistics: Statistics,
    pub steps: usize,
    pub exhausted: bool,
    pub asks: Vec<Ask>,
    /// The analysis failed, and how: an error of rigel.
    pub defect: Option<String>,
}

impl Result1 {
    /// The checks that fail, or may.
    pub fn failing(&self) -> impl Iterator<Item = u32> {
        let fails = |v: &Verdict| matches!(v, Verdict::Fails(_) | Verdict::Undecided(Some(_)));
        let all = self.verdicts.iter().zip(0..);
        all.filter(move |(v, _)| fails(v)).map(|(_, check)| check)
    }
}

/// A result, and what it is the result of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Known {
    pub key: u128,
    pub told: u128,
    /// The digest of its summary.
    pub summary: u128,
    pub result: Arc<Result1>,
}

/// All results, by number and entry.
pub(crate) type Results = BTreeMap<(u32, Entry), Known>;

/// See [`Level1::is_entered`].
pub(crate) fn is_entered(program: &Program, f: FuncId) -> bool {
    let body = program.functions.get(f).and_then(|f| f.body.as_ref());
    body.is_some_and(|body| body.edges().len() <= look::EDGES)
}

/// What callees were said to do, so far.
pub(crate) const NOTHING: u128 = 0;

pub(crate) struct Level1<'a, 'p> {
    pub context: &'a Context<'p>,
    pub plan: Plan,
    pub numbers: &'a Numbers,
    pub keys: &'a [u128],
    pub results: Mutex<Results>,
    pub watch: &'a (dyn Fn() + Sync),
    /// In which states functions are analysed for their callers; none before it is known.
    pub contexts: Contexts,
}

impl Level1<'_, '_> {
    /// Is the function worth to be looked at for its callers? A large one would not be looked at together with
    /// them, either.
    pub fn is_entered(&self, f: FuncId) -> bool {
        is_entered(self.context.program, f)
    }

    /// A summary of one callee more is known.
    pub fn tell(&self, told: u128, callee: FuncId, summary: u128) -> u128 {
        let mut digest = Digest::default();
        digest.wide(told).wide(self.numbers.names[callee.index()]);
        digest.wide(summary).finish()
    }

    /// What is known of a function in a state; computed if it is not.
    pub fn known(&self, number: u32, entry: &Entry, told: u128) -> Option<Known> {
        let f = self.numbers.function(number)?;
        let key = self.keys[f.index()];
        let at = (number, entry.clone());
        if let Some(known) = self.lock().get(&at)
            && known.key == key
            && known.told == told
        {
            return Some(known.clone());
        }
        let result = Arc::new(self.analyze(f, entry));
        (self.watch)();
        if *entry == Entry::Anything {
            self.context.summaries.set(f, result.summary.clone());
        }
        let known = Known {
            key,
            told,
            summary: digest::of(&result.summary),
            result,
        };
        self.lock().insert(at, known.clone());
        Some(known)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Results> {
        // A panic in an analysis is caught where it happens, without the lock.
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn analyze(&self, f: FuncId, entry: &Entry) -> Result1 {
        let mut plan = self.plan;
        if *entry != Entry::Anything {
            plan.max_states = plan.max_states.min(look::STATES);
        }
        match crate::fenced(self.context, f, plan, entry) {
            Ok(outcome) => {
                let asks = outcome.calls.into_iter().filter_map(|asked| {
                    Some(Ask {
                        edge: asked.edge,
                        callee: (*self.numbers.of.get(asked.callee.index())?)?,
                        entry: asked.entry,
                    })
                });
                Result1 {
                    asks: asks.collect(),
                    verdicts: outcome.verdicts,
                    summary: outcome.summary,
                    statistics: outcome.statistics,
                    steps: outcome.steps,
                    exhausted: outcome.exhausted,
                    defect: None,
                }
            }
            Err(why) => Result1 {
                verdicts: Vec::new(),
                summary: Summary::unknown(crate::params(self.context.program, f)),
                statistics: Statistics::default(),
                steps: 0,
                exhausted: false,
                asks: Vec::new(),
                defect: Some(why),
            },
        }
    }

    /// The states behind the statement that analyses a function.
    fn analysed(&self, number: u32, kind: Kind, entry: &Entry, told: u128) -> Vec<State> {
        // The graph may hold states that an edit made unreachable, until it is walked from its roots.
        if kind == Kind::Context && !self.contexts.is_one(number, entry) {
            return Vec::new();
        }
        let Some(known) = self.known(number, entry, told) else {
            return Vec::new();
        };
        if kind == Kind::Summary {
            return vec![State::Returns(known.summary)];
        }
        let result = known.result;
        let mut states: Vec<State> = result.asks.iter().cloned().map(State::Asks).collect();
        // What fails whoever calls needs no context.
        if kind == Kind::Context {
            states.extend(result.failing().map(State::Fails));
        }
        states
    }
}

impl Property for Level1<'_, '_> {
    type State = State;

    fn initial(&self, _: FunctionId) -> Vec<State> {
        vec![State::Entered(Entry::Anything)]
    }

    fn step(&self, state: &State, at: Place) -> Vec<State> {
        let (number, kind) = whose(at.function);
        let (entry, told) = match state {
            State::Entered(entry) => (entry, NOTHING),
            State::Told(entry, told) => (entry, *told),
            _ => return Vec::new(),
        };
        // Of the two statements of a summary machine the second only passes on what it was told.
        let f = self.numbers.function(number);
        let last = f.map_or(0, |f| self.context.before[f.index()].len() as u32);
        match kind {
            Kind::Summary if at.edge.0 > last => vec![State::Told(entry.clone(), told)],
            _ => self.analysed(number, kind, entry, told),
        }
    }

    fn may_enter(&self, state: &State, callee: FunctionId) -> bool {
        match state {
            State::Asks(ask) => machine_of(ask.callee, Kind::Context) == callee,
            State::Entered(_) | State::Told(..) => true,
            State::Returns(_) | State::Fails(_) => false,
        }
    }

    fn enter(&self, state: &State, _: Place, callee: FunctionId) -> Option<State> {
        match (state, whose(callee)) {
            (State::Asks(ask), (_, Kind::Context)) => {
                let it = machine_of(ask.callee, Kind::Context) == callee;
                let entry = self.contexts.of(ask).filter(|_| it)?;
                Some(State::Entered(entry.clone()))
            }
            (State::Entered(_) | State::Told(..), (_, Kind::Summary)) => {
                Some(State::Entered(Entry::Anything))
            }
            _ => None,
        }
    }

    fn leave(
        &self,
        before: &State,
        at: Place,
        callee: FunctionId,
        exit: Exit,
        state: &State,
    ) -> Option<State> {
        let (entry, told) = match before {
            State::Entered(entry) => (entry.clone(), NOTHING),
            State::Told(entry, told) => (entry.clone(), *told),
            _ => return None,
        };
        let (number, _) = whose(callee);
        match (whose(at.function).1, exit, state) {
            (Kind::Summary, Exit::Normal, State::Returns(summary)) => {
                let f = self.numbers.function(number)?;
                Some(State::Told(entry, self.tell(told, f, *summary)))
            }
            (Kind::Root | Kind::Context, Exit::Exceptional, State::Told(_, told)) => {
                Some(State::Told(entry, *told))
            }
            _ => None,
        }
    }

    fn is_rejecting(&self, state: &State) -> bool {
        matches!(state, State::Fails(_))
    }

    fn merge(&self, states: &[State]) -> State {
        let entries = states.iter().map(|s| match s {
            State::Entered(entry) => entry.clone(),
            _ => Entry::Anything,
        });
        State::Entered(Entry::merge(&entries.collect::<Vec<_>>()))
    }

    fn covers(&self, bound: &State, state: &State) -> bool {
        match (bound, state) {
            (State::Entered(bound), State::Entered(state)) => bound.covers(state),
            _ => bound == state,
        }
    }
}
