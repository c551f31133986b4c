//! What a search asks of the graph it searches (§2.1).
//!
//! The theorems rest on one promise, *path matching*: where [`Space::covers`] says that `by` covers
//! `state`, every path of length k from `state` to an error is matched by a path of length at most
//! k from `by` to an error. Without the bound on the length two states could each be left to the
//! other, for ever (`tests/counterexamples.rs` shows it).

/// One transition out of a state.
#[derive(Clone, Debug)]
pub struct Successor<L, S> {
    /// Which transition it is.
    pub label: L,
    /// The location it leads to.
    pub at: usize,
    /// The state it leads to.
    pub state: S,
}

/// A graph of states, each at a location, some of which are errors.
///
/// Methods that make states take `&mut self`, so that a space can keep tables of its own.
pub trait Space {
    /// What is known at a location, without the location.
    type State: Clone;
    /// Which transition was taken.
    type Label: Copy;

    /// Locations are `0..locations()`.
    fn locations(&self) -> usize;

    /// Appends the states that a search starts from, with their locations.
    fn initial(&mut self, out: &mut Vec<(usize, Self::State)>);

    /// Appends the successors of a state; a depth-first search takes them in this order. An error
    /// state is asked like any other.
    fn successors(
        &mut self,
        at: usize,
        state: &Self::State,
        out: &mut Vec<Successor<Self::Label, Self::State>>,
    );

    /// Is this an error state?
    fn is_error(&self, at: usize, state: &Self::State) -> bool;

    /// Path matching: whatever error path of length k starts in `state`, one of length at most k
    /// starts in `by`. Must be reflexive, and should be transitive. `false` is always allowed
    /// where the two differ.
    fn covers(&self, at: usize, by: &Self::State, state: &Self::State) -> bool;

    /// States that together with `reached` cover `state`, and each of which `state` covers.
    /// `None`: there is no useful difference, and `state` itself is to be explored.
    fn difference(
        &self,
        at: usize,
        state: &Self::State,
        reached: &Self::State,
    ) -> Option<Vec<Self::State>>;

    /// Aggregation: one state that covers both. `times` is how often this aggregate was merged
    /// before; where the states of a location could grow for ever, the space must use it to widen.
    fn merge(
        &mut self,
        at: usize,
        reached: &Self::State,
        state: &Self::State,
        times: u32,
    ) -> Self::State;

    /// Under aggregation states of different classes are kept apart, as long as there is room.
    fn class(&self, _at: usize, _state: &Self::State) -> u64 {
        0
    }

    /// Must a path be prevented from visiting this location with ever growing states? Asked without
    /// aggregation only.
    fn is_loop_head(&self, _at: usize) -> bool {
        false
    }

    /// A state that covers `state`, to be explored in its place; of such states a path must meet
    /// only finitely many. `earlier` is the state with which the path visited the loop head `at`
    /// last, `times` how often it had been there before that visit. Used without aggregation only.
    fn widen(
        &mut self,
        at: usize,
        earlier: &Self::State,
        state: Self::State,
        times: u32,
    ) -> Self::State;

    /// Position in [`Order::Topological`](crate::Order::Topological).
    fn rank(&self, at: usize) -> u32 {
        at as u32
    }

    /// A number that is equal for states that cover each other. A good hash makes
    /// [`Algorithm::Plain`](crate::Algorithm::Plain) quick to see which states it visited already.
    fn fingerprint(&self, _at: usize, _state: &Self::State) -> u64 {
        0
    }
}
