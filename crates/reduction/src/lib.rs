//! Path reduction (Fehnker, Huuck and Seefried, "Incremental False Path Elimination for Static
//! Software Analysis"): what one infeasible path says about others.
//!
//! A path is a word of edges of an [`Automaton`] whose edges update interval variables (§3). The
//! word's interval equations ([`word::equations`], §4.2) have a *precise least solution*
//! ([`strategy::solve`]), which no widening blurs; where it is empty, the word is infeasible. The
//! smallest fragments of the word that are infeasible by themselves are its [`conflict`]s (§4.3),
//! and of each an [`Observer`] is made (§4.4), which accepts every word that runs into the same
//! conflict. A search that drops what an observer accepts loses no feasible path.
//!
//! What this crate knows: intervals, equations, words. Only [`program`] knows the CFA. What it must
//! not know: how paths are found, which rule they break, other provers, files, the clock.

pub mod automaton;
pub mod conflict;
pub mod core;
pub mod expression;
pub mod interval;
pub mod observer;
pub mod program;
pub mod strategy;
pub mod system;
pub mod watch;
pub mod word;

pub use automaton::{Automaton, Edge, Location, Update, Variable};
pub use conflict::{Conflict, Conflicts, Found, conflicts};
pub use expression::{ExpressionId, Expressions, Node};
pub use interval::Interval;
pub use observer::{Observer, Observers, Progress, State, States};
pub use program::Abstraction;
pub use system::{System, Valuation};
pub use watch::{Learnt, Watch, Watched};
pub use word::Instance;
