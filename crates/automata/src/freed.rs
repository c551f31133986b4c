//! What of its caller's memory a function may free, judging by the text alone.
//!
//! `drop(p)` that calls `free(p)`, `clear(&b)` that calls `free(b.data)`, and whoever calls one of these: what was handed over
//! may be gone when the call comes back. Which of it, and whether at all, a summary does not say: whoever needs to know
//! looks into the callee.

use crate::comes_from::ComesFrom;
use crate::models::{self, model};
use crate::summary::Summary;
use ir::{Body, Call, Callee, FuncId, Program, Stmt};

/// The parameters through which the body may free something that it was handed.
pub fn freed<'s>(
    program: &Program,
    body: &Body,
    come_from: &ComesFrom<'_, 's>,
    summary: &dyn Fn(FuncId) -> Option<&'s Summary>,
) -> Vec<bool> {
    let mut frees = vec![false; body.params.len()];
    let calls: Vec<(&Call, Frees<'s>)> = body
        .edges()
        .values()
        .filter_map(|edge| match &edge.stmt {
            Stmt::Call(call) => Some((&**call, frees_of(program, call, summary)?)),
            _ => None,
        })
        .collect();
    for (call, which) in calls {
        for (i, &arg) in call.args.iter().enumerate() {
            let is_freed = match which {
                Frees::One(at) => i == at,
                Frees::These(these) => these.get(i) == Some(&true),
                Frees::Any => true,
            };
            if is_freed {
                let from = come_from.expr(arg);
                for (i, frees) in frees.iter_mut().enumerate() {
                    *frees |= from.has(i);
                }
            }
        }
    }
    frees
}

/// Which arguments a call may free.
#[derive(Clone, Copy)]
enum Frees<'s> {
    One(usize),
    These(&'s [bool]),
    Any,
}

/// None: it frees nothing, or what is not in view decides, which is taken to keep what it is handed.
fn frees_of<'s>(
    program: &Program,
    call: &Call,
    summary: &dyn Fn(FuncId) -> Option<&'s Summary>,
) -> Option<Frees<'s>> {
    let Callee::Direct(f) = call.callee else {
        return None;
    };
    match (summary(f), program.functions[f].body.is_some()) {
        (Some(s), _) => s.frees.contains(&true).then_some(Frees::These(&s.frees)),
        (None, true) => Some(Frees::Any),
        (None, false) => match model(program.function_name(f))?.frees {
            models::Frees::Never => None,
            models::Frees::Always(at) | models::Frees::UnlessNull(at) => Some(Frees::One(at)),
        },
    }
}
