//! Which facts are told apart: those that the check depends on, nearest first.
//!
//! A fact is a condition that holds of a store or does not. The check's own condition is one; what the variables in it are
//! compared with, in branches and in other checks, are others; then those of the variables that these are computed
//! from, and so on for a few rounds. A callee's facts about its parameters become facts of the caller about the arguments,
//! and what a caller asks of a result becomes a question for the callee.

use crate::extended::Extended;
use crate::question::{Limits, Question};
use crate::reads::Reads;
use crate::scope;
use automata::Context;
use automata::conditions::key;
use ir::{Body, Callee, CheckId, ExprId, FuncId, Program, Stmt, VarId};
use rustc_hash::FxHashMap;

/// How deep callees are entered for their results.
const DEPTH: usize = 2;
/// Larger functions are not entered for their results.
const HELPER_EDGES: usize = 1500;

/// Something that holds or does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fact {
    Condition(ExprId),
    /// What a check asks for: that something is written, or alive.
    Check(CheckId),
}

/// A fact of a function, and what it speaks of.
#[derive(Clone, Debug)]
pub struct Told {
    pub fact: Fact,
    pub reads: Reads,
}

/// A function that is entered.
pub struct Chosen {
    pub function: FuncId,
    /// The body with all that facts need.
    pub body: Body,
    /// Facts of every call of it.
    pub facts: Vec<Told>,
    /// The facts about globals, the same for all functions, as this one says them.
    pub shared: Vec<Told>,
    /// What callers ask of its result.
    pub results: Vec<ExprId>,
}

/// All functions that are entered.
pub struct Scope {
    pub functions: Vec<Chosen>,
    pub index: FxHashMap<FuncId, usize>,
    /// Some that should be are not.
    pub cut: bool,
}

/// A function while facts are chosen.
pub(crate) struct Open {
    pub function: FuncId,
    pub extended: Extended,
    pub facts: Vec<Told>,
    pub results: Vec<ExprId>,
}

/// A function that is to be entered.
#[derive(Clone, Copy)]
struct Wanted {
    function: FuncId,
    /// Its result matters.
    result: bool,
    depth: usize,
}

pub fn choose(context: &Context<'_>, question: &Question<'_>, limits: &Limits) -> Scope {
    let chain = scope::chain(context, question, limits);
    let program = context.program;
    let mut open: Vec<Open> = Vec::new();
    let mut index: FxHashMap<FuncId, usize> = FxHashMap::default();
    let all = |functions: &[FuncId], result| -> Vec<Wanted> {
        let wanted = |function| Wanted {
            function,
            result,
            depth: 0,
        };
        functions.iter().copied().map(wanted).collect()
    };
    let mut waiting = all(&chain.on_stack, false);
    waiting.extend(all(&chain.beside, true));
    let mut at = 0;
    while let Some(&Wanted {
        function: f,
        result,
        depth,
    }) = waiting.get(at)
    {
        at += 1;
        let Some(body) = question.body_of(program, f) else {
            continue;
        };
        if index.contains_key(&f) {
            continue;
        }
        let mut this = Open {
            function: f,
            extended: Extended::new(body),
            facts: Vec::new(),
            results: Vec::new(),
        };
        let mut carried = Vec::new();
        carry_from_callees(body, &open, &index, &mut this, &mut carried);
        let mut asks = this.pick(program, question, limits, &carried, result);
        asks.retain(|g| worth_entering(program, *g));
        index.insert(f, open.len());
        open.push(this);
        for g in asks {
            let known = index.contains_key(&g) || waiting[at..].iter().any(|w| w.function == g);
            let may = question.body.is_none() && depth < DEPTH;
            if !known && may && waiting.len() < limits.functions {
                waiting.push(Wanted {
                    function: g,
                    result: true,
                    depth: depth + 1,
                });
            }
        }
    }
    share(open, index, chain.cut, limits)
}

fn worth_entering(program: &Program, f: FuncId) -> bool {
    let body = program.functions[f].body.as_ref();
    body.is_some_and(|b| b.edges().len() <= HELPER_EDGES)
}

/// The facts of callees about their parameters, as facts of this function about its arguments.
fn carry_from_callees(
    body: &Body,
    open: &[Open],
    index: &FxHashMap<FuncId, usize>,
    this: &mut Open,
    carried: &mut Vec<ExprId>,
) {
    for edge in body.edges().values() {
        let Stmt::Call(call) = &edge.stmt else {
            continue;
        };
        let Callee::Direct(g) = call.callee else {
            continue;
        };
        let Some(callee) = index.get(&g).and_then(|i| open.get(*i)) else {
            continue;
        };
        for told in &callee.facts {
            if let Fact::Condition(e) = told.fact
                && !told.reads.only_globals()
                && let Some(here) =
                    at_call(&mut this.extended, &callee.extended.body, &call.args, e)
                && !carried.contains(&here)
            {
                carried.push(here);
            }
        }
    }
}

/// A callee's condition, with the arguments in the place of its parameters.
pub fn at_call(caller: &mut Extended, callee: &Body, args: &[ExprId], e: ExprId) -> Option<ExprId> {
    let argument = |v: VarId| {
        let i = callee.params.iter().position(|p| *p == v)?;
        args.get(i).copied()
    };
    caller.carried(callee, e, &argument)
}

/// Facts about globals become facts of all functions.
fn share(
    mut open: Vec<Open>,
    index: FxHashMap<FuncId, usize>,
    cut: bool,
    limits: &Limits,
) -> Scope {
    let mut shared: Vec<(usize, ExprId)> = Vec::new();
    for i in 0..open.len() {
        let facts = std::mem::take(&mut open[i].facts);
        let (global, own): (Vec<Told>, Vec<Told>) = facts
            .into_iter()
            .partition(|told| told.reads.only_globals());
        open[i].facts = own;
        for told in global {
            let Fact::Condition(e) = told.fact else {
                continue;
            };
            let known = shared.iter().any(|(j, other)| {
                let there = carried_between(&mut open, *j, i, *other);
                let same = |x| key(&open[i].extended.body, x).0 == key(&open[i].extended.body, e).0;
                there.is_some_and(same)
            });
            if !known && shared.len() < limits.shared {
                shared.push((i, e));
            }
        }
    }
    // Only what all functions can say.
    shared
        .retain(|(j, e)| (0..open.len()).all(|i| carried_between(&mut open, *j, i, *e).is_some()));
    let mut functions = Vec::new();
    for i in 0..open.len() {
        let here = shared
            .iter()
            .filter_map(|(j, e)| carried_between(&mut open, *j, i, *e));
        functions.push(here.collect::<Vec<ExprId>>());
    }
    let functions = open
        .into_iter()
        .zip(functions)
        .map(|(this, shared)| {
            let body = this.extended.body;
            let shared = shared.into_iter().map(|e| Told {
                fact: Fact::Condition(e),
                reads: Reads::of_expr(&body, e),
            });
            Chosen {
                function: this.function,
                shared: shared.collect(),
                facts: this.facts,
                results: this.results,
                body,
            }
        })
        .collect();
    Scope {
        functions,
        index,
        cut,
    }
}

/// A condition about globals, as another function says it.
fn carried_between(open: &mut [Open], from: usize, to: usize, e: ExprId) -> Option<ExprId> {
    if from == to {
        return Some(e);
    }
    let [a, b] = open.get_disjoint_mut([from, to]).ok()?;
    b.extended.carried(&a.extended.body, e, &|_| None)
}
