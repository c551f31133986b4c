//! `double-lock`: see the documentation beside this file.

use crate::temporal::{
    Automaton, Label, Outcome, Pattern, State, Target, Transition, Valid, is_zero, pointed_global,
    subject,
};
use crate::{Broken, Meta, Rule, Wording};
use ir::{Body, Condition, Program};

pub struct DoubleLock;

const LOCKED: usize = 1;
const LOCK: usize = 0;
const TRY: usize = 1;
const UNLOCK: usize = 2;
const ELSEWHERE: usize = 3;

/// Functions that leave a lock free.
pub(super) const FREES: &[&str] = &[
    "pthread_mutex_unlock",
    "pthread_spin_unlock",
    "mtx_unlock",
    "pthread_mutex_init",
    "pthread_spin_init",
    "mtx_init",
    "pthread_mutex_destroy",
    "pthread_spin_destroy",
    "mtx_destroy",
];

/// Beginnings of names of functions that unlock nothing.
pub(super) const HARMLESS: &[&str] = &[
    "pthread_",
    "cnd_",
    "mtx_",
    "thrd_",
    "llvm.",
    "__builtin_",
    "str",
    "mem",
    "malloc",
    "calloc",
    "realloc",
    "free",
    "printf",
    "fprintf",
    "snprintf",
    "sprintf",
    "puts",
    "fputs",
    "putchar",
    "perror",
    "abort",
    "exit",
    "time",
    "sleep",
    "usleep",
    "nanosleep",
    "__errno_location",
    "__assert",
    "rand",
    "read",
    "write",
    "getenv",
];

static AUTOMATON: Automaton = Automaton {
    states: &[
        State {
            name: "free",
            told: "",
        },
        State {
            name: "locked",
            told: "is locked",
        },
    ],
    labels: &[
        Label {
            name: "lock",
            patterns: &[Pattern::Argument {
                functions: &["pthread_mutex_lock", "pthread_spin_lock", "mtx_lock"],
                position: 0,
                outcome: Outcome::Any,
            }],
            valid: Valid::NotZero,
        },
        Label {
            name: "try",
            patterns: &[Pattern::Argument {
                functions: &[
                    "pthread_mutex_trylock",
                    "pthread_spin_trylock",
                    "pthread_mutex_timedlock",
                    "mtx_trylock",
                    "mtx_timedlock",
                ],
                position: 0,
                outcome: Outcome::Zero,
            }],
            valid: Valid::NotZero,
        },
        Label {
            name: "unlock",
            patterns: &[Pattern::Argument {
                functions: FREES,
                position: 0,
                outcome: Outcome::Any,
            }],
            valid: Valid::NotZero,
        },
        Label {
            name: "elsewhere",
            patterns: &[Pattern::Elsewhere {
                functions: FREES,
                harmless: HARMLESS,
            }],
            valid: Valid::Always,
        },
    ],
    transitions: &[
        Transition {
            from: 0,
            on: LOCK,
            to: Target::State(LOCKED),
        },
        Transition {
            from: 0,
            on: TRY,
            to: Target::State(LOCKED),
        },
        Transition {
            from: LOCKED,
            on: LOCK,
            to: Target::Error,
        },
        Transition {
            from: LOCKED,
            on: UNLOCK,
            to: Target::State(0),
        },
        Transition {
            from: LOCKED,
            on: ELSEWHERE,
            to: Target::State(0),
        },
    ],
    library_only: true,
    by_callees: &[],
    // Whoever asks for a kind of lock asks for one that may be locked twice.
    void_if_called: &["pthread_mutexattr_settype"],
    // `PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP`, and the kind that only gives an error.
    zero_at_first: true,
    needs: None,
    goes_on: false,
};

impl Rule for DoubleLock {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "double-lock",
            summary: "a lock is taken by the thread that holds it",
            cwe: &[764, 667],
            docs: include_str!("double-lock.md"),
            shown_by_default: true,
        }
    }

    fn automata(&self) -> &'static [Automaton] {
        std::slice::from_ref(&AUTOMATON)
    }

    /// It hangs if the lock is of the ordinary kind: a global that begins as zero, and that nobody makes another kind of.
    fn is_sure(&self, program: &Program, body: &Body, condition: &Condition) -> bool {
        let lock = subject(program, body, condition);
        let global = lock.and_then(|lock| pointed_global(body, lock));
        let plain = global
            .and_then(|g| program.globals.get(g))
            .is_some_and(is_zero);
        let remade = |name: &str| matches!(name, "pthread_mutex_init" | "mtx_init");
        let mut all = program.functions.values();
        plain && !all.any(|f| remade(program.name(f.name)))
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        let Some(lock) = subject(broken.program, broken.body, broken.condition) else {
            return broken.plain(self.meta().summary);
        };
        let text = broken.expr(lock);
        Wording::new(
            format!("`{text}` is locked while this thread holds it"),
            format!("{text} locked again"),
        )
    }
}
