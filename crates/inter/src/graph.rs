//! The derivation graph (§3): what an analysis did, kept so that the next one need not do it again.
//!
//! A configuration (f, n, r, q) says: entered in state r, function f can be at node n in state q.
//! A derivation c ⊢ c′ says that the analysis got from one to the other along a program edge; for
//! calls, by which summary pair of the callee.
//!
//! # Points
//!
//! What follows from (f, n, r, q) does not depend on r: the automaton does not see it, and the
//! summary that a call uses is chosen by q. So the graph keeps the transitions of each *point*
//! (n, q) once, with the set of roots r it is reached from. That is the paper's graph, with the
//! derivations of all roots written once; and Δ is computed per point, not per configuration.
//!
//! # Functions stand alone
//!
//! A [`FunctionGraph`] has its own table of states and refers to others by function id and state,
//! never by their internal ids. So it can be stored, loaded and replaced alone.

use crate::machine::{EdgeId, Exit, FunctionId, NodeId, Shape};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;

/// A state in the table of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StateId(pub u32);

/// A point of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PointId(pub u32);

/// A summary pair of a callee that came back to a call, and what it gave there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Return {
    /// How the callee came back.
    pub exit: Exit,
    /// Its state then.
    pub state: StateId,
    /// The caller's state after the call, if there is one.
    pub result: Option<StateId>,
}

/// What follows from a point along one edge (and for a call, into one callee).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Transition {
    /// Along a statement.
    Step {
        /// The edge.
        edge: EdgeId,
        /// The states after it, sorted by their value.
        results: Vec<StateId>,
    },
    /// Through a call.
    Call {
        /// The edge.
        edge: EdgeId,
        /// Who is called.
        callee: FunctionId,
        /// What [`enter`](crate::Property::enter) gave.
        given: Option<StateId>,
        /// The entry state of the callee that stands for it: itself, or the callee's merged entry.
        /// Missing also where the callee has too many (this round is then not the last).
        entry: Option<StateId>,
        /// What came back so far.
        returns: Vec<Return>,
    },
}

impl Transition {
    /// Along which edge.
    pub fn edge(&self) -> EdgeId {
        match self {
            Transition::Step { edge, .. } | Transition::Call { edge, .. } => *edge,
        }
    }
}

/// A node and a state, reached from some roots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// Where.
    pub node: NodeId,
    /// In which state.
    pub state: StateId,
    /// From which entry states, in the order of discovery: each is one configuration.
    pub roots: Vec<StateId>,
    /// What follows.
    pub transitions: Vec<Transition>,
}

/// ⟨entry, exit⟩ of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Entered in this state,
    pub entry: StateId,
    /// it comes back this way
    pub exit: Exit,
    /// in this state.
    pub state: StateId,
}

/// The part of the graph that belongs to one function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionGraph<S> {
    /// The function as it was analysed.
    pub shape: Option<Arc<Shape>>,
    /// Every state that is mentioned here.
    pub states: Vec<S>,
    /// In the order of discovery.
    pub points: Vec<Point>,
    /// The states in which it is entered from outside of the program.
    pub initial: Vec<StateId>,
    /// All states in which it is entered, before merging.
    pub given: Vec<StateId>,
    /// The entry states that are explored.
    pub entries: Vec<StateId>,
    /// In the order of discovery.
    pub summaries: Vec<Summary>,
    /// Points with a rejecting state.
    pub rejecting: Vec<PointId>,
    /// The functions that it enters, sorted.
    pub callees: Vec<FunctionId>,
}

impl<S> Default for FunctionGraph<S> {
    fn default() -> Self {
        FunctionGraph {
            shape: None,
            states: Vec::new(),
            points: Vec::new(),
            initial: Vec::new(),
            given: Vec::new(),
            entries: Vec::new(),
            summaries: Vec::new(),
            rejecting: Vec::new(),
            callees: Vec::new(),
        }
    }
}

/// The summary pair by which a derivation passed a call.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Through<'a, S> {
    /// Who was called.
    pub callee: FunctionId,
    /// In which state.
    pub entry: &'a S,
    /// How it came back,
    pub exit: Exit,
    /// and in which state.
    pub state: &'a S,
}

impl<S> Clone for Through<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Through<'_, S> {}

/// One derivation step (f, n, r, q) ⊢ (f, n′, r, q′), by content.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Derivation<'a, S> {
    /// r
    pub root: &'a S,
    /// n
    pub node: NodeId,
    /// q
    pub state: &'a S,
    /// The program edge.
    pub edge: EdgeId,
    /// For calls, the summary pair.
    pub through: Option<Through<'a, S>>,
    /// n′
    pub target: NodeId,
    /// q′
    pub result: &'a S,
}

/// A configuration, by content.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Configuration<S> {
    /// f
    pub function: FunctionId,
    /// n
    pub node: NodeId,
    /// r
    pub root: S,
    /// q
    pub state: S,
}

impl<S> FunctionGraph<S> {
    /// A state of the table.
    pub fn state(&self, id: StateId) -> &S {
        &self.states[id.0 as usize]
    }

    /// A point.
    pub fn point(&self, id: PointId) -> &Point {
        &self.points[id.0 as usize]
    }

    /// How many configurations there are.
    pub fn configurations(&self) -> usize {
        self.points.iter().map(|point| point.roots.len()).sum()
    }

    /// Which point has which id.
    pub fn index(&self) -> FxHashMap<(NodeId, StateId), PointId> {
        let ids = (0..).map(PointId);
        let points = self.points.iter().map(|point| (point.node, point.state));
        points.zip(ids).collect()
    }

    /// The calls that are made, each with the point it is made from: callee, entry as given, entry used.
    pub fn calls(&self) -> impl Iterator<Item = (&Point, FunctionId, StateId, StateId)> {
        self.points.iter().flat_map(|point| {
            point.transitions.iter().filter_map(move |t| match t {
                Transition::Call {
                    callee,
                    given: Some(given),
                    entry: Some(entry),
                    ..
                } => Some((point, *callee, *given, *entry)),
                _ => None,
            })
        })
    }
}

impl<S: Clone + Eq> FunctionGraph<S> {
    /// What an entry comes back with.
    pub fn summary_of(&self, entry: &S) -> Vec<(Exit, S)> {
        let pairs = self.summaries.iter();
        let mine = pairs.filter(|pair| self.state(pair.entry) == entry);
        mine.map(|pair| (pair.exit, self.state(pair.state).clone()))
            .collect()
    }
}

impl<S: Ord> FunctionGraph<S> {
    /// All derivations, sorted by content.
    pub fn derivations(&self) -> Vec<Derivation<'_, S>> {
        let mut all = Vec::new();
        let Some(shape) = &self.shape else {
            return all;
        };
        for point in &self.points {
            for transition in &point.transitions {
                let mut add = |edge, through, target, result| {
                    all.extend(point.roots.iter().map(|root| Derivation {
                        root: self.state(*root),
                        node: point.node,
                        state: self.state(point.state),
                        edge,
                        through,
                        target,
                        result: self.state(result),
                    }));
                };
                match transition {
                    Transition::Step { edge, results } => {
                        for result in results {
                            add(*edge, None, shape.edge(*edge).target, *result);
                        }
                    }
                    Transition::Call {
                        edge,
                        callee,
                        entry: Some(entry),
                        returns,
                        ..
                    } => {
                        for back in returns {
                            let through = Through {
                                callee: *callee,
                                entry: self.state(*entry),
                                exit: back.exit,
                                state: self.state(back.state),
                            };
                            if let (Some(result), Some(target)) =
                                (back.result, shape.edge(*edge).after(back.exit))
                            {
                                add(*edge, Some(through), target, result);
                            }
                        }
                    }
                    Transition::Call { .. } => {}
                }
            }
        }
        all.sort_unstable();
        all
    }

    /// The summary pairs, sorted by content.
    pub fn summary_pairs(&self) -> Vec<(&S, Exit, &S)> {
        let pair = |s: &Summary| (self.state(s.entry), s.exit, self.state(s.state));
        let mut all: Vec<_> = self.summaries.iter().map(pair).collect();
        all.sort_unstable();
        all
    }

    /// The states at each node for each root: (n, r, q), sorted by content.
    pub fn triples(&self) -> Vec<(NodeId, &S, &S)> {
        let triple = |p: &Point, r: &StateId| (p.node, self.state(*r), self.state(p.state));
        let points = self.points.iter();
        let mut all: Vec<_> = points
            .flat_map(|p| p.roots.iter().map(move |r| triple(p, r)))
            .collect();
        all.sort_unstable();
        all
    }
}

/// The entry states that stand for all others, of the functions that have too many.
pub type Plan<S> = BTreeMap<FunctionId, S>;

/// A derivation graph. Parts that a repair does not touch are shared with the graph before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graph<S> {
    /// By function id.
    pub functions: Vec<Arc<FunctionGraph<S>>>,
    /// Which functions have a merged entry.
    pub plan: Plan<S>,
}

impl<S> Graph<S> {
    /// The part of one function.
    pub fn function(&self, function: FunctionId) -> Option<&Arc<FunctionGraph<S>>> {
        self.functions.get(function.0 as usize)
    }

    /// The function ids, with their parts.
    pub fn iter(&self) -> impl Iterator<Item = (FunctionId, &Arc<FunctionGraph<S>>)> {
        (0..).map(FunctionId).zip(&self.functions)
    }

    /// How many configurations there are.
    pub fn configurations(&self) -> usize {
        self.functions.iter().map(|f| f.configurations()).sum()
    }
}

impl<S: Eq> Graph<S> {
    /// Whether an entry stands for a state in which the function is entered from outside.
    pub fn is_initial(&self, function: FunctionId, entry: &S) -> bool {
        let Some(part) = self.function(function) else {
            return false;
        };
        match self.plan.get(&function) {
            Some(bound) => bound == entry && !part.initial.is_empty(),
            None => part.initial.iter().any(|id| part.state(*id) == entry),
        }
    }
}

impl<S: Clone + Ord> Graph<S> {
    /// All configurations with a rejecting state, sorted; after IncrBack, with those that no
    /// root leads to any more (see [`retrace`](crate::retrace)).
    pub fn rejecting(&self) -> Vec<Configuration<S>> {
        let mut all = Vec::new();
        for (function, graph) in self.iter() {
            for point in graph.rejecting.iter().map(|id| graph.point(*id)) {
                all.extend(point.roots.iter().map(|root| Configuration {
                    function,
                    node: point.node,
                    root: graph.state(*root).clone(),
                    state: graph.state(point.state).clone(),
                }));
            }
        }
        all.sort_unstable();
        all
    }
}

/// Looks up states by value.
pub(crate) fn state_ids<S: Clone + Eq + Hash>(states: &[S]) -> FxHashMap<S, StateId> {
    states.iter().cloned().zip((0..).map(StateId)).collect()
}
