//! The hull of a union: one piece that contains all of it (dual.txt §2.2, selective hull).
//!
//! The convex hull is what loops need: from `i = 1, n >= 1` and `i = 2, n >= 2` it concludes `i <= n`. What it costs grows
//! steeply with the dimensions, so it is computed in packs. The dimensions that *vary*, the variables that differ from path to
//! path, are in every pack; the others fall apart into groups that no constraint connects (the length and the offset of one
//! pointer, say), and each group is a pack. What is lost is a relation between two groups that no single path states.

use isl::{Affine, Constraint, Dim, Piece, Result, Set};

/// With no more dimensions than this it is computed at once.
const SMALL: usize = 4;

/// What isl may do for the convex hull of a pack.
const OPERATIONS: u64 = 10_000;

/// The hull of a union, in which these dimensions vary.
pub fn hull(union: &Set, varying: &[usize]) -> Result<Piece> {
    let cheap = union.remove_divs()?;
    let mut pieces = cheap.pieces()?;
    if pieces.len() == 1
        && let Some(piece) = pieces.pop()
    {
        return Ok(piece);
    }
    let dimensions = cheap.dimensions();
    if dimensions <= SMALL {
        return convex(&cheap);
    }
    let mut all: Vec<Constraint> = Vec::new();
    for group in groups(dimensions, &pieces, varying)? {
        let mut kept: Vec<usize> = group.iter().chain(varying).copied().collect();
        kept.sort_unstable();
        let others: Vec<usize> = (0..dimensions)
            .filter(|d| kept.binary_search(d).is_err())
            .collect();
        let pack = convex(&cheap.project_out(&others)?)?;
        for constraint in pack.constraints()? {
            let place = |(dim, factor): &(Dim, i128)| match dim {
                Dim::At(at) => kept.get(*at).map(|at| (Dim::At(*at), *factor)),
                Dim::Exists(_) | Dim::In(_) | Dim::Out(_) => None,
            };
            let terms: Option<Vec<(Dim, i128)>> = constraint.form.terms.iter().map(place).collect();
            // What speaks of existential integers is left out: less is known then.
            if let Some(terms) = terms {
                all.push(Constraint {
                    kind: constraint.kind,
                    form: Affine::new(terms, constraint.form.constant),
                });
            }
        }
    }
    Piece::from_constraints(&union.context(), dimensions, &all)
}

/// The convex hull, and if that costs too much a simple one.
fn convex(set: &Set) -> Result<Piece> {
    let cheap = set.remove_divs()?;
    let convex = cheap.context().within(OPERATIONS, || cheap.convex_hull());
    convex.or_else(|_| cheap.simple_hull())
}

/// The dimensions that do not vary, in groups that are connected by constraints; at least one group, empty if need be.
fn groups(dimensions: usize, pieces: &[Piece], varying: &[usize]) -> Result<Vec<Vec<usize>>> {
    let mut group: Vec<usize> = (0..dimensions).collect();
    fn root(group: &[usize], mut at: usize) -> usize {
        while group[at] != at {
            at = group[at];
        }
        at
    }
    for piece in pieces {
        for constraint in piece.constraints()? {
            let mut first = None;
            for (dim, _) in &constraint.form.terms {
                let Dim::At(at) = *dim else { continue };
                if varying.contains(&at) {
                    continue;
                }
                let at = root(&group, at);
                match first {
                    Some(first) => group[at] = first,
                    None => first = Some(at),
                }
            }
        }
    }
    let mut all: Vec<Vec<usize>> = vec![Vec::new(); dimensions];
    for at in (0..dimensions).filter(|at| !varying.contains(at)) {
        all[root(&group, at)].push(at);
    }
    all.retain(|group| !group.is_empty());
    if all.is_empty() {
        all.push(Vec::new());
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use isl::Context;

    #[test]
    fn relations_to_what_varies_are_kept_in_many_dimensions() -> Result<()> {
        let context = Context::new();
        let union = Set::parse(
            &context,
            "{ [i, a, b, c, d, e] : i = 1 and b >= a + 1 and d >= c + 1 and e >= 1 or i = 2 and b >= a + 2 and d >= c + 2 and e >= 2 }",
        )?;
        let wanted = Set::parse(
            &context,
            "{ [i, a, b, c, d, e] : 1 <= i <= 2 and b >= a + i and d >= c + i and e >= i }",
        )?;
        let hull = hull(&union, &[0])?;
        assert!(hull.to_set()?.is_equal(&wanted)?, "{hull}");
        Ok(())
    }

    #[test]
    fn it_contains_the_union() -> Result<()> {
        let context = Context::new();
        let union = Set::parse(
            &context,
            "{ [x, y, z, u, v, w] : x = 0 and y = 1 and u = v or x = 5 and z = w and v >= 3 }",
        )?;
        for varying in [&[][..], &[0], &[0, 1, 3]] {
            assert!(union.is_subset(&hull(&union, varying)?.to_set()?)?);
        }
        Ok(())
    }
}
