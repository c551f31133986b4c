//! A set in few and short alternatives.
//!
//! As with functions of logic: every comparison is left out that the set does not need where the context holds (then an
//! alternative is as large as it can be), and after that every alternative that the others cover. `x <= 10 && x <= y || x > y`
//! becomes `x <= 10 || x > y`. Two alternatives that differ in `x < y` and `x > y` alone are one with `x != y`.

use super::sum::{Comparison, Number, Relation, Sum, comparisons, too_large};
use isl::{Context, Result, Set};

/// Comparisons that all hold.
pub(super) type Alternative = Vec<Comparison>;

pub(super) struct Simplified {
    pub alternatives: Vec<Alternative>,
    /// Some points are in none of them.
    pub cut: bool,
}

/// Alternatives that a person reads.
pub(super) const MOST: usize = 8;
/// Disjuncts up to which it pays to look for shorter ones: every look is a subtraction.
const LOOKED_AT: usize = 16;

/// What `target`, a part of `context`, is in the context. Comparisons are left out in the order of `weight`, the heaviest
/// first.
pub(super) fn simplified(
    target: &Set,
    context: &Set,
    weight: &dyn Fn(&Comparison) -> u32,
) -> Result<Simplified> {
    let isl = target.context();
    // An equality that the context has half of would be an inequality.
    let short = target.coalesce()?.gist(context)?.coalesce()?;
    let short = short.detect_equalities()?.compute_divs()?;
    let mut cut = false;
    let mut all: Vec<Alternative> = Vec::new();
    for piece in short.pieces()? {
        match comparisons(&piece)? {
            Some(alternative) => all.push(alternative),
            None => cut = true,
        }
    }
    let looked_at = all.len() <= LOOKED_AT;
    if looked_at {
        shortest(target, context, &mut all, weight)?;
    }
    for comparison in all.iter_mut().flatten() {
        equal_at_the_end(&isl, context, comparison)?;
    }
    while let Some(merged) = merge(&all) {
        all = merged;
    }
    all.sort_by_cached_key(|a| (a.len(), a.clone()));
    all.dedup();
    if all.len() > MOST {
        all.truncate(MOST);
        cut = true;
    }
    Ok(Simplified {
        alternatives: all,
        cut,
    })
}

/// Each as short as it can be, and none that the others cover.
pub(super) fn shortest(
    target: &Set,
    context: &Set,
    all: &mut Vec<Alternative>,
    weight: &dyn Fn(&Comparison) -> u32,
) -> Result<()> {
    let isl = target.context();
    for alternative in all.iter_mut() {
        shorten(&isl, target, context, alternative, weight)?;
    }
    all.sort_by_cached_key(|a| (a.len(), a.clone()));
    all.dedup();
    without_covered(&isl, target.dimensions(), context, all)
}

/// The points of an alternative.
pub(super) fn points(isl: &Context, dimensions: usize, all: &[Comparison]) -> Result<Set> {
    let universe = Set::universe(isl, dimensions)?;
    all.iter().try_fold(universe, |set, comparison| {
        set.intersect(&comparison.set(isl, dimensions)?)
    })
}

/// The points of all alternatives.
pub(super) fn all_points(isl: &Context, dimensions: usize, all: &[Alternative]) -> Result<Set> {
    let none = Set::empty(isl, dimensions)?;
    all.iter().try_fold(none, |set, alternative| {
        set.union(&points(isl, dimensions, alternative)?)
    })
}

fn shorten(
    isl: &Context,
    target: &Set,
    context: &Set,
    alternative: &mut Alternative,
    weight: &dyn Fn(&Comparison) -> u32,
) -> Result<()> {
    alternative.sort_by_cached_key(|c| (std::cmp::Reverse(weight(c)), c.clone()));
    let mut at = 0;
    while at < alternative.len() {
        let mut without = alternative.clone();
        without.remove(at);
        let larger = points(isl, target.dimensions(), &without)?.intersect(context)?;
        match larger.is_subset(target)? {
            true => *alternative = without,
            false => at += 1,
        }
    }
    alternative.sort_unstable();
    Ok(())
}

fn without_covered(
    isl: &Context,
    dimensions: usize,
    context: &Set,
    all: &mut Vec<Alternative>,
) -> Result<()> {
    // The longest first.
    let mut at = all.len();
    while at > 0 {
        at -= 1;
        let mut others = all.clone();
        let one = others.remove(at);
        let one = points(isl, dimensions, &one)?.intersect(context)?;
        if one.is_subset(&all_points(isl, dimensions, &others)?)? {
            *all = others;
        }
    }
    Ok(())
}

/// `x >= 5` where nothing is more than 5 is `x == 5`.
fn equal_at_the_end(isl: &Context, context: &Set, comparison: &mut Comparison) -> Result<()> {
    if comparison.relation != Relation::AtLeast
        || !matches!(comparison.sum.single(), Some((Number::Input(_), _)))
    {
        return Ok(());
    }
    let beyond = comparison.sum.plus_constant(-1).ok_or_else(too_large)?;
    let beyond = Comparison::at_least_zero(beyond).set(isl, context.dimensions())?;
    if beyond.is_disjoint(context)? {
        comparison.relation = Relation::Equal;
    }
    Ok(())
}

/// Two alternatives as one, if there are such.
fn merge(all: &[Alternative]) -> Option<Vec<Alternative>> {
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate().skip(i + 1) {
            if let Some(merged) = merged(a, b) {
                let mut all = all.to_vec();
                all.remove(j);
                all[i] = merged;
                return Some(all);
            }
        }
    }
    None
}

fn merged(a: &Alternative, b: &Alternative) -> Option<Alternative> {
    let only = |of: &Alternative, other: &Alternative| {
        let mut own = of.iter().filter(|c| !other.contains(c));
        let one = own.next()?.clone();
        (own.next().is_none() && one.relation == Relation::AtLeast).then_some(one)
    };
    if a.len() != b.len() {
        return None;
    }
    let (above, below) = (only(a, b)?, only(b, a)?);
    // f - 1 >= 0, and -f - 1 >= 0
    let both = above.sum.plus_times(1, &below.sum)?;
    if !both.terms.is_empty() || both.constant != -2 {
        return None;
    }
    let mut merged: Alternative = a.iter().filter(|c| **c != above).cloned().collect();
    let opposite = Sum::default().plus_times(-1, &below.sum)?;
    merged.push(Comparison {
        sum: opposite.plus_constant(-1)?,
        relation: Relation::Different,
    });
    merged.sort_unstable();
    Some(merged)
}
