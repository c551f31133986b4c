//! Looking for a solution: symbols get values one after the other, each from a handful of
//! candidates, and what follows from each is propagated before the next is chosen. A candidate that
//! leads to a contradiction is replaced by the next one; what was chosen before is not taken back.
//!
//! On paths most conditions leave much room, and the first candidates will do. What is found is
//! evaluated: nothing here needs to be complete, or even right.

use super::propagate::propagate;
use super::range::{Range, greatest, signed_ends};
use super::reason::ALWAYS;
use super::state::{Local, State};
use crate::evaluate::evaluate_all;
use crate::prover::Model;
use crate::term::{Node, Pool, Sort, TermId, mask};

/// How many values a symbol is tried with.
const CANDIDATES: usize = 8;

/// Values that satisfy the facts, if they are found within so many steps. What is known is as
/// before.
pub fn search(state: &mut State, pool: &Pool, facts: &[TermId], limit: u64) -> Option<Model> {
    let mark = state.mark();
    let model = decide(state, pool, limit);
    state.back_to(mark);
    let model = model?;
    let holds = evaluate_all(pool, facts, &model).iter().all(|&v| v == 1);
    holds.then_some(model)
}

fn decide(state: &mut State, pool: &Pool, limit: u64) -> Option<Model> {
    let end = state.steps.saturating_add(limit);
    for local in 0..state.entries.len() as Local {
        let open = match state.entry(local).node {
            Node::Symbol(symbol) => !matches!(pool.symbol_sort(symbol), Sort::Array { .. }),
            Node::Select { .. } => true,
            _ => false,
        };
        if open && state.range(local).single().is_none() && !choose(state, local, end) {
            return None;
        }
    }
    let mut model = Model::default();
    for entry in 0..state.entries.len() as Local {
        match state.entry(entry).node {
            Node::Symbol(symbol) => {
                if let Some(value) = state.range(entry).single() {
                    model.symbols.insert(symbol, value);
                }
            }
            Node::Select { array, .. } => {
                let [_, index, _] = state.entry(entry).operands;
                let symbol = pool.as_symbol(array)?;
                let at = state.range(index).single()?;
                let value = state.range(entry).single()?;
                model.elements.insert((symbol, at), value);
            }
            _ => {}
        }
    }
    Some(model)
}

/// Gives the term a value that contradicts nothing, as far as is seen.
fn choose(state: &mut State, local: Local, end: u64) -> bool {
    let width = state.entry(local).width;
    for value in candidates(state, local) {
        let left = end.saturating_sub(state.steps);
        if left == 0 {
            return false;
        }
        let mark = state.mark();
        state.narrow(local, Range::of(value, width), |_| ALWAYS);
        propagate(state, left);
        if state.conflict.is_none() {
            return true;
        }
        state.back_to(mark);
    }
    false
}

fn candidates(state: &State, local: Local) -> Vec<u128> {
    let width = state.entry(local).width;
    let range = state.range(local);
    let mut all = vec![
        0,
        1,
        range.low,
        mask(range.signed_high as u128, width),
        mask(range.signed_low as u128, width),
        range.high,
    ];
    // Constants that it is compared with, and their neighbours.
    for &user in &state.entry(local).uses {
        if let Node::Equal(..) | Node::Compare(..) = state.entry(user).node {
            let [a, b, _] = state.entry(user).operands;
            let other = if a == local { b } else { a };
            if let Some(value) = state.range(other).single() {
                all.extend([value, value.wrapping_add(1), value.wrapping_sub(1)]);
            }
        }
        if all.len() > 4 * CANDIDATES {
            break;
        }
    }
    all.extend([greatest(width), signed_ends(width).1 as u128]);
    let mut out: Vec<u128> = Vec::new();
    for value in all.into_iter().map(|v| mask(v, width)) {
        if range.contains(value, width) && !out.contains(&value) {
            out.push(value);
        }
    }
    out.truncate(CANDIDATES);
    out
}
