//! Sets of integer points: unions of integer polyhedra.
//!
//! Of the operations, intersection, union and projection cost little; `complement` and `subtract` multiply the disjuncts,
//! and explode beyond some thirty of them: count with [`Set::disjuncts`], and take a hull before.

use std::ffi::CString;

use crate::constraint::{Constraint, Dim};
use crate::ffi::{self, DimType, Handle, isl_set, value};
use crate::matrix::{basic_set, count, position};
use crate::operations::{binary, comparison, display, pairwise, runs_backwards, unary};
use crate::{Affine, Context, Map, Piece, Result, Stopped};

/// A set of points with so many integer coordinates.
///
/// A clone is cheap: the same object of isl, counted once more. `==` is not there, since it may fail: [`Set::is_equal`].
#[derive(Clone)]
pub struct Set {
    pub(crate) handle: Handle<isl_set>,
}

display!(Set, ffi::isl_set_to_str);

/// Making them.
impl Set {
    /// All points.
    pub fn universe(context: &Context, dimensions: usize) -> Result<Set> {
        let space = ffi::isl_space_set_alloc(&context.owner, 0, count(dimensions)?)?;
        Ok(Set {
            handle: ffi::isl_set_universe(space)?,
        })
    }

    /// No point.
    pub fn empty(context: &Context, dimensions: usize) -> Result<Set> {
        let space = ffi::isl_space_set_alloc(&context.owner, 0, count(dimensions)?)?;
        Ok(Set {
            handle: ffi::isl_set_empty(space)?,
        })
    }

    /// The points that satisfy all constraints, over [`Dim::At`] and [`Dim::Exists`], for some values of the latter.
    pub fn from_constraints(
        context: &Context,
        dimensions: usize,
        constraints: &[Constraint],
    ) -> Result<Set> {
        let basic = basic_set(&context.owner, dimensions, constraints)?;
        Ok(Set {
            handle: ffi::isl_set_from_basic_set(basic)?,
        })
    }

    /// One point.
    pub fn point(context: &Context, point: &[i128]) -> Result<Set> {
        let owner = &context.owner;
        let space = ffi::isl_space_set_alloc(owner, 0, count(point.len())?)?;
        let mut made = ffi::isl_point_zero(space)?;
        for (i, &coordinate) in point.iter().enumerate() {
            let coordinate = value(owner, coordinate)?;
            made = ffi::isl_point_set_coordinate_val(made, DimType::Out, i as i32, coordinate)?;
        }
        Ok(Set {
            handle: ffi::isl_set_from_point(made)?,
        })
    }

    /// A set in isl's notation, `{ [x, y] : 0 <= x < 2y }`, without parameters and names of tuples.
    pub fn parse(context: &Context, text: &str) -> Result<Set> {
        let text = CString::new(text).map_err(|e| Stopped::Failed(e.to_string()))?;
        let handle = ffi::isl_set_read_from_str(&context.owner, &text)?;
        if ffi::isl_set_dim(&handle, DimType::Parameter)? != 0 {
            return Err(Stopped::Failed("a set with parameters".into()));
        }
        let handle = ffi::isl_set_flatten(handle)?;
        if ffi::isl_set_has_tuple_name(&handle)? {
            return Err(Stopped::Failed("a set with a name".into()));
        }
        Ok(Set { handle })
    }
}

/// What they are.
impl Set {
    /// The context it lives in.
    pub fn context(&self) -> Context {
        Context {
            owner: self.handle.owner().clone(),
        }
    }

    /// How many coordinates its points have.
    pub fn dimensions(&self) -> usize {
        // Reads a field: no budget, no error.
        ffi::isl_set_dim(&self.handle, DimType::Out).unwrap_or(0)
    }

    /// Of how many convex pieces it is written as a union. None means that it is empty; an empty set may have some.
    pub fn disjuncts(&self) -> usize {
        ffi::isl_set_n_basic_set(&self.handle).unwrap_or(0)
    }

    /// Its convex pieces, in isl's order. They may overlap: [`Set::make_disjoint`].
    pub fn pieces(&self) -> Result<Vec<Piece>> {
        let list = ffi::isl_set_get_basic_set_list(&self.handle)?;
        (0..ffi::isl_basic_set_list_size(&list)?)
            .map(|i| {
                Ok(Piece {
                    handle: ffi::isl_basic_set_list_get_at(&list, i as i32)?,
                })
            })
            .collect()
    }

    /// Whether it has no point.
    pub fn is_empty(&self) -> Result<bool> {
        ffi::isl_set_is_empty(&self.handle)
    }

    /// Whether every coordinate has a least and a greatest value.
    pub fn is_bounded(&self) -> Result<bool> {
        ffi::isl_set_is_bounded(&self.handle)
    }

    /// Whether a point is in it.
    pub fn contains(&self, point: &[i128]) -> Result<bool> {
        Set::point(&self.context(), point)?.is_subset(self)
    }

    comparison! {
        /// Whether all its points are in the other.
        is_subset = ffi::isl_set_is_subset;
        /// Whether they have the same points.
        is_equal = ffi::isl_set_is_equal;
        /// Whether they have no point in common.
        is_disjoint = ffi::isl_set_is_disjoint;
    }

    fn check_shape(&self, other: &Set) -> Result<()> {
        let (a, b) = (self.dimensions(), other.dimensions());
        if a == b {
            Ok(())
        } else {
            Err(Stopped::Failed(format!("sets of {a} and {b} dimensions")))
        }
    }
}

/// Operations.
impl Set {
    binary! {
        /// The points in both.
        intersect = ffi::isl_set_intersect;
        /// A set that is simpler, and has the same points in common with `other` as this one. Outside of it, anything.
        gist = ffi::isl_set_gist;
    }

    pairwise! {
        /// The points in one or both.
        union = ffi::isl_set_union;
        /// The points that are not in the other.
        subtract = ffi::isl_set_subtract;
    }

    unary! {
        /// The points that are not in it.
        complement = ffi::isl_set_complement;
        /// The same points, in fewer disjuncts where two together are convex.
        coalesce = ffi::isl_set_coalesce;
        /// The same points, without constraints that follow from others.
        remove_redundancies = ffi::isl_set_remove_redundancies;
        /// The same points, with equalities where inequalities imply one.
        detect_equalities = ffi::isl_set_detect_equalities;
        /// The same points, with a [`FloorDivision`](crate::FloorDivision) for every existential integer; maybe more disjuncts.
        compute_divs = ffi::isl_set_compute_divs;
        /// At least the same points, without existential integers.
        remove_divs = ffi::isl_set_remove_divs;
        /// The same points, in pieces that do not overlap.
        make_disjoint = ffi::isl_set_make_disjoint;
    }

    /// Without these coordinates: the points that with some values for them are in this set. The others keep their order.
    pub fn project_out(&self, dimensions: &[usize]) -> Result<Set> {
        let mut handle = self.handle.clone();
        for (first, run) in runs_backwards(dimensions) {
            position(first.saturating_add(run - 1), self.dimensions())?;
            handle = ffi::isl_set_project_out(handle, DimType::Out, count(first)?, count(run)?)?;
        }
        Ok(Set { handle })
    }

    /// With `number` more coordinates, of any value, from position `at` on.
    pub fn insert(&self, at: usize, number: usize) -> Result<Set> {
        let dimensions = self.dimensions();
        count(dimensions.saturating_add(number))?;
        let at = position(at, dimensions + 1)?;
        Ok(Set {
            handle: ffi::isl_set_insert_dims(
                self.handle.clone(),
                DimType::Out,
                at,
                count(number)?,
            )?,
        })
    }

    /// With `number` more coordinates, of any value, behind the others.
    pub fn add(&self, number: usize) -> Result<Set> {
        self.insert(self.dimensions(), number)
    }

    /// The coordinates in another order: coordinate `i` of the result is coordinate `order[i]` of this. What is not named is
    /// projected out, what is named twice is there twice.
    pub fn rearrange(&self, order: &[usize]) -> Result<Set> {
        let dimensions = self.dimensions();
        let outputs: Vec<_> = order
            .iter()
            .map(|&from| Some(Affine::new([(Dim::In(from), 1)], 0)))
            .collect();
        self.apply(&Map::from_affine(&self.context(), dimensions, &outputs)?)
    }

    /// The points that have this value at this coordinate, which stays.
    pub fn fix(&self, dimension: usize, number: i128) -> Result<Set> {
        let at = position(dimension, self.dimensions())?;
        let number = value(self.handle.owner(), number)?;
        Ok(Set {
            handle: ffi::isl_set_fix_val(self.handle.clone(), DimType::Out, at, number)?,
        })
    }

    /// The points that satisfy these constraints, too.
    pub fn constrain(&self, constraints: &[Constraint]) -> Result<Set> {
        let dimensions = self.dimensions();
        self.intersect(&Set::from_constraints(
            &self.context(),
            dimensions,
            constraints,
        )?)
    }

    /// What a map makes of its points.
    pub fn apply(&self, map: &Map) -> Result<Set> {
        let (a, b) = (self.dimensions(), map.inputs());
        if a != b {
            return Err(Stopped::Failed(format!(
                "a map of {b} inputs on a set of {a} dimensions"
            )));
        }
        Ok(Set {
            handle: ffi::isl_set_apply(self.handle.clone(), map.handle.clone())?,
        })
    }
}
