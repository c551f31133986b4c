//! `resource-leak`: see the documentation beside this file.

use crate::leak::Ownership;
use crate::temporal::{Valid, subject};
use crate::{Broken, Meta, Rule, Severity, Wording};

pub struct ResourceLeak;

const OPENED: &str = "is opened";

/// Streams and directories, descriptors, mappings.
static RESOURCES: [Ownership; 3] = [
    Ownership {
        results: &[
            "fopen",
            "fopen64",
            "fdopen",
            "popen",
            "tmpfile",
            "tmpfile64",
            "fmemopen",
            "open_memstream",
            "fopencookie",
            "opendir",
            "fdopendir",
            "dlopen",
        ],
        through: &[],
        renews: &[],
        releases: &["fclose", "pclose", "closedir", "dlclose"],
        valid: Valid::NotZero,
        told: OPENED,
    },
    Ownership {
        results: &[
            "open",
            "open64",
            "__open_2",
            "__open64_2",
            "openat",
            "openat64",
            "creat",
            "creat64",
            "socket",
            "accept",
            "accept4",
            "dup",
            "mkstemp",
            "mkstemp64",
            "mkostemp",
            "mkstemps",
            "epoll_create",
            "epoll_create1",
            "eventfd",
            "inotify_init",
            "inotify_init1",
            "timerfd_create",
            "signalfd",
            "memfd_create",
            "shm_open",
        ],
        through: &[],
        renews: &[],
        releases: &["close"],
        valid: Valid::NotNegative,
        told: OPENED,
    },
    Ownership {
        results: &["mmap", "mmap64"],
        through: &[],
        renews: &[],
        releases: &["munmap"],
        valid: Valid::NotMinusOne,
        told: OPENED,
    },
];

impl Rule for ResourceLeak {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "resource-leak",
            summary: "the last reference to something open is lost, and it was never closed",
            cwe: &[775, 773, 772, 404],
            docs: include_str!("resource-leak.md"),
            shown_by_default: true,
            severity: Severity::Error,
        }
    }

    fn owns(&self) -> &'static [Ownership] {
        &RESOURCES
    }

    fn ends_runs(&self) -> bool {
        false
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        let Some(value) = subject(broken.program, broken.body, broken.condition) else {
            return broken.plain(self.meta().summary);
        };
        let text = broken.expr(value);
        Wording::new(
            format!("`{text}` is never closed: here the last reference to it is lost"),
            format!("{text} is lost"),
        )
    }
}
