//! The search itself: colours, parent links, and the loop that explores grey states.
//!
//! What happens to a state that arrives is decided in [`crate::separate`] (states are kept as they
//! are) or [`crate::aggregates`] (they are merged).

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::aggregates::Aggregates;
use crate::frontier::{Arrival, Frontier, Task};
use crate::options::{Algorithm, End, Options, Statistics};
use crate::separate::Separate;
use crate::space::{Space, Successor};

/// A state that a search coloured. Numbers grow in the order of colouring.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateId(pub(crate) u32);

impl StateId {
    /// Numbers start at 0 and have no gaps.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How far the search is with a state. (White states have no number.)
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    /// To be explored, or something below it is.
    Grey,
    /// Explored.
    Black,
    /// Others cover it.
    Red,
}

pub(crate) struct Node<L, S> {
    pub at: u32,
    pub color: Color,
    pub is_error: bool,
    pub parent: Option<(StateId, L)>,
    /// Let go where neither the search nor its user needs it any more.
    pub state: Option<S>,
}

/// A search of a [`Space`]. Memory grows with the states that were coloured and not covered at once.
pub struct Search<'s, S: Space> {
    pub(crate) space: &'s mut S,
    pub(crate) options: Options,
    pub(crate) statistics: Statistics,
    pub(crate) nodes: Vec<Node<S::Label, S::State>>,
    pub(crate) frontier: Frontier<S::Label, S::State>,
    /// Taken from the frontier when the budget was spent.
    held: Option<Task<S::Label, S::State>>,
    pub(crate) separate: Separate,
    pub(crate) aggregates: Aggregates,
    errors: Vec<StateId>,
    errors_at: FxHashMap<usize, SmallVec<[StateId; 2]>>,
    errors_told: usize,
    successors: Vec<Successor<S::Label, S::State>>,
}

impl<'s, S: Space> Search<'s, S> {
    /// A search with the initial states to be explored.
    pub fn new(space: &'s mut S, options: Options) -> Self {
        let locations = space.locations();
        let aggregating = options.aggregate.is_some();
        let mut initial = Vec::new();
        space.initial(&mut initial);
        let mut search = Search {
            space,
            options,
            statistics: Statistics::default(),
            nodes: Vec::new(),
            frontier: Frontier::new(options.order),
            held: None,
            separate: Separate::new(if aggregating { 0 } else { locations }),
            aggregates: Aggregates::new(if aggregating { locations } else { 0 }),
            errors: Vec::new(),
            errors_at: FxHashMap::default(),
            errors_told: 0,
            successors: Vec::new(),
        };
        let arrivals = initial.into_iter().map(|(at, state)| Arrival {
            parent: None,
            at,
            state,
        });
        if let Frontier::Stack(stack) = &mut search.frontier {
            stack.extend(arrivals.rev().map(Task::Arrive));
        } else {
            arrivals.for_each(|arrival| search.arrive(arrival));
        }
        search
    }

    /// Searches until the end. After [`End::Error`] it may be called again, to go on.
    pub fn run(&mut self) -> End {
        loop {
            if self.options.stop_at_first_error && self.errors.len() > self.errors_told {
                self.errors_told = self.errors.len();
                return End::Error;
            }
            let Some(task) = self.held.take().or_else(|| self.frontier.pop()) else {
                return End::Exhausted;
            };
            match task {
                Task::Leave(id) => self.blacken(id),
                Task::Visit(id) if self.color(id) == Color::Red => {}
                task if self.is_spent() => {
                    self.held = Some(task);
                    return End::Budget;
                }
                Task::Arrive(arrival) => self.arrive(arrival),
                Task::Visit(id) => self.visit(id),
            }
        }
    }

    fn is_spent(&self) -> bool {
        self.statistics.grey >= self.options.max_states
            || self.frontier.len() >= self.options.max_waiting
    }

    fn arrive(&mut self, arrival: Arrival<S::Label, S::State>) {
        match self.options.aggregate {
            Some(limit) => self.arrive_aggregated(arrival, limit.max(1) as usize),
            None => self.arrive_separately(arrival),
        }
    }

    /// Explores a grey state: its successors arrive, now or (depth-first) one after the other.
    fn visit(&mut self, id: StateId) {
        if self.options.aggregate.is_none() && self.is_covered_meanwhile(id) {
            return;
        }
        let node = &self.nodes[id.index()];
        let mut successors = std::mem::take(&mut self.successors);
        if let Some(state) = &node.state {
            self.space
                .successors(node.at as usize, state, &mut successors);
        }
        self.statistics.expanded += 1;
        self.statistics.successors += successors.len();
        if self.options.aggregate.is_some() {
            self.aggregate_is_explored(id);
        }
        let arrivals = successors.drain(..).map(|successor| Arrival {
            parent: Some((id, successor.label)),
            at: successor.at,
            state: successor.state,
        });
        if let Frontier::Stack(stack) = &mut self.frontier {
            stack.push(Task::Leave(id));
            stack.extend(arrivals.rev().map(Task::Arrive));
        } else {
            arrivals.for_each(|arrival| self.arrive(arrival));
            self.blacken(id);
        }
        self.successors = successors;
    }

    fn blacken(&mut self, id: StateId) {
        self.nodes[id.index()].color = Color::Black;
        self.statistics.black += 1;
    }

    /// Gives a white state a number and colours it grey; an error is recorded.
    pub(crate) fn color_grey(
        &mut self,
        parent: Option<(StateId, S::Label)>,
        at: usize,
        state: S::State,
    ) -> StateId {
        let id = StateId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 states"));
        let is_error = self.space.is_error(at, &state);
        self.statistics.grey += 1;
        self.nodes.push(Node {
            at: at as u32,
            color: Color::Grey,
            is_error,
            parent,
            state: Some(state),
        });
        if is_error {
            self.errors.push(id);
            self.errors_at.entry(at).or_default().push(id);
        }
        id
    }

    /// Colours a state red that was grey and not explored yet.
    pub(crate) fn redden(&mut self, id: StateId) {
        self.nodes[id.index()].color = Color::Red;
        self.statistics.red += 1;
    }

    /// Lets go of a state that the search needs no longer; those of errors stay for the user.
    pub(crate) fn release(&mut self, id: StateId) {
        let node = &mut self.nodes[id.index()];
        if !node.is_error {
            node.state = None;
        }
    }

    pub(crate) fn push(&mut self, id: StateId) {
        let at = self.nodes[id.index()].at as usize;
        self.frontier.push(id, || self.space.rank(at));
    }

    pub(crate) fn is_covered_by(&mut self, by: StateId, at: usize, state: &S::State) -> bool {
        self.statistics.comparisons += 1;
        self.nodes[by.index()]
            .state
            .as_ref()
            .is_some_and(|by| self.space.covers(at, by, state))
    }

    pub(crate) fn does_cover(&mut self, at: usize, state: &S::State, other: StateId) -> bool {
        self.statistics.comparisons += 1;
        self.nodes[other.index()]
            .state
            .as_ref()
            .is_some_and(|other| self.space.covers(at, state, other))
    }

    /// An arriving state that `by` covers: it was grey or black already, or becomes grey and red
    /// at once. Then it needs no number, unless it is an error that was not recorded yet.
    pub(crate) fn arrive_covered(&mut self, arrival: Arrival<S::Label, S::State>, by: StateId) {
        let Arrival { parent, at, state } = arrival;
        if self.does_cover(at, &state, by) {
            self.statistics.known += 1;
            return;
        }
        if self.space.is_error(at, &state) {
            let recorded = self.errors_at.get(&at).cloned().unwrap_or_default();
            let aggregating = self.options.aggregate.is_some();
            let is_recorded = recorded.into_iter().any(|error| {
                self.is_covered_by(error, at, &state)
                    && (aggregating || self.does_cover(at, &state, error))
            });
            if !is_recorded {
                let id = self.color_grey(parent, at, state);
                self.redden(id);
                return;
            }
        }
        self.statistics.grey += 1;
        self.statistics.red += 1;
    }

    /// What the search has cost so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// The error states, in the order found. An error is recorded when it is coloured grey, whether
    /// or not it is covered afterwards; with aggregation only errors of versions of an aggregate
    /// are, and what no error of an aggregate covers.
    pub fn errors(&self) -> &[StateId] {
        &self.errors
    }

    /// The location of a state.
    pub fn at(&self, id: StateId) -> usize {
        self.nodes[id.index()].at as usize
    }

    /// A state, where it was kept: those of errors, grey and black ones without aggregation, and the
    /// newest version of every aggregate always are.
    pub fn state(&self, id: StateId) -> Option<&S::State> {
        self.nodes[id.index()].state.as_ref()
    }

    /// The color of a state.
    pub fn color(&self, id: StateId) -> Color {
        self.nodes[id.index()].color
    }

    /// The states that have a number, in the order of colouring. A state that was covered when it
    /// arrived has one only if it is an error.
    pub fn states(&self) -> impl ExactSizeIterator<Item = StateId> + use<S> {
        (0..self.nodes.len() as u32).map(StateId)
    }

    /// The transition that led to a state; none for an initial state. A difference has that of the
    /// state it is a part of, a merged state that of the state that was merged into it last.
    pub fn parent(&self, id: StateId) -> Option<(StateId, S::Label)> {
        self.nodes[id.index()].parent
    }

    /// The transitions from an initial state to `id`: each with the state that it leaves.
    pub fn path(&self, id: StateId) -> Vec<(StateId, S::Label)> {
        let mut path: Vec<_> =
            std::iter::successors(self.parent(id), |step| self.parent(step.0)).collect();
        path.reverse();
        path
    }

    /// The labels of these transitions.
    pub fn labels(&self, id: StateId) -> Vec<S::Label> {
        self.path(id).into_iter().map(|(_, label)| label).collect()
    }

    /// What is reached at a location: with aggregation the newest versions of its aggregates,
    /// without it the states that are grey or black.
    ///
    /// Once a search without differencing is exhausted, each state that can be reached here is
    /// covered by one of them, if larger states have larger successors. With differencing only
    /// several together need to cover it, and only in the sense of path matching.
    pub fn reached(&self, at: usize) -> impl Iterator<Item = (StateId, &S::State)> {
        let ids = if self.options.aggregate.is_some() {
            self.aggregates.newest(at)
        } else {
            self.separate.reached[at].clone()
        };
        ids.into_iter()
            .filter_map(|id| self.state(id).map(|state| (id, state)))
    }

    /// With aggregation: the version of its aggregate that this one took the place of. Its parent
    /// is another way into the aggregate.
    pub fn previous_version(&self, id: StateId) -> Option<StateId> {
        self.aggregates.previous(id)
    }

    pub(crate) fn is_differencing(&self) -> bool {
        self.options.algorithm == Algorithm::Differencing
    }
}
