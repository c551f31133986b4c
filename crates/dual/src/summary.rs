//! What callers know of a function: for the inputs that it is given, where its runs end, and what they leave behind.
//!
//! The relation between inputs and outputs (dual.txt §2, `OK`) is kept as it was computed: a few cases, each with facts over
//! the symbols of inputs and outputs, and with what memory holds that others can see. Nothing of it belongs to a context of
//! isl, so that any worker can use it. To call is to put the caller's values in place of the inputs ([`crate::call`]).

use crate::descend::Descent;
use crate::facts::{Facts, Range};
use crate::input::{Given, Input};
use crate::linear::Symbol;
use crate::memory::{Memory, Written};
use crate::path::Way;
use crate::special::Special;
use crate::value::{Object, Value};
use ir::{Body, Call, CallGraph, Callee, CheckId, FuncId, Program, TypeId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A check of the program; none: one of several.
pub type Origin = Option<(FuncId, CheckId)>;

/// One way to come back.
#[derive(Clone, Debug)]
pub struct Return {
    pub facts: Facts,
    /// What others can see of it.
    pub memory: Memory,
    pub value: Option<Value>,
    /// Of the result: may nobody have written what it is?
    pub unsure: Option<Written>,
}

/// What is known of a function.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub inputs: Vec<(Input, Symbol, Range)>,
    pub types: BTreeMap<Given, TypeId>,
    /// As [`crate::input::Symbols`] has it.
    pub height: u32,
    pub returns: Vec<Return>,
    /// If there are any, it comes back with no other inputs.
    pub back: Vec<Facts>,
    /// An exception leaves it.
    pub unwinds: Vec<Facts>,
    /// The program ends.
    pub exits: Vec<Facts>,
    pub fails: BTreeMap<Origin, Vec<(Way, Facts)>>,
    /// Objects that it makes and that others can see, in order.
    pub fresh: Vec<Object>,
    /// Something was called of which nothing is known: it may fail, or not come back, for reasons that are not here.
    pub guessed: bool,
    /// Something was called that is only declared: nobody knows whether it comes back.
    pub strangers: bool,
    /// While a function that calls itself is analysed: the activations below it that are known so far.
    pub below: Option<Vec<Descent>>,
}

/// The summaries of those who can be called.
#[derive(Clone, Copy)]
pub struct Callees<'a> {
    pub graph: Option<&'a CallGraph>,
    pub known: &'a FxHashMap<FuncId, Arc<Summary>>,
    /// For constants that calls pass.
    pub special: &'a Special,
}

/// Functions that one call may reach, at most, before nothing is said of any.
const TARGETS: usize = 4;

impl Callees<'_> {
    /// What is known of each function that a call may reach; none if that is nothing.
    pub fn of(&self, program: &Program, body: &Body, call: &Call) -> Option<Vec<Arc<Summary>>> {
        if let Some(summary) = self.special.of(program, body, call) {
            return Some(vec![summary]);
        }
        let targets = match call.callee {
            Callee::Direct(f) => vec![f],
            Callee::Indirect(_) => self.graph?.targets(program, body, call),
        };
        if targets.is_empty() || targets.len() > TARGETS {
            return None;
        }
        targets.iter().map(|f| self.known.get(f).cloned()).collect()
    }
}
