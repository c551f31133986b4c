//! Work for tests: something that costs much, and a bit of everything.

use isl::{Constraint, Context, Dim, Map, Result, Set};

/// The complement of so many small boxes on a diagonal: more pieces with every one.
pub fn boxes(context: &Context, number: i128) -> Result<Set> {
    let mut set = Set::empty(context, 3)?;
    for i in 0..number {
        let sides = (0..3).flat_map(|d| {
            [
                Constraint::at_least_zero([(Dim::At(d), 1)], -10 * i),
                Constraint::at_least_zero([(Dim::At(d), -1)], 10 * i + 3 + d as i128),
            ]
        });
        let sides: Vec<_> = sides.collect();
        set = set.union(&Set::from_constraints(context, 3, &sides)?)?;
    }
    Ok(set)
}

/// A bit of everything, as text.
pub fn a_bit_of_everything(context: &Context) -> Result<Vec<String>> {
    let a = Set::parse(
        context,
        "{ [x, y] : 0 <= x <= 3y and (x + y) mod 3 = 0 and y <= 9; [x, 4] : x > 2 }",
    )?;
    let b = Set::from_constraints(
        context,
        2,
        &[
            Constraint::equal([(Dim::At(0), 1), (Dim::Exists(0), -2)], 1),
            Constraint::at_least_zero([(Dim::At(1), 5), (Dim::Exists(0), -3)], 1 << 70),
        ],
    )?;
    let map = Map::parse(context, "{ [x, y] -> [z] : z = 2x - y or 2z <= x }")?;
    let mut out = Vec::new();
    for set in [
        a.intersect(&b)?,
        a.union(&b)?.coalesce()?,
        a.subtract(&b)?,
        a.complement()?,
        a.gist(&b)?,
        a.project_out(&[0])?,
        a.insert(1, 1)?,
        a.rearrange(&[1, 0, 1])?,
        a.fix(0, 6)?,
        b.compute_divs()?,
        a.make_disjoint()?,
        a.remove_divs()?
            .detect_equalities()?
            .remove_redundancies()?,
        a.apply(&map)?,
        map.wrap()?,
        map.reverse()?.domain()?,
        map.complement()?.gist_domain(&b)?.wrap()?,
        map.intersect_domain(&a)?.range()?,
        map.project_out(&[Dim::In(1)])?
            .apply_range(&Map::identity(context, 1)?)?
            .wrap()?,
    ] {
        out.push(set.to_string());
        for piece in set.pieces()? {
            out.push(format!(
                "{:?} {:?}",
                piece.constraints()?,
                piece.definitions()?
            ));
        }
        out.push(format!("{:?}", set.sample()?));
    }
    let bounded = a.remove_divs()?.fix(1, 4)?;
    for hull in [
        a.convex_hull()?,
        a.simple_hull()?,
        a.affine_hull()?,
        a.polyhedral_hull()?,
        bounded.bounded_simple_hull()?,
    ] {
        out.push(hull.to_string());
        out.push(hull.widen(&a.convex_hull()?)?.to_string());
    }
    out.push(format!("{:?} {:?}", a.minimum(0)?, a.maximum(0)?));
    out.push(format!(
        "{:?}",
        (
            a.is_subset(&b)?,
            a.is_equal(&b)?,
            a.is_disjoint(&b)?,
            a.lexmin()?
        )
    ));
    Ok(out)
}
