//! Which pointers are surely not null, by a little dataflow: those that were tested, followed, or made from
//! an address. Cheaper than a search, and for every node; for questions about other functions.

use crate::context::Context;
use crate::footprint::{self, Question};
use ir::arena::Id;
use ir::walk::{Item, expr_items, place_items, statement_items};
use ir::{
    Base, Body, Callee, CompareOp, Condition, ExprId, ExprKind, FuncId, Linkage, Stmt, VarId,
};

/// For each parameter of a function: do all callers hand over something that is not null? Nobody knows
/// the callers of a function that others can see, or whose address is taken.
pub fn given_by_callers(context: &Context<'_>, f: FuncId) -> Vec<bool> {
    footprint::note(Question::Callers(f));
    let program = context.program;
    let function = &program.functions[f];
    let Some(body) = &function.body else {
        return Vec::new();
    };
    let mut given = vec![true; body.params.len()];
    let callers = context.graph.callers(f);
    let known = function.linkage == Linkage::Internal && !context.graph.is_address_taken(f);
    if !known || callers.is_empty() {
        given.fill(false);
    }
    for caller in callers {
        if !given.contains(&true) {
            break;
        }
        let Some(body) = &program.functions[*caller].body else {
            continue;
        };
        let valid = valid_pointers(body);
        for edge in body.edges().values() {
            let Stmt::Call(call) = &edge.stmt else {
                continue;
            };
            if call.callee == Callee::Direct(f) {
                for (i, given) in given.iter_mut().enumerate() {
                    let valid = &valid[edge.from.index()];
                    // What no run reaches hands over nothing.
                    let arg = call.args.get(i);
                    *given &= valid.is_none() || arg.is_some_and(|a| is_valid(body, valid, *a));
                }
            }
        }
    }
    given
}

/// The parameters that the body compares with null, or a copy of which it does.
pub fn tested(body: &Body) -> Vec<bool> {
    // A check asks what the code does not.
    let code = body.edges().values().map(|e| &e.stmt);
    let code = code.filter(|s| !matches!(s, Stmt::Check(_)));
    let mut compared = vec![false; body.vars.len()];
    let mut seen = vec![false; body.exprs.len()];
    let mut stack = Vec::new();
    for stmt in code {
        statement_items(body, stmt, &mut |item| stack.push(item));
        while let Some(item) = stack.pop() {
            let e = match item {
                Item::Place(place) => {
                    place_items(&body.places[place], &mut |item| stack.push(item));
                    continue;
                }
                Item::Expr(e) => e,
            };
            if std::mem::replace(&mut seen[e.index()], true) {
                continue;
            }
            expr_items(&body.exprs[e], &mut |item| stack.push(item));
            if let ExprKind::Compare(CompareOp::Eq | CompareOp::Ne, a, b) = body.exprs[e].kind {
                for (one, other) in [(a, b), (b, a)] {
                    let var = body.loaded(one).and_then(|p| body.places[p].as_var());
                    if let (Some(v), ExprKind::Null) = (var, &body.exprs[other].kind) {
                        compared[v.index()] = true;
                    }
                }
            }
        }
    }
    let tested = |param: &VarId| {
        let mut copies = vec![*param];
        let mut next = 0;
        while let Some(v) = copies.get(next).copied() {
            next += 1;
            for edge in body.edges().values() {
                if let Stmt::Assign { place, value } = edge.stmt
                    && let Some(from) = body.loaded(value)
                    && body.places[from].as_var() == Some(v)
                    && let Some(to) = body.places[place].as_var()
                    && !copies.contains(&to)
                {
                    copies.push(to);
                }
            }
        }
        copies.into_iter().any(|v| compared[v.index()])
    };
    body.params.iter().map(tested).collect()
}

/// Per node the variables that are surely not null there; none: the node was not reached.
pub type Valid = Option<Vec<bool>>;

/// Of all nodes.
pub fn valid_pointers(body: &Body) -> Vec<Valid> {
    let mut at: Vec<Valid> = vec![None; body.node_count as usize];
    at[body.entry.index()] = Some(vec![false; body.vars.len()]);
    let mut work = vec![body.entry];
    while let Some(node) = work.pop() {
        let Some(here) = at[node.index()].clone() else {
            continue;
        };
        for (_, edge) in body.out_edges(node) {
            let mut after = here.clone();
            transfer(body, &edge.stmt, &mut after);
            let old = &mut at[edge.to.index()];
            let changed = match old {
                None => {
                    *old = Some(after);
                    true
                }
                Some(old) => {
                    let mut less = false;
                    for (mine, new) in old.iter_mut().zip(after) {
                        less |= *mine && !new;
                        *mine &= new;
                    }
                    less
                }
            };
            if changed {
                work.push(edge.to);
            }
        }
    }
    at
}

fn transfer(body: &Body, stmt: &Stmt, valid: &mut [bool]) {
    let var = |place| body.places[place].as_var().filter(|v| tracked(body, *v));
    match stmt {
        Stmt::Assign { place, value } => {
            if let Some(v) = var(*place) {
                valid[v.index()] = is_valid(body, &Some(valid.to_vec()), *value);
            }
        }
        Stmt::Havoc { place, .. } => {
            if let Some(v) = var(*place) {
                valid[v.index()] = false;
            }
        }
        Stmt::Call(call) => {
            if let Some(v) = call.result.and_then(var) {
                valid[v.index()] = false;
            }
        }
        Stmt::Declare(v) => valid[v.index()] = false,
        Stmt::Assume(e) => learn(body, *e, valid),
        Stmt::Check(c) => {
            if let Condition::Holds(e) = body.checks[*c].condition {
                learn(body, e, valid);
            }
        }
        _ => {}
    }
}

/// `p != NULL` holds.
fn learn(body: &Body, e: ExprId, valid: &mut [bool]) {
    if let ExprKind::Compare(CompareOp::Ne, a, b) = body.exprs[e].kind
        && matches!(body.exprs[b].kind, ExprKind::Null)
        && let Some(v) = variable(body, a)
    {
        valid[v.index()] = true;
    }
}

/// Is it surely not null?
pub fn is_valid(body: &Body, valid: &Valid, e: ExprId) -> bool {
    match body.exprs[e].kind {
        ExprKind::Function(_) => true,
        // The first member of nothing is nothing.
        ExprKind::AddrOf(place) => match body.places[place].base {
            Base::Deref(pointer) => is_valid(body, valid, pointer),
            Base::Var(_) | Base::Global(_) => true,
        },
        ExprKind::Cast(inner) => is_valid(body, valid, inner),
        _ => match (variable(body, e), valid) {
            (Some(v), Some(valid)) => valid[v.index()],
            _ => false,
        },
    }
}

fn variable(body: &Body, e: ExprId) -> Option<VarId> {
    let var = body.places[body.loaded(e)?].as_var()?;
    tracked(body, var).then_some(var)
}

fn tracked(body: &Body, v: VarId) -> bool {
    !body.vars[v].address_taken
}
