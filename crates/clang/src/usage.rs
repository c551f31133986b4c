//! What a piece of work costs: CPU time and memory, as the kernel counts them.
#![allow(unsafe_code)]

/// CPU time of the calling thread, in microseconds.
pub fn thread_cpu_us() -> u64 {
    let mut t = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the kernel fills the struct it is given.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    t.tv_sec as u64 * 1_000_000 + t.tv_nsec as u64 / 1000
}

/// CPU time of all child processes that have ended, in microseconds.
pub fn children_cpu_us() -> u64 {
    let u = rusage(libc::RUSAGE_CHILDREN);
    let us = |t: libc::timeval| t.tv_sec as u64 * 1_000_000 + t.tv_usec as u64;
    us(u.ru_utime) + us(u.ru_stime)
}

/// Largest resident memory of this process so far, in KiB.
pub fn peak_kib() -> u64 {
    rusage(libc::RUSAGE_SELF).ru_maxrss as u64
}

fn rusage(who: libc::c_int) -> libc::rusage {
    // SAFETY: all-zero is a valid rusage, and the kernel fills the struct it is given.
    unsafe {
        let mut u: libc::rusage = std::mem::zeroed();
        libc::getrusage(who, &mut u);
        u
    }
}
