//! Flags that are handed on to the preprocessor or the compiler proper, and the headers that they include.

use crate::options::{self, Fate};
use std::collections::BTreeSet;
use std::path::Path;

/// `-Wp,-DX,-MD,file`: macros and include paths count, dependency output does not.
pub(super) fn preprocessor(inner: &str, kept: &mut Vec<String>) {
    let mut parts = inner.split(',');
    while let Some(part) = parts.next() {
        match options::classify(part, None) {
            (Fate::Keep, true) if part == "-include" => {
                include(parts.next().unwrap_or(""), kept);
            }
            (Fate::Keep, takes_next) if !defines_fortify(part, None) => {
                kept.push(part.to_string());
                if takes_next {
                    kept.extend(parts.next().map(String::from));
                }
            }
            (_, true) => {
                parts.next();
            }
            _ => {
                // In this form even -MD and -MMD take a file.
                if part == "-MD" || part == "-MMD" {
                    parts.next();
                }
            }
        }
    }
}

/// `-Xclang word`: CMake passes its precompiled header this way. The header itself is read as
/// text (`-include`), because a precompiled one fits only the flags it was made with.
pub(super) fn frontend<'a>(
    word: &str,
    words: &mut std::iter::Peekable<impl Iterator<Item = &'a String>>,
    kept: &mut Vec<String>,
    dropped: &mut BTreeSet<String>,
) {
    let mut operand = || {
        words.next_if(|w| *w == "-Xclang")?;
        words.next().cloned()
    };
    match word {
        "-include" => {
            if let Some(header) = operand() {
                include(&header, kept);
            }
        }
        "-include-pch" | "-emit-pch" => {
            operand();
        }
        "-fno-pch-timestamp" | "-disable-llvm-passes" | "-disable-O0-optnone" => {}
        other => {
            dropped.insert(format!("-Xclang {other}"));
        }
    }
}

/// Given to the compiler proper: clang's driver would take `X.pch` or `X.gch` beside X instead,
/// which another compiler or another clang made.
pub(super) fn include(header: &str, kept: &mut Vec<String>) {
    if !header.is_empty() {
        kept.extend(["-Xclang", "-include", "-Xclang", header].map(String::from));
    }
}

/// A header that the command includes, that is not there, and whose precompiled form is: the
/// build has thrown the text away, or never wrote it.
pub(crate) fn only_precompiled(command: &[String], directory: &Path) -> Option<(String, String)> {
    command.windows(4).find_map(|w| {
        if w[..3] != ["-Xclang", "-include", "-Xclang"] {
            return None;
        }
        let exists = |name: &str| directory.join(name).exists();
        let found = [".pch", ".gch"].map(|end| format!("{}{end}", w[3]));
        let found = found.into_iter().find(|name| exists(name))?;
        // A build outside the sources has the precompiled one here, the text on the include path.
        let mut places = include_path(command);
        let text = exists(&w[3]) || places.any(|d| directory.join(d).join(&w[3]).exists());
        (!text).then(|| (w[3].clone(), found))
    })
}

fn include_path(command: &[String]) -> impl Iterator<Item = &str> {
    command.iter().enumerate().filter_map(|(i, word)| {
        let glued = ["-I", "-iquote", "-isystem", "-idirafter"]
            .iter()
            .find_map(|option| word.strip_prefix(option))?;
        match glued {
            "" => command.get(i + 1).map(|s| s.as_str()),
            glued => Some(glued),
        }
    })
}

pub(super) fn defines_fortify(word: &str, operand: Option<&String>) -> bool {
    let name = match word {
        "-D" | "-U" => operand.map_or("", |o| o.as_str()),
        _ => word
            .strip_prefix("-D")
            .or_else(|| word.strip_prefix("-U"))
            .unwrap_or(""),
    };
    name.split('=').next() == Some("_FORTIFY_SOURCE")
}
