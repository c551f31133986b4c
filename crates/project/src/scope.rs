//! Which functions are entered: those that can be on the stack when the check fails, and those whose result decides.
//!
//! All others are what level 1 says of a call ([`automata::Summary`], models of the library): such a call is one step. Of
//! what it executes nothing is told apart, so all of it that comes back is in the projection if the call is.

use crate::choose::Scope;
use crate::question::{Limits, Question};
use automata::Context;
use ir::arena::Id;
use ir::{CallGraph, Callee, FuncId, Program, Stmt};
use std::collections::{BTreeSet, VecDeque};

/// The functions that are entered in any case.
pub struct Chain {
    /// On the way from the root to the check's, in the order of their distance from the check's.
    pub on_stack: Vec<FuncId>,
    /// Others that the path passes: what they give back may decide.
    pub beside: Vec<FuncId>,
    /// There are more on the way than may be looked into.
    pub cut: bool,
}

/// Who can be on the stack, and who is on the path.
pub fn chain(context: &Context<'_>, question: &Question<'_>, limits: &Limits) -> Chain {
    let (program, graph) = (context.program, context.graph);
    if question.body.is_some() {
        return Chain {
            on_stack: vec![question.function],
            beside: Vec::new(),
            cut: false,
        };
    }
    let below = closure(program, question.root, &|f| graph.callees(f).to_vec());
    let above = distances(program, graph, question.function, &below);
    let mut chain = above;
    let known = |f: &FuncId| program.functions[*f].body.is_some();
    chain.retain(known);
    let edges = |f: &FuncId| {
        let body = program.functions[*f].body.as_ref();
        body.map_or(0, |b| b.edges().len())
    };
    let total: usize = chain.iter().map(edges).sum();
    let cut = chain.len() > limits.functions || total > limits.edges;
    if cut {
        let mut kept: BTreeSet<FuncId> = question.path.iter().map(|(f, _)| *f).collect();
        kept.extend([question.root, question.function]);
        chain.retain(|f| kept.contains(f));
    }
    for f in [question.function, question.root] {
        if !chain.contains(&f) && known(&f) {
            chain.insert(0, f);
        }
    }
    let mut beside: Vec<FuncId> = Vec::new();
    for (f, _) in question.path {
        if !chain.contains(f) && !beside.contains(f) && known(f) {
            beside.push(*f);
        }
    }
    Chain {
        on_stack: chain,
        beside,
        cut,
    }
}

/// All functions that are reached, by id.
fn closure(program: &Program, from: FuncId, next: &dyn Fn(FuncId) -> Vec<FuncId>) -> Vec<bool> {
    let mut reached = vec![false; program.functions.len()];
    let mut waiting = vec![from];
    while let Some(f) = waiting.pop() {
        if !std::mem::replace(&mut reached[f.index()], true) {
            waiting.extend(next(f));
        }
    }
    reached
}

/// The callers of a function and theirs, nearest first, as far as they are within a set.
fn distances(program: &Program, graph: &CallGraph, from: FuncId, within: &[bool]) -> Vec<FuncId> {
    let mut seen = vec![false; program.functions.len()];
    let mut order = Vec::new();
    let mut waiting = VecDeque::from([from]);
    while let Some(f) = waiting.pop_front() {
        if within[f.index()] && !std::mem::replace(&mut seen[f.index()], true) {
            order.push(f);
            waiting.extend(graph.callers(f));
        }
    }
    order
}

/// For each function that is entered, by id: who can come to call it?
pub struct Reaching {
    /// By calls that name their callee.
    direct: Vec<Vec<bool>>,
    /// By any calls.
    any: Vec<Vec<bool>>,
}

impl Reaching {
    pub fn new(context: &Context<'_>, scope: &Scope) -> Reaching {
        let program = context.program;
        let mut callers: Vec<Vec<FuncId>> = vec![Vec::new(); program.functions.len()];
        for (f, _, body) in program.bodies() {
            for edge in body.edges().values() {
                if let Stmt::Call(call) = &edge.stmt
                    && let Callee::Direct(g) = call.callee
                    && callers[g.index()].last() != Some(&f)
                {
                    callers[g.index()].push(f);
                }
            }
        }
        let of = |next: &dyn Fn(FuncId) -> Vec<FuncId>| -> Vec<Vec<bool>> {
            let functions = scope.functions.iter();
            functions
                .map(|f| closure(program, f.function, next))
                .collect()
        };
        Reaching {
            direct: of(&|f| callers[f.index()].clone()),
            any: of(&|f| context.graph.callers(f).to_vec()),
        }
    }

    /// Can a function come to call the one with this index, by calls that name their callees?
    pub fn directly(&self, from: FuncId, to: usize) -> bool {
        self.direct[to][from.index()]
    }

    /// The same, or through pointers.
    pub fn somehow(&self, from: FuncId, to: usize) -> bool {
        self.any[to][from.index()]
    }
}
