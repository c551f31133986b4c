//! Bounded idempotent semirings (§3.2, Definition 3), and the tests that see into their products.
//!
//! A weight is what a piece of a path does. `extend` puts pieces one after the other, `combine` puts alternatives
//! beside each other, `zero` is the path that cannot be taken, `one` the one that does nothing.
//!
//! A semiring is a value: its methods take `&self`, so that a manager of decision diagrams can live in it.

use std::fmt::Debug;
use std::hash::Hash;

/// A bounded idempotent semiring (Definition 3).
///
/// `combine` is associative, commutative and idempotent, with `zero` as neutral element. `extend` is associative, with
/// `one` as neutral element; it distributes over `combine`, and `zero` annihilates it. In the order of
/// [`Semiring::is_below`] there is no infinite ascending chain. Equal weights must be equal in the sense of `Eq`.
pub trait Semiring {
    /// Cheap to clone and to compare: an id, or a small value.
    type Weight: Clone + Eq + Hash + Debug;

    /// The weight of no path at all.
    fn zero(&self) -> Self::Weight;

    /// The weight of the empty path.
    fn one(&self) -> Self::Weight;

    /// Either of the two: the join.
    fn combine(&self, a: &Self::Weight, b: &Self::Weight) -> Self::Weight;

    /// First `a`, then `b`.
    fn extend(&self, a: &Self::Weight, b: &Self::Weight) -> Self::Weight;

    /// Is this [`Semiring::zero`]?
    fn is_zero(&self, a: &Self::Weight) -> bool {
        *a == self.zero()
    }

    /// The order of the semiring: `a ⊑ b` iff `a ⊕ b = b`.
    fn is_below(&self, a: &Self::Weight, b: &Self::Weight) -> bool {
        self.combine(a, b) == *b
    }

    /// What is new in `new` for one who knows `old`: some `d ⊑ new` with `old ⊕ d = old ⊕ new`. Saturation passes
    /// only this on (semi-naive evaluation). All of `new` is always right.
    fn difference(&self, new: &Self::Weight, old: &Self::Weight) -> Self::Weight {
        let _ = old;
        new.clone()
    }
}

/// Kinds of weights, where a semiring has several (steps, calls, returns): a set of them, one bit for each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(pub u8);

impl Kinds {
    /// Whatever there is.
    pub const ALL: Kinds = Kinds(u8::MAX);

    /// Has it this one?
    pub fn has(self, bit: u8) -> bool {
        self.0 & (1 << bit) != 0
    }

    /// The kinds of both.
    #[must_use]
    pub fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }
}

/// A semiring with *tests*: questions about a weight that see a sum iff they see one of its parts.
///
/// A test stands for all that surrounds a piece of a path. The weight of the whole is `l ⊗ z ⊗ r`, and whether the
/// whole can be taken is a question about `z` alone: the test [`Tests::around`]`(l, any, r)`. Functional weights
/// `λz. l ⊗ z ⊗ r` do not form a semiring (§4), since their sums have another form; tests do have sums
/// ([`Tests::either`]). So one walk over the functional automaton answers for all nodes at once, where the paper walks
/// once for each node; and a witness is found from outside to inside, always knowing what will fit.
///
/// For relations on a finite set a test is a relation `t`, which sees `z` iff `z ∩ t` is not empty.
pub trait Tests: Semiring {
    /// Cheap to clone.
    type Test: Clone + Eq + Debug;

    /// Sees every weight but zero.
    fn any(&self) -> Self::Test;

    /// Sees nothing.
    fn none(&self) -> Self::Test;

    /// Sees what one of the two sees.
    fn either(&self, a: &Self::Test, b: &Self::Test) -> Self::Test;

    /// Sees `z` iff `test` sees `left ⊗ z ⊗ right`.
    fn around(&self, left: &Self::Weight, test: &Self::Test, right: &Self::Weight) -> Self::Test;

    /// The answer: `sees(t, a ⊕ b) = sees(t, a) ∨ sees(t, b)`, and zero is never seen.
    fn sees(&self, test: &Self::Test, weight: &Self::Weight) -> bool;

    /// `sees(test, left ⊗ right)`, for which the product need not be made.
    fn sees_product(&self, test: &Self::Test, left: &Self::Weight, right: &Self::Weight) -> bool {
        self.sees(test, &self.extend(left, right))
    }

    /// The kinds of `left ⊗ z ⊗ right` for all `z` of these kinds. Without kinds: all.
    fn kinds_around(&self, left: &Self::Weight, kinds: Kinds, right: &Self::Weight) -> Kinds {
        let _ = (left, kinds, right);
        Kinds::ALL
    }

    /// The kind of a weight.
    fn kind_of(&self, weight: &Self::Weight) -> Kinds {
        let _ = weight;
        Kinds::ALL
    }

    /// [`Tests::around`] for one who asks about weights of these kinds only: what the test says of others means nothing.
    fn around_for(
        &self,
        kinds: Kinds,
        left: &Self::Weight,
        test: &Self::Test,
        right: &Self::Weight,
    ) -> Self::Test {
        let _ = kinds;
        self.around(left, test, right)
    }

    /// Sees exactly those weights below `whole` that add something to `covered ⊑ whole`. It sees nothing iff
    /// `covered = whole`. With it a set of paths is found that justifies a weight (§5.1).
    fn missing(&self, whole: &Self::Weight, covered: &Self::Weight) -> Self::Test;
}

/// A semiring whose weights relate abstract stores (§5.2): relations on a finite set.
pub trait Stores: Tests {
    /// A set of abstract stores.
    type Set: Clone + Eq + Debug;

    /// No store.
    fn empty(&self) -> Self::Set;

    /// All of both.
    fn union(&self, a: &Self::Set, b: &Self::Set) -> Self::Set;

    /// Is all of `a` in `b`?
    fn is_subset(&self, a: &Self::Set, b: &Self::Set) -> bool;

    /// The bottleneck `{(v, v) | v ∈ set}`: passes these stores, unchanged, and no other.
    fn only(&self, set: &Self::Set) -> Self::Weight;

    /// The stores that can stand between `before` and `after` when `test` sees the whole:
    /// `{v | test sees before ⊗ only({v}) ⊗ after}`. With [`Tests::any`] this is the paper's Com(before, after).
    fn between(&self, before: &Self::Weight, after: &Self::Weight, test: &Self::Test) -> Self::Set;
}
