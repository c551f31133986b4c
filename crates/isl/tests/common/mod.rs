//! A naive oracle: unions of constraint systems in a small box, decided by looking at every point of it.
#![allow(dead_code)] // Each test uses its part.

pub mod work;

use std::collections::BTreeSet;

use isl::{Affine, Constraint, Context, Dim, Kind, Piece, Result, Set};
use proptest::collection::vec;
use proptest::prelude::*;

pub type Point = Vec<i128>;

/// Existential integers are looked for in this range, to which every system confines them.
const EXISTS: i128 = 6;

/// A union of systems, each of which confines its points to the box from `-size` to `size`.
#[derive(Debug, Clone)]
pub struct Union {
    pub dimensions: usize,
    pub size: i128,
    pub systems: Vec<Vec<Constraint>>,
}

impl Union {
    pub fn set(&self, context: &Context) -> Result<Set> {
        let mut set = Set::empty(context, self.dimensions)?;
        for system in &self.systems {
            set = set.union(&Set::from_constraints(context, self.dimensions, system)?)?;
        }
        Ok(set)
    }

    pub fn points(&self) -> BTreeSet<Point> {
        let inside = |point: &Point| self.systems.iter().any(|system| holds(system, point));
        grid(self.dimensions, self.size)
            .into_iter()
            .filter(inside)
            .collect()
    }
}

/// All points of a box.
pub fn grid(dimensions: usize, size: i128) -> Vec<Point> {
    let mut points = vec![vec![]];
    for _ in 0..dimensions {
        points = points
            .iter()
            .flat_map(|point: &Point| {
                (-size..=size).map(move |x| [point.as_slice(), &[x]].concat())
            })
            .collect();
    }
    points
}

fn holds(system: &[Constraint], point: &[i128]) -> bool {
    let exists = system
        .iter()
        .flat_map(|c| &c.form.terms)
        .any(|(dim, _)| matches!(dim, Dim::Exists(_)));
    let values = if exists { -EXISTS..=EXISTS } else { 0..=0 };
    values
        .into_iter()
        .any(|q| system.iter().all(|c| satisfied(c, point, &[q])))
}

pub fn evaluate(form: &Affine, point: &[i128], exists: &[i128]) -> i128 {
    let terms = form.terms.iter().map(|(dim, factor)| match dim {
        Dim::At(i) => factor * point[*i],
        Dim::Exists(k) => factor * exists[*k],
        other => panic!("{other:?} in a set"),
    });
    terms.sum::<i128>() + form.constant
}

pub fn satisfied(constraint: &Constraint, point: &[i128], exists: &[i128]) -> bool {
    let value = evaluate(&constraint.form, point, exists);
    match constraint.kind {
        Kind::Equal => value == 0,
        Kind::AtLeastZero => value >= 0,
    }
}

/// What isl says of points, by its constraints and by its definitions of existential integers, evaluated here.
pub struct Reading(Vec<(Vec<Constraint>, Vec<isl::FloorDivision>)>);

impl Reading {
    pub fn of(set: &Set) -> Result<Reading> {
        let pieces = set.compute_divs()?.pieces()?;
        pieces.iter().map(read).collect::<Result<_>>().map(Reading)
    }

    pub fn of_piece(piece: &Piece) -> Result<Reading> {
        Reading::of(&piece.to_set()?)
    }

    pub fn contains(&self, point: &[i128]) -> bool {
        self.0.iter().any(|(constraints, definitions)| {
            let mut exists = Vec::new();
            for definition in definitions {
                // A definition speaks of those before it only: else this panics.
                let form = evaluate(&definition.form, point, &exists);
                exists.push(form.div_euclid(definition.divisor));
            }
            constraints.iter().all(|c| satisfied(c, point, &exists))
        })
    }

    /// Its points in a box.
    pub fn points(&self, dimensions: usize, size: i128) -> BTreeSet<Point> {
        let points = grid(dimensions, size).into_iter();
        points.filter(|point| self.contains(point)).collect()
    }
}

fn read(piece: &Piece) -> Result<(Vec<Constraint>, Vec<isl::FloorDivision>)> {
    let definitions = piece.definitions()?;
    assert_eq!(definitions.len(), piece.existentials());
    let known = definitions
        .into_iter()
        .map(|d| d.expect("defined after compute_divs"));
    Ok((piece.constraints()?, known.collect()))
}

/// The points of a set in a box, as isl's constraints say.
pub fn points(set: &Set, size: i128) -> Result<BTreeSet<Point>> {
    Ok(Reading::of(set)?.points(set.dimensions(), size))
}

/// How large the box is that can be looked through quickly.
pub fn size(dimensions: usize) -> i128 {
    match dimensions {
        0..=2 => 6,
        3 => 4,
        _ => 2,
    }
}

fn form(dimensions: usize, exists: bool) -> impl Strategy<Value = Affine> {
    (vec(-3i128..=3, dimensions), -6i128..=6, -4i128..=4).prop_map(move |(factors, constant, q)| {
        let mut terms: Vec<_> = factors
            .into_iter()
            .enumerate()
            .filter(|(_, factor)| *factor != 0)
            .map(|(i, factor)| (Dim::At(i), factor))
            .collect();
        if exists && q != 0 {
            terms.push((Dim::Exists(0), q));
        }
        Affine { terms, constant }
    })
}

pub fn constraint(dimensions: usize, exists: bool) -> impl Strategy<Value = Constraint> {
    let kind = prop_oneof![3 => Just(Kind::AtLeastZero), 1 => Just(Kind::Equal)];
    (kind, form(dimensions, exists)).prop_map(|(kind, form)| Constraint { kind, form })
}

/// `-size <= dim <= size`.
pub fn between(dim: Dim, size: i128) -> [Constraint; 2] {
    [
        Constraint::at_least_zero([(dim, 1)], size),
        Constraint::at_least_zero([(dim, -1)], size),
    ]
}

pub fn system(dimensions: usize, size: i128) -> impl Strategy<Value = Vec<Constraint>> {
    any::<bool>()
        .prop_flat_map(move |exists| (Just(exists), vec(constraint(dimensions, exists), 0..4)))
        .prop_map(move |(exists, mut constraints)| {
            for i in 0..dimensions {
                constraints.extend(between(Dim::At(i), size));
            }
            if exists {
                constraints.extend(between(Dim::Exists(0), EXISTS));
            }
            constraints
        })
}

/// A union of some systems, in its box.
pub fn union(dimensions: usize) -> impl Strategy<Value = Union> {
    let size = size(dimensions);
    vec(system(dimensions, size), 0..4).prop_map(move |systems| Union {
        dimensions,
        size,
        systems,
    })
}

/// One, of two to four dimensions.
pub fn any_union() -> impl Strategy<Value = Union> {
    (2usize..=4).prop_flat_map(union)
}

/// Two of the same shape.
pub fn two_unions() -> impl Strategy<Value = (Union, Union)> {
    (2usize..=4).prop_flat_map(|n| (union(n), union(n)))
}

/// So many cases, if `PROPTEST_CASES` does not say another number (under valgrind, 20 are enough). Nothing is written beside the
/// sources.
pub fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: match std::env::var_os("PROPTEST_CASES") {
            Some(_) => default.cases,
            None => cases,
        },
        failure_persistence: None,
        ..default
    }
}
