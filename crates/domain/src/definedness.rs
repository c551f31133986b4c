//! Definedness: the error automaton of §2 (Fig. 2), whose states are sets of variables that have
//! been declared and not yet defined.

use serde::{Deserialize, Serialize};

/// What is known of a cell. (No entry: defined.) Their order is arbitrary but fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Definition {
    /// Written; said only of a part whose object's rest is not.
    Defined,
    /// No path here has written it.
    Undefined,
    /// Some path here has not written it.
    Possibly,
    /// It may be unwritten, but only as far as we can see: an element of an array that was
    /// written at an unknown index. No evidence of anything.
    Unclear,
}

use Definition::{Defined, Possibly, Unclear, Undefined};

impl Definition {
    pub fn covers(self, other: Definition) -> bool {
        self == other || self == Possibly || self == Unclear && other == Defined
    }

    pub fn join(self, other: Definition) -> Definition {
        match (self, other) {
            (a, b) if a == b => a,
            (Undefined | Possibly, _) | (_, Undefined | Possibly) => Possibly,
            _ => Unclear,
        }
    }

    /// Is there evidence that it is undefined?
    pub fn is_evidence(self) -> bool {
        matches!(self, Undefined | Possibly)
    }
}
