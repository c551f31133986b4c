//! Functions that never return: `exit`, `abort`, what is declared so, what the user names, and
//! what can only end by calling one of them.
//!
//! A function never returns if its exit cannot be reached when calls of such functions are taken
//! out. Found by going from callees to callers until nothing is new; a recursion that has no way
//! out but itself is not called never-returning, for that is a guess about termination.

use crate::schedule::Mentions;
use automata::models::model;
use ir::arena::Id;
use ir::{Body, CallGraph, CallOutcome, Callee, CompareOp, EdgeId, ExprId, ExprKind, FuncId};
use ir::{PlaceId, Program, Stmt};

/// What is taken for possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jumps {
    /// `setjmp` may return a second time.
    Back,
    /// Nobody calls `longjmp`.
    None,
}

/// The functions that never return, in id order. `named`: linkage or display names.
pub fn noreturn(
    program: &Program,
    graph: &CallGraph,
    mentions: &[Mentions],
    named: &[String],
    jumps: Jumps,
) -> Vec<FuncId> {
    let mut never: Vec<bool> = program
        .functions
        .iter()
        .map(|(id, f)| {
            let model = || model(program.name(f.name));
            f.noreturn
                || is_named(program, id, named)
                || f.body.is_none() && model().is_some_and(|m| !m.returns)
        })
        .collect();
    let mut callers = vec![Vec::new(); program.functions.len()];
    for (f, mentions) in mentions.iter().enumerate() {
        for callee in &mentions.called {
            callers[callee.index()].push(f);
        }
    }
    let mut work: Vec<usize> = Vec::new();
    for (f, function) in program.functions.iter() {
        if never[f.index()] {
            work.extend(&callers[f.index()]);
        } else if function.body.as_ref().is_some_and(calls_through_pointer) {
            work.push(f.index());
        }
    }
    // Each function comes up once for each callee that turns out never to return.
    while let Some(f) = work.pop() {
        let id = FuncId(f as u32);
        if never[f] {
            continue;
        }
        if let Some(body) = &program.functions[id].body
            && !can_return(program, graph, body, &never, jumps)
        {
            never[f] = true;
            work.extend(&callers[f]);
        }
    }
    let all = never.iter().enumerate().filter(|(_, never)| **never);
    all.map(|(f, _)| FuncId(f as u32)).collect()
}

/// Is it one of these, by its linkage or its display name?
pub fn is_named(program: &Program, f: FuncId, named: &[String]) -> bool {
    if named.is_empty() {
        return false;
    }
    let Some(f) = program.functions.get(f) else {
        return false;
    };
    let (name, display) = (program.name(f.name), program.name(f.display));
    named.iter().any(|n| n == name || n == display)
}

fn calls_through_pointer(body: &Body) -> bool {
    let mut edges = body.edges().values();
    edges.any(|e| matches!(&e.stmt, Stmt::Call(c) if matches!(c.callee, Callee::Indirect(_))))
}

fn can_return(
    program: &Program,
    graph: &CallGraph,
    body: &Body,
    never: &[bool],
    jumps: Jumps,
) -> bool {
    let blocked = |stmt: &Stmt| match stmt {
        Stmt::Trap(_) => true,
        Stmt::Call(call) if call.outcome == CallOutcome::Again && jumps == Jumps::None => true,
        Stmt::Call(call) if call.outcome != CallOutcome::Unwind => {
            call.noreturn
                || match call.callee {
                    Callee::Direct(f) => never[f.index()],
                    Callee::Indirect(_) => {
                        let targets = graph.targets(program, body, call);
                        !targets.is_empty() && targets.iter().all(|f| never[f.index()])
                    }
                }
        }
        _ => false,
    };
    let second: Vec<EdgeId> = match jumps {
        Jumps::Back => Vec::new(),
        Jumps::None => behind_second_returns(body),
    };
    let mut seen = vec![false; body.node_count as usize];
    let mut stack = vec![body.entry];
    while let Some(n) = stack.pop() {
        if std::mem::replace(&mut seen[n.index()], true) {
            continue;
        }
        if n == body.exit {
            return true;
        }
        let next = body.out_edges(n);
        let next = next.filter(|(id, e)| !blocked(&e.stmt) && !second.contains(id));
        stack.extend(next.map(|(_, e)| e.to));
    }
    // An endless loop does not return either, but nobody called a function for that.
    let mut calls = body.edges().values();
    !calls.any(|e| seen[e.from.index()] && blocked(&e.stmt))
}

/// The edges that are taken behind a `setjmp` only if it has returned a second time: those that say that its
/// result is not 0.
fn behind_second_returns(body: &Body) -> Vec<EdgeId> {
    let mut found = Vec::new();
    for edge in body.edges().values() {
        if let Stmt::Call(call) = &edge.stmt
            && call.outcome == CallOutcome::Again
            && let Some(result) = call.result
        {
            let tests = body.out_edges(edge.to);
            let second = tests.filter(|(_, e)| match e.stmt {
                Stmt::Assume(e) => says_nonzero(body, e, result),
                _ => false,
            });
            found.extend(second.map(|(id, _)| id));
        }
    }
    found
}

fn says_nonzero(body: &Body, e: ExprId, place: PlaceId) -> bool {
    match body.exprs[e].kind {
        ExprKind::Compare(CompareOp::Ne, a, b) => {
            matches!(body.exprs[b].kind, ExprKind::Int(0)) && body.loaded(a) == Some(place)
        }
        _ => false,
    }
}
