//! How the places are come to where runs fail.
//!
//! That a function *can* fail says little: its inputs may never be such. It says more if a run that comes to a check, or to a
//! call, cannot but fail there ([`Reached::surely`]); or if whatever comes there can fail ([`Reached::paths`], for whoever
//! compares them with those that do). See [`crate::met`].

use super::Failure;
use crate::facts::Facts;
use ir::{CheckId, EdgeId};
use std::collections::BTreeMap;

/// Where a run fails, whatever for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    Check(CheckId),
    Call(EdgeId),
}

impl Failure {
    pub fn place(self) -> Place {
        match self {
            Failure::Here(check) => Place::Check(check),
            Failure::Call(edge, _) => Place::Call(edge),
        }
    }
}

/// The paths that come to places where some run fails.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// What is known before the place, on each of them.
    pub paths: BTreeMap<Place, Vec<Facts>>,
    /// Those behind which there is nothing but failure.
    pub surely: BTreeMap<Place, Vec<Facts>>,
}

impl Reached {
    /// A path with these facts comes to a place where it can fail; none if nobody asks.
    pub fn note(&mut self, place: Place, facts: Option<Facts>, surely: bool) {
        let Some(facts) = facts else {
            return;
        };
        if surely {
            self.surely.entry(place).or_default().push(facts.clone());
        }
        self.paths.entry(place).or_default().push(facts);
    }

    pub fn add(&mut self, other: Reached) {
        for (place, paths) in other.paths {
            self.paths.entry(place).or_default().extend(paths);
        }
        for (place, paths) in other.surely {
            self.surely.entry(place).or_default().extend(paths);
        }
    }
}
