//! Error projections (§4, Definition 8): the nodes through which a path from S to T leads that can be taken.
//!
//! Three ways to the same set:
//! - [`projection`]: one walk over the functional automaton gives every state the test of what can be completed from
//!   there ([`crate::Tests`]); then each node is asked once. Its cost is that of the automaton, whatever the nodes.
//! - [`projection_by_chops`]: the paper's: one `path_summary` for each node.
//! - [`projection_by_witnesses`]: the paper's with its shortcut (§5.1): a witness proves all nodes that it passes.

use rustc_hash::FxHashMap;

use crate::functional::Functional;
use crate::ids::Symbol;
use crate::language::Language;
use crate::pre::pre_star;
use crate::query::Query;
use crate::semiring::{Semiring, Tests};
use crate::system::System;
use crate::{Automaton, Direction};

/// The error projection: by symbol, is it in?
pub fn projection<S: Tests>(
    functional: &Functional<'_, S::Weight>,
    semiring: &S,
    symbols: u32,
) -> Vec<bool> {
    projection_with(functional, semiring, symbols, &semiring.one())
}

/// The nodes at which a path can be taken that has this bottleneck in it.
pub fn projection_with<S: Tests>(
    functional: &Functional<'_, S::Weight>,
    semiring: &S,
    symbols: u32,
    bottleneck: &S::Weight,
) -> Vec<bool> {
    let asked = functional.arriving(semiring, bottleneck);
    let outside = functional.outside_for(semiring, &asked);
    // Along a straight piece of code the weights stay what they are, and with them the answer.
    let mut known: FxHashMap<(u32, &S::Weight, &S::Weight), bool> = FxHashMap::default();
    let mut inside = |symbol: Symbol| {
        functional.heads(symbol).iter().any(|head| {
            let (to, back) = (functional.pair(*head).to, functional.back_of(*head));
            let front = functional.front_of(*head);
            *known.entry((to, back, front)).or_insert_with(|| {
                let before = semiring.extend(back, bottleneck);
                semiring.sees_product(&outside[to as usize], &before, front)
            })
        })
    };
    (0..symbols).map(Symbol).map(&mut inside).collect()
}

/// The error projection by one chopping query for each symbol.
pub fn projection_by_chops<S: Semiring>(
    functional: &Functional<'_, S::Weight>,
    semiring: &S,
    symbols: u32,
) -> Vec<bool> {
    let inside = |symbol| !semiring.is_zero(&functional.chop(semiring, symbol));
    (0..symbols).map(Symbol).map(inside).collect()
}

/// The error projection by chopping queries for those symbols that no witness passed yet, and how many queries it
/// took. The query must have been made with a record.
pub fn projection_by_witnesses<S: Tests>(
    query: &Query<'_, S>,
    functional: &Functional<'_, S::Weight>,
    longest: usize,
) -> (Vec<bool>, usize) {
    let system = query.system();
    let mut inside = vec![false; system.symbols() as usize];
    let mut queries = 0;
    for symbol in (0..system.symbols()).map(Symbol) {
        if inside[symbol.index()] {
            continue;
        }
        queries += 1;
        if query
            .semiring()
            .is_zero(&functional.chop(query.semiring(), symbol))
        {
            continue;
        }
        inside[symbol.index()] = true;
        if let Some(witness) = query.witness_through(functional, symbol, longest) {
            system.walk(&witness.start, &witness.rules, |_, _, stack| {
                if let Some(top) = stack.last() {
                    inside[top.index()] = true;
                }
            });
        }
    }
    (inside, queries)
}

/// WC(S, symbol Γ*, T) by a second pre* (§4): what functional automata are compared with. `reached` is pre*(T).
pub fn chop_by_double_pre_star<S: Semiring>(
    system: &System<S::Weight>,
    semiring: &S,
    source: &Language,
    symbol: Symbol,
    reached: &Automaton<S::Weight>,
) -> S::Weight {
    debug_assert_eq!(reached.direction(), Direction::Forward);
    let chopped = reached.intersect(&Language::on_top(system.states(), symbol));
    let again = pre_star(system, semiring, chopped, false);
    again.automaton.intersect(source).path_summary(semiring)
}
