//! Two unknown pointers may be the same one.
//!
//! What `p` and `q` point to are two objects to a path until it says otherwise; a write through one
//! is then a write through the other *if they are equal*: a case split, bounded, counted, and made only
//! between pointers to the same type of thing at the same distance. (Without such bounds "wlp when
//! applied to assignments through pointer variables results in a case explosion", Orion §3.1.)

use crate::contents::{Layer, Word};
use crate::object::{ObjectId, ObjectKind};
use crate::path::Path;
use logic::TermId;

/// Other pointers that one access is compared with.
const MOST_ALIASES: usize = 4;

impl Path<'_> {
    /// Other unknown pointees that have a word at this offset, of this size.
    fn aliases(&mut self, object: ObjectId, offset: TermId, size: u64) -> Vec<ObjectId> {
        let ObjectKind::Pointee(pointer) = self.object(object).kind else {
            return Vec::new();
        };
        let Some(at) = self.pool.as_bits(offset) else {
            return Vec::new();
        };
        let at = at as u64;
        let mut found = Vec::new();
        for i in 1..self.objects.len() {
            let other = ObjectId(i as u32);
            let ObjectKind::Pointee(p) = self.objects[i].kind else {
                continue;
            };
            if other == object || p == pointer || !self.has_word(other, at, size) {
                continue;
            }
            if found.len() == MOST_ALIASES {
                self.approximations.splits_dropped += 1;
                break;
            }
            found.push(other);
        }
        found
    }

    fn has_word(&self, object: ObjectId, at: u64, size: u64) -> bool {
        self.object(object).contents.layers.iter().any(|l| match l {
            Layer::Cells(cells) => cells.get(&at).is_some_and(|(s, _)| *s == size),
            Layer::Unknown(source) => self
                .seen
                .get(source)
                .and_then(|seen| seen.get(&at))
                .is_some_and(|(s, _)| *s == size),
            _ => false,
        })
    }

    /// A read, and what others that may be the same object know of it.
    pub(crate) fn read_aliased(&mut self, object: ObjectId, offset: TermId, size: u64) -> Word {
        let is_first = match self.pool.as_bits(offset) {
            Some(at) => !self.has_word(object, at as u64, size),
            None => false,
        };
        let mut word = self.read(object, offset, size);
        if is_first {
            for other in self.aliases(object, offset, size) {
                let same = self.same_object(object, other);
                let there = self.read(other, offset, size);
                word = self.choice(same, there, word);
            }
            if self.pool.as_bits(offset).is_some() && !self.aliases(object, offset, size).is_empty()
            {
                // From now on it is known here.
                self.write(object, offset, size, word);
            }
        }
        word
    }

    /// A write, which others that may be the same object see.
    pub(crate) fn write_aliased(
        &mut self,
        object: ObjectId,
        offset: TermId,
        size: u64,
        word: Word,
    ) {
        for other in self.aliases(object, offset, size) {
            let same = self.same_object(object, other);
            let old = self.read(other, offset, size);
            let new = self.choice(same, word, old);
            self.write(other, offset, size, new);
        }
        self.write(object, offset, size, word);
    }

    fn same_object(&mut self, a: ObjectId, b: ObjectId) -> TermId {
        self.approximations.splits += 1;
        let (a, b) = (self.object(a).address, self.object(b).address);
        self.pool.equal(a, b)
    }

    /// Somebody outside holds this address from now on, and through it what it leads to. `foreign`:
    /// code that is not in view.
    pub(crate) fn escape(&mut self, pointer: TermId, foreign: bool) {
        // A number of this width may be no pointer at all: nothing is assumed of it.
        let mut work = self.newly_outside(pointer, foreign);
        while let Some(id) = work.pop() {
            let object = self.object_mut(id);
            let known = object.escaped && (object.foreign || !foreign);
            object.escaped = true;
            object.foreign |= foreign;
            // What an unknown pointer leads to others have known all along.
            if known || matches!(self.object(id).kind, ObjectKind::Pointee(_)) {
                continue;
            }
            for (at, size) in self.words(id) {
                if size == 8 {
                    let offset = self.word64(at);
                    let word = self.read(id, offset, size).value;
                    let inner = self.newly_outside(word, foreign);
                    work.extend(inner);
                }
            }
        }
    }

    /// The objects whose addresses are in a word, as far as the path has met them.
    pub(crate) fn known_objects(&mut self, word: TermId) -> Vec<ObjectId> {
        let word = self.expand(word);
        let mut found = Vec::new();
        for term in self.pool.closure(&[word]) {
            self.objects_at(term, &mut found);
        }
        found
    }

    /// The same, but only for the parts of the word that nobody outside was given before: a sum that
    /// grows with every turn of a loop must not be looked through in every turn.
    fn newly_outside(&mut self, word: TermId, foreign: bool) -> Vec<ObjectId> {
        let mut stack = vec![self.expand(word)];
        let mut found = Vec::new();
        while let Some(term) = stack.pop() {
            let known = self.outside.get(&term);
            if known.is_some_and(|known| *known || !foreign) {
                continue;
            }
            self.outside.insert(term, foreign);
            self.objects_at(term, &mut found);
            stack.extend(self.pool.operands(term));
        }
        found
    }

    fn objects_at(&self, term: TermId, found: &mut Vec<ObjectId>) {
        found.extend(self.pointees.get(&term));
        if let Some(bits) = self.pool.as_bits(term)
            && let Some((object, _)) = ObjectId::at(bits)
            && object.0 > 0
            && (object.0 as usize) < self.objects.len()
        {
            found.push(object);
        }
    }
}
