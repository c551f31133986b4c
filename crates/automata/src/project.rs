//! Where calls are made: a caller's state, projected onto what the callee is sensitive to.
//!
//! Wherever checks are asked, calls are: in which state does this one enter its callee? What is told is
//! restricted to what makes a difference to the callee ([`Sensitive`]), and told at all only if
//! something bad may come in: a null that the code introduced or acknowledges, a number with
//! acknowledged values that a check depends on, memory that was never written or is too small,
//! a function to call back. For all other calls the analysis for any caller says as much.
//!
//! **What is promised.** The entries of an edge and a callee stand for all runs that make the call in a state
//! in which something bad may come in; if [`Asked::only`] is set, for all runs that make the call. (So far as
//! the state before the call stands for them: it does, unless the budget ended.) Calls through pointers are listed
//! only where the state knows the functions.

use crate::Automata;
use crate::caller::Caller;
use crate::entry::{Entry, Named};
use crate::frame::ObjectKind;
use crate::sensitive::Sensitive;
use crate::state::State;
use domain::{ObjectId, Pointer, Targets};
use ir::{Call, CallOutcome, Callee, EdgeId, FuncId, Linkage, Program, Stmt};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Entries of one edge that are kept apart.
const ENTRIES: usize = 4;

/// A state in which a call enters a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Asked {
    pub edge: EdgeId,
    pub callee: FuncId,
    /// Never [`Entry::Anything`].
    pub entry: Entry,
    /// The call is made in no state but the listed ones of this edge and callee.
    pub only: bool,
}

/// One state before a call: `Anything` if nothing bad comes in.
pub struct Entered {
    pub edge: EdgeId,
    pub callee: FuncId,
    pub entry: Entry,
}

/// The calls of a body, while it is searched.
#[derive(Default)]
pub struct Calls {
    noted: BTreeMap<(EdgeId, FuncId), BTreeSet<Entry>>,
}

impl Calls {
    pub fn note(&mut self, entered: &Entered) {
        let key = (entered.edge, entered.callee);
        let entries = self.noted.entry(key).or_default();
        if !entries.contains(&entered.entry) {
            entries.insert(entered.entry.clone());
        }
    }

    /// What is to be asked, sorted: few entries for each edge and callee, none that another covers.
    pub fn asked(self) -> Vec<Asked> {
        let mut all = Vec::new();
        for ((edge, callee), mut entries) in self.noted {
            let only = !entries.remove(&Entry::Anything);
            let entries: Vec<Entry> = entries.into_iter().collect();
            // Of those that cover each other the first stays.
            let covered = |i: usize| {
                let by = |(j, other): (usize, &Entry)| {
                    j != i && other.covers(&entries[i]) && (j < i || !entries[i].covers(other))
                };
                entries.iter().enumerate().any(by)
            };
            let mut kept: Vec<Entry> = (0..entries.len())
                .filter(|i| !covered(*i))
                .map(|i| entries[i].clone())
                .collect();
            if kept.len() > ENTRIES {
                kept = vec![Entry::merge(&kept)];
            }
            all.extend(kept.into_iter().map(|entry| Asked {
                edge,
                callee,
                entry,
                only,
            }));
        }
        all
    }
}

impl Automata<'_> {
    /// Tells which functions the call of an edge enters in this state, and how, as far as they are sensitive to
    /// anything.
    pub fn enters(&mut self, st: &State, edge: EdgeId, call: &Call, mut tell: impl FnMut(Entered)) {
        match call.callee {
            Callee::Direct(f) => self.enter_one(st, edge, call, f, &mut tell),
            Callee::Indirect(e) => {
                let p = self.pointer(&mut st.clone(), e);
                for f in self.functions(&p) {
                    self.enter_one(st, edge, call, f, &mut tell);
                }
            }
        }
    }

    fn enter_one(
        &mut self,
        st: &State,
        edge: EdgeId,
        call: &Call,
        callee: FuncId,
        tell: &mut impl FnMut(Entered),
    ) {
        let context = self.context;
        let Some(body) = &context.program.functions[callee].body else {
            return;
        };
        let unknown;
        let sensitive = match self.summary(callee) {
            Some(summary) => &summary.sensitive,
            None => {
                unknown = Sensitive::unknown(context.program, body);
                &unknown
            }
        };
        if sensitive.is_empty() || !self.is_made_here(edge, call) {
            return;
        }
        let entry = Caller::new(self, st, call, body).entry(sensitive);
        tell(Entered {
            edge,
            callee,
            entry,
        });
    }

    /// Does the edge stand for the call as a whole? One call may have several edges, one for each way it
    /// ends; it is made once.
    fn is_made_here(&self, edge: EdgeId, call: &Call) -> bool {
        let body = self.frame.body;
        let returns =
            |stmt: &Stmt| matches!(stmt, Stmt::Call(c) if c.outcome == CallOutcome::Return);
        match call.outcome {
            CallOutcome::Return => true,
            CallOutcome::Unwind => {
                let mut outcomes = body.out_edges(body.edges()[edge].from);
                !outcomes.any(|(_, e)| returns(&e.stmt))
            }
            CallOutcome::Again => false,
        }
    }

    /// The functions that a pointer points to; none if it could be any, or anything else.
    pub(crate) fn functions(&self, p: &Pointer) -> Vec<FuncId> {
        let Targets::Known(objects) = &p.targets else {
            return Vec::new();
        };
        let function = |o: &ObjectId| match self.frame.info(*o).kind {
            ObjectKind::Function(f) => Some(f),
            _ => None,
        };
        let all: Option<Vec<FuncId>> = objects.iter().map(function).collect();
        all.unwrap_or_default()
    }
}

/// The function as an entry speaks of it.
pub fn named(program: &Program, f: FuncId) -> Named {
    let function = &program.functions[f];
    let unit = program.units.get(function.unit);
    let own = function.linkage == Linkage::Internal;
    Named {
        name: program.name(function.name).to_string(),
        unit: unit
            .filter(|_| own)
            .map(|u| program.name(u.name).to_string()),
    }
}

/// The function that an entry speaks of; none if the program has none such any more.
pub fn find(program: &Program, named: &Named) -> Option<FuncId> {
    let symbol = program.symbols.get(&named.name)?;
    let is_it = |f: &ir::Function| {
        let own = f.linkage == Linkage::Internal;
        let unit = program.units.get(f.unit).map(|u| program.name(u.name));
        match &named.unit {
            Some(name) => own && unit == Some(name.as_str()),
            None => !own,
        }
    };
    let mut all = program.functions.iter();
    all.find(|(_, f)| f.name == symbol && is_it(f))
        .map(|(id, _)| id)
}
