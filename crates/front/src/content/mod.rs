//! A unit by content: has anything changed that its program was made of?
//!
//! As ccache does it, in two steps. What is known before anything is read (the command, where it
//! runs, which clang) leads to a [`Recipe`]: the files that clang read the last time, each with the
//! hash of its content. If all of them are still the same, so is the program.
//!
//! Two things besides contents can change what clang reads.
//! - A header that *appears* in a place where clang looks earlier ([`absent`]).
//! - A file that is written *while* clang runs: then nobody knows which content it saw, and there
//!   is no recipe ([`Files`] says when a file was last changed).
//!
//! Not seen: a file whose absence `__has_include` was told, until another file changes; a
//! configuration file of clang's driver; and `__DATE__` and `__TIME__`, which stay those of the
//! day the unit was read.

mod absent;
mod files;

pub use files::{Digest, Files};

use crate::protocol::Reads;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What a program was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// As clang spelled them, relative to the directory it ran in.
    files: Vec<(String, Digest)>,
    search: Vec<String>,
    /// Files that stand where a header is looked for earlier, and that clang did not take.
    passed_over: Vec<String>,
}

impl Recipe {
    /// What clang read in `directory`; none if any of it may have changed since it began.
    pub fn record(reads: &Reads, directory: &Path, files: &Files) -> Option<Recipe> {
        let started = UNIX_EPOCH + Duration::from_nanos(reads.started);
        let mut known = Vec::with_capacity(reads.files.len());
        for file in &reads.files {
            let digest = files.digest_before(&directory.join(file), started)?;
            known.push((file.clone(), digest));
        }
        let names: Vec<&str> = reads.files.iter().map(String::as_str).collect();
        let mut passed_over = Vec::new();
        for (path, changed) in in_the_way(&names, &reads.search, directory, files) {
            if !files::is_settled(changed, started) {
                return None;
            }
            passed_over.push(path);
        }
        Some(Recipe {
            files: known,
            search: reads.search.clone(),
            passed_over,
        })
    }

    /// Would clang read the same again?
    pub fn holds(&self, directory: &Path, files: &Files) -> bool {
        let same = |(file, digest): &(String, Digest)| {
            files.digest(&directory.join(file)).as_ref() == Some(digest)
        };
        if !self.files.iter().all(same) {
            return false;
        }
        let names: Vec<&str> = self.files.iter().map(|(name, _)| name.as_str()).collect();
        in_the_way(&names, &self.search, directory, files)
            .iter()
            .all(|(path, _)| self.passed_over.contains(path))
    }

    /// The files, absolute, for whoever wants to watch them.
    pub fn files(&self, directory: &Path) -> impl Iterator<Item = PathBuf> {
        self.files
            .iter()
            .map(|(name, _)| crate::paths::absolute(directory, Path::new(name)))
    }
}

/// The files that are there where a header is looked for earlier, and when each was last changed.
fn in_the_way(
    names: &[&str],
    search: &[String],
    directory: &Path,
    files: &Files,
) -> Vec<(String, SystemTime)> {
    let read: FxHashSet<&str> = names.iter().map(|name| absent::plain(name)).collect();
    let mut out = Vec::new();
    for (place, wanted) in absent::places(names, search).iter() {
        for name in files.any_of(&directory.join(place), wanted) {
            let path = absent::join(place, name);
            if !read.contains(path.as_str())
                && let Some(changed) = files.changed(&directory.join(&path))
            {
                out.push((path, changed));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests;
