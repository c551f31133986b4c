//! What is known of those that a loop calls. Some only compute: they write nothing but variables of their own, and call only such. Some come back.
//!
//! What the first give depends on their arguments and on memory, so they give it again when these are as they were. The second
//! may do anything else, but nothing ends in them: not the program, and not the loop that calls them.

use super::loops::Loops;
use ir::arena::Id;
use ir::{
    Body, Call, CallOutcome, Callee, ExprKind, FuncId, HavocReason, Place, Program, Stmt, Type,
    TypeTable,
};
use rayon::prelude::*;

pub(super) struct Callees {
    computes: Vec<bool>,
    comes_back: Vec<bool>,
}

impl Callees {
    /// Of recursive functions it is not known.
    pub fn of(program: &Program, loops: &dyn Loops) -> Callees {
        let ids: Vec<FuncId> = program.functions.iter().map(|(id, _)| id).collect();
        let computes = ids.par_iter().map(|id| match &program.functions[*id] {
            _ if loops.ends(program, *id) => None,
            f => match &f.body {
                Some(body) => called(body),
                None => {
                    let known = library::function(program.name(f.name));
                    known.is_some_and(|known| known.pure).then(Vec::new)
                }
            },
        });
        let computes: Vec<_> = computes.collect();
        let comes_back = ids.par_iter().map(|id| match &program.functions[*id] {
            f if f.noreturn || loops.ends(program, *id) => None,
            f => match &f.body {
                Some(body) => passed(&program.types, body),
                None => loops.comes_back(program, *id).then(Vec::new),
            },
        });
        let comes_back: Vec<_> = comes_back.collect();
        Callees {
            computes: closed(&computes),
            comes_back: closed(&comes_back),
        }
    }

    /// Does it only compute?
    pub fn compute(&self, callee: Callee) -> bool {
        is_in(&self.computes, callee)
    }

    /// Is the next statement behind the call sure to come, or the call to go on for ever?
    pub fn comes_back(&self, types: &TypeTable, body: &Body, call: &Call) -> bool {
        let plainly = !call.noreturn && call.outcome == CallOutcome::Return;
        plainly
            && !is_told_whom_to_call(types, body, call)
            && (self.compute(call.callee) || is_in(&self.comes_back, call.callee))
    }
}

fn is_in(known: &[bool], callee: Callee) -> bool {
    match callee {
        Callee::Direct(f) => known.get(f.index()).copied().unwrap_or(false),
        Callee::Indirect(_) => false,
    }
}

/// Who does, of those that do if all that they call do.
fn closed(calls: &[Option<Vec<FuncId>>]) -> Vec<bool> {
    let mut known = vec![false; calls.len()];
    loop {
        let mut more = false;
        for (at, calls) in calls.iter().enumerate() {
            let all = |calls: &Vec<FuncId>| calls.iter().all(|f| known[f.index()]);
            if !known[at] && calls.as_ref().is_some_and(all) {
                known[at] = true;
                more = true;
            }
        }
        if !more {
            return known;
        }
    }
}

/// Is a function passed to it? What is called then may end anything.
fn is_told_whom_to_call(types: &TypeTable, body: &Body, call: &Call) -> bool {
    let is_function = |ty| match types.lookup(ty) {
        Some(Type::Pointer(of)) => matches!(types.lookup(*of), Some(Type::Function { .. })),
        _ => false,
    };
    let mut args = call.args.iter().filter_map(|arg| body.exprs.get(*arg));
    args.any(|arg| is_function(arg.ty) || matches!(arg.kind, ExprKind::Function(_)))
}

/// Whom a body calls that has no other end than its own; none if it has.
fn passed(types: &TypeTable, body: &Body) -> Option<Vec<FuncId>> {
    let mut all = Vec::new();
    for edge in body.edges().values() {
        match &edge.stmt {
            Stmt::Resume(_)
            | Stmt::Trap(_)
            | Stmt::LandingPad { .. }
            | Stmt::Havoc {
                reason: HavocReason::InlineAssembly,
                ..
            } => return None,
            Stmt::Call(call) => match call.callee {
                Callee::Direct(f) if !call.noreturn && !is_told_whom_to_call(types, body, call) => {
                    all.push(f);
                }
                _ => return None,
            },
            _ => {}
        }
    }
    all.sort_unstable();
    all.dedup();
    Some(all)
}

/// Whom a body calls that does nothing else but compute; none if it does.
fn called(body: &Body) -> Option<Vec<FuncId>> {
    let mut all = Vec::new();
    let own = |place| {
        let var = body.places.get(place).and_then(Place::as_var);
        var.is_some_and(|v| body.vars.get(v).is_some_and(|v| !v.address_taken))
    };
    for edge in body.edges().values() {
        let fine = match &edge.stmt {
            Stmt::Skip | Stmt::Declare(_) | Stmt::End(_) | Stmt::Assume(_) | Stmt::Check(_) => true,
            Stmt::Assign { place, .. } => own(*place),
            Stmt::Call(call) => match call.callee {
                Callee::Direct(f) => {
                    all.push(f);
                    !call.noreturn && call.result.is_none_or(own)
                }
                Callee::Indirect(_) => false,
            },
            _ => false,
        };
        if !fine {
            return None;
        }
    }
    all.sort_unstable();
    all.dedup();
    Some(all)
}
