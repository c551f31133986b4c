//! What is known at a place of a function: the states that are possible.
//!
//! `if (chroot(root) != 0) exit(1);` tells two ends of a call apart, and so does what a label waits for. So the states are kept apart by
//! the sign of what a call gave, as long as a variable holds that.

use super::Set;
use super::grouping::signs;
use crate::temporal::label::Outcome;
use ir::{Body, CompareOp, ExprId, ExprKind, Place, Stmt, VarId};

/// What is known at a place: the states that are possible; apart, as long as it matters, by the sign of what a call gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    /// Negative, zero, positive.
    by_sign: [Set; 3],
    /// The variables that hold what the call gave. None: nothing is told apart.
    holders: Vec<VarId>,
}

impl Fact {
    pub fn of(set: Set) -> Fact {
        Fact {
            by_sign: [set; 3],
            holders: Vec::new(),
        }
    }

    pub fn set(&self) -> Set {
        self.by_sign.iter().fold(0, |all, set| all | set)
    }

    pub fn join(&self, other: &Fact) -> Fact {
        let mut joined = match self.holders == other.holders {
            true => self.clone(),
            false => return Fact::of(self.set() | other.set()),
        };
        for (to, from) in joined.by_sign.iter_mut().zip(other.by_sign) {
            *to |= from;
        }
        joined
    }

    pub fn each(&mut self, step: impl Fn(Set) -> Set) {
        self.by_sign.iter_mut().for_each(|set| *set = step(*set));
    }

    /// Something happens if the statement, a call, ends so.
    pub fn step(
        &mut self,
        body: &Body,
        stmt: &Stmt,
        outcome: Outcome,
        mut step: impl FnMut(Set) -> Set,
    ) {
        if outcome == Outcome::Any {
            for set in &mut self.by_sign {
                *set = if *set == 0 { 0 } else { step(*set) };
            }
            return;
        }
        let result = match stmt {
            Stmt::Call(call) => call.result.and_then(|p| body.places.get(p)?.as_var()),
            _ => None,
        };
        let before = self.set();
        match result {
            // The same call may end in other ways, that other labels wait for.
            Some(v) => {
                if self.holders != [v] {
                    *self = Fact::of(before);
                    self.holders = vec![v];
                }
                for (sign, set) in self.by_sign.iter_mut().enumerate() {
                    if signs(outcome) >> sign & 1 == 1 {
                        *set = step(*set);
                    }
                }
            }
            None => *self = Fact::of(before | step(before)),
        }
    }

    /// What a statement of the program says of the result, and where it puts it.
    pub fn pass(&mut self, body: &Body, stmt: &Stmt) {
        let held = |e: ExprId| body.loaded(e).and_then(|p| body.places.get(p)?.as_var());
        match stmt {
            Stmt::Assume(e) => {
                let ExprKind::Compare(op, a, b) = body.exprs[*e].kind else {
                    return;
                };
                let is_zero =
                    |e: ExprId| matches!(body.exprs[e].kind, ExprKind::Int(0) | ExprKind::Null);
                let holder = held(a).filter(|v| self.holders.contains(v));
                if holder.is_some() && is_zero(b) {
                    let kept = match op {
                        CompareOp::Eq => Outcome::Zero,
                        CompareOp::Ne => Outcome::NotZero,
                        CompareOp::Lt => Outcome::Negative,
                        CompareOp::Le => Outcome::NotPositive,
                        CompareOp::Gt => Outcome::Positive,
                        CompareOp::Ge => Outcome::NotNegative,
                        CompareOp::Unordered => Outcome::Any,
                    };
                    for (sign, set) in self.by_sign.iter_mut().enumerate() {
                        if signs(kept) >> sign & 1 == 0 {
                            *set = 0;
                        }
                    }
                }
            }
            Stmt::Assign { place, value } => {
                if let Some(v) = body.places.get(*place).and_then(Place::as_var) {
                    let copied = held(*value).is_some_and(|w| self.holders.contains(&w));
                    self.forget(v);
                    if copied {
                        self.holders.push(v);
                        self.holders.sort();
                    }
                }
            }
            Stmt::Havoc { place, .. } => {
                if let Some(v) = body.places.get(*place).and_then(Place::as_var) {
                    self.forget(v);
                }
            }
            Stmt::Call(call) => {
                let result = call.result.and_then(|p| body.places.get(p)?.as_var());
                if let Some(v) = result {
                    self.forget(v);
                }
            }
            _ => {}
        }
    }

    /// The variable holds something else now.
    fn forget(&mut self, v: VarId) {
        self.holders.retain(|held| *held != v);
        if self.holders.is_empty() {
            *self = Fact::of(self.set());
        }
    }
}
