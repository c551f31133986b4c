//! The answer of a whole run: with the same programs and the same settings it is printed again,
//! and nothing is linked or analysed.
//!
//! What is kept is the report as data, not as text: the format, the colours and the excerpts of the
//! sources are made anew each time, so that they need not be part of the question.

use super::Kept;
use crate::inexact;
use report::Report;
use serde::{Deserialize, Serialize};
use store::{Key, Kind};

const ANSWER: Kind = "answer";

/// All that a run says besides what depends on the clock.
#[derive(Serialize, Deserialize)]
pub struct Answer {
    /// Of linking and of the analysis, in the order they were said.
    pub warnings: Vec<String>,
    pub report: Report,
    /// With `--verbose` only.
    pub inexact: Vec<inexact::Line>,
}

impl Kept {
    /// The answer to this question, if it is known.
    pub fn answer(&self, question: &Key) -> Option<Answer> {
        let bytes = self.store.as_ref()?.get(ANSWER, question)?;
        postcard::from_bytes(&bytes).ok()
    }

    pub fn remember_answer(&self, question: &Key, answer: &Answer) {
        if let (Some(store), Ok(bytes)) = (&self.store, postcard::to_allocvec(answer)) {
            store.put(ANSWER, question, &bytes);
        }
    }
}
