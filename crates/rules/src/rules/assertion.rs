//! `assertion`: see the documentation beside this file.

use crate::{Broken, Context, Event, EventKind, Meta, Rule, Severity, Wording};
use ir::{CompareOp, Condition, ExprId, FuncId, TrapReason};

pub struct Assertion;

/// What a call says about the run that makes it.
enum Failure {
    Always,
    /// If the first argument is 0.
    IfZero,
}

impl Rule for Assertion {
    fn meta(&self) -> &'static Meta {
        &Meta {
            id: "assertion",
            summary: "an assertion of the program fails",
            cwe: &[617],
            docs: include_str!("assertion.md"),
            shown_by_default: true,
            severity: Severity::Error,
        }
    }

    fn listens(&self) -> &'static [EventKind] {
        &[EventKind::Call, EventKind::Trap]
    }

    fn check(&self, event: &Event, cx: &mut Context<'_>) {
        match *event {
            // Other rules own these.
            Event::Trap(TrapReason::ZeroDivisor | TrapReason::ShiftAmount) => {}
            Event::Trap(_) => cx.require(Condition::Unreachable),
            Event::Call { callee, args } => match (failure(cx, callee), args[0]) {
                (Some(Failure::Always), _) => cx.require(Condition::Unreachable),
                (Some(Failure::IfZero), Some(arg)) => require_nonzero(cx, arg),
                _ => {}
            },
            _ => {}
        }
    }

    fn wording(&self, broken: &Broken<'_>) -> Wording {
        let fails = |text: &str| {
            Wording::new(
                format!("assertion `{text}` fails"),
                "the assertion fails".to_string(),
            )
        };
        if let Some(e) = broken.holds() {
            return match broken.comparison(e) {
                Some((_, tested, _)) => fails(&broken.expr(broken.bare(tested))),
                None => broken.plain(self.meta().summary),
            };
        }
        match broken.call() {
            Some((name, arguments)) => match asserted(broken, name, arguments) {
                Some(text) => fails(text),
                None => Wording::new(format!("`{name}` is called"), format!("{name} called")),
            },
            None => Wording::new(
                "a place is reached that the program says is never reached",
                "never to be reached",
            ),
        }
    }
}

/// Is a call of this function there only for the check before it?
pub(crate) fn is_annotation(name: &str) -> bool {
    name == "__rigel_assert"
}

/// Does a call of a function of this name say that an error is reached, or that a condition holds?
pub fn says_error(name: &str) -> bool {
    is_annotation(name)
        || matches!(
            name,
            "reach_error" | "__VERIFIER_error" | "__VERIFIER_assert"
        )
}

fn failure(cx: &Context<'_>, callee: FuncId) -> Option<Failure> {
    match cx.function_name(callee) {
        // Reserved for checkers: they mean what they say even where a file defines them, as
        // verification tasks do.
        "__rigel_assert" => Some(Failure::IfZero),
        "reach_error" | "__VERIFIER_error" => Some(Failure::Always),
        // A program's own function of such a name may test something first, or never fail at
        // all: then what it does decides.
        _ if cx.is_defined(callee) => None,
        "__VERIFIER_assert" => Some(Failure::IfZero),
        // `if (!p) abort();` is how the program wants to end. A macro that tests and aborts is an
        // assertion of the program's own.
        "abort" if !cx.is_behind_test_of_macro() => None,
        "abort"
        | "__assert_fail"
        | "__assert_perror_fail"
        | "__assert_rtn"
        | "__assert"
        | "__assert_func"
        | "_assert"
        | "_wassert" => Some(Failure::Always),
        // libstdc++'s own assertions, std::__glibcxx_assert_fail.
        "_ZSt21__glibcxx_assert_failPKciS0_S0_" => Some(Failure::Always),
        _ => None,
    }
}

fn require_nonzero(cx: &mut Context<'_>, e: ExprId) {
    if cx.constant(e).is_some_and(|value| value != 0) {
        return;
    }
    let ty = cx.type_of(e);
    let condition = if cx.types().is_pointer(ty) {
        cx.non_null(e)
    } else if cx.types().as_int(ty).is_some() {
        cx.compare_int(CompareOp::Ne, e, 0)
    } else {
        return;
    };
    cx.require_holds(condition);
}

/// The text of the assertion, which the C library's handlers get as a string.
fn asserted<'a>(broken: &Broken<'a>, name: &str, arguments: &[ExprId]) -> Option<&'a str> {
    let position = match name {
        "__assert_fail" | "__assert" | "_assert" => 0,
        "__assert_rtn" | "__assert_func" | "_ZSt21__glibcxx_assert_failPKciS0_S0_" => 3,
        _ => return None,
    };
    broken.literal(*arguments.get(position)?)
}
