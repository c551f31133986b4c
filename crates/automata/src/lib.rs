//! The automata of level 1 and their product with a control-flow automaton (Orion §2.2).
//!
//! *Information automata* track bounds of scalars, nullness and targets of pointers, and flags
//! (conditions tested before); *error automata* track definedness and lifetimes, and read the
//! former (the cascade): a check asks the product state whether its condition is implied. A state
//! is small, cheap to clone ([`domain::CowMap`]), and knows where a possibly bad value comes from
//! ([`domain::Number`]), because evidence decides what is reported (design.md §6).
//!
//! [`function::analyze`] runs one function. What this crate must not know: rules by name, other
//! functions' bodies (only their summaries), files, the clock.

pub mod bits;
mod bounds;
mod bytes;
pub mod call;
mod caller;
pub mod checks;
pub mod comes_from;
pub mod conditions;
pub mod context;
mod dependence;
pub mod effects;
mod entering;
pub mod entry;
pub mod escape;
pub mod eval;
pub mod everywhere;
mod expansions;
pub mod failing;
pub mod footprint;
pub mod frame;
pub mod freed;
pub mod function;
pub mod graph;
pub mod hunt;
pub mod initial;
pub mod memory;
pub mod models;
mod offsets;
mod origin;
mod origins;
pub mod paths;
pub mod project;
mod reach;
pub mod recursion;
pub mod refine;
pub mod sensitive;
pub mod slots;
pub mod space;
pub mod state;
pub mod store;
pub mod summarize;
pub mod summary;
pub mod text;
pub mod transfer;
pub mod valid;
pub mod value;
mod watched;
pub mod weaken;

pub use checks::Answer;
pub use context::{Context, Options};
pub use entry::Entry;
pub use frame::Frame;
pub use function::{Outcome, Plan, Verdict, analyze};
pub use project::Asked;
pub use recursion::Recursion;
pub use sensitive::Sensitive;
pub use state::State;
pub use summary::{Summaries, Summary};

use conditions::Conditions;
use ir::{Body, CheckId, Condition, ExprKind, FuncId, Program};

/// The automata of one body.
pub struct Automata<'p> {
    pub frame: Frame<'p>,
    pub conditions: Conditions,
    pub context: &'p Context<'p>,
    pub options: Options,
    /// The characters in which the body measures strings.
    units: Vec<text::Unit>,
    /// Where widening stops: the constants that the body compares with, sorted.
    pub thresholds: Vec<i64>,
    /// What is assumed now is a check, and no test of the code.
    quiet: bool,
    /// The functions whose summaries are seen; none: all that are there.
    sees: Option<&'p [FuncId]>,
    /// The function itself, if its summary is known already.
    itself: Option<FuncId>,
    /// The body is that of `main`.
    is_main: bool,
    /// Parameters that always hold what the caller passed.
    fixed: Vec<bool>,
    /// Parameters whose null its own recursion makes; empty: none.
    moved: &'p [bool],
    /// In which state the body is entered.
    entry: Entry,
    /// Places that callers may not have written.
    unwritten: Vec<ir::PlaceId>,
}

impl<'p> Automata<'p> {
    pub fn new(context: &'p Context<'p>, body: &'p Body, options: Options) -> Automata<'p> {
        Automata {
            frame: Frame::new(context.program, body),
            conditions: if options.flags {
                Conditions::of(&context.program.types, body)
            } else {
                Conditions::none(body)
            },
            context,
            options,
            units: match options.bounds {
                true => text::measured(context, body),
                false => Vec::new(),
            },
            thresholds: thresholds(context.program, body),
            quiet: false,
            sees: None,
            itself: None,
            is_main: false,
            fixed: summary::fixed_params(body),
            moved: &[],
            entry: Entry::Anything,
            unwritten: Vec::new(),
        }
    }

    /// The same, of a function whose conditions are all remembered that are named: for whoever asks of them again.
    pub fn watching(
        context: &'p Context<'p>,
        f: FuncId,
        body: &'p Body,
        options: Options,
        conditions: &[ir::ExprId],
    ) -> Automata<'p> {
        Automata {
            conditions: Conditions::with(&context.program.types, body, conditions),
            is_main: context.program.is_main(f),
            ..Automata::new(context, body, options)
        }
    }

    /// The summary of a callee, if it is there and to be seen.
    pub(crate) fn summary(&self, f: FuncId) -> Option<&'p Summary> {
        let seen =
            self.itself == Some(f) || self.sees.is_none_or(|all| all.binary_search(&f).is_ok());
        seen.then(|| self.context.summary(f)).flatten()
    }

    /// A check that is implied needs no narrowing; that it holds is remembered as a fact.
    pub fn remember(&self, st: &mut State, check: CheckId) {
        if let Condition::Holds(e) = self.frame.body.checks[check].condition {
            self.conditions.learn(st, e, true);
        }
    }
}

/// The constants of comparisons, and the lengths of arrays, with their neighbours.
fn thresholds(program: &Program, body: &Body) -> Vec<i64> {
    let mut all = vec![-1, 0, 1];
    let mut add =
        |value: i64| all.extend([value.saturating_sub(1), value, value.saturating_add(1)]);
    for e in body.exprs.values() {
        if let ExprKind::Compare(_, a, b) = e.kind {
            for side in [a, b] {
                let side = &body.exprs[side];
                if let (ExprKind::Int(bits), Some((width, signed))) =
                    (&side.kind, program.types.as_int(side.ty))
                    && let Ok(value) = i64::try_from(ir::int_value(*bits, width, signed))
                {
                    add(value);
                }
            }
        }
    }
    for v in body.vars.values() {
        if let ir::Type::Array { len, .. } = *program.types.get(v.ty)
            && let Ok(len) = i64::try_from(len)
        {
            add(len);
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}
