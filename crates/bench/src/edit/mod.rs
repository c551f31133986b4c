//! `bench edit`: what a user waits for after editing one function, and what is kept for it on disk.
//!
//! The experiment of Conway et al. (§6; `bench incremental`) times the analysis alone. Here everything counts: a copy
//! of a program is checked by the executable that users start, with a store, then edited like a user would, one
//! statement in one function at a time, and checked again. Three limits:
//!
//! - after an edit in the largest unit, [`FACTOR`] times what clang takes to emit that unit again, plus [`ALLOWANCE`];
//! - with nothing edited, [`NOTHING`] of the first run;
//! - on disk, [`DISK`] times the object files of a debug build.
//!
//! After every edit the report must be that of `--fresh`, byte for byte, or the bench fails.

mod copy;
mod measure;
mod pages;
mod places;
mod said;

use crate::checked::rigel;
use crate::out::Out;
use anyhow::{Context, ensure};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct Wishes {
    /// Programs to measure
    #[arg(default_values_t = ["sqlite3", "libxml2", "sendmail"].map(String::from))]
    programs: Vec<String>,
    /// Edits of each program, spread evenly over its largest file
    #[arg(long, default_value_t = 5)]
    edits: usize,
    /// Write edit.md there
    #[arg(long)]
    docs: Option<PathBuf>,
}

/// What a check after an edit may cost, in units of clang's emission of the edited unit …
const FACTOR: f64 = 1.5;
/// … and in seconds more.
const ALLOWANCE: f64 = 0.15;
/// What a check may cost with nothing edited, in units of the first run.
const NOTHING: f64 = 0.05;
/// What may be kept, in units of the object files of a debug build.
const DISK: f64 = 3.0;

pub fn run(out: &Out, wishes: &Wishes) -> anyhow::Result<()> {
    ensure!(
        wishes.edits > 0,
        "nothing would be edited: give --edits 1 or more"
    );
    let rigel = rigel()?;
    let mut all = Vec::new();
    for name in &wishes.programs {
        all.push(measure::measure(&rigel, name, wishes.edits)?);
        if let Some(directory) = &wishes.docs {
            pages::write(directory, wishes, &all).with_context(|| {
                format!(
                    "cannot write to {}: give another --docs",
                    directory.display()
                )
            })?;
        }
    }
    out.write(&pages::report(&all))
}
