//! The facts of one function: proposed by how near to the check they are, and the nearest are taken.
//!
//! Near are the conditions of the branches that decide whether the check is come to, then those that name a variable of these, or that
//! decide whether such a variable is assigned; then the same for what is assigned to it; and so on for a few rounds.

use crate::choose::{Fact, Open, Told};
use crate::guards::Guards;
use crate::question::{Limits, Question};
use crate::reads::Reads;
use automata::conditions::{Key, key, stated};
use ir::arena::Id;
use ir::{
    Callee, CheckId, CompareOp, Condition, EdgeId, Expr, ExprId, ExprKind, FuncId, NodeId, PlaceId,
    Program, Stmt,
};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Assignments through which facts are followed.
const ROUNDS: usize = 3;
/// What is asked of a result.
const RESULTS: usize = 4;

/// A fact that could be chosen: how far from the check, and whether the path tests it.
struct Candidate {
    rank: (usize, bool, usize),
    told: Told,
}

impl Open {
    /// Chooses the facts; the functions whose results matter.
    pub(crate) fn pick(
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
                Condition::Initialized(_)
                | Condition::Alive(_)
                | Condition::Freeable { .. }
                | Condition::Apart(..) => {
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
        // After the check, only what is given back is of any use.
        let matters: Vec<bool> = match self.function == question.function && !result {
            true => self.before_check(question.check),
            false => vec![true; edges.len()],
        };
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
                            // What the callee answers has to be remembered until it is used: before the check.
                            if let (Some(place), true) = (call.result, matters[i]) {
                                for e in self.asked_of(program, place) {
                                    self.propose(e, rank, &mut known, &mut found);
                                }
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

    /// By edge: can a run come from it to the check?
    fn before_check(&self, check: CheckId) -> Vec<bool> {
        let body = &self.extended.body;
        let into = body.in_edges();
        let mut nodes = vec![false; into.len()];
        let mut waiting: Vec<NodeId> = Vec::new();
        for edge in body.edges().values() {
            if matches!(edge.stmt, Stmt::Check(c) if c == check) {
                waiting.push(edge.from);
            }
        }
        while let Some(node) = waiting.pop() {
            if !std::mem::replace(&mut nodes[node.index()], true) {
                waiting.extend(into[node.index()].iter().map(|e| body.edges()[*e].from));
            }
        }
        let edges = body.edges().values();
        edges.map(|edge| nodes[edge.to.index()]).collect()
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

    /// What is asked of a place that takes a result: is it null; is it 0, or negative?
    fn asked_of(&mut self, program: &Program, place: PlaceId) -> Vec<ExprId> {
        let ty = self.extended.body.places[place].ty;
        if program.types.is_pointer(ty) {
            return vec![self.extended.equals(place, true, 0)];
        }
        let mut all = Vec::new();
        if let Some((_, signed)) = program.types.as_int(ty) {
            all.push(self.extended.equals(place, false, 0));
            if signed {
                all.push(self.extended.compared(CompareOp::Lt, place, false, 0));
            }
        }
        all
    }

    /// What callers could want to know of the result: is it null; is it 0, negative, one of the constants it is set to?
    fn ask_of_result(&mut self, program: &Program) {
        let Some(ret) = self.extended.body.ret else {
            return;
        };
        let place = self.extended.variable(ret);
        self.results = self.asked_of(program, place);
        let ty = self.extended.body.vars[ret].ty;
        if program.types.as_int(ty).is_none() {
            return;
        }
        let mut constants: BTreeSet<u128> = BTreeSet::new();
        for edge in self.extended.body.edges().values() {
            if let Stmt::Assign { place, value } = edge.stmt
                && self.extended.body.places[place].as_var() == Some(ret)
                && let ExprKind::Int(bits) = self.extended.body.exprs[value].kind
                && bits != 0
            {
                constants.insert(bits);
            }
        }
        for bits in constants {
            if self.results.len() < RESULTS {
                let e = self.extended.equals(place, false, bits);
                self.results.push(e);
            }
        }
    }
}

impl Reads {
    /// Speaks of what the other speaks of, too. (What is behind pointers is too much to follow.)
    fn add(&mut self, other: &Reads) {
        self.vars.extend(&other.vars);
        self.globals.extend(&other.globals);
    }
}
