//! What an answer depends on: the programs, and all that the user said that can change a byte of
//! the report.

use super::{Kept, stamp};
use crate::check::Task;
use crate::reading::Read;
use crate::{cli, solver};
use store::{Key, Keyer};

/// The question that a run of `check` asks; none if one of its programs has no key.
pub fn question(task: &Task, read: &Read) -> Option<Key> {
    let programs = read.content()?;
    let keyer = Keyer::new("question")
        .part(read.cwd.as_os_str().as_encoded_bytes())
        .parts(programs.iter().map(|key| key.0))
        .parts(known())
        .number(read.unread.len() as u64);
    Some(settings(keyer, task.output, task.how).key())
}

/// What was asked for, whatever the files contain: runs with the same key follow each other.
pub fn run(task: &Task, kept: &Kept) -> Key {
    settings(
        asked_for(task.input, task.flags, kept, "run"),
        task.output,
        task.how,
    )
    .key()
}

/// Of what: the same whatever is to be known of it.
pub fn input(input: &cli::Input, flags: &[String], kept: &Kept) -> Key {
    asked_for(input, flags, kept, "input").key()
}

fn asked_for(input: &cli::Input, flags: &[String], kept: &Kept, what: &str) -> Keyer {
    let files = input.files.iter().chain(&input.database);
    kept.surroundings()
        .part(what)
        .parts(files.map(|file| file.as_os_str().as_encoded_bytes()))
        .number(u64::from(input.database.is_some()))
        .parts(flags)
        .parts(known())
}

/// What users know of functions ([`crate::known`]): messages name the files, the rest is in the texts.
fn known() -> impl Iterator<Item = &'static str> {
    let said = library::current().said().iter();
    said.flat_map(|(file, text)| [file.as_str(), text.as_str()])
}

/// The rules of users, likewise. (They are no part of what a program is: what is remembered of functions that a rule does not
/// change is as good under another.)
fn ruled() -> impl Iterator<Item = &'static str> {
    let said = rules::user::said().iter();
    said.flat_map(|(file, text)| [file.as_str(), text.as_str()])
}

/// What was said about the analysis, and which verdicts are shown.
fn settings(keyer: Keyer, output: &cli::Output, how: &cli::Analysis) -> Keyer {
    // All fields are named, so that one that is added is not forgotten here.
    let cli::Analysis {
        precision,
        solver: _,
        search,
        aggregate,
        noreturn,
        // What they say, below.
        own: _,
    } = how;
    let cli::Output {
        rules,
        latent,
        verbose,
        format,
        // How it is printed, and what it cost.
        out: _,
        path: _,
        color: _,
        stats: _,
    } = output;
    let keyer = keyer
        .number(u64::from(*precision))
        .part(format!("{search:?} {aggregate:?}"))
        .parts(noreturn)
        .parts(ruled())
        .parts(rules)
        .number(u64::from(*latent))
        .number(u64::from(*verbose))
        // Only there error projections are told of all findings.
        .number(u64::from(*format == cli::Format::Sarif))
        .parts(solver::words(how));
    let files = solver::files(how);
    files.iter().fold(keyer, |keyer, file| stamp(keyer, file))
}
