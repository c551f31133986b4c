//! Existential integers given up, with bounds.
//!
//! To eliminate a variable is to pair each of its lower bounds with each of its upper ones (Fourier and Motzkin). Where many variables are
//! in the same constraints, these become so many that isl is at it for hours, and counts none of it as operations. So they go one by
//! one, and one with too many pairs goes with all that is said of it: there are more points then, never fewer.

use crate::constraint::{Dim, Kind};
use crate::ffi::{self, DimType};
use crate::{Piece, Result};

/// So many at once are no trouble.
const FEW: usize = 6;
/// Pairs of bounds of one variable, at most.
const PAIRS: usize = 64;

impl Piece {
    /// At least the same points, without existential integers: as [`Piece::remove_divs`], or less is said if they are many.
    pub fn without_existentials(&self) -> Result<Piece> {
        let mut piece = self.clone();
        if piece.existentials() <= FEW {
            return piece.remove_divs();
        }
        // isl drops those that nothing speaks of any more, so there may be fewer the next time.
        let mut next = piece.existentials();
        while let Some(at) = next.min(piece.existentials()).checked_sub(1) {
            next = at;
            let position = u32::try_from(at).unwrap_or(u32::MAX);
            let handle = piece.handle.clone();
            let handle = match piece.pairs(at)? > PAIRS {
                true => {
                    let kind = DimType::Div;
                    ffi::isl_basic_set_drop_constraints_involving_dims(handle, kind, position, 1)?
                }
                false => ffi::isl_basic_set_eliminate(handle, DimType::Div, position, 1)?,
            };
            piece = Piece { handle };
        }
        piece.remove_divs()
    }

    /// How many constraints the elimination of an existential integer gives; none if an equality says what it is.
    fn pairs(&self, at: usize) -> Result<usize> {
        let (mut above, mut below) = (0, 0);
        for constraint in self.constraints()? {
            let mut terms = constraint.form.terms.iter();
            let Some((_, factor)) = terms.find(|(dim, _)| *dim == Dim::Exists(at)) else {
                continue;
            };
            match (constraint.kind, *factor > 0) {
                (Kind::Equal, _) => return Ok(0),
                (Kind::AtLeastZero, true) => above += 1,
                (Kind::AtLeastZero, false) => below += 1,
            }
        }
        Ok(above * below)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Constraint, Context, Dim, Piece, Result};

    /// Ten coordinates, each at least each of `many` integers and at most five more; and one integer between -2 and the first coordinate.
    fn piece(context: &Context, many: usize) -> Result<Piece> {
        let mut all = Vec::new();
        for k in 0..many {
            for at in 0..10 {
                let (at, k) = (Dim::At(at), Dim::Exists(k));
                all.push(Constraint::at_least_zero([(at, 1), (k, -1)], 0));
                all.push(Constraint::at_least_zero([(k, 1), (at, -1)], 5));
            }
        }
        let last = Dim::Exists(many);
        all.push(Constraint::at_least_zero([(last, 1)], 2));
        all.push(Constraint::at_least_zero([(Dim::At(0), 1), (last, -1)], 0));
        Piece::from_constraints(context, 10, &all)
    }

    #[test]
    fn many_existential_integers_go_with_what_is_said_of_them() {
        let context = Context::new();
        context.allow(100_000);
        let with = |first: i128| [first, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        for many in [1, 12] {
            let less = piece(&context, many).unwrap();
            let less = less.without_existentials().unwrap();
            assert_eq!(less.existentials(), 0);
            let less = less.to_set().unwrap();
            // All points are still there, and what few pairs say.
            assert!(less.contains(&with(3)).unwrap() && less.contains(&with(-2)).unwrap());
            assert!(!less.contains(&with(-3)).unwrap());
            // Of few nothing is left out.
            assert!(many == 12 || !less.contains(&with(6)).unwrap());
        }
    }
}
