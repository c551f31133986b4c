//! Functions that only compute: they write nothing but variables of their own, and call only such.
//!
//! What they give depends on their arguments and on memory, so they give it again when these are as they were.

use crate::library::only_computes;
use ir::arena::Id;
use ir::{Body, Callee, FuncId, Place, Program, Stmt};
use rayon::prelude::*;

pub(super) struct Computing(Vec<bool>);

impl Computing {
    /// Of recursive functions it is not known.
    pub fn of(program: &Program) -> Computing {
        let functions = program.functions.as_slice();
        // Whom each calls that would compute if those do.
        let calls: Vec<Option<Vec<FuncId>>> = functions
            .par_iter()
            .map(|f| match &f.body {
                Some(body) => called(body),
                None => only_computes(program.name(f.name)).then(Vec::new),
            })
            .collect();
        let mut known = vec![false; functions.len()];
        loop {
            let mut more = false;
            for (at, calls) in calls.iter().enumerate() {
                let compute = |calls: &Vec<FuncId>| calls.iter().all(|f| known[f.index()]);
                if !known[at] && calls.as_ref().is_some_and(compute) {
                    known[at] = true;
                    more = true;
                }
            }
            if !more {
                return Computing(known);
            }
        }
    }

    pub fn is(&self, callee: Callee) -> bool {
        match callee {
            Callee::Direct(f) => self.0.get(f.index()).copied().unwrap_or(false),
            Callee::Indirect(_) => false,
        }
    }
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
