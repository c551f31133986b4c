//! What is done outside of isl, counted.
//!
//! isl counts its own operations. The rest of the work is paths: they are copied at every edge, with their facts and their memory, and a call
//! puts each case of its callee to each of them. So every edge costs as much as the path is large that goes along it, and every
//! case as much as it says. The sum is bounded like isl's operations ([`crate::execute::Limits`]), and with it the memory that paths take:
//! none is made that is not counted.

use std::cell::Cell;
use std::rc::Rc;

/// A counter. A clone is the same one.
#[derive(Clone, Debug, Default)]
pub struct Work(Rc<Cell<u64>>);

impl Work {
    /// So many facts or scalars were handled.
    pub fn add(&self, facts: usize) {
        let facts = u64::try_from(facts).unwrap_or(u64::MAX);
        self.0.set(self.0.get().saturating_add(facts));
    }

    /// How many since the beginning.
    pub fn done(&self) -> u64 {
        self.0.get()
    }

    /// Counts from zero.
    pub fn begin(&self) {
        self.0.set(0);
    }
}
