//! The hull of a few polyhedra: the least polyhedron around them, as far as it is worth it.
//!
//! Three things make it cheap enough to be asked for at every join (compare Singh, Püschel & Vechev, "Fast Polyhedra
//! Abstract Domain", POPL 2017):
//!
//! - Dimensions whose constraints are the same in all pieces, and that are not related to others, stay as they are.
//! - The ends of the machine's types are far away. A corner out there makes facets of numbers that nobody understands, and
//!   many of them; so they are left aside, and those that hold of all pieces are said again behind.
//! - What is left goes through the rays of cones ([`crate::cone`]).
//!
//! Each gives more points than the least hull, never fewer.

use crate::cone::{Cone, Vector};
use isl::{Affine, Constraint, Context, Dim, Kind, Piece, Result, Set};
use std::collections::BTreeSet;

/// Constants beyond this come from the ends of types.
pub const FAR: i128 = 1 << 30;

/// Dimensions of a facet that none of the pieces had, at most.
const TERMS: usize = 4;

/// Dimensions that take part in a hull, at most.
const DIMENSIONS: usize = 24;

/// One polyhedron around all pieces of a union. Existential integers are given up. Some dimensions are kept `apart`: whether a
/// pointer is null, say, is not related to how far a loop got.
pub fn hull(union: &Set, apart: &[usize]) -> Result<Piece> {
    let parts = std::slice::from_ref(union);
    hull_of(&union.context(), union.dimensions(), parts, apart)
}

/// The same of several unions.
pub fn hull_of(
    context: &Context,
    dimensions: usize,
    parts: &[Set],
    apart: &[usize],
) -> Result<Piece> {
    let mut pieces: Vec<Vec<Constraint>> = Vec::new();
    for part in parts {
        for piece in part.pieces()? {
            let piece = piece.without_existentials()?;
            let piece = piece.detect_equalities()?.remove_redundancies()?;
            let constraints = piece.constraints()?;
            if !pieces.contains(&constraints) && !piece.is_empty()? {
                pieces.push(constraints);
            }
        }
    }
    match pieces.as_slice() {
        [] => Piece::from_constraints(context, dimensions, &[Constraint::at_least_zero([], -1)]),
        [one] => Piece::from_constraints(context, dimensions, one),
        all => match around(context, dimensions, all, apart)? {
            Some(constraints) => Piece::from_constraints(context, dimensions, &constraints),
            None => {
                let none = Set::empty(context, dimensions)?;
                let mut all = pieces.iter();
                let union = all.try_fold(none, |all, piece| {
                    let piece = Piece::from_constraints(context, dimensions, piece)?;
                    all.union(&piece.to_set()?)
                })?;
                simple(&union)
            }
        },
    }
}

/// Constraints of the pieces, moved, and equalities that hold of all.
fn simple(union: &Set) -> Result<Piece> {
    let simple = union.simple_hull()?.to_set()?;
    let both = simple.intersect(&union.affine_hull()?.to_set()?)?;
    both.simple_hull()
}

fn positions(constraint: &Constraint) -> impl Iterator<Item = usize> {
    constraint
        .form
        .terms
        .iter()
        .filter_map(|(dim, _)| match dim {
            Dim::At(at) => Some(*at),
            _ => None,
        })
}

/// The constraints of the hull; none if it takes too much.
fn around(
    context: &Context,
    dimensions: usize,
    pieces: &[Vec<Constraint>],
    apart: &[usize],
) -> Result<Option<Vec<Constraint>>> {
    let is_apart = |c: &Constraint| positions(c).any(|at| apart.contains(&at));
    let near = |c: &&Constraint| !is_far(c) && !is_apart(c);
    let mut sets = pieces
        .iter()
        .map(|piece| piece.iter().filter(near).collect::<BTreeSet<_>>());
    let first = sets.next().unwrap_or_default();
    let common = sets.fold(first, |all, piece| {
        all.intersection(&piece).copied().collect()
    });
    // Dimensions that are related to one whose constraints differ take part, too.
    let mut active: BTreeSet<usize> = BTreeSet::new();
    for piece in pieces {
        let differing = piece.iter().filter(near).filter(|c| !common.contains(c));
        active.extend(differing.flat_map(positions));
    }
    loop {
        let before = active.len();
        for constraint in &common {
            if positions(constraint).any(|at| active.contains(&at)) {
                active.extend(positions(constraint));
            }
        }
        if active.len() == before {
            break;
        }
    }
    if active.len() > DIMENSIONS {
        return Ok(None);
    }
    let active: Vec<usize> = active.into_iter().collect();
    let is_active = |c: &&Constraint| positions(c).any(|at| active.binary_search(&at).is_ok());
    let mut cones = Vec::new();
    for piece in pieces {
        let own = piece.iter().filter(near).filter(is_active);
        let Some(cone) = cone(&active, own) else {
            return Ok(None);
        };
        cones.push(cone);
    }
    let mut all: Vec<Constraint> = common
        .into_iter()
        .filter(|c| !is_active(c))
        .cloned()
        .collect();
    let given = pieces.iter().flatten().filter(near).filter(is_active);
    let Some(given) = forms(&active, given) else {
        return Ok(None);
    };
    for form in given.at_least.iter().chain(&given.both_ways()) {
        if let Some(form) = moved(form, &cones) {
            all.push(constraint(&active, Kind::AtLeastZero, &form));
        }
    }
    if let Some((equal, at_least)) = Cone::around(active.len() + 1, &cones) {
        let simple = at_least.into_iter().filter(|form| is_simple(form));
        all.extend(
            equal
                .iter()
                .map(|form| constraint(&active, Kind::Equal, form)),
        );
        all.extend(simple.map(|form| constraint(&active, Kind::AtLeastZero, &form)));
    }
    for at in apart {
        all.extend(range(*at, pieces));
    }
    let more = unsaid(context, dimensions, pieces, &all)?;
    all.extend(more);
    Ok(Some(all))
}

/// Constraints as vectors, the constant behind the factors.
struct Forms {
    equal: Vec<Vector>,
    at_least: Vec<Vector>,
}

impl Forms {
    /// Each equality as two inequalities.
    fn both_ways(&self) -> Vec<Vector> {
        let opposite = |form: &Vector| form.iter().map(|n| -n).collect();
        let each = self.equal.iter();
        each.flat_map(|form| [form.clone(), opposite(form)])
            .collect()
    }
}

fn forms<'c>(active: &[usize], constraints: impl Iterator<Item = &'c Constraint>) -> Option<Forms> {
    let mut all = Forms {
        equal: Vec::new(),
        at_least: Vec::new(),
    };
    for constraint in constraints {
        let mut form: Vector = vec![0; active.len() + 1];
        for (dim, factor) in &constraint.form.terms {
            let Dim::At(at) = dim else { return None };
            form[active.binary_search(at).ok()?] += factor;
        }
        form[active.len()] = constraint.form.constant;
        match constraint.kind {
            Kind::Equal => all.equal.push(form),
            Kind::AtLeastZero => all.at_least.push(form),
        }
    }
    for forms in [&mut all.equal, &mut all.at_least] {
        forms.sort_unstable();
        forms.dedup();
    }
    Some(all)
}

/// The cone over a polyhedron: one coordinate more, which is 1 at its points.
fn cone<'c>(active: &[usize], constraints: impl Iterator<Item = &'c Constraint>) -> Option<Cone> {
    let mut all = forms(active, constraints)?;
    let mut positive: Vector = vec![0; active.len() + 1];
    positive[active.len()] = 1;
    all.at_least.push(positive);
    Cone::new(active.len() + 1, &all.equal, &all.at_least)
}

/// The constraint, moved until it holds of all cones; none if it never does.
fn moved(form: &[i128], cones: &[Cone]) -> Option<Vector> {
    let (constant, factors) = form.split_last()?;
    let product = |ray: &[i128]| {
        let terms = factors.iter().zip(ray);
        terms.map(|(a, b)| a.checked_mul(*b)).sum::<Option<i128>>()
    };
    let mut least = -*constant;
    for cone in cones {
        for line in &cone.lines {
            if product(line)? != 0 {
                return None;
            }
        }
        for ray in &cone.rays {
            let (height, value) = (*ray.last()?, product(ray)?);
            match height {
                0 if value < 0 => return None,
                0 => {}
                height => least = least.min(value.div_euclid(height)),
            }
        }
    }
    let mut form = form.to_vec();
    *form.last_mut()? = -least;
    (least > -FAR).then_some(form)
}

/// Facets that speak of few dimensions in small numbers say what programs are about; the others are the geometry's own. They
/// would be many, and from turn to turn of a loop more.
fn is_simple(form: &[i128]) -> bool {
    let Some((constant, factors)) = form.split_last() else {
        return false;
    };
    let terms = factors.iter().filter(|n| **n != 0).count();
    let scaled = factors.iter().filter(|n| n.abs() > 1).count();
    // 4 i <= length - offset, 80 i + 8 j <= length - offset
    terms <= TERMS && scaled <= terms.saturating_sub(2).max(1) && constant.abs() < FAR
}

fn constraint(active: &[usize], kind: Kind, form: &[i128]) -> Constraint {
    let terms = active.iter().zip(form).filter(|(_, factor)| **factor != 0);
    let terms: Vec<(Dim, i128)> = terms.map(|(at, factor)| (Dim::At(*at), *factor)).collect();
    Constraint {
        kind,
        form: Affine::new(terms, form.last().copied().unwrap_or(0)),
    }
}

/// The ends of one dimension, as far as all pieces say it by itself.
fn range(at: usize, pieces: &[Vec<Constraint>]) -> Vec<Constraint> {
    let end = |side: i128| {
        // side * x + constant >= 0: the weakest
        let of_piece = |piece: &Vec<Constraint>| {
            let constants = piece.iter().filter_map(|c| match c.form.terms.as_slice() {
                [(Dim::At(a), n)] if *a == at && n.abs() == 1 => {
                    (*n == side || c.kind == Kind::Equal).then_some(c.form.constant * n * side)
                }
                _ => None,
            });
            constants.min()
        };
        let all: Option<Vec<i128>> = pieces.iter().map(of_piece).collect();
        Some(Constraint::at_least_zero(
            [(Dim::At(at), side)],
            all?.into_iter().max()?,
        ))
    };
    [end(1), end(-1)].into_iter().flatten().collect()
}

/// Does it come from the ends of a type, or from numbers that wrap there?
fn is_far(constraint: &Constraint) -> bool {
    let mut factors = constraint.form.terms.iter();
    constraint.form.constant.abs() >= FAR || factors.any(|(_, n)| n.abs() >= FAR)
}

/// Constraints that hold of all pieces, and that the cones could not see: the ends of types; and what a piece did not say
/// because it follows there from something far away (`i < n` where `i` is small and `n` is large).
fn unsaid(
    context: &Context,
    dimensions: usize,
    pieces: &[Vec<Constraint>],
    said: &[Constraint],
) -> Result<Vec<Constraint>> {
    let is_common = |c: &Constraint| pieces.iter().all(|piece| piece.contains(c));
    let mut far = pieces.iter().flatten().filter(|c| is_far(c));
    let follows = far.any(|c| !is_common(c));
    let is_asked = |c: &&Constraint| is_far(c) || (follows && c.form.terms.len() > 1);
    let mut all: BTreeSet<Constraint> = BTreeSet::new();
    for constraint in pieces.iter().flatten().filter(is_asked) {
        let form = &constraint.form;
        let opposite = (constraint.kind == Kind::Equal).then(|| negated(form));
        let both = [Some(form.clone()), opposite].into_iter().flatten();
        let both = both.map(|form| Constraint {
            kind: Kind::AtLeastZero,
            form,
        });
        all.extend(both.filter(|c| !said.contains(c)));
    }
    let mut held = Vec::new();
    // Each is made when it is first asked.
    let mut made: Vec<Option<Piece>> = vec![None; pieces.len()];
    'next: for constraint in all {
        for (piece, made) in pieces.iter().zip(&mut made) {
            if piece.contains(&constraint) {
                continue;
            }
            let piece = match made {
                Some(piece) => piece,
                None => made.insert(Piece::from_constraints(context, dimensions, piece)?),
            };
            if !piece.implies(&constraint)? {
                continue 'next;
            }
        }
        held.push(constraint);
    }
    Ok(held)
}

fn negated(form: &Affine) -> Affine {
    let terms = form.terms.iter().map(|(dim, n)| (*dim, -n));
    Affine::new(terms.collect::<Vec<_>>(), -form.constant)
}
