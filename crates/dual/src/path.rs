//! One path through a function: what is known, and what memory holds.

use crate::facts::{Facts, Range};
use crate::linear::{Linear, Symbol};
use crate::memory::Memory;

/// The states of all runs that went the same way.
#[derive(Clone, Debug, Default)]
pub struct Path {
    pub facts: Facts,
    pub memory: Memory,
}

/// Paths with something that was computed on each.
pub type Paths<T> = smallvec::SmallVec<[(Path, T); 1]>;

impl Path {
    /// With one more fact: the form is not negative. None if that cannot be.
    pub fn where_not_negative(mut self, form: Option<Linear>) -> Option<Path> {
        // What is too large to be said is not said.
        if let Some(form) = form {
            self.facts.add_not_negative(form);
        }
        (!self.facts.is_contradiction()).then_some(self)
    }

    /// With one more fact: the form is zero. None if that cannot be.
    pub fn where_zero(mut self, form: Option<Linear>) -> Option<Path> {
        if let Some(form) = form {
            self.facts.add_zero(form);
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
