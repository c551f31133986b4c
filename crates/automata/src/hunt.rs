//! The search for paths to single checks of a function, for whoever found that the first one cannot be
//! taken.
//!
//! The search of level 1 gives one path, and widens at loop heads: a loop that runs ten times is left after
//! four on it. [`Hunt::seek`] keeps states apart and does not widen until a loop was entered often, and every
//! state that fails the check gives its path, the shortest first. [`Hunt::next`] leaves out the paths that
//! observers refuse (path reduction, §4.1), and widens: so it ends, and what it does not find there is not.
//!
//! A function is hunted through many times, for one check after another and with one observer more each
//! time. What becomes of a state does not depend on either, and is computed once: a search with a new observer
//! does new work only from where that observer first keeps apart what was one state before.

use crate::Automata;
use crate::context::Context;
use crate::entry::Entry;
use crate::function::Plan;
use crate::graph::Graph;
use crate::paths::{check_edges, full_path, reaching};
use crate::space::{Errors, Product};
use crate::watched::{Known, Watching};
use ir::arena::Id;
use ir::{Body, CheckId, EdgeId, FuncId};
use reduction::Watch;
use search::{Algorithm, End, Order, Search, Space};

/// A function in which paths are sought.
pub struct Hunt<'p> {
    pub context: &'p Context<'p>,
    pub function: FuncId,
    pub body: &'p Body,
    automata: Automata<'p>,
    graph: Graph,
    /// Of each check.
    edges: Vec<Option<EdgeId>>,
    known: Known,
    /// Nodes that a search with observers does not leave; none: all.
    inside: Option<Vec<bool>>,
}

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// States of the search, and those that wait at the same time: where there are many, every turn of a
    /// loop makes them more, and no number of turns comes to an end.
    pub states: usize,
    pub waiting: usize,
    /// Turns of a loop before it is widened.
    pub turns: u32,
    /// Paths that are given at most.
    pub paths: usize,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Sought {
    pub paths: Vec<Vec<EdgeId>>,
    /// There are no others, as far as level 1 can tell paths apart.
    pub complete: bool,
    /// Too many states were waiting: the ways there are too many to be told apart.
    pub crowded: bool,
    /// What it took.
    pub states: usize,
}

/// What a search with observers found.
#[derive(Clone, Debug)]
pub struct Next {
    pub answer: NextAnswer,
    /// What it took.
    pub states: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextAnswer {
    /// A path on which the check fails, as far as level 1 knows.
    Path(Vec<EdgeId>),
    /// There is none: the error is refuted.
    None,
    /// There is none with evidence, but the check is not proved.
    Latent,
    /// The budget ended.
    Budget,
}

impl<'p> Hunt<'p> {
    pub fn new(context: &'p Context<'p>, function: FuncId, body: &'p Body, plan: Plan) -> Hunt<'p> {
        let mut automata = Automata::new(context, body, plan.automata);
        automata.is_main = context.program.is_main(function);
        Hunt {
            context,
            function,
            body,
            automata,
            graph: Graph::of_paths(body),
            edges: check_edges(body),
            known: Known::default(),
            inside: None,
        }
    }

    /// From now on [`Hunt::next`] looks only at these nodes: no path to the check leads elsewhere.
    pub fn stay_inside(&mut self, inside: Option<Vec<bool>>) {
        self.inside = inside;
    }

    /// The same, where the function is entered in a state that callers are in.
    pub fn entered(mut self, entry: &Entry) -> Hunt<'p> {
        self.automata.entry = entry.clone();
        self.known = Known::default();
        self
    }

    /// The edge of a check.
    pub fn edge_of(&self, check: CheckId) -> Option<EdgeId> {
        self.edges.get(check.index()).copied().flatten()
    }

    /// Paths from the function's entry to the check, on which it fails as far as level 1 knows.
    pub fn seek(&mut self, check: CheckId, patience: Patience) -> Sought {
        let Some(edge) = self.edge_of(check) else {
            return Sought::default();
        };
        let body = self.body;
        let mut product = Product::new(&mut self.automata, &self.graph, Errors::None);
        product.turns = patience.turns;
        let within = reaching(body, edge);
        let mut space = Watching::new(product, (check, edge), within, None, &mut self.known);
        let options = search::Options {
            algorithm: Algorithm::Covering,
            order: Order::BreadthFirst,
            max_states: patience.states,
            max_waiting: patience.waiting,
            stop_at_first_error: true,
            ..search::Options::default()
        };
        let mut search = Search::new(&mut space, options);
        let mut end = search.run();
        // One path more tells that there are others.
        while end == End::Error && search.errors().len() <= patience.paths {
            end = search.run();
        }
        let few = search.errors().len() <= patience.paths;
        let errors = search.errors().iter().take(patience.paths);
        let labels: Vec<Vec<EdgeId>> = errors.map(|e| search.labels(*e)).collect();
        let states = search.statistics().grey;
        drop(search);
        let turned_more = space.product.turned_more;
        let paths = labels.iter().map(|l| full_path(&self.graph, body, l));
        Sought {
            paths: paths.collect(),
            complete: end == End::Exhausted && few && !turned_more,
            crowded: end == End::Budget && states < patience.states,
            states,
        }
    }

    /// Does the check fail on evidence at the end of this path, if nothing but the path is known? What merging brought there from
    /// other paths is no evidence on this one.
    pub fn has_evidence(&mut self, check: CheckId, path: &[EdgeId]) -> bool {
        let (graph, body) = (&self.graph, self.body);
        let mut product = Product::new(&mut self.automata, graph, Errors::Of(check));
        let mut reached = Vec::new();
        product.initial(&mut reached);
        let mut fails = false;
        for (step, edge) in path.iter().enumerate() {
            let is_last = step + 1 == path.len();
            if !is_last && graph.location(body.edges()[*edge].to).is_none() {
                continue;
            }
            fails = false;
            for (at, state) in std::mem::take(&mut reached) {
                product.expand(at, state, |label, to, state| match label == *edge {
                    true if to >= graph.locations.len() => fails = true,
                    true => reached.push((to, state)),
                    false => {}
                });
            }
        }
        fails
    }

    /// The shortest path to the check that no observer refuses.
    pub fn next(&mut self, check: CheckId, watch: &Watch, max_states: usize) -> Next {
        let Some(edge) = self.edge_of(check) else {
            return Next {
                answer: NextAnswer::None,
                states: 0,
            };
        };
        let body = self.body;
        let product = Product::new(&mut self.automata, &self.graph, Errors::None);
        let mut within = reaching(body, edge);
        for (may, inside) in within.iter_mut().zip(self.inside.iter().flatten()) {
            *may &= inside;
        }
        let observers = Some(watch);
        let mut space = Watching::new(product, (check, edge), within, observers, &mut self.known);
        let options = search::Options {
            algorithm: Algorithm::Covering,
            order: Order::BreadthFirst,
            max_states,
            stop_at_first_error: true,
            ..search::Options::default()
        };
        let mut search = Search::new(&mut space, options);
        let end = search.run();
        let states = search.statistics().grey;
        let found = search.errors().first().map(|e| search.labels(*e));
        drop(search);
        let answer = match (found, end) {
            (Some(labels), _) => NextAnswer::Path(full_path(&self.graph, body, &labels)),
            (None, End::Budget) => NextAnswer::Budget,
            (None, _) if space.doubted => NextAnswer::Latent,
            (None, _) => NextAnswer::None,
        };
        Next { answer, states }
    }
}
