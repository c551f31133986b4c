//! The rules of a [`Model`]: what each edge, call and return does.

use crate::choose::{Chosen, Scope};
use crate::model::{At, Entered, Meaning, Model};
use crate::question::Question;
use crate::relate::Relation;
use crate::related::{Passed, Related};
use crate::scope::Reaching;
use crate::ways::Calls;
use automata::Context;
use ir::arena::Id;
use ir::{Body, CallOutcome, Callee, EdgeId, FuncId, Stmt};
use rustc_hash::FxHashMap;
use wpds::weights::RelationWeight;
use wpds::{Semiring, Symbol};

/// A model while its rules are made.
pub(crate) struct Building<'a, 'p> {
    pub(crate) context: &'p Context<'p>,
    pub(crate) question: &'a Question<'a>,
    pub(crate) scope: &'p Scope,
    pub(crate) model: Model,
    /// By function.
    pub(crate) related: &'p [Related],
    /// Weights of relations that were there before: many edges do the same.
    pub(crate) weights: FxHashMap<&'p Relation, Option<RelationWeight>>,
    pub(crate) reaching: Reaching,
}

impl<'p> Building<'_, 'p> {
    fn symbol(&mut self, function: usize, at: At) -> Symbol {
        self.model.meanings.push(Meaning { function, at });
        self.model.system.symbol()
    }

    /// Symbols for what runs reach of a function.
    pub(crate) fn enter(&mut self, chosen: &Chosen, related: &Related) {
        let i = self.model.functions.len();
        let body = &chosen.body;
        self.model
            .open
            .function(self.context, chosen.function, body, related.complete);
        let mut entered = Entered {
            function: chosen.function,
            body: Body::clone(body),
            facts: chosen
                .shared
                .iter()
                .chain(&chosen.facts)
                .map(|t| t.fact)
                .collect(),
            nodes: vec![None; body.node_count as usize],
            edges: vec![None; body.edges().len()],
        };
        for node in body.nodes() {
            if !related.reached[node.index()] {
                continue;
            }
            let edges: Vec<EdgeId> = body.out_edges(node).map(|(id, _)| id).collect();
            match edges[..] {
                [only] => {
                    let symbol = self.symbol(i, At::Edge(only));
                    entered.nodes[node.index()] = Some(symbol);
                    entered.edges[only.index()] = Some(symbol);
                }
                _ => {
                    entered.nodes[node.index()] = Some(self.symbol(i, At::Node(node)));
                    for edge in edges {
                        entered.edges[edge.index()] = Some(self.symbol(i, At::Edge(edge)));
                    }
                }
            }
        }
        self.model.functions.push(entered);
    }

    pub(crate) fn begin(&mut self) {
        let root = self
            .scope
            .index
            .get(&self.question.root)
            .copied()
            .unwrap_or(0);
        let Some(entered) = self.model.functions.get(root) else {
            return;
        };
        let Some(entry) = entered.nodes[entered.body.entry.index()] else {
            return;
        };
        let weight = self.model.formulas.begin(&self.related[root].at_entry);
        self.model.system.step(self.model.start, entry, weight);
    }

    /// The rules of a function.
    pub(crate) fn rules(&mut self, i: usize, calls: &Calls) {
        let chosen = &self.scope.functions[i];
        let body = &chosen.body;
        let one = self.model.relations().one();
        for node in body.nodes() {
            let Some(here) = self.model.functions[i].nodes[node.index()] else {
                continue;
            };
            let thrown = Some(node) == body.unwind;
            if node == body.exit || thrown {
                let known = &self.related[i].ends[usize::from(thrown)];
                let weight = self.model.formulas.leave(known, thrown);
                self.model.system.pop(here, weight);
                continue;
            }
            for (id, edge) in body.out_edges(node) {
                let Some(before) = self.model.functions[i].edges[id.index()] else {
                    continue;
                };
                if before != here {
                    self.model.system.step(here, before, one);
                }
                let after = self.model.functions[i].nodes[edge.to.index()];
                self.edge(i, id, before, after, calls);
            }
        }
    }

    fn edge(&mut self, i: usize, id: EdgeId, before: Symbol, after: Option<Symbol>, calls: &Calls) {
        let related = self.related;
        if let Some(cubes) = related[i].failing.get(&id)
            && !cubes.is_empty()
        {
            let weight = self.model.formulas.fail(cubes);
            let failed = self.symbol(i, At::Failed(id));
            self.model.system.step(before, failed, weight);
            let one = self.model.relations().one();
            self.model.system.step(failed, self.model.goal, one);
        }
        let at = calls.binary_search_by_key(&id, |(edge, _)| *edge).ok();
        let ways = at.map_or(&[][..], |at| &calls[at].1);
        let passed = related[i].passed.get(&id).into_iter().flatten();
        for (way, passed) in ways.iter().zip(passed) {
            self.call(i, id, (before, after), way.callee, passed);
        }
        if let (Some(after), Some(relation)) = (after, &related[i].steps[id.index()]) {
            self.detours(i, id, before, after, relation);
            let formulas = &self.model.formulas;
            let weight = self.weights.entry(relation);
            if let Some(weight) = *weight.or_insert_with(|| formulas.step(relation)) {
                self.model.system.step(before, after, weight);
            }
        }
    }

    /// A call that enters a function.
    fn call(
        &mut self,
        i: usize,
        id: EdgeId,
        (before, after): (Symbol, Option<Symbol>),
        callee: usize,
        passed: &Passed,
    ) {
        let entered = &self.model.functions[callee];
        let Some(entry) = entered.nodes[entered.body.entry.index()] else {
            return;
        };
        let mut known = passed.told.clone();
        let shared = self.model.shared;
        let at_entry = self.related[callee].at_entry.get(shared..).unwrap_or(&[]);
        for (_, values) in &mut known {
            for (value, always) in values.iter_mut().zip(at_entry) {
                *value = value.or(*always);
            }
        }
        let facts = entered.facts.len() - shared;
        let weight = self.model.formulas.enter(&known, facts, false);
        let returned = self.symbol(i, At::Returned(id));
        self.model.system.push(before, entry, returned, weight);
        let Some(after) = after else { return };
        let body = &self.scope.functions[i].body;
        let thrown =
            matches!(&body.edges()[id].stmt, Stmt::Call(c) if c.outcome == CallOutcome::Unwind);
        let (cases, changed) = &passed.back;
        if !cases.is_empty() {
            let weight = self.model.formulas.back(cases, changed, Some(thrown));
            self.model.system.step(returned, after, weight);
        }
    }

    /// A call that is one step may come, through whoever it calls, to a function that is entered elsewhere: then what is
    /// executed there is passed, too. Of its facts, and of globals, nothing is known then.
    fn detours(&mut self, i: usize, id: EdgeId, before: Symbol, after: Symbol, step: &Relation) {
        let body = &self.scope.functions[i].body;
        let Stmt::Call(call) = &body.edges()[id].stmt else {
            return;
        };
        if step.cases.is_empty() {
            return;
        }
        let called = match call.callee {
            Callee::Direct(f) => vec![f],
            Callee::Indirect(_) => self
                .context
                .indirect_targets(body, call)
                .unwrap_or_default(),
        };
        let outside = |f: &FuncId| !self.scope.index.contains_key(f);
        let called: Vec<FuncId> = called.into_iter().filter(outside).collect();
        let shared = self.model.formulas.shared();
        for callee in 0..self.scope.functions.len() {
            if !called.iter().any(|f| self.reaching.directly(*f, callee)) {
                // Pointers could lead to almost anything: that is said, and not taken into account.
                if called.iter().any(|f| self.reaching.somehow(*f, callee)) {
                    self.model
                        .open
                        .again
                        .insert(self.scope.functions[callee].function);
                }
                continue;
            }
            let entered = &self.model.functions[callee];
            let Some(entry) = entered.nodes[entered.body.entry.index()] else {
                continue;
            };
            let known = self.related[callee]
                .at_entry
                .get(shared.end..)
                .unwrap_or(&[]);
            let known = vec![(Vec::new(), known.to_vec())];
            let facts = entered.facts.len() - shared.end;
            let weight = self.model.formulas.enter(&known, facts, true);
            let returned = self.symbol(i, At::Returned(id));
            self.model.system.push(before, entry, returned, weight);
            let cases: Vec<_> = step
                .cases
                .iter()
                .map(|case| {
                    let mut case = case.clone();
                    case.now.retain(|(fact, _)| !shared.contains(fact));
                    case.next.retain(|(fact, _)| !shared.contains(fact));
                    (case, Vec::new())
                })
                .collect();
            let changed: Vec<usize> = shared.clone().chain(step.changed.iter().copied()).collect();
            let weight = self.model.formulas.back(&cases, &changed, None);
            self.model.system.step(returned, after, weight);
        }
    }
}
