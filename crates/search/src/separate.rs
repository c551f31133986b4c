//! A state arrives, and states are kept apart (§2.1).
//!
//! - Algorithm I knows only states that it visited.
//! - Algorithm II leaves a state to a grey or black one that covers it: when it arrives, or, if it
//!   had to wait, when a later one came to cover it. A red state never covers: it may itself rely
//!   on the state that it would cover, and then nobody would explore either.
//! - Algorithm III leaves what is covered of a state, and explores the rest. The rest is not
//!   compared with red states either, though the paper asks for white ones: every arrival makes
//!   finitely many differences, and what is explored is pairwise not covered, so the search ends.
//!
//! At loop heads states are widened, so that a path cannot meet an endless chain of them.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::frontier::Arrival;
use crate::options::Algorithm;
use crate::search::{Search, StateId};
use crate::space::Space;

/// A difference with one state may be in several pieces, which multiply with every further state;
/// with so many in hand no piece is cut into more.
const MOST_PIECES: usize = 4;

/// What was reached, by location.
pub(crate) struct Separate {
    /// Grey and black states, in the order of colouring.
    pub reached: Vec<SmallVec<[StateId; 4]>>,
    /// The same by location and fingerprint, for Algorithm I.
    known: FxHashMap<(usize, u64), SmallVec<[StateId; 1]>>,
    /// How a state at a loop head got there; see [`Visit`].
    visits: FxHashMap<StateId, Visit>,
    /// Of every coloured state: the nearest on its path, itself included, at a loop head.
    heads: Vec<Option<StateId>>,
}

/// A visit of a loop head.
#[derive(Clone, Copy)]
struct Visit {
    /// The loop head before it on the path.
    outer: Option<StateId>,
    /// How often the path was at this loop head before.
    times: u32,
    /// The state that arrived: a difference is to be widened as the whole that it is a part of,
    /// because only wholes grow.
    whole: StateId,
}

impl Separate {
    pub fn new(locations: usize) -> Self {
        Separate {
            reached: vec![SmallVec::new(); locations],
            known: FxHashMap::default(),
            visits: FxHashMap::default(),
            heads: Vec::new(),
        }
    }
}

impl<S: Space> Search<'_, S> {
    pub(crate) fn arrive_separately(&mut self, arrival: Arrival<S::Label, S::State>) {
        let at = arrival.at;
        if self.options.algorithm != Algorithm::Plain
            && let Some(by) = self.covering(at, &arrival.state)
        {
            return self.arrive_covered(arrival, by);
        }
        let Arrival { parent, state, .. } = arrival;
        let is_loop_head = self.space.is_loop_head(at);
        let outer = parent.and_then(|(parent, _)| self.head(parent));
        let (state, times) = if is_loop_head {
            self.widened(outer, at, state)
        } else {
            (state, 0)
        };
        if self.options.algorithm == Algorithm::Plain && self.is_known(at, &state) {
            self.statistics.known += 1;
            return;
        }
        let pieces = self.pieces(at, &state);
        let id = self.color_grey(parent, at, state);
        self.note_head(id, outer, is_loop_head, times, id);
        let Some(mut pieces) = pieces else {
            return self.explore(id);
        };
        self.redden(id);
        if !is_loop_head {
            self.release(id);
        }
        self.statistics.differences += 1;
        self.statistics.pieces += pieces.len();
        if self.frontier.is_stack() {
            // The first of them is to be on top.
            pieces.reverse();
        }
        for piece in pieces {
            let piece = self.color_grey(parent, at, piece);
            self.note_head(piece, outer, is_loop_head, times, id);
            self.explore(piece);
        }
    }

    fn explore(&mut self, id: StateId) {
        let at = self.at(id);
        self.separate.reached[at].push(id);
        if self.options.algorithm == Algorithm::Plain
            && let Some(state) = &self.nodes[id.index()].state
        {
            let key = (at, self.space.fingerprint(at, state));
            self.separate.known.entry(key).or_default().push(id);
        }
        self.push(id);
    }

    /// A grey or black state that covers this one; the newest first, because states of loops grow.
    fn covering(&mut self, at: usize, state: &S::State) -> Option<StateId> {
        for index in (0..self.separate.reached[at].len()).rev() {
            let by = self.separate.reached[at][index];
            if self.is_covered_by(by, at, state) {
                return Some(by);
            }
        }
        None
    }

    /// Was this state visited before?
    fn is_known(&mut self, at: usize, state: &S::State) -> bool {
        let key = (at, self.space.fingerprint(at, state));
        let length = self.separate.known.get(&key).map_or(0, |ids| ids.len());
        (0..length).any(|index| {
            let id = self.separate.known[&key][index];
            self.is_covered_by(id, at, state) && self.does_cover(at, state, id)
        })
    }

    /// A grey state whose turn has come becomes red if one that arrived after it covers it.
    pub(crate) fn is_covered_meanwhile(&mut self, id: StateId) -> bool {
        if self.options.algorithm == Algorithm::Plain {
            return false;
        }
        let at = self.at(id);
        let Some(state) = self.nodes[id.index()].state.take() else {
            return false;
        };
        let mut is_covered = false;
        let mut index = self.separate.reached[at].len();
        while index > 0 && !is_covered {
            index -= 1;
            let by = self.separate.reached[at][index];
            if by == id {
                break;
            }
            is_covered = self.is_covered_by(by, at, &state);
        }
        self.nodes[id.index()].state = Some(state);
        if is_covered {
            self.separate.reached[at].retain(|other| *other != id);
            self.redden(id);
            self.release(id);
        }
        is_covered
    }

    /// What no grey or black state covers of a state; `None` if that is all of it, or if it is an
    /// error itself, which should be reported as a whole.
    fn pieces(&mut self, at: usize, state: &S::State) -> Option<Vec<S::State>> {
        if !self.is_differencing()
            || self.separate.reached[at].is_empty()
            || self.space.is_error(at, state)
        {
            return None;
        }
        let mut pieces: Option<Vec<S::State>> = None;
        for index in (0..self.separate.reached[at].len()).rev() {
            let by = self.separate.reached[at][index];
            let Some(reached) = &self.nodes[by.index()].state else {
                continue;
            };
            let Some(whole) = pieces.take() else {
                pieces = self.space.difference(at, state, reached);
                continue;
            };
            let mut count = whole.len();
            let mut smaller = Vec::with_capacity(count);
            for piece in whole {
                self.statistics.comparisons += 1;
                if self.space.covers(at, reached, &piece) {
                    count -= 1;
                    continue;
                }
                match self.space.difference(at, &piece, reached) {
                    Some(parts) if count - 1 + parts.len() <= MOST_PIECES => {
                        count = count - 1 + parts.len();
                        smaller.extend(parts);
                    }
                    _ => smaller.push(piece),
                }
            }
            pieces = Some(smaller);
        }
        let mut needed: Vec<S::State> = Vec::new();
        for piece in pieces? {
            let is_covered = needed.iter().any(|by| self.space.covers(at, by, &piece));
            if !is_covered && self.covering(at, &piece).is_none() {
                needed.push(piece);
            }
        }
        Some(needed)
    }

    fn head(&self, id: StateId) -> Option<StateId> {
        self.separate.heads.get(id.index()).copied().flatten()
    }

    /// The state to explore at a loop head, and how often the path was here before.
    fn widened(&mut self, outer: Option<StateId>, at: usize, state: S::State) -> (S::State, u32) {
        let mut head = outer;
        while let Some(id) = head {
            let Some(visit) = self.separate.visits.get(&id).copied() else {
                break;
            };
            if self.at(id) == at {
                let Some(earlier) = &self.nodes[visit.whole.index()].state else {
                    break;
                };
                self.statistics.widenings += 1;
                let state = self.space.widen(at, earlier, state, visit.times);
                return (state, visit.times + 1);
            }
            head = visit.outer;
        }
        (state, 0)
    }

    fn note_head(
        &mut self,
        id: StateId,
        outer: Option<StateId>,
        is_loop_head: bool,
        times: u32,
        whole: StateId,
    ) {
        if is_loop_head {
            let visit = Visit {
                outer,
                times,
                whole,
            };
            self.separate.visits.insert(id, visit);
        }
        let head = if is_loop_head { Some(id) } else { outer };
        if head.is_some() {
            self.separate.heads.resize(id.index(), None);
            self.separate.heads.push(head);
        }
    }
}
