//! What is not known of the code that a projection speaks of.
//!
//! That no failing run passes a line is a proof only if the abstraction stands for all runs. It does not where a function
//! was called whose code is not there and of which no model says what it does, where the compiler's output was not
//! understood, or where a budget ended first. All of that is named.

use automata::Context;
use automata::models::{does_more, model};
use ir::{Body, CallOutcome, Callee, FuncId, Stmt};
use std::collections::BTreeSet;

/// Reasons why the absence of a path is no proof.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Openness {
    /// Functions that are called and not there, and of which no model says all that they do.
    pub unseen: BTreeSet<FuncId>,
    /// Functions that call through pointers which could lead to code that is not there.
    pub pointers: BTreeSet<FuncId>,
    /// Functions with statements of which nothing is known: inline assembly, vectors, `longjmp`.
    pub unknown: BTreeSet<FuncId>,
    /// Functions that others, called on the way and not looked into, could come back to through pointers.
    pub again: BTreeSet<FuncId>,
    /// Functions whose states were more than the budget allows.
    pub exhausted: BTreeSet<FuncId>,
    /// Too many functions can be on the stack.
    pub cut: bool,
}

impl Openness {
    /// Is everything known?
    pub fn is_closed(&self) -> bool {
        *self == Openness::default()
    }

    pub(crate) fn function(
        &mut self,
        context: &Context<'_>,
        f: FuncId,
        body: &Body,
        complete: bool,
    ) {
        if !complete {
            self.exhausted.insert(f);
        }
        for edge in body.edges().values() {
            match &edge.stmt {
                Stmt::Havoc { .. } => {
                    self.unknown.insert(f);
                }
                Stmt::Call(call) if call.outcome == CallOutcome::Again => {
                    self.unknown.insert(f);
                }
                Stmt::Call(call) => match call.callee {
                    Callee::Direct(g) => {
                        let there = context.program.functions[g].body.is_some();
                        let name = context.program.function_name(g);
                        let known = model(name).is_some() && !does_more(name);
                        if !there && !known {
                            self.unseen.insert(g);
                        }
                    }
                    Callee::Indirect(_) => {
                        self.pointers.insert(f);
                    }
                },
                _ => {}
            }
        }
    }
}
