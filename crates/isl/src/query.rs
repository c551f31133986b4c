//! Points and bounds of sets.

use crate::ffi::{self, DimType, Handle, isl_val, number};
use crate::matrix::position;
use crate::{Result, Set};

/// The least or greatest value of a coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// There is no point.
    Empty,
    /// Some point has it, and none has one beyond.
    Value(i128),
    /// There is always one beyond.
    Unbounded,
}

impl Set {
    /// The first point in the order of coordinates, the first counting most; `None` if there is no point. Fails if there
    /// is no first one.
    pub fn lexmin(&self) -> Result<Option<Vec<i128>>> {
        let least = ffi::isl_set_lexmin(self.handle.clone())?;
        Set { handle: least }.sample()
    }

    /// Some point, always the same of the same set; `None` if there is none.
    pub fn sample(&self) -> Result<Option<Vec<i128>>> {
        let dimensions = self.dimensions();
        let point = ffi::isl_set_sample_point(self.handle.clone())?;
        if ffi::isl_point_is_void(&point)? {
            return Ok(None);
        }
        (0..dimensions)
            .map(|i| {
                number(&ffi::isl_point_get_coordinate_val(
                    &point,
                    DimType::Out,
                    i as i32,
                )?)
            })
            .collect::<Result<Vec<_>>>()
            .map(Some)
    }

    /// The least value of a coordinate.
    pub fn minimum(&self, dimension: usize) -> Result<Bound> {
        self.bound(dimension, ffi::isl_set_dim_min_val, i128::min)
    }

    /// The greatest value of a coordinate.
    pub fn maximum(&self, dimension: usize) -> Result<Bound> {
        self.bound(dimension, ffi::isl_set_dim_max_val, i128::max)
    }

    fn bound(
        &self,
        dimension: usize,
        function: fn(Handle<crate::ffi::isl_set>, i32) -> Result<Handle<isl_val>>,
        farther: fn(i128, i128) -> i128,
    ) -> Result<Bound> {
        let at = position(dimension, self.dimensions())?;
        let mut bound = Bound::Empty;
        for piece in self.pieces()? {
            // What isl says of an empty set depends on how it is written; so it does of a union with an empty piece.
            if piece.is_empty()? {
                continue;
            }
            let value = function(piece.to_set()?.handle, at as i32)?;
            if ffi::isl_val_is_infty(&value)? || ffi::isl_val_is_neginfty(&value)? {
                return Ok(Bound::Unbounded);
            }
            let value = number(&value)?;
            bound = Bound::Value(match bound {
                Bound::Value(known) => farther(known, value),
                _ => value,
            });
        }
        Ok(bound)
    }
}
