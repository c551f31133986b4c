//! Functions that answer the same question in the same way.
//!
//! What a function gives back that writes nothing, and calls nobody whom somebody outside tells what to say, follows from its
//! arguments and from memory. So where a path asks it twice with the same arguments, and nothing was written in
//! between, the second answer is the first one, whatever that is: `compare(a, b) < 0` and, a line later, `compare(a, b) >= 0`
//! do not go together, though nobody knows what `compare` does.

use crate::object::{ObjectId, ObjectKind};
use crate::path::Path;
use automata::models::determined;
use automata::summary::Effect;
use ir::{Body, Call, Callee, ExprKind, FuncId, Intrinsic, Stmt, TypeId};
use logic::TermId;
use rustc_hash::FxHashMap;

/// Functions that one answer may depend on, and edges of all of them.
const MOST_FUNCTIONS: usize = 12;
const MOST_EDGES: usize = 600;

/// A function, its arguments, and the state of memory.
pub(crate) type Question = (FuncId, Vec<TermId>, u32);

/// What was asked, and what memory was then.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    known: FxHashMap<Question, TermId>,
    /// Of functions that were asked about: whether their answers follow from what they are asked.
    determined: FxHashMap<FuncId, bool>,
    /// What the call that is looked at asks, if its answer is determined.
    asked: Option<Question>,
    /// The state of memory, by number, and how many there were.
    now: u32,
    count: u32,
}

impl Path<'_> {
    /// An object has changed. What only a variable holds whose address nobody takes, a callee does not see.
    pub(crate) fn changed(&mut self, object: ObjectId) {
        if let ObjectKind::Var(frame, v) = self.object(object).kind
            && frame == self.frame.number
            && !self.frame.body.vars[v].address_taken
        {
            return;
        }
        self.memory_changed();
    }

    /// Something has changed that the path need not have met.
    pub(crate) fn memory_changed(&mut self) {
        self.answers.count += 1;
        self.answers.now = self.answers.count;
    }

    pub(crate) fn memory_now(&self) -> u32 {
        self.answers.now
    }

    /// Memory is again what it was.
    pub(crate) fn memory_back(&mut self, then: u32) {
        self.answers.now = then;
    }

    /// The call is about to be asked, by what is known of it at most.
    pub(crate) fn ask(&mut self, callee: Option<FuncId>, args: &[Option<TermId>]) {
        let args = args.iter().copied().collect::<Option<Vec<TermId>>>();
        self.answers.asked = match (callee, args) {
            (Some(f), Some(args)) if self.is_determined(f) => {
                let args = args.into_iter().map(|a| self.expand(a)).collect();
                Some((f, args, self.answers.now))
            }
            _ => None,
        };
        if self.answers.asked.is_none() && callee.is_none_or(|f| self.may_write(f)) {
            self.memory_changed();
        }
    }

    /// What it has answered before.
    pub(crate) fn answered(&self, ty: TypeId) -> Option<TermId> {
        let asked = self.answers.asked.as_ref()?;
        let known = self.answers.known.get(asked).copied();
        known.filter(|value| self.shape(ty).sort() == Some(self.pool.sort(*value)))
    }

    /// What it answers now.
    pub(crate) fn note_answer(&mut self, value: TermId) {
        if let Some(asked) = self.answers.asked.take() {
            self.answers.known.insert(asked, value);
        }
    }

    /// The call is over.
    pub(crate) fn asked(&mut self) {
        self.answers.asked = None;
    }

    /// May a call change anything that its caller could find?
    fn may_write(&self, f: FuncId) -> bool {
        match (
            self.context.summary(f),
            self.program().functions[f].body.is_some(),
        ) {
            (Some(s), _) => s.writes_elsewhere || s.params.iter().any(|p| *p != Effect::Never),
            (None, true) => true,
            (None, false) => !determined(self.program().function_name(f)),
        }
    }

    fn is_determined(&mut self, f: FuncId) -> bool {
        if let Some(&known) = self.answers.determined.get(&f) {
            return known;
        }
        let determined = !self.may_write(f) && self.follows_from_memory(f);
        self.answers.determined.insert(f, determined);
        determined
    }

    /// Is whatever the function does determined by memory and its arguments?
    fn follows_from_memory(&self, f: FuncId) -> bool {
        let mut work = vec![f];
        let mut seen = vec![f];
        let mut left = MOST_EDGES;
        while let Some(f) = work.pop() {
            let Some(body) = self.context.body(f) else {
                if !determined(self.program().function_name(f)) {
                    return false;
                }
                continue;
            };
            if body.edges().len() > left || is_volatile(body) {
                return false;
            }
            left -= body.edges().len();
            for edge in body.edges().values() {
                let called = match &edge.stmt {
                    Stmt::Call(call) => match called(call) {
                        Some(g) => g,
                        None => return false,
                    },
                    Stmt::Havoc { .. } | Stmt::LandingPad { .. } | Stmt::VaStart(_) => {
                        return false;
                    }
                    _ => continue,
                };
                if !seen.contains(&called) {
                    if seen.len() == MOST_FUNCTIONS {
                        return false;
                    }
                    seen.push(called);
                    work.push(called);
                }
            }
        }
        true
    }
}

fn called(call: &Call) -> Option<FuncId> {
    match call.callee {
        Callee::Direct(f) => Some(f),
        Callee::Indirect(_) => None,
    }
}

fn is_volatile(body: &Body) -> bool {
    let mut all = body.exprs.values();
    all.any(|e| matches!(e.kind, ExprKind::Intrinsic(Intrinsic::Volatile, _)))
}
