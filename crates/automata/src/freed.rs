//! What of its caller's memory a function may free, judging by the text alone.
//!
//! `drop(p)` that calls `free(p)`, `clear(&b)` that calls `free(b.data)`, and whoever calls one of these: what was handed over
//! may be gone when the call comes back. Which of it, and whether at all, a summary does not say: whoever needs to know
//! looks into the callee. A value *comes from* a parameter if it was computed from it, read through it, or given back
//! by a call that was handed such a value, without regard to order.

use crate::models::{self, Gives, model};
use crate::summary::Summary;
use ir::arena::Id;
use ir::walk::{Item, expr_items, place_items};
use ir::{Base, Body, Call, Callee, ExprId, FuncId, PlaceId, Program, Stmt};
use rustc_hash::FxHashSet;

/// The parameters through which the body may free something that it was handed.
pub fn freed<'s>(
    program: &Program,
    body: &Body,
    summary: impl Fn(FuncId) -> Option<&'s Summary>,
) -> Vec<bool> {
    let mut frees = vec![false; body.params.len()];
    let calls: Vec<(&Call, Frees<'s>)> = body
        .edges()
        .values()
        .filter_map(|edge| match &edge.stmt {
            Stmt::Call(call) => Some((&**call, frees_of(program, call, &summary)?)),
            _ => None,
        })
        .collect();
    if frees.is_empty() || calls.is_empty() {
        return frees;
    }
    let come_from = ComeFrom::new(program, body);
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
                    *frees |= from >> i.min(LAST) & 1 == 1;
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
    summary: impl Fn(FuncId) -> Option<&'s Summary>,
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

/// The bit of all further parameters.
const LAST: usize = 63;

/// For each variable the parameters that its values come from, as bits.
struct ComeFrom<'a> {
    body: &'a Body,
    vars: Vec<u64>,
}

impl ComeFrom<'_> {
    fn new<'a>(program: &Program, body: &'a Body) -> ComeFrom<'a> {
        let mut all = ComeFrom {
            body,
            vars: vec![0; body.vars.len()],
        };
        for (i, v) in body.params.iter().enumerate() {
            all.vars[v.index()] |= 1 << i.min(LAST);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for edge in body.edges().values() {
                let (to, from) = match &edge.stmt {
                    Stmt::Assign { place, value } => (*place, all.expr(*value)),
                    Stmt::Call(call) => match call.result {
                        Some(to) if !is_new(program, call) => {
                            let args = call.args.iter();
                            (to, args.fold(0, |all_of, arg| all_of | all.expr(*arg)))
                        }
                        _ => continue,
                    },
                    _ => continue,
                };
                if let Base::Var(v) = body.places[to].base {
                    let known = &mut all.vars[v.index()];
                    changed |= *known | from != *known;
                    *known |= from;
                }
            }
        }
        all
    }

    /// The parameters that a value comes from.
    fn expr(&self, e: ExprId) -> u64 {
        let mut from = 0;
        let mut seen: FxHashSet<ExprId> = FxHashSet::default();
        let mut stack = vec![Item::Expr(e)];
        while let Some(item) = stack.pop() {
            match item {
                Item::Expr(e) => {
                    // Parts may be shared.
                    if seen.insert(e) {
                        expr_items(&self.body.exprs[e], &mut |i| stack.push(i));
                    }
                }
                Item::Place(p) => {
                    from |= self.place(p);
                    place_items(&self.body.places[p], &mut |i| stack.push(i));
                }
            }
        }
        from
    }

    fn place(&self, p: PlaceId) -> u64 {
        match self.body.places[p].base {
            Base::Var(v) => self.vars[v.index()],
            _ => 0,
        }
    }
}

/// Does the call give memory that nobody has yet?
fn is_new(program: &Program, call: &Call) -> bool {
    let Callee::Direct(f) = call.callee else {
        return false;
    };
    let known = model(program.function_name(f)).filter(|_| program.functions[f].body.is_none());
    known.is_some_and(|m| matches!(m.gives, Gives::Memory { .. }))
}
