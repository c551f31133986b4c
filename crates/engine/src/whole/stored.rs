//! What callees leave in memory.
//!
//! A summary says which memory a callee may write, not what: `init(&c)` makes what is known of `c` unknown. Where
//! the text of a callee states a value for a part of a local variable of its caller, or of a global, and a check that
//! nothing speaks for depends on that part, they are looked at together: a check of the caller with the callee that
//! stores, and a check of another callee that is handed the variable with both. The error is believed if nothing
//! in the callees is up to chance ([`crate::coincidence::Demand::NoChoice`]); what is stored in between, and
//! by whom, is level 1's business.

use super::decided::{copies, is_told, sources};
use super::inside::entered;
use super::level1::Result1;
use super::look::{Kind, Look};
use crate::origin::spoken_of;
use automata::{Context, Verdict};
use ir::arena::Id;
use ir::{
    Base, Body, Call, CallOutcome, CheckId, Condition, EdgeId, ExprId, ExprKind, FrameId, FuncId,
    GlobalId, PlaceId, Projection, Stmt, VarId, VarKind,
};
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// Looks for one check, and for one call that is handed a variable.
const LOOKS: usize = 2;

/// What functions store and ask for, each found once somebody needs it.
pub(crate) struct Stored<'a, 'p> {
    context: &'a Context<'p>,
    results: FxHashMap<FuncId, &'a Result1>,
    functions: Vec<OnceLock<Parts<'p>>>,
}

/// Memory that a function shares with its callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// What a parameter points to.
    Param(usize),
    Global(GlobalId),
}

/// A part of it, by the way that leads there.
struct Part<'p> {
    of: Whose,
    path: &'p [Projection],
}

/// The parts of others' memory that a function has to do with.
#[derive(Default)]
struct Parts<'p> {
    /// Those that are given a value that the text states, or that a parameter has.
    stored: Vec<(Part<'p>, Option<usize>)>,
    /// Those behind parameters that a check without evidence depends on.
    asked: Vec<(Part<'p>, CheckId)>,
}

/// A call of the function at hand.
struct Handing<'p> {
    edge: EdgeId,
    callee: FuncId,
    call: &'p Call,
}

impl<'a, 'p> Stored<'a, 'p> {
    pub fn new(context: &'a Context<'p>, results: &'a [(FuncId, Arc<Result1>)]) -> Stored<'a, 'p> {
        let count = context.program.functions.len();
        Stored {
            context,
            results: results.iter().map(|(f, r)| (*f, &**r)).collect(),
            functions: (0..count).map(|_| OnceLock::new()).collect(),
        }
    }

    /// Looks for what the callees of a function store.
    pub fn looks(&self, f: FuncId, verdicts: &[Verdict]) -> Vec<Look> {
        let function = self.context.program.functions.get(f);
        let Some(body) = function.and_then(|f| f.body.as_ref()) else {
            return Vec::new();
        };
        let calls = self.calls(f, body);
        let mut looks = Vec::new();
        if !calls.is_empty() {
            self.own_checks(f, body, verdicts, &calls, &mut looks);
            self.of_callees(f, body, &calls, &mut looks);
        }
        looks
    }

    /// The calls that can be looked into.
    fn calls(&self, f: FuncId, body: &'p Body) -> Vec<Handing<'p>> {
        let edges = body.edges().iter();
        edges
            .filter_map(|(edge, e)| match &e.stmt {
                Stmt::Call(call) if call.outcome == CallOutcome::Return => {
                    let callee = entered(self.context, call).filter(|g| *g != f)?;
                    Some(Handing { edge, callee, call })
                }
                _ => None,
            })
            .collect()
    }

    /// For checks of the function itself.
    fn own_checks(
        &self,
        f: FuncId,
        body: &Body,
        verdicts: &[Verdict],
        calls: &[Handing<'p>],
        looks: &mut Vec<Look>,
    ) {
        for (check, place) in latent(body, verdicts) {
            let place = &body.places[place];
            if is_private(body, place.base) || !is_fixed(&place.projections) {
                continue;
            }
            let stores = |call: &&Handing<'p>| {
                let mut stored = self.parts(call.callee).stored.iter();
                stored.any(|(part, from)| {
                    *part.path == *place.projections
                        && is_stated(body, call.call, *from)
                        && match (part.of, place.base) {
                            (Whose::Global(g), Base::Global(own)) => g == own,
                            (Whose::Param(i), Base::Var(v)) => {
                                handed(body, call.call, i) == Some(v)
                            }
                            _ => false,
                        }
                })
            };
            let storing = calls.iter().filter(stores).take(LOOKS);
            looks.extend(storing.map(|call| Look {
                root: f,
                calls: vec![(FrameId::ROOT, call.edge, call.callee)],
                check: (FrameId::ROOT, check),
                kind: Kind::Decided,
            }));
        }
    }

    /// For checks of callees that are handed a variable which another one has stored to.
    fn of_callees(&self, f: FuncId, body: &Body, calls: &[Handing<'p>], looks: &mut Vec<Look>) {
        for second in calls {
            let mut left = LOOKS;
            for (i, _) in second.call.args.iter().enumerate() {
                let Some(v) = handed(body, second.call, i) else {
                    continue;
                };
                let asked = self.parts(second.callee).asked.iter();
                for (wanted, check) in asked.filter(|(part, _)| part.of == Whose::Param(i)) {
                    let stores = |call: &&Handing<'p>| {
                        let mut stored = self.parts(call.callee).stored.iter();
                        call.edge != second.edge
                            && stored.any(|(part, from)| match part.of {
                                Whose::Param(i) => {
                                    part.path == wanted.path
                                        && handed(body, call.call, i) == Some(v)
                                        && is_stated(body, call.call, *from)
                                }
                                Whose::Global(_) => false,
                            })
                    };
                    if left > 0
                        && let Some(first) = calls.iter().find(stores)
                    {
                        left -= 1;
                        looks.push(Look {
                            root: f,
                            calls: vec![
                                (FrameId::ROOT, first.edge, first.callee),
                                (FrameId::ROOT, second.edge, second.callee),
                            ],
                            check: (FrameId(2), *check),
                            kind: Kind::Decided,
                        });
                    }
                }
            }
        }
    }

    fn parts(&self, f: FuncId) -> &Parts<'p> {
        self.functions[f.index()].get_or_init(|| {
            let body = self.context.program.functions[f].body.as_ref();
            let verdicts = self.results.get(&f).map_or(&[][..], |r| &r.verdicts);
            body.map_or_else(Parts::default, |body| parts(body, verdicts))
        })
    }
}

fn parts<'p>(body: &'p Body, verdicts: &[Verdict]) -> Parts<'p> {
    let mut all = Parts::default();
    let mut copied = None;
    let mut part = |place: PlaceId| {
        let place = &body.places[place];
        let of = match place.base {
            Base::Var(_) => return None,
            Base::Global(g) => Whose::Global(g),
            Base::Deref(e) => {
                let v = body.places[body.loaded(e)?].as_var()?;
                let sources = sources(copied.get_or_insert_with(|| copies(body)), v);
                Whose::Param(body.params.iter().position(|p| sources.contains(p))?)
            }
        };
        is_fixed(&place.projections).then_some(Part {
            of,
            path: &place.projections,
        })
    };
    for edge in body.edges().values() {
        let Stmt::Assign { place, value } = edge.stmt else {
            continue;
        };
        let from = match is_told(body, value) {
            true => None,
            false => {
                let var = body.loaded(value).and_then(|p| body.places[p].as_var());
                match body.params.iter().position(|p| Some(*p) == var) {
                    Some(i) => Some(i),
                    None => continue,
                }
            }
        };
        all.stored.extend(part(place).map(|part| (part, from)));
    }
    for (check, place) in latent(body, verdicts) {
        let asked = part(place).filter(|part| matches!(part.of, Whose::Param(_)));
        all.asked.extend(asked.map(|part| (part, check)));
    }
    all
}

/// The checks without evidence that depend on one value, and where that is.
fn latent<'b>(
    body: &'b Body,
    verdicts: &'b [Verdict],
) -> impl Iterator<Item = (CheckId, PlaceId)> + 'b {
    let all = verdicts.iter().enumerate();
    all.filter(|(_, v)| **v == Verdict::Latent)
        .filter_map(|(i, _)| {
            let check = CheckId::from_index(i);
            let condition = &body.checks.get(check)?.condition;
            let value = matches!(condition, Condition::Holds(_) | Condition::InBounds { .. });
            Some((check, spoken_of(body, condition).filter(|_| value)?))
        })
}

/// Can no callee write it?
fn is_private(body: &Body, base: Base) -> bool {
    match base {
        Base::Var(v) => body.vars[v].kind != VarKind::Local || !body.vars[v].address_taken,
        Base::Global(_) => false,
        Base::Deref(_) => true,
    }
}

/// Does the way mean the same in all functions?
fn is_fixed(path: &[Projection]) -> bool {
    !path.iter().any(|step| matches!(step, Projection::Index(_)))
}

/// Is the value that is stored a constant: of the callee, or of the caller that passes it?
fn is_stated(body: &Body, call: &Call, from: Option<usize>) -> bool {
    from.is_none_or(|i| call.args.get(i).is_some_and(|arg| is_told(body, *arg)))
}

/// The local variable whose address an argument is.
fn handed(body: &Body, call: &Call, arg: usize) -> Option<VarId> {
    let mut e: ExprId = *call.args.get(arg)?;
    while let ExprKind::Cast(inner) = body.exprs[e].kind {
        e = inner;
    }
    match body.exprs[e].kind {
        ExprKind::AddrOf(place) => body.places[place].as_var(),
        _ => None,
    }
}
