//! Source positions.
//!
//! A span is a point, not a range: that is what debug information carries. Inside a macro it is
//! the place where the macro is expanded, the line a reader sees.

use crate::define_id;
use serde::{Deserialize, Serialize};

define_id!(
    /// A source file of the program (`Program::files`).
    FileId
);

/// File, line and column; line 0 means that the compiler gave no position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    pub file: FileId,
    pub line: u32,
    pub column: u32,
}

impl Span {
    /// The position of what has none: generated code.
    pub const NONE: Span = Span {
        file: FileId(0),
        line: 0,
        column: 0,
    };

    pub fn is_none(self) -> bool {
        self.line == 0
    }
}
