//! The generic search for error states of the Orion paper (§2.1), and the lifting of its operations
//! to products of automata (§2.2).
//!
//! A [`Space`] is a graph of states, each at a location; some states are errors. A [`Search`]
//! colours states: *white* ones were not seen yet, *grey* ones wait or are being explored, *black*
//! ones are explored, and *red* ones need no exploration, because grey and black ones cover them:
//! whatever error can be reached from a red state can be reached as quickly from those.
//! The three algorithms differ only in what may become red ([`Algorithm`]). Every state
//! remembers the transition that led to it, so an error state yields its path at once.
//!
//! This crate knows neither programs nor rules: it depends on no other crate of the workspace.
//!
//! # Aggregation that loses nothing
//!
//! With [`Options::aggregate`] the states of a location are merged into few. The paper merges only
//! what it *compares* with, and goes on exploring the states as they arrived: then the merged
//! state may cover a state that nobody explored, and errors are missed (§3.2). Here the merged
//! state itself is what is explored. Nothing is lost that way; what may happen instead is
//! that the merged state reaches an error that none of its parts reaches.
//!
//! The path of a merged state is that of the state merged into it last. It is a path of the graph, but
//! an error may owe itself to a state that was merged before;
//! [`Search::previous_version`] leads to the other ways into an aggregate.

mod aggregates;
mod bounds;
mod frontier;
mod names;
mod options;
mod product;
mod search;
mod separate;
mod space;

pub use bounds::{Bounds, Interval};
pub use names::Names;
pub use options::{Algorithm, End, Options, Order, Statistics};
pub use product::Component;
pub use search::{Color, Search, StateId};
pub use space::{Space, Successor};
