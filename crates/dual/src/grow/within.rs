//! Is a polyhedron in another one?
//!
//! From turn to turn of a loop most constraints stay as they are. What one says in so many words the other needs not be asked; isl is
//! asked only for the rest of it.

use crate::ranges::{ends_of, implies};
use isl::{Constraint, Kind, Piece, Result, Set};

/// Is it in one of these? (What is in several of them together is not seen: that would cost much more.)
pub(super) fn is_within(piece: &Piece, pieces: &[Piece]) -> Result<bool> {
    let said = piece.constraints()?;
    let set = piece.to_set()?;
    let ends = ends_of(piece.dimensions(), &said);
    for other in pieces {
        if piece.existentials() > 0 || other.existentials() > 0 {
            if set.is_subset(&other.to_set()?)? {
                return Ok(true);
            }
            continue;
        }
        let mut asked = other.constraints()?;
        asked.retain(|c| !said.iter().any(|known| says(known, c)));
        if let Some(ends) = &ends {
            if asked.iter().all(|c| implies(ends, c)) {
                return Ok(true);
            }
            continue;
        }
        let outer = || Set::from_constraints(&piece.context(), piece.dimensions(), &asked);
        if asked.is_empty() || set.is_subset(&outer()?)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Does the second constraint follow from the first by itself?
fn says(known: &Constraint, asked: &Constraint) -> bool {
    let (a, b) = (&known.form, &asked.form);
    let is_same = a.terms == b.terms;
    let is_opposite = || {
        a.terms.len() == b.terms.len()
            && a.terms
                .iter()
                .zip(&b.terms)
                .all(|((d, m), (e, n))| d == e && m.checked_add(*n) == Some(0))
    };
    match (known.kind, asked.kind) {
        (Kind::AtLeastZero, Kind::AtLeastZero) => is_same && a.constant <= b.constant,
        (Kind::Equal, Kind::AtLeastZero) if is_same => a.constant <= b.constant,
        (Kind::Equal, Kind::AtLeastZero) => {
            is_opposite() && a.constant.checked_add(b.constant).is_some_and(|n| n >= 0)
        }
        (Kind::Equal, Kind::Equal) if is_same => a.constant == b.constant,
        (Kind::Equal, Kind::Equal) => {
            is_opposite() && a.constant.checked_add(b.constant) == Some(0)
        }
        (Kind::AtLeastZero, Kind::Equal) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isl::{Context, Dim};
    use proptest::prelude::*;

    /// Up to four constraints over two dimensions, between small ends.
    fn pieces() -> impl Strategy<Value = Vec<Constraint>> {
        let one = (-2..=2i128, -2..=2i128, -4..=4i128, any::<bool>());
        let one = one.prop_map(|(a, b, constant, is_equal)| {
            let terms = [(Dim::At(0), a), (Dim::At(1), b)];
            match is_equal && (a, b) != (0, 0) {
                true => Constraint::equal(terms, constant),
                false => Constraint::at_least_zero(terms, constant),
            }
        });
        proptest::collection::vec(one, 0..4)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_is_what_isl_says(own in pieces(), mut others in pieces(), shared in 0..4usize) {
            let context = Context::new();
            others.extend(own.iter().take(shared).cloned());
            let piece = Piece::from_constraints(&context, 2, &own).unwrap();
            let other = Piece::from_constraints(&context, 2, &others).unwrap();
            let wanted = piece.to_set().unwrap().is_subset(&other.to_set().unwrap()).unwrap();
            prop_assert_eq!(is_within(&piece, &[other]).unwrap(), wanted);
        }
    }
}
