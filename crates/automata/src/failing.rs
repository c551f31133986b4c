//! What a function may write before it returns null.
//!
//! `p = get(&status)`: who tests the status has asked for the pointer, if `get` writes it when it
//! fails. Its [`crate::effects`] do not say that: they are those of all its runs. Here only the
//! statements count from which a return of null can be reached, by the shape of the body and of which
//! pointers are surely valid where ([`crate::valid`]).

use crate::context::Context;
use crate::effects::{What, Written};
use crate::valid::{is_valid, valid_pointers};
use ir::arena::Id;
use ir::{Body, Call, Callee, CompareOp, Edge, ExprId, ExprKind, FuncId, NodeId, Stmt};

/// Callees within callees whose own failures are told apart.
const MOST_DEPTH: u32 = 4;

/// What a call of the function may write if it gives back null; none if it has no body.
pub fn written_when_null(context: &Context<'_>, f: FuncId) -> Option<Written> {
    let mut all = Written::default();
    collect(context, f, MOST_DEPTH, &mut all).then_some(all)
}

/// Adds what the function may write before it returns null; false if it has no body.
fn collect(context: &Context<'_>, f: FuncId, depth: u32, all: &mut Written) -> bool {
    let Some(body) = context.body(f) else {
        return false;
    };
    let relevant = before_null(body);
    for edge in body.edges().values() {
        if !relevant[edge.to.index()] {
            continue;
        }
        let effects = context.effects();
        effects.of_statement(context.program, body, &edge.stmt, all);
        if let Stmt::Call(call) = &edge.stmt {
            let handed_on = match call.callee {
                Callee::Direct(g) if depth > 0 && only_null_matters(body, &relevant, edge) => {
                    collect(context, g, depth - 1, all)
                }
                _ => false,
            };
            if !handed_on {
                of_call(context, body, call, all);
            }
        }
    }
    true
}

/// Is the next thing after the call a test of its result, and only null leads on to a return of null?
fn only_null_matters(body: &Body, relevant: &[bool], call: &Edge) -> bool {
    let place = match &call.stmt {
        Stmt::Call(call) => call.result,
        _ => None,
    };
    let Some(mut held) = place else {
        return false;
    };
    let mut node = call.to;
    for _ in 0..8 {
        let edges: Vec<&Edge> = body.out_edges(node).map(|(_, e)| e).collect();
        match edges.as_slice() {
            [only] => {
                // `p = (struct s *)temporary`.
                if let Stmt::Assign { place, value } = only.stmt
                    && body.loaded(value) == Some(held)
                {
                    held = place;
                }
                node = only.to;
            }
            [a, b] => {
                let valid = |e: &Edge| match e.stmt {
                    Stmt::Assume(e) => match body.exprs[e].kind {
                        ExprKind::Compare(CompareOp::Ne, x, y) => {
                            matches!(body.exprs[y].kind, ExprKind::Null)
                                && body.loaded(x) == Some(held)
                        }
                        _ => false,
                    },
                    _ => false,
                };
                return [a, b].iter().any(|e| valid(e) && !relevant[e.to.index()]);
            }
            _ => return false,
        }
    }
    false
}

fn of_call(context: &Context<'_>, body: &Body, call: &Call, all: &mut Written) {
    let targets = match call.callee {
        Callee::Direct(f) => Some(vec![f]),
        Callee::Indirect(_) => context.indirect_targets(body, call),
    };
    // Who is handed no pointer does not tell of its failure through one.
    let types = &context.program.types;
    let handed = |e: &ExprId| types.is_pointer(body.exprs[*e].ty);
    let pointers = call.args.iter().any(handed);
    let what = match pointers {
        true => What::All,
        false => What::Globals,
    };
    match targets {
        Some(targets) => {
            for f in targets {
                context.add_writes(f, what, all);
            }
        }
        None => all.add_foreign(),
    }
}

/// The nodes from which a return of something that may be null is reached.
fn before_null(body: &Body) -> Vec<bool> {
    let valid = valid_pointers(body);
    let mut relevant = vec![false; body.node_count as usize];
    let Some(ret) = body.ret else { return relevant };
    let mut stack: Vec<NodeId> = Vec::new();
    for edge in body.edges().values() {
        let may_be_null = match &edge.stmt {
            Stmt::Assign { place, value } if body.places[*place].as_var() == Some(ret) => {
                !is_valid(body, &valid[edge.from.index()], *value)
            }
            Stmt::Call(call) => {
                let var = call.result.and_then(|p| body.places[p].as_var());
                var == Some(ret)
            }
            _ => false,
        };
        if may_be_null {
            stack.extend([edge.from, edge.to]);
        }
    }
    let mut into: Vec<Vec<NodeId>> = vec![Vec::new(); body.node_count as usize];
    for edge in body.edges().values() {
        into[edge.to.index()].push(edge.from);
    }
    while let Some(node) = stack.pop() {
        if !std::mem::replace(&mut relevant[node.index()], true) {
            stack.extend(&into[node.index()]);
        }
    }
    relevant
}
