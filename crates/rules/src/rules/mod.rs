//! One file a rule, its documentation beside it.

pub mod assertion;
pub mod division_by_zero;
pub mod integer_overflow;
pub mod null_dereference;
pub mod out_of_bounds;
pub mod shift_range;
pub mod uninitialized_use;
pub mod use_after_free;
