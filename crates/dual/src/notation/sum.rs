//! Comparisons of sums, which can be written down: isl's constraints, in which an existential integer that is a quotient is
//! told by what it is of.
//!
//! isl has `n - 4 q >= 1` with `q = floor(n / 4)` for what everybody calls `n % 4 != 0`. So each quotient is put where it
//! is used, and `e - m floor(e / m)` becomes the remainder that it is.

use isl::{Affine, Constraint, Context, Dim, Kind, Piece, Result, Set, Stopped};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A number that a sum is made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Number {
    Input(usize),
    /// Rounded down.
    Quotient(Box<Sum>, i128),
    /// From 0 to the divisor, without that.
    Remainder(Box<Sum>, i128),
}

/// Numbers with factors, none of which is zero, and a constant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Sum {
    pub terms: BTreeMap<Number, i128>,
    pub constant: i128,
}

/// What is said of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Relation {
    /// It is zero.
    Equal,
    /// It is not zero.
    Different,
    /// It is zero or more.
    AtLeast,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comparison {
    pub sum: Sum,
    pub relation: Relation,
}

/// Smaller numbers come first, whatever side they are on.
impl Ord for Comparison {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |c: &Comparison| (c.relation, c.sum.constant.unsigned_abs(), c.sum.constant);
        let terms = self.sum.terms.cmp(&other.sum.terms);
        terms.then_with(|| key(self).cmp(&key(other)))
    }
}

impl PartialOrd for Comparison {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

pub(super) fn too_large() -> Stopped {
    Stopped::Failed("a number of more than 128 bits".into())
}

impl Sum {
    /// `self + factor * other`; none if a number gets too large.
    pub fn plus_times(&self, factor: i128, other: &Sum) -> Option<Sum> {
        let mut sum = self.clone();
        for (number, n) in &other.terms {
            sum.add(n.checked_mul(factor)?, number.clone())?;
        }
        let more = other.constant.checked_mul(factor)?;
        sum.constant = sum.constant.checked_add(more)?;
        Some(sum)
    }

    fn add(&mut self, factor: i128, number: Number) -> Option<()> {
        let old = self.terms.remove(&number).unwrap_or(0);
        let new = old.checked_add(factor)?;
        if new != 0 {
            self.terms.insert(number, new);
        }
        Some(())
    }

    pub fn plus_constant(&self, n: i128) -> Option<Sum> {
        Some(Sum {
            terms: self.terms.clone(),
            constant: self.constant.checked_add(n)?,
        })
    }

    /// The number that it is a multiple of, plus a constant.
    pub fn single(&self) -> Option<(&Number, i128)> {
        let mut terms = self.terms.iter();
        let (number, factor) = terms.next()?;
        terms.next().is_none().then_some((number, *factor))
    }

    /// With remainders for what is one.
    fn with_remainders(mut self) -> Option<Sum> {
        let quotients = self
            .terms
            .keys()
            .cloned()
            .filter_map(|number| match number {
                Number::Quotient(of, by) => Some((of, by)),
                _ => None,
            });
        for (of, by) in quotients.collect::<Vec<_>>() {
            let quotient = Number::Quotient(of.clone(), by);
            let factor = self.terms.get(&quotient).copied().unwrap_or(0);
            if factor % by != 0 {
                continue;
            }
            // times * (of - by * quotient), and what is left.
            let times = -(factor / by);
            let mut rest = self.clone();
            rest.terms.remove(&quotient);
            let mut rest = rest.plus_times(times.checked_neg()?, &of)?;
            rest.add(times, Number::Remainder(of, by))?;
            if rest.terms.len() < self.terms.len() {
                self = rest;
            }
        }
        Some(self)
    }

    /// As isl has it. What it needs besides is added to the constraints.
    fn affine(&self, exists: &mut usize, all: &mut Vec<Constraint>) -> Option<Affine> {
        let mut terms = Vec::new();
        let mut constant = self.constant;
        for (number, factor) in &self.terms {
            let (of, by) = match number {
                Number::Input(at) => {
                    terms.push((Dim::At(*at), *factor));
                    continue;
                }
                Number::Quotient(of, by) | Number::Remainder(of, by) => (of, by),
            };
            let of = of.affine(exists, all)?;
            let quotient = Dim::Exists(*exists);
            *exists += 1;
            let scaled = |by: i128| -> Option<Vec<(Dim, i128)>> {
                let scaled = |&(dim, n): &(Dim, i128)| Some((dim, by.checked_mul(n)?));
                of.terms.iter().map(scaled).collect()
            };
            let mut above = scaled(1)?;
            above.push((quotient, by.checked_neg()?));
            all.push(Constraint::at_least_zero(above, of.constant));
            let mut below = scaled(-1)?;
            below.push((quotient, *by));
            let most = by.checked_sub(1)?.checked_sub(of.constant)?;
            all.push(Constraint::at_least_zero(below, most));
            match number {
                Number::Remainder(..) => {
                    terms.extend(scaled(*factor)?);
                    terms.push((quotient, factor.checked_mul(by.checked_neg()?)?));
                    constant = constant.checked_add(factor.checked_mul(of.constant)?)?;
                }
                _ => terms.push((quotient, *factor)),
            }
        }
        Some(Affine::new(terms, constant))
    }
}

impl Comparison {
    pub fn at_least_zero(sum: Sum) -> Comparison {
        Comparison {
            sum,
            relation: Relation::AtLeast,
        }
    }

    /// What holds if it does not.
    pub fn opposite(&self) -> Option<Comparison> {
        let (sum, relation) = match self.relation {
            Relation::Equal => (self.sum.clone(), Relation::Different),
            Relation::Different => (self.sum.clone(), Relation::Equal),
            Relation::AtLeast => {
                let negative = Sum::default().plus_times(-1, &self.sum)?;
                (negative.plus_constant(-1)?, Relation::AtLeast)
            }
        };
        Some(Comparison { sum, relation })
    }

    /// Is it so whatever the inputs are? Of what isl says of quotients much is.
    fn is_always(&self) -> bool {
        match (self.relation, self.sum.single()) {
            (Relation::AtLeast, None) => self.sum.constant >= 0 && self.sum.terms.is_empty(),
            (Relation::AtLeast, Some((Number::Remainder(_, by), factor))) => {
                let least = (by - 1).checked_mul(factor.min(0));
                least.is_some_and(|least| least.saturating_add(self.sum.constant) >= 0)
            }
            _ => false,
        }
    }

    /// A remainder of 1 or more is one that is not 0.
    fn told_shorter(mut self) -> Comparison {
        if let (Relation::AtLeast, Some((Number::Remainder(..), 1)), -1) =
            (self.relation, self.sum.single(), self.sum.constant)
        {
            self.relation = Relation::Different;
            self.sum.constant = 0;
        }
        self
    }

    /// The points with which it holds.
    pub fn set(&self, context: &Context, dimensions: usize) -> Result<Set> {
        let make = |relation: Kind, sum: &Sum| {
            let mut all = Vec::new();
            let form = sum.affine(&mut 0, &mut all).ok_or_else(too_large)?;
            all.push(Constraint {
                kind: relation,
                form,
            });
            Set::from_constraints(context, dimensions, &all)
        };
        match self.relation {
            Relation::Equal => make(Kind::Equal, &self.sum),
            Relation::AtLeast => make(Kind::AtLeastZero, &self.sum),
            Relation::Different => {
                let above = self.sum.plus_constant(-1).ok_or_else(too_large)?;
                let below = Sum::default().plus_times(-1, &self.sum);
                let below = below.and_then(|sum| sum.plus_constant(-1));
                let below = make(Kind::AtLeastZero, &below.ok_or_else(too_large)?)?;
                make(Kind::AtLeastZero, &above)?.union(&below)
            }
        }
    }
}

/// All that a piece says. None if it has an integer of which isl does not know what it is ([`Set::compute_divs`]).
pub(super) fn comparisons(piece: &Piece) -> Result<Option<Vec<Comparison>>> {
    let mut quotients: Vec<Number> = Vec::new();
    for definition in piece.definitions()? {
        let Some(definition) = definition else {
            return Ok(None);
        };
        let of = sum(&definition.form, &quotients).ok_or_else(too_large)?;
        quotients.push(Number::Quotient(Box::new(of), definition.divisor));
    }
    let mut all = Vec::new();
    for constraint in piece.constraints()? {
        let sum = sum(&constraint.form, &quotients).ok_or_else(too_large)?;
        let comparison = Comparison {
            sum,
            relation: match constraint.kind {
                Kind::Equal => Relation::Equal,
                Kind::AtLeastZero => Relation::AtLeast,
            },
        };
        if !comparison.is_always() {
            all.push(comparison.told_shorter());
        }
    }
    all.sort_unstable();
    all.dedup();
    Ok(Some(all))
}

fn sum(form: &Affine, quotients: &[Number]) -> Option<Sum> {
    let mut sum = Sum {
        terms: BTreeMap::new(),
        constant: form.constant,
    };
    for (dim, factor) in &form.terms {
        let number = match dim {
            Dim::At(at) => Number::Input(*at),
            Dim::Exists(k) => quotients.get(*k)?.clone(),
            Dim::In(_) | Dim::Out(_) => return None,
        };
        sum.add(*factor, number)?;
    }
    // Far from the end of what a number holds, so that its opposite and its neighbours are numbers, too.
    let fits = |n: &i128| n.unsigned_abs() < 1 << 120;
    let sum = sum.with_remainders()?;
    (sum.terms.values().all(fits) && fits(&sum.constant)).then_some(sum)
}
