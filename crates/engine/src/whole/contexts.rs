//! In which states functions are analysed for the sake of their callers.
//!
//! A caller asks for a function in a state that matters to it. Asked for by many, a function would be analysed
//! in many states: beyond k of them the rest is merged into one. Which are merged must not depend on the order
//! in which one comes by them, nor on what an earlier run knew. So states are collected by their *distance*,
//! the fewest calls from a function of which nothing is assumed:
//!
//! 1. At distance 1 is what functions ask for that are entered by anybody.
//! 2. A function takes what is asked of it at a distance as it is, as long as that makes no more than k
//!    states in all. Else it takes one state more, the merge of all that is new at this distance.
//! 3. What it asks for in states that it took now is at the next distance.
//!
//! What lies farther away than an error path reaches ([`super::chains`]) is not entered. All of it is a function
//! of the program as it is: what an edit made unreachable is not even seen.

use super::ahead::Ahead;
use super::chains::LONGEST;
use super::digest::{self, Digest};
use super::level1::{Ask, Level1, Result1};
use automata::Entry;
use ir::FuncId;
use ir::arena::Id;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// States in which a function is analysed besides the one of which nothing is known, before some are merged.
const CONTEXTS: usize = 6;

/// The states of one function.
#[derive(Default)]
struct Taken {
    /// What was asked for, and what that was taken as.
    as_what: BTreeMap<Entry, Entry>,
    /// In which it is analysed, and what it then asks for.
    contexts: BTreeMap<Entry, Option<Arc<Result1>>>,
}

/// The states of all functions, by number.
#[derive(Default)]
pub(crate) struct Contexts {
    taken: BTreeMap<u32, Taken>,
}

impl Contexts {
    /// Finds them, and analyses the functions in them as far as that is not known.
    pub fn new(level1: &Level1<'_, '_>, ahead: &Ahead) -> Contexts {
        let mut all = Contexts::default();
        let roots = ahead.results.iter().flatten();
        let mut asks: BTreeSet<(u32, Entry)> = roots.flat_map(|r| asked(r)).collect();
        for _ in 0..LONGEST {
            let new = all.take(level1, asks);
            let work = |(f, entry): &(FuncId, Entry)| {
                let number = level1.numbers.of[f.index()]?;
                let known = level1.known(number, entry, ahead.told[f.index()])?;
                Some((number, known.result))
            };
            let done: Vec<_> = new.par_iter().map(work).collect();
            asks = BTreeSet::new();
            for ((_, entry), found) in new.into_iter().zip(done) {
                let Some((number, result)) = found else {
                    continue;
                };
                asks.extend(asked(&result));
                let taken = all.taken.entry(number).or_default();
                taken.contexts.insert(entry, Some(result));
            }
        }
        all
    }

    /// Takes what is asked for at one distance; gives the states that are new.
    fn take(
        &mut self,
        level1: &Level1<'_, '_>,
        asks: BTreeSet<(u32, Entry)>,
    ) -> Vec<(FuncId, Entry)> {
        let mut by_callee: BTreeMap<u32, Vec<Entry>> = BTreeMap::new();
        for (callee, entry) in asks {
            by_callee.entry(callee).or_default().push(entry);
        }
        let mut new = Vec::new();
        for (callee, mut entries) in by_callee {
            let f = level1.numbers.functions.get(callee as usize);
            let Some(f) = f.copied().flatten().filter(|f| level1.is_entered(*f)) else {
                continue;
            };
            let taken = self.taken.entry(callee).or_default();
            entries.retain(|e| !taken.as_what.contains_key(e));
            let fresh = entries.iter().filter(|e| !taken.contexts.contains_key(e));
            let merged = match taken.contexts.len() + fresh.count() > CONTEXTS {
                true => Some(Entry::merge(&entries)),
                false => None,
            };
            for entry in entries {
                let context = merged.as_ref().unwrap_or(&entry).clone();
                if !taken.contexts.contains_key(&context) {
                    taken.contexts.insert(context.clone(), None);
                    new.push((f, context.clone()));
                }
                taken.as_what.insert(entry, context);
            }
        }
        new
    }

    /// The state in which a function is analysed that is asked for in this one.
    pub fn of(&self, ask: &Ask) -> Option<&Entry> {
        self.taken.get(&ask.callee)?.as_what.get(&ask.entry)
    }

    /// Is the function analysed in this state for some caller?
    pub fn is_one(&self, number: u32, entry: &Entry) -> bool {
        let taken = self.taken.get(&number);
        taken.is_some_and(|taken| taken.contexts.contains_key(entry))
    }

    /// Whom a function enters that was itself entered by anybody, by number, each once.
    pub fn entered_by_root(&self, result: &Result1) -> BTreeSet<u32> {
        let asks = result.asks.iter();
        let entered = asks.filter(|ask| self.of(ask).is_some());
        entered.map(|ask| ask.callee).collect()
    }

    /// Whom it enters in the states in which its callers enter it.
    pub fn entered_by(&self, number: u32) -> BTreeSet<u32> {
        let contexts = self.taken.get(&number).into_iter();
        let results = contexts.flat_map(|taken| taken.contexts.values().flatten());
        results.flat_map(|r| self.entered_by_root(r)).collect()
    }

    /// What becomes of the calls of a function that anybody enters, as a number. Which calls these are its key says, with
    /// what it was told.
    pub fn of_root(&self, result: &Result1) -> u128 {
        let mut digest = Digest::default();
        for (i, ask) in result.asks.iter().enumerate() {
            let of = self.of(ask);
            if of != Some(&ask.entry) {
                digest.number(i as u64).wide(digest::of(&of));
            }
        }
        digest.finish()
    }

    /// In which states a function is analysed for its callers, and what becomes of its calls then, as a number.
    pub fn of_contexts(&self, number: u32) -> u128 {
        let mut digest = Digest::default();
        for (entry, result) in self
            .taken
            .get(&number)
            .into_iter()
            .flat_map(|t| &t.contexts)
        {
            digest.wide(digest::of(entry));
            if let Some(result) = result {
                digest.wide(self.of_root(result));
            }
        }
        digest.finish()
    }
}

fn asked(result: &Result1) -> impl Iterator<Item = (u32, Entry)> + '_ {
    let asks = result.asks.iter();
    asks.map(|ask| (ask.callee, ask.entry.clone()))
}
