//! Everything that is known of paths to one error that no run takes: observers of both kinds,
//! stepped together.

use crate::automaton::Edge;
use crate::conflict::{Conflict, conflicts};
use crate::core::{Accesses, CoreObserver, FAILS, Relevance, Seen};
use crate::observer::{Observers, States};
use crate::program::Abstraction;
use ir::arena::Id;
use ir::{EdgeId, NodeId, VarId};
use smallvec::SmallVec;
use std::sync::Arc;

/// The observers of one error.
#[derive(Clone, Debug)]
pub struct Watch {
    abstraction: Arc<Abstraction>,
    accesses: Accesses,
    observers: Observers,
    cores: Vec<CoreObserver>,
    /// Of each core the nodes from which its last edge can be reached; none: all.
    ahead: Vec<Option<Vec<bool>>>,
    /// Per edge whether it can change what is seen.
    relevant: Vec<bool>,
}

/// What they have seen of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Watched {
    states: States,
    cores: SmallVec<[Seen; 4]>,
}

/// What an infeasible path taught.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Learnt {
    /// New conflicts between intervals.
    pub conflicts: usize,
    /// A new sequence of contradictory steps.
    pub cores: usize,
}

impl Watch {
    /// For errors of the check on this edge. `abstraction`: of the body, for all errors in it.
    pub fn new(abstraction: Arc<Abstraction>, check: EdgeId) -> Watch {
        Watch {
            relevant: vec![false; abstraction.starts.len()],
            accesses: Accesses::among(Arc::clone(&abstraction.accesses), check),
            observers: Observers::new(),
            cores: Vec::new(),
            ahead: Vec::new(),
            abstraction,
        }
    }

    pub fn len(&self) -> usize {
        self.observers.len() + self.cores.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Learns from a path that cannot be taken: from the conflicts of its intervals, within a budget of
    /// systems that are solved, and from the steps that a prover found to contradict each other.
    /// Nothing new means that the search would find the path again.
    pub fn learn(&mut self, path: &[EdgeId], core: Option<&[usize]>, budget: usize) -> Learnt {
        let mut learnt = Learnt::default();
        let (Some((_, before)), false) = (path.split_last(), self.accepts(path)) else {
            return learnt;
        };
        let word = self.abstraction.word(before.iter().copied());
        let found = conflicts(&self.abstraction.automaton, &word, budget).found;
        let new: Vec<Conflict> = found.into_iter().map(|f| f.conflict).collect();
        for conflict in new {
            let inserted = self.observers.insert(&self.abstraction.automaton, conflict);
            // A word that nobody accepts has no conflict that somebody knows (§4.4, property 2).
            debug_assert!(inserted, "an observer is built twice");
            learnt.conflicts += usize::from(inserted);
        }
        if learnt.conflicts == 0
            && let Some(core) = core
            && let Some(observer) = CoreObserver::new(&self.accesses, path, core)
            && !self.cores.contains(&observer)
        {
            self.cores.push(observer);
            // It may not see the very path it comes from: then it is of no use.
            match self.accepts(path) {
                true => {
                    learnt.cores = 1;
                    let last = self.cores.last().and_then(CoreObserver::last);
                    self.ahead.push(last.map(|edge| self.before(edge)));
                }
                false => drop(self.cores.pop()),
            }
        }
        let core = self.cores.last().filter(|_| learnt.cores > 0);
        let core = core.map(CoreObserver::relevance);
        for (i, relevant) in self.relevant.iter_mut().enumerate() {
            let edge = self.abstraction.edge(EdgeId(i as u32));
            let of_core = |c: &Relevance<'_>| c.includes(&self.accesses, edge);
            *relevant |= learnt.conflicts > 0 && self.observers.is_relevant(edge)
                || core.as_ref().is_some_and(of_core);
        }
        learnt
    }

    /// The nodes from which an edge can be reached.
    fn before(&self, edge: Edge) -> Vec<bool> {
        let mut found = vec![false; self.abstraction.into.len()];
        let mut work = vec![self.abstraction.starts[edge.0 as usize]];
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut found[node.index()], true) {
                work.extend(&self.abstraction.into[node.index()]);
            }
        }
        found
    }

    /// What still matters at a node: of variables that nobody reads any more nothing does, and a core whose
    /// end does not lie ahead will never be seen. So states that differ there only are equal.
    pub fn forget(&self, seen: &Watched, node: NodeId, is_dead: impl Fn(VarId) -> bool) -> Watched {
        let states = self.observers.forget(&seen.states, |x| {
            self.abstraction.origin(x).is_none_or(&is_dead)
        });
        let cores = seen.cores.iter().zip(&self.ahead);
        let cores = cores.map(|(seen, ahead)| match ahead {
            Some(ahead) if !ahead[node.index()] => Seen::Never,
            _ => *seen,
        });
        Watched {
            states,
            cores: cores.collect(),
        }
    }

    /// What is seen by who has not looked: it refuses no path that another does not.
    pub fn blank(&self) -> Watched {
        Watched {
            states: self.observers.initial(),
            cores: self.cores.iter().map(|_| Seen::Never).collect(),
        }
    }

    /// Can the edge change what is seen?
    pub fn is_relevant(&self, edge: EdgeId) -> bool {
        self.relevant[edge.index()]
    }

    pub fn initial(&self) -> Watched {
        Watched {
            states: self.observers.initial(),
            cores: self.cores.iter().map(CoreObserver::initial).collect(),
        }
    }

    /// What is seen after one more edge; none if no run takes this path.
    pub fn step(&self, seen: &Watched, edge: EdgeId) -> Option<Watched> {
        let edge = self.abstraction.edge(edge);
        let states = match self.observers.is_relevant(edge) {
            true => self.observers.step(&seen.states, edge),
            false => seen.states.clone(),
        };
        let cores = self.cores.iter().zip(&seen.cores);
        let cores = cores.map(|(core, seen)| core.step(&self.accesses, *seen, edge));
        let after = Watched {
            states,
            cores: cores.collect(),
        };
        (!self.observers.is_conflict(&after.states) && !after.cores.contains(&Seen::All))
            .then_some(after)
    }

    /// Can a run that has been seen so far come to the check, and fail there?
    pub fn may_fail(&self, seen: &Watched) -> bool {
        let cores = self.cores.iter().zip(&seen.cores);
        cores
            .into_iter()
            .all(|(core, seen)| core.step(&self.accesses, *seen, FAILS) != Seen::All)
    }

    /// Is every path that is refused behind one also refused behind the other?
    pub fn covers(&self, by: &Watched, seen: &Watched) -> bool {
        let cores = by.cores.iter().zip(&seen.cores);
        self.observers.covers(&by.states, &seen.states)
            && cores.into_iter().all(|(a, b)| a == b || *a == Seen::Never)
    }

    /// Is an error path refused?
    pub fn accepts(&self, path: &[EdgeId]) -> bool {
        let Some((_, before)) = path.split_last() else {
            return false;
        };
        let mut seen = self.initial();
        for edge in before {
            match self.step(&seen, *edge) {
                Some(after) => seen = after,
                None => return true,
            }
        }
        !self.may_fail(&seen)
    }
}
