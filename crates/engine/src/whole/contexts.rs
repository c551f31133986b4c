//! In which states functions are analysed for the sake of their callers.
//!
//! A caller asks for a function in a state that matters to it. Asked for by many, a function would be analysed
//! in many states: beyond k of them they are merged in groups. Which are merged must not depend on the order
//! in which one comes by them, nor on what an earlier run knew. So states are collected by their *distance*,
//! the fewest calls from a function of which nothing is assumed:
//!
//! 1. At distance 1 is what functions ask for that are entered by anybody.
//! 2. A function takes what is asked of it at a distance as it is, as long as that makes no more than k
//!    states in all. Else what is new at this distance is put in order and cut into at most k groups, and it takes the
//!    merge of each. A merge stands for all of its group: where no check fails in it, none does in the group;
//!    where one does, the group is taken as it is after all, for only one of it may be to blame, and an error
//!    path needs that one's caller.
//! 3. What it asks for in states that it took now is at the next distance.
//!
//! What lies farther away than an error path reaches ([`super::chains`]) is not entered. All of it is a function
//! of the program as it is: what an edit made unreachable is not even seen.

use super::ahead::Ahead;
use super::chains::LONGEST;
use super::digest::{self, Digest};
use super::level1::{Ask, Level1, Result1};
use automata::Entry;
use ir::arena::Id;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// States in which a function is analysed besides the one of which nothing is known, before some are merged.
const CONTEXTS: usize = 6;

/// Functions by number, and the states in which they are asked for.
type Asks = BTreeSet<(u32, Entry)>;

/// A group that is larger is not taken as it is.
const GROUP: usize = 64;

/// The states of one function.
#[derive(Default)]
struct Taken {
    /// What was asked for, and what that was taken as.
    as_what: BTreeMap<Entry, Entry>,
    /// In which it is analysed, and what it then asks for.
    contexts: BTreeMap<Entry, Option<Arc<Result1>>>,
    /// Merges that were taken apart: analysed, and not taken.
    apart: BTreeSet<Entry>,
}

/// The states of all functions, by number.
#[derive(Default)]
pub(crate) struct Contexts {
    taken: BTreeMap<u32, Taken>,
    cut: BTreeSet<Cut>,
}

/// What is asked for, and not taken: nobody knows what a function, by number, does in this state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cut {
    pub number: u32,
    pub entry: Entry,
    /// The function is too large; else it is too far away from whoever causes the state.
    pub large: bool,
}

impl Contexts {
    /// Finds them, and analyses the functions in them as far as that is not known.
    pub fn new(level1: &Level1<'_, '_>, ahead: &Ahead) -> Contexts {
        let mut all = Contexts::default();
        let roots = ahead.results.iter().flatten();
        let mut asks: Asks = roots.flat_map(|r| asked(r)).collect();
        for _ in 0..LONGEST {
            let entered = all.cut_large(level1, std::mem::take(&mut asks));
            let groups = all.groups(entered);
            let done = analyse(level1, ahead, groups);
            let anybody = |done: &Done| {
                let f = level1.numbers.function(done.group.number)?;
                ahead.results[f.index()].clone()
            };
            let (blamed, settled): (Vec<_>, Vec<_>) = done
                .into_iter()
                .partition(|done| done.is_blamed(anybody(done).as_deref()));
            for Done { group, .. } in &blamed {
                let taken = all.taken.entry(group.number).or_default();
                taken.apart.insert(group.context.clone());
            }
            let single = blamed.into_iter().flat_map(|done| done.group.singles());
            let done = analyse(level1, ahead, single.collect());
            for Done { group, result } in settled.into_iter().chain(done) {
                asks.extend(result.iter().flat_map(|result| asked(result)));
                let taken = all.taken.entry(group.number).or_default();
                for entry in group.of {
                    taken.as_what.insert(entry, group.context.clone());
                }
                taken.contexts.insert(group.context, result);
            }
        }
        for (number, entry) in all.cut_large(level1, asks) {
            let taken = all.taken.get(&number);
            if !taken.is_some_and(|taken| taken.as_what.contains_key(&entry)) {
                all.cut.insert(Cut {
                    number,
                    entry,
                    large: false,
                });
            }
        }
        all
    }

    /// What is not to be known, in order.
    pub fn cut(&self) -> impl Iterator<Item = &Cut> {
        self.cut.iter()
    }

    /// Notes what is asked of functions that are too large, and gives the rest.
    fn cut_large(&mut self, level1: &Level1<'_, '_>, asks: Asks) -> Asks {
        let is_entered = |(number, _): &(u32, Entry)| {
            let f = level1.numbers.function(*number);
            f.is_some_and(|f| level1.is_entered(f))
        };
        let (entered, large): (Asks, Asks) = asks.into_iter().partition(is_entered);
        self.cut
            .extend(large.into_iter().map(|(number, entry)| Cut {
                number,
                entry,
                large: true,
            }));
        entered
    }

    /// Puts what is asked for at one distance into groups, as far as it is new.
    fn groups(&self, asks: Asks) -> Vec<Group> {
        let mut by_callee: BTreeMap<u32, Vec<Entry>> = BTreeMap::new();
        for (callee, entry) in asks {
            by_callee.entry(callee).or_default().push(entry);
        }
        let mut groups = Vec::new();
        let none = Taken::default();
        for (number, mut entries) in by_callee {
            let taken = self.taken.get(&number).unwrap_or(&none);
            entries.retain(|e| !taken.as_what.contains_key(e));
            let fits = taken.contexts.len() + entries.len() <= CONTEXTS;
            let size = match fits {
                true => 1,
                false => entries.len().div_ceil(CONTEXTS).max(1),
            };
            groups.extend(entries.chunks(size).map(|of| Group {
                number,
                context: match of {
                    [one] => one.clone(),
                    several => Entry::merge(several),
                },
                of: of.to_vec(),
            }));
        }
        groups
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

    /// Will the next run want to know what the function does in this state?
    pub fn is_asked(&self, number: u32, entry: &Entry) -> bool {
        let apart = self.taken.get(&number).map(|taken| &taken.apart);
        self.is_one(number, entry) || apart.is_some_and(|apart| apart.contains(entry))
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

/// States of one function that are taken as one.
struct Group {
    number: u32,
    context: Entry,
    of: Vec<Entry>,
}

impl Group {
    /// Each of them by itself.
    fn singles(self) -> impl Iterator<Item = Group> {
        let number = self.number;
        self.of.into_iter().map(move |entry| Group {
            number,
            context: entry.clone(),
            of: vec![entry],
        })
    }
}

/// A group that was analysed.
struct Done {
    group: Group,
    result: Option<Arc<Result1>>,
}

impl Done {
    /// Does a check fail for some of the group that does not fail for anybody, so that it is worth to find out for whom?
    fn is_blamed(&self, anybody: Option<&Result1>) -> bool {
        let always: BTreeSet<u32> = anybody.into_iter().flat_map(Result1::failing).collect();
        let fails = |result: &Arc<Result1>| result.failing().any(|check| !always.contains(&check));
        (2..=GROUP).contains(&self.group.of.len()) && self.result.as_ref().is_some_and(fails)
    }
}

fn analyse(level1: &Level1<'_, '_>, ahead: &Ahead, groups: Vec<Group>) -> Vec<Done> {
    let work = |group: Group| {
        let f = level1.numbers.function(group.number);
        let known =
            f.and_then(|f| level1.known(group.number, &group.context, ahead.told[f.index()]));
        Done {
            group,
            result: known.map(|known| known.result),
        }
    };
    groups.into_par_iter().map(work).collect()
}

fn asked(result: &Result1) -> impl Iterator<Item = (u32, Entry)> + '_ {
    let asks = result.asks.iter();
    asks.map(|ask| (ask.callee, ask.entry.clone()))
}
