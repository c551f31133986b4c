//! Constructors of terms. Each gives a term of the same value, simplified by rules that look at
//! most two operators deep, so that making a term costs the same however large its operands are.
//!
//! What constants decide is decided here; what is written in two ways is written in one: constants
//! stand to the right, `x - 3` is `x + (-3)`, negation is pushed into comparisons. On real paths
//! most facts become `true` or `false` by this alone.

mod arithmetic;
mod comparison;
mod parts;
mod truth;
