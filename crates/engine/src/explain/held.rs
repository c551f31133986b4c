//! The other names of a value on a path through several functions.
//!
//! What a callee calls `d` its caller calls `buffer`, and what it reads as `box->data` is the caller's `b.data`. Whoever asks which
//! steps matter for the caller's names must know those of the callees for the same value.

use super::notation::Words;
use ir::{Base, PlaceId, Stmt};

/// The places that held, before the end of the path, the value that this one has there; and what pointers that lead
/// to such places were told to lead to.
pub(super) fn held_before(words: &Words<'_>, place: PlaceId) -> Vec<PlaceId> {
    let mut all = Vec::new();
    if words.composed.is_none() {
        return all;
    }
    let mut place = place;
    for (step, id) in words.path.iter().enumerate().rev() {
        if let Some(Stmt::Assign { place: to, value }) =
            words.body.edges().get(*id).map(|e| &e.stmt)
            && *to == place
        {
            let Some(from) = words.body.loaded(*value) else {
                break;
            };
            place = from;
            all.push(from);
            all.extend(pointed(&words.before(step), from));
        }
    }
    all.extend(pointed(words, place));
    all
}

fn pointed(words: &Words<'_>, place: PlaceId) -> Option<PlaceId> {
    match words.body.places.get(place)?.base {
        Base::Deref(pointer) => words.pointed(pointer),
        _ => None,
    }
}
