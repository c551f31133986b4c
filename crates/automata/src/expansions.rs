//! What the ascent's last states became, for the descent.
//!
//! The descent goes once more through a body, from the states at loop heads. Most states that it
//! meets are those that the ascent explored last at the same location: before the first loop all of
//! them are, and behind a loop head those that widening did not make larger. What becomes of these
//! is known, with what every check on the way was answered.

use crate::checks::Answer;
use crate::project::Entered;
use crate::state::State;
use ir::CheckId;
use smallvec::SmallVec;

/// What states on the way from a location to the next ones said.
#[derive(Default)]
pub struct Told {
    /// Of the checks; one can be there several times.
    pub answers: Vec<(CheckId, Answer)>,
    /// Of the functions that are entered, as far as it makes a difference to them.
    pub entered: Vec<Entered>,
}

/// A state at a location, and what became of it on the ways to the next ones.
pub struct Expansion {
    pub state: State,
    /// What was asked on the way.
    pub told: Told,
    /// Where it led, with the states there, in the order of the edges.
    pub leaves: Vec<(usize, State)>,
}

/// The expansions by location.
pub struct Expansions {
    at: Vec<SmallVec<[(u64, Expansion); 1]>>,
    most: usize,
}

impl Expansions {
    /// At most so many at each location.
    pub fn new(locations: usize, most: usize) -> Expansions {
        Expansions {
            at: (0..locations).map(|_| SmallVec::new()).collect(),
            most,
        }
    }

    /// Keeps one, in place of an earlier one of the same class: states of a class are merged, so
    /// that one was a part of this.
    pub fn keep(&mut self, at: usize, class: u64, expansion: Expansion) {
        let here = &mut self.at[at];
        if let Some(i) = here.iter().position(|(known, _)| *known == class) {
            here[i].1 = expansion;
        } else {
            if here.len() == self.most {
                here.remove(0);
            }
            here.push((class, expansion));
        }
    }

    /// What became of exactly this state.
    pub fn find(&self, at: usize, state: &State) -> Option<&Expansion> {
        let here = self.at[at].iter().map(|(_, expansion)| expansion);
        here.rev().find(|expansion| expansion.state == *state)
    }
}
