//! Relations on a finite set of stores (Definition 6), as decision diagrams; with the variables of calls.
//!
//! `combine` is union, `extend` composition. A store is an assignment to bits ([`Vocabulary`]). Without local bits this is
//! the paper's relational weight domain, and all weights are steps.
//!
//! **Local bits.** Every call has its own, and the caller's come back when the callee returns. The paper leaves
//! that to its model checker; other work adds merge functions to the semiring. Here a weight says what it does to the stack of
//! frames: a *step* relates a frame to a frame; a *push* a frame to a new one and the saved one below it; a *pop*
//! a frame to the shared bits that it leaves behind; a *fail* a frame to nothing, since nobody looks at the store
//! where a program has failed. Composition is composition of these relations:
//!
//! | first | then | gives |
//! | --- | --- | --- |
//! | step | any kind | that kind |
//! | push | step | push |
//! | push | pop | step: the saved frame is the current one again |
//! | push | fail | fail |
//!
//! On paths of a program no other products are asked for, since post*, pre* and functional automata multiply calls with
//! their returns first. (Asking for one is an error of the caller: it is zero, and an assertion fails in debug builds.)
//!
//! Weights are ids of interned relations, so that equality is one comparison; products and sums are remembered.

mod around;

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::vocabulary::{Bit, Copy, Formula, Renaming, Set, Vocabulary};
use crate::semiring::Semiring;
pub use around::{RelationTest, StoreSet};

/// What a relation does to the frames of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Step,
    Push,
    Pop,
    Fail,
}

impl Kind {
    /// The kind of a product; nothing for one that no path of a program asks for.
    fn then(self, next: Kind) -> Option<Kind> {
        match (self, next) {
            (Kind::Step, kind) => Some(kind),
            (Kind::Push, Kind::Step) => Some(Kind::Push),
            (Kind::Push, Kind::Fail) => Some(Kind::Fail),
            (Kind::Push, Kind::Pop) => Some(Kind::Step),
            (Kind::Push, Kind::Push) | (Kind::Pop | Kind::Fail, _) => None,
        }
    }
}

/// An interned relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationWeight(u32);

const ZERO: RelationWeight = RelationWeight(0);
const ONE: RelationWeight = RelationWeight(1);

struct Entry {
    kind: Kind,
    formula: Formula,
    /// With *middle* in place of *next*: ready to be the first factor.
    first: Option<Formula>,
    /// With *middle* in place of *now*: ready to be the second.
    second: Option<Formula>,
}

#[derive(Default)]
struct Interned {
    entries: Vec<Entry>,
    ids: FxHashMap<(Kind, Formula), RelationWeight>,
    products: FxHashMap<(RelationWeight, RelationWeight), RelationWeight>,
    sums: FxHashMap<(RelationWeight, RelationWeight), RelationWeight>,
    differences: FxHashMap<(RelationWeight, RelationWeight), RelationWeight>,
    unchanged: FxHashMap<Vec<Bit>, Formula>,
}

/// The semiring of relations over the stores of a [`Vocabulary`].
pub struct Relations {
    vocabulary: Vocabulary,
    interned: RefCell<Interned>,
    middle: Set,
    middle_saved: Set,
    next: Set,
    next_saved: Set,
    now: Set,
    now_saved: Set,
    all_but_middle: Set,
    next_to_middle: Renaming,
    now_to_middle: Renaming,
    middle_to_next: Renaming,
    middle_to_now: Renaming,
    saved_to_next: Renaming,
    next_to_saved: Renaming,
}

impl std::fmt::Debug for Relations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Relations({:?})", self.vocabulary)
    }
}

impl Relations {
    pub fn new(vocabulary: Vocabulary) -> Self {
        let v = &vocabulary;
        let all = |copies: &[Copy]| v.set(&copies.iter().map(|c| (*c, false)).collect::<Vec<_>>());
        let relations = Relations {
            interned: RefCell::default(),
            middle: all(&[Copy::Middle]),
            middle_saved: all(&[Copy::Middle, Copy::Saved]),
            next: all(&[Copy::Next]),
            next_saved: all(&[Copy::Next, Copy::Saved]),
            now: all(&[Copy::Now]),
            now_saved: all(&[Copy::Now, Copy::Saved]),
            all_but_middle: all(&[Copy::Now, Copy::Next, Copy::Saved]),
            next_to_middle: v.renaming(Copy::Next, Copy::Middle, false),
            now_to_middle: v.renaming(Copy::Now, Copy::Middle, false),
            middle_to_next: v.renaming(Copy::Middle, Copy::Next, false),
            middle_to_now: v.renaming(Copy::Middle, Copy::Now, false),
            saved_to_next: v.renaming(Copy::Saved, Copy::Next, true),
            next_to_saved: v.renaming(Copy::Next, Copy::Saved, true),
            vocabulary,
        };
        let zero = relations.intern(Kind::Step, relations.vocabulary.constant(false));
        let one = relations.intern(Kind::Step, relations.unchanged(&[]));
        let exhausted = relations.vocabulary.exhausted();
        debug_assert!(exhausted || (zero, one) == (ZERO, ONE));
        relations
    }

    /// With so many shared bits and no local ones: the paper's domain.
    pub fn plain(bits: u32) -> Self {
        Relations::new(Vocabulary::new(bits, 0, 1 << 16))
    }

    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// How many relations there are.
    pub fn interned(&self) -> usize {
        self.interned.borrow().entries.len()
    }

    /// A relation on *now* and *next*.
    pub fn step(&self, formula: Formula) -> RelationWeight {
        self.intern(Kind::Step, formula)
    }

    /// A call: a relation on *now*, *next* (the callee's frame) and *saved* (the caller's).
    pub fn push(&self, formula: Formula) -> RelationWeight {
        self.intern(Kind::Push, formula)
    }

    /// A return: a relation on *now* and the shared bits of *next*.
    pub fn pop(&self, formula: Formula) -> RelationWeight {
        self.intern(Kind::Pop, formula)
    }

    /// An end of the program: a formula about *now*.
    pub fn fail(&self, formula: Formula) -> RelationWeight {
        self.intern(Kind::Fail, formula)
    }

    /// Goes on, with an unchanged store, where a formula about *now* is true.
    pub fn assume(&self, condition: &Formula) -> RelationWeight {
        self.assign(condition, &[])
    }

    /// Where a formula about *now* is true, gives new values to some bits, all at once: formulas about *now*, or any
    /// value.
    pub fn assign(&self, condition: &Formula, values: &[(Bit, Option<Formula>)]) -> RelationWeight {
        let mut changed: Vec<Bit> = values.iter().map(|(bit, _)| *bit).collect();
        changed.sort_unstable();
        changed.dedup();
        let v = &self.vocabulary;
        let mut formula = v.and(condition, &self.unchanged(&changed));
        for (bit, value) in values {
            if let Some(value) = value {
                formula = v.and(&formula, &v.iff(&v.next(*bit), value));
            }
        }
        self.step(formula)
    }

    /// All bits but these are the same in *now* and *next*.
    pub fn unchanged(&self, changed: &[Bit]) -> Formula {
        if let Some(known) = self.interned.borrow().unchanged.get(changed) {
            return known.clone();
        }
        let v = &self.vocabulary;
        let mut same = v.constant(true);
        for bit in v.from_below().filter(|bit| !changed.contains(bit)) {
            same = v.and(&v.iff(&v.now(bit), &v.next(bit)), &same);
        }
        let mut interned = self.interned.borrow_mut();
        interned.unchanged.insert(changed.to_vec(), same.clone());
        same
    }

    /// The kind of a weight, and its formula.
    pub fn get(&self, weight: RelationWeight) -> (Kind, Formula) {
        let interned = self.interned.borrow();
        let entry = &interned.entries[weight.0 as usize];
        (entry.kind, entry.formula.clone())
    }

    fn kind(&self, weight: RelationWeight) -> Kind {
        self.interned.borrow().entries[weight.0 as usize].kind
    }

    /// A set of stores: a formula about *now*.
    pub fn stores(&self, formula: Formula) -> StoreSet {
        StoreSet(formula)
    }

    fn intern(&self, kind: Kind, formula: Formula) -> RelationWeight {
        let plain = self.vocabulary.local() == 0 && kind != Kind::Fail;
        let interned = &mut *self.interned.borrow_mut();
        if !interned.entries.is_empty() && self.vocabulary.is_false(&formula) {
            return ZERO;
        }
        let kind = if plain { Kind::Step } else { kind };
        let next = RelationWeight(interned.entries.len() as u32);
        *interned
            .ids
            .entry((kind, formula.clone()))
            .or_insert_with(|| {
                interned.entries.push(Entry {
                    kind,
                    formula,
                    first: None,
                    second: None,
                });
                next
            })
    }

    fn as_first(&self, weight: RelationWeight) -> (Kind, Formula) {
        let entry = &mut self.interned.borrow_mut().entries[weight.0 as usize];
        let first = entry
            .first
            .get_or_insert_with(|| self.vocabulary.rename(&entry.formula, &self.next_to_middle));
        (entry.kind, first.clone())
    }

    fn as_second(&self, weight: RelationWeight) -> (Kind, Formula) {
        let entry = &mut self.interned.borrow_mut().entries[weight.0 as usize];
        let second = entry
            .second
            .get_or_insert_with(|| self.vocabulary.rename(&entry.formula, &self.now_to_middle));
        (entry.kind, second.clone())
    }

    fn compose(&self, a: RelationWeight, b: RelationWeight) -> RelationWeight {
        let (first_kind, first) = self.as_first(a);
        let (second_kind, second) = self.as_second(b);
        let Some(kind) = first_kind.then(second_kind) else {
            debug_assert!(false, "{first_kind:?} before {second_kind:?}");
            return ZERO;
        };
        let v = &self.vocabulary;
        let formula = match (first_kind, second_kind) {
            (Kind::Push, Kind::Fail) => v.and_exists(&first, &second, &self.middle_saved),
            (Kind::Push, Kind::Pop) => {
                let back = v.and_exists(&first, &second, &self.middle);
                v.rename(&back, &self.saved_to_next)
            }
            _ => v.and_exists(&first, &second, &self.middle),
        };
        self.intern(kind, formula)
    }
}

impl Semiring for Relations {
    type Weight = RelationWeight;

    fn zero(&self) -> RelationWeight {
        ZERO
    }

    fn one(&self) -> RelationWeight {
        ONE
    }

    fn combine(&self, a: &RelationWeight, b: &RelationWeight) -> RelationWeight {
        if a == b || *b == ZERO {
            return *a;
        }
        if *a == ZERO {
            return *b;
        }
        let key = (*a.min(b), *a.max(b));
        if let Some(known) = self.interned.borrow().sums.get(&key) {
            return *known;
        }
        let ((kind, first), (other, second)) = (self.get(*a), self.get(*b));
        debug_assert_eq!(kind, other, "a sum of two kinds");
        let sum = self.intern(kind, self.vocabulary.or(&first, &second));
        self.interned.borrow_mut().sums.insert(key, sum);
        sum
    }

    fn extend(&self, a: &RelationWeight, b: &RelationWeight) -> RelationWeight {
        match (*a, *b) {
            (ZERO, _) | (_, ZERO) => return ZERO,
            (ONE, _) => return *b,
            (_, ONE) => return *a,
            _ => {}
        }
        if let Some(known) = self.interned.borrow().products.get(&(*a, *b)) {
            return *known;
        }
        let product = self.compose(*a, *b);
        self.interned
            .borrow_mut()
            .products
            .insert((*a, *b), product);
        product
    }

    fn difference(&self, new: &RelationWeight, old: &RelationWeight) -> RelationWeight {
        if *old == ZERO {
            return *new;
        }
        if let Some(known) = self.interned.borrow().differences.get(&(*new, *old)) {
            return *known;
        }
        let ((kind, more), (_, less)) = (self.get(*new), self.get(*old));
        let difference = self.intern(kind, self.vocabulary.minus(&more, &less));
        let mut interned = self.interned.borrow_mut();
        interned.differences.insert((*new, *old), difference);
        difference
    }
}
