//! Which files matter, and when one of them was saved.
//!
//! *Directories* are watched, not files: an editor that writes a new file and renames it over the
//! old one would leave a watch on a file that nobody has any more. A save is several events; the
//! round begins when none has come for a while. A directory that is replaced (a branch that is
//! checked out) is found again by its number.

use crate::cli;
use notify::event::{EventKind, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// So long no event: the save is over.
const QUIET: Duration = Duration::from_millis(100);
/// A build that writes all the time is looked at in between.
const LONGEST: Duration = Duration::from_secs(2);
/// How often directories that are gone are looked for.
const LOOK: Duration = Duration::from_millis(500);

const HEADERS: [&str; 9] = ["h", "hh", "hpp", "hxx", "h++", "inc", "ipp", "tpp", "inl"];

pub struct Eyes {
    watcher: RecommendedWatcher,
    events: Receiver<notify::Result<Event>>,
    /// Wanted directories; each with the number of the one that is watched, if one is.
    directories: BTreeMap<PathBuf, Option<u64>>,
    files: BTreeSet<PathBuf>,
}

impl Eyes {
    pub fn open() -> Result<Eyes, String> {
        let (sender, events) = channel();
        let watcher = notify::recommended_watcher(sender).map_err(said)?;
        Ok(Eyes {
            watcher,
            events,
            directories: BTreeMap::new(),
            files: BTreeSet::new(),
        })
    }

    /// Looks at these files from now on, and at what the user named.
    pub fn look_at(
        &mut self,
        units: &BTreeMap<PathBuf, Vec<PathBuf>>,
        input: &cli::Input,
        own: &cli::RuleFiles,
    ) -> Result<(), String> {
        let cwd = std::env::current_dir().map_err(|e| format!("--watch: {e}"))?;
        let mut files: BTreeSet<PathBuf> =
            units.values().flatten().map(|f| clean(&cwd, f)).collect();
        files.extend(units.keys().map(|file| clean(&cwd, file)));
        let mut directories = BTreeSet::new();
        for named in &input.files {
            let path = clean(&cwd, named);
            match path.is_dir() {
                true => directories.insert(path),
                false => files.insert(path),
            };
        }
        let said = input.models.iter().chain(&own.rule_file);
        files.extend(said.map(|file| clean(&cwd, file)));
        files.extend(database(input, &cwd));
        // Nobody edits these; that one changed is seen at the next round.
        files.retain(|file| !file.starts_with("/usr"));
        directories.extend(files.iter().filter_map(|f| f.parent()).map(PathBuf::from));
        self.files = files;
        let unwanted: Vec<PathBuf> = self
            .directories
            .keys()
            .filter(|known| !directories.contains(*known))
            .cloned()
            .collect();
        for directory in unwanted {
            // It may be gone already.
            let _ = self.watcher.unwatch(&directory);
            self.directories.remove(&directory);
        }
        for directory in directories {
            self.directories.entry(directory).or_insert(None);
        }
        self.find_directories();
        Ok(())
    }

    pub fn see_anything(&self) -> bool {
        self.directories.values().any(Option::is_some)
    }

    /// Returns when something that matters was saved after `since`, and the save is over.
    pub fn wait(&mut self, since: SystemTime) -> Result<(), String> {
        // What was saved before it was watched gives no event.
        if !self.files.iter().any(|file| changed_since(file, since)) {
            while !self.next(LOOK)? && !self.find_directories() {}
        }
        let start = Instant::now();
        let mut quiet = Instant::now();
        while quiet.elapsed() < QUIET && start.elapsed() < LONGEST {
            if self.next(QUIET)? {
                quiet = Instant::now();
            }
        }
        Ok(())
    }

    /// Waits for one event, but not longer. Does it matter?
    fn next(&mut self, longest: Duration) -> Result<bool, String> {
        match self.events.recv_timeout(longest) {
            Ok(Ok(event)) => Ok(self.matters(&event)),
            // Events were lost: anything may have changed.
            Ok(Err(_)) => Ok(true),
            Err(RecvTimeoutError::Timeout) => Ok(false),
            Err(RecvTimeoutError::Disconnected) => {
                Err("--watch: the system says nothing about files any more".to_string())
            }
        }
    }

    fn matters(&self, event: &Event) -> bool {
        // Who reads a file, as every round does, changes nothing.
        let is_change = !matches!(
            event.kind,
            EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_))
        );
        is_change
            && event
                .paths
                .iter()
                .any(|path| self.files.contains(path) || is_source(path))
    }

    /// Watches wanted directories that are there and not watched. Was there one?
    fn find_directories(&mut self) -> bool {
        let mut found = false;
        for (directory, watched) in &mut self.directories {
            let there = std::fs::metadata(directory).ok().map(|known| known.ino());
            if there == *watched {
                continue;
            }
            // The watch of one that was replaced is worth nothing, and may be gone.
            let _ = self.watcher.unwatch(directory);
            let seen = there.filter(|_| {
                let mode = RecursiveMode::NonRecursive;
                self.watcher.watch(directory, mode).is_ok()
            });
            found |= seen.is_some();
            *watched = seen;
        }
        found
    }
}

fn said(e: notify::Error) -> String {
    format!("--watch: files cannot be watched: {e}")
}

fn clean(cwd: &Path, path: &Path) -> PathBuf {
    front::absolute(cwd, path)
}

/// The compile database that is read.
fn database(input: &cli::Input, cwd: &Path) -> Option<PathBuf> {
    let place = match &input.database {
        Some(place) => clean(cwd, place),
        None if input.files.is_empty() => front::database::find_upwards(cwd)?,
        None => return None,
    };
    Some(match place.is_dir() {
        true => place.join(front::database::FILE_NAME),
        false => place,
    })
}

/// A file that is new may be a header that is found first, or a source of a directory.
fn is_source(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    let ending = path.extension().and_then(|ending| ending.to_str());
    !name.starts_with('.')
        && (front::flags::source_language(name).is_some()
            || ending.is_some_and(|ending| HEADERS.contains(&ending)))
}

fn changed_since(file: &Path, moment: SystemTime) -> bool {
    let Ok(known) = std::fs::metadata(file) else {
        return false;
    };
    let seconds = u64::try_from(known.ctime()).unwrap_or(0);
    let nanoseconds = u32::try_from(known.ctime_nsec()).unwrap_or(0);
    UNIX_EPOCH + Duration::new(seconds, nanoseconds) > moment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_and_headers_matter_and_what_editors_leave_does_not() {
        for name in ["a.c", "b.cpp", "dir/x.h", "x.hpp"] {
            assert!(is_source(Path::new(name)), "{name}");
        }
        for name in ["4913", ".a.c.swp", ".#a.c", "a.c~", "a.o", "store"] {
            assert!(!is_source(Path::new(name)), "{name}");
        }
    }
}
