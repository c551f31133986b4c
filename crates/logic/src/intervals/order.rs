//! Terms that are less than others, without bounds for either: `i < n`, and later `n <= i`.
//!
//! Comparisons that are known are edges of two graphs, one for each order. A cycle with a strict
//! edge in it is a contradiction; a cycle without one makes all terms on it equal. Searches for a
//! cycle are bounded by a count.

use super::Range;
use super::range::{greatest, signed_ends};
use super::reason::{ALWAYS, Reason};
use super::state::{Edge, Local, State};
use crate::term::Order;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::collections::hash_map::Entry;

/// How many terms a search for a cycle looks at.
const FARTHEST: usize = 48;

const UNSIGNED: usize = 0;
const SIGNED: usize = 1;

/// A comparison is known: bounds for its operands, and an edge.
pub fn compared(state: &mut State, local: Local, order: Order, a: Local, b: Local, holds: bool) {
    // What does not hold, holds the other way round.
    let (order, a, b) = if holds {
        (order, a, b)
    } else {
        let opposite = match order {
            Order::Ult => Order::Ule,
            Order::Ule => Order::Ult,
            Order::Slt => Order::Sle,
            Order::Sle => Order::Slt,
        };
        (opposite, b, a)
    };
    let width = state.entry(a).width;
    let strict = matches!(order, Order::Ult | Order::Slt);
    let (x, y) = (state.range(a), state.range(b));
    let all = Range::all(width);
    let (mut below, mut above) = (all, all);
    if matches!(order, Order::Ult | Order::Ule) {
        let by = u128::from(strict);
        // Nothing is below 0, or above the greatest: an empty range says so.
        match y.high.checked_sub(by) {
            Some(high) => below.high = high,
            None => (below.low, below.high) = (1, 0),
        }
        match x.low.checked_add(by) {
            Some(low) if low <= greatest(width) => above.low = low,
            _ => (above.low, above.high) = (1, 0),
        }
    } else {
        let by = i128::from(strict);
        let (least, most) = signed_ends(width);
        match y.signed_high.checked_sub(by) {
            Some(high) if high >= least => below.signed_high = high,
            _ => (below.low, below.high) = (1, 0),
        }
        match x.signed_low.checked_add(by) {
            Some(low) if low <= most => above.signed_low = low,
            _ => (above.low, above.high) = (1, 0),
        }
    }
    let why = |state: &mut State, bound: Local| {
        let (own, bound) = (state.why(local), state.why(bound));
        state.both(own, bound)
    };
    state.narrow(a, below, |state| why(state, b));
    state.narrow(b, above, |state| why(state, a));
    if state.conflict.is_some() || state.entry(local).ordered {
        return;
    }
    state.note_ordered(local);
    // With a constant, bounds say it all.
    if x.single().is_some() || y.single().is_some() {
        return;
    }
    let graph = if matches!(order, Order::Ult | Order::Ule) {
        UNSIGNED
    } else {
        SIGNED
    };
    let why = state.why(local);
    add(state, graph, a, Edge { to: b, strict, why });
}

/// Two terms are equal: at most each other, in both orders.
pub fn note_equal(state: &mut State, a: Local, b: Local, why: Reason) {
    if state.root(a) == state.root(b)
        || state.range(a).single().is_some()
        || state.range(b).single().is_some()
    {
        return;
    }
    for graph in [UNSIGNED, SIGNED] {
        // Where neither is compared with anything, no cycle begins. Comparisons that come later
        // pass through these edges.
        let strict = false;
        add(state, graph, a, Edge { to: b, strict, why });
        add(state, graph, b, Edge { to: a, strict, why });
    }
}

/// A new edge, and what follows from the cycle that it closes.
fn add(state: &mut State, graph: usize, from: Local, edge: Edge) {
    if state.conflict.is_some() {
        return;
    }
    let way = way_back(state, graph, edge.to, from);
    state.note_edge(from, graph, edge);
    let Some((strict, reasons)) = way else {
        return;
    };
    let why = reasons
        .into_iter()
        .fold(edge.why, |all, r| state.both(all, r));
    if strict || edge.strict {
        state.conflict = Some(why);
    } else {
        state.unite(from, edge.to, why);
    }
}

/// A way along edges, a strict one if there is one within reach: is it strict, and why.
fn way_back(state: &State, graph: usize, from: Local, to: Local) -> Option<(bool, Vec<Reason>)> {
    type Place = (Local, bool);
    let mut came: FxHashMap<Place, (Place, Reason)> = FxHashMap::default();
    let mut queue: VecDeque<Place> = VecDeque::from([(from, false)]);
    came.insert((from, false), ((from, false), ALWAYS));
    let mut weak = false;
    let mut found = None;
    while let Some(place) = queue.pop_front() {
        if place.0 == to {
            if place.1 {
                found = Some(place);
                break;
            }
            weak = true;
        }
        if came.len() > FARTHEST {
            break;
        }
        for edge in &state.entry(place.0).edges[graph] {
            let next = (edge.to, place.1 || edge.strict);
            if let Entry::Vacant(vacant) = came.entry(next) {
                vacant.insert((place, edge.why));
                queue.push_back(next);
            }
        }
    }
    let mut place = found.or(weak.then_some((to, false)))?;
    let strict = place.1;
    let mut reasons = Vec::new();
    while let Some(&(before, why)) = came.get(&place)
        && before != place
    {
        reasons.push(why);
        place = before;
    }
    Some((strict, reasons))
}
