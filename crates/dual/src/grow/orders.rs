//! What widening does not give up: the ends of types, and which of two numbers is the larger one.

use super::{Ground, Growing};
use crate::facts::Range;
use crate::shape::within;
use isl::{Affine, Bound, Constraint, Dim, Piece, Result};

/// The last numbers of types; the first negative ones of signed types are one further on the other side.
const LANDMARKS: [i128; 4] = [(1 << 31) - 1, (1 << 32) - 1, (1 << 63) - 1, (1 << 64) - 1];

/// So far may points with fractions be from an order that holds of all integers.
const NEAR: i128 = -2;

impl Growing {
    /// What was widened, but not beyond the ends of types: these hold, whatever happens. Nor is it forgotten which of two numbers
    /// is the larger one, as long as that holds: widening keeps what was *said* before, and `i <= n` may only have followed.
    /// (Halbwachs' widening up to a set of constraints, which has to be finite.)
    pub(super) fn up_to_landmarks(
        &self,
        wide: Piece,
        least: &Piece,
        ground: &Ground<'_>,
    ) -> Result<Piece> {
        let symbols = self.frame.symbols();
        let mut ends = match ground.limits.relations {
            true => self.orders(std::slice::from_ref(least), ground)?,
            false => Vec::new(),
        };
        for (_, symbol, range) in ground.symbols.inputs() {
            if let Ok(at) = symbols.binary_search(&symbol) {
                ends.extend(within(Dim::At(at), range));
            }
        }
        for at in self.varying() {
            let mut range = Range::ANYTHING;
            if let Bound::Value(n) = least.most(at)? {
                range.most = LANDMARKS.into_iter().find(|end| n <= *end);
            }
            if let Bound::Value(n) = least.least(at)? {
                // Nor below zero, where counters begin.
                let ends = LANDMARKS.into_iter().map(|end| -end - 1);
                range.least = std::iter::once(0).chain(ends).find(|end| *end <= n);
            }
            ends.extend(within(Dim::At(at), range));
        }
        wide.to_set()?.constrain(&ends)?.simple_hull()
    }

    /// Which of two numbers is the larger one, of what varies and any other that is no flag and no size.
    pub(super) fn orders(&self, of: &[Piece], ground: &Ground<'_>) -> Result<Vec<Constraint>> {
        let symbols = self.frame.symbols();
        let varying = self.varying();
        let is_plain = |at: &usize| ground.symbols.is_plain(symbols[*at]);
        let plain: Vec<usize> = (0..symbols.len()).filter(is_plain).collect();
        let mut held = Vec::new();
        for a in &varying {
            for b in &plain {
                if a == b || (varying.contains(b) && b < a) {
                    continue;
                }
                for (more, less) in [(*a, *b), (*b, *a)] {
                    held.extend(order(more, less, of)?);
                }
            }
        }
        Ok(held)
    }
}

/// That the one dimension is larger than the other in all pieces, or not less; none if it is not so.
fn order(more: usize, less: usize, pieces: &[Piece]) -> Result<Option<Constraint>> {
    let terms = [(Dim::At(more), 1), (Dim::At(less), -1)];
    let order = |least: i128| Constraint::at_least_zero(terms, -least);
    let mut strictly = 1;
    for piece in pieces {
        match piece.least_of(&Affine::new(terms, 0))? {
            Bound::Value(1..) => {}
            Bound::Value(0) => strictly = 0,
            // Between integers there are points with fractions, not far away.
            Bound::Value(NEAR..) if piece.implies(&order(0))? => strictly = 0,
            _ => return Ok(None),
        }
    }
    Ok(Some(order(strictly)))
}
