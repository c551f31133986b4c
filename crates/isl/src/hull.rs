//! Hulls: one convex piece that contains a set.
//!
//! | | result | cost |
//! | --- | --- | --- |
//! | [`Set::affine_hull`] | the least solution set of equalities | low |
//! | [`Set::convex_hull`] | the least polyhedron around the pieces' polyhedra | high, grows steeply with dimensions |
//! | [`Set::polyhedral_hull`] | the same, of the pieces without their existential integers | high |
//! | [`Set::simple_hull`] | only constraints of the pieces, shifted; may have no bound where the set has | low |
//! | [`Set::bounded_simple_hull`] | the same, and bounded if the set is | middle |
//!
//! The convex hull is that of polyhedra, corners with fractions included; the simple hulls look at integer points, and can be the
//! smaller ones. All but the polyhedral hull may have existential integers if the pieces have them (an `x % 2 == 0` of all pieces stays; one
//! that nobody said, but that is true of all points, is not found).

use crate::ffi;
use crate::{Piece, Result, Set};

macro_rules! hulls {
    ($($(#[$doc:meta])* $name:ident = $function:path;)*) => {$(
        $(#[$doc])*
        pub fn $name(&self) -> Result<Piece> {
            Ok(Piece { handle: $function(self.handle.clone())? })
        }
    )*};
}

impl Set {
    hulls! {
        /// The least set defined by equalities alone that contains this one. Equalities with existential integers are kept where
        /// isl sees them.
        affine_hull = ffi::isl_set_affine_hull;
        /// The least polyhedron that contains the polyhedra of all pieces. Not under a budget that may be used up: in the
        /// middle of this isl (0.25) does not survive that, once in some hundred times.
        convex_hull = ffi::isl_set_convex_hull;
        /// The least polyhedron, without existential integers, that contains all pieces.
        polyhedral_hull = ffi::isl_set_polyhedral_hull;
        /// Contains all pieces, with no other constraints than theirs, moved outwards. Cheap.
        simple_hull = ffi::isl_set_simple_hull;
        /// As [`Set::simple_hull`], but bounded if the set is.
        bounded_simple_hull = ffi::isl_set_bounded_simple_hull;
    }
}
