//! All cases of a corpus, by the layout of its folders.
//!
//! | corpus | known by | a case |
//! | --- | --- | --- |
//! | Juliet | `testcases/CWE*` | files that share a name up to the flow variant; one file: set A, several: set B |
//! | ITC | `01.w_Defects` | a numbered function with a labelled line; the same in `02.wo_Defects` is its twin |
//! | Verisec | `programs/apps` | a file `*_bad.c`; its twin is `*_ok.c` |
//! | SV-COMP | files `*.yml` | a program and a property: [`super::tasks`] |

use super::cases::{Juliet, Pair, Sample, extension, stem};
use super::kinds::Kinds;
use super::source::Source;
use super::tasks;
use crate::pattern::pattern;
use anyhow::{Context, bail};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

pattern!(
    CASE,
    r"^(CWE(\d+)_.+?__(.+)_(\d\d))([a-z]?|_bad|_good\w*)\.(c|cpp)$"
);
pattern!(WEAKNESS, r"^CWE(\d+)_");
pattern!(LABEL, r"(?i)tool\s+should\s+detect\s+this\s+line");
pattern!(CLEAN, r"(?i)tool\s+should\s+not\s+detect\s+this\s+line");
pattern!(NUMBERED, r"^(.*?_\d{3,})");

/// Which Juliet cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Set {
    /// In one file
    A,
    /// Over several files
    B,
}

pub fn find(root: &Path, set: Set, kinds: &Kinds) -> anyhow::Result<Sample> {
    if root.join("testcases").is_dir() {
        Ok(Sample::Juliet(juliet(root, set, kinds)?))
    } else if root.join("01.w_Defects").is_dir() {
        Ok(Sample::Itc(itc(root)?))
    } else if root.join("programs").is_dir() {
        Ok(Sample::Verisec(verisec(root)?))
    } else {
        let tasks = tasks::find(root)?;
        if tasks.is_empty() {
            bail!(
                "{} is no corpus that can be scored: there is neither testcases/ (Juliet) nor 01.w_Defects/ (ITC) nor programs/ \
                 (Verisec), and no .yml file with an expected_verdict (SV-COMP)",
                root.display()
            );
        }
        Ok(Sample::Svcomp(tasks))
    }
}

/// Windows-only cases (`w32`) are left out.
fn juliet(root: &Path, set: Set, kinds: &Kinds) -> anyhow::Result<Vec<Juliet>> {
    let weaknesses: BTreeSet<u32> = kinds.weaknesses().collect();
    let mut cases = Vec::new();
    for folder in names(&root.join("testcases"))? {
        let Some(cwe) = WEAKNESS.captures(&folder).and_then(|c| c[1].parse().ok()) else {
            continue;
        };
        if !weaknesses.contains(&cwe) {
            continue;
        }
        let mut found: BTreeMap<String, Vec<(String, String, String, bool)>> = BTreeMap::new();
        for file in below(root, &format!("testcases/{folder}"))? {
            let name = file.rsplit('/').next().unwrap_or(&file);
            if let Some(parts) = CASE.captures(name).filter(|_| !name.contains("w32")) {
                let part = (
                    file.clone(),
                    parts[3].to_string(),
                    parts[4].to_string(),
                    parts[5].is_empty(),
                );
                found.entry(parts[1].to_string()).or_default().push(part);
            }
        }
        for (id, mut parts) in found {
            parts.sort_unstable();
            let single = matches!(parts.as_slice(), [(.., true)]);
            if single != (set == Set::A) {
                continue;
            }
            if let Some((_, variant, flow, _)) = parts.first().cloned() {
                let files = parts.into_iter().map(|(file, ..)| file).collect();
                cases.push(Juliet {
                    id,
                    cwe,
                    variant,
                    flow,
                    files,
                });
            }
        }
    }
    cases.sort_by(|a, b| (a.cwe, &a.id).cmp(&(b.cwe, &b.id)));
    Ok(cases)
}

/// Folders of bad and of good code.
const ITC: [(&str, &str); 2] = [
    ("01.w_Defects", "02.wo_Defects"),
    ("03.w_Defects_Cpp", "04.wo_Defects_Cpp"),
];

/// A file whose twin is named in another way.
const RENAMED: (&str, &str) = (
    "free_nondynamic_allocated_memory",
    "free_nondynamically_allocated_memory",
);

fn itc(root: &Path) -> anyhow::Result<Vec<Pair>> {
    let mut cases = Vec::new();
    for (bad, good) in ITC.into_iter().filter(|(bad, _)| root.join(bad).is_dir()) {
        for file in names(&root.join(bad))? {
            let is_code = matches!(extension(&file), "c" | "cpp");
            if !is_code || file.starts_with("main") || file.starts_with("stubs") {
                continue;
            }
            let sub = stem(&file);
            let twin = if sub == RENAMED.0 { RENAMED.1 } else { sub };
            let bad_file = format!("{bad}/{file}");
            let good_file = format!("{good}/{twin}.{}", extension(&file));
            cases.extend(labelled(root, sub, bad_file, good_file)?);
        }
    }
    cases.sort_by(|a: &Pair, b| a.id.cmp(&b.id));
    Ok(cases)
}

/// The cases of one file: functions with a label.
fn labelled(
    root: &Path,
    sub: &str,
    bad_file: String,
    good_file: String,
) -> anyhow::Result<Vec<Pair>> {
    let source = Source::read(&root.join(&bad_file))?;
    let mut tests: BTreeMap<String, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for (line, _) in matching(&source, &LABEL) {
        let test = source.function(line).map(test);
        let test = test.unwrap_or_else(|| format!("{sub}@{line}"));
        tests.entry(test).or_default().0.push(line);
    }
    let mut there: BTreeSet<String> = BTreeSet::new();
    if root.join(&good_file).is_file() {
        let twin = Source::read(&root.join(&good_file))?;
        for (line, _) in matching(&twin, &CLEAN) {
            let test = twin.function(line).map(test).unwrap_or_default();
            if let Some((_, lines)) = tests.get_mut(&test) {
                lines.push(line);
            }
        }
        there.extend(twin.functions().iter().map(|f| test(&f.name)));
    }
    let case = |(test, (bad_lines, good_lines)): (String, (Vec<usize>, Vec<usize>))| Pair {
        id: format!("{sub}/{test}"),
        sub: sub.to_string(),
        good_file: (there.contains(&test) || !good_lines.is_empty()).then(|| good_file.clone()),
        bad_file: bad_file.clone(),
        test: Some(test),
        bad_lines,
        good_lines,
    };
    Ok(tests.into_iter().map(case).collect())
}

fn matching<'a>(
    source: &'a Source,
    pattern: &'a Regex,
) -> impl Iterator<Item = (usize, &'a String)> {
    let numbered = source
        .lines
        .iter()
        .enumerate()
        .map(|(i, line)| (i + 1, line));
    numbered.filter(|(_, line)| pattern.is_match(line))
}

/// The name that a test's functions share: up to the number.
pub fn test(function: &str) -> String {
    let numbered = NUMBERED.captures(function);
    numbered.map_or_else(|| function.to_string(), |name| name[1].to_string())
}

fn verisec(root: &Path) -> anyhow::Result<Vec<Pair>> {
    let mut cases = Vec::new();
    for bad_file in below(root, "programs")? {
        let Some(stem) = bad_file.strip_suffix("_bad.c") else {
            continue;
        };
        let good_file = format!("{stem}_ok.c");
        let id = stem
            .strip_prefix("programs/apps/")
            .unwrap_or(stem)
            .to_string();
        cases.push(Pair {
            sub: bad_file.split('/').nth(2).unwrap_or_default().to_string(),
            good_file: root.join(&good_file).is_file().then_some(good_file),
            id,
            test: None,
            bad_file: bad_file.clone(),
            bad_lines: Vec::new(),
            good_lines: Vec::new(),
        });
    }
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(cases)
}

/// The names in a folder, sorted.
pub fn names(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort_unstable();
    Ok(names)
}

/// All files below a folder, relative to the root.
pub fn below(root: &Path, folder: &str) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for name in names(&root.join(folder))? {
        let path = format!("{folder}/{name}");
        let kind = std::fs::symlink_metadata(root.join(&path))?.file_type();
        if kind.is_dir() {
            found.extend(below(root, &path)?);
        } else if root.join(&path).is_file() {
            found.push(path);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_named_up_to_their_number() {
        assert_eq!(test("null_pointer_003_func_001"), "null_pointer_003");
        assert_eq!(test("helper_12"), "helper_12");
        assert_eq!(test("x_0012"), "x_0012");
    }

    #[test]
    fn a_folder_that_is_no_corpus_says_what_would_be_one() {
        let folder = tempfile::tempdir().unwrap();
        let kinds = Kinds::load().unwrap();
        let error = find(folder.path(), Set::A, &kinds).err().unwrap();
        assert!(error.to_string().contains("testcases/ (Juliet)"), "{error}");
    }
}
