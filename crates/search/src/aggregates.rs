//! A state arrives, and the states of a location are merged into few (§2.2, "Aggregating States").
//!
//! An aggregate is a chain of versions, each covering the one before and the state that was merged
//! into it. The newest covers what arrives; a version that waits to be explored when it is
//! superseded never will be: the newer one covers it.
//!
//! Unlike in the paper the merged state is what is explored, not the state that arrived, so that
//! nothing is covered that nobody explores. With differencing it is the difference of the new
//! version with the last version that was explored as a whole.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::frontier::Arrival;
use crate::search::{Search, StateId};
use crate::space::Space;

struct Aggregate {
    class: u64,
    newest: StateId,
    merges: u32,
    /// What waits to be explored of it: the newest version, or the differences that stand for it.
    waiting: SmallVec<[StateId; 1]>,
    /// The last version of which nothing waited any more (only with differencing).
    explored: Option<StateId>,
}

/// The aggregates, by location.
pub(crate) struct Aggregates {
    at: Vec<SmallVec<[Aggregate; 1]>>,
    previous: FxHashMap<StateId, StateId>,
}

impl Aggregates {
    pub fn new(locations: usize) -> Self {
        Aggregates {
            at: (0..locations).map(|_| SmallVec::new()).collect(),
            previous: FxHashMap::default(),
        }
    }

    pub fn newest(&self, at: usize) -> SmallVec<[StateId; 4]> {
        self.at[at].iter().map(|one| one.newest).collect()
    }

    pub fn previous(&self, id: StateId) -> Option<StateId> {
        self.previous.get(&id).copied()
    }
}

impl<S: Space> Search<'_, S> {
    /// `most`: at least one aggregate a location.
    pub(crate) fn arrive_aggregated(&mut self, arrival: Arrival<S::Label, S::State>, most: usize) {
        let at = arrival.at;
        let class = self.space.class(at, &arrival.state);
        let aggregates = &self.aggregates.at[at];
        let found = aggregates.iter().position(|one| one.class == class);
        let index = match found {
            Some(index) => index,
            None if aggregates.len() >= most => most - 1,
            None => {
                let id = self.color_grey(arrival.parent, at, arrival.state);
                self.aggregates.at[at].push(Aggregate {
                    class,
                    newest: id,
                    merges: 0,
                    waiting: SmallVec::from_elem(id, 1),
                    explored: None,
                });
                return self.push(id);
            }
        };
        let newest = self.aggregates.at[at][index].newest;
        if self.is_covered_by(newest, at, &arrival.state) {
            return self.arrive_covered(arrival, newest);
        }
        self.merge(arrival, index);
    }

    fn merge(&mut self, arrival: Arrival<S::Label, S::State>, index: usize) {
        let Arrival { parent, at, state } = arrival;
        let aggregate = &mut self.aggregates.at[at][index];
        let old = aggregate.newest;
        let Some(reached) = &self.nodes[old.index()].state else {
            unreachable!("the newest version of an aggregate is kept");
        };
        let merged = self.space.merge(at, reached, &state, aggregate.merges);
        aggregate.merges += 1;
        self.statistics.merges += 1;
        let explored = aggregate.explored;
        for id in std::mem::take(&mut aggregate.waiting) {
            self.redden(id);
            self.release(id);
            self.statistics.superseded += 1;
        }
        let pieces = explored
            .filter(|_| !self.space.is_error(at, &merged))
            .and_then(|explored| self.nodes[explored.index()].state.as_ref())
            .and_then(|explored| self.space.difference(at, &merged, explored));
        if explored != Some(old) {
            self.release(old);
        }
        let id = self.color_grey(parent, at, merged);
        self.aggregates.previous.insert(id, old);
        let waiting = match pieces {
            None => SmallVec::from_elem(id, 1),
            Some(pieces) => {
                self.redden(id);
                self.statistics.differences += 1;
                self.statistics.pieces += pieces.len();
                pieces
                    .into_iter()
                    .map(|piece| self.color_grey(parent, at, piece))
                    .collect()
            }
        };
        let aggregate = &mut self.aggregates.at[at][index];
        aggregate.newest = id;
        aggregate.waiting = waiting.clone();
        if waiting.is_empty() {
            self.whole_is_explored(at, index);
        }
        if self.frontier.is_stack() {
            // The first of them is to be on top.
            waiting.into_iter().rev().for_each(|id| self.push(id));
        } else {
            waiting.into_iter().for_each(|id| self.push(id));
        }
    }

    /// The successors of a version, or of a difference, are about to arrive.
    pub(crate) fn aggregate_is_explored(&mut self, id: StateId) {
        let at = self.at(id);
        let all = &mut self.aggregates.at[at];
        let Some(index) = all.iter().position(|one| one.waiting.contains(&id)) else {
            unreachable!("a grey state waits in an aggregate");
        };
        let aggregate = &mut all[index];
        aggregate.waiting.retain(|waiting| *waiting != id);
        if aggregate.newest != id {
            self.release(id);
        }
        if self.aggregates.at[at][index].waiting.is_empty() {
            self.whole_is_explored(at, index);
        }
    }

    fn whole_is_explored(&mut self, at: usize, index: usize) {
        if !self.is_differencing() {
            return;
        }
        let aggregate = &mut self.aggregates.at[at][index];
        let newest = aggregate.newest;
        if let Some(before) = aggregate.explored.replace(newest)
            && before != newest
        {
            self.release(before);
        }
    }
}
