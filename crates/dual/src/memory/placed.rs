//! A number at a place that depends on the run: `a[n] = key`.
//!
//! Cells lie where constants say. Of a write elsewhere it is forgotten what the object held; but what was written is known, and
//! where: so many bytes from the beginning, as a form. It stands until something else is written that may be the same place. Of
//! each object the last such number is kept. That is enough for a sentinel: a search that stops at `key` stops at `n`.

use super::Memory;
use crate::linear::Linear;
use crate::value::Object;

/// What was written where only a variable says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Bytes from the beginning of the object.
    pub offset: Linear,
    /// How many bytes it takes.
    pub bytes: i128,
    pub number: Linear,
}

impl Placed {
    /// How far it is from there to so many bytes at an offset: there, or surely not even in part; none if nobody knows.
    pub fn distance(&self, offset: &Linear, bytes: i128) -> Option<Linear> {
        let distance = offset.minus(&self.offset)?;
        let whole = bytes == self.bytes && bytes > 0 && distance.divisor() % bytes == 0;
        whole.then_some(distance)
    }
}

impl Memory {
    /// The number that lies somewhere in an object.
    pub fn placed(&self, object: &Object) -> Option<&Placed> {
        self.objects.get(object)?.placed.as_ref()
    }

    /// A number lies there now, or still. (That it was written is said by [`Memory::hide`] or [`Memory::write`].)
    pub fn place(&mut self, object: &Object, placed: Option<Placed>) {
        if *object != Object::Somewhere {
            self.contents(object).placed = placed;
        }
    }

    /// The forms of what lies somewhere in objects.
    pub fn placed_forms(&self) -> impl Iterator<Item = &Linear> {
        let all = self.objects.values();
        let all = all.filter_map(|contents| contents.placed.as_ref());
        all.flat_map(|placed| [&placed.offset, &placed.number])
    }

    pub(super) fn placed_mut(&mut self) -> impl Iterator<Item = &mut Placed> {
        let all = self.objects.values_mut();
        all.filter_map(|contents| contents.placed.as_mut())
    }
}
