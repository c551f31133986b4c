//! One file a rule, its documentation beside it.

pub mod allocation_size;
pub mod assertion;
pub mod dangling_return;
pub mod division_by_zero;
pub mod double_free;
pub mod double_lock;
pub mod infinite_loop;
pub mod integer_overflow;
pub mod invalid_free;
pub mod lock_leak;
pub mod memory_leak;
pub mod null_dereference;
pub mod out_of_bounds;
pub mod precondition;
pub mod resource_leak;
pub mod shift_range;
pub mod uninitialized_use;
pub mod use_after_close;
pub mod use_after_free;
pub mod wrap_around;
