//! What a unit came to that does not compile.
//!
//! clang lists what it read only if all went well. Of a unit that fails, its preprocessor is asked once more: `-H`
//! names every header when it is entered, however the unit ends. A header that was not found is named by the
//! error; it could be written in any directory of the search list, or beside whoever asks for it.

use front::protocol::Job;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

/// The headers of the unit, and those that it misses. `diagnostics`: what clang said of it.
pub fn files(job: &Job, search: &[String], diagnostics: &str) -> Vec<String> {
    let mut files = entered(job);
    let parents = files.iter().chain([&job.file]).map(|file| parent(file));
    let mut places: BTreeSet<String> = parents.collect();
    places.extend(search.iter().cloned());
    for name in missing(diagnostics) {
        let joined = places.iter().map(|place| match place.as_str() {
            "" => name.to_string(),
            _ => format!("{place}/{name}"),
        });
        files.extend(joined);
    }
    files
}

fn entered(job: &Job) -> Vec<String> {
    let Some((program, args)) = job.command.split_first() else {
        return Vec::new();
    };
    let said = Command::new(program)
        // The file's name may stand behind `--`.
        .args(["-E", "-H"])
        .args(args)
        .current_dir(&job.directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output();
    let text = said.map(|said| said.stderr).unwrap_or_default();
    listed(&String::from_utf8_lossy(&text))
}

/// `.. inc/a.h`: a header, as deep as there are dots.
fn listed(text: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let lines = text.lines().filter_map(|line| {
        let (dots, file) = line.split_once(' ')?;
        let is_header = !dots.is_empty() && dots.bytes().all(|b| b == b'.');
        is_header.then(|| file.to_string())
    });
    lines.filter(|file| seen.insert(file.clone())).collect()
}

/// The names in `'gen.h' file not found`.
fn missing(diagnostics: &str) -> Vec<&str> {
    let lines = diagnostics.lines();
    let names = lines.filter_map(|line| {
        let (before, _) = line.split_once("' file not found")?;
        before.rsplit_once('\'').map(|(_, name)| name)
    });
    names.collect()
}

fn parent(file: &str) -> String {
    let parent = Path::new(file).parent();
    parent.map_or_else(String::new, |p| p.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_listed_once_and_other_words_are_none() {
        let text = ". i2/h.h\n.. i2/with space.h\na.c:1:1: error: no ... x.h\n. i2/h.h\n";
        assert_eq!(listed(text), ["i2/h.h", "i2/with space.h"]);
    }

    #[test]
    fn what_was_not_found_could_be_anywhere() {
        let job = Job {
            file: "src/a.c".into(),
            directory: "/".into(),
            command: Vec::new(),
        };
        let said = "src/a.c:1:10: fatal error: 'gen/x.h' file not found\n";
        assert_eq!(
            files(&job, &["inc".into()], said),
            ["inc/gen/x.h", "src/gen/x.h"]
        );
    }
}
