//! What is asked for, and what is made of it.

use super::Input;
use crate::protocol::Job;
use std::path::PathBuf;

/// What the command line says.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// FILEs and DIRs.
    pub inputs: Vec<PathBuf>,
    /// What functions do that have no source, as the user says it ([`crate::model`]).
    pub models: Vec<PathBuf>,
    /// `-p`.
    pub database: Option<PathBuf>,
    /// What stands behind `--`.
    pub flags: Vec<String>,
    pub cwd: PathBuf,
    /// `RIGEL_CLANG`.
    pub clang: Option<String>,
}

/// What is to be lowered.
#[derive(Debug, Default)]
pub struct Plan {
    pub units: Vec<Unit>,
    /// What could not be planned, one line each. The run fails, after the rest was analysed.
    pub errors: Vec<Input>,
    /// What the user should know once: one line each.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Unit {
    pub job: Job,
    /// The source's name for a person.
    pub shown: String,
    /// The database that the flags came from.
    pub database: Option<String>,
    /// Size of the source, for scheduling.
    pub bytes: u64,
}

/// Refuses what behind `--` would be lost without a word.
pub(super) fn only_flags(flags: &[String]) -> Result<(), Input> {
    let mut words = flags.iter().peekable();
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            // `@flags` is a file of flags.
            if word.starts_with('@') {
                continue;
            }
            return Err(Input::NotAFlag(word.clone()));
        }
        if matches!(word.as_str(), "-E" | "-M" | "-MM" | "-cc1") {
            return Err(Input::NoTranslation(word.clone()));
        }
        let next = words.peek().map(|w| w.as_str());
        if word == "-Xclang" || crate::options::classify(word, next).1 {
            words.next();
        }
    }
    Ok(())
}
