//! Constraints: what polyhedra are made of.
//!
//! An affine form is a sum of dimensions with integer factors, and a constant. A constraint says that a form is zero, or that
//! it is not negative. Existential integers make more of it than polyhedra: `n % 4 == 0` is `n - 4 q = 0` for some integer `q`.
//! Where isl knows that such an integer is the quotient of a [`FloorDivision`], it can be printed as C has it.

use crate::{Result, Stopped};

/// A dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dim {
    /// Of a set: its position. Of a map: the position among its inputs, followed by its outputs.
    At(usize),
    /// An input of a map.
    In(usize),
    /// An output of a map.
    Out(usize),
    /// An existentially quantified integer, numbered from zero within a list of constraints.
    Exists(usize),
}

/// A sum of dimensions with factors, and a constant. If a dimension is there twice, its factors add up.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Affine {
    pub terms: Vec<(Dim, i128)>,
    pub constant: i128,
}

/// What a constraint says of its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// It is zero.
    Equal,
    /// It is zero or more.
    AtLeastZero,
}

/// A form, and what is said of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Constraint {
    pub kind: Kind,
    pub form: Affine,
}

/// `floor(form / divisor)`. The divisor is positive, and if the form has existential integers, they have smaller numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FloorDivision {
    pub form: Affine,
    pub divisor: i128,
}

impl Affine {
    /// The sum of these.
    pub fn new(terms: impl IntoIterator<Item = (Dim, i128)>, constant: i128) -> Affine {
        Affine {
            terms: terms.into_iter().collect(),
            constant,
        }
    }

    /// Its negation, minus `less`. `None` if a number gets too large.
    pub(crate) fn negated(&self, less: i128) -> Option<Affine> {
        let terms = self.terms.iter();
        Some(Affine {
            terms: terms
                .map(|&(dim, factor)| Some((dim, factor.checked_neg()?)))
                .collect::<Option<_>>()?,
            constant: self.constant.checked_neg()?.checked_sub(less)?,
        })
    }

    /// The factors by column: those of the set's dimensions, then of existential integers.
    pub(crate) fn row(&self, dimensions: usize, exists: usize) -> Result<Vec<i128>> {
        let mut row = vec![0i128; dimensions + exists];
        for &(dim, factor) in &self.terms {
            let column = match dim {
                Dim::At(at) if at < dimensions => at,
                Dim::Exists(k) if k < exists => dimensions + k,
                other => {
                    return Err(Stopped::Failed(format!(
                        "{other:?} is no dimension of a set of {dimensions}"
                    )));
                }
            };
            row[column] = row[column]
                .checked_add(factor)
                .ok_or_else(|| Stopped::Failed("a number of more than 128 bits".into()))?;
        }
        Ok(row)
    }

    /// The form over the dimensions of a map's [`wrap`](crate::Map::wrap).
    pub(crate) fn wrapped(&self, inputs: usize, outputs: usize) -> Result<Affine> {
        let terms = self.terms.iter().map(|&(dim, factor)| {
            let dim = match dim {
                Dim::In(at) if at < inputs => Dim::At(at),
                Dim::Out(at) if at < outputs => Dim::At(inputs + at),
                Dim::In(_) | Dim::Out(_) => {
                    return Err(Stopped::Failed(format!(
                        "{dim:?} is no dimension of a map of {inputs} to {outputs}"
                    )));
                }
                other => other,
            };
            Ok((dim, factor))
        });
        Ok(Affine {
            terms: terms.collect::<Result<_>>()?,
            constant: self.constant,
        })
    }
}

impl Constraint {
    /// The sum is zero.
    pub fn equal(terms: impl IntoIterator<Item = (Dim, i128)>, constant: i128) -> Constraint {
        Constraint {
            kind: Kind::Equal,
            form: Affine::new(terms, constant),
        }
    }

    /// The sum is zero or more.
    pub fn at_least_zero(
        terms: impl IntoIterator<Item = (Dim, i128)>,
        constant: i128,
    ) -> Constraint {
        Constraint {
            kind: Kind::AtLeastZero,
            form: Affine::new(terms, constant),
        }
    }
}
