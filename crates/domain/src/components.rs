//! The components of a state, as automata whose states are maps (§2.2).
//!
//! | component | an entry says | no entry |
//! | --- | --- | --- |
//! | [`Bounds`] | the values of a scalar | any value |
//! | [`Pointers`] | nullness and targets of a pointer | any pointer |
//! | [`Definedness`] | whether it is defined | defined |
//! | [`Lifetimes`] | the object may be gone | alive |
//! | [`Facts`] | a condition is known to hold, or not to | unknown |
//! | [`Copies`] | it holds the same value as another cell | unknown |
//! | [`Escaped`] | others may hold the object's address | nobody does |
//!
//! A part of an object without an entry is what the object's rest is. Each component defines
//! covering, difference and merge for itself, and the product lifts them.

use crate::definedness::Definition;
use crate::id::{CellId, FactId, ObjectId};
use crate::map::CowMap;
use crate::number::Number;
use crate::pointer::{Nullness, Pointer};
use search::Component;

pub type Bounds = CowMap<CellId, Number>;
pub type Pointers = CowMap<CellId, Pointer>;
pub type Definedness = CowMap<CellId, Definition>;
pub type Lifetimes = CowMap<ObjectId, Gone>;
pub type Facts = CowMap<FactId, bool>;
pub type Escaped = CowMap<ObjectId, ()>;
pub type Copies = CowMap<CellId, CellId>;

/// What is known of an object that is not surely alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gone {
    Surely,
    Possibly,
    /// Somebody who may have ended its life was handed it. That is no evidence.
    Unseen,
}

impl Gone {
    /// Does the one stand for the other, too? None: it is alive.
    fn covers(all: Option<&Gone>, one: Option<&Gone>) -> bool {
        match all {
            Some(Gone::Possibly) => true,
            Some(Gone::Unseen) => one.is_none() || one == all,
            _ => one == all,
        }
    }
}

/// More pieces than these are not worth a difference.
const PIECES: usize = 4;

/// The values that cells have in a map of cells.
pub trait Lattice: Clone + PartialEq + 'static {
    /// Of a cell that has no entry, nor its object's rest.
    fn absent() -> Self;
    /// What is left of it where something else may have been written.
    fn doubted(&self) -> &Self;
    fn covers(&self, other: &Self) -> bool;
    fn join(&self, other: &Self) -> Self;
    /// Parts of this value that the other does not cover; none if they cannot be told.
    fn minus(&self, other: &Self) -> Option<Vec<Self>>;
}

impl<V: Lattice> CowMap<CellId, V> {
    /// The entry of a cell, or of the rest that it belongs to.
    pub fn lookup(&self, cell: CellId) -> Option<&V> {
        self.get(cell).or_else(|| self.inherited(cell))
    }

    /// What a cell without an entry has from the rest that it belongs to.
    fn inherited(&self, cell: CellId) -> Option<&V> {
        if !cell.is_part() {
            return None;
        }
        match self.get(CellId::rest(cell.object())) {
            Some(rest) if cell.is_shared() => Some(rest.doubted()),
            rest => rest,
        }
    }

    /// The entries of the cells of an object.
    pub fn of_object(&self, object: ObjectId) -> &[(CellId, V)] {
        self.between(CellId::rest(object), CellId::whole(object))
    }

    /// A cell of which the other map says more than this one covers.
    pub fn uncovered(&self, other: &Self) -> Option<CellId> {
        if self.is_same(other) {
            return None;
        }
        let absent = V::absent();
        let mut found = None;
        self.all_pairs(other, |cell, a, b| {
            let a = a.or_else(|| self.inherited(cell)).unwrap_or(&absent);
            let b = b.or_else(|| other.inherited(cell)).unwrap_or(&absent);
            if !a.covers(b) {
                found = Some(cell);
            }
            found.is_none()
        });
        found
    }

    /// The value of a cell.
    pub fn value(&self, cell: CellId) -> V {
        self.lookup(cell).cloned().unwrap_or_else(V::absent)
    }

    /// Sets the value; an entry that says what no entry would is left out.
    pub fn set(&mut self, cell: CellId, value: V) {
        if !cell.is_part() && value == V::absent() {
            self.remove(cell);
        } else {
            self.insert(cell, value);
        }
    }

    /// Joins (or widens) cell by cell.
    pub fn join_with(&self, other: &Self, join: impl Fn(&V, &V) -> V) -> Self {
        if self.is_same(other) {
            return self.clone();
        }
        let absent = V::absent();
        self.combine(other, |cell, a, b| {
            let (a, b) = match (a, b) {
                (Some(a), Some(b)) => (a, b),
                (Some(a), None) => (a, other.lookup(cell).unwrap_or(&absent)),
                (None, b) => (self.lookup(cell).unwrap_or(&absent), b?),
            };
            let joined = join(a, b);
            (cell.is_part() || joined != absent).then_some(joined)
        })
    }
}

impl<V: Lattice> Component for CowMap<CellId, V> {
    fn covers(&self, other: &Self) -> bool {
        self.uncovered(other).is_none()
    }

    fn difference(&self, from: &Self) -> Option<Vec<Self>> {
        let absent = V::absent();
        let mut pieces = Vec::new();
        let mut useful = true;
        self.all_pairs(from, |cell, a, b| {
            let a = a.or_else(|| self.inherited(cell)).unwrap_or(&absent);
            let b = b.or_else(|| from.inherited(cell)).unwrap_or(&absent);
            match a.minus(b) {
                Some(parts) => {
                    for part in parts {
                        let mut piece = self.clone();
                        piece.set(cell, part);
                        pieces.push(piece);
                    }
                }
                None => useful = false,
            }
            useful && pieces.len() <= PIECES
        });
        (useful && pieces.len() <= PIECES).then_some(pieces)
    }

    fn merge(&self, other: &Self) -> Self {
        self.join_with(other, V::join)
    }
}

impl Lattice for Number {
    fn absent() -> Self {
        Number::TOP
    }

    fn doubted(&self) -> &Self {
        &Number::TOP
    }

    fn covers(&self, other: &Self) -> bool {
        Number::covers(self, other)
    }

    fn join(&self, other: &Self) -> Self {
        Number::join(self, other)
    }

    fn minus(&self, other: &Self) -> Option<Vec<Self>> {
        // More evidence for the same values cannot be cut out by values.
        let same_evidence = match (self.acknowledged(), other.acknowledged()) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some((least, greatest)), Some((l, g))) => {
                (l <= least && greatest <= g && (other.is_dense() || !self.is_dense()))
                    || self.high < other.low
                    || other.high < self.low
                    || greatest <= g && least >= l.min(other.low)
            }
        };
        same_evidence.then(|| Number::minus(self, other))
    }
}

impl Lattice for Pointer {
    fn absent() -> Self {
        Pointer::any()
    }

    fn doubted(&self) -> &Self {
        &Pointer::ANY
    }

    fn covers(&self, other: &Self) -> bool {
        Pointer::covers(self, other)
    }

    fn join(&self, other: &Self) -> Self {
        Pointer::join(self, other)
    }

    /// Null and not null are the two halves of a pointer; targets do not subtract.
    fn minus(&self, other: &Self) -> Option<Vec<Self>> {
        if other.covers(self) {
            return Some(Vec::new());
        }
        let half = |null: Nullness| Pointer { null, ..*self };
        let null = half(Nullness {
            may_be_valid: false,
            ..self.null
        });
        let valid = half(Nullness {
            may_be_null: false,
            acknowledged: false,
            introduced: false,
            ..self.null
        });
        match (self.null.may_be_null, self.null.may_be_valid) {
            (true, true) if other.covers(&null) => Some(vec![valid]),
            (true, true) if other.covers(&valid) => Some(vec![null]),
            _ => None,
        }
    }
}

impl Lattice for Definition {
    fn absent() -> Self {
        Definition::Defined
    }

    fn doubted(&self) -> &Self {
        match self {
            Definition::Defined => &Definition::Defined,
            _ => &Definition::Unclear,
        }
    }

    fn covers(&self, other: &Self) -> bool {
        Definition::covers(*self, *other)
    }

    fn join(&self, other: &Self) -> Self {
        Definition::join(*self, *other)
    }

    /// Never asked: see [`Definedness`]'s own difference.
    fn minus(&self, other: &Self) -> Option<Vec<Self>> {
        other.covers(self).then(Vec::new)
    }
}

/// Set difference, as the paper has it: the cells whose being undefined is new; all others count
/// as defined. (A cell that is defined here and surely not there is new as well: runs that go on
/// beyond a check of it.)
pub fn definedness_difference(of: &Definedness, from: &Definedness) -> Vec<Definedness> {
    if from.covers(of) {
        return Vec::new();
    }
    let mut rest = of.clone();
    rest.update(|cell, v| {
        if *v != Definition::Defined && from.value(cell).covers(*v) {
            crate::map::Change::Set(Definition::Defined)
        } else {
            crate::map::Change::Keep
        }
    });
    rest.retain(|cell, v| cell.is_part() || *v != Definition::Defined);
    vec![rest]
}

impl Component for Lifetimes {
    fn covers(&self, other: &Self) -> bool {
        self.is_same(other) || self.all_pairs(other, |_, a, b| Gone::covers(a, b))
    }

    fn difference(&self, from: &Self) -> Option<Vec<Self>> {
        if from.covers(self) {
            return Some(Vec::new());
        }
        let mut rest = self.clone();
        rest.retain(|k, v| !Gone::covers(from.get(k), Some(v)));
        (!rest.is_empty()).then(|| vec![rest])
    }

    fn merge(&self, other: &Self) -> Self {
        if self.is_same(other) {
            return self.clone();
        }
        self.combine(other, |_, a, b| match (a, b) {
            (a, b) if a == b => a.copied(),
            (None | Some(Gone::Unseen), None | Some(Gone::Unseen)) => Some(Gone::Unseen),
            _ => Some(Gone::Possibly),
        })
    }
}

impl Component for Facts {
    fn covers(&self, other: &Self) -> bool {
        self.is_same(other) || self.iter().all(|(k, v)| other.get(k) == Some(v))
    }

    fn difference(&self, from: &Self) -> Option<Vec<Self>> {
        let mut pieces = Vec::new();
        for (k, v) in from.iter() {
            match self.get(k) {
                Some(mine) if mine == v => {}
                Some(_) => return Some(vec![self.clone()]),
                None => {
                    let mut piece = self.clone();
                    piece.insert(k, !v);
                    pieces.push(piece);
                }
            }
        }
        (pieces.len() <= PIECES).then_some(pieces)
    }

    fn merge(&self, other: &Self) -> Self {
        if self.is_same(other) {
            return self.clone();
        }
        self.combine(other, |_, a, b| if a == b { a.copied() } else { None })
    }
}

impl Component for Escaped {
    fn covers(&self, other: &Self) -> bool {
        self.is_same(other) || other.iter().all(|(k, ())| self.get(k).is_some())
    }

    fn difference(&self, from: &Self) -> Option<Vec<Self>> {
        from.covers(self).then(Vec::new)
    }

    fn merge(&self, other: &Self) -> Self {
        if self.is_same(other) {
            return self.clone();
        }
        self.combine(other, |_, _, _| Some(()))
    }
}

impl Component for Copies {
    fn covers(&self, other: &Self) -> bool {
        self.is_same(other) || self.iter().all(|(k, v)| other.get(k) == Some(v))
    }

    fn difference(&self, from: &Self) -> Option<Vec<Self>> {
        from.covers(self).then(Vec::new)
    }

    fn merge(&self, other: &Self) -> Self {
        if self.is_same(other) {
            return self.clone();
        }
        self.combine(other, |_, a, b| if a == b { a.copied() } else { None })
    }
}
