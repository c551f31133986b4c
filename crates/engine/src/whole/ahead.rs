//! Computes side by side what the walk would ask for one by one, where that is much.
//!
//! The walk of [`inter`] is one thread; what it asks for is nearly all of the work. Which analyses these are is
//! known without it, but for contexts that are going to be merged: first the functions in the
//! order of the schedule, then the states in which they enter others, call by call.

use super::CONTEXTS;
use super::level1::{Ask, Level1};
use crate::schedule::Schedule;
use automata::Entry;
use ir::FuncId;
use ir::arena::Id;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

/// Changed functions that are worth more than one thread.
const MANY: usize = 8;

pub(crate) fn ahead(level1: &Level1<'_, '_>, schedule: &Schedule) {
    let numbers = level1.numbers;
    let known = |f: FuncId| {
        let number = numbers.of[f.index()]?;
        let results = level1.results.lock();
        let results = results.unwrap_or_else(PoisonError::into_inner);
        Some(results.get(&(number, Entry::Anything))?.key)
    };
    let is_changed = |f: &&FuncId| known(**f) != Some(level1.keys[f.index()]);
    if schedule.levels.iter().flatten().filter(is_changed).count() < MANY {
        return;
    }
    let mut asks: Vec<Ask> = Vec::new();
    for level in &schedule.levels {
        let found: Vec<Vec<Ask>> = level
            .par_iter()
            .map(|f| analyse(level1, *f, &Entry::Anything))
            .collect();
        asks.extend(found.into_iter().flatten());
    }
    let mut entered: BTreeMap<u32, BTreeSet<Entry>> = BTreeMap::new();
    while !asks.is_empty() {
        let mut new: Vec<(FuncId, Entry)> = Vec::new();
        for ask in std::mem::take(&mut asks) {
            let entries = entered.entry(ask.callee).or_default();
            let f = numbers.functions.get(ask.callee as usize);
            if let Some(f) = f.copied().flatten()
                && level1.is_entered(f)
                // Too many are merged, and then nobody asks for these.
                && entries.len() < CONTEXTS
                && entries.insert(ask.entry.clone())
            {
                new.push((f, ask.entry));
            }
        }
        let found: Vec<Vec<Ask>> = new
            .par_iter()
            .map(|(f, entry)| analyse(level1, *f, entry))
            .collect();
        asks.extend(found.into_iter().flatten());
    }
}

/// The calls that the function makes in this state.
fn analyse(level1: &Level1<'_, '_>, f: FuncId, entry: &Entry) -> Vec<Ask> {
    let number = level1.numbers.of[f.index()];
    let result = number.and_then(|number| level1.result(number, entry, level1.told(f)));
    result.map_or_else(Vec::new, |result| result.asks.clone())
}
