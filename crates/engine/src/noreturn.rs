//! Functions that never return: `exit`, `abort`, what is declared so, what the user names, and
//! what can only end by calling one of them.
//!
//! A function never returns if its exit cannot be reached when calls of such functions are taken
//! out. Found by going from callees to callers until nothing is new; a recursion that has no way
//! out but itself is not called never-returning, for that is a guess about termination.
//!
//! Some end the program only if they are told so: `void wrapup(int fini) { … if (fini) exit(1); }`. What is known of
//! these is a parameter and whether it is 0 ([`Given`]): a call that passes such a constant does not come back, nor does one that
//! hands on a parameter of which that is given.

use crate::schedule::Mentions;
use automata::models::model;
use automata::summary::fixed_params;
use ir::arena::Id;
use ir::{Body, CallGraph, CallOutcome, Callee, CompareOp, EdgeId, ExprId, ExprKind, FuncId};
use ir::{PlaceId, Program, Stmt, TypeTable};

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
    let mut ends: Vec<Vec<Given>> = vec![Vec::new(); program.functions.len()];
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
        let Some(body) = &program.functions[id].body else {
            continue;
        };
        let known = Known {
            program,
            graph,
            never: &never,
            ends: &ends,
            jumps,
        };
        if !known.can_return(body, None) {
            never[f] = true;
            work.extend(&callers[f]);
            continue;
        }
        for given in possible(&program.types, body) {
            if ends[f].contains(&given) {
                continue;
            }
            let known = Known {
                program,
                graph,
                never: &never,
                ends: &ends,
                jumps,
            };
            if !known.can_return(body, Some(given)) {
                ends[f].push(given);
                let callers = callers[f].iter().copied();
                work.extend(callers.filter(|caller| {
                    let caller = &program.functions[FuncId(*caller as u32)].body;
                    caller
                        .as_ref()
                        .is_some_and(|b| may_give(&program.types, b, id, given))
                }));
            }
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

/// What a call may say of a parameter that its function never writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Given {
    param: usize,
    /// It is 0, or null; else it is not.
    zero: bool,
}

/// What may be given to a function that makes a difference to its branches or to those that it calls.
fn possible(types: &TypeTable, body: &Body) -> Vec<Given> {
    let fixed = fixed_params(body);
    let mut matters = vec![false; fixed.len()];
    let mut note = |e: ExprId| {
        let param = param_of(types, body, e);
        param.into_iter().for_each(|i| matters[i] = true);
    };
    for edge in body.edges().values() {
        match &edge.stmt {
            Stmt::Assume(e) => {
                if let Some((a, _)) = compared_with_zero(body, *e) {
                    note(a);
                }
            }
            Stmt::Call(call) => call.args.iter().for_each(|e| note(*e)),
            _ => {}
        }
    }
    let params = (0..fixed.len()).filter(|i| fixed[*i] && matters[*i]);
    let both = params.flat_map(|param| [true, false].map(|zero| Given { param, zero }));
    both.collect()
}

/// The parameter that an expression is the value of, as far as it can be told from 0: a narrower number may
/// be 0 where it is not.
fn param_of(types: &TypeTable, body: &Body, mut e: ExprId) -> Option<usize> {
    let width = |e: ExprId| match body.exprs[e].ty {
        ty if types.is_pointer(ty) => Some(64),
        ty => types.as_int(ty).map(|(width, _)| width),
    };
    loop {
        match body.exprs[e].kind {
            ExprKind::Cast(inner) if width(inner)? <= width(e)? => e = inner,
            ExprKind::Load(place) => {
                let var = body.places[place].as_var()?;
                return body.params.iter().position(|p| *p == var);
            }
            _ => return None,
        }
    }
}

/// `x == 0` or `x != 0`: what is compared, and whether it is 0.
fn compared_with_zero(body: &Body, e: ExprId) -> Option<(ExprId, bool)> {
    match body.exprs[e].kind {
        ExprKind::Compare(op @ (CompareOp::Eq | CompareOp::Ne), a, b)
            if matches!(body.exprs[b].kind, ExprKind::Int(0) | ExprKind::Null) =>
        {
            Some((a, op == CompareOp::Eq))
        }
        _ => None,
    }
}

/// Could a call in the body give this to the function?
fn may_give(types: &TypeTable, body: &Body, f: FuncId, given: Given) -> bool {
    let mut calls = body.edges().values();
    calls.any(|edge| match &edge.stmt {
        Stmt::Call(call) if call.callee == Callee::Direct(f) => {
            let arg = call.args.get(given.param);
            arg.is_some_and(|e| match body.exprs[*e].kind {
                ExprKind::Int(value) => (value == 0) == given.zero,
                ExprKind::Null => given.zero,
                _ => param_of(types, body, *e).is_some(),
            })
        }
        _ => false,
    })
}

/// Is an argument 0? None: it may be or not.
fn gives(types: &TypeTable, body: &Body, e: ExprId, given: Option<Given>) -> Option<bool> {
    match body.exprs[e].kind {
        ExprKind::Int(value) => Some(value == 0),
        ExprKind::Null => Some(true),
        _ => {
            let param = param_of(types, body, e)?;
            given.filter(|g| g.param == param).map(|g| g.zero)
        }
    }
}

/// What is known so far.
struct Known<'a> {
    program: &'a Program,
    graph: &'a CallGraph,
    never: &'a [bool],
    ends: &'a [Vec<Given>],
    jumps: Jumps,
}

impl Known<'_> {
    /// Does a statement never come back?
    fn blocks(&self, body: &Body, stmt: &Stmt, given: Option<Given>) -> bool {
        match stmt {
            Stmt::Trap(_) => true,
            Stmt::Call(call) if call.outcome == CallOutcome::Again && self.jumps == Jumps::None => {
                true
            }
            Stmt::Call(call) if call.outcome != CallOutcome::Unwind => {
                call.noreturn
                    || match call.callee {
                        Callee::Direct(f) => {
                            self.never[f.index()]
                                || self.ends[f.index()].iter().any(|end| {
                                    let arg = call.args.get(end.param);
                                    arg.and_then(|e| gives(&self.program.types, body, *e, given))
                                        == Some(end.zero)
                                })
                        }
                        Callee::Indirect(_) => {
                            let targets = self.graph.targets(self.program, body, call);
                            !targets.is_empty() && targets.iter().all(|f| self.never[f.index()])
                        }
                    }
            }
            _ => false,
        }
    }

    fn can_return(&self, body: &Body, given: Option<Given>) -> bool {
        let contradicts = |stmt: &Stmt| match (stmt, given) {
            (Stmt::Assume(e), Some(given)) => {
                compared_with_zero(body, *e).is_some_and(|(a, zero)| {
                    gives(&self.program.types, body, a, Some(given)) == Some(!zero)
                })
            }
            _ => false,
        };
        let second: Vec<EdgeId> = match self.jumps {
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
            let next = body.out_edges(n).filter(|(id, e)| {
                !self.blocks(body, &e.stmt, given) && !contradicts(&e.stmt) && !second.contains(id)
            });
            stack.extend(next.map(|(_, e)| e.to));
        }
        // An endless loop does not return either, but nobody called a function for that.
        let mut calls = body.edges().values();
        !calls.any(|e| seen[e.from.index()] && self.blocks(body, &e.stmt, given))
    }
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
