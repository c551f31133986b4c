//! Which functions are entered: those that can be on the stack when the check fails, and those whose result decides.
//!
//! All others are what level 1 says of a call ([`automata::Summary`], models of the library): such a call is one step. Of
//! what it executes nothing is told apart, so all of it that comes back is in the projection if the call is.

use crate::question::{Limits, Question};
use automata::Context;
use ir::arena::Id;
use ir::{CallGraph, FuncId, Program};
use std::collections::{BTreeSet, VecDeque};

/// The functions on the way from the root to the check's, in the order of their distance from the check's; and whether
/// there are more of them than may be looked into.
pub fn chain(
    context: &Context<'_>,
    question: &Question<'_>,
    limits: &Limits,
) -> (Vec<FuncId>, bool) {
    let (program, graph) = (context.program, context.graph);
    let below = closure(program, question.root, |f| graph.callees(f));
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
    // Whoever is on the path is looked into, on the way to the check or not.
    for (f, _) in question.path {
        if !chain.contains(f) && known(f) {
            chain.push(*f);
        }
    }
    for f in [question.function, question.root] {
        if !chain.contains(&f) && known(&f) {
            chain.insert(0, f);
        }
    }
    (chain, cut)
}

/// All functions that are reached, by id.
pub fn closure<'g>(
    program: &Program,
    from: FuncId,
    next: impl Fn(FuncId) -> &'g [FuncId],
) -> Vec<bool> {
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
