//! Functions for the constants that calls pass to them.
//!
//! `if (incx != 1 || incy != 1)` is no convex condition: behind the next join nothing is left of it, and a caller that passes 1
//! cannot be told that it is out of reach. But such a parameter mostly is a choice between several functions in one, and its
//! callers choose by a constant: `daxpy(n, a, x, 1, y, 1)`. For each such choice a function is summarised once more, as a
//! function of the other parameters; what it does not choose cannot be reached in there. (A context of the callee, as in
//! Sharir & Pnueli's functional approach, but by constants only, so that there are few.)
//!
//! A summary for constants holds of every call that passes them, whatever else is passed.

use crate::summary::Summary;
use ir::{Body, Call, Callee, CompareOp, ExprId, ExprKind, FuncId, Program, Stmt, VarId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What parameters are, by position, as far as that is chosen.
pub type Constants = Vec<Option<i128>>;

/// The summaries of functions for constants; none where it was tried, and was too much.
#[derive(Clone, Debug, Default)]
pub struct Special {
    known: BTreeMap<FuncId, BTreeMap<Constants, Option<Arc<Summary>>>>,
}

/// Choices for which a function is summarised, at most.
const CHOICES: usize = 4;

impl Special {
    /// What is known of the callee for just the constants of this call.
    pub fn of(&self, program: &Program, body: &Body, call: &Call) -> Option<Arc<Summary>> {
        let Callee::Direct(f) = call.callee else {
            return None;
        };
        // Of most functions there is none.
        let all = self.known.get(&f)?;
        let (_, constants) = choice(program, body, call)?;
        all.get(&constants)?.clone()
    }

    /// Is there still to be a summary for these?
    pub fn wants(&self, f: FuncId, constants: &Constants) -> bool {
        self.known
            .get(&f)
            .is_none_or(|all| all.len() < CHOICES && !all.contains_key(constants))
    }

    pub fn insert(&mut self, f: FuncId, constants: Constants, summary: Option<Arc<Summary>>) {
        self.known.entry(f).or_default().insert(constants, summary);
    }

    /// All of a function, with their constants.
    pub fn summaries(&self, f: FuncId) -> impl Iterator<Item = (&Constants, &Summary)> {
        let all = self.known.get(&f).into_iter().flatten();
        all.filter_map(|(constants, summary)| Some((constants, summary.as_deref()?)))
    }

    /// Of these functions alone.
    pub fn only(&self, functions: &[FuncId]) -> Special {
        let all = functions.iter();
        let known = all.filter_map(|f| Some((*f, self.known.get(f)?.clone())));
        Special {
            known: known.collect(),
        }
    }
}

/// The number that an expression is, wherever it stands.
fn constant(program: &Program, body: &Body, e: ExprId) -> Option<i128> {
    let expr = body.exprs.get(e)?;
    match (&expr.kind, program.types.as_int(expr.ty)) {
        (ExprKind::Int(bits), Some((width @ 1..=64, signed))) => {
            Some(ir::int_value(*bits, width, signed))
        }
        _ => None,
    }
}

/// The positions of parameters by which the body chooses: it asks whether they are some constant.
fn choosing(program: &Program, body: &Body) -> BTreeSet<usize> {
    let parameter = |e: ExprId| match &body.exprs.get(e)?.kind {
        ExprKind::Load(place) => {
            let v = body.places.get(*place)?.as_var()?;
            body.params.iter().position(|p| *p == v)
        }
        _ => None,
    };
    let asked = |kind: &ExprKind| match kind {
        ExprKind::Compare(CompareOp::Eq | CompareOp::Ne, a, b) => {
            constant(program, body, *b).and(parameter(*a))
        }
        _ => None,
    };
    let all = body.exprs.iter();
    all.filter_map(|(_, expr)| asked(&expr.kind)).collect()
}

/// What a call chooses by constants, and of which function; none if nothing.
fn choice(program: &Program, body: &Body, call: &Call) -> Option<(FuncId, Constants)> {
    let Callee::Direct(f) = call.callee else {
        return None;
    };
    let callee = program.functions.get(f)?.body.as_ref()?;
    let is_of_type = |e: ExprId, v: VarId| {
        let types = body
            .exprs
            .get(e)
            .map(|e| e.ty)
            .zip(callee.vars.get(v).map(|v| v.ty));
        types.is_some_and(|(a, b)| a == b)
    };
    let passed = call
        .args
        .iter()
        .zip(&callee.params)
        .map(|(e, v)| constant(program, body, *e).filter(|_| is_of_type(*e, *v)));
    let passed: Constants = passed.collect();
    if passed.iter().all(Option::is_none) {
        return None;
    }
    let choosing = choosing(program, callee);
    let chosen = passed.into_iter().enumerate();
    let chosen: Constants = chosen
        .map(|(at, n)| n.filter(|_| choosing.contains(&at)))
        .collect();
    chosen.iter().any(Option::is_some).then_some((f, chosen))
}

/// All that the calls of a body choose.
pub fn choices(program: &Program, body: &Body) -> BTreeSet<(FuncId, Constants)> {
    let calls = body.edges().values().filter_map(|edge| match &edge.stmt {
        Stmt::Call(call) => choice(program, body, call),
        _ => None,
    });
    calls.collect()
}
