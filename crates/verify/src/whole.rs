//! A program as few bodies: `main` with all that it calls in place of the calls, as far as that can be had.
//!
//! A verification task is small, and what its functions do depends on who calls them. In one body ([`ir::compose()`]) every engine
//! sees the callers' values, and a path is one from the start of the program. What calls itself, or does not fit, stays a
//! call, and is a body of its own that anybody may call: if all of these hold for any caller, the program does.

use ir::{Body, CallGraph, CallOutcome, Callee, Composed, FrameId, FuncId, Impossible, Inlined};
use ir::{Program, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// Edges of one body, at most.
const EDGES: usize = 20_000;

/// A function with what it calls.
pub struct Root {
    pub function: FuncId,
    pub composed: Composed,
}

/// The functions that runs from `main` can come to, itself among them, in order.
pub fn reachable(graph: &CallGraph, main: FuncId) -> BTreeSet<FuncId> {
    let mut seen = BTreeSet::from([main]);
    let mut open = vec![main];
    while let Some(f) = open.pop() {
        let new = graph.callees(f).iter().filter(|g| seen.insert(**g));
        open.extend(new);
    }
    seen
}

/// The bodies that have all of a program's code; `main` is the first.
pub fn roots(program: &Program, graph: &CallGraph, main: FuncId) -> Vec<Root> {
    let mut roots = Vec::new();
    let mut open = vec![main];
    let mut seen = BTreeSet::from([main]);
    while let Some(f) = open.pop() {
        let Some((composed, stayed)) = compose(program, graph, f) else {
            continue;
        };
        open.extend(stayed.into_iter().filter(|g| seen.insert(*g)));
        roots.push(Root {
            function: f,
            composed,
        });
    }
    roots
}

/// A function with what it calls, and those that it still calls.
fn compose(
    program: &Program,
    graph: &CallGraph,
    root: FuncId,
) -> Option<(Composed, BTreeSet<FuncId>)> {
    let mut apart: BTreeSet<FuncId> = BTreeSet::new();
    loop {
        let (calls, stayed) = calls(program, graph, root, &apart);
        match ir::compose(program, root, &calls) {
            Ok(composed) => return Some((composed, stayed)),
            Err(
                Impossible::NoBody(f)
                | Impossible::Arguments(f)
                | Impossible::Conversion(f)
                | Impossible::Variadic(f)
                | Impossible::Labels(f)
                | Impossible::Allocates(f)
                | Impossible::Handler(f)
                | Impossible::Malformed(f),
            ) if f != root && apart.insert(f) => {}
            Err(_) => return None,
        }
    }
}

/// The calls to replace, and whom those call that are not.
fn calls(
    program: &Program,
    graph: &CallGraph,
    root: FuncId,
    apart: &BTreeSet<FuncId>,
) -> (Vec<Inlined>, BTreeSet<FuncId>) {
    let body = |f: FuncId| program.functions.get(f).and_then(|f| f.body.as_ref());
    let size = |f: FuncId| body(f).map_or(0, |b| b.edges().len());
    let mut all = Vec::new();
    let mut stayed = BTreeSet::new();
    let mut frames = vec![root];
    let mut edges = size(root);
    let mut at = 0;
    while let Some(&f) = frames.get(at) {
        let frame = FrameId(at as u32);
        at += 1;
        let Some(body) = body(f) else { continue };
        for (edge, call) in direct_calls(body) {
            let callee = call;
            if size(callee) == 0 {
                continue;
            }
            let fits = edges + size(callee) <= EDGES;
            if graph.is_recursive(callee) || apart.contains(&callee) || !fits {
                stayed.insert(callee);
                continue;
            }
            edges += size(callee);
            frames.push(callee);
            all.push(Inlined {
                frame,
                call: edge,
                callee,
            });
        }
        // Through pointers: whoever may be meant.
        for edge in body.edges().values() {
            if let Stmt::Call(call) = &edge.stmt
                && matches!(call.callee, Callee::Indirect(_))
            {
                let targets = graph.targets(program, body, call).into_iter();
                stayed.extend(targets.filter(|g| size(*g) > 0));
            }
        }
    }
    (all, stayed)
}

/// The calls of known functions, each once.
fn direct_calls(body: &Body) -> impl Iterator<Item = (ir::EdgeId, FuncId)> {
    let mut calls = BTreeMap::new();
    for (id, edge) in body.edges().iter() {
        if let Stmt::Call(call) = &edge.stmt
            && call.outcome == CallOutcome::Return
            && let Callee::Direct(f) = call.callee
        {
            calls.insert(id, f);
        }
    }
    calls.into_iter()
}
