//! What a search can be told, and what it tells afterwards.

use serde::{Deserialize, Serialize};

/// What may be left unexplored (§2.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// Algorithm I: only what was visited before, that is: states that cover each other.
    Plain,
    /// Algorithm II: also states that a grey or black state covers.
    Covering,
    /// Algorithm III: also the part of a state that grey and black states cover; only the
    /// difference is explored.
    Differencing,
}

/// Which grey state is explored next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Everything below the first successor, then everything below the second.
    DepthFirst,
    /// First come, first served: an error is found by a shortest path (without aggregation).
    BreadthFirst,
    /// The smallest [`rank`](crate::Space::rank) first, first come first served within a rank.
    /// With aggregation it explores every location of an acyclic graph once per aggregate.
    Topological,
}

/// How to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// What may be left unexplored.
    pub algorithm: Algorithm,
    /// Which grey state is explored next.
    pub order: Order,
    /// Keep at most so many aggregates per location (at least one); further classes fall into the
    /// last one. To merge is to cover: [`Algorithm::Plain`] is then the same as
    /// [`Algorithm::Covering`].
    pub aggregate: Option<u32>,
    /// The search ends with [`End::Budget`] when so many states were coloured grey and there is
    /// still something to look at.
    pub max_states: usize,
    /// The same when so many states wait to be explored at the same time.
    pub max_waiting: usize,
    /// End with [`End::Error`] as soon as there is a new error.
    pub stop_at_first_error: bool,
}

impl Default for Options {
    /// Depth-first covering without aggregation or limits.
    fn default() -> Self {
        Options {
            algorithm: Algorithm::Covering,
            order: Order::DepthFirst,
            aggregate: None,
            max_states: usize::MAX,
            max_waiting: usize::MAX,
            stop_at_first_error: false,
        }
    }
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The whole space was searched: there are no errors but those that were found.
    Exhausted,
    /// An error was found, and [`Options::stop_at_first_error`] is set. Running again goes on.
    Error,
    /// [`Options::max_states`] or [`Options::max_waiting`] were not enough.
    Budget,
}

/// What a search has cost, in counts.
///
/// After [`End::Exhausted`] `grey == black + red`: every state that was ever grey has become
/// one or the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// States ever coloured grey, whatever became of them.
    pub grey: usize,
    /// States explored to the end.
    pub black: usize,
    /// States left to others that cover them: when they arrived, while they waited, because a
    /// difference or a newer version of their aggregate took their place.
    pub red: usize,
    /// Arrivals at a state that was grey or black already (they are coloured no second time).
    pub known: usize,
    /// States that were replaced by their differences.
    pub differences: usize,
    /// The differences that took their place.
    pub pieces: usize,
    /// Times an aggregate was merged with an arriving state.
    pub merges: usize,
    /// Versions of aggregates that were superseded before they were explored.
    pub superseded: usize,
    /// States widened at a loop head.
    pub widenings: usize,
    /// States whose successors were computed.
    pub expanded: usize,
    /// Successors computed.
    pub successors: usize,
    /// Times the space was asked whether a state covers another.
    pub comparisons: usize,
}

impl Statistics {
    /// Adds the counts of another search.
    pub fn add(&mut self, part: &Statistics) {
        self.grey += part.grey;
        self.black += part.black;
        self.red += part.red;
        self.known += part.known;
        self.differences += part.differences;
        self.pieces += part.pieces;
        self.merges += part.merges;
        self.superseded += part.superseded;
        self.widenings += part.widenings;
        self.expanded += part.expanded;
        self.successors += part.successors;
        self.comparisons += part.comparisons;
    }
}
