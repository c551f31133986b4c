//! `use-after-close`: see the documentation beside this file.

use crate::temporal::modelled::{arguments, results};
use crate::temporal::{
    Automaton, Label, Modelled, Pattern, State, Target, Transition, Valid, subject,
};
use crate::{Broken, Meta, Rule, Severity, Wording};
use library::{Kind, Library, When, Where};

pub struct UseAfterClose;

const CLOSED: usize = 1;
const CLOSE: usize = 0;
const USE: usize = 1;
const OPENED: usize = 2;

const STATES: &[State] = &[
    State {
        name: "open",
        told: "",
    },
    State {
        name: "closed",
        told: "is closed",
    },
];

const TRANSITIONS: &[Transition] = &[
    Transition {
        from: 0,
        on: CLOSE,
        to: Target::State(CLOSED),
    },
    Transition {
        from: CLOSED,
        on: CLOSE,
        to: Target::Error,
    },
    Transition {
        from: CLOSED,
        on: USE,
        to: Target::Error,
    },
    // The same number, or the same address, is given out again.
    Transition {
        from: CLOSED,
        on: OPENED,
        to: Target::State(0),
    },
];

static AUTOMATA: Modelled = Modelled::new(|library| {
    let of = |kind, valid| automaton(library, kind, valid);
    vec![
        of(Kind::Stream, Valid::NotZero),
        of(Kind::Descriptor, Valid::NotNegative),
        of(Kind::Directory, Valid::NotZero),
    ]
});

fn automaton(library: &'static Library, kind: Kind, valid: Valid) -> Automaton {
    let close = arguments(library, |f| {
        let all = f.releases.iter().filter(move |r| r.of.is_a(kind));
        all.map(|r| (r.argument, r.when))
    });
    let used = arguments(library, |f| {
        let all = f.uses.iter().filter(move |u| u.of.is_a(kind));
        all.map(|u| (u.argument, When::Always))
    });
    let mut opened = arguments(library, |f| {
        f.opened().filter_map(move |o| match o.at {
            Where::Argument(at) if o.of.is_a(kind) => Some((at, When::Always)),
            _ => None,
        })
    });
    opened.push(results(library, |f| {
        f.opened().any(|o| o.of.is_a(kind) && o.at == Where::Result)
    }));
    let label = |name, patterns: Vec<Pattern>| Label {
        name,
        patterns: patterns.leak(),
        valid,
    };
    Automaton {
        states: STATES,
        labels: vec![
            label("close", close),
            label("use", used),
            label("opened", opened),
        ]
        .leak(),
        transitions: TRANSITIONS,
        library_only: true,
        by_callees: &[],
        void_if_called: &[],
        zero_at_first: false,
        needs: None,
        goes_on: false,
        any_state: None,
    }
}

/// Does a function of this name close something?
fn closes(name: &str) -> bool {
    let known = library::function(name);
    known.is_some_and(|f| f.releases.iter().any(|r| !r.of.is_memory()))
}

impl Rule for UseAfterClose {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "use-after-close",
            summary: "a file, descriptor or directory is used after it was closed",
            cwe: &[910, 672, 1341],
            docs: include_str!("use-after-close.md"),
            shown_by_default: true,
            severity: Severity::Error,
        }
    }

    fn automata(&self) -> &'static [Automaton] {
        AUTOMATA.automata()
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        let Some(value) = subject(broken.program, broken.body, broken.condition) else {
            return broken.plain(self.meta().summary);
        };
        let text = broken.expr(value);
        match broken.call() {
            Some((name, _)) if closes(name) => Wording::new(
                format!("`{text}` is closed, but it was closed before"),
                format!("{text} closed again"),
            ),
            _ => Wording::new(
                format!("`{text}` is used after it was closed"),
                format!("{text} used"),
            ),
        }
    }
}
