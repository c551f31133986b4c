//! Tests of relations, and the stores between two of them.
//!
//! A test is a relation, too, for each kind of weight: it sees what it has a pair in common with. What `y` must be for `y ⊗ right` to be
//! seen, or `z` for `left ⊗ z`, is a product with the factor turned round: `∃ y'. right(y, y') ∧ test(x, y')`. Frames
//! take part in it as they do in products: the saved bits of a push are those that a step after the pop has again.

use std::rc::Rc;

use super::{Kind, ONE, RelationWeight, Relations, Set, ZERO};
use crate::semiring::{Kinds, Semiring, Stores, Tests};
use crate::weights::vocabulary::{Copy, Formula};

impl Relations {
    /// The test of `y`, which is of these kinds, that sees `y ⊗ right`.
    fn before(&self, kinds: Kinds, test: &RelationTest, right: RelationWeight) -> RelationTest {
        let (kind, second) = self.as_second(right);
        let v = &self.vocabulary;
        let no = || v.constant(false);
        // A formula about now and next (of the product) becomes one about now and middle, and that one about now and
        // next of the first factor.
        let quotient = |of: &Formula, set: &Set| match v.is_false(of) {
            true => no(),
            false => v.rename(&v.and_exists(&second, of, set), &self.middle_to_next),
        };
        let [step, push, pop, fail] = &*test.0;
        let (steps, pushes) = (kinds.has(Kind::Step as u8), kinds.has(Kind::Push as u8));
        let (step, push) = match kind {
            Kind::Fail => {
                let both = quotient(fail, &self.next);
                (both.clone(), both)
            }
            _ => {
                let first = || match kind {
                    Kind::Push => quotient(push, &self.next_saved),
                    Kind::Pop => quotient(pop, &self.next),
                    _ => quotient(step, &self.next),
                };
                let second = || match kind {
                    Kind::Push => no(),
                    Kind::Pop => quotient(&v.rename(step, &self.next_to_saved), &self.next),
                    _ => quotient(push, &self.next),
                };
                (
                    if steps { first() } else { no() },
                    if pushes { second() } else { no() },
                )
            }
        };
        RelationTest(Rc::new([step, push, no(), no()]))
    }

    /// The test of `z`, which is of these kinds, that sees `left ⊗ z`.
    fn after(&self, kinds: Kinds, test: &RelationTest, left: RelationWeight) -> RelationTest {
        let (kind, first) = self.as_first(left);
        let v = &self.vocabulary;
        let no = || v.constant(false);
        let quotient = |of: &Formula, set: &Set| match v.is_false(of) {
            true => no(),
            false => v.rename(&v.and_exists(&first, of, set), &self.middle_to_now),
        };
        let [step, push, _, fail] = &*test.0;
        let part = |z: Kind| match (kind, z) {
            _ if !kinds.has(z as u8) => no(),
            (Kind::Push, Kind::Step) => quotient(push, &self.now_saved),
            (Kind::Push, Kind::Push) => no(),
            (Kind::Push, Kind::Pop) => {
                quotient(&v.rename(step, &self.next_to_saved), &self.now_saved)
            }
            (Kind::Push, Kind::Fail) => quotient(fail, &self.now_saved),
            (_, z) => quotient(&test.0[z as usize], &self.now),
        };
        RelationTest(Rc::new(match kind {
            Kind::Step | Kind::Push => [Kind::Step, Kind::Push, Kind::Pop, Kind::Fail].map(part),
            // Nothing but one can follow.
            Kind::Pop | Kind::Fail => {
                let seen = v.constant(self.sees(test, &left));
                [seen, no(), no(), no()]
            }
        }))
    }
}

/// For each kind of weight a relation, which is seen where it has something in common with the weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationTest(Rc<[Formula; 4]>);

impl Tests for Relations {
    type Test = RelationTest;

    fn any(&self) -> RelationTest {
        let yes = || self.vocabulary.constant(true);
        // Without local bits there are no pushes and pops.
        let calls = || self.vocabulary.constant(self.vocabulary.local() > 0);
        RelationTest(Rc::new([yes(), calls(), calls(), yes()]))
    }

    fn none(&self) -> RelationTest {
        let no = || self.vocabulary.constant(false);
        RelationTest(Rc::new([no(), no(), no(), no()]))
    }

    fn either(&self, a: &RelationTest, b: &RelationTest) -> RelationTest {
        let or = |i: usize| self.vocabulary.or(&a.0[i], &b.0[i]);
        RelationTest(Rc::new([or(0), or(1), or(2), or(3)]))
    }

    fn around(
        &self,
        left: &RelationWeight,
        test: &RelationTest,
        right: &RelationWeight,
    ) -> RelationTest {
        self.around_for(Kinds::ALL, left, test, right)
    }

    fn kinds_around(&self, left: &RelationWeight, kinds: Kinds, right: &RelationWeight) -> Kinds {
        let (first, last) = (self.kind(*left), self.kind(*right));
        let whole = |z: Kind| match kinds.has(z as u8) {
            true => first.then(z).and_then(|kind| kind.then(last)),
            false => None,
        };
        let all = [Kind::Step, Kind::Push, Kind::Pop, Kind::Fail];
        let whole = all.into_iter().filter_map(whole);
        Kinds(whole.fold(0, |bits, kind| bits | 1 << kind as u8))
    }

    fn kind_of(&self, weight: &RelationWeight) -> Kinds {
        Kinds(1 << self.kind(*weight) as u8)
    }

    /// On paths of a program a test is asked about calls, or returns, or failures, seldom about more than one of them: the
    /// other parts are not made.
    fn around_for(
        &self,
        kinds: Kinds,
        left: &RelationWeight,
        test: &RelationTest,
        right: &RelationWeight,
    ) -> RelationTest {
        if *left == ZERO || *right == ZERO {
            return self.none();
        }
        let mut test = test.clone();
        if *right != ONE {
            let first = match self.kind(*left) {
                Kind::Step | Kind::Push => self.kinds_around(left, kinds, &ONE),
                Kind::Pop | Kind::Fail => Kinds::ALL,
            };
            test = self.before(first, &test, *right);
        }
        if *left != ONE {
            test = self.after(kinds, &test, *left);
        }
        test
    }

    fn sees(&self, test: &RelationTest, weight: &RelationWeight) -> bool {
        let (kind, formula) = self.get(*weight);
        let part = &test.0[kind as usize];
        let v = &self.vocabulary;
        v.common([(part, None), (&formula, None), (&v.constant(true), None)])
    }

    fn sees_product(
        &self,
        test: &RelationTest,
        left: &RelationWeight,
        right: &RelationWeight,
    ) -> bool {
        let v = &self.vocabulary;
        let (first_kind, second_kind) = (self.kind(*left), self.kind(*right));
        let Some(kind) = first_kind.then(second_kind) else {
            return self.sees(test, &self.extend(left, right));
        };
        let part = &test.0[kind as usize];
        if v.is_false(part) || *left == ZERO || *right == ZERO {
            return false;
        }
        let ((_, first), (_, second)) = (self.get(*left), self.get(*right));
        // The saved frame is the current one again.
        let back = first_kind == Kind::Push && second_kind == Kind::Pop;
        v.common([
            (part, back.then_some((Copy::Next, Copy::Saved))),
            (&first, Some((Copy::Next, Copy::Middle))),
            (&second, Some((Copy::Now, Copy::Middle))),
        ])
    }

    fn missing(&self, whole: &RelationWeight, covered: &RelationWeight) -> RelationTest {
        let ((kind, whole), (_, covered)) = (self.get(*whole), self.get(*covered));
        let mut parts = [0; 4].map(|_| self.vocabulary.constant(false));
        parts[kind as usize] = self.vocabulary.minus(&whole, &covered);
        RelationTest(Rc::new(parts))
    }
}

/// A set of stores: a formula about *now*.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StoreSet(pub(super) Formula);

impl StoreSet {
    pub fn formula(&self) -> &Formula {
        &self.0
    }
}

impl Stores for Relations {
    type Set = StoreSet;

    fn empty(&self) -> StoreSet {
        StoreSet(self.vocabulary.constant(false))
    }

    fn union(&self, a: &StoreSet, b: &StoreSet) -> StoreSet {
        StoreSet(self.vocabulary.or(&a.0, &b.0))
    }

    fn is_subset(&self, a: &StoreSet, b: &StoreSet) -> bool {
        let v = &self.vocabulary;
        v.is_false(&v.minus(&a.0, &b.0))
    }

    fn only(&self, set: &StoreSet) -> RelationWeight {
        self.assume(&set.0)
    }

    /// After a *fail* or a *pop* there is no store.
    fn between(
        &self,
        before: &RelationWeight,
        after: &RelationWeight,
        test: &RelationTest,
    ) -> StoreSet {
        let (kind, first) = self.as_first(*before);
        if kind != Kind::Step {
            return self.empty();
        }
        let v = &self.vocabulary;
        let (kind, second) = self.as_second(*after);
        let seen = v.and(&second, &test.0[kind as usize]);
        let middle = v.and_exists(&first, &seen, &self.all_but_middle);
        StoreSet(v.rename(&middle, &self.middle_to_now))
    }
}
