//! Which facts are told apart: those that the check depends on, nearest first.
//!
//! A fact is a condition that holds of a store or does not. The check's own condition is one; what the variables in it are
//! compared with, in branches and in other checks, are others; then those of the variables that these are computed
//! from, and so on for a few rounds. A callee's facts about its parameters become facts of the caller about the arguments,
//! and what a caller asks of a result becomes a question for the callee.

use crate::extended::Extended;
use crate::guards::Guards;
use crate::question::{Limits, Question};
use crate::reads::Reads;
use crate::scope;
use automata::Context;
use automata::conditions::{Key, key, stated};
use ir::{
    Body, Callee, CheckId, CompareOp, Condition, EdgeId, Expr, ExprId, ExprKind, FuncId, Program,
    Stmt, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Assignments through which facts are followed.
const ROUNDS: usize = 3;
/// How deep callees are entered for their results.
const DEPTH: usize = 2;
/// Larger functions are not entered for their results.
const HELPER_EDGES: usize = 1500;
/// What is asked of a result.
const RESULTS: usize = 4;

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
struct Open {
    function: FuncId,
    extended: Extended,
    facts: Vec<Told>,
    results: Vec<ExprId>,
    depth: usize,
}

/// What is asked of a function from outside.
#[derive(Default)]
struct Seeds {
    facts: Vec<ExprId>,
    /// Its result matters.
    result: bool,
    depth: usize,
}

pub fn choose(context: &Context<'_>, question: &Question<'_>, limits: &Limits) -> Scope {
    let (chain, cut) = scope::chain(context, question, limits);
    let program = context.program;
    let mut open: Vec<Open> = Vec::new();
    let mut index: FxHashMap<FuncId, usize> = FxHashMap::default();
    let mut waiting: Vec<(FuncId, Seeds)> = chain.iter().map(|f| (*f, Seeds::default())).collect();
    let mut at = 0;
    while at < waiting.len() {
        let (f, seeds) = std::mem::take(&mut waiting[at].1).of(waiting[at].0);
        at += 1;
        let Some(body) = &program.functions[f].body else {
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
            depth: seeds.depth,
        };
        let mut carried = seeds.facts;
        carry_from_callees(program, &open, &index, &mut this, &mut carried);
        let mut asks = this.pick(program, question, limits, &carried, seeds.result);
        asks.retain(|g| worth_entering(program, *g));
        index.insert(f, open.len());
        let depth = this.depth;
        open.push(this);
        for g in asks {
            let known = index.contains_key(&g) || waiting[at..].iter().any(|(w, _)| *w == g);
            if !known && depth < DEPTH && waiting.len() < limits.functions {
                waiting.push((
                    g,
                    Seeds {
                        facts: Vec::new(),
                        result: true,
                        depth: depth + 1,
                    },
                ));
            }
        }
    }
    share(open, index, cut, limits)
}

impl Seeds {
    fn of(self, f: FuncId) -> (FuncId, Seeds) {
        (f, self)
    }
}

fn worth_entering(program: &Program, f: FuncId) -> bool {
    let body = program.functions[f].body.as_ref();
    body.is_some_and(|b| b.edges().len() <= HELPER_EDGES)
}

/// The facts of callees about their parameters, as facts of this function about its arguments.
fn carry_from_callees(
    program: &Program,
    open: &[Open],
    index: &FxHashMap<FuncId, usize>,
    this: &mut Open,
    carried: &mut Vec<ExprId>,
) {
    let Some(body) = &program.functions[this.function].body else {
        return;
    };
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

/// A fact that could be chosen: how far from the check, and whether the path tests it.
struct Candidate {
    rank: (usize, bool, usize),
    told: Told,
}

impl Open {
    /// Chooses the facts; the functions whose results matter.
    fn pick(
        &mut self,
        program: &Program,
        question: &Question<'_>,
        limits: &Limits,
        carried: &[ExprId],
        result: bool,
    ) -> Vec<FuncId> {
        let mut found: Vec<Candidate> = Vec::new();
        let mut known: FxHashSet<Key> = FxHashSet::default();
        let mut vars = Reads::default();
        let learnt = question.learnt.iter().filter(|(f, _)| *f == self.function);
        let mut first: Vec<ExprId> = learnt.map(|(_, e)| *e).collect();
        if self.function == question.function
            && let Some(check) = self.extended.body.checks.get(question.check)
        {
            match check.condition {
                Condition::Holds(e) => first.push(e),
                Condition::Initialized(_) | Condition::Alive(_) => {
                    let fact = Fact::Check(question.check);
                    let reads = Reads::of_check(&self.extended.body, question.check);
                    let told = Told { fact, reads };
                    let rank = (0, false, 0);
                    found.push(Candidate { rank, told });
                }
                Condition::InBounds { .. } | Condition::Unreachable => {}
            }
            vars.add(&Reads::of_check(&self.extended.body, question.check));
        }
        first.extend(carried);
        for e in first {
            vars.add(&Reads::of_expr(&self.extended.body, e));
            self.propose(e, (0, false, 0), &mut known, &mut found);
        }
        if result && let Some(ret) = self.extended.body.ret {
            vars.vars.insert(ret);
        }
        let on_path: FxHashSet<EdgeId> = question
            .path
            .iter()
            .filter(|(f, _)| *f == self.function)
            .map(|(_, e)| *e)
            .collect();
        let edges: Vec<(EdgeId, Stmt)> = {
            let all = self.extended.body.edges().iter();
            all.map(|(id, e)| (id, e.stmt.clone())).collect()
        };
        let reads: Vec<Reads> = edges
            .iter()
            .map(|(_, stmt)| Reads::of_statement(&self.extended.body, stmt))
            .collect();
        let guards: Vec<Vec<ExprId>> = {
            let guards = Guards::new(&self.extended.body);
            let of = |(id, stmt): &(EdgeId, Stmt)| match stmt {
                Stmt::Assign { place, .. } | Stmt::Havoc { place, .. } => {
                    let var = self.extended.body.places[*place].as_var();
                    var.map_or(Vec::new(), |_| guards.of(*id))
                }
                Stmt::Call(_) => guards.of(*id),
                Stmt::Check(check) if self.is_asked(question, *check) => guards.of(*id),
                _ => Vec::new(),
            };
            edges.iter().map(of).collect()
        };
        // What decides whether the check is come to.
        for (i, (_, stmt)) in edges.iter().enumerate() {
            if matches!(stmt, Stmt::Check(check) if self.is_asked(question, *check)) {
                for e in &guards[i] {
                    vars.add(&Reads::of_expr(&self.extended.body, *e));
                    self.propose(*e, (1, false, i), &mut known, &mut found);
                }
            }
        }
        let mut asks: Vec<FuncId> = Vec::new();
        for round in 1..=ROUNDS {
            let mut more = Reads::default();
            for (i, (id, stmt)) in edges.iter().enumerate() {
                let rank = (round, !on_path.contains(id), i);
                match stmt {
                    Stmt::Assume(e) if reads[i].names(&vars) => {
                        self.propose(*e, rank, &mut known, &mut found);
                    }
                    Stmt::Assign { place, value } => {
                        let Some(v) = self.extended.body.places[*place].as_var() else {
                            continue;
                        };
                        if !vars.vars.contains(&v) {
                            continue;
                        }
                        more.add(&Reads::of_expr(&self.extended.body, *value));
                        for e in &guards[i] {
                            more.add(&Reads::of_expr(&self.extended.body, *e));
                            self.propose(*e, rank, &mut known, &mut found);
                        }
                        for e in stated(&self.extended.body, *value) {
                            if matches!(self.extended.body.exprs[e].kind, ExprKind::Compare(..)) {
                                self.propose(e, rank, &mut known, &mut found);
                            }
                        }
                        // A variable that is set to a constant is a state of something.
                        let Expr { kind, ty } = self.extended.body.exprs[*value].clone();
                        let pointer = program.types.is_pointer(ty);
                        match kind {
                            ExprKind::Int(bits) if round < ROUNDS => {
                                let e = self.extended.equals(*place, pointer, bits);
                                self.propose(e, rank, &mut known, &mut found);
                            }
                            ExprKind::Null if round < ROUNDS => {
                                let e = self.extended.equals(*place, pointer, 0);
                                self.propose(e, rank, &mut known, &mut found);
                            }
                            _ => {}
                        }
                    }
                    Stmt::Call(call) => {
                        let result = call
                            .result
                            .and_then(|p| self.extended.body.places[p].as_var());
                        if let (Some(v), Callee::Direct(g)) = (result, call.callee)
                            && vars.vars.contains(&v)
                        {
                            for e in &guards[i] {
                                more.add(&Reads::of_expr(&self.extended.body, *e));
                                self.propose(*e, rank, &mut known, &mut found);
                            }
                            if !asks.contains(&g) {
                                asks.push(g);
                            }
                        }
                    }
                    _ => {}
                }
            }
            vars.add(&more);
        }
        found.sort_by_key(|c| c.rank);
        found.truncate(limits.facts);
        self.facts = found.into_iter().map(|c| c.told).collect();
        self.ask_of_result(program);
        asks
    }

    /// Is this the check that is to fail?
    fn is_asked(&self, question: &Question<'_>, check: CheckId) -> bool {
        self.function == question.function && check == question.check
    }

    /// A condition, or what it is made of.
    fn propose(
        &mut self,
        e: ExprId,
        rank: (usize, bool, usize),
        known: &mut FxHashSet<Key>,
        found: &mut Vec<Candidate>,
    ) {
        let body = &self.extended.body;
        let parts = stated(body, e);
        // Of a condition in cases the cases say it all.
        let parts = match parts.len() {
            1 => &parts[..],
            _ => &parts[1..],
        };
        for &part in parts {
            if !matches!(
                body.exprs[part].kind,
                ExprKind::Compare(..) | ExprKind::Unary(..) | ExprKind::Load(_)
            ) {
                continue;
            }
            let reads = Reads::of_expr(body, part);
            if (reads.vars.is_empty() && reads.globals.is_empty() && !reads.behind)
                || !known.insert(key(body, part).0)
            {
                continue;
            }
            let fact = Fact::Condition(part);
            let told = Told { fact, reads };
            found.push(Candidate { rank, told });
        }
    }

    /// What callers could want to know of the result: is it null; is it 0, negative, one of the constants it is set to?
    fn ask_of_result(&mut self, program: &Program) {
        let Some(ret) = self.extended.body.ret else {
            return;
        };
        let ty = self.extended.body.vars[ret].ty;
        let place = self.extended.variable(ret);
        if program.types.is_pointer(ty) {
            let e = self.extended.equals(place, true, 0);
            self.results.push(e);
            return;
        }
        let Some((_, signed)) = program.types.as_int(ty) else {
            return;
        };
        let e = self.extended.equals(place, false, 0);
        self.results.push(e);
        if signed {
            let e = self.extended.compared(CompareOp::Lt, place, false, 0);
            self.results.push(e);
        }
        let mut constants: BTreeMap<u128, ()> = BTreeMap::new();
        for edge in self.extended.body.edges().values() {
            if let Stmt::Assign { place, value } = edge.stmt
                && self.extended.body.places[place].as_var() == Some(ret)
                && let ExprKind::Int(bits) = self.extended.body.exprs[value].kind
                && bits != 0
            {
                constants.insert(bits, ());
            }
        }
        for bits in constants.into_keys() {
            if self.results.len() < RESULTS {
                let e = self.extended.equals(place, false, bits);
                self.results.push(e);
            }
        }
    }
}

impl Reads {
    fn add(&mut self, other: &Reads) {
        self.vars.extend(&other.vars);
        self.globals.extend(&other.globals);
    }

    /// Is one of the other's variables named here?
    fn names(&self, other: &Reads) -> bool {
        self.vars.iter().any(|v| other.vars.contains(v))
            || self.globals.iter().any(|g| other.globals.contains(g))
    }
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
