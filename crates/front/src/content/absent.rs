//! Where a header would be found instead, if it were there.
//!
//! clang takes the first that it finds: for `#include "x.h"` beside the file that includes it, then
//! in the directories of the search list in order. clang says neither which file included a header
//! nor how, so all that could be are taken: any directory of a file that was read may be the
//! includer's, and any directory of the list that is a beginning of the header's path may be the
//! one it was found in. That is too much at times, and costs then one unit that is read again.

use std::collections::{BTreeMap, BTreeSet};

/// Directories, in clang's spelling, and what must not be found in each of them: the names of the
/// headers that were found behind it.
pub fn places<'a>(files: &[&'a str], search: &'a [String]) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let search: Vec<&str> = search.iter().map(|directory| plain(directory)).collect();
    let mut behind: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); search.len()];
    for file in files {
        for (position, directory) in search.iter().enumerate() {
            behind[position].extend(below(plain(file), directory));
        }
    }
    let mut out: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for (directory, found) in search.iter().zip(&behind).rev() {
        out.entry(directory).or_default().extend(&names);
        names.extend(found);
    }
    // `-include` starts where the compiler runs.
    let beside = files.iter().map(|file| parent(plain(file))).chain([""]);
    for directory in beside.collect::<BTreeSet<_>>() {
        out.entry(directory).or_default().extend(&names);
    }
    out
}

/// Without the `./` that clang leaves out in some places; the directory itself is empty.
pub fn plain(mut path: &str) -> &str {
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    if path == "." { "" } else { path }
}

fn parent(file: &str) -> &str {
    match file.rsplit_once('/') {
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

    /// Without the files themselves, as whoever asks leaves them out.
    fn listed(files: &[&str], search: &[&str]) -> Vec<String> {
        let search: Vec<String> = search.iter().map(|s| s.to_string()).collect();
        let places = places(files, &search);
        let all = places
            .iter()
            .flat_map(|(directory, names)| names.iter().map(|name| join(directory, name)));
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
