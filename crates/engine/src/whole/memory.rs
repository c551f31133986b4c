//! What a run leaves to the next one.

use super::answers::Asked;
use super::level1::{Results, State};
use super::numbers::Seen;
use crate::level2::Fate;
use crate::tally::Tally;
use ir::{CheckId, EdgeId};
use logic::Known;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a run leaves to the next one: the derivation graph of level 1 with its results, and the judgements of
/// level 2 with what they asked. It holds for the program that it was made of and for those that it is
/// repaired to; whether a part of it still counts is decided by content, so that a memory of another program,
/// or of other settings, is useless but does no harm.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub(crate) seen: Seen,
    pub(crate) graph: Option<inter::Analysis<State>>,
    pub(crate) results: Results,
    pub(crate) judgements: BTreeMap<Judged, Judgement>,
    /// How sure errors are.
    pub(crate) sure: super::sure::Kept,
    /// Functions that meet no condition of their callees.
    pub(crate) calm: super::met::Calm,
    /// Repairs since the graph was last walked from its roots.
    pub(crate) repairs: u32,
}

/// What level 2 judged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Judged {
    /// The errors of a function, by number.
    Function(u32),
    /// One check of several functions, by numbers: the root, the calls that are entered (frame, edge, callee),
    /// the check's frame, the check.
    Look(u32, Calls, u32, CheckId),
    /// A function, by number, with all that it calls.
    Together(u32),
}

/// What came of it, and of what.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Judgement {
    /// The key of the body, what level 1 was told, and how level 2 works.
    pub of: u128,
    pub asked: Vec<Asked>,
    pub fates: Vec<(CheckId, Fate)>,
    pub tally: Tally,
    /// What the solver said, by content: for when it is judged again, and asks the same.
    pub solved: Known,
    pub defect: Option<String>,
    /// Of a look at several functions.
    pub view: Option<View>,
}

/// Calls that are entered: of which frame, by which edge, whom by number.
pub(crate) type Calls = Vec<(u32, EdgeId, u32)>;

/// What level 1 says of a check when it looks at several functions at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum View {
    Holds,
    Latent,
    Unclear,
    /// It fails, when these calls are entered.
    Entered(Calls),
}

impl Judgement {
    /// As the next run finds it: it asked no solver then. None if it is not to be relied on: what a broken solver could
    /// not say, another may; and what a defect asked nobody knows.
    pub fn into_kept(mut self) -> Option<Judgement> {
        self.tally.settled = self.tally.settled.taken_over();
        (self.tally.troubles.is_empty() && self.defect.is_none()).then_some(self)
    }
}

fn part(of: &impl Serialize) -> Result<Vec<u8>, String> {
    postcard::to_allocvec(of).map_err(|e| e.to_string())
}

/// To be written as one piece.
struct Bytes<'a>(&'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

impl Memory {
    /// All that a solver said to whatever was judged.
    pub(crate) fn solved(&self) -> Arc<Known> {
        let all = self.judgements.values().flat_map(|j| &j.solved);
        Arc::new(all.map(|(key, answer)| (*key, answer.clone())).collect())
    }

    /// What the walk over the program took in the last run; none before the first.
    pub fn transitions(&self) -> Option<inter::Counts> {
        self.graph.as_ref().map(|walked| walked.counts)
    }

    /// As bytes, for a file. The parts are large, and made side by side.
    pub fn to_bytes(&self) -> Result<Vec<u8>, String> {
        let (results, (rest, judgements)) = rayon::join(
            || part(&self.results),
            || {
                (
                    part(&(
                        &self.seen,
                        &self.graph,
                        &self.sure,
                        &self.calm,
                        self.repairs,
                    )),
                    part(&self.judgements),
                )
            },
        );
        part(&(Bytes(&results?), Bytes(&rest?), Bytes(&judgements?)))
    }

    /// From what [`to_bytes`](Memory::to_bytes) gave; none if it is anything else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Memory> {
        let (results, rest, judgements): (&[u8], &[u8], &[u8]) =
            postcard::from_bytes(bytes).ok()?;
        let (results, (rest, judgements)) = rayon::join(
            || postcard::from_bytes(results),
            || (postcard::from_bytes(rest), postcard::from_bytes(judgements)),
        );
        let (seen, graph, sure, calm, repairs) = rest.ok()?;
        Some(Memory {
            seen,
            graph,
            results: results.ok()?,
            judgements: judgements.ok()?,
            sure,
            calm,
            repairs,
        })
    }
}
