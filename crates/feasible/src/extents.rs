//! What unknown pointers point to, as objects of a script: which of them are one, and how large.

use crate::object::{ObjectId, ObjectKind};
use crate::script::{Extent, LARGEST, Writer};
use crate::unknown::unknowns;
use logic::{Node, TermId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

impl Writer<'_, '_> {
    /// Does the solution say anything of the term?
    fn is_open(&self, term: TermId) -> bool {
        match self.path.pool.node(term) {
            Node::Symbol(s) => !self.model.symbols.contains_key(&s),
            Node::Select { array, index } => match self.path.pool.as_symbol(array) {
                Some(s) => {
                    let index = self.value_of(index);
                    !self.model.elements.contains_key(&(s, index))
                }
                None => true,
            },
            _ => false,
        }
    }

    /// Gives a term that the solution says nothing of a value.
    fn settle(&mut self, term: TermId, value: u128) {
        match self.path.pool.node(term) {
            Node::Symbol(s) => {
                self.model.symbols.insert(s, value);
            }
            Node::Select { array, index } => {
                if let Some(s) = self.path.pool.as_symbol(array) {
                    let index = self.value_of(index);
                    self.model.elements.insert((s, index), value);
                }
            }
            _ => {}
        }
    }

    /// Gives every unknown pointee a size, and a pointer that nothing constrains an address.
    pub(crate) fn place_objects(&mut self) -> Result<(), String> {
        let mut pointees = Vec::new();
        for (i, object) in self.path.objects.iter().enumerate().skip(1) {
            if let ObjectKind::Pointee(base) = object.kind {
                pointees.push((ObjectId(i as u32), base));
            }
        }
        for &(object, base) in &pointees {
            if self.is_open(base) {
                let address = (7u128 << 44) + (u128::from(object.0) << 24);
                self.settle(base, address);
            }
        }
        // What an offset depends on, and nothing else constrains, is what it was taken for.
        for (_, offset, size) in self.path.touched.clone() {
            for term in [offset, size] {
                for unknown in unknowns(self.path, term) {
                    if self.is_open(unknown.term) {
                        self.settle(unknown.term, 0);
                    }
                }
            }
        }
        let mut ranges: BTreeMap<ObjectId, (i64, i64)> = BTreeMap::new();
        for &(object, offset, size) in &self.path.touched {
            let start = self.value_of(offset) as u64 as i64;
            let size = self.value_of(size);
            let size = i64::try_from(size).map_err(|_| "an object is too large".to_string())?;
            let end = start
                .checked_add(size)
                .ok_or_else(|| "an object is too large".to_string())?;
            let range = ranges.entry(object).or_insert((0, 0));
            *range = (range.0.min(start), range.1.max(end));
        }
        let mut number = 0;
        for &(object, base) in &pointees {
            let address = self.value_of(base);
            // A pointer that a test found to be an address is not an object of its own.
            if address == 0 || ObjectId::at(address).is_some_and(|(o, _)| self.has_identity(o)) {
                continue;
            }
            let (start, end) = ranges.get(&object).copied().unwrap_or((0, 0));
            let size = end.abs_diff(start);
            if size > LARGEST {
                return Err("an object is too large".into());
            }
            match self.by_address.get(&address).copied() {
                Some(same) if self.are_compared(base, same) => {
                    let mut extent = self.extents[&same];
                    let before = extent.before.max(-start);
                    let after = (extent.size as i64 - extent.before).max(end);
                    extent.before = before;
                    extent.size = (before + after) as u64;
                    self.extents.insert(same, extent);
                    self.extents.insert(object, extent);
                }
                _ => {
                    let extent = Extent {
                        number,
                        before: -start,
                        size,
                    };
                    number += 1;
                    self.extents.insert(object, extent);
                    self.by_address.entry(address).or_insert(object);
                }
            }
        }
        // Objects that are one have one extent.
        let largest: FxHashMap<usize, Extent> = {
            let mut largest: FxHashMap<usize, Extent> = FxHashMap::default();
            for i in 0..self.path.objects.len() {
                if let Some(e) = self.extents.get(&ObjectId(i as u32)) {
                    let known = largest.entry(e.number).or_insert(*e);
                    if e.size > known.size {
                        *known = *e;
                    }
                }
            }
            largest
        };
        for i in 0..self.path.objects.len() {
            if let Some(extent) = self.extents.get_mut(&ObjectId(i as u32)) {
                *extent = largest[&extent.number];
            }
        }
        Ok(())
    }

    pub(crate) fn has_identity(&self, object: ObjectId) -> bool {
        self.path
            .objects
            .get(object.0 as usize)
            .is_some_and(|o| object.0 > 0 && !matches!(o.kind, ObjectKind::Pointee(_)))
    }

    /// Did the path ask whether two pointers are equal?
    fn are_compared(&self, base: TermId, other: ObjectId) -> bool {
        let ObjectKind::Pointee(other) = self.path.objects[other.0 as usize].kind else {
            return false;
        };
        let facts: Vec<TermId> = self.path.facts.iter().map(|(_, f)| *f).collect();
        self.path
            .pool
            .closure(&facts)
            .into_iter()
            .any(|t| match self.path.pool.node(t) {
                Node::Equal(a, b) => (a, b) == (base, other) || (b, a) == (base, other),
                _ => false,
            })
    }
}
