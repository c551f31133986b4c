//! Interval automata (§3, Definition 1): locations, and edges that update interval variables.
//!
//! Two things are more general than in the paper. An edge may have several updates, which happen at
//! the same time: `assume x < y` restricts both. And a variable has a *range*: an interval that
//! holds all values it can ever have, at any location. Where nothing is known of a variable, at the
//! start of a word or of a fragment, it is its range (the paper has `[-∞, ∞]`). Whoever makes the
//! automaton promises that no update leaves the range of its variable; all that is said of words
//! rests on this.

use crate::expression::{ExpressionId, Expressions};
use crate::interval::Interval;

/// A variable of an [`Automaton`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Variable(pub u32);

/// A location of an [`Automaton`]; any number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location(pub u32);

/// An edge of an [`Automaton`]. A word is a slice of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge(pub u32);

/// `variable' = value`; a run goes on only if the value is not empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Update {
    pub variable: Variable,
    /// In [`Automaton::expressions`].
    pub value: ExpressionId,
}

#[derive(Clone, Debug)]
struct EdgeData {
    target: Location,
    updates: Vec<Update>,
}

#[derive(Clone, Debug, Default)]
pub struct Automaton {
    /// The right-hand sides of all updates.
    pub expressions: Expressions<Variable>,
    ranges: Vec<Interval>,
    edges: Vec<EdgeData>,
    /// For each variable the edges that update it.
    writers: Vec<Vec<Edge>>,
}

impl Automaton {
    pub fn new() -> Self {
        Automaton::default()
    }

    /// A new variable; `range` must hold all values it can ever have.
    pub fn add_variable(&mut self, range: Interval) -> Variable {
        self.ranges.push(range);
        self.writers.push(Vec::new());
        Variable(self.ranges.len() as u32 - 1)
    }

    /// A new edge; edges are numbered from 0. Of several updates of one variable only the
    /// first counts.
    pub fn add_edge(
        &mut self,
        target: Location,
        updates: impl IntoIterator<Item = Update>,
    ) -> Edge {
        let edge = Edge(self.edges.len() as u32);
        let mut kept: Vec<Update> = Vec::new();
        for update in updates {
            if kept.iter().all(|k| k.variable != update.variable) {
                kept.push(update);
                self.writers[update.variable.0 as usize].push(edge);
            }
        }
        self.edges.push(EdgeData {
            target,
            updates: kept,
        });
        edge
    }

    pub fn range(&self, variable: Variable) -> Interval {
        self.ranges[variable.0 as usize]
    }

    pub fn variable_count(&self) -> usize {
        self.ranges.len()
    }

    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    pub fn target(&self, edge: Edge) -> Location {
        self.edges[edge.0 as usize].target
    }

    pub fn updates(&self, edge: Edge) -> &[Update] {
        &self.edges[edge.0 as usize].updates
    }

    /// The edges that update the variable, in their order.
    pub fn writers(&self, variable: Variable) -> &[Edge] {
        &self.writers[variable.0 as usize]
    }
}
