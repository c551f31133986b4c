//! Where a header would be found instead, if it were there.
//!
//! clang takes the first that it finds: for `#include "x.h"` beside the file that includes it, then
//! in the directories of the search list in order. clang says neither which file included a header
//! nor how, so all that could be are taken: any directory of a file that was read may be the
//! includer's, and any directory of the list that is a beginning of the header's path may be the
//! one it was found in. That is too much at times, and costs then one unit that is read again.

use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Directories, in clang's spelling, and what must not be found in each of them.
pub struct Places<'a> {
    /// The names of headers, those that were found last in the search list first.
    names: Vec<&'a str>,
    /// How many of the names must not be found in it.
    directories: BTreeMap<&'a str, usize>,
}

impl<'a> Places<'a> {
    /// Each directory, with the names of the headers that were found behind it.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &[&'a str])> {
        let all = self.directories.iter();
        all.map(|(directory, count)| (*directory, &self.names[..*count]))
    }
}

pub fn places<'a>(files: &[&'a str], search: &'a [String]) -> Places<'a> {
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    let mut names: Vec<&str> = Vec::new();
    let mut directories: BTreeMap<&str, usize> = BTreeMap::new();
    // What is found behind a directory only grows from the last one to the first.
    for directory in search.iter().rev().map(|directory| plain(directory)) {
        directories.insert(directory, names.len());
        let found = files
            .iter()
            .filter_map(|file| below(plain(file), directory));
        names.extend(found.filter(|name| seen.insert(name)));
    }
    // `-include` starts where the compiler runs.
    for directory in files.iter().map(|file| parent_of(file)).chain([""]) {
        directories.insert(directory, names.len());
    }
    Places { names, directories }
}

/// Without the `./` that clang leaves out in some places; the directory itself is empty.
pub fn plain(mut path: &str) -> &str {
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    if path == "." { "" } else { path }
}

/// The directory of a file.
pub fn parent_of(file: &str) -> &str {
    match plain(file).rsplit_once('/') {
        Some(("", _)) => "/",
        Some((directory, _)) => directory,
        None => "",
    }
}

/// How `file` is called from `directory`, if it is spelled as lying below.
fn below<'a>(file: &'a str, directory: &str) -> Option<&'a str> {
    match directory {
        "" => (!file.starts_with('/')).then_some(file),
        _ => file
            .strip_prefix(directory)?
            .strip_prefix('/')
            .map(|name| name.trim_start_matches('/')),
    }
}

/// In clang's spelling.
pub fn join(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_string(),
        "/" => format!("/{name}"),
        _ => format!("{directory}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Without the files themselves, as whoever asks leaves them out.
    fn listed(files: &[&str], search: &[&str]) -> Vec<String> {
        let search: Vec<String> = search.iter().map(|s| s.to_string()).collect();
        let places = places(files, &search);
        let all = places
            .iter()
            .flat_map(|(directory, names)| names.iter().map(move |name| join(directory, name)));
        let all: BTreeSet<String> = all
            .filter(|path| !files.iter().any(|file| plain(file) == path))
            .collect();
        all.into_iter().collect()
    }

    #[test]
    fn earlier_directories_and_beside_the_includer() {
        assert_eq!(
            listed(&["src/a.c", "two/x.h"], &["one", "two", "three"]),
            ["one/x.h", "src/x.h", "x.h"]
        );
    }

    #[test]
    fn what_is_found_beside_its_includer_has_nothing_before_it() {
        assert_eq!(listed(&["src/a.c", "src/x.h"], &["inc"]), [""; 0]);
    }

    #[test]
    fn the_directory_itself_is_spelled_in_several_ways() {
        for dot in [".", "./"] {
            assert_eq!(
                listed(&["src/a.c", "./x.h"], &["inc", dot]),
                // a.c itself is called so from here, and could be a header as well.
                ["inc/src/a.c", "inc/x.h", "src/src/a.c", "src/x.h"]
            );
        }
        assert_eq!(
            listed(&["/p/a.c", "/inc/b/x.h"], &["./i", "/inc"]),
            ["/inc/b/b/x.h", "/p/b/x.h", "b/x.h", "i/b/x.h"]
        );
    }
}
