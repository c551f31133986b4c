//! Computes side by side what the walk will ask for: all analyses for any caller, callees first.
//!
//! The walk of [`inter`] is one thread; what it asks for is nearly all of the work. What has not changed is
//! known, and costs two comparisons. The states in which functions enter each other come after it
//! ([`super::contexts`]).

use super::level1::{Level1, NOTHING, Result1};
use crate::schedule::Schedule;
use automata::Entry;
use ir::FuncId;
use ir::arena::Id;
use rayon::prelude::*;
use std::sync::Arc;

/// What is known of functions for any caller, by id.
pub(crate) struct Ahead {
    /// What each was told of those before it.
    pub told: Vec<u128>,
    /// None of those without a body.
    pub results: Vec<Option<Arc<Result1>>>,
}

/// Analyses all functions for any caller, as far as that is not known.
pub(crate) fn ahead(level1: &Level1<'_, '_>, schedule: &Schedule) -> Ahead {
    let count = level1.numbers.of.len();
    let mut summaries: Vec<u128> = vec![0; count];
    let mut all = Ahead {
        told: vec![NOTHING; count],
        results: vec![None; count],
    };
    for level in &schedule.levels {
        let work = |f: &FuncId| {
            let before = level1.context.before.get(f.index());
            let told = before.into_iter().flatten().fold(NOTHING, |told, g| {
                level1.tell(told, *g, summaries[g.index()])
            });
            let known = level1.numbers.of[f.index()]
                .and_then(|number| level1.known(number, &Entry::Anything, told));
            (*f, told, known)
        };
        let done: Vec<_> = level.par_iter().map(work).collect();
        for (f, told, known) in done {
            all.told[f.index()] = told;
            if let Some(known) = known {
                summaries[f.index()] = known.summary;
                all.results[f.index()] = Some(known.result);
            }
        }
    }
    all
}
