//! What a caller needs to know of a function that is in view.
//!
//! The summary of a function that is analysed for any caller does not depend on who calls: it holds for
//! every call. One that is analysed in the state of some calls ([`crate::Entry`]) holds for these. Functions are analysed
//! bottom-up, so the summaries of callees are there, except within a recursion.

use crate::comes_from::Passed;
use crate::origin::{Origin, Origins};
use crate::sensitive::Sensitive;
use domain::{Nullness, Number};
use ir::arena::Id;
use ir::{Base, Body, Callee, ExprId, ExprKind, FuncId, Program, Stmt, VarId};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// What a function does with what a pointer parameter points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Effect {
    /// Reads it at most.
    Never,
    Maybe,
    /// Has written the (scalar) pointee whenever it returns.
    Surely,
}

/// What a function gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Result {
    Anything,
    Number(Number),
    Pointer(Nullness),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Some call of it can come back.
    pub returns: bool,
    pub result: Result,
    pub params: Vec<Effect>,
    /// May write memory that it was not handed.
    pub writes_elsewhere: bool,
    /// Parameters through which it may free what is its caller's ([`crate::freed`]).
    pub frees: Vec<bool>,
    /// By parameter: what the result may lead to of what it was handed ([`crate::comes_from`]).
    pub gives: Vec<Passed>,
    /// By parameter: the same of what it leaves in memory.
    pub leaves: Vec<Passed>,
    /// What a caller may know that would make a difference. The function's own, in whatever state it is
    /// entered.
    pub sensitive: Sensitive,
}

impl Summary {
    /// Of a function that is not known yet.
    pub fn unknown(params: usize) -> Summary {
        Summary {
            returns: true,
            result: Result::Anything,
            params: vec![Effect::Maybe; params],
            writes_elsewhere: true,
            frees: vec![true; params],
            gives: vec![Passed::Itself; params],
            leaves: vec![Passed::Itself; params],
            sensitive: Sensitive::default(),
        }
    }
}

/// The summaries so far, by function: those of this run, and before them those of an earlier one.
#[derive(Debug, Default)]
pub struct Summaries {
    known: Vec<OnceLock<Summary>>,
    kept: Vec<Option<Summary>>,
}

impl Summaries {
    pub fn new(program: &Program) -> Summaries {
        let count = program.functions.len();
        Summaries {
            known: (0..count).map(|_| OnceLock::new()).collect(),
            kept: vec![None; count],
        }
    }

    pub fn get(&self, f: FuncId) -> Option<&Summary> {
        let known = self.known.get(f.index())?.get();
        known.or_else(|| self.kept.get(f.index())?.as_ref())
    }

    /// What this run found. The first answer stays: a summary is a function of the program.
    pub fn set(&self, f: FuncId, summary: Summary) {
        if let Some(slot) = self.known.get(f.index()) {
            let _ = slot.set(summary);
        }
    }

    /// What an earlier run found, which counts until this one finds something.
    pub fn keep(&mut self, f: FuncId, summary: Summary) {
        if let Some(slot) = self.kept.get_mut(f.index()) {
            *slot = Some(summary);
        }
    }
}

/// What the statements of a body say about where it writes, whatever the states.
pub struct Written {
    pub elsewhere: bool,
    /// Parameters through which something may be written.
    pub params: Vec<bool>,
}

impl Written {
    pub fn by<'s>(
        program: &Program,
        body: &Body,
        summary: impl Fn(FuncId) -> Option<&'s Summary>,
    ) -> Written {
        let mut scan = Scan {
            body,
            origins: Origins::new(program, body),
            read: read_variables(body),
            written: Written {
                elsewhere: false,
                params: vec![false; body.params.len()],
            },
        };
        for edge in body.edges().values() {
            match &edge.stmt {
                Stmt::Assign { place, value } => {
                    scan.store(*place);
                    // `(void)p;` is no use.
                    if body.places[*place]
                        .as_var()
                        .is_none_or(|v| scan.read[v.index()])
                    {
                        scan.keep(*value);
                    }
                }
                Stmt::Havoc { place, .. } => scan.store(*place),
                Stmt::Copy { target, .. } | Stmt::Fill { target, .. } => scan.through(*target),
                Stmt::VaStart(e) => scan.through(*e),
                Stmt::Call(call) => {
                    if let Some(place) = call.result {
                        scan.store(place);
                    }
                    scan.call(program, call, &summary);
                }
                _ => {}
            }
        }
        scan.written
    }
}

struct Scan<'a> {
    body: &'a Body,
    origins: Origins<'a>,
    /// Variables that something reads.
    read: Vec<bool>,
    written: Written,
}

impl Scan<'_> {
    fn store(&mut self, place: ir::PlaceId) {
        match self.body.places[place].base {
            Base::Var(_) => {}
            Base::Global(_) => self.written.elsewhere = true,
            Base::Deref(e) => self.through(e),
        }
    }

    /// Something is written through this pointer.
    fn through(&mut self, e: ExprId) {
        let written = &mut self.written;
        self.origins.of(e, |origin| match origin {
            Origin::Param(i) => written.params[i] = true,
            Origin::Local => {}
            Origin::Elsewhere => written.elsewhere = true,
        });
    }

    /// The value is stored somewhere: if it is a parameter's address, it may be written later.
    fn keep(&mut self, e: ExprId) {
        let written = &mut self.written;
        self.origins.of(e, |origin| {
            if let Origin::Param(i) = origin {
                written.params[i] = true;
                written.elsewhere = true;
            }
        });
    }

    fn call<'s>(
        &mut self,
        program: &Program,
        call: &ir::Call,
        summary: impl Fn(FuncId) -> Option<&'s Summary>,
    ) {
        use crate::models::{Writes, model};
        let (writes, params) = match call.callee {
            Callee::Direct(f) => match summary(f) {
                Some(s) if s.writes_elsewhere => (Writes::Anything, None),
                Some(s) => (Writes::Arguments, Some(&s.params)),
                None => match model(program.function_name(f)) {
                    Some(m) if program.functions[f].body.is_none() => (m.writes, None),
                    _ => (Writes::Anything, None),
                },
            },
            Callee::Indirect(_) => (Writes::Anything, None),
        };
        if writes == Writes::Nothing {
            return;
        }
        self.written.elsewhere |= writes == Writes::Anything;
        for (i, &arg) in call.args.iter().enumerate() {
            let effect = params.and_then(|p| p.get(i)).copied();
            if effect != Some(Effect::Never) && !self.is_number(arg) {
                self.through(arg);
            }
        }
    }

    /// Not a pointer, and none in disguise that we would follow.
    fn is_number(&self, e: ExprId) -> bool {
        matches!(
            self.body.exprs[e].kind,
            ExprKind::Int(_)
                | ExprKind::Float(_)
                | ExprKind::Compare(..)
                | ExprKind::Binary(..)
                | ExprKind::Null
        )
    }
}

fn read_variables(body: &Body) -> Vec<bool> {
    let mut read = vec![false; body.vars.len()];
    for e in body.exprs.values() {
        if let ExprKind::Load(p) | ExprKind::AddrOf(p) = e.kind
            && let Base::Var(v) = body.places[p].base
        {
            read[v.index()] = true;
        }
    }
    read
}

/// Parameters that are never assigned and whose own address nobody takes.
pub fn fixed_params(body: &Body) -> Vec<bool> {
    let mut assigned = vec![false; body.vars.len()];
    let mut note = |place: ir::PlaceId| {
        if let Base::Var(v) = body.places[place].base {
            assigned[v.index()] = true;
        }
    };
    for edge in body.edges().values() {
        match &edge.stmt {
            Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => note(*place),
            Stmt::Call(call) => call.result.into_iter().for_each(&mut note),
            _ => {}
        }
    }
    let fixed = |v: &VarId| !assigned[v.index()] && !body.vars[*v].address_taken;
    body.params.iter().map(fixed).collect()
}
