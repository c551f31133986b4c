//! `double-free`: see the documentation beside this file.

use crate::temporal::modelled::{arguments, results};
use crate::temporal::{Automaton, Label, Modelled, State, Target, Transition, Valid, subject};
use crate::{Broken, Meta, Rule, Severity, Wording};
use library::{Library, Where};

pub struct DoubleFree;

const FREED: usize = 1;
const RELEASE: usize = 0;
const ALLOCATED: usize = 1;

static AUTOMATA: Modelled = Modelled::new(|library| vec![automaton(library)]);

fn automaton(library: &'static Library) -> Automaton {
    let release = arguments(library, |f| {
        let memory = f.releases.iter().filter(|r| r.of.is_memory());
        memory.map(|r| (r.argument, r.when))
    });
    let allocated = results(library, |f| {
        let mut all = f.allocates.iter();
        all.any(|a| a.of.is_memory() && a.at == Where::Result)
    });
    Automaton {
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
        labels: vec![
            Label {
                name: "release",
                patterns: release.leak(),
                valid: Valid::NotZero,
            },
            Label {
                name: "allocated",
                patterns: vec![allocated].leak(),
                valid: Valid::NotZero,
            },
        ]
        .leak(),
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
        any_state: None,
    }
}

impl Rule for DoubleFree {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "double-free",
            summary: "memory is freed a second time",
            cwe: &[415],
            docs: include_str!("double-free.md"),
            shown_by_default: true,
            severity: Severity::Error,
        }
    }

    fn automata(&self) -> &'static [Automaton] {
        AUTOMATA.automata()
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
