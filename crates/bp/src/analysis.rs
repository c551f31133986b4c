//! What is asked of a Boolean program: can the goal be reached, through which statements, and how.

use std::collections::BTreeMap;

use wpds::weights::Relations;
use wpds::{Functional, Query, Symbol, Witness, projection};

use crate::lower::{Model, Node, What};

/// The decision diagrams did not fit into the room that they were given, or a witness is longer than anybody would read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the program is too large: its decision diagrams, or its paths, need more room than they are given"
)]
pub struct Exhausted;

/// A statement of a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step<'m> {
    pub symbol: Symbol,
    pub node: &'m Node,
    /// How many calls deep.
    pub depth: usize,
}

/// Longer witnesses are not shown: a path can be exponentially longer than its program.
const LONGEST: usize = 1_000_000;

/// All answers about a [`Model`].
pub struct Analysis<'m> {
    model: &'m Model,
    query: Query<'m, Relations>,
    inside: Vec<bool>,
}

impl<'m> Analysis<'m> {
    /// post*, pre*, and the error projection.
    pub fn new(model: &'m Model) -> Result<Self, Exhausted> {
        let query = Query::recorded(
            &model.system,
            &model.relations,
            &model.source(),
            &model.target(),
        );
        let inside = projection(
            &query.functional(),
            &model.relations,
            model.system.symbols(),
        );
        if model.relations.vocabulary().exhausted() {
            return Err(Exhausted);
        }
        Ok(Analysis {
            model,
            query,
            inside,
        })
    }

    /// Can the goal be reached?
    pub fn reachable(&self) -> bool {
        self.contains(self.model.goal())
    }

    /// Is a symbol in the error projection?
    pub fn contains(&self, symbol: Symbol) -> bool {
        self.inside
            .get(symbol.index())
            .is_some_and(|inside| *inside)
    }

    fn nodes(&self) -> impl Iterator<Item = (Symbol, &'m Node)> {
        (0u32..).map(Symbol).zip(&self.model.nodes)
    }

    /// Where the goal is reached: the assertions that can fail, or the places of the label.
    pub fn reached(&self) -> Vec<&'m Node> {
        let reached = self.nodes().filter(|(_, node)| node.what == What::Reached);
        reached
            .filter(|(symbol, _)| self.contains(*symbol))
            .map(|(_, node)| node)
            .collect()
    }

    /// The statements, and the ends of functions, in the order of the text: is each in the error projection?
    pub fn statements(&self) -> Vec<(&'m Node, bool)> {
        let mut all: Vec<(&Node, bool)> = self
            .nodes()
            .filter(|(_, node)| matches!(node.what, What::Statement | What::End))
            .map(|(symbol, node)| (node, self.contains(symbol)))
            .collect();
        all.sort_by_key(|(node, _)| node.place);
        all
    }

    /// The lines that have statements: is one of them in the error projection?
    pub fn lines(&self) -> BTreeMap<u32, bool> {
        let mut lines = BTreeMap::new();
        for (node, inside) in self.statements() {
            *lines.entry(node.place.line).or_insert(false) |= inside;
        }
        lines
    }

    /// A path to the goal; nothing if there is none.
    pub fn witness(&self) -> Result<Option<Vec<Step<'m>>>, Exhausted> {
        self.witness_through(self.model.goal())
    }

    /// A path to the goal through a line; nothing if there is none.
    pub fn witness_through_line(&self, line: u32) -> Result<Option<Vec<Step<'m>>>, Exhausted> {
        let there = self.nodes().find(|(symbol, node)| {
            let statement = matches!(node.what, What::Statement | What::End);
            statement && node.place.line == line && self.contains(*symbol)
        });
        match there {
            Some((symbol, _)) => self.witness_through(symbol),
            None => Ok(None),
        }
    }

    fn witness_through(&self, symbol: Symbol) -> Result<Option<Vec<Step<'m>>>, Exhausted> {
        if !self.contains(symbol) {
            return Ok(None);
        }
        let functional: Functional<'_, _> = self.query.functional();
        let witness = self.query.witness_through(&functional, symbol, LONGEST);
        // What is in the projection has a witness, unless it is too long, or the room was at its end.
        match witness {
            Some(witness) if !self.model.relations.vocabulary().exhausted() => {
                Ok(Some(self.steps(&witness)))
            }
            _ => Err(Exhausted),
        }
    }

    /// The statements on a path, in order.
    fn steps(&self, witness: &Witness<wpds::weights::RelationWeight>) -> Vec<Step<'m>> {
        let mut steps = Vec::new();
        self.model
            .system
            .walk(&witness.start, &witness.rules, |_, _, stack| {
                if let Some(symbol) = stack.last().copied()
                    && let Some(node) = self.model.nodes.get(symbol.index())
                    && matches!(node.what, What::Statement | What::End)
                {
                    steps.push(Step {
                        symbol,
                        node,
                        depth: stack.len() - 1,
                    });
                }
            });
        steps
    }
}
