//! The product state: one component for each automaton (§2.2).

use domain::components::definedness_difference;
use domain::{
    Bounds, CellId, Copies, Definedness, Escaped, Facts, Gone, Lifetimes, Number, Pointer, Pointers,
};
use search::Component;
use smallvec::SmallVec;
use std::cell::Cell;

#[derive(Clone, Debug, Default, PartialEq, Hash)]
pub struct State {
    pub bounds: Bounds,
    pub pointers: Pointers,
    pub definedness: Definedness,
    pub lifetimes: Lifetimes,
    pub facts: Facts,
    pub escaped: Escaped,
    /// Variables that were assigned from one another, each with the first of them.
    pub copies: Copies,
    /// The last branch was taken on values that the code acknowledges, or had to be: coming to a
    /// place that must not be reached is then evidence, and not only what a caller could do.
    pub forced: bool,
}

impl State {
    /// The same as [`covers`](State::covers). Where the last two states differed, the next two often do:
    /// the turns of a loop are many, and differ in its counter.
    pub fn covers_remembering(&self, other: &State, last: &Cell<Option<CellId>>) -> bool {
        if let Some(cell) = last.get()
            && !self.bounds.value(cell).covers(&other.bounds.value(cell))
        {
            return false;
        }
        match self.bounds.uncovered(&other.bounds) {
            Some(cell) => {
                last.set(Some(cell));
                false
            }
            None => self.covers(other),
        }
    }

    pub fn covers(&self, other: &State) -> bool {
        (self.forced || !other.forced)
            && self.definedness.covers(&other.definedness)
            && self.pointers.covers(&other.pointers)
            && self.bounds.covers(&other.bounds)
            && self.facts.covers(&other.facts)
            && self.copies.covers(&other.copies)
            && self.lifetimes.covers(&other.lifetimes)
            && self.escaped.covers(&other.escaped)
    }

    /// Point-wise: in turn the difference of one component, the others as they are. The
    /// components that do not subtract (addresses that escaped) must be covered already.
    pub fn difference(&self, from: &State) -> Option<Vec<State>> {
        if !from.escaped.covers(&self.escaped)
            || !from.copies.covers(&self.copies)
            || self.forced && !from.forced
        {
            return None;
        }
        let mut all = Vec::new();
        let with = |change: &dyn Fn(&mut State)| {
            let mut s = self.clone();
            change(&mut s);
            s
        };
        for d in definedness_difference(&self.definedness, &from.definedness) {
            all.push(with(&|s| s.definedness = d.clone()));
        }
        for d in self.bounds.difference(&from.bounds)? {
            all.push(with(&|s| s.bounds = d.clone()));
        }
        for d in self.pointers.difference(&from.pointers)? {
            all.push(with(&|s| s.pointers = d.clone()));
        }
        for d in self.lifetimes.difference(&from.lifetimes)? {
            all.push(with(&|s| s.lifetimes = d.clone()));
        }
        for d in self.facts.difference(&from.facts)? {
            all.push(with(&|s| s.facts = d.clone()));
        }
        Some(all)
    }

    /// The merge of §2.2, point-wise.
    pub fn join(&self, other: &State) -> State {
        self.combine(other, Number::join, Pointer::join)
    }

    /// The merge where a loop needs it: bounds that grow jump to the next threshold.
    pub fn widen(&self, other: &State, thresholds: &[i64]) -> State {
        self.combine(
            other,
            |a, b| a.widen(b, thresholds),
            |a, b| a.widen(b, thresholds),
        )
    }

    fn combine(
        &self,
        other: &State,
        numbers: impl Fn(&Number, &Number) -> Number,
        pointers: impl Fn(&Pointer, &Pointer) -> Pointer,
    ) -> State {
        let mut joined = State {
            bounds: self.bounds.join_with(&other.bounds, numbers),
            pointers: self.pointers.join_with(&other.pointers, pointers),
            definedness: self.definedness.merge(&other.definedness),
            lifetimes: self.lifetimes.merge(&other.lifetimes),
            facts: self.facts.merge(&other.facts),
            escaped: self.escaped.merge(&other.escaped),
            copies: self.copies.merge(&other.copies),
            forced: self.forced || other.forced,
        };
        joined.remember_lost_targets(self);
        joined.remember_lost_targets(other);
        joined
    }

    /// A pointer that has become any pointer may still point to what it pointed to: then others
    /// may reach that object.
    fn remember_lost_targets(&mut self, before: &State) {
        if self.pointers.is_same(&before.pointers) {
            return;
        }
        let mut lost = Vec::new();
        self.pointers.all_pairs(&before.pointers, |cell, now, old| {
            let now_known = now
                .or_else(|| self.pointers.lookup(cell))
                .is_some_and(|p| matches!(p.targets, domain::Targets::Known(_)));
            if !now_known
                && let Some(Pointer {
                    targets: domain::Targets::Known(set),
                    ..
                }) = old
            {
                lost.extend(set.iter().copied());
            }
            true
        });
        for object in lost {
            self.escaped.insert(object, ());
        }
    }

    /// One cell was assigned from the other.
    pub fn note_copy(&mut self, cell: CellId, from: CellId) {
        let first = self.copies.get(from).copied().unwrap_or(from);
        if first != cell {
            self.copies.insert(cell, first);
        }
    }

    /// The cell has a new value: it is no copy of others any more, nor they of it.
    pub fn forget_copies(&mut self, cell: CellId) {
        if !self.copies.is_empty() {
            self.copies.retain(|k, v| k != cell && *v != cell);
        }
    }

    /// Forgets the copies in cells that do not matter. What was copied from one of them by several that
    /// do is the same in these still.
    pub fn keep_copies(&mut self, mut matters: impl FnMut(CellId) -> bool) {
        if self.copies.is_empty() {
            return;
        }
        let mut moved: SmallVec<[(CellId, CellId); 4]> = SmallVec::new();
        let mut orphans: SmallVec<[(CellId, CellId); 4]> = SmallVec::new();
        for (cell, first) in self.copies.iter() {
            if matters(cell) && !matters(*first) {
                match moved.iter().find(|(old, _)| old == first) {
                    Some((_, new)) => orphans.push((cell, *new)),
                    None => moved.push((*first, cell)),
                }
            }
        }
        self.copies
            .retain(|cell, first| matters(cell) && matters(*first));
        for (cell, first) in orphans {
            self.copies.insert(cell, first);
        }
    }

    /// The other cells that hold the same value.
    pub fn copies_of(&self, cell: CellId) -> SmallVec<[CellId; 4]> {
        if self.copies.is_empty() {
            return SmallVec::new();
        }
        let first = self.copies.get(cell).copied().unwrap_or(cell);
        let mut same: SmallVec<[CellId; 4]> = SmallVec::new();
        if first != cell {
            same.push(first);
        }
        same.extend(
            self.copies
                .iter()
                .filter(|(k, v)| **v == first && *k != cell)
                .map(|(k, _)| k),
        );
        same
    }

    /// Marks the object as gone, or as possibly so.
    pub fn end_lifetime(&mut self, object: domain::ObjectId, gone: Gone) {
        self.lifetimes.insert(object, gone);
    }

    /// Somebody may have freed the object: whether it is alive is not known any more.
    pub fn doubt_lifetime(&mut self, object: domain::ObjectId) {
        if self.lifetimes.get(object).is_none() {
            self.lifetimes.insert(object, Gone::Unseen);
        }
    }
}
