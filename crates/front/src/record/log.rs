//! The log of a recorded build: one line of JSON for each compiler call, then a compile database.

use crate::database::{RawEntry, is_compilation};
use crate::flags::{source_language, strip_wrappers};
use crate::options;
use crate::paths::{absolute, base_name, identity};
use crate::words::expand_response_files;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// One compiler call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    pub directory: String,
    /// The compiler first.
    pub arguments: Vec<String>,
}

impl Call {
    /// The call as a database can keep it: response files are often gone after the call, and the
    /// compiler's environment always is.
    pub fn complete(mut self, environment: impl Fn(&str) -> Option<String>) -> Call {
        self.arguments = expand_response_files(&self.arguments, Path::new(&self.directory));
        let cxx = self
            .arguments
            .first()
            .is_some_and(|a| base_name(a).contains("++"));
        let own = if cxx {
            "CPLUS_INCLUDE_PATH"
        } else {
            "C_INCLUDE_PATH"
        };
        for (variable, option) in [("CPATH", "-I"), (own, "-isystem")] {
            let value = environment(variable).unwrap_or_default();
            for directory in value.split(':').filter(|d| !d.is_empty()) {
                self.arguments
                    .extend([option.to_string(), directory.to_string()]);
            }
        }
        self
    }
}

const LOG: (&str, &str) = ("calls.", ".jsonl");

/// The name of this process's log. Two recordings in one directory have one each.
pub(crate) fn file_name() -> String {
    format!("{}{}{}", LOG.0, std::process::id(), LOG.1)
}

/// The logs in `home` whose `rigel build` ended before it could read them.
pub(crate) fn left_behind(home: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(home) else {
        return Vec::new();
    };
    let mut logs: Vec<_> = entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_str().and_then(|n| n.strip_prefix(LOG.0));
            let process = name.and_then(|n| n.strip_suffix(LOG.1));
            process.is_some_and(|p| !Path::new("/proc").join(p).exists())
        })
        .map(|entry| entry.path())
        .collect();
    logs.sort();
    logs
}

/// Appends one call. The lock keeps the lines of parallel compilers apart.
pub fn append(log: &Path, call: &Call) -> io::Result<()> {
    let mut line = serde_json::to_vec(call).map_err(io::Error::other)?;
    line.push(b'\n');
    let mut file = std::fs::OpenOptions::new().append(true).open(log)?;
    file.lock()?;
    file.write_all(&line)
}

/// All calls, in the order in which they came. A line that is cut short is not a call.
pub fn read(log: &Path) -> io::Result<Vec<Call>> {
    let text = std::fs::read_to_string(log)?;
    Ok(text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect())
}

/// One entry for every source that a call compiles and that is still there.
pub(crate) fn entries(calls: &[Call]) -> Vec<RawEntry> {
    let mut out = Vec::new();
    let mut seen = HashSet::new();
    for call in calls {
        for file in sources(&call.arguments) {
            let path = absolute(Path::new(&call.directory), Path::new(&file));
            // A probe's directory is often gone, even where its source belongs to the build system.
            if is_probe(&path)
                || !path.is_file()
                || !Path::new(&call.directory).is_dir()
                || !is_compilation(&call.arguments, &file)
                || !seen.insert((path, call.arguments.clone()))
            {
                continue;
            }
            out.push(RawEntry {
                directory: call.directory.clone(),
                file,
                arguments: Some(call.arguments.clone()),
                command: None,
            });
        }
    }
    out
}

/// The entries of an older database whose files are still there and were not compiled anew.
pub(crate) fn kept(database: &Path, new: &[RawEntry]) -> Vec<RawEntry> {
    let old: Vec<serde_json::Value> = std::fs::read_to_string(database)
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    // One by one: a bad entry is not worth the others.
    let old = old
        .into_iter()
        .filter_map(|e| serde_json::from_value::<RawEntry>(e).ok());
    let of = |e: &RawEntry| identity(Path::new(&e.directory), Path::new(&e.file));
    let compiled: HashSet<_> = new.iter().map(of).collect();
    old.filter(|e| e.arguments.is_some() && of(e).is_file() && !compiled.contains(&of(e)))
        .collect()
}

/// The source files among the arguments of a call.
fn sources(arguments: &[String]) -> Vec<String> {
    let call = strip_wrappers(arguments);
    let mut out = Vec::new();
    let mut words = call.iter().skip(1).peekable();
    let mut forced = false;
    while let Some(word) = words.next() {
        if word.starts_with('-') && word.len() > 1 {
            if word == "-Xclang" {
                words.next();
                continue;
            }
            let (_, takes_next) = options::classify(word, words.peek().map(|s| s.as_str()));
            let operand = if takes_next { words.next() } else { None };
            if let Some(name) = word.strip_prefix("-x") {
                let name = operand.map_or(name, |o| o.as_str());
                forced = name == "c" || name == "c++";
            }
        } else if forced || source_language(word).is_some() {
            out.push(word.clone());
        }
    }
    out
}

/// Sources that configure scripts and build systems make to ask the compiler something.
fn is_probe(path: &Path) -> bool {
    let name = path
        .file_name()
        .map(|n| n.to_string_lossy())
        .unwrap_or_default();
    name.starts_with("conftest.")
        || name.starts_with("CMakeCXXCompilerABI.")
        || name.starts_with("CMakeCCompilerABI.")
        || path.components().any(|part| {
            let part = part.as_os_str().to_string_lossy();
            matches!(&*part, "CMakeTmp" | "CMakeScratch" | "meson-private")
                || part.starts_with("CompilerId")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(directory: &Path, line: &str) -> Call {
        Call {
            directory: directory.display().to_string(),
            arguments: crate::words::split(line).unwrap(),
        }
    }

    fn touch(directory: &Path, name: &str) {
        let path = directory.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }

    #[test]
    fn calls_become_entries() {
        let dir = tempfile::tempdir().unwrap();
        let d = dir.path();
        for name in [
            "a.c",
            "b.c",
            "s.S",
            "conftest.c",
            "CMakeFiles/3.2/CompilerIdC/x.c",
        ] {
            touch(d, name);
        }
        let calls = [
            call(d, "gcc -O2 -o prog a.c b.c -lm"),
            call(d, "gcc -O2 -o prog a.c b.c -lm"),
            call(d, "gcc -c s.S"),
            call(d, "gcc -E a.c"),
            call(d, "gcc -MM a.c"),
            call(d, "gcc conftest.c"),
            call(d, "gcc -c gone.c"),
            call(d, "gcc CMakeFiles/3.2/CompilerIdC/x.c"),
            call(&d.join("gone"), "gcc -c ../a.c"),
            call(d, "gcc a.o b.o -o prog"),
            call(d, "gcc --version"),
            call(d, "gcc -x c -"),
            call(d, "gcc -include b.c -c a.c"),
        ];
        let got: Vec<_> = entries(&calls)
            .iter()
            .map(|e| format!("{}: {}", e.file, e.arguments.as_ref().unwrap().join(" ")))
            .collect();
        assert_eq!(
            got,
            [
                "a.c: gcc -O2 -o prog a.c b.c -lm",
                "b.c: gcc -O2 -o prog a.c b.c -lm",
                "a.c: gcc -include b.c -c a.c",
            ]
        );
    }

    #[test]
    fn a_call_takes_its_environment_along() {
        let variables = |name: &str| match name {
            "CPATH" => Some("/x:/y".to_string()),
            "CPLUS_INCLUDE_PATH" => Some("/cxx".to_string()),
            _ => None,
        };
        let call = call(Path::new("/"), "g++ a.cc").complete(variables);
        assert_eq!(
            call.arguments.join(" "),
            "g++ a.cc -I /x -I /y -isystem /cxx"
        );
    }

    #[test]
    fn parallel_calls_do_not_mix() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        std::fs::write(&log, "").unwrap();
        std::thread::scope(|s| {
            for i in 0..4 {
                let log = &log;
                s.spawn(move || {
                    let call = call(Path::new("/"), &format!("cc {}", "x".repeat(9000 + i)));
                    for _ in 0..20 {
                        append(log, &call).unwrap();
                    }
                });
            }
        });
        assert_eq!(read(&log).unwrap().len(), 80);
    }
}
