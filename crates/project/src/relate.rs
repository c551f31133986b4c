//! What an edge does to facts: a relation, by level 1's own transfer.
//!
//! The states at an edge's start are cut to each combination of the facts that the edge has to do with (a *cube*), the edge is
//! executed, and of the facts that it may change is asked what holds then. So the only semantics of statements here
//! is that of [`automata`]; and the relation has all pairs that runs can make, as far as the states stand for all runs.

use crate::choose::{Fact, Told};
use crate::cut::{Corner, Cut, Known};
use crate::reads::Reads;
use automata::everywhere::Everywhere;
use automata::{Automata, State};
use ir::{EdgeId, ExprId, Stmt};

/// A number of a fact: those about globals come first, then the function's own.
pub type FactNo = usize;

/// Values of some facts.
pub type Cube = Vec<(FactNo, bool)>;

/// A case of a relation: from stores in a cube to stores in another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Case {
    pub now: Cube,
    /// Facts that may change and are not here can become anything.
    pub next: Cube,
}

/// A relation: the union of its cases. Facts that are not changed stay what they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Relation {
    pub cases: Vec<Case>,
    pub changed: Vec<FactNo>,
}

/// A function whose edges are related.
pub struct Relating<'a, 'p> {
    pub everywhere: Everywhere<'p>,
    /// All facts, in the order of their numbers.
    pub facts: Vec<&'a Told>,
    /// Facts in one cube.
    pub most: usize,
    /// The states of the node that was looked at last.
    pub cut: Cut,
}

/// What a look at a state in a cube has taught.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Learnt {
    /// All that there can be of this cube: no other state of the node has to be looked at in it.
    All,
    Something,
}

impl Learnt {
    fn all_if(all: bool) -> Learnt {
        match all {
            true => Learnt::All,
            false => Learnt::Something,
        }
    }
}

/// Cuts a state to the runs in which a fact is so; false if there are none.
fn restrict(automata: &mut Automata<'_>, st: &mut State, fact: Fact, value: bool) -> bool {
    match (fact, value) {
        (Fact::Condition(e), value) => automata.assume(st, e, value),
        (Fact::Check(check), true) => automata.pass(st, check),
        (Fact::Check(check), false) => automata.fail(st, check),
    }
}

/// The runs of a state in which a fact holds, and those in which it does not. Where it is the same in all of them there is nothing to cut.
fn split(automata: &mut Automata<'_>, mut st: State, fact: Fact) -> [(bool, Option<State>); 2] {
    let (yes, no) = match decided(automata, &mut st, fact) {
        Some(true) => (Some(st), None),
        Some(false) => (None, Some(st)),
        None => {
            let mut other = st.clone();
            let yes = restrict(automata, &mut st, fact, true).then_some(st);
            let no = restrict(automata, &mut other, fact, false).then_some(other);
            (yes, no)
        }
    };
    [(true, yes), (false, no)]
}

/// Is the fact the same in all runs?
fn decided(automata: &mut Automata<'_>, st: &mut State, fact: Fact) -> Option<bool> {
    match fact {
        Fact::Condition(e) => {
            let truth = automata.truth(st, e);
            match (truth.may_be_true, truth.may_be_false) {
                (true, false) => Some(true),
                (false, true) => Some(false),
                _ => None,
            }
        }
        Fact::Check(check) => automata.decided(st, check),
    }
}

impl<'a> Relating<'a, '_> {
    /// The relation of an edge that is one step.
    pub fn edge(&mut self, edge: EdgeId) -> Relation {
        let body = self.everywhere.automata.frame.body;
        let stmt = &body.edges()[edge].stmt;
        let reads = Reads::of_statement(body, stmt);
        let changed = self.changed(edge);
        // What changes no fact, and holds nobody up, does the same to all stores.
        let cube = match (changed.is_empty(), stmt) {
            (true, Stmt::Assume(_) | Stmt::Check(_) | Stmt::Call(_)) | (false, _) => {
                self.cube(&reads, &changed)
            }
            (true, _) => Vec::new(),
        };
        let mut cases = Vec::new();
        self.each(edge, &cube, |this, now, mut st| {
            if !this.everywhere.automata.take(&mut st, edge) {
                return Learnt::Something;
            }
            let next = this.decided(&mut st, &changed);
            let learnt = Learnt::all_if(next.is_empty());
            cases.push(Case { now, next });
            learnt
        });
        simplify(&mut cases);
        Relation { cases, changed }
    }

    /// In which cubes something about the state before an edge may be so.
    pub fn before(
        &mut self,
        edge: EdgeId,
        reads: &Reads,
        mut holds: impl FnMut(&mut Automata<'_>, &mut State) -> bool,
    ) -> Vec<Cube> {
        let cube = self.cube(reads, &[]);
        let mut all: Vec<Cube> = Vec::new();
        self.each(edge, &cube, |this, now, mut st| {
            let holds = holds(&mut this.everywhere.automata, &mut st);
            if holds {
                all.push(now);
            }
            Learnt::all_if(holds)
        });
        all.dedup();
        all
    }

    /// What conditions are, before an edge, for each cube: what arguments say of parameters.
    pub fn told(
        &mut self,
        edge: EdgeId,
        conditions: &[Option<ExprId>],
    ) -> Vec<(Cube, Vec<Option<bool>>)> {
        let body = self.everywhere.automata.frame.body;
        let mut reads = Reads::default();
        for e in conditions.iter().flatten() {
            let of = Reads::of_expr(body, *e);
            reads.vars.extend(of.vars);
            reads.globals.extend(of.globals);
            reads.behind |= of.behind;
        }
        let cube = self.cube(&reads, &[]);
        let mut all = Vec::new();
        self.each(edge, &cube, |this, now, mut st| {
            let automata = &mut this.everywhere.automata;
            let value =
                |e: &Option<ExprId>| e.and_then(|e| decided(automata, &mut st, Fact::Condition(e)));
            let values: Vec<Option<bool>> = conditions.iter().map(value).collect();
            let learnt = Learnt::all_if(values.iter().all(Option::is_none));
            all.push((now, values));
            learnt
        });
        all
    }

    /// After a call came back: cubes before it, answers about its result, and what holds then.
    pub fn returned(
        &mut self,
        edge: EdgeId,
        results: &[ExprId],
    ) -> (Vec<(Case, Vec<bool>)>, Vec<FactNo>) {
        let body = self.everywhere.automata.frame.body;
        let stmt = &body.edges()[edge].stmt;
        let reads = Reads::of_statement(body, stmt);
        let mut changed = self.changed(edge);
        changed.retain(|i| !self.facts[*i].reads.only_globals());
        // What is known of globals before the call is the callee's to change.
        let cube: Vec<FactNo> = self
            .cube(&reads, &changed)
            .into_iter()
            .filter(|i| !self.facts[*i].reads.only_globals())
            .collect();
        let mut cases = Vec::new();
        self.each(edge, &cube, |this, now, mut st| {
            if !this.everywhere.automata.take(&mut st, edge) {
                return Learnt::Something;
            }
            let mut branches: Vec<(Vec<bool>, State)> = vec![(Vec::new(), st)];
            for e in results {
                let mut longer = Vec::new();
                for (answers, st) in branches {
                    for value in [false, true] {
                        let mut st = st.clone();
                        if this.everywhere.automata.assume(&mut st, *e, value) {
                            let mut answers = answers.clone();
                            answers.push(value);
                            longer.push((answers, st));
                        }
                    }
                }
                branches = longer;
            }
            for (answers, mut st) in branches {
                let next = this.decided(&mut st, &changed);
                let now = now.clone();
                cases.push((Case { now, next }, answers));
            }
            Learnt::Something
        });
        cases.dedup();
        (cases, changed)
    }

    /// What holds of facts wherever the function is entered.
    pub fn at_entry(&mut self) -> Vec<Option<bool>> {
        let entry = self.everywhere.automata.frame.body.entry;
        let states = self.everywhere.at(entry).to_vec();
        let facts: Vec<Fact> = self.facts.iter().map(|t| t.fact).collect();
        let automata = &mut self.everywhere.automata;
        let value = |fact: &Fact| {
            let mut all = states
                .iter()
                .map(|st| decided(automata, &mut st.clone(), *fact));
            let first = all.next().flatten();
            first.filter(|_| all.all(|other| other == first))
        };
        facts.iter().map(value).collect()
    }

    /// What is returned in each cube, at a node where the function ends: answers to questions about its result.
    pub fn result(
        &mut self,
        node: ir::NodeId,
        results: &[ExprId],
    ) -> Vec<(Cube, Vec<Option<bool>>)> {
        let body = self.everywhere.automata.frame.body;
        let mut reads = Reads::default();
        reads.vars.extend(body.ret);
        let cube = self.cube(&reads, &[]);
        let mut all = Vec::new();
        self.each_at(node, &cube, |this, now, mut st| {
            let automata = &mut this.everywhere.automata;
            let value = |e: &ExprId| decided(automata, &mut st, Fact::Condition(*e));
            let values: Vec<Option<bool>> = results.iter().map(value).collect();
            let learnt = Learnt::all_if(values.iter().all(Option::is_none));
            all.push((now, values));
            learnt
        });
        all.dedup();
        all
    }

    /// The facts that an edge may change.
    fn changed(&mut self, edge: EdgeId) -> Vec<FactNo> {
        let body = self.everywhere.automata.frame.body;
        let stmt = &body.edges()[edge].stmt;
        let mut all: Vec<FactNo> = (0..self.facts.len()).collect();
        all.retain(|i| self.facts[*i].reads.written_by(body, stmt) && !self.is_kept(edge, *i));
        all
    }

    /// Does the statement leave a fact as it is, whatever else holds?
    fn is_kept(&mut self, edge: EdgeId, i: FactNo) -> bool {
        let fact = self.facts[i].fact;
        let from = self.everywhere.automata.frame.body.edges()[edge].from;
        let states = self.everywhere.at(from).to_vec();
        let automata = &mut self.everywhere.automata;
        states.iter().all(|st| {
            [true, false].into_iter().all(|value| {
                let mut st = st.clone();
                !restrict(automata, &mut st, fact, value)
                    || !automata.take(&mut st, edge)
                    || decided(automata, &mut st, fact) == Some(value)
            })
        })
    }

    /// The facts to be told apart for a statement: those that it may change, and those that it speaks of.
    fn cube(&self, reads: &Reads, changed: &[FactNo]) -> Vec<FactNo> {
        let speaks = (0..self.facts.len()).filter(|i| self.facts[*i].reads.names(reads));
        let mut all: Vec<FactNo> = changed.iter().copied().chain(speaks).collect();
        all.sort_unstable();
        all.dedup();
        // A fact that is changed may be computed from what others speak of.
        all.truncate(self.most);
        all
    }

    fn decided(&mut self, st: &mut State, changed: &[FactNo]) -> Cube {
        let mut next = Vec::new();
        for &i in changed {
            if let Some(value) = decided(&mut self.everywhere.automata, st, self.facts[i].fact) {
                next.push((i, value));
            }
        }
        next
    }

    fn each(
        &mut self,
        edge: EdgeId,
        cube: &[FactNo],
        visit: impl FnMut(&mut Self, Cube, State) -> Learnt,
    ) {
        let from = self.everywhere.automata.frame.body.edges()[edge].from;
        self.each_at(from, cube, visit);
    }

    /// All states at a node, cut to each cube in turn, but for cubes of which all is known.
    fn each_at(
        &mut self,
        node: ir::NodeId,
        cube: &[FactNo],
        mut visit: impl FnMut(&mut Self, Cube, State) -> Learnt,
    ) {
        self.cut.at(node, cube, self.everywhere.at(node));
        let mut known = Known::default();
        for i in 0..self.everywhere.at(node).len() {
            let mut waiting: Vec<Corner> = vec![Corner::default()];
            while let Some(corner) = waiting.pop() {
                if known.has(corner) {
                    continue;
                }
                let Some(&fact) = cube.get(corner.facts) else {
                    let now = corner.cube(cube);
                    if let Some(st) = self.cut.state(i, corner)
                        && visit(self, now, st) == Learnt::All
                    {
                        known.add(corner);
                    }
                    continue;
                };
                let fact = self.facts[fact].fact;
                let automata = &mut self.everywhere.automata;
                let split = |st: State| split(automata, st, fact);
                waiting.extend(self.cut.further(i, corner, split));
            }
        }
    }
}

/// Cases that are there twice, from two states of one node.
fn simplify(cases: &mut Vec<Case>) {
    cases.sort_by(|a, b| (&a.now, &a.next).cmp(&(&b.now, &b.next)));
    cases.dedup();
}
