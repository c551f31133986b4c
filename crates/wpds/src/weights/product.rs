//! Two semirings side by side. The first can say whether a path can be taken and the second how long it is, but they do
//! not speak of the same path: a combine of both may have the one from here and the other from there.

use crate::semiring::{Semiring, Tests};

/// Pairs of weights; zero is a pair of zeros.
#[derive(Clone, Copy, Debug, Default)]
pub struct Product<A, B>(pub A, pub B);

impl<A: Semiring, B: Semiring> Semiring for Product<A, B> {
    type Weight = (A::Weight, B::Weight);

    fn zero(&self) -> Self::Weight {
        (self.0.zero(), self.1.zero())
    }

    fn one(&self) -> Self::Weight {
        (self.0.one(), self.1.one())
    }

    fn combine(&self, a: &Self::Weight, b: &Self::Weight) -> Self::Weight {
        (self.0.combine(&a.0, &b.0), self.1.combine(&a.1, &b.1))
    }

    fn extend(&self, a: &Self::Weight, b: &Self::Weight) -> Self::Weight {
        (self.0.extend(&a.0, &b.0), self.1.extend(&a.1, &b.1))
    }

    fn difference(&self, new: &Self::Weight, old: &Self::Weight) -> Self::Weight {
        (
            self.0.difference(&new.0, &old.0),
            self.1.difference(&new.1, &old.1),
        )
    }
}

impl<A: Tests, B: Tests> Tests for Product<A, B> {
    type Test = (A::Test, B::Test);

    fn any(&self) -> Self::Test {
        (self.0.any(), self.1.any())
    }

    fn none(&self) -> Self::Test {
        (self.0.none(), self.1.none())
    }

    fn either(&self, a: &Self::Test, b: &Self::Test) -> Self::Test {
        (self.0.either(&a.0, &b.0), self.1.either(&a.1, &b.1))
    }

    fn around(&self, left: &Self::Weight, test: &Self::Test, right: &Self::Weight) -> Self::Test {
        (
            self.0.around(&left.0, &test.0, &right.0),
            self.1.around(&left.1, &test.1, &right.1),
        )
    }

    fn sees(&self, test: &Self::Test, weight: &Self::Weight) -> bool {
        self.0.sees(&test.0, &weight.0) || self.1.sees(&test.1, &weight.1)
    }

    fn missing(&self, whole: &Self::Weight, covered: &Self::Weight) -> Self::Test {
        (
            self.0.missing(&whole.0, &covered.0),
            self.1.missing(&whole.1, &covered.1),
        )
    }
}
