//! Which functions are asked: those that pass an object of known size to a callee that goes along what it is passed.
//!
//! A parameter is *gone along* if a check that level 1 leaves open asks whether an element of what it points to is there (`a[i]`,
//! `*p++`), or if it is passed on as such a parameter. What else a callee may do wrong with what it is passed, level 1 finds:
//! null, numbers, freed memory are in the states in which it is entered.

use super::super::level1::Result1;
use automata::Verdict;
use automata::models::{Gives, model};
use ir::{
    Base, Body, Call, CallGraph, Callee, Condition, EdgeId, ExprId, ExprKind, FuncId, Program,
    Projection, Stmt, VarId, VarKind,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Edges of a function that is asked, or that others are asked for, at most.
const EDGES: usize = 400;

/// The parameters that functions go along, by position.
type Along = BTreeMap<FuncId, Vec<usize>>;

/// A function to ask, and the calls that it is asked for.
pub(super) struct Asked {
    pub function: FuncId,
    pub calls: Vec<(EdgeId, FuncId)>,
}

impl Asked {
    pub fn callees(&self) -> impl Iterator<Item = FuncId> {
        self.calls.iter().map(|(_, callee)| *callee)
    }
}

/// The functions to ask, in order.
pub(super) fn candidates(
    program: &Program,
    graph: &CallGraph,
    roots: &[(FuncId, Arc<Result1>)],
) -> Vec<Asked> {
    let along = along(program, graph, roots);
    let asked = |(function, body): (FuncId, &Body)| {
        let owned = owned(program, body);
        let is_asked = |call: &Call| {
            let Callee::Direct(callee) = call.callee else {
                return None;
            };
            let mut gone = along.get(&callee)?.iter();
            let is_definite = gone.any(|at| {
                let arg = call.args.get(*at);
                arg.is_some_and(|arg| is_definite(body, &owned, *arg))
            });
            is_definite.then_some(callee)
        };
        let calls = calls(body).filter_map(|(edge, call)| Some((edge, is_asked(call)?)));
        let calls: Vec<(EdgeId, FuncId)> = calls.collect();
        (!calls.is_empty()).then_some(Asked { function, calls })
    };
    let bodies = program.bodies().map(|(f, _, body)| (f, body));
    let small = bodies.filter(|(_, body)| body.edges().len() <= EDGES);
    small.filter_map(asked).collect()
}

fn calls(body: &Body) -> impl Iterator<Item = (EdgeId, &Call)> {
    body.edges()
        .iter()
        .filter_map(|(id, edge)| match &edge.stmt {
            Stmt::Call(call) => Some((id, &**call)),
            _ => None,
        })
}

/// The parameters that functions go along.
fn along(program: &Program, graph: &CallGraph, roots: &[(FuncId, Arc<Result1>)]) -> Along {
    let results: BTreeMap<FuncId, &Result1> = roots.iter().map(|(f, r)| (*f, &**r)).collect();
    let mut along = Along::new();
    // Callees come first; those of a recursion know of each other in the second round.
    for f in graph.components().iter().flat_map(|c| c.iter().chain(c)) {
        let body = program.functions.get(*f).and_then(|f| f.body.as_ref());
        let Some(body) = body.filter(|body| body.edges().len() <= EDGES && !body.params.is_empty())
        else {
            continue;
        };
        let sources = Sources::new(body);
        let mut gone: Vec<usize> = Vec::new();
        let open = results.get(f).into_iter().flat_map(|r| r.verdicts.iter());
        for ((_, check), verdict) in body.checks.iter().zip(open) {
            let is_open = !matches!(
                verdict,
                Verdict::Proved | Verdict::Refuted | Verdict::Unwanted
            );
            if let (true, Condition::InBounds { pointer, .. }) = (is_open, &check.condition)
                && let Some((v, true)) = sources.root(body, *pointer)
            {
                gone.extend(sources.parameter(v));
            }
        }
        for (_, call) in calls(body) {
            let Callee::Direct(callee) = call.callee else {
                continue;
            };
            for at in along.get(&callee).into_iter().flatten() {
                let root = call.args.get(*at).and_then(|arg| sources.root(body, *arg));
                gone.extend(root.and_then(|(v, _)| sources.parameter(v)));
            }
        }
        gone.sort_unstable();
        gone.dedup();
        if !gone.is_empty() {
            along.insert(*f, gone);
        }
    }
    along
}

/// Where the pointers of a body come from.
struct Sources {
    /// The parameter that a variable is, or is made of, by position.
    parameters: BTreeMap<VarId, usize>,
    /// Variables that are moved.
    moved: Vec<VarId>,
}

impl Sources {
    fn new(body: &Body) -> Sources {
        let parameters = body.params.iter().zip(0..).map(|(v, at)| (*v, at));
        let mut sources = Sources {
            parameters: parameters.collect(),
            moved: Vec::new(),
        };
        // Copies of copies are rare.
        for _ in 0..2 {
            for edge in body.edges().values() {
                let Stmt::Assign { place, value } = &edge.stmt else {
                    continue;
                };
                let target = body.places.get(*place).and_then(|p| p.as_var());
                let Some((target, (v, goes))) = target.zip(sources.root(body, *value)) else {
                    continue;
                };
                let is_moved = goes || matches!(body.expr(*value).kind, ExprKind::PtrAdd(..));
                if is_moved && !sources.moved.contains(&target) {
                    sources.moved.push(target);
                }
                if let Some(at) = sources.parameter(v) {
                    sources.parameters.entry(target).or_insert(at);
                }
            }
        }
        sources
    }

    fn parameter(&self, v: VarId) -> Option<usize> {
        self.parameters.get(&v).copied()
    }

    /// The variable that a pointer is made of, and whether it goes along what that points to.
    fn root(&self, body: &Body, mut e: ExprId) -> Option<(VarId, bool)> {
        let is_number =
            |e: ExprId| matches!(body.exprs.get(e).map(|e| &e.kind), Some(ExprKind::Int(_)));
        let mut goes = false;
        loop {
            match &body.exprs.get(e)?.kind {
                ExprKind::Load(place) => {
                    let v = body.places.get(*place)?.as_var()?;
                    return Some((v, goes || self.moved.contains(&v)));
                }
                ExprKind::PtrAdd(pointer, index) => {
                    goes |= !is_number(*index);
                    e = *pointer;
                }
                ExprKind::Cast(of) => e = *of,
                ExprKind::AddrOf(place) => {
                    let place = body.places.get(*place)?;
                    goes |= place
                        .projections
                        .iter()
                        .any(|p| matches!(p, Projection::Index(i) if !is_number(*i)));
                    let Base::Deref(pointer) = place.base else {
                        return None;
                    };
                    e = pointer;
                }
                _ => return None,
            }
        }
    }
}

/// Variables that are given memory in this body.
fn owned(program: &Program, body: &Body) -> Vec<VarId> {
    let allocates = |call: &Call| match call.callee {
        Callee::Direct(f) => {
            let name = program.functions.get(f).map(|f| program.name(f.name));
            let model = name.and_then(model);
            model.is_some_and(|m| matches!(m.gives, Gives::Memory { .. }))
        }
        Callee::Indirect(_) => false,
    };
    let given = calls(body)
        .map(|(_, call)| call)
        .filter(|call| allocates(call));
    let mut owned: Vec<VarId> = given
        .filter_map(|call| body.places.get(call.result?)?.as_var())
        .collect();
    for edge in body.edges().values() {
        if let Stmt::Assign { place, value } = &edge.stmt
            && let Some(v) = body.places.get(*place).and_then(|p| p.as_var())
            && let Some(from) = body.loaded(*value).and_then(|p| body.places[p].as_var())
            && owned.contains(&from)
        {
            owned.push(v);
        }
    }
    owned
}

/// Is it the address of an object whose size is known?
fn is_definite(body: &Body, owned: &[VarId], e: ExprId) -> bool {
    let Some(expr) = body.exprs.get(e) else {
        return false;
    };
    match &expr.kind {
        ExprKind::AddrOf(place) => match body.places.get(*place).map(|p| p.base) {
            Some(Base::Var(v)) => body.vars.get(v).is_some_and(|v| v.kind == VarKind::Local),
            Some(Base::Global(_)) => true,
            Some(Base::Deref(pointer)) => is_definite(body, owned, pointer),
            None => false,
        },
        ExprKind::Load(place) => {
            let v = body.places.get(*place).and_then(|p| p.as_var());
            v.is_some_and(|v| owned.contains(&v))
        }
        ExprKind::Cast(e) => is_definite(body, owned, *e),
        ExprKind::PtrAdd(p, _) => is_definite(body, owned, *p),
        _ => false,
    }
}
