//! isl's context. It holds the budget and the last error, and must be freed after everything that was made in it: every
//! [`Handle`](super::handle::Handle) has an `Rc` of it.
//!
//! **The budget** is a count of isl's *operations*, above all of its allocations. isl keeps freed blocks of numbers to use
//! them again, which is no allocation; so what a call costs would depend on what was done before it. The blocks are
//! therefore given back before every call: what a call costs depends on its arguments alone.
//!
//! isl has no function that says how many operations were done. But `isl_ctx_next_operation` fails if there were as many
//! as the maximum, and counts one otherwise: with the maximum under our control, that is enough for a binary search.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_ulong};
use std::ptr::NonNull;

use crate::Stopped;

/// isl's `isl_ctx`.
#[repr(C)]
pub(crate) struct Ctx {
    _private: [u8; 0],
}

unsafe extern "C" {
    fn isl_ctx_alloc() -> *mut Ctx;
    fn isl_ctx_free(ctx: *mut Ctx);
    fn isl_ctx_ref(ctx: *mut Ctx);
    fn isl_ctx_deref(ctx: *mut Ctx);
    fn isl_ctx_last_error(ctx: *mut Ctx) -> c_int;
    fn isl_ctx_last_error_msg(ctx: *mut Ctx) -> *const c_char;
    fn isl_ctx_reset_error(ctx: *mut Ctx);
    fn isl_ctx_set_max_operations(ctx: *mut Ctx, operations: c_ulong);
    fn isl_ctx_reset_operations(ctx: *mut Ctx);
    fn isl_ctx_next_operation(ctx: *mut Ctx) -> c_int;
    fn isl_options_set_on_error(ctx: *mut Ctx, reaction: c_int) -> c_int;
    /// Not in isl's headers, but exported (see the module's documentation for why it is needed).
    fn isl_blk_clear_cache(ctx: *mut Ctx);
}

const ISL_ON_ERROR_CONTINUE: c_int = 1;
const ISL_ERROR_NONE: c_int = 0;
const ISL_ERROR_QUOTA: c_int = 6;

/// isl takes 0 for "no limit"; no real budget is as large as this.
const UNLIMITED: u64 = 1 << 62;

/// An isl context: freed when this is dropped.
pub(crate) struct Owner {
    ctx: NonNull<Ctx>,
    /// What isl may still do since it last counted from zero; [`UNLIMITED`] if as much as it likes.
    limit: Cell<u64>,
    /// What was done under this budget before isl last counted from zero.
    before: Cell<i64>,
}

impl Owner {
    pub(crate) fn new() -> Owner {
        // SAFETY: no arguments; the result is checked.
        let ctx = NonNull::new(unsafe { isl_ctx_alloc() }).expect("memory for a context of isl");
        // SAFETY: the context was just made. Errors are results, and nothing is printed.
        unsafe { isl_options_set_on_error(ctx.as_ptr(), ISL_ON_ERROR_CONTINUE) };
        let owner = Owner {
            ctx,
            limit: Cell::new(UNLIMITED),
            before: Cell::new(0),
        };
        owner.allow(None);
        owner
    }

    pub(crate) fn pointer(&self) -> *mut Ctx {
        self.ctx.as_ptr()
    }

    /// To be called before every function of isl that may do something.
    pub(crate) fn enter(&self) {
        // SAFETY: the context is alive; its cache holds blocks that nobody uses.
        unsafe { isl_blk_clear_cache(self.pointer()) };
    }

    /// What went wrong since the last time this was asked.
    pub(crate) fn failure(&self) -> Option<Stopped> {
        // SAFETY: the context is alive; a message is static text, or null.
        unsafe {
            let error = isl_ctx_last_error(self.pointer());
            if error == ISL_ERROR_NONE {
                return None;
            }
            // Before it is asked for anything that may fail as well.
            let message = isl_ctx_last_error_msg(self.pointer());
            // What fails for want of an operation may be reported as something else that failed in consequence.
            let exhausted = isl_ctx_next_operation(self.pointer()) < 0;
            let stopped = if exhausted || error == ISL_ERROR_QUOTA {
                Stopped::Budget
            } else if message.is_null() {
                Stopped::Failed(format!("isl's error {error}"))
            } else {
                Stopped::Failed(CStr::from_ptr(message).to_string_lossy().into_owned())
            };
            isl_ctx_reset_error(self.pointer());
            Some(stopped)
        }
    }

    /// A new budget; `None` is none at all.
    pub(crate) fn allow(&self, operations: Option<u64>) {
        self.before.set(0);
        self.count_from_zero(operations.map_or(UNLIMITED, |n| n.min(UNLIMITED - 1)));
    }

    /// What was done since the budget was given.
    pub(crate) fn spent(&self) -> u64 {
        let counted = self.counted();
        let spent = self.before.get() + counted as i64;
        self.go_on(counted);
        spent as u64
    }

    /// Counts so many operations that isl does not count itself.
    pub(crate) fn charge(&self, operations: u64) {
        let counted = self.counted();
        self.go_on(counted.saturating_add(operations.min(u64::from(u32::MAX))));
    }

    /// Does something that counts for nothing.
    pub(crate) fn unmetered<T>(&self, action: impl FnOnce() -> T) -> T {
        let counted = self.counted();
        // SAFETY: the context is alive.
        unsafe { isl_ctx_set_max_operations(self.pointer(), 0) };
        let result = action();
        self.go_on(counted);
        result
    }

    /// How many references to the context isl's objects have.
    pub(crate) fn references(&self) -> usize {
        // Only counting down tells: it fails at zero.
        let mut references = 0;
        // SAFETY: the context is alive, and has as many references afterwards as before.
        unsafe {
            loop {
                isl_ctx_deref(self.pointer());
                if isl_ctx_last_error(self.pointer()) != ISL_ERROR_NONE {
                    break;
                }
                references += 1;
            }
            isl_ctx_reset_error(self.pointer());
            for _ in 0..references {
                isl_ctx_ref(self.pointer());
            }
        }
        references
    }

    /// isl's own counter. Leaves it, and the maximum, in any state: [`Owner::go_on`] must follow.
    fn counted(&self) -> u64 {
        let (mut least, mut beyond) = (0, UNLIMITED);
        // Each probe that succeeds is counted by isl.
        let mut probes = 0;
        while beyond - least > 1 {
            let middle = least + (beyond - least) / 2;
            // SAFETY: the context is alive; the maximum is not 0.
            let failed = unsafe {
                isl_ctx_set_max_operations(self.pointer(), middle + probes);
                isl_ctx_next_operation(self.pointer()) < 0
            };
            if failed {
                least = middle;
            } else {
                beyond = middle;
                probes += 1;
            }
        }
        // SAFETY: the context is alive.
        unsafe { isl_ctx_reset_error(self.pointer()) };
        least
    }

    /// Goes on under the same budget after `counted` operations since isl last counted from zero.
    fn go_on(&self, counted: u64) {
        self.before.set(self.before.get() + counted as i64);
        let limit = self.limit.get();
        self.count_from_zero(if limit == UNLIMITED {
            UNLIMITED
        } else {
            limit.saturating_sub(counted)
        });
    }

    fn count_from_zero(&self, limit: u64) {
        self.limit.set(limit);
        // SAFETY: the context is alive.
        unsafe {
            isl_ctx_reset_error(self.pointer());
            isl_ctx_reset_operations(self.pointer());
            let maximum = if limit == UNLIMITED { 0 } else { limit.max(1) };
            isl_ctx_set_max_operations(self.pointer(), maximum);
            if limit == 0 {
                // isl has no maximum of zero; so one is allowed, and done. It is not counted.
                isl_ctx_next_operation(self.pointer());
                self.limit.set(1);
                self.before.set(self.before.get() - 1);
            }
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // SAFETY: made by `isl_ctx_alloc`, freed only here. All objects have an `Rc` of this, so none is left. (If isl
        // itself had lost one it would free nothing.)
        unsafe { isl_ctx_free(self.pointer()) };
    }
}
