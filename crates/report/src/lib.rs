//! What is told about a program: findings as text for people, as JSON for scripts and as SARIF
//! 2.1.0 for the tools that collect reports.
//!
//! An engine hands over a [`Report`]: plain data, with places as file, line and column and with
//! conditions as text. [`normalize`] leaves one finding for each cause and place and sorts them;
//! [`Report::keep`] leaves those the user wants to see. Then [`text`], [`json`] or [`sarif`] turn
//! the report into one string. The same report gives the same bytes.
//!
//! What this crate knows: what a rule says about itself (`rules::Meta`), and how a report is laid
//! out. What it must not know: programs, engines, files (source lines come through [`Sources`]),
//! the terminal, the clock. It prints nothing.

mod finding;
mod identity;
pub mod json;
mod normalize;
pub mod projection;
pub mod sarif;
mod source;
pub mod text;
mod totals;

pub use finding::{
    Caller, Finding, FingerprintParts, FunctionChecks, Importance, Location, Report, Shown, Step,
    StepKind, Verdict, called_name,
};
pub use identity::{fingerprint, nearest_ids, short_ids, with_id};
pub use normalize::normalize;
pub use projection::Projection;
pub use totals::{Totals, closing_line, count, grouped};

/// The text of the program, for excerpts. Who has files implements it.
pub trait Sources {
    /// The line of this number, from 1, without its line end. None if the file or the line is
    /// not there. `file` is a [`Location::file`].
    fn line(&self, file: &str, line: u32) -> Option<String>;
}

impl<F: Fn(&str, u32) -> Option<String>> Sources for F {
    fn line(&self, file: &str, line: u32) -> Option<String> {
        self(file, line)
    }
}
