//! Which findings a round did not look for, because a file could not be read.
//!
//! Those that stand in such a file, or whose path leads through it: without the callee nobody knows.
//! A header counts if no other unit of the round has read it.

use crate::reading::Unread;
use report::Finding;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub struct Lost {
    /// Files and directories.
    paths: BTreeSet<PathBuf>,
    /// It cannot be told what was lost.
    all: bool,
    cwd: PathBuf,
}

impl Lost {
    /// `files` says what each unit was last made of, `now` which units this round had.
    pub fn new(
        unread: &[Unread],
        files: &BTreeMap<PathBuf, Vec<PathBuf>>,
        now: &[PathBuf],
        cwd: &Path,
    ) -> Lost {
        let clean = |path: &Path| front::absolute(cwd, path);
        let mut paths: BTreeSet<PathBuf> = BTreeSet::new();
        let missing = unread.iter().filter_map(|unread| unread.file.as_deref());
        paths.extend(missing.map(clean));
        let is_unread = |unit: &Path| paths.contains(&clean(unit));
        let made_of = |unit: &PathBuf| {
            let parts = files.get(unit).into_iter().flatten();
            parts.map(|file| clean(file)).collect::<Vec<_>>()
        };
        let read = now.iter().filter(|unit| !is_unread(unit));
        let read: BTreeSet<PathBuf> = read.flat_map(made_of).collect();
        let lost = files.keys().filter(|unit| is_unread(unit));
        let lost: Vec<PathBuf> = lost.flat_map(made_of).collect();
        paths.extend(lost.into_iter().filter(|file| !read.contains(file)));
        Lost {
            paths,
            all: unread.iter().any(|unread| unread.file.is_none()),
            cwd: cwd.to_path_buf(),
        }
    }

    /// Would it have to be looked for in what was not read?
    pub fn has(&self, finding: &Finding) -> bool {
        let steps = finding.steps.iter().map(|step| &step.location);
        let called = finding.called.iter().map(|caller| &caller.location);
        let places = steps.chain(called).chain([&finding.location]);
        let files: BTreeSet<&str> = places.map(|place| place.file.as_str()).collect();
        self.all || files.into_iter().any(|file| self.has_file(file))
    }

    fn has_file(&self, file: &str) -> bool {
        let file = front::absolute(&self.cwd, Path::new(file));
        file.ancestors().any(|path| self.paths.contains(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_its_own_headers_and_what_lies_below_a_directory() {
        let path = |name: &str| Path::new("/p").join(name);
        let unit = |source: &str, headers: &[&str]| {
            let parts = [&[source], headers].concat();
            let parts = parts.iter().map(|name| path(name));
            (path(source), parts.collect::<Vec<_>>())
        };
        let files = BTreeMap::from([
            unit("a.c", &["a.h", "both.h"]),
            unit("b.c", &["both.h"]),
            // Not in this round any more.
            unit("old.c", &["a.h"]),
        ]);
        let unread = |file: &str| Unread {
            file: Some(path(file)),
            message: String::new(),
        };
        let now = [path("a.c"), path("b.c")];
        let list = [unread("./a.c"), unread("dir")];
        let lost = Lost::new(&list, &files, &now, Path::new("/p"));
        for (file, expected) in [
            ("a.c", true),
            ("a.h", true),
            ("both.h", false),
            ("b.c", false),
            ("dir/x.c", true),
            ("other/x.c", false),
        ] {
            assert_eq!(lost.has_file(file), expected, "{file}");
        }
    }
}
