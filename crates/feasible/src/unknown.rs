//! The unknowns of a fact: values that the path does not determine, and where each comes from.

use crate::object::{ObjectId, ObjectKind};
use crate::path::{Meaning, Path};
use logic::{Label, Node, TermId};

/// A value that a solver may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The same unknown is the same term.
    pub term: TermId,
    pub from: From,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// The value of a parameter.
    Parameter,
    /// A word of memory as the function found it, or (with a step) as the call at this step left it.
    Memory {
        object: ObjectId,
        step: Option<Label>,
        /// None: somewhere in the object.
        offset: Option<u64>,
        size: u64,
    },
    /// What the call at this step gave back.
    Result { step: Label },
    /// A character that nobody wrote.
    Unset,
    /// Whether there was memory to allocate.
    Allocated,
    /// Whether memory was left, whether a call wrote at all, values that are not computed.
    Other,
}

/// All unknowns of a fact, in a fixed order.
pub fn unknowns(path: &Path<'_>, fact: TermId) -> Vec<Unknown> {
    let mut found = Vec::new();
    for term in path.pool.closure(&[fact]) {
        let (symbol, index) = match path.pool.node(term) {
            Node::Select { array, index } => (path.pool.as_symbol(array), Some(index)),
            Node::Symbol(symbol) => (Some(symbol), None),
            _ => (None, None),
        };
        let Some(meaning) = symbol.and_then(|s| path.meanings.get(&s)) else {
            continue;
        };
        let from = match meaning {
            Meaning::Bytes { source, size } => {
                // The array as a whole is no value.
                let Some(index) = index else { continue };
                let source = &path.sources[source.0 as usize];
                match path.objects[source.object.0 as usize].kind {
                    ObjectKind::Var(0, _) if source.step.is_none() => From::Parameter,
                    _ => From::Memory {
                        object: source.object,
                        step: source.step,
                        offset: path.pool.as_bits(index).and_then(|i| u64::try_from(i).ok()),
                        size: *size,
                    },
                }
            }
            Meaning::Result { step } => From::Result { step: *step },
            Meaning::Written => continue,
            Meaning::Unset { .. } => From::Unset,
            Meaning::Allocated { .. } => From::Allocated,
            Meaning::Wrote { .. } | Meaning::Havoc { .. } | Meaning::Opaque(_) => From::Other,
        };
        found.push(Unknown { term, from });
    }
    found
}
