//! Weighted pushdown systems: what can a program with calls do, on any path, on all paths through a node?
//!
//! Lal, Kidd, Reps and Touili, *Abstract Error Projection*; section numbers in this crate are those of the paper. The
//! crate knows semirings, stacks and automata. It must not know programs, rules or files.
//!
//! A program is a [`System`]: its nodes are stack symbols, its statements rules, and the stack has the places to return to.
//! What statements do is a weight of a [`Semiring`]; weights along a path are multiplied, those of different paths added. The
//! answers are read off two automata, post*(S) and pre*(T), which have the weights of infinitely many paths, and off their
//! intersection, a [`Functional`] automaton (§4). A [`Query`] holds them together:
//!
//! ```
//! use wpds::weights::{Bit, Relations};
//! use wpds::{Configuration, Language, Query, Semiring, State, System};
//!
//! // One bit, `locked`. main: `a: lock(); b: if (*) lock(); c: …`; lock: `l: assert !locked; m: locked = 1`.
//! let relations = Relations::plain(1);
//! let v = relations.vocabulary();
//! let locked = Bit(0);
//! let one = relations.one();
//! let mut program = System::new(1);
//! let [start, a, b, c, l, m, failed] = std::array::from_fn(|_| program.symbol());
//! program.step(start, a, relations.assign(&v.constant(true), &[(locked, Some(v.constant(false)))]));
//! program.push(a, l, b, one);
//! program.push(b, l, c, one);
//! program.step(b, c, one);
//! program.step(l, m, relations.assume(&v.not(&v.now(locked))));
//! program.step(l, failed, relations.assume(&v.now(locked)));
//! program.pop(m, relations.assign(&v.constant(true), &[(locked, Some(v.constant(true)))]));
//!
//! let source = Language::configuration(1, &Configuration { state: State(0), stack: vec![start] });
//! let target = Language::on_top(1, failed);
//! let query = Query::recorded(&program, &relations, &source, &target);
//!
//! // The error projection: `c` is the only node that no error path passes.
//! let inside = query.projection();
//! assert!([start, a, b, l, m, failed].iter().all(|node| inside[node.index()]));
//! assert!(!inside[c.index()]);
//!
//! // A witness through `m`: it calls `lock` twice.
//! let functional = query.functional();
//! let witness = query.witness_through(&functional, m, 1000).unwrap();
//! assert_eq!(witness.rules.len(), 6);
//!
//! // In which stores does `l` lead to a failure? In both: it is passed twice.
//! let stores = wpds::stores::exact(&functional, &relations, [l, m]);
//! assert_eq!(*stores[0].formula(), v.constant(true));
//! assert_eq!(*stores[1].formula(), v.not(&v.now(locked)));
//! ```
//!
//! | module | what it has |
//! | --- | --- |
//! | `semiring` | [`Semiring`], [`Tests`] (questions about weights that have sums), [`Stores`] |
//! | `system`, `language`, `automaton` | rules and configurations; sets of them; functions from them to weights |
//! | `post`, `pre`, `saturate`, `order` | the two saturations, what they share, and in which order they work |
//! | `functional`, `summary` | `A_post* ◁ A_pre*`, chopping queries, bottlenecks |
//! | `projection` | error projections, in three ways; double-pre* to compare with |
//! | `witness` | derivations as a DAG, and paths that are read off it (§5.1) |
//! | [`stores`] | the stores of failing paths at a node: membership, exact, under, over (§5.2) |
//! | [`processes`] | context switches that make a process fail (§7.2) |
//! | [`weights`] | Boolean, shortest path, relations as decision diagrams, pairs |

mod automaton;
mod functional;
mod ids;
mod language;
mod order;
mod post;
mod pre;
pub mod processes;
mod projection;
mod query;
mod saturate;
mod semiring;
pub mod stores;
mod summary;
mod system;
pub mod weights;
mod witness;

pub use automaton::{Automaton, Direction, Transition};
pub use functional::Functional;
pub use ids::{RuleId, State, Symbol, TransitionId};
pub use language::{Language, Letter};
pub use post::post_star;
pub use pre::pre_star;
pub use projection::{
    chop_by_double_pre_star, projection, projection_by_chops, projection_by_witnesses,
    projection_with,
};
pub use query::Query;
pub use saturate::Saturated;
pub use semiring::{Kinds, Semiring, Stores, Tests};
pub use system::{Configuration, Right, Rule, System};
pub use witness::{Derivation, Derivations, Part, Parts, Witness};
