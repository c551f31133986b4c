//! The precise least solution of an interval equation system, without widening, by strategy
//! iteration (Gawlitza and Seidl, "Precise fixpoint computation through strategy iteration",
//! ESOP 2007).
//!
//! **Bounds.** An interval is the pair of its negated lower and its upper end, both of which grow
//! as the interval grows; the empty interval has the bound -∞ on both sides. Every expression of
//! the system is a node with two such unknowns. A bound of `a ⊔ b` is a maximum, of `a ⊓ b` a
//! minimum, of `a + b` a sum, of a product a maximum of products.
//!
//! **Strategies.** A *rule* says for one bound which operand of its maximum it
//! follows. With a rule for each bound, only minima are left. The solver goes up from the empty
//! valuation, in two kinds of steps that both stay below the least solution:
//!
//! - *raise*: a node is evaluated under the current valuation and takes the value. If the rule of
//!   a bound does not give it, the bound switches to a rule that does (an improvement).
//! - *accelerate*: the current rules are solved as a whole, for their **greatest** solution:
//!   all bounds start from +∞ and sink, as in Bellman and Ford's algorithm. What does not sink is
//!   +∞ indeed. So `x = 0; while (x < 1000000) x++` takes as long as with 10.
//!
//! **Why the greatest solution of the rules is right.** Say that an edge of the rules' dependency
//! graph has slack if the bound is less than its operand makes it. A bound switches only to a rule
//! that gives it strictly more, so all new cycles have slack somewhere. A raise moves slack to the
//! edges that read the raised bound, and loses none, since every operation has a slope of at least
//! 1 in each operand. So every cycle has slack, forever: going round it gives more than one started
//! with. Hence a bound cannot owe a finite value to itself, a solution above the current valuation
//! is unique, and so the least one, which lies below the least solution of the system, is the
//! greatest, which n rounds of sinking find.
//!
//! **Emptiness.** A node is empty while an operand of its sum, product or meet is, or while its
//! meet's ends cross; then both of its bounds are -∞, and nothing follows them. Ends that do not
//! cross under the current valuation never do later, so a node that is active stays so.
//!
//! **Products.** If one factor is known when the component of the other is solved, the bounds of
//! the product are maxima of multiples of bounds, and exact. If both are part of one loop, a
//! positive bound is a product of two bounds that are at least 1: slope at least 1, exact as well.
//! A negative bound of such a product (an upper end below zero) follows its current value as a
//! constant, and after [`SNAPSHOTS`] improvements goes to 0. This, several guards that fail at once
//! (below), and numbers beyond `i128` are all that is over-approximated.
//!
//! **Guards.** `φ : range` ([`Interval::guarded`]) is solved optimistically, as φ. If φ's solution
//! lies in the range for all guards, it is a solution of the guarded equations as well, so their
//! least solution lies below it. Where it does not, that guard is replaced by its range and the
//! component is solved again: the range is above whatever the guard can be, so the result lies
//! above the least solution. It is exact if the first guard to fail is the only one; of several
//! that fail at once, some might have held.
//!
//! The system is solved component by component (Tarjan), each from its operands up.

mod component;
mod graph;
mod rules;

use crate::interval::Interval;
use crate::system::{System, Valuation};
use component::Component;
use graph::Graph;
use std::hash::Hash;

/// How often a negative bound of a product within a loop may improve before it becomes 0.
pub const SNAPSHOTS: u32 = 32;

/// What a solution took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort {
    /// Evaluations of one node.
    pub raises: usize,
    /// Systems of rules solved.
    pub accelerations: usize,
    /// Evaluations of one bound's rule within these.
    pub relaxations: usize,
}

/// The least solution of the system; in the exceptions that the module names, one above it. In any
/// case no expression leaves the value of its variable.
pub fn solve<V: Copy + Eq + Hash + Ord>(system: &System<V>) -> Valuation<V> {
    solve_counted(system).0
}

/// The least solution, and what it took.
pub fn solve_counted<V: Copy + Eq + Hash + Ord>(system: &System<V>) -> (Valuation<V>, Effort) {
    let (graph, variables) = Graph::of(system);
    let mut values = vec![Interval::EMPTY; graph.operations.len()];
    let mut effort = Effort::default();
    for component in graph.components() {
        Component::new(&graph, &component, &mut values, &mut effort).solve();
    }
    let valuation = variables
        .into_iter()
        .map(|(variable, node)| (variable, values[node as usize]))
        .collect();
    (valuation, effort)
}
