//! Pointers: may it be null, and what does it point to.
//!
//! A target is an object of the analysis (a variable, a global, what was last allocated at a
//! place, what a pointer of unknown origin points to). More than a few of them are *any*.

use crate::id::ObjectId;
use crate::number::Number;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pointer {
    pub null: Nullness,
    pub targets: Targets,
    /// Bytes from the start of the target; meaningful if the targets are known.
    pub offset: Number,
}

/// Which of null and not-null are possible, and whether the code acknowledges null. (Their order is
/// arbitrary but fixed.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Nullness {
    pub may_be_null: bool,
    pub may_be_valid: bool,
    /// The code introduced the null or tested for it (design.md §6).
    pub acknowledged: bool,
    /// It introduced it: a constant, a failed allocation. What was merely tested for came from
    /// somewhere else.
    pub introduced: bool,
}

impl Nullness {
    pub const ANY: Nullness = Nullness {
        may_be_null: true,
        may_be_valid: true,
        acknowledged: false,
        introduced: false,
    };
    pub const NULL: Nullness = Nullness {
        may_be_null: true,
        may_be_valid: false,
        acknowledged: true,
        introduced: true,
    };
    pub const VALID: Nullness = Nullness {
        may_be_null: false,
        may_be_valid: true,
        acknowledged: false,
        introduced: false,
    };
    /// What a function returns that can fail.
    pub const FALLIBLE: Nullness = Nullness {
        may_be_null: true,
        may_be_valid: true,
        acknowledged: true,
        introduced: true,
    };

    pub fn covers(self, other: Nullness) -> bool {
        (self.may_be_null || !other.may_be_null)
            && (self.may_be_valid || !other.may_be_valid)
            && (self.acknowledged || !other.acknowledged)
            && (self.introduced || !other.introduced)
    }

    pub fn join(self, other: Nullness) -> Nullness {
        Nullness {
            may_be_null: self.may_be_null || other.may_be_null,
            may_be_valid: self.may_be_valid || other.may_be_valid,
            acknowledged: self.acknowledged || other.acknowledged,
            introduced: self.introduced || other.introduced,
        }
    }
}

/// More targets than these are any.
const TARGETS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Targets {
    Any,
    /// Empty only for a pointer that is surely null.
    Known(Objects),
}

/// A few objects, sorted. They lie in the value itself: pointers are copied whenever a state is
/// written, and so a copy is a copy of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Objects {
    count: u32,
    /// Those beyond the count are all the same, so that equal sets are equal.
    all: [ObjectId; TARGETS],
}

impl Objects {
    pub const NONE: Objects = Objects {
        count: 0,
        all: [ObjectId(0); TARGETS],
    };

    pub fn one(object: ObjectId) -> Objects {
        let mut set = Objects::NONE;
        set.all[0] = object;
        set.count = 1;
        set
    }

    /// The objects of both; none if they are too many.
    fn union(mut self, other: &Objects) -> Option<Objects> {
        for object in other {
            if let Err(i) = self.binary_search(object) {
                let count = self.len();
                if count == TARGETS {
                    return None;
                }
                self.all.copy_within(i..count, i + 1);
                self.all[i] = *object;
                self.count += 1;
            }
        }
        Some(self)
    }
}

impl std::ops::Deref for Objects {
    type Target = [ObjectId];

    fn deref(&self) -> &[ObjectId] {
        &self.all[..self.count as usize]
    }
}

impl<'a> IntoIterator for &'a Objects {
    type Item = &'a ObjectId;
    type IntoIter = std::slice::Iter<'a, ObjectId>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl std::fmt::Debug for Objects {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

impl Targets {
    pub fn one(object: ObjectId) -> Targets {
        Targets::Known(Objects::one(object))
    }

    pub fn single(&self) -> Option<ObjectId> {
        match self {
            Targets::Known(set) if set.len() == 1 => Some(set[0]),
            _ => None,
        }
    }

    pub fn covers(&self, other: &Targets) -> bool {
        match (self, other) {
            (Targets::Any, _) => true,
            (Targets::Known(_), Targets::Any) => false,
            (Targets::Known(a), Targets::Known(b)) => b.iter().all(|o| a.contains(o)),
        }
    }

    pub fn join(&self, other: &Targets) -> Targets {
        match (self, other) {
            (Targets::Known(a), Targets::Known(b)) => {
                a.union(b).map_or(Targets::Any, Targets::Known)
            }
            _ => Targets::Any,
        }
    }
}

impl Pointer {
    /// Nothing known.
    pub const ANY: Pointer = Pointer {
        null: Nullness::ANY,
        targets: Targets::Any,
        offset: Number::TOP,
    };

    pub fn any() -> Pointer {
        Pointer::ANY
    }

    pub fn null() -> Pointer {
        Pointer {
            null: Nullness::NULL,
            targets: Targets::Known(Objects::NONE),
            offset: Number::constant(0),
        }
    }

    /// The address of an object's start.
    pub fn to(object: ObjectId) -> Pointer {
        Pointer {
            null: Nullness::VALID,
            targets: Targets::one(object),
            offset: Number::constant(0),
        }
    }

    /// The same values, nothing of them acknowledged.
    pub fn without_evidence(&self) -> Pointer {
        Pointer {
            null: Nullness {
                acknowledged: false,
                introduced: false,
                ..self.null
            },
            targets: self.targets,
            offset: self.offset.without_evidence(),
        }
    }

    pub fn is_any(&self) -> bool {
        self.targets == Targets::Any && self.null == Nullness::ANY
    }

    pub fn covers(&self, other: &Pointer) -> bool {
        self.null.covers(other.null)
            && self.targets.covers(&other.targets)
            && (self.targets == Targets::Any
                || !other.null.may_be_valid
                || self.offset.covers(&other.offset)
                || self.targets != other.targets
                    && self.offset.covers(&other.offset.without_evidence()))
    }

    pub fn join(&self, other: &Pointer) -> Pointer {
        self.combine(other, |a, b| a.join(b))
    }

    pub fn widen(&self, other: &Pointer, thresholds: &[i64]) -> Pointer {
        self.combine(other, |a, b| a.widen(b, thresholds))
    }

    fn combine(&self, other: &Pointer, offsets: impl Fn(&Number, &Number) -> Number) -> Pointer {
        let targets = self.targets.join(&other.targets);
        let offset = match &targets {
            Targets::Any => Number::TOP,
            _ if !self.null.may_be_valid => other.offset,
            _ if !other.null.may_be_valid => self.offset,
            // The offsets of one object say nothing about another.
            _ => {
                let of = |p: &Pointer| {
                    if p.targets == targets {
                        p.offset
                    } else {
                        p.offset.without_evidence()
                    }
                };
                offsets(&of(self), &of(other))
            }
        };
        Pointer {
            null: self.null.join(other.null),
            targets,
            offset,
        }
    }
}
