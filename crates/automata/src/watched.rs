//! The search with observers in the product (path reduction, §4.1): the next path to a check that nobody
//! has refused yet.
//!
//! States are kept apart, and widened at loop heads: so the search ends, and what it does not find
//! there is not. The observers are part of a state ([`State::watched`](crate::state::State)), stepped with
//! every edge; a path that one of them accepts ends there. They are of this one error, and so is the
//! search.

use crate::Automata;
use crate::context::Context;
use crate::function::Plan;
use crate::graph::Graph;
use crate::paths::{check_edges, full_path, labels, reaching};
use crate::space::{Errors, Product};
use ir::arena::Id;
use ir::{Body, CheckId, EdgeId, FuncId};
use reduction::Watch;
use search::{Algorithm, End, Order, Search};

/// What a search found.
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

/// The edge of a check, for whoever watches over it.
pub fn edge_of(body: &Body, check: CheckId) -> Option<EdgeId> {
    check_edges(body).get(check.index()).copied().flatten()
}

/// The shortest path to the check that no observer refuses.
pub fn next(
    context: &Context<'_>,
    f: FuncId,
    body: &Body,
    plan: Plan,
    check: CheckId,
    watch: &Watch,
    max_states: usize,
) -> Next {
    let Some(edge) = edge_of(body, check) else {
        return Next {
            answer: NextAnswer::None,
            states: 0,
        };
    };
    let graph = Graph::of_paths(body);
    let mut automata = Automata::new(context, body, plan.automata);
    automata.is_main = context.program.is_main(f);
    let mut product = Product::new(&mut automata, &graph, Errors::Of(check));
    product.within = Some(reaching(body, edge));
    product.watch = Some(watch);
    let options = search::Options {
        algorithm: Algorithm::Covering,
        order: Order::BreadthFirst,
        aggregate: None,
        max_states,
        stop_at_first_error: true,
    };
    let mut search = Search::new(&mut product, options);
    let end = search.run();
    let states = search.statistics().grey;
    let found = search.errors().first().map(|e| labels(&search, *e));
    drop(search);
    let answer = match (found, end) {
        (Some(labels), _) => NextAnswer::Path(full_path(&graph, body, &labels)),
        (None, End::Budget) => NextAnswer::Budget,
        (None, _) if product.doubted => NextAnswer::Latent,
        (None, _) => NextAnswer::None,
    };
    Next { answer, states }
}
