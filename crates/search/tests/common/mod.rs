//! A small language for the tests: control-flow graphs whose statements declare, define and use
//! variables and test them, as in the paper's examples (§2, §3.2).

#![allow(dead_code, reason = "every test uses a part of it")]

pub mod graphs;

use search::{
    Algorithm, Bounds, Component, End, Interval, Names, Options, Order, Search, Space, StateId,
    Successor,
};

pub type Name = &'static str;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Statement {
    Skip,
    Declare(Name),
    Define(Name, Interval),
    Assume(Name, Interval),
    Use(Name),
}

/// What an automaton does at a statement.
pub trait Automaton: Component + PartialEq + std::fmt::Debug {
    fn start() -> Self;
    /// The state after a statement; `None` if the statement cannot be executed.
    fn step(&self, statement: Statement) -> Option<Self>;
    fn is_undefined(&self, name: Name) -> bool;
}

impl Automaton for Names<Name> {
    fn start() -> Self {
        Names::default()
    }

    fn step(&self, statement: Statement) -> Option<Self> {
        Some(match statement {
            Statement::Declare(name) => self.clone().with(name),
            // After a use that failed one looks for other errors, not for the same again.
            Statement::Define(name, _) | Statement::Use(name) => self.clone().without(&name),
            Statement::Skip | Statement::Assume(..) => self.clone(),
        })
    }

    fn is_undefined(&self, name: Name) -> bool {
        self.contains(&name)
    }
}

impl Automaton for (Names<Name>, Bounds<Name>) {
    fn start() -> Self {
        (Names::start(), Bounds::default())
    }

    fn step(&self, statement: Statement) -> Option<Self> {
        let bounds = self.1.clone();
        let bounds = match statement {
            Statement::Declare(name) => bounds.with(name, Interval::ALL),
            Statement::Define(name, interval) => bounds.with(name, interval),
            Statement::Assume(name, interval) => bounds.assume(name, interval)?,
            Statement::Skip | Statement::Use(_) => bounds,
        };
        Some((self.0.step(statement)?, bounds))
    }

    fn is_undefined(&self, name: Name) -> bool {
        self.0.contains(&name)
    }
}

/// A control-flow graph in product with automata. Locations are the nodes `0..nodes`, and for each a
/// second one, [`rejecting`](Program::rejecting), where a use of an undefined variable leads to.
#[derive(Clone, Debug)]
pub struct Program<A> {
    pub nodes: usize,
    pub edges: Vec<(usize, Statement, usize)>,
    /// Does a run go on after an error?
    pub goes_on: bool,
    pub automata: std::marker::PhantomData<A>,
}

impl<A> Program<A> {
    pub fn new(nodes: usize, edges: &[(usize, Statement, usize)]) -> Self {
        Program {
            nodes,
            edges: edges.to_vec(),
            goes_on: false,
            automata: std::marker::PhantomData,
        }
    }

    pub fn rejecting(&self, node: usize) -> usize {
        self.nodes + node
    }
}

impl<A: Automaton> Space for Program<A> {
    type State = A;
    type Label = usize;

    fn locations(&self) -> usize {
        2 * self.nodes
    }

    fn initial(&mut self, out: &mut Vec<(usize, A)>) {
        out.push((0, A::start()));
    }

    fn successors(&mut self, at: usize, state: &A, out: &mut Vec<Successor<usize, A>>) {
        for (label, (from, statement, to)) in self.edges.iter().enumerate() {
            if *from != at {
                continue;
            }
            let is_error = matches!(statement, Statement::Use(name) if state.is_undefined(name));
            if is_error {
                out.push(Successor {
                    label,
                    at: self.rejecting(*to),
                    state: state.clone(),
                });
            }
            if is_error && !self.goes_on {
                continue;
            }
            if let Some(state) = state.step(*statement) {
                out.push(Successor {
                    label,
                    at: *to,
                    state,
                });
            }
        }
    }

    fn is_error(&self, at: usize, _: &A) -> bool {
        at >= self.nodes
    }

    fn covers(&self, _: usize, by: &A, state: &A) -> bool {
        by.covers(state)
    }

    fn difference(&self, _: usize, state: &A, reached: &A) -> Option<Vec<A>> {
        state.difference(reached)
    }

    fn merge(&mut self, _: usize, reached: &A, state: &A, _: u32) -> A {
        reached.merge(state)
    }

    fn class(&self, _: usize, state: &A) -> u64 {
        u64::from(state.is_undefined("a"))
    }

    fn widen(&mut self, _: usize, _: &A, state: A, _: u32) -> A {
        state
    }
}

/// The states that can be reached, by looking at all of them: what every search is compared with.
pub fn reachable<S: Space<State: PartialEq>>(space: &mut S) -> Vec<(usize, S::State)> {
    let mut all = Vec::new();
    let mut initial = Vec::new();
    space.initial(&mut initial);
    for found in initial {
        if !all.contains(&found) {
            all.push(found);
        }
    }
    let mut next = 0;
    while next < all.len() {
        let (at, state) = all[next].clone();
        let mut successors = Vec::new();
        space.successors(at, &state, &mut successors);
        for successor in successors {
            let found = (successor.at, successor.state);
            if !all.contains(&found) {
                all.push(found);
            }
        }
        next += 1;
    }
    all
}

/// Every way to search.
pub fn all_options() -> Vec<Options> {
    let mut all = Vec::new();
    for algorithm in [
        Algorithm::Plain,
        Algorithm::Covering,
        Algorithm::Differencing,
    ] {
        for order in [Order::DepthFirst, Order::BreadthFirst, Order::Topological] {
            for aggregate in [None, Some(1), Some(2)] {
                all.push(Options {
                    algorithm,
                    order,
                    aggregate,
                    ..Options::default()
                });
            }
        }
    }
    all
}

/// Runs a search that must come to its end, and whose colours must add up.
pub fn exhaust<S: Space>(space: &mut S, options: Options) -> Search<'_, S> {
    let mut search = Search::new(space, options);
    assert_eq!(search.run(), End::Exhausted);
    let statistics = search.statistics();
    assert_eq!(statistics.grey, statistics.black + statistics.red);
    assert_eq!(statistics.expanded, statistics.black);
    search
}

/// The labels on the path to a state.
pub fn labels<S: Space>(search: &Search<'_, S>, id: StateId) -> Vec<S::Label> {
    search.path(id).into_iter().map(|step| step.1).collect()
}
