//! How this process gets its memory: in few, large steps.
//!
//! LLVM allocates small pieces and gives nothing back. The allocator of the C library serves a thread that is not
//! the first from an arena that it makes larger page by page, each with a call of the kernel.
#![allow(unsafe_code)]

/// A step; what is not touched costs nothing.
const STEP: libc::c_int = 64 << 20;

/// One arena for all threads, and it grows by steps. A C library that knows no such options stays as it is.
pub fn grow_in_large_steps() {
    #[cfg(target_env = "gnu")]
    {
        // SAFETY: plain numbers, set before a second thread is there.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, 1);
            libc::mallopt(libc::M_TOP_PAD, STEP);
        }
    }
}
