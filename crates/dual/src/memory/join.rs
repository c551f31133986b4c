//! What two memories have in common.

use super::{Contents, Gone, Memory, Written};
use crate::input::Part;
use crate::value::{Object, Value};
use std::collections::BTreeMap;

impl Memory {
    /// How many scalars the two do not know alike.
    pub fn differences(&self, other: &Memory) -> usize {
        let only = |a: &Memory, b: &Memory| {
            let cells = a.cells();
            cells
                .filter(|(object, part, value)| {
                    let known = b.objects.get(object).and_then(|c| c.cells.get(part));
                    known != Some(value)
                })
                .count()
        };
        only(self, other) + only(other, self)
    }

    /// With what both know in common; `same` says what a scalar holds that holds different things, none: anything.
    pub fn join(
        &self,
        other: &Memory,
        mut same: impl FnMut(&Object, Part, &Value, &Value) -> Option<Value>,
    ) -> Memory {
        let mut joined = Memory {
            objects: BTreeMap::new(),
            outside_touched: self.outside_touched || other.outside_touched,
            outside_unfilled: self.outside_unfilled || other.outside_unfilled,
            escaped: self.escaped.union(&other.escaped).cloned().collect(),
            gone: BTreeMap::new(),
            written: self.written.union(&other.written).cloned().collect(),
            anywhere: self.anywhere || other.anywhere,
        };
        for object in self.gone.keys().chain(other.gone.keys()) {
            let gone = match (self.gone(object), other.gone(object)) {
                (Some(Gone::Surely), Some(Gone::Surely)) => Gone::Surely,
                _ => Gone::Maybe,
            };
            joined.gone.insert(object.clone(), gone);
        }
        let mut all: Vec<&Object> = self.objects.keys().chain(other.objects.keys()).collect();
        all.sort_unstable();
        all.dedup();
        // Pointers of which one side knows nothing: who finds them does not know where they lead.
        let mut lost: Vec<Object> = Vec::new();
        for object in all {
            let a = self.objects.get(object).cloned();
            let a = a.unwrap_or_else(|| self.unknown(object));
            let b = other.objects.get(object).cloned();
            let b = b.unwrap_or_else(|| other.unknown(object));
            let mut contents = Contents {
                touched: a.touched || b.touched,
                rest: a.rest.max(b.rest),
                placed: a.placed.clone().filter(|_| a.placed == b.placed),
                ..Contents::default()
            };
            for (part, written) in a.unsure.iter().chain(&b.unsure) {
                let both = a.unsure.get(part) == b.unsure.get(part);
                let written = if both {
                    written.clone()
                } else {
                    Written::Maybe
                };
                contents.unsure.insert(*part, written);
            }
            for (part, value) in &a.cells {
                let joined = b.cells.get(part).and_then(|v| match v == value {
                    true => Some(value.clone()),
                    false => same(object, *part, value, v),
                });
                match joined {
                    Some(value) => {
                        contents.cells.insert(*part, value);
                    }
                    None => contents.touched = true,
                }
            }
            contents.touched |= b.cells.keys().any(|part| !a.cells.contains_key(part));
            for (part, value) in a.cells.iter().chain(&b.cells) {
                if let Value::Pointer(pointer) = value
                    && !contents.cells.contains_key(part)
                {
                    lost.push(pointer.object.clone());
                }
            }
            joined.objects.insert(object.clone(), contents);
        }
        lost.iter().for_each(|object| joined.escape(object));
        joined
    }
}
