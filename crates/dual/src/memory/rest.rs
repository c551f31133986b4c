//! Was it written? Of the cells of an object one by one, of the rest of it as a whole.

use super::{Contents, Memory};
use crate::input::Given;
use crate::value::{Object, Value};

/// On what it depends whether a scalar was written. (Of one that surely was, there is none.)
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// If this one was, when the function began; and only then.
    Given(Given),
    /// If all of the object was, when the function began, that a pointer leads to, or that a global is; if not, nobody knows.
    Filled(Given),
    /// Nobody knows.
    Maybe,
    /// It was not.
    Never,
}

/// Was what is not among the cells of an object written? Of two paths the later answer holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rest {
    /// All of it, since the function began.
    Written,
    /// What was so in the beginning, and whatever was put there since.
    #[default]
    Kept,
    /// What nobody has written may have been put there.
    Spoiled,
}

impl Contents {
    /// Something was put there; if it is `sure`, nothing that nobody has written.
    pub(super) fn spoil_unless(&mut self, sure: bool) {
        if !sure {
            self.rest = Rest::Spoiled;
        }
    }

    /// Was nothing put there that nobody has written?
    pub fn is_unspoiled(&self) -> bool {
        self.rest != Rest::Spoiled
    }

    /// Was all of it written since the function began?
    pub fn is_written(&self) -> bool {
        self.rest == Rest::Written
    }

    /// Bits of it that are known to have been written, cell by cell.
    fn written_bits(&self) -> u64 {
        let cells = self.cells.iter();
        let is_sure =
            |part, value: &Value| *value != Value::Undefined && self.unsure(part).is_none();
        let sure = cells.filter(|(part, value)| is_sure(**part, value));
        sure.map(|(part, _)| u64::from(part.bits)).sum()
    }
}

impl Memory {
    /// What is known of an object that the path does not mention.
    pub(super) fn unknown(&self, object: &Object) -> Contents {
        let mut contents = Contents {
            touched: object.is_outside() && self.outside_touched,
            ..Contents::default()
        };
        contents.spoil_unless(!object.is_outside() || !self.outside_unfilled);
        contents
    }

    /// Was all of the object written, which is so many bits long?
    pub fn rest(&self, object: &Object, bits: Option<u64>) -> Rest {
        match self.objects.get(object) {
            Some(contents) if bits.is_some_and(|bits| bits <= contents.written_bits()) => {
                Rest::Written
            }
            Some(contents) => contents.rest,
            None => self.unknown(object).rest,
        }
    }

    /// All of the object has been written.
    pub fn fill(&mut self, object: &Object) {
        if *object != Object::Somewhere {
            self.contents(object).rest = Rest::Written;
        }
    }

    /// What was written to the object last, nobody may have written: whatever may be the same is not surely initialised.
    pub fn spoil(&mut self, object: &Object) {
        if object.is_outside() {
            self.hide_exposed(Some(object), false);
        }
        if *object != Object::Somewhere {
            self.contents(object).spoil_unless(false);
        }
    }

    /// Was nothing that nobody has written put nobody knows where?
    pub fn is_unspoiled(&self) -> bool {
        !self.outside_unfilled
    }
}
