//! Compile databases: `compile_commands.json`, as CMake, Meson, Bear and `rigel build` write it.
//!
//! A database is a JSON array of `{"directory", "file", "arguments"}` or `{…, "command"}`. What
//! is no compilation of C or C++ (assembler files, link steps, clang's internal `-cc1` calls) is
//! left out here, so that everything behind this module sees compilations only.

use crate::flags::{source_language, strip_wrappers};
use crate::paths::{absolute, identity};
use crate::words::split;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The file name that every tool agrees on.
pub const FILE_NAME: &str = "compile_commands.json";

/// Where a database is looked for, in a directory and then in each one above it: where the build
/// systems put it, and where `rigel build` does.
const PLACES: [&str; 3] = ["", "build", ".rigel"];

/// One compilation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Absolute.
    pub directory: PathBuf,
    /// As the database names it, usually relative to `directory` or absolute.
    pub file: String,
    /// The whole call, the compiler first.
    pub arguments: Vec<String>,
    /// The real path of `file`.
    pub identity: PathBuf,
}

#[derive(Clone, Debug)]
pub struct Database {
    pub path: PathBuf,
    pub entries: Vec<Entry>,
    /// The entries that could not be read. They are not worth the others.
    pub bad: Vec<DatabaseError>,
}

/// What is wrong with a database. One line each: what, where, what to do.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DatabaseError {
    #[error("{}: no {FILE_NAME} there (make one with `cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON`, or record the build: `rigel build -- make`)", .0.display())]
    Missing(PathBuf),
    #[error("{}: cannot be read: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("{}:{line}:{column}: not a compile database: {reason} (write it anew: run cmake again, or `rigel build -- make`)", path.display())]
    Malformed {
        path: PathBuf,
        line: usize,
        column: usize,
        reason: String,
    },
    #[error("{}: entry {index}: {reason} (write it anew: run cmake again, or `rigel build -- make`)", path.display())]
    BadEntry {
        path: PathBuf,
        /// Counted from 1.
        index: usize,
        reason: String,
    },
    #[error("{}: has no compilation of a C or C++ file (write it anew: run cmake again, or `make clean` and `rigel build -- make`)", .0.display())]
    Empty(PathBuf),
}

/// An entry as JSON has it.
#[derive(Serialize, Deserialize)]
pub(crate) struct RawEntry {
    pub directory: String,
    pub file: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

impl Database {
    /// Reads the database at `place`: a directory that has one, or the file itself.
    pub fn load(place: &Path) -> Result<Database, DatabaseError> {
        let path = if place.is_dir() {
            in_directory(place).ok_or_else(|| DatabaseError::Missing(place.to_path_buf()))?
        } else if place.exists() {
            place.to_path_buf()
        } else {
            return Err(DatabaseError::Missing(place.to_path_buf()));
        };
        let text = std::fs::read_to_string(&path).map_err(|e| DatabaseError::Unreadable {
            path: path.clone(),
            reason: e.to_string(),
        })?;
        Database::parse(&path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Database, DatabaseError> {
        let malformed = |line, column, reason: &str| DatabaseError::Malformed {
            path: path.to_path_buf(),
            line,
            column,
            reason: reason.to_string(),
        };
        if text.trim().is_empty() {
            return Err(DatabaseError::Empty(path.to_path_buf()));
        }
        let json: Value = serde_json::from_str(text).map_err(|e| {
            // serde appends its own " at line 1 column 2": the position stands in front here.
            let reason = e.to_string();
            let end = reason.find(" at line ").unwrap_or(reason.len());
            malformed(e.line(), e.column().max(1), &reason[..end])
        })?;
        let Value::Array(json) = json else {
            return Err(malformed(1, 1, "it is not a JSON array of entries"));
        };
        // A relative directory is relative to the database.
        let home = path.parent().unwrap_or(Path::new("."));
        let home = std::fs::canonicalize(home).unwrap_or_else(|_| home.to_path_buf());
        let mut entries: Vec<Entry> = Vec::new();
        let mut bad = Vec::new();
        for (i, json) in json.iter().enumerate() {
            match entry(json, &home) {
                Ok(entry) if is_compilation(&entry.arguments, &entry.file) => entries.push(entry),
                Ok(_) => {}
                Err(reason) => bad.push(DatabaseError::BadEntry {
                    path: path.to_path_buf(),
                    index: i + 1,
                    reason,
                }),
            }
        }
        let mut seen = std::collections::HashSet::new();
        entries.retain(|e| seen.insert((e.identity.clone(), e.arguments.clone())));
        if entries.is_empty() && bad.is_empty() {
            return Err(DatabaseError::Empty(path.to_path_buf()));
        }
        Ok(Database {
            path: path.to_path_buf(),
            entries,
            bad,
        })
    }
}

/// One entry; or what is wrong with it.
fn entry(json: &Value, home: &Path) -> Result<Entry, String> {
    let Value::Object(fields) = json else {
        return Err("is not a JSON object".to_string());
    };
    let text = |name: &str| match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("its `{name}` is not a string")),
    };
    let directory = text("directory")?.ok_or("has no `directory`")?;
    let file = text("file")?.ok_or("has no `file`")?;
    if file.is_empty() {
        return Err("its `file` is empty".to_string());
    }
    let arguments: Vec<String> = match fields.get("arguments") {
        None | Some(Value::Null) => {
            let command = text("command")?.ok_or("has neither `arguments` nor `command`")?;
            split(&command).ok_or("its `command` has an open quote")?
        }
        Some(Value::Array(words)) => words
            .iter()
            .map(|word| word.as_str().map(String::from))
            .collect::<Option<_>>()
            .ok_or("its `arguments` are not all strings")?,
        Some(_) => return Err("its `arguments` are not an array".to_string()),
    };
    if arguments.is_empty() {
        return Err("its command is empty".to_string());
    }
    let directory = absolute(home, Path::new(&directory));
    Ok(Entry {
        identity: identity(&directory, Path::new(&file)),
        directory,
        file,
        arguments,
    })
}

/// The database that belongs to `directory`: there, or in the nearest directory above.
pub fn find_upwards(directory: &Path) -> Option<PathBuf> {
    directory.ancestors().find_map(in_directory)
}

fn in_directory(directory: &Path) -> Option<PathBuf> {
    PLACES
        .iter()
        .map(|place| directory.join(place).join(FILE_NAME))
        .find(|file| file.is_file())
}

/// Does this call translate C or C++ source text?
pub(crate) fn is_compilation(arguments: &[String], file: &str) -> bool {
    let call = strip_wrappers(arguments);
    let internal = call.iter().any(|a| a == "-cc1" || a == "-cc1as");
    let only_preprocesses = call.iter().any(|a| a == "-E" || a == "-M" || a == "-MM");
    let named = call.iter().enumerate().filter_map(|(i, a)| {
        let name = a.strip_prefix("-x")?;
        match name {
            "" => call.get(i + 1).map(|s| s.as_str()),
            name => Some(name),
        }
    });
    let mut forced = false;
    for name in named {
        // A header that is precompiled is read with the units that include it.
        if name.ends_with("-header") {
            return false;
        }
        forced |= name == "c" || name == "c++";
    }
    // Header files have no language of their own here: `gcc a.h` precompiles, too.
    !internal && !only_preprocesses && (forced || source_language(file).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn parse(text: &str) -> Result<Database, DatabaseError> {
        Database::parse(Path::new("/b/compile_commands.json"), text)
    }

    fn error(text: &str, expected: Expect) {
        expected.assert_eq(&parse(text).unwrap_err().to_string());
    }

    #[test]
    fn both_forms_and_relative_directories() {
        let db = parse(
            r#"[{"directory": "sub", "file": "a.c", "command": "cc -DX='1 2' -c a.c"},
                {"directory": "/s", "file": "../t/b.cc", "arguments": ["c++", "-c", "../t/b.cc"], "output": "b.o"}]"#,
        )
        .unwrap();
        assert_eq!(db.entries[0].directory, Path::new("/b/sub"));
        assert_eq!(db.entries[0].arguments, ["cc", "-DX=1 2", "-c", "a.c"]);
        assert_eq!(db.entries[1].identity, Path::new("/t/b.cc"));
    }

    #[test]
    fn what_is_no_compilation_is_left_out() {
        let db = parse(
            r#"[{"directory": "/", "file": "a.c", "command": "clang -cc1 -emit-obj a.c"},
                {"directory": "/", "file": "a.S", "command": "gcc -c a.S"},
                {"directory": "/", "file": "a.c", "command": "gcc -E a.c"},
                {"directory": "/", "file": "a.o", "command": "gcc a.o -o a"},
                {"directory": "/", "file": "p.hxx", "command": "g++ -x c++-header -o p.hxx.gch -c p.hxx"},
                {"directory": "/", "file": "cmake_pch.hxx.cxx", "command": "clang++ -Xclang -emit-pch -xc++-header -c cmake_pch.hxx.cxx"},
                {"directory": "/", "file": "p.h", "command": "gcc p.h"},
                {"directory": "/", "file": "k.cu", "command": "nvcc -c k.cu"},
                {"directory": "/", "file": "a.inc", "command": "gcc -x c a.inc"},
                {"directory": "/", "file": "a.c", "command": "gcc -c a.c"},
                {"directory": "/", "file": "a.c", "command": "gcc -c a.c"},
                {"directory": "/", "file": "a.c", "command": "gcc -DPIC -c a.c"}]"#,
        )
        .unwrap();
        let kept: Vec<_> = db.entries.iter().map(|e| e.arguments.join(" ")).collect();
        assert_eq!(kept, ["gcc -x c a.inc", "gcc -c a.c", "gcc -DPIC -c a.c"]);
    }

    #[test]
    fn errors_say_what_where_and_what_to_do() {
        error(
            "{}",
            expect![
                "/b/compile_commands.json:1:1: not a compile database: it is not a JSON array of entries (write it anew: run cmake again, or `rigel build -- make`)"
            ],
        );
        error(
            "[\n  {\"directory\": \"/\", \"file\": \"a.c\",",
            expect![
                "/b/compile_commands.json:2:35: not a compile database: EOF while parsing a value (write it anew: run cmake again, or `rigel build -- make`)"
            ],
        );
        error(
            "",
            expect![
                "/b/compile_commands.json: has no compilation of a C or C++ file (write it anew: run cmake again, or `make clean` and `rigel build -- make`)"
            ],
        );
        error(
            "[]",
            expect![
                "/b/compile_commands.json: has no compilation of a C or C++ file (write it anew: run cmake again, or `make clean` and `rigel build -- make`)"
            ],
        );
    }

    #[test]
    fn a_bad_entry_does_not_cost_the_others() {
        let db = parse(
            r#"[{"directory": 1, "file": "a.c", "command": "cc a.c"}, 7,
                {"directory": "/", "file": "a.c"},
                {"directory": "/", "command": "cc a.c"},
                {"file": "a.c", "command": "cc a.c"},
                {"directory": "/", "file": "a.c", "command": "cc 'a.c"},
                {"directory": "/", "file": "a.c", "arguments": "cc a.c"},
                {"directory": "/", "file": "a.c", "arguments": ["cc", 1]},
                {"directory": "/", "file": "a.c", "arguments": []},
                {"directory": "/", "file": "", "command": "cc"},
                {"directory": "/", "file": "good.c", "command": "cc good.c"}]"#,
        )
        .unwrap();
        assert_eq!(db.entries.len(), 1);
        let end = " (write it anew: run cmake again, or `rigel build -- make`)";
        let bad: Vec<_> = db.bad.iter().map(|e| e.to_string()).collect();
        let bad: Vec<_> = bad.iter().map(|e| e.strip_suffix(end).unwrap()).collect();
        expect![[r#"
            /b/compile_commands.json: entry 1: its `directory` is not a string
            /b/compile_commands.json: entry 2: is not a JSON object
            /b/compile_commands.json: entry 3: has neither `arguments` nor `command`
            /b/compile_commands.json: entry 4: has no `file`
            /b/compile_commands.json: entry 5: has no `directory`
            /b/compile_commands.json: entry 6: its `command` has an open quote
            /b/compile_commands.json: entry 7: its `arguments` are not an array
            /b/compile_commands.json: entry 8: its `arguments` are not all strings
            /b/compile_commands.json: entry 9: its command is empty
            /b/compile_commands.json: entry 10: its `file` is empty"#]]
        .assert_eq(&bad.join("\n"));
    }

    #[test]
    fn a_database_is_found_upwards_and_in_the_usual_places() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("src/deep");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::create_dir_all(dir.path().join("build")).unwrap();
        let file = dir.path().join("build").join(FILE_NAME);
        std::fs::write(&file, "[]").unwrap();
        assert_eq!(find_upwards(&deep), Some(file.clone()));
        assert!(matches!(
            Database::load(&deep),
            Err(DatabaseError::Missing(_))
        ));
        assert!(matches!(
            Database::load(&file),
            Err(DatabaseError::Empty(_))
        ));
    }
}
