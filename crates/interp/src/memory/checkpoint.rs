//! Going back: a memory can be brought to the state in which it was marked, at a cost that depends
//! on what has changed since and not on how much there is.
//!
//! Objects made before the mark are kept: the first change to one of them saves it. Objects made
//! after it are cut off. So the same addresses are given out again, and a run after going back
//! cannot tell that there was one before.

use super::{Header, Memory, ObjId, POOLED, Store};
use crate::value::Blob;

/// Storage made after the mark that is not given back, for the next run.
const SPARE: usize = 64;

/// A state to go back to.
pub(super) struct Checkpoint {
    headers: usize,
    stores: usize,
    pool: Vec<u32>,
    next: u64,
    used: u64,
    /// Objects from before, as they were.
    saved: Vec<(ObjId, Header, Option<Store>)>,
}

impl Memory {
    /// Marks the state to go back to.
    pub(crate) fn mark(&mut self) {
        for h in &mut self.headers {
            h.kept = true;
        }
        self.checkpoint = Some(Checkpoint {
            headers: self.headers.len(),
            stores: self.stores.len(),
            pool: self.pool.clone(),
            next: self.next,
            used: self.used,
            saved: Vec::new(),
        });
    }

    /// Was the object there when memory was marked?
    pub(crate) fn is_kept(&self, id: ObjId) -> bool {
        let marked = self.checkpoint.as_ref().map_or(0, |c| c.headers);
        (id.0 as usize) < marked
    }

    /// Saves an object from before the mark; it is about to change.
    #[cold]
    pub(super) fn save(&mut self, id: ObjId) {
        let (Some(c), Some(h)) = (&mut self.checkpoint, self.headers.get_mut(id.0 as usize)) else {
            return;
        };
        c.saved
            .push((id, *h, self.stores.get(h.store as usize).cloned()));
        h.kept = false;
    }

    /// Back to the marked state.
    pub(crate) fn go_back(&mut self) {
        let Some(c) = &mut self.checkpoint else {
            return;
        };
        self.headers.truncate(c.headers);
        for (id, header, store) in c.saved.drain(..) {
            if let (Some(old), Some(slot)) = (store, self.stores.get_mut(header.store as usize)) {
                *slot = old;
            }
            if let Some(h) = self.headers.get_mut(id.0 as usize) {
                *h = header;
            }
        }
        self.stores.truncate(c.stores + SPARE);
        for store in self.stores.iter_mut().skip(c.stores) {
            if store.data.bytes.capacity() > POOLED {
                store.data = Blob::default();
            }
        }
        self.pool.clone_from(&c.pool);
        let spare = c.stores..self.stores.len();
        self.pool.extend(spare.map(|i| i as u32));
        self.next = c.next;
        self.used = c.used;
    }

    /// How many bytes may be made beyond those that there are.
    pub(crate) fn limit_to(&mut self, more: u64) {
        self.limit = self.used.saturating_add(more);
    }

    /// How many objects were ever made: those made later have this number or a higher one.
    pub(crate) fn count(&self) -> u32 {
        self.headers.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Fresh, Kind, Memory, ObjId, State};
    use crate::value::Scalar;

    fn word(m: &Memory, id: ObjId) -> Option<u64> {
        m.read(id, 0, 8).ok().map(|s| s.bits)
    }

    #[test]
    fn going_back_undoes_writes_deaths_and_births() {
        let mut m = Memory::new(1 << 20);
        let make = |m: &mut Memory| m.allocate(8, 8, Kind::Heap, Fresh::Zero).unwrap();
        let (a, b) = (make(&mut m), make(&mut m));
        m.write(a, 0, 8, Scalar::plain(1)).unwrap();
        m.mark();
        let mut later = Vec::new();
        for _ in 0..3 {
            m.write(a, 0, 8, Scalar::plain(2)).unwrap();
            m.write(a, 0, 4, Scalar::undefined(32)).unwrap();
            // The storage of what dies is used by what comes next.
            m.kill(b, State::Freed);
            let c = make(&mut m);
            m.write(c, 0, 8, Scalar::plain(3)).unwrap();
            assert_eq!(word(&m, c), Some(3));
            assert_eq!(word(&m, b), None);
            later.push((c, m.base(c)));
            m.go_back();
            assert_eq!(m.read(a, 0, 8), Ok(Scalar::plain(1)));
            assert_eq!((m.state(b), word(&m, b)), (State::Alive, Some(0)));
            assert_eq!(m.object_at(later[0].1), ObjId::NONE);
        }
        assert!(later.iter().all(|l| *l == later[0]), "{later:?}");
        // A second life does not see what the first one left.
        let c = make(&mut m);
        assert_eq!(m.read(c, 0, 8), Ok(Scalar::ZERO));
    }
}
