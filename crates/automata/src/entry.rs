//! Placeholder, replaced by the branch `contexts`.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Entry {
    Anything,
}

impl Entry {
    pub fn merge(_: &[Entry]) -> Entry {
        Entry::Anything
    }

    pub fn covers(&self, other: &Entry) -> bool {
        self == other
    }
}
