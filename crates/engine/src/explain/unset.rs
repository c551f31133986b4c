//! Of a variable that a callee was to set and did not: where the callee decided so.
//!
//! The slice finds the branch whose other side writes the variable, as long as it sees that the other side does.
//! Where the callee goes by ways of its own (a copy of the pointer, a function that it calls in turn), a
//! reader would be told only that the variable is declared and used, and would look for the call himself.

use super::notation::Words;
use crate::origin::leads_to;
use ir::{Condition, FrameId, Stmt};
use report::Importance;
use std::collections::BTreeSet;

/// Makes the last branch matter in each callee that was handed the variable, and of which nothing is told.
pub(super) fn tell_callees(words: &Words<'_>, condition: &Condition, out: &mut [Importance]) {
    let (Condition::Initialized(place), Some(composed)) = (condition, words.composed) else {
        return;
    };
    let steps =
        || (0..words.path.len()).filter_map(|i| Some((i, words.body.edges().get(words.path[i])?)));
    let mut handed: BTreeSet<FrameId> = BTreeSet::new();
    for (step, edge) in steps() {
        if let Stmt::Assign { place: to, value } = edge.stmt
            && words.is_glue(step)
            && leads_to(words.body, value, *place)
            && let Some(parameter) = words.body.places.get(to).and_then(|p| p.as_var())
        {
            handed.insert(composed.owner(parameter));
        }
    }
    for frame in handed {
        let own =
            || steps().filter(|(step, _)| words.frame(*step) == frame && !words.is_glue(*step));
        if own().any(|(step, _)| out[step] == Importance::Essential) {
            continue;
        }
        let mut branches = own().filter(|(_, edge)| matches!(edge.stmt, Stmt::Assume(_)));
        if let Some((last, _)) = branches.next_back() {
            out[last] = Importance::Essential;
        }
    }
}
