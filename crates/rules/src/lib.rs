//! The rules: what can go wrong in a C or C++ program, one file a rule.
//!
//! A rule does not search, solve or report. It says *where a condition must hold*: given what a
//! statement does ([`visit::Event`]: it loads, stores, dereferences, divides, calls …) it asks
//! for [`ir::Condition`]s to be checked before the statement. [`instrument`] walks a program once,
//! shows every event to the rules that listen for it, and puts their [`ir::Check`]s on edges in
//! front of the statement. From there on every engine, from the interpreter to the error
//! projection, works on checks and knows no rule by name.
//!
//! A new rule is one file in `rules/` (with its documentation beside it), one line in [`all`],
//! and a folder of fixtures.
//!
//! What this crate knows: the shape of programs (`ir`) and C's idea of undefined behaviour.
//! What it must not know: any engine, LLVM, files on disk.

mod believed;
mod beyond;
pub mod context;
pub mod endless;
mod event;
mod facts;
mod instrument;
pub mod layout;
pub mod leak;
mod models;
mod needs;
mod property;
pub mod range;
mod rules;
mod select;
mod taken;
pub mod temporal;
pub mod user;
pub mod visit;
pub mod wording;

pub use context::Context;
pub use instrument::{instrument, instrument_asking};
pub use models::is_model;
pub use property::Property;
pub use rules::assertion::says_error;
pub use select::{Selection, UnknownRule};
pub use user::Severity;
pub use visit::{Event, EventKind};
pub use wording::{Broken, Wording};

use ir::{Body, Condition, Program};

/// What there is to say about a rule without running it.
#[derive(Debug)]
pub struct Meta {
    /// Stable, kebab-case, readable after "allow": `null-dereference`.
    pub id: &'static str,
    /// One line, without a full stop.
    pub summary: &'static str,
    /// CWE numbers, the most fitting first.
    pub cwe: &'static [u32],
    /// Markdown under the fixed headings of [`HEADINGS`].
    pub docs: &'static str,
    /// Shown when the user selects nothing.
    pub shown_by_default: bool,
    /// How bad it is at most.
    pub severity: Severity,
}

/// The headings of every rule's documentation, in order.
pub const HEADINGS: [&str; 7] = [
    "What it finds",
    "Why it matters",
    "Example",
    "How rigel decides",
    "False positives",
    "False negatives",
    "CWE",
];

/// One kind of error.
pub trait Rule: Sync {
    fn meta(&self) -> &'static Meta;

    /// The events that [`Rule::check`] wants to see; it is shown no others.
    fn listens(&self) -> &'static [EventKind] {
        &[]
    }

    /// Asks, through [`Context::require`], for what must hold before the event happens.
    fn check(&self, _event: &Event, _cx: &mut Context<'_>) {}

    /// What may follow what, if the rule is about that: woven into the program ([`temporal`]).
    fn automata(&self) -> &'static [temporal::Automaton] {
        &[]
    }

    /// What can be owned, if the rule is about what is lost: woven into the program ([`leak`]).
    fn owns(&self) -> &'static [leak::Ownership] {
        &[]
    }

    /// Does it ask of every loop whether it ends? Then that is woven into the program (`endless`).
    fn asks_of_loops(&self) -> bool {
        false
    }

    /// Does a run end where a check of it fails? Not where what it finds has a meaning, if one that nobody wanted: such a rule is put in
    /// only where it is shown.
    fn ends_runs(&self) -> bool {
        true
    }

    /// Does it look into models, too? What they say is no code that could be wrong.
    fn checks_models(&self) -> bool {
        false
    }

    /// Is it an error whenever a check of this rule fails? Not where that depends on what the program does not show; then no
    /// run must fail.
    fn is_sure(&self, _program: &Program, _body: &Body, _condition: &Condition) -> bool {
        true
    }

    /// What to say where a check that this rule asked for fails.
    fn wording(&self, broken: &Broken<'_>) -> Wording;
}

impl std::fmt::Debug for dyn Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.meta().id)
    }
}

/// All rules: those that rigel comes with, then those of the user ([`user`]).
pub fn all() -> &'static [&'static dyn Rule] {
    user::with_users().unwrap_or(built_in())
}

/// The rules that rigel comes with. Where several rules check one event, they do it in this order, so that the first
/// failing check names the cause best: a null pointer is also out of every bound.
pub fn built_in() -> &'static [&'static dyn Rule] {
    &[
        &rules::null_dereference::NullDereference,
        // The address of a variable of the function: it is gone, and that it is returned is why that matters.
        &rules::dangling_return::DanglingReturn,
        &rules::use_after_free::UseAfterFree,
        &rules::invalid_free::InvalidFree,
        &rules::double_free::DoubleFree,
        &rules::use_after_close::UseAfterClose,
        &rules::double_lock::DoubleLock,
        &rules::lock_leak::LockLeak,
        &rules::out_of_bounds::OutOfBounds,
        &rules::uninitialized_use::UninitializedUse,
        &rules::division_by_zero::DivisionByZero,
        &rules::integer_overflow::IntegerOverflow,
        &rules::shift_range::ShiftRange,
        &rules::assertion::Assertion,
        &rules::precondition::Precondition,
        &rules::infinite_loop::InfiniteLoop,
        &rules::allocation_size::AllocationSize,
        &rules::wrap_around::WrapAround,
        &rules::memory_leak::MemoryLeak,
        &rules::resource_leak::ResourceLeak,
    ]
}

/// The rule of this id.
pub fn find(id: &str) -> Option<&'static dyn Rule> {
    all().iter().copied().find(|rule| rule.meta().id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_kebab_case_and_unique() {
        for (i, rule) in all().iter().enumerate() {
            let id = rule.meta().id;
            assert!(
                id.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'),
                "{id}"
            );
            assert!(all()[..i].iter().all(|r| r.meta().id != id), "{id} twice");
            assert_eq!(find(id).map(|r| r.meta().id), Some(id));
        }
        assert!(find("no-such-rule").is_none());
    }

    #[test]
    fn documentation_has_the_fixed_headings() {
        for rule in all() {
            let meta = rule.meta();
            let found: Vec<&str> = meta
                .docs
                .lines()
                .filter_map(|l| l.strip_prefix("## "))
                .collect();
            assert_eq!(found, HEADINGS, "headings of {}", meta.id);
            assert_eq!(
                meta.docs.lines().next(),
                Some(format!("# {}", meta.id).as_str())
            );
            for cwe in meta.cwe {
                let number = format!("CWE-{cwe}");
                assert!(
                    meta.docs.contains(&number),
                    "{number} missing in {}",
                    meta.id
                );
            }
            assert!(!meta.summary.ends_with('.') && !meta.summary.contains('\n'));
            let woven = !rule.automata().is_empty() || !rule.owns().is_empty();
            let asks = !rule.listens().is_empty() || woven;
            assert!(asks || rule.asks_of_loops(), "{}", meta.id);
            for automaton in rule.automata() {
                assert_eq!(automaton.validate(), Ok(()), "{}", meta.id);
            }
        }
    }
}
