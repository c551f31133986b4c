//! Widening: how a growing chain of polyhedra is made to end.
//!
//! A loop's states are the limit of a chain that grows with every turn, and may grow for ever (`i <= 1`, `i <= 2`, …). The
//! standard widening `old ∇ new` guesses the limit (Cousot and Halbwachs 1978; dual analysis, §3, "a widening step"):
//!
//! 1. Of the old constraints, keep those that the new piece satisfies; what was moved once is expected to move again. An
//!    equality counts as two inequalities, one of which may stay.
//! 2. The old piece can be written in more than one way where it has equalities: on `x = 0, y = 0`, `x >= 0` says what
//!    `x >= y` does. So a constraint `c` of the *new* piece is kept, too, if it could replace some old `b`: if the old piece
//!    with `c` in the place of `b` is the same (Halbwachs 1979). Without this step the result would depend on the way of
//!    writing, and lose `x >= y` in the chain (0,0), (1,0), (2,1) …
//!
//! Both steps keep only what both pieces satisfy, so the result contains both.
//!
//! **Why it ends.** Take `x ← x ∇ y` again and again. As long as the affine hull of `x` stays, what replaces `b` in step 2
//! is `b` up to the equalities, which hold for the new piece as well, so the step adds nothing, and `x` changes only by
//! losing inequalities of finitely many. The affine hull can grow only as often as there are dimensions.
//!
//! This argument needs "the same" in step 2 to be about points with fractions, too (else inequalities could turn around a few
//! integer points); so linear programming decides it. Step 1 asks about integer points, which keeps more.

use crate::constraint::{Affine, Constraint, Kind};
use crate::{Piece, Result, Stopped};

impl Piece {
    /// The standard widening, of an old piece by a new one. The result contains both; and a chain in which each piece is the
    /// widening of the one before by anything is stationary after finitely many steps.
    ///
    /// Existential integers are [removed](Piece::remove_divs) first, from both.
    pub fn widen(&self, new: &Piece) -> Result<Piece> {
        let (a, b) = (self.dimensions(), new.dimensions());
        if a != b {
            return Err(Stopped::Failed(format!("pieces of {a} and {b} dimensions")));
        }
        let old = self.simplest()?;
        let new = new.simplest()?;
        if old.is_empty()? {
            return Ok(new);
        }
        if new.is_empty()? {
            return Ok(old);
        }
        let old_forms = old.inequalities()?;
        let mut kept = Vec::new();
        for form in &old_forms {
            if new.implies(&at_least_zero(form))? {
                kept.push(at_least_zero(form));
            }
        }
        if kept.len() == old_forms.len() {
            return Ok(old);
        }
        let plane = Plane::of(&old)?;
        for form in new.inequalities()? {
            if !old_forms.contains(&form) && old.can_be_written_with(&old_forms, &plane, &form)? {
                kept.push(at_least_zero(&form));
            }
        }
        Piece::from_constraints(&old.context(), a, &kept)?.simplest()
    }

    /// Without existential integers, and as few constraints as possible, as many of them equalities as possible.
    fn simplest(&self) -> Result<Piece> {
        self.remove_divs()?
            .detect_equalities()?
            .remove_redundancies()
    }

    /// Forms that are not negative; together they are the piece.
    fn inequalities(&self) -> Result<Vec<Affine>> {
        let mut forms = Vec::new();
        for constraint in self.constraints()? {
            if constraint.kind == Kind::Equal {
                forms.push(negated(&constraint.form)?);
            }
            forms.push(constraint.form);
        }
        Ok(forms)
    }

    /// Whether `form >= 0` could replace one of the `forms` that make up this piece.
    ///
    /// None of these is redundant, so each that is no side of an equality is a facet, which has only one form up to the equalities; and
    /// what replaces a side of an equality is zero on the whole piece. So there are few of which a linear program has to say more.
    fn can_be_written_with(&self, forms: &[Affine], plane: &Plane, form: &Affine) -> Result<bool> {
        let within = plane.within(self.dimensions(), form)?;
        match &within {
            Some(row) if row.iter().any(|n| *n != 0) => {
                for other in forms {
                    let same = plane.within(self.dimensions(), other)?;
                    if same.is_some() && same == within {
                        return Ok(true);
                    }
                }
                return Ok(false);
            }
            _ => {}
        }
        if !self.bounds_rationally(form)? {
            return Ok(false);
        }
        for replaced in 0..forms.len() {
            let row = plane.within(self.dimensions(), &forms[replaced])?;
            if within.is_some() && row.is_some_and(|row| row.iter().any(|n| *n != 0)) {
                continue;
            }
            let others = forms.iter().enumerate().filter(|(i, _)| *i != replaced);
            let mut written: Vec<_> = others.map(|(_, other)| at_least_zero(other)).collect();
            written.push(at_least_zero(form));
            let written = Piece::from_constraints(&self.context(), self.dimensions(), &written)?;
            if written.bounds_rationally(&forms[replaced])? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The equalities of a piece, by elimination: each with the column that it determines.
struct Plane {
    rows: Vec<(usize, Vec<i128>)>,
}

impl Plane {
    fn of(piece: &Piece) -> Result<Plane> {
        let mut plane = Plane { rows: Vec::new() };
        for constraint in piece.constraints()? {
            if constraint.kind != Kind::Equal {
                continue;
            }
            // One that gets too large is left out: then fewer forms are known to be the same, and none that are not.
            let row = plane.within(piece.dimensions(), &constraint.form)?;
            let pivot = row.as_ref().and_then(|row| {
                let factors = row.split_last()?.1;
                factors.iter().position(|n| *n != 0)
            });
            if let (Some(row), Some(pivot)) = (row, pivot) {
                plane.rows.push((pivot, row));
            }
        }
        Ok(plane)
    }

    /// The form without what the equalities determine, its constant last: on the piece it is the same, but for a positive factor. None if
    /// a number gets too large.
    fn within(&self, dimensions: usize, form: &Affine) -> Result<Option<Vec<i128>>> {
        let mut row = form.row(dimensions, 0)?;
        row.push(form.constant);
        for (pivot, equality) in &self.rows {
            let (factor, own) = (row[*pivot], equality[*pivot]);
            if factor == 0 {
                continue;
            }
            // row * |own| - equality * factor * sign(own)
            let each = row.iter().zip(equality).map(|(a, b)| {
                let part = b.checked_mul(factor)?.checked_mul(own.signum())?;
                a.checked_mul(own.checked_abs()?)?.checked_sub(part)
            });
            let Some(next) = each.collect::<Option<Vec<i128>>>() else {
                return Ok(None);
            };
            row = without_divisor(next);
        }
        Ok(Some(without_divisor(row)))
    }
}

/// Divided by what all have in common.
fn without_divisor(mut row: Vec<i128>) -> Vec<i128> {
    let divisor = row.iter().fold(0, |all, n| gcd(all, n.unsigned_abs()));
    if let Ok(divisor @ 2..) = i128::try_from(divisor) {
        row.iter_mut().for_each(|n| *n /= divisor);
    }
    row
}

fn gcd(a: u128, b: u128) -> u128 {
    match b {
        0 => a,
        b => gcd(b, a % b),
    }
}

fn at_least_zero(form: &Affine) -> Constraint {
    Constraint {
        kind: Kind::AtLeastZero,
        form: form.clone(),
    }
}

fn negated(form: &Affine) -> Result<Affine> {
    form.negated(0)
        .ok_or_else(|| Stopped::Failed("a number of more than 128 bits".into()))
}
