//! One convex part of a union, and the constraints it consists of.

use crate::constraint::{Affine, Constraint, Dim, FloorDivision, Kind};
use crate::ffi::{self, DimType, Handle, isl_basic_set, number, value};
use crate::matrix;
use crate::operations::{display, solving, unary};
use crate::{Bound, Context, Result, Set, Stopped};

/// The integer points of a polyhedron, of which some coordinates may be existentially quantified.
#[derive(Clone)]
pub struct Piece {
    pub(crate) handle: Handle<isl_basic_set>,
}

display!(Piece, ffi::isl_basic_set_to_str);

impl Piece {
    /// The points that satisfy all constraints: see [`Set::from_constraints`].
    pub fn from_constraints(
        context: &Context,
        dimensions: usize,
        constraints: &[Constraint],
    ) -> Result<Piece> {
        Ok(Piece {
            handle: matrix::basic_set(&context.owner, dimensions, constraints)?,
        })
    }

    /// The context it lives in.
    pub fn context(&self) -> Context {
        Context {
            owner: self.handle.owner().clone(),
        }
    }

    /// How many coordinates its points have.
    pub fn dimensions(&self) -> usize {
        // Reads a field: no budget, no error.
        ffi::isl_basic_set_dim(&self.handle, DimType::Out).unwrap_or(0)
    }

    /// How many existential integers its constraints have.
    pub fn existentials(&self) -> usize {
        ffi::isl_basic_set_dim(&self.handle, DimType::Div).unwrap_or(0)
    }

    /// The same points as a set.
    pub fn to_set(&self) -> Result<Set> {
        Ok(Set {
            handle: ffi::isl_set_from_basic_set(self.handle.clone())?,
        })
    }

    /// As a set it is one.
    fn disjuncts(&self) -> usize {
        1
    }

    /// Whether it has no point.
    pub fn is_empty(&self) -> Result<bool> {
        matrix::charge_programs(self.handle.owner(), self.disjuncts(), self.dimensions());
        ffi::isl_basic_set_is_empty(&self.handle)
    }

    /// All its constraints over [`Dim::At`] and [`Dim::Exists`], equalities first, in isl's order. They say everything:
    /// [`Piece::from_constraints`] of them has the same points, whatever [`Piece::definitions`] says.
    pub fn constraints(&self) -> Result<Vec<Constraint>> {
        matrix::constraints(&self.handle)
    }

    /// What its existential integers are, as far as isl knows: [`Set::compute_divs`] makes it know all.
    ///
    /// An integer that is defined as `q = floor(e / m)` has the constraints `0 <= e - m q` and `e - m q <= m - 1` among those
    /// of the piece.
    pub fn definitions(&self) -> Result<Vec<Option<FloorDivision>>> {
        (0..self.existentials())
            .map(|k| self.definition(k))
            .collect()
    }

    fn definition(&self, exists: usize) -> Result<Option<FloorDivision>> {
        let aff = match ffi::isl_basic_set_get_div(&self.handle, exists as i32) {
            Ok(aff) => aff,
            // All that can go wrong but the budget: it is not known.
            Err(Stopped::Failed(_)) => return Ok(None),
            Err(stopped) => return Err(stopped),
        };
        let divisor = ffi::isl_aff_get_denominator_val(&aff)?;
        // isl has the quotient as a fraction; over its denominator, all are integers.
        let aff = ffi::isl_aff_scale_val(aff, divisor.clone())?;
        let mut terms = Vec::new();
        let inputs = (0..self.dimensions()).map(|i| (Dim::At(i), DimType::In, i));
        let quotients = (0..self.existentials()).map(|k| (Dim::Exists(k), DimType::Div, k));
        for (dim, kind, at) in inputs.chain(quotients) {
            let factor = number(&ffi::isl_aff_get_coefficient_val(&aff, kind, at as i32)?)?;
            if factor != 0 {
                terms.push((dim, factor));
            }
        }
        Ok(Some(FloorDivision {
            form: Affine {
                terms,
                constant: number(&ffi::isl_aff_get_constant_val(&aff)?)?,
            },
            divisor: number(&divisor)?,
        }))
    }

    solving! {
        /// The same points, without constraints that follow from others.
        remove_redundancies = ffi::isl_basic_set_remove_redundancies;
        /// The same points, with equalities where inequalities imply one.
        detect_equalities = ffi::isl_basic_set_detect_equalities;
    }

    unary! {
        /// At least the same points, without existential integers.
        remove_divs = ffi::isl_basic_set_remove_divs;
    }

    /// The points that satisfy these constraints, too.
    pub fn constrain(&self, constraints: &[Constraint]) -> Result<Piece> {
        let more = Piece::from_constraints(&self.context(), self.dimensions(), constraints)?;
        Ok(Piece {
            handle: ffi::isl_basic_set_intersect(self.handle.clone(), more.handle)?,
        })
    }

    /// Whether all its points satisfy a constraint over [`Dim::At`]. The piece has a point.
    ///
    /// A linear program answers most questions: the least is not negative; or there is none, neither of fractions nor of integers. What is
    /// left are bounds between two integers.
    pub fn implies(&self, constraint: &Constraint) -> Result<bool> {
        let set = self.to_set()?;
        let context = self.context();
        let below = |form: &Affine| {
            if self.existentials() == 0 {
                match self.least_of(form)? {
                    Bound::Value(0..) => return Ok(true),
                    Bound::Unbounded => return Ok(false),
                    Bound::Value(_) | Bound::Empty => {}
                }
            }
            // form <= -1
            let form = form
                .negated(1)
                .ok_or_else(|| Stopped::Failed("a number of more than 128 bits".into()))?;
            let outside = Constraint {
                kind: Kind::AtLeastZero,
                form,
            };
            let outside = Set::from_constraints(&context, self.dimensions(), &[outside])?;
            outside.is_disjoint(&set)
        };
        if constraint
            .form
            .terms
            .iter()
            .any(|(dim, _)| matches!(dim, Dim::Exists(_)))
        {
            return Err(Stopped::Failed(
                "an existential integer to be implied".into(),
            ));
        }
        Ok(below(&constraint.form)?
            && (constraint.kind == Kind::AtLeastZero || {
                let opposite = constraint.form.negated(0);
                below(
                    &opposite
                        .ok_or_else(|| Stopped::Failed("a number of more than 128 bits".into()))?,
                )?
            }))
    }

    /// Whether a form is not negative on the whole polyhedron, its points with fractions included. The piece has no
    /// existential integers, and a point.
    pub(crate) fn bounds_rationally(&self, form: &Affine) -> Result<bool> {
        let least = self.minimum_rationally(form)?;
        Ok(!ffi::isl_val_is_neginfty(&least)?
            && !ffi::isl_val_is_nan(&least)?
            && ffi::isl_val_sgn(&least)? >= 0)
    }

    /// A number that no point has less than at this coordinate: see [`Piece::least_of`].
    pub fn least(&self, dimension: usize) -> Result<Bound> {
        self.least_of(&Affine::new([(Dim::At(dimension), 1)], 0))
    }

    /// A number that no point has more than at this coordinate: see [`Piece::least_of`].
    pub fn most(&self, dimension: usize) -> Result<Bound> {
        let opposite = Affine::new([(Dim::At(dimension), -1)], 0);
        Ok(match self.least_of(&opposite)? {
            Bound::Value(n) => Bound::Value(-n),
            other => other,
        })
    }

    /// A number that a form over [`Dim::At`] is never below: the least on the polyhedron, points with fractions included, rounded
    /// up. That is a linear program, where [`Set::minimum`] is an integer one. Of an empty piece nothing is said.
    pub fn least_of(&self, form: &Affine) -> Result<Bound> {
        let least = self.minimum_rationally(form)?;
        if ffi::isl_val_is_neginfty(&least)? || ffi::isl_val_is_nan(&least)? {
            return Ok(Bound::Unbounded);
        }
        Ok(Bound::Value(number(&ffi::isl_val_ceil(least)?)?))
    }

    fn minimum_rationally(&self, form: &Affine) -> Result<Handle<ffi::isl_val>> {
        let owner = self.handle.owner();
        let space = ffi::isl_basic_set_get_space(&self.handle)?;
        let mut aff = ffi::isl_aff_zero_on_domain(ffi::isl_local_space_from_space(space)?)?;
        for (i, factor) in form.row(self.dimensions(), 0)?.into_iter().enumerate() {
            if factor != 0 {
                let factor = value(owner, factor)?;
                aff = ffi::isl_aff_set_coefficient_val(aff, DimType::In, i as i32, factor)?;
            }
        }
        aff = ffi::isl_aff_set_constant_val(aff, value(owner, form.constant)?)?;
        ffi::isl_basic_set_min_lp_val(&self.handle, &aff)
    }
}
