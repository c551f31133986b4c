//! Why something is known: the facts it follows from.
//!
//! A reason is a label, or joins two others; they form a graph, so that a deduction costs a node,
//! however many facts it rests on. Only a contradiction is followed to its labels.

use crate::prover::Label;
use rustc_hash::FxHashSet;

/// Why something is known. [`ALWAYS`]: it holds whatever the facts.
pub type Reason = u32;

pub const ALWAYS: Reason = 0;

#[derive(Clone, Copy)]
enum Cause {
    Always,
    Fact(Label),
    Both(Reason, Reason),
}

/// All reasons so far; the newest are taken back first.
pub struct Reasons(Vec<Cause>);

impl Reasons {
    pub fn new() -> Reasons {
        Reasons(vec![Cause::Always])
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    pub fn fact(&mut self, label: Label) -> Reason {
        self.0.push(Cause::Fact(label));
        (self.0.len() - 1) as Reason
    }

    pub fn both(&mut self, a: Reason, b: Reason) -> Reason {
        if a == b || b == ALWAYS {
            return a;
        }
        if a == ALWAYS {
            return b;
        }
        self.0.push(Cause::Both(a, b));
        (self.0.len() - 1) as Reason
    }

    /// The labels that a reason rests on, in ascending order.
    pub fn labels(&self, reason: Reason) -> Vec<Label> {
        let mut seen = FxHashSet::default();
        let mut stack = vec![reason];
        let mut labels = Vec::new();
        while let Some(r) = stack.pop() {
            if seen.insert(r) {
                match self.0[r as usize] {
                    Cause::Always => {}
                    Cause::Fact(label) => labels.push(label),
                    Cause::Both(a, b) => stack.extend([a, b]),
                }
            }
        }
        labels.sort_unstable();
        labels.dedup();
        labels
    }
}
