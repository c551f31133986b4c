//! The states of a node, cut by facts: what is asked of several edges of the node is computed once.
//!
//! A node has some states, and each is cut to all combinations of a few facts. Most of the work of a projection is here, and
//! most of it would be done more than once: both edges of a branch ask for the same cubes, and where one state has shown already that the edge can do
//! anything in a cube, the other states of the node have nothing to add.

use crate::relate::{Cube, FactNo};
use automata::State;
use ir::NodeId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Values of the first facts of a list: a cube, without the names of its facts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Corner {
    /// So many have a value.
    pub facts: usize,
    /// The first fact's is the highest bit.
    values: u64,
}

impl Corner {
    pub fn with(self, value: bool) -> Corner {
        Corner {
            facts: self.facts + 1,
            values: self.values << 1 | u64::from(value),
        }
    }

    /// Without the last fact; none if there is none.
    fn without(self) -> Option<Corner> {
        let facts = self.facts.checked_sub(1)?;
        let values = self.values >> 1;
        Some(Corner { facts, values })
    }

    /// The same with the other value of the last fact.
    fn beside(self) -> Corner {
        Corner {
            values: self.values ^ 1,
            ..self
        }
    }

    pub fn cube(self, facts: &[FactNo]) -> Cube {
        let named = facts.iter().take(self.facts).enumerate();
        let value = |i: usize| self.values >> (self.facts - 1 - i) & 1 == 1;
        named.map(|(i, fact)| (*fact, value(i))).collect()
    }
}

/// Corners of which all is known.
#[derive(Debug, Default)]
pub struct Known(FxHashSet<Corner>);

impl Known {
    /// Is it one of them? Its parts are asked for one by one, so what it is a part of need not be looked for.
    pub fn has(&self, corner: Corner) -> bool {
        self.0.contains(&corner)
    }

    /// One more. Of a corner all is known if that is so with either value of the next fact.
    pub fn add(&mut self, mut corner: Corner) {
        while self.0.insert(corner)
            && self.0.contains(&corner.beside())
            && let Some(without) = corner.without()
        {
            corner = without;
        }
    }
}

/// The states of one node, by their number, cut to corners of some facts.
#[derive(Debug, Default)]
pub struct Cut {
    at: Option<(NodeId, Vec<FactNo>)>,
    /// None: no run is so.
    made: FxHashMap<(usize, Corner), Option<State>>,
}

impl Cut {
    /// Goes to a node, unless it is there already.
    pub fn at(&mut self, node: NodeId, facts: &[FactNo], states: &[State]) {
        let same = |(at, with): &(NodeId, Vec<FactNo>)| *at == node && with == facts;
        if self.at.as_ref().is_some_and(same) {
            return;
        }
        self.at = Some((node, facts.to_vec()));
        self.made.clear();
        let states = states.iter().cloned().enumerate();
        self.made
            .extend(states.map(|(i, st)| ((i, Corner::default()), Some(st))));
    }

    pub fn state(&self, i: usize, corner: Corner) -> Option<State> {
        self.made.get(&(i, corner))?.clone()
    }

    /// Cuts a state that is there by one more fact: the corners in which runs are left.
    pub fn further(
        &mut self,
        i: usize,
        corner: Corner,
        split: impl FnOnce(State) -> [(bool, Option<State>); 2],
    ) -> impl Iterator<Item = Corner> {
        let (yes, no) = (corner.with(true), corner.with(false));
        if !self.made.contains_key(&(i, yes))
            && let Some(st) = self.state(i, corner)
        {
            for (value, part) in split(st) {
                self.made.insert((i, corner.with(value)), part);
            }
        }
        let any = |corner| matches!(self.made.get(&(i, corner)), Some(Some(_)));
        let left = [(yes, any(yes)), (no, any(no))];
        left.into_iter()
            .filter_map(|(corner, any)| any.then_some(corner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_with_either_value_is_known_without() {
        let no = Corner::default();
        let (yes_no, yes_yes) = (no.with(true).with(false), no.with(true).with(true));
        let mut known = Known::default();
        known.add(yes_no);
        assert!(known.has(yes_no) && !known.has(no.with(true)));
        known.add(yes_yes);
        assert!(known.has(no.with(true)) && !known.has(no));
        known.add(no.with(false));
        assert!(known.has(no));
    }

    #[test]
    fn corners_name_their_facts() {
        let corner = Corner::default().with(true).with(false);
        assert_eq!(corner.cube(&[7, 3, 5]), vec![(7, true), (3, false)]);
    }
}
