//! `double-lock`: see the documentation beside this file.

use crate::temporal::modelled::arguments;
use crate::temporal::{
    Automaton, Label, Modelled, Pattern, State, Target, Transition, Valid, is_zero, pointed_global,
    subject,
};
use crate::{Broken, Meta, Rule, Severity, Wording};
use ir::{Body, Condition, Program};
use library::{Function, Library, Locking, When};

pub struct DoubleLock;

const LOCKED: usize = 1;
const LOCK: usize = 0;
const TRY: usize = 1;
const UNLOCK: usize = 2;
const ELSEWHERE: usize = 3;

/// What leaves a lock free.
const FREES: &[Locking] = &[Locking::Unlocks, Locking::Makes, Locking::Ends];

static AUTOMATA: Modelled = Modelled::new(|library| vec![automaton(library)]);

fn automaton(library: &'static Library) -> Automaton {
    let doing = |what: &'static [Locking]| {
        arguments(library, move |f| {
            let all = f.locks.iter().filter(move |l| what.contains(&l.does));
            all.map(|l| {
                let tries = l.does == Locking::Tries;
                let when = if tries { When::Zero } else { When::Always };
                (l.argument, when)
            })
        })
    };
    let frees = |f: &Function| f.locks.iter().any(|l| FREES.contains(&l.does));
    let label = |name, patterns: Vec<Pattern>| Label {
        name,
        patterns: patterns.leak(),
        valid: Valid::NotZero,
    };
    Automaton {
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
        labels: vec![
            label("lock", doing(&[Locking::Locks])),
            label("try", doing(&[Locking::Tries])),
            label("unlock", doing(FREES)),
            Label {
                name: "elsewhere",
                patterns: vec![Pattern::Elsewhere {
                    functions: library.named(frees).leak(),
                    harmless: is_harmless,
                }]
                .leak(),
                valid: Valid::Always,
            },
        ]
        .leak(),
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
        any_state: None,
    }
}

/// What is known, and calls nobody, unlocks nothing that it is not known to unlock.
pub(super) fn is_harmless(name: &str) -> bool {
    library::function(name).is_some_and(|f| f.calls.is_empty())
}

impl Rule for DoubleLock {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "double-lock",
            summary: "a lock is taken by the thread that holds it",
            cwe: &[764, 667],
            docs: include_str!("double-lock.md"),
            shown_by_default: true,
            severity: Severity::Error,
        }
    }

    fn automata(&self) -> &'static [Automaton] {
        AUTOMATA.automata()
    }

    /// It hangs if the lock is of the ordinary kind: a global that begins as zero, and that nobody makes another kind of.
    fn is_sure(&self, program: &Program, body: &Body, condition: &Condition) -> bool {
        let lock = subject(program, body, condition);
        let global = lock.and_then(|lock| pointed_global(body, lock));
        let plain = global
            .and_then(|g| program.globals.get(g))
            .is_some_and(is_zero);
        let makes = |f: &Function| f.locks.iter().any(|l| l.does == Locking::Makes);
        let remade = |name: &str| library::function(name).is_some_and(makes);
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
