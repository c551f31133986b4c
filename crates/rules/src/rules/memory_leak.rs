//! `memory-leak`: see the documentation beside this file.

use crate::leak::Ownership;
use crate::temporal::{Outcome, Valid, subject};
use crate::{Broken, Meta, Rule, Severity, Wording};

/// Functions that give memory back, whoever got it.
const FREE: &[&str] = &[
    "free",
    "cfree",
    "free_sized",
    "free_aligned_sized",
    "kfree",
    "kfree_sensitive",
    "kvfree",
    "vfree",
    "g_free",
    // operator delete and delete[], with a size, with an alignment.
    "_ZdlPv",
    "_ZdlPvm",
    "_ZdlPvSt11align_val_t",
    "_ZdlPvmSt11align_val_t",
    "_ZdaPv",
    "_ZdaPvm",
    "_ZdaPvSt11align_val_t",
    "_ZdaPvmSt11align_val_t",
];

pub struct MemoryLeak;

static MEMORY: [Ownership; 1] = [Ownership {
    results: &[
        "malloc",
        "calloc",
        "realloc",
        "reallocarray",
        "aligned_alloc",
        "memalign",
        "valloc",
        "pvalloc",
        "strdup",
        "__strdup",
        "strndup",
        "__strndup",
        "wcsdup",
        "realpath",
        "get_current_dir_name",
        // operator new and new[], with an alignment, without exceptions.
        "_Znwm",
        "_Znam",
        "_ZnwmRKSt9nothrow_t",
        "_ZnamRKSt9nothrow_t",
        "_ZnwmSt11align_val_t",
        "_ZnamSt11align_val_t",
        "_ZnwmSt11align_val_tRKSt9nothrow_t",
        "_ZnamSt11align_val_tRKSt9nothrow_t",
    ],
    through: &[
        ("asprintf", 0, Outcome::NotNegative),
        ("vasprintf", 0, Outcome::NotNegative),
        ("__asprintf_chk", 0, Outcome::NotNegative),
        ("posix_memalign", 0, Outcome::Zero),
        ("getline", 0, Outcome::Any),
        ("getdelim", 0, Outcome::Any),
        ("__getdelim", 0, Outcome::Any),
    ],
    renews: &[("realloc", 0), ("reallocarray", 0)],
    releases: FREE,
    valid: Valid::NotZero,
    told: "is allocated",
}];

impl Rule for MemoryLeak {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "memory-leak",
            summary: "the last pointer to allocated memory is lost, and it was never freed",
            cwe: &[401],
            docs: include_str!("memory-leak.md"),
            shown_by_default: true,
            severity: Severity::Error,
        }
    }

    fn owns(&self) -> &'static [Ownership] {
        &MEMORY
    }

    fn ends_runs(&self) -> bool {
        false
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        let Some(pointer) = subject(broken.program, broken.body, broken.condition) else {
            return broken.plain(self.meta().summary);
        };
        let text = broken.expr(pointer);
        Wording::new(
            format!("`{text}` is never freed: here the last pointer to it is lost"),
            format!("{text} is lost"),
        )
    }
}
