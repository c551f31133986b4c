//! The lattice of what entry states say of one scalar: covering, and upper bounds of several that know
//! no order ([`domain::Number::bound_of`] says how their chains end).

use crate::entry::{Content, Known, Reference};
use domain::{Definition, Nullness, Number};
use std::collections::BTreeSet;

/// A pointer to more functions than these is one to any.
const FUNCTIONS: usize = 4;

impl Content {
    pub(crate) fn covers(&self, other: &Content) -> bool {
        self.definition.covers(other.definition) && self.value.covers(&other.value)
    }

    pub(crate) fn bound_of(all: &[&Content]) -> Content {
        let definitions = all.iter().map(|c| c.definition);
        let values: Vec<&Known> = all.iter().map(|c| &c.value).collect();
        Content {
            value: Known::bound_of(&values),
            definition: definitions
                .reduce(Definition::join)
                .unwrap_or(Definition::Defined),
        }
    }
}

impl Known {
    fn covers(&self, other: &Known) -> bool {
        match (self, other) {
            (_, Known::Nothing) => match self {
                Known::Nothing => true,
                Known::Number(n) => n.covers(&Number::TOP),
                Known::Pointer(r) => r.covers(&Reference::ANY),
            },
            (Known::Number(a), Known::Number(b)) => a.covers(b),
            (Known::Pointer(a), Known::Pointer(b)) => a.covers(b),
            (Known::Nothing, Known::Number(b)) => Number::TOP.covers(b),
            (Known::Nothing, Known::Pointer(b)) => Reference::ANY.covers(b),
            (Known::Number(_), Known::Pointer(_)) | (Known::Pointer(_), Known::Number(_)) => false,
        }
    }

    fn bound_of(all: &[&Known]) -> Known {
        let nothing = all.iter().any(|k| **k == Known::Nothing);
        let any = Reference::ANY;
        let mut numbers: Vec<Number> = Vec::new();
        let mut pointers: Vec<&Reference> = Vec::new();
        for known in all {
            match known {
                Known::Nothing => {}
                Known::Number(n) => numbers.push(*n),
                Known::Pointer(r) => pointers.push(r),
            }
        }
        match (numbers.is_empty(), pointers.is_empty()) {
            (false, true) => {
                if nothing {
                    numbers.push(Number::TOP);
                }
                Number::bound_of(&numbers).map_or(Known::Nothing, Known::Number)
            }
            (true, false) => {
                if nothing {
                    pointers.push(&any);
                }
                Known::Pointer(Reference::bound_of(&pointers))
            }
            // Nothing known of any; or no scalar of one kind, which no two calls of a function give.
            _ => Known::Nothing,
        }
        .or_nothing()
    }

    pub(crate) fn or_nothing(self) -> Known {
        match self {
            Known::Number(n) if n == Number::TOP => Known::Nothing,
            Known::Pointer(r) if r == Reference::ANY => Known::Nothing,
            known => known,
        }
    }
}

impl Reference {
    fn covers(&self, other: &Reference) -> bool {
        let valid = other.null.may_be_valid;
        self.null.covers(other.null)
            && (!valid || self.room.is_none() || self.room == other.room)
            && (!valid
                || self.functions.is_empty()
                || !other.functions.is_empty()
                    && other.functions.iter().all(|f| self.functions.contains(f)))
    }

    fn bound_of(all: &[&Reference]) -> Reference {
        let null = all.iter().map(|r| r.null).reduce(Nullness::join);
        // Null points nowhere, and has nothing to say about where.
        let valid: Vec<&&Reference> = all.iter().filter(|r| r.null.may_be_valid).collect();
        let room = valid.first().and_then(|r| r.room);
        let mut functions = BTreeSet::new();
        if valid.iter().all(|r| !r.functions.is_empty()) {
            functions.extend(valid.iter().flat_map(|r| r.functions.iter().cloned()));
        }
        if functions.len() > FUNCTIONS {
            functions.clear();
        }
        Reference {
            null: null.unwrap_or(Nullness::ANY),
            room: room.filter(|_| valid.iter().all(|r| r.room == room)),
            functions: functions.into_iter().collect(),
        }
    }
}
