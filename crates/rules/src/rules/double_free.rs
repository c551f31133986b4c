//! `double-free`: see the documentation beside this file.

use crate::temporal::{
    Automaton, Label, Outcome, Pattern, State, Target, Transition, Valid, subject,
};
use crate::{Broken, Meta, Rule, Wording};

pub struct DoubleFree;

/// Functions that give memory back, whoever got it.
pub(super) const FREE: &[&str] = &[
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

const MOVE: &[&str] = &["realloc", "reallocarray"];

const ALLOCATE: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "aligned_alloc",
    "memalign",
    "valloc",
    "strdup",
    "strndup",
    "_Znwm",
    "_Znam",
    "_ZnwmRKSt9nothrow_t",
    "_ZnamRKSt9nothrow_t",
    "_ZnwmSt11align_val_t",
    "_ZnamSt11align_val_t",
];

const FREED: usize = 1;
const RELEASE: usize = 0;
const ALLOCATED: usize = 1;

static AUTOMATON: Automaton = Automaton {
    states: &[
        State {
            name: "idle",
            told: "",
        },
        State {
            name: "freed",
            told: "is freed",
        },
    ],
    labels: &[
        Label {
            name: "release",
            patterns: &[
                Pattern::Argument {
                    functions: FREE,
                    position: 0,
                    outcome: Outcome::Any,
                },
                Pattern::Argument {
                    functions: MOVE,
                    position: 0,
                    outcome: Outcome::NotZero,
                },
            ],
            valid: Valid::NotZero,
        },
        Label {
            name: "allocated",
            patterns: &[Pattern::Result {
                functions: ALLOCATE,
            }],
            valid: Valid::NotZero,
        },
    ],
    transitions: &[
        Transition {
            from: 0,
            on: RELEASE,
            to: Target::State(FREED),
        },
        Transition {
            from: FREED,
            on: RELEASE,
            to: Target::Error,
        },
        // The allocator gives the address out again.
        Transition {
            from: FREED,
            on: ALLOCATED,
            to: Target::State(0),
        },
    ],
    library_only: true,
    by_callees: &[RELEASE],
    void_if_called: &[],
    zero_at_first: false,
    needs: None,
    goes_on: false,
};

impl Rule for DoubleFree {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "double-free",
            summary: "memory is freed a second time",
            cwe: &[415],
            docs: include_str!("double-free.md"),
            shown_by_default: true,
        }
    }

    fn automata(&self) -> &'static [Automaton] {
        std::slice::from_ref(&AUTOMATON)
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        let Some(pointer) = subject(broken.program, broken.body, broken.condition) else {
            return broken.plain(self.meta().summary);
        };
        let text = broken.expr(pointer);
        Wording::new(
            format!("`{text}` is freed, but it was freed before"),
            format!("{text} freed again"),
        )
    }
}
