//! More paths to a check, for whoever found that the first one cannot happen.
//!
//! The search of level 1 gives one path, and widens at loop heads: a loop that runs ten times is left after
//! four on it. Here states are kept apart and not widened until a loop was entered often, and every
//! state that fails the check gives its path, the shortest first.

use crate::Automata;
use crate::context::Context;
use crate::function::Plan;
use crate::graph::Graph;
use crate::paths::{check_edges, full_path, labels, reaching};
use crate::space::{Errors, Product};
use ir::arena::Id;
use ir::{Body, CheckId, EdgeId, FuncId};
use search::{Algorithm, End, Order, Search};

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// States of the search.
    pub states: usize,
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
    /// What it took.
    pub states: usize,
}

/// Paths from the function's entry to the check, on which it fails as far as level 1 knows.
pub fn seek(
    context: &Context<'_>,
    f: FuncId,
    body: &Body,
    plan: Plan,
    check: CheckId,
    patience: Patience,
) -> Sought {
    let Some(edge) = check_edges(body).get(check.index()).copied().flatten() else {
        return Sought::default();
    };
    let graph = Graph::of_paths(body);
    let mut automata = Automata::new(context, body, plan.automata);
    automata.is_main = context.program.is_main(f);
    let mut product = Product::new(&mut automata, &graph, Errors::Of(check));
    product.within = Some(reaching(body, edge));
    product.turns = patience.turns;
    let options = search::Options {
        algorithm: Algorithm::Covering,
        order: Order::BreadthFirst,
        aggregate: None,
        max_states: patience.states,
        stop_at_first_error: false,
    };
    let mut search = Search::new(&mut product, options);
    let end = search.run();
    let errors = search.errors();
    let few = errors.len() <= patience.paths;
    let errors = errors.iter().take(patience.paths);
    let paths = errors.map(|e| full_path(&graph, body, &labels(&search, *e)));
    let paths = paths.collect();
    let states = search.statistics().grey;
    drop(search);
    Sought {
        paths,
        complete: end != End::Budget && few && !product.turned_more,
        states,
    }
}
