//! What callees surely do with what they are handed.
//!
//! `drop(p)` that frees `p` whatever way it takes is as good as `free(p)`, and so is who calls `drop`: the call carries the
//! label. (`if (p) free(p)` is such a way: nobody frees null.) Who frees on some ways only, as who counts references
//! does, decides by data that the caller need not know, and carries none. The value is the argument itself, or what lies
//! in a field behind it: `clear(&b)` that frees `b->data`. It is the one from before the call, so
//! the callee must not have changed the field when it frees.

use super::label::{Named, Subject};
use ir::{
    Base, Body, Call, Callee, CompareOp, ExprId, ExprKind, NodeId, Place, PlaceId, Program,
    Projection, Stmt, VarId, VarKind,
};

/// Rounds in which callers learn of their callees: calls within calls that are followed.
const ROUNDS: usize = 8;

/// What of its arguments a call is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    pub(super) param: usize,
    /// The fields behind it, if it is what they hold; none: it is the argument.
    pub(super) fields: Option<Vec<Projection>>,
    /// It is where the fields are, and not what they hold: `&s->lock`.
    pub(super) address: bool,
}

impl Access {
    /// Is it something that may change, as what a field holds?
    pub fn is_content(&self) -> bool {
        self.fields.is_some() && !self.address
    }

    /// The argument that it is, if it is one itself.
    pub fn argument(&self) -> Option<usize> {
        self.fields.is_none().then_some(self.param)
    }

    /// The value in a caller, if it speaks of it at all: what no statement reads or writes, no statement can be
    /// wrong about.
    pub fn value(&self, body: &Body, call: &Call) -> Option<Subject> {
        let arg = *call.args.get(self.param)?;
        match &self.fields {
            None => Some(Subject::Expr(arg)),
            Some(fields) => {
                let (base, before) = pointee(body, arg);
                let is_it = |place: &Place| {
                    place.base == base
                        && place.projections.len() == before.len() + fields.len()
                        && place.projections.starts_with(&before)
                        && place.projections.ends_with(fields)
                };
                let mut places = body.places.iter();
                if self.address {
                    let mut exprs = body.exprs.iter();
                    let (found, _) = exprs.find(|(_, e)| match e.kind {
                        ExprKind::AddrOf(p) => body.places.get(p).is_some_and(is_it),
                        _ => false,
                    })?;
                    return Some(Subject::Expr(found));
                }
                let (found, _) = places.find(|(_, place)| is_it(place))?;
                Some(Subject::Content(found))
            }
        }
    }
}

/// Where a pointer leads, casts apart: `b` of `&b`, `*p` of `p`.
fn pointee(body: &Body, mut e: ExprId) -> (Base, Vec<Projection>) {
    while let ExprKind::Cast(inner) = body.exprs[e].kind {
        e = inner;
    }
    match body.exprs[e].kind {
        ExprKind::AddrOf(place) => {
            let place = &body.places[place];
            (place.base, place.projections.to_vec())
        }
        _ => (Base::Deref(e), Vec::new()),
    }
}

/// For every function what it surely does by this label.
pub(crate) fn by_callees(program: &Program, named: &Named, label: usize) -> Vec<Vec<Access>> {
    let mut known: Vec<Vec<Access>> = vec![Vec::new(); program.functions.len()];
    for _ in 0..ROUNDS {
        let mut changed = false;
        for (f, function) in program.functions.iter() {
            let Some(body) = &function.body else { continue };
            let mut sites: Option<Vec<(usize, Access)>> = None;
            for (at, edge) in body.edges().as_slice().iter().enumerate() {
                let Stmt::Call(call) = &edge.stmt else {
                    continue;
                };
                for access in accesses(body, call, named, label, &known) {
                    sites.get_or_insert_default().push((at, access));
                }
            }
            for (_, access) in sites.iter().flatten() {
                let sure = || is_sure(body, sites.as_deref().unwrap_or(&[]), access);
                if !known[f.0 as usize].contains(access) && sure() {
                    known[f.0 as usize].push(access.clone());
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    known
}

/// What a call does by the label with what the body was handed.
fn accesses(
    body: &Body,
    call: &Call,
    named: &Named,
    label: usize,
    known: &[Vec<Access>],
) -> Vec<Access> {
    let Callee::Direct(f) = call.callee else {
        return Vec::new();
    };
    let arg = |i: usize| call.args.get(i).copied();
    let direct = named.arguments(f, label).filter_map(arg);
    let mut all: Vec<Access> = direct.filter_map(|e| access(body, e)).collect();
    for inner in &known[f.0 as usize] {
        let outer = arg(inner.param).and_then(|e| access(body, e));
        all.extend(match (&inner.fields, outer) {
            (None, outer) => outer,
            (Some(_), Some(outer)) if outer.fields.is_none() => Some(Access {
                param: outer.param,
                fields: inner.fields.clone(),
                address: inner.address,
            }),
            _ => None,
        });
    }
    all
}

/// What of the parameters a value is. `delete p` looks at it twice, and keeps it in a temporary for that.
pub(super) fn access(body: &Body, e: ExprId) -> Option<Access> {
    let e = kept_for_a_moment(body, e).unwrap_or(e);
    let (place, address) = match body.loaded(e) {
        Some(place) => (place, false),
        None => (address_of(body, e)?, true),
    };
    let place = &body.places[place];
    match place.base {
        Base::Var(v) if place.projections.is_empty() && !address => Some(Access {
            param: parameter(body, v)?,
            fields: None,
            address: false,
        }),
        Base::Deref(pointer) => {
            let fixed = |step: &Projection| matches!(step, Projection::Field(_));
            let v = body.places[body.loaded(pointer)?].as_var()?;
            place.projections.iter().all(fixed).then_some(Access {
                param: parameter(body, v)?,
                fields: Some(place.projections.to_vec()),
                address,
            })
        }
        _ => None,
    }
}

/// The place whose address it is, casts apart.
fn address_of(body: &Body, mut e: ExprId) -> Option<PlaceId> {
    while let ExprKind::Cast(inner) = body.exprs[e].kind {
        e = inner;
    }
    match body.exprs[e].kind {
        ExprKind::AddrOf(place) => Some(place),
        _ => None,
    }
}

/// The value that was put into a temporary of the compiler, if it is ever put there only once.
fn kept_for_a_moment(body: &Body, e: ExprId) -> Option<ExprId> {
    let v = body.places[body.loaded(e)?].as_var()?;
    if body.vars[v].kind != VarKind::Temp || body.vars[v].address_taken {
        return None;
    }
    let is_it = |p: PlaceId| matches!(body.places[p].base, Base::Var(w) if w == v);
    let mut put = body.edges().values().filter_map(|edge| match &edge.stmt {
        Stmt::Assign { place, value } if is_it(*place) => Some(Some(*value)),
        Stmt::Havoc { place, .. } if is_it(*place) => Some(None),
        Stmt::Call(call) if call.result.is_some_and(is_it) => Some(None),
        _ => None,
    });
    let first = put.next()??;
    put.next().is_none().then_some(first)
}

/// Which parameter a variable is, if it always holds what the caller passed.
fn parameter(body: &Body, v: VarId) -> Option<usize> {
    let position = body.params.iter().position(|p| *p == v)?;
    let is_it = |p: PlaceId| matches!(body.places[p].base, Base::Var(w) if w == v);
    let assigned = body.edges().values().any(|edge| match &edge.stmt {
        Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => is_it(*place),
        Stmt::Call(call) => call.result.is_some_and(is_it),
        _ => false,
    });
    (!assigned && !body.vars[v].address_taken).then_some(position)
}

/// Does every way to the exit come past one of the sites of this access, unless there is nothing to do it with?
fn is_sure(body: &Body, sites: &[(usize, Access)], wanted: &Access) -> bool {
    let mut seen = vec![false; body.node_count as usize];
    let mut stack: Vec<NodeId> = vec![body.entry];
    while let Some(node) = stack.pop() {
        if node == body.exit {
            return false;
        }
        if std::mem::replace(&mut seen[node.0 as usize], true) {
            continue;
        }
        for (id, edge) in body.out_edges(node) {
            let at = id.0 as usize;
            if sites.iter().any(|(s, access)| *s == at && access == wanted)
                || is_nothing(body, &edge.stmt, wanted)
            {
                continue;
            }
            if wanted.is_content() && may_change(body, &edge.stmt, wanted) {
                return false;
            }
            stack.push(edge.to);
        }
    }
    true
}

/// Does the statement say that the value is null?
fn is_nothing(body: &Body, stmt: &Stmt, wanted: &Access) -> bool {
    let Stmt::Assume(e) = stmt else { return false };
    match body.exprs[*e].kind {
        ExprKind::Compare(CompareOp::Eq, value, null) => {
            matches!(body.exprs[null].kind, ExprKind::Null)
                && access(body, value).as_ref() == Some(wanted)
        }
        _ => false,
    }
}

/// May the statement change the field?
pub(super) fn may_change(body: &Body, stmt: &Stmt, wanted: &Access) -> bool {
    match stmt {
        Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => {
            !matches!(body.places[*place].base, Base::Var(_))
        }
        Stmt::Copy { .. } | Stmt::Fill { .. } => true,
        Stmt::Call(call) => {
            let handed = |e: &ExprId| {
                let access = access(body, *e);
                access.is_some_and(|a| a.param == wanted.param && a.fields.is_none())
            };
            call.args.iter().any(handed)
        }
        _ => false,
    }
}
