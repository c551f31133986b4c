//! The program, as far as it matters for a check, as a weighted pushdown system (§3 of the paper).
//!
//! One state. A symbol for each node of the functions that are entered, and one for each edge where a node has several: so
//! the projection says of every *edge* whether a failing run can take it. A call is a push, with what arguments say
//! of parameters; the return is a pop, with answers about the result; what the caller makes of these, and of what the callee may
//! have written, is a step of its own.

use crate::choose::{Chosen, Fact, Scope, Told, choose};
use crate::extended::Extended;
use crate::formulas::Formulas;
use crate::open::Openness;
use crate::question::{Limits, Question};
use crate::reads::Reads;
use crate::relate::{Relating, Relation};
use crate::scope::closure;
use automata::everywhere::everywhere;
use automata::{Answer, Context, Plan};
use ir::arena::Id;
use ir::{Body, Call, CallOutcome, Callee, EdgeId, ExprId, FuncId, NodeId, Stmt};
use wpds::weights::{RelationWeight, Relations};
use wpds::{Configuration, Language, Semiring, State, Symbol, System};

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// Before an edge.
    Edge(EdgeId),
    /// At a node with no edges, or with several.
    Node(NodeId),
    /// Back from the call of an edge.
    Returned(EdgeId),
    /// The check of an edge has failed.
    Failed(EdgeId),
    /// Before anything begins, and after everything.
    Outside,
}

/// A symbol, in terms of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// An index into [`Model::functions`].
    pub function: usize,
    pub at: At,
}

/// A function that is entered.
pub struct Entered {
    pub function: FuncId,
    /// With expressions for facts that the function itself does not state.
    pub body: Body,
    /// The facts about globals, then its own.
    pub facts: Vec<Fact>,
    /// By node.
    pub nodes: Vec<Option<Symbol>>,
    /// By edge.
    pub edges: Vec<Option<Symbol>>,
}

/// The system of a [`Question`].
pub struct Model {
    pub functions: Vec<Entered>,
    pub(crate) formulas: Formulas,
    pub system: System<RelationWeight>,
    /// By symbol.
    pub meanings: Vec<Meaning>,
    pub open: Openness,
    start: Symbol,
    pub(crate) goal: Symbol,
    /// Facts about globals come first in every function's list: so many.
    pub shared: usize,
}

impl Model {
    /// Makes the system. Level 1 is asked about every edge of the functions that matter.
    pub fn new(
        context: &Context<'_>,
        plan: Plan,
        question: &Question<'_>,
        limits: &Limits,
    ) -> Model {
        let scope = choose(context, question, limits);
        let (calls, scope) = with_calls(context, scope);
        let plan = Plan {
            scheduled: false,
            only: None,
            ..plan
        };
        let shared = scope.functions.first().map_or(0, |f| f.shared.len());
        let results = scope.functions.iter().map(|f| f.results.len()).max();
        let facts = scope.functions.iter().map(|f| f.facts.len()).max();
        let formulas = Formulas::new(
            shared,
            results.unwrap_or(0),
            facts.unwrap_or(0),
            limits.nodes,
        );
        let mut system = System::new(1);
        let (start, goal) = (system.symbol(), system.symbol());
        let outside = Meaning {
            function: 0,
            at: At::Outside,
        };
        let open = Openness {
            cut: scope.cut,
            ..Openness::default()
        };
        let mut building = Building {
            context,
            question,
            scope: &scope,
            model: Model {
                functions: Vec::new(),
                formulas,
                system,
                meanings: vec![outside; 2],
                open,
                start,
                goal,
                shared,
            },
            relating: Vec::new(),
            entries: Vec::new(),
            reaching: scope
                .functions
                .iter()
                .map(|f| closure(context.program, f.function, |g| context.graph.callers(g)))
                .collect(),
        };
        for chosen in &scope.functions {
            building.enter(plan, chosen, limits);
        }
        for i in 0..scope.functions.len() {
            building.rules(i, &calls[i]);
        }
        building.begin();
        let mut model = building.model;
        for (entered, chosen) in model.functions.iter_mut().zip(scope.functions) {
            entered.body = chosen.body;
        }
        model
    }

    pub fn relations(&self) -> &Relations {
        &self.formulas.relations
    }

    /// The set S: the root's entry.
    pub fn source(&self) -> Language {
        let start = Configuration {
            state: State(0),
            stack: vec![self.start],
        };
        Language::configuration(1, &start)
    }

    /// The set T: the check has failed.
    pub fn target(&self) -> Language {
        Language::on_top(1, self.goal)
    }
}

/// A call that enters a function: its facts as this body says them, and what is asked of the result.
struct Way {
    callee: usize,
    told: Vec<Option<ExprId>>,
    results: Vec<ExprId>,
}

/// The calls of a function that enter others, by edge.
type Calls = Vec<(EdgeId, Vec<Way>)>;

/// Which calls enter which functions. Callers get the expressions that they need for it.
fn with_calls(context: &Context<'_>, mut scope: Scope) -> (Vec<Calls>, Scope) {
    let mut all = Vec::new();
    for i in 0..scope.functions.len() {
        let mut extended = Extended::new(&scope.functions[i].body);
        let own = &context.program.functions[scope.functions[i].function];
        let mut calls: Calls = Vec::new();
        let edges = own.body.iter().flat_map(|b| b.edges().iter());
        for (id, edge) in edges {
            let Stmt::Call(call) = &edge.stmt else {
                continue;
            };
            let ways: Vec<Way> = callees(context, &scope, &extended.body, call)
                .into_iter()
                .map(|callee| {
                    let chosen = &scope.functions[callee];
                    Way {
                        callee,
                        told: chosen
                            .facts
                            .iter()
                            .map(|t| told_at(&mut extended, chosen, call, t))
                            .collect(),
                        results: asked_of(&mut extended, chosen, call),
                    }
                })
                .collect();
            if !ways.is_empty() {
                calls.push((id, ways));
            }
        }
        scope.functions[i].body = extended.body;
        all.push(calls);
    }
    (all, scope)
}

/// The functions that a call may enter, of those in scope.
fn callees(context: &Context<'_>, scope: &Scope, body: &Body, call: &Call) -> Vec<usize> {
    let all = match call.callee {
        _ if call.outcome == CallOutcome::Again => Vec::new(),
        Callee::Direct(f) => vec![f],
        Callee::Indirect(_) => context.indirect_targets(body, call).unwrap_or_default(),
    };
    let fits = |i: &usize| scope.functions[*i].body.params.len() <= call.args.len();
    let known = all.iter().filter_map(|f| scope.index.get(f).copied());
    known.filter(fits).collect()
}

/// A callee's fact, as the caller would say it before the call.
fn told_at(caller: &mut Extended, callee: &Chosen, call: &Call, told: &Told) -> Option<ExprId> {
    match told.fact {
        Fact::Condition(e) => crate::choose::at_call(caller, &callee.body, &call.args, e),
        Fact::Check(_) => None,
    }
}

/// What is asked of the result, said of the place that takes it; nothing if nobody takes it as it is.
fn asked_of(caller: &mut Extended, callee: &Chosen, call: &Call) -> Vec<ExprId> {
    let (Some(place), Some(ret)) = (call.result, callee.body.ret) else {
        return Vec::new();
    };
    let ty = caller.body.places[place].ty;
    if ty != callee.body.vars[ret].ty || call.outcome != CallOutcome::Return {
        return Vec::new();
    }
    let loaded = caller.expr(ir::ExprKind::Load(place), ty);
    let results = callee.results.iter();
    let here = results.map(|e| caller.carried(&callee.body, *e, &|v| (v == ret).then_some(loaded)));
    here.collect::<Option<Vec<ExprId>>>().unwrap_or_default()
}

struct Building<'a, 'p> {
    context: &'p Context<'p>,
    question: &'a Question<'a>,
    scope: &'p Scope,
    model: Model,
    relating: Vec<Relating<'p, 'p>>,
    entries: Vec<Vec<Option<bool>>>,
    /// For each function that is entered, by id: who can come to call it?
    reaching: Vec<Vec<bool>>,
}

impl<'p> Building<'_, 'p> {
    fn symbol(&mut self, function: usize, at: At) -> Symbol {
        self.model.meanings.push(Meaning { function, at });
        self.model.system.symbol()
    }

    /// Level 1's states of a function, and symbols for what they reach.
    fn enter(&mut self, plan: Plan, chosen: &'p Chosen, limits: &Limits) {
        let i = self.model.functions.len();
        let facts: Vec<&Told> = chosen.shared.iter().chain(&chosen.facts).collect();
        let conditions: Vec<ExprId> = facts
            .iter()
            .filter_map(|t| match t.fact {
                Fact::Condition(e) => Some(e),
                Fact::Check(_) => None,
            })
            .collect();
        let body = &chosen.body;
        let everywhere = everywhere(self.context, chosen.function, body, plan, &conditions);
        self.model
            .open
            .function(self.context, chosen.function, body, everywhere.complete);
        let mut relating = Relating {
            everywhere,
            facts,
            most: limits.cube,
        };
        self.entries.push(relating.at_entry());
        let mut entered = Entered {
            function: chosen.function,
            body: Body::clone(body),
            facts: relating.facts.iter().map(|t| t.fact).collect(),
            nodes: vec![None; body.node_count as usize],
            edges: vec![None; body.edges().len()],
        };
        for node in body.nodes() {
            if relating.everywhere.at(node).is_empty() {
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
        self.relating.push(relating);
    }

    fn begin(&mut self) {
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
        let weight = self.model.formulas.begin(&self.entries[root]);
        self.model.system.step(self.model.start, entry, weight);
    }

    /// The rules of a function.
    fn rules(&mut self, i: usize, calls: &Calls) {
        let chosen = &self.scope.functions[i];
        let body = &chosen.body;
        let one = self.model.relations().one();
        for node in body.nodes() {
            let Some(here) = self.model.functions[i].nodes[node.index()] else {
                continue;
            };
            let thrown = Some(node) == body.unwind;
            if node == body.exit || thrown {
                let results: &[ExprId] = if thrown { &[] } else { &chosen.results };
                let known = self.relating[i].result(node, results);
                let weight = self.model.formulas.leave(&known, thrown);
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
        let body = &self.scope.functions[i].body;
        let stmt = &body.edges()[id].stmt;
        if let Stmt::Check(check) = *stmt
            && check == self.question.check
            && self.scope.functions[i].function == self.question.function
        {
            let reads = Reads::of_statement(body, stmt);
            let cubes = self.relating[i].before(id, &reads, |automata, st| {
                automata.answer(st, check) != Answer::Holds
            });
            if !cubes.is_empty() {
                let weight = self.model.formulas.fail(&cubes);
                let failed = self.symbol(i, At::Failed(id));
                self.model.system.step(before, failed, weight);
                let one = self.model.relations().one();
                self.model.system.step(failed, self.model.goal, one);
            }
        }
        let at = calls.binary_search_by_key(&id, |(edge, _)| *edge).ok();
        let ways = at.map_or(&[][..], |at| &calls[at].1);
        for way in ways {
            self.call(i, id, before, after, way);
        }
        // A pointer may lead elsewhere, too.
        let only = matches!(stmt, Stmt::Call(call) if matches!(call.callee, Callee::Direct(_)));
        if let Some(after) = after
            && !(only && !ways.is_empty())
        {
            let relation = self.relating[i].edge(id);
            self.detours(i, id, before, after, &relation);
            if let Some(weight) = self.model.formulas.step(&relation) {
                self.model.system.step(before, after, weight);
            }
        }
    }

    /// A call that enters a function.
    fn call(&mut self, i: usize, id: EdgeId, before: Symbol, after: Option<Symbol>, way: &Way) {
        let entered = &self.model.functions[way.callee];
        let Some(entry) = entered.nodes[entered.body.entry.index()] else {
            return;
        };
        let mut known = self.relating[i].told(id, &way.told);
        let shared = self.model.shared;
        let at_entry = self.entries[way.callee].get(shared..).unwrap_or(&[]);
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
        let (cases, changed) = self.relating[i].returned(id, &way.results);
        if !cases.is_empty() {
            let weight = self.model.formulas.back(&cases, &changed, Some(thrown));
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
            if !called.iter().any(|f| self.reaching[callee][f.index()]) {
                continue;
            }
            let entered = &self.model.functions[callee];
            let Some(entry) = entered.nodes[entered.body.entry.index()] else {
                continue;
            };
            let known = self.entries[callee].get(shared.end..).unwrap_or(&[]);
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
