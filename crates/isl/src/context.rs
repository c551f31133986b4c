//! Where objects live, how much may be done, and why something was not.
//!
//! isl counts what it does, so a budget is deterministic: the same calls on the same objects cost the same in any process,
//! whatever was done in the context before. (`parse` apart: isl keeps the names that it has read.)

use std::rc::Rc;

use crate::ffi::Owner;

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// What [`Context::allow`] allowed is used up. The objects are as they were before; after a new budget, all goes on.
    #[error("the budget is used up")]
    Budget,
    /// isl cannot do it, for the reason given.
    #[error("{0}")]
    Failed(String),
}

/// What every operation gives.
pub type Result<T> = std::result::Result<T, Stopped>;

/// Where sets and maps live. A clone is the same context; it is freed after the last object in it.
///
/// isl's objects count their references without regard to threads, so a context and all that is in it stay in one:
///
/// ```compile_fail,E0277
/// fn sends<T: Send>() {}
/// sends::<isl::Context>();
/// ```
/// ```compile_fail,E0277
/// fn sends<T: Send>() {}
/// sends::<isl::Set>();
/// ```
/// ```compile_fail,E0277
/// fn shares<T: Sync>() {}
/// shares::<isl::Piece>();
/// ```
#[derive(Clone)]
pub struct Context {
    pub(crate) owner: Rc<Owner>,
}

impl Context {
    /// A new context, without a limit.
    #[allow(clippy::new_without_default)] // Every one is another: nothing about it is a default.
    pub fn new() -> Context {
        Context {
            owner: Rc::new(Owner::new()),
        }
    }

    /// From now on, isl may do so many operations (above all, allocations; a simple call takes some tens). Then every call
    /// that needs one more gives [`Stopped::Budget`], until something is allowed again.
    pub fn allow(&self, operations: u64) {
        self.owner.allow(Some(operations));
    }

    /// From now on, isl may do whatever it is asked.
    pub fn allow_anything(&self) {
        self.owner.allow(None);
    }

    /// Does something that may take so many operations of those that are allowed, and no more: beyond that, it gets
    /// [`Stopped::Budget`], and whoever asked for it can do something cheaper instead.
    ///
    /// ```
    /// # use isl::{Context, Set, Stopped};
    /// let context = Context::new();
    /// let set = Set::parse(&context, "{ [x, y] : x >= 0 and y >= 0 and 3x + 5y <= 100 }")?;
    /// context.allow(10_000);
    /// assert_eq!(context.within(5, || set.coalesce()?.lexmin()), Err(Stopped::Budget));
    /// assert_eq!(set.coalesce()?.lexmin()?, Some(vec![0, 0]));
    /// # Ok::<(), Stopped>(())
    /// ```
    pub fn within<T>(&self, operations: u64, action: impl FnOnce() -> Result<T>) -> Result<T> {
        self.owner.within(operations, action)
    }

    /// How many operations isl did since [`Context::allow`], [`Context::allow_anything`], or the beginning.
    pub fn spent(&self) -> u64 {
        self.owner.spent()
    }

    /// How many references isl's objects have to the context: zero after everything in it is dropped, else memory is lost.
    /// Takes time in proportion; for tests.
    pub fn references(&self) -> usize {
        self.owner.references()
    }
}

impl PartialEq for Context {
    /// Whether it is the same one.
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.owner, &other.owner)
    }
}

impl Eq for Context {}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").finish_non_exhaustive()
    }
}
