//! Recursive state machines, and their analysis from scratch and after edits: the algorithms of
//! Conway, Namjoshi, Dams and Edwards, *Incremental Algorithms for Inter-procedural Analysis of Safety
//! Properties*.
//!
//! A program is a [`Machine`]: functions that call each other. A [`Property`] is an automaton that runs
//! along matched calls and returns. [`full`] finds the errors and keeps what it did as a
//! derivation [`Graph`]; after an edit, [`incremental_forward`] gives exactly the graph that [`full`] would
//! give, without computing a transition twice, and [`incremental_backward`] gives the same errors while
//! looking only at what the edit can reach. [`Paths`] explain errors.
//!
//! The crate knows neither programs nor what their states mean: it depends on no other crate of the workspace.
//!
//! | module | what | paper |
//! | --- | --- | --- |
//! | `machine` | the program and the automaton, as traits | §2 |
//! | `explore`, `follow`, `work` | the workset algorithm | Fig. 3, Fig. 4 |
//! | `full` | from scratch | §2, Theorem 1 |
//! | `graph` | the derivation graph | §3 |
//! | `change`, `recall` | what is different, and what is still known | §3 |
//! | `forward` | IncrFwd | §3, Theorem 2 |
//! | `components`, `backward`, `retrace` | IncrBack | §4, Theorem 3 |
//! | `rounds` | a bound on the contexts of a function | ours |
//! | `lengths`, `path` | error paths | ours |

mod backward;
mod change;
mod components;
mod explore;
mod follow;
mod forward;
mod full;
mod graph;
mod lengths;
mod machine;
mod path;
mod recall;
mod retrace;
mod rounds;
mod work;

pub use backward::incremental_backward;
pub use change::{Changes, Correspondence, FunctionChange, correspond};
pub use components::{call_graph, components};
pub use forward::incremental_forward;
pub use full::full;
pub use graph::{
    Configuration, Derivation, FunctionGraph, Graph, Plan, Point, PointId, Return, StateId,
    Summary, Through, Transition,
};
pub use lengths::{Length, Paths};
pub use machine::{
    Action, Counts, Edge, EdgeId, EdgeKey, Exit, FunctionId, Limits, Machine, Malformed, NodeId,
    Place, Property, Shape,
};
pub use path::{Path, Step};
pub use retrace::retrace;
pub use rounds::Analysis;
