//! Who takes blocks of memory back: the library's functions, and whoever surely calls one of these with what it was handed.

use crate::temporal::label::Named;
use crate::temporal::{Label, Outcome, Pattern, Valid, surely};
use ir::{Callee, Family, FuncId, Program, Stmt};

const MALLOC: &[&str] = &["free", "cfree"];
const NEW: &[&str] = &[
    "_ZdlPv",
    "_ZdlPvm",
    "_ZdlPvSt11align_val_t",
    "_ZdlPvmSt11align_val_t",
];
const NEW_ARRAY: &[&str] = &[
    "_ZdaPv",
    "_ZdaPvm",
    "_ZdaPvSt11align_val_t",
    "_ZdaPvmSt11align_val_t",
];

const fn taking(name: &'static str, patterns: &'static [Pattern]) -> Label {
    Label {
        name,
        patterns,
        valid: Valid::NotZero,
    }
}

macro_rules! first_of {
    ($functions:expr) => {
        &[Pattern::Argument {
            functions: $functions,
            position: 0,
            outcome: Outcome::Any,
        }]
    };
}

/// One label for each of [`Family::ALL`], in that order.
static LABELS: [Label; 3] = [
    taking("taken by free", first_of!(MALLOC)),
    taking("taken by delete", first_of!(NEW)),
    taking("taken by delete[]", first_of!(NEW_ARRAY)),
];

/// For every function the arguments that it takes back, with the family that they must be of.
pub(crate) fn taken(program: &Program) -> Vec<Vec<(usize, Family)>> {
    let mut all: Vec<Vec<(usize, Family)>> = vec![Vec::new(); program.functions.len()];
    // A program with allocators of its own knows what it does.
    let own = |name: &str| {
        ["_Znw", "_Zna", "_Zdl", "_Zda"]
            .iter()
            .any(|s| name.starts_with(s))
    };
    let mut functions = program.functions.iter();
    let own = functions.any(|(_, f)| f.body.is_some() && own(program.name(f.name)));
    let known = |f: FuncId| {
        let unseen = program.functions[f].body.is_none();
        let family = Family::taken_by(program.function_name(f)).filter(|_| unseen);
        family.filter(|family| !own || *family == Family::Malloc)
    };
    let mut called = [false; 3];
    for (f, _) in program.functions.iter() {
        if let Some(family) = known(f) {
            all[f.0 as usize].push((0, family));
            called[family as usize] = true;
        }
    }
    let resolve = |name: &str| -> Vec<FuncId> {
        let all = program.functions.iter().map(|(f, _)| f);
        all.filter(|f| known(*f).is_some() && program.function_name(*f) == name)
            .collect()
    };
    if !called.contains(&true) {
        return all;
    }
    let named = Named::of(&LABELS, program, &resolve);
    for (label, family) in Family::ALL.into_iter().enumerate() {
        if !called[label] {
            continue;
        }
        let found = surely::by_callees(program, &named, label);
        for (of, accesses) in all.iter_mut().zip(found) {
            let arguments = accesses.iter().filter_map(|access| access.argument());
            of.extend(arguments.map(|param| (param, family)));
        }
    }
    all
}

/// Which of its parameters each function follows, or hands to somebody who may: one bit each.
pub(crate) fn used(program: &Program, taken: &[Vec<(usize, Family)>]) -> Vec<u64> {
    let of = |(_, f): (FuncId, &ir::Function)| {
        let Some(body) = &f.body else { return 0 };
        let param = |e| {
            let v = body.places[body.loaded(e)?].as_var()?;
            let at = body.params.iter().position(|p| *p == v)?;
            (at < 64).then(|| 1u64 << at)
        };
        let mut used = 0;
        for place in body.places.values() {
            if let ir::Base::Deref(pointer) = place.base {
                used |= param(pointer).unwrap_or(0);
            }
        }
        for edge in body.edges().values() {
            let Stmt::Call(call) = &edge.stmt else {
                continue;
            };
            for (at, &arg) in call.args.iter().enumerate() {
                let takes = match call.callee {
                    Callee::Direct(f) => taken[f.0 as usize].iter().any(|(p, _)| *p == at),
                    Callee::Indirect(_) => false,
                };
                if !takes {
                    used |= param(arg).unwrap_or(0);
                }
            }
        }
        used
    };
    program.functions.iter().map(of).collect()
}
