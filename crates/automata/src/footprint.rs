//! What an analysis has asked about other functions.
//!
//! Level 2 looks into callees, at what they write, and at callers, as far as a path needs it, and nobody knows
//! beforehand how far that is. Its answers are kept from run to run: they hold as long as every question that
//! was asked on the way has the same answer. So the questions are noted where they are asked
//! ([`crate::Context`]), by the thread that asks: a function is judged on one thread.

use crate::effects::Kind;
use ir::FuncId;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A question about a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// Its body, whom its calls may reach, and which of these never return.
    Body(FuncId),
    /// [`crate::Context::summary`]
    Summary(FuncId),
    /// May a call of it write this?
    Writes(FuncId, Kind),
    /// [`crate::valid::given_by_callers`]
    Callers(FuncId),
}

thread_local! {
    static ASKED: RefCell<Option<BTreeSet<Question>>> = const { RefCell::new(None) };
}

/// The question is asked.
pub(crate) fn note(question: Question) {
    ASKED.with_borrow_mut(|asked| {
        if let Some(asked) = asked {
            asked.insert(question);
        }
    });
}

/// Does something, and tells what it asked, in order. What panics leaves nothing behind.
pub fn of<T>(work: impl FnOnce() -> T) -> (T, Vec<Question>) {
    struct Restore(Option<BTreeSet<Question>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            ASKED.set(self.0.take());
        }
    }
    let restore = Restore(ASKED.replace(Some(BTreeSet::new())));
    let done = work();
    let asked = ASKED.take().unwrap_or_default();
    drop(restore);
    (done, asked.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_noted_once_and_not_after_a_panic() {
        note(Question::Body(FuncId(7)));
        let ((), asked) = of(|| {
            note(Question::Summary(FuncId(2)));
            note(Question::Body(FuncId(1)));
            note(Question::Summary(FuncId(2)));
        });
        assert_eq!(
            asked,
            [Question::Body(FuncId(1)), Question::Summary(FuncId(2))]
        );
        let panicked = std::panic::catch_unwind(|| of(|| panic!("no")).1);
        assert!(panicked.is_err());
        let ((), asked) = of(|| {});
        assert_eq!(asked, []);
    }
}
