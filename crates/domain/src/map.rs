//! The map that states are made of: sorted, shared until it is written.
//!
//! A state is cloned at every branch and written a little on each side. Most hold a few dozen
//! entries, and a sorted vector behind a counted pointer beats any tree there: a clone is a
//! counter, a write is a binary search (and one copy, if the vector is shared).

use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Entries that a copied map has room for.
const ROOM: usize = 4;

#[derive(Clone, Debug)]
pub struct CowMap<K, V> {
    /// None: empty, and nothing allocated.
    entries: Option<Rc<Vec<(K, V)>>>,
}

impl<K, V> Default for CowMap<K, V> {
    fn default() -> Self {
        CowMap { entries: None }
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for CowMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        let slice = |m: &Self| m.entries.as_ref().map_or(0, |e| e.len());
        match (&self.entries, &other.entries) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b) || a == b,
            _ => slice(self) == slice(other),
        }
    }
}

impl<K: Hash, V: Hash> Hash for CowMap<K, V> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let entries = self.entries.as_ref().map_or(&[][..], |e| e.as_slice());
        entries.hash(hasher);
    }
}

impl<K: Copy + Ord, V: Clone + PartialEq> CowMap<K, V> {
    fn slice(&self) -> &[(K, V)] {
        self.entries.as_ref().map_or(&[], |e| e.as_slice())
    }

    /// The entries, not shared. A copy has room: most writes after the first are of new entries.
    fn owned(&mut self) -> &mut Vec<(K, V)> {
        let entries = self.entries.get_or_insert_with(|| Rc::new(Vec::new()));
        if Rc::get_mut(entries).is_none() {
            let mut copy = Vec::with_capacity(entries.len() + ROOM);
            copy.extend_from_slice(entries);
            *entries = Rc::new(copy);
        }
        Rc::make_mut(entries)
    }

    /// The entries from one key to another, both included.
    pub fn between(&self, first: K, last: K) -> &[(K, V)] {
        let from = &self.slice()[self.slice().partition_point(|e| e.0 < first)..];
        &from[..from.iter().take_while(|e| e.0 <= last).count()]
    }

    pub fn get(&self, key: K) -> Option<&V> {
        let entries = self.slice();
        let i = entries.binary_search_by_key(&key, |e| e.0).ok()?;
        Some(&entries[i].1)
    }

    pub fn insert(&mut self, key: K, value: V) {
        match self.slice().binary_search_by_key(&key, |e| e.0) {
            Ok(i) => {
                if self.slice()[i].1 != value {
                    self.owned()[i].1 = value;
                }
            }
            Err(i) => self.owned().insert(i, (key, value)),
        }
    }

    pub fn remove(&mut self, key: K) -> bool {
        match self.slice().binary_search_by_key(&key, |e| e.0) {
            Ok(i) => {
                self.owned().remove(i);
                true
            }
            Err(_) => false,
        }
    }

    /// Keeps the entries that the test likes; costs nothing if it likes all.
    pub fn retain(&mut self, mut keep: impl FnMut(K, &V) -> bool) {
        let Some(first) = self.slice().iter().position(|(k, v)| !keep(*k, v)) else {
            return;
        };
        match self.entries.as_mut().and_then(Rc::get_mut) {
            Some(own) => {
                let mut i = 0;
                own.retain(|(k, v)| {
                    i += 1;
                    i <= first || i > first + 1 && keep(*k, v)
                });
            }
            // Shared: the copy takes only what stays.
            None => {
                let entries = self.slice();
                let mut kept = entries[..first].to_vec();
                kept.extend(
                    entries[first + 1..]
                        .iter()
                        .filter(|(k, v)| keep(*k, v))
                        .cloned(),
                );
                self.entries = (!kept.is_empty()).then(|| Rc::new(kept));
            }
        }
    }

    /// Replaces or removes entries; where all say [`Change::Keep`], nothing is copied.
    pub fn update(&mut self, mut change: impl FnMut(K, &V) -> Change<V>) {
        let mut changes: Vec<(usize, Option<V>)> = Vec::new();
        for (i, (k, v)) in self.slice().iter().enumerate() {
            match change(*k, v) {
                Change::Keep => {}
                Change::Set(v) => changes.push((i, Some(v))),
                Change::Remove => changes.push((i, None)),
            }
        }
        if changes.is_empty() {
            return;
        }
        let entries = self.owned();
        let mut removed = Vec::new();
        for (i, value) in changes {
            match value {
                Some(v) => entries[i].1 = v,
                None => removed.push(i),
            }
        }
        if !removed.is_empty() {
            let mut next = removed.into_iter().peekable();
            let mut i = 0;
            entries.retain(|_| {
                let gone = next.next_if_eq(&i).is_some();
                i += 1;
                !gone
            });
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.slice().iter().map(|(k, v)| (*k, v))
    }

    pub fn len(&self) -> usize {
        self.slice().len()
    }

    pub fn is_empty(&self) -> bool {
        self.slice().is_empty()
    }

    /// The very same vector: then everything about the two is equal.
    pub fn is_same(&self, other: &Self) -> bool {
        match (&self.entries, &other.entries) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => self.is_empty() && other.is_empty(),
        }
    }

    /// Walks both maps in step: `(key, mine, theirs)`, until the closure says no.
    pub fn all_pairs(
        &self,
        other: &Self,
        mut test: impl FnMut(K, Option<&V>, Option<&V>) -> bool,
    ) -> bool {
        let (a, b) = (self.slice(), other.slice());
        let (mut i, mut j) = (0, 0);
        loop {
            let ok = match (a.get(i), b.get(j)) {
                (None, None) => return true,
                (Some((k, v)), None) => {
                    i += 1;
                    test(*k, Some(v), None)
                }
                (None, Some((k, w))) => {
                    j += 1;
                    test(*k, None, Some(w))
                }
                (Some((k, v)), Some((l, w))) => match k.cmp(l) {
                    std::cmp::Ordering::Less => {
                        i += 1;
                        test(*k, Some(v), None)
                    }
                    std::cmp::Ordering::Greater => {
                        j += 1;
                        test(*l, None, Some(w))
                    }
                    std::cmp::Ordering::Equal => {
                        i += 1;
                        j += 1;
                        test(*k, Some(v), Some(w))
                    }
                },
            };
            if !ok {
                return false;
            }
        }
    }

    /// A map made from both in step; entries for which the closure gives nothing are left out.
    /// Where nothing differs from this map, or from the other, the result is that map, shared.
    pub fn combine(
        &self,
        other: &Self,
        mut join: impl FnMut(K, Option<&V>, Option<&V>) -> Option<V>,
    ) -> Self {
        // None: as long as the result begins as this map does, which it most often does to its end.
        let mut made: Option<Vec<(K, V)>> = None;
        let mut like_other = true;
        let mut passed = 0;
        self.all_pairs(other, |k, a, b| {
            let joined = join(k, a, b);
            like_other &= joined.as_ref() == b;
            if made.is_none() && joined.as_ref() != a {
                let mut entries = Vec::with_capacity(self.len().max(other.len()) + ROOM);
                entries.extend_from_slice(&self.slice()[..passed]);
                made = Some(entries);
            }
            if let (Some(entries), Some(v)) = (&mut made, joined) {
                entries.push((k, v));
            }
            passed += usize::from(a.is_some());
            true
        });
        match made {
            None => self.clone(),
            Some(_) if like_other => other.clone(),
            Some(entries) => CowMap {
                entries: (!entries.is_empty()).then(|| Rc::new(entries)),
            },
        }
    }
}

/// What [`CowMap::update`] does to an entry.
#[derive(Clone, Debug)]
pub enum Change<V> {
    Keep,
    Set(V),
    Remove,
}
