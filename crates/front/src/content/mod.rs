//! A unit by content: has anything changed that its program was made of?
//!
//! As ccache does it, in two steps. What is known before anything is read (the command, where it
//! runs, which clang) leads to a [`Recipe`]: the files that clang read the last time, each with the
//! hash of its content. If all of them are still the same, so is the program.
//!
//! Three things besides contents can change what clang reads.
//! - A header that *appears* in a place where clang looks earlier ([`absent`]).
//! - A file that `__has_include` or `__has_embed` asks for, and that appears or goes ([`asked`]).
//! - A file that is written *while* clang runs: then nobody knows which content it saw, and there
//!   is no recipe ([`Files`] says when a file was last changed).
//!
//! Not seen: a configuration file of clang's driver; and `__DATE__` and `__TIME__`, which stay
//! those of the day the unit was read.

mod absent;
mod asked;
mod files;

pub use files::{Digest, Files};

use crate::protocol::Reads;
use asked::{Asked, Kind, Name, Words};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What a program was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// As clang spelled them, relative to the directory it ran in.
    files: Vec<(String, Digest)>,
    search: Vec<String>,
    /// Where `#embed` looks, besides the directory of the file.
    embed: Vec<String>,
    /// Files that stand where a header is looked for earlier, and that clang did not take.
    passed_over: Vec<String>,
    /// What the texts ask for.
    asked: Vec<Name>,
    /// Of all files that would answer it: those that are there.
    present: Vec<String>,
}

impl Recipe {
    /// What clang, called by `command`, read in `directory`; none if any of it may have changed
    /// since it began, or if it asked for files whose names cannot be told.
    pub fn record(
        reads: &Reads,
        command: &[String],
        directory: &Path,
        files: &Files,
    ) -> Option<Recipe> {
        let started = UNIX_EPOCH + Duration::from_nanos(reads.started);
        let mut known = Vec::with_capacity(reads.files.len());
        let mut asked = Asked::default();
        add_options(&mut asked, Words::own(), command);
        for file in &reads.files {
            let content = files.content_before(&directory.join(file), started)?;
            known.push((file.clone(), content.digest));
            if let Some(more) = content.asked {
                asked.add(&more);
            }
        }
        let asked = all_names(asked, command, &known, directory)?;
        let embed = command.iter();
        let embed = embed.filter_map(|word| Some(word.strip_prefix("--embed-dir=")?.to_string()));
        let mut recipe = Recipe {
            files: known,
            search: reads.search.clone(),
            embed: embed.collect(),
            passed_over: Vec::new(),
            asked,
            present: Vec::new(),
        };
        let settled = |found: Vec<(String, SystemTime)>| -> Option<Vec<String>> {
            let one = |(path, changed)| files::is_settled(changed, started).then_some(path);
            found.into_iter().map(one).collect()
        };
        recipe.passed_over = settled(recipe.in_the_way(directory, files))?;
        recipe.present = settled(recipe.there(directory, files))?;
        Some(recipe)
    }

    /// Would clang read the same again?
    pub fn holds(&self, directory: &Path, files: &Files) -> bool {
        self.has_same_files(directory, files) && self.finds_the_same(directory, files)
    }

    /// Half of [`holds`](Recipe::holds), and what an edit mostly changes: are the files that were read as they were?
    pub fn has_same_files(&self, directory: &Path, files: &Files) -> bool {
        let same = |(file, digest): &(String, Digest)| {
            files.digest(&directory.join(file)).as_ref() == Some(digest)
        };
        self.files.iter().all(same)
    }

    /// The other half: are they still those that are found, and is what was asked for there, or not, as it was?
    pub fn finds_the_same(&self, directory: &Path, files: &Files) -> bool {
        let paths = |(path, _): (String, SystemTime)| path;
        (self.in_the_way(directory, files).into_iter())
            .map(paths)
            .all(|path| self.passed_over.contains(&path))
            && (self.there(directory, files).into_iter())
                .map(paths)
                .eq(self.present.iter().cloned())
    }

    /// The files that are there where one that was read is looked for earlier, and when each was
    /// last changed.
    fn in_the_way(&self, directory: &Path, files: &Files) -> Vec<(String, SystemTime)> {
        let names: Vec<&str> = self.names().collect();
        let read: FxHashSet<&str> = names.iter().map(|name| absent::plain(name)).collect();
        let mut out = Vec::new();
        for search in [&self.search, &self.embed] {
            for (place, wanted) in absent::places(&names, search).iter() {
                let there = found(place, wanted, directory, files);
                out.extend(there.filter(|(path, _)| !read.contains(path.as_str())));
            }
        }
        out
    }

    /// The files that are there of those asked for, and when each was last changed.
    fn there(&self, directory: &Path, files: &Files) -> Vec<(String, SystemTime)> {
        let mut out = Vec::new();
        self.each_wanted(&mut |place, names| out.extend(found(place, names, directory, files)));
        out
    }

    /// Each place where files are asked for, and which ones; always in the same order. A macro may
    /// be used in another file than it is defined in, so "beside" is beside any file.
    fn each_wanted(&self, visit: &mut dyn FnMut(&str, &[&str])) {
        let names = |wanted: &dyn Fn(&Name) -> bool| -> Vec<&str> {
            let names = self.asked.iter().filter(|name| wanted(name));
            names.map(|name| name.text.as_str()).collect()
        };
        let is_absolute = |name: &Name| name.text.starts_with('/');
        visit("", &names(&is_absolute));
        for (kind, list) in [(Kind::Include, &self.search), (Kind::Embed, &self.embed)] {
            let names = names(&|name| name.kind == kind && !is_absolute(name));
            list.iter()
                .for_each(|place| visit(absent::plain(place), &names));
        }
        let beside = names(&|name| name.quoted && !is_absolute(name));
        if !beside.is_empty() {
            let mut seen = FxHashSet::default();
            let places = self.names().map(absent::parent_of);
            places
                .filter(|place| seen.insert(*place))
                .for_each(|place| visit(place, &beside));
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(name, _)| name.as_str())
    }

    /// The files, absolute, for whoever wants to watch them; also those that are not there yet,
    /// but for the system's directories, where each of the many names that its headers ask for
    /// would count for each of the many directories.
    pub fn files(&self, directory: &Path) -> Vec<PathBuf> {
        let path = |name: &str| crate::paths::absolute(directory, Path::new(name));
        let mut out: Vec<PathBuf> = self.names().map(path).collect();
        self.each_wanted(&mut |place, names| {
            if !place.starts_with("/usr/") {
                out.extend(names.iter().map(|name| path(&absent::join(place, name))));
            }
        });
        // Where a header could be found earlier: one in each directory is enough to have the directory watched.
        let names: Vec<&str> = self.names().collect();
        let mut seen = BTreeSet::new();
        for (place, wanted) in absent::places(&names, &self.search).iter() {
            let own = wanted.iter().filter(|_| !place.starts_with("/usr/"));
            for file in own.map(|name| absent::join(place, name)) {
                if seen.insert(absent::parent_of(&file).to_string()) {
                    out.push(path(&file));
                }
            }
        }
        out
    }
}

/// The names that are asked for, also by macros that hand them on; none if they cannot be told.
fn all_names(
    mut asked: Asked,
    command: &[String],
    files: &[(String, Digest)],
    directory: &Path,
) -> Option<Vec<Name>> {
    let mut known = BTreeSet::new();
    loop {
        let new: BTreeSet<_> = asked.words.difference(&known).cloned().collect();
        if asked.computed {
            return None;
        }
        if new.is_empty() {
            return Some(asked.names.into_iter().collect());
        }
        let words = Words::of(&new);
        add_options(&mut asked, &words, command);
        for (file, digest) in files {
            let text = std::fs::read(directory.join(file)).ok()?;
            // Not the text that clang has seen.
            if blake3::hash(&text).as_bytes() != digest {
                return None;
            }
            if let Some(more) = words.asked(&text) {
                asked.add(&more);
            }
        }
        known.extend(new);
    }
}

fn add_options(asked: &mut Asked, words: &Words, command: &[String]) {
    for more in command.iter().filter_map(|w| words.asked_by_option(w)) {
        asked.add(&more);
    }
}

/// Which of the names are files in this place, and when each was last changed.
fn found<'a>(
    place: &'a str,
    names: &[&'a str],
    directory: &'a Path,
    files: &'a Files,
) -> impl Iterator<Item = (String, SystemTime)> {
    let can_be = files.any_of(&directory.join(place), names);
    can_be.into_iter().filter_map(move |name| {
        let path = absent::join(place, name);
        let changed = files.changed(&directory.join(&path))?;
        Some((path, changed))
    })
}

#[cfg(test)]
mod tests;
