//! One path through a function: what is known, and what memory holds.

use crate::facts::{Facts, Range};
use crate::linear::{Linear, Symbol};
use crate::memory::Memory;
use ir::PlaceId;
use smallvec::SmallVec;

/// The states of all runs that went the same way.
#[derive(Clone, Debug, Default)]
pub struct Path {
    pub facts: Facts,
    pub memory: Memory,
    /// Somewhere it went this way without a fact that says why: another run with the same inputs may go another.
    pub guessed: bool,
    /// Places that were found to be initialised, until the next statement.
    pub checked: SmallVec<[PlaceId; 2]>,
    /// Of a path that failed: the how many-th way to fail that its check has (before an object, behind its end).
    pub way: Way,
}

/// A way to fail at a check.
pub type Way = u8;

/// Paths with something that was computed on each.
pub type Paths<T> = smallvec::SmallVec<[(Path, T); 1]>;

impl Path {
    /// It goes this way, and might go another.
    pub fn guess(mut self) -> Path {
        self.guessed = true;
        self
    }

    /// How much is known on it.
    pub fn size(&self) -> usize {
        1 + self.facts.size() + self.memory.size()
    }

    /// At its end: nobody asks what memory holds there.
    pub fn ended(&self) -> Path {
        Path {
            facts: self.facts.clone(),
            guessed: self.guessed,
            way: self.way,
            ..Path::default()
        }
    }

    /// With one more fact: the form is not negative. None if that cannot be.
    pub fn where_not_negative(mut self, form: Option<Linear>) -> Option<Path> {
        // What is too large to be said is not said.
        match form {
            Some(form) => self.facts.add_not_negative(form),
            None => self.guessed = true,
        }
        (!self.facts.is_contradiction()).then_some(self)
    }

    /// With one more fact: the form is zero. None if that cannot be.
    pub fn where_zero(mut self, form: Option<Linear>) -> Option<Path> {
        match form {
            Some(form) => self.facts.add_zero(form),
            None => self.guessed = true,
        }
        (!self.facts.is_contradiction()).then_some(self)
    }

    /// A symbol lies in this range.
    pub fn within(&mut self, symbol: Symbol, range: Range) {
        self.facts.within(symbol, range);
    }

    /// Is the form surely within the range?
    pub fn surely_within(&self, form: &Linear, range: Range) -> bool {
        let least = range.least.is_none_or(|least| {
            form.plus_constant(-least)
                .is_some_and(|above| self.facts.is_surely_not_negative(&above))
        });
        least
            && range.most.is_none_or(|most| {
                Linear::constant(most)
                    .minus(form)
                    .is_some_and(|below| self.facts.is_surely_not_negative(&below))
            })
    }
}
