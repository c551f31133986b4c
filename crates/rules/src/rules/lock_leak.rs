//! `lock-leak`: see the documentation beside this file.

use crate::temporal::{Automaton, Label, Outcome, Pattern, State, Target, Transition, Valid};
use crate::{Broken, Meta, Rule, Severity, Wording};

/// Functions that leave a lock free.
const FREES: &[&str] = &[
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

pub struct LockLeak;

const LOCKED: usize = 1;
const LOCK: usize = 0;
const TRY: usize = 1;
const UNLOCK: usize = 2;
const ELSEWHERE: usize = 3;
const LEFT: usize = 4;

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
                functions: &[
                    "pthread_mutex_lock",
                    "pthread_spin_lock",
                    "mtx_lock",
                    "pthread_rwlock_rdlock",
                    "pthread_rwlock_wrlock",
                    "sem_wait",
                ],
                position: 0,
                // One that failed locked nothing.
                outcome: Outcome::Zero,
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
                    "pthread_rwlock_tryrdlock",
                    "pthread_rwlock_trywrlock",
                    "mtx_trylock",
                    "mtx_timedlock",
                    "sem_trywait",
                ],
                position: 0,
                outcome: Outcome::Zero,
            }],
            valid: Valid::NotZero,
        },
        Label {
            name: "unlock",
            patterns: &[Pattern::Argument {
                functions: UNLOCKS,
                position: 0,
                outcome: Outcome::Any,
            }],
            valid: Valid::NotZero,
        },
        Label {
            name: "elsewhere",
            patterns: &[Pattern::Elsewhere {
                functions: UNLOCKS,
                harmless: super::double_lock::is_harmless,
            }],
            valid: Valid::Always,
        },
        Label {
            name: "left",
            patterns: &[Pattern::Left],
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
            on: UNLOCK,
            to: Target::State(0),
        },
        Transition {
            from: LOCKED,
            on: ELSEWHERE,
            to: Target::State(0),
        },
        Transition {
            from: LOCKED,
            on: LEFT,
            to: Target::Error,
        },
    ],
    library_only: true,
    by_callees: &[],
    void_if_called: &[],
    zero_at_first: false,
    needs: Some(UNLOCK),
    goes_on: true,
    any_state: None,
};

/// Functions that leave a lock free, whatever kind of lock it is.
const UNLOCKS: &[&str] = &[
    FREES[0],
    FREES[1],
    FREES[2],
    FREES[3],
    FREES[4],
    FREES[5],
    FREES[6],
    FREES[7],
    FREES[8],
    "pthread_rwlock_unlock",
    "pthread_rwlock_destroy",
    "sem_post",
    "sem_destroy",
];

impl Rule for LockLeak {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "lock-leak",
            summary: "a function is left with a lock that it gives back on its other ways",
            cwe: &[667, 772],
            docs: include_str!("lock-leak.md"),
            shown_by_default: true,
            severity: Severity::Error,
        }
    }

    fn automata(&self) -> &'static [Automaton] {
        std::slice::from_ref(&AUTOMATON)
    }

    fn ends_runs(&self) -> bool {
        false
    }

    fn wording(&self, _: &Broken<'_>) -> Wording {
        Wording::new(
            "this function is left while it holds a lock that it unlocks elsewhere",
            "the lock is still held",
        )
    }
}
