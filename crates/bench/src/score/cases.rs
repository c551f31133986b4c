//! What is scored: cases with a known answer, and the units that a tool is given for them.
//!
//! A sample is a JSON file that names the cases, as the reference scorer writes and reads it; [`super::layout`] finds all cases of a
//! corpus.

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The cases of one corpus.
pub enum Sample {
    Juliet(Vec<Juliet>),
    Itc(Vec<Pair>),
    Verisec(Vec<Pair>),
    Svcomp(Vec<Task>),
}

/// A test with a bad and a good half, in one file or in several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Juliet {
    pub id: String,
    pub cwe: u32,
    /// The functional variant: what goes wrong.
    pub variant: String,
    /// The flow variant: how it gets there.
    pub flow: String,
    pub files: Vec<String>,
}

/// A bad function (ITC) or file (Verisec), and its clean twin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    pub id: String,
    /// What it is counted with: the defect's sub-type, or the program.
    #[serde(alias = "app")]
    pub sub: String,
    /// The name that the functions of the case share (ITC).
    #[serde(default)]
    pub test: Option<String>,
    pub bad_file: String,
    pub good_file: Option<String>,
    /// The labelled lines (ITC).
    #[serde(default)]
    pub bad_lines: Vec<usize>,
    #[serde(default)]
    pub good_lines: Vec<usize>,
}

/// A program and a property of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub id: String,
    pub set: String,
    pub property: String,
    /// `true` or `false`.
    pub expected: String,
    pub files: Vec<String>,
    /// `ILP32` or `LP64`.
    pub model: String,
}

/// What a tool is given at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    pub id: String,
    /// Relative to the corpus.
    pub files: Vec<String>,
    /// Folders of headers.
    pub include: Vec<String>,
    /// Further flags.
    pub flags: Vec<String>,
}

impl Sample {
    pub fn read(path: &Path) -> anyhow::Result<Sample> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the sample {}", path.display()))?;
        Sample::parse(&text).with_context(|| format!("{} is no sample", path.display()))
    }

    fn parse(text: &str) -> anyhow::Result<Sample> {
        #[derive(Deserialize)]
        struct File {
            kind: String,
            cases: serde_json::Value,
        }
        let file: File = serde_json::from_str(text)?;
        Ok(match file.kind.as_str() {
            "juliet" => Sample::Juliet(serde_json::from_value(file.cases)?),
            "itc" => Sample::Itc(serde_json::from_value(file.cases)?),
            "verisec" => Sample::Verisec(serde_json::from_value(file.cases)?),
            "svcomp" => Sample::Svcomp(serde_json::from_value(file.cases)?),
            other => bail!("samples are of juliet, itc, verisec or svcomp, not of {other}"),
        })
    }

    /// As the reference scorer reads it.
    pub fn json(&self) -> serde_json::Value {
        serde_json::json!({ "kind": self.kind(), "cases": match self {
            Sample::Juliet(cases) => serde_json::to_value(cases),
            Sample::Itc(cases) | Sample::Verisec(cases) => serde_json::to_value(cases),
            Sample::Svcomp(cases) => serde_json::to_value(cases),
        }.unwrap_or_default() })
    }

    pub fn kind(&self) -> &'static str {
        match self {
            Sample::Juliet(_) => "juliet",
            Sample::Itc(_) => "itc",
            Sample::Verisec(_) => "verisec",
            Sample::Svcomp(_) => "svcomp",
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Sample::Juliet(cases) => cases.len(),
            Sample::Itc(cases) | Sample::Verisec(cases) => cases.len(),
            Sample::Svcomp(cases) => cases.len(),
        }
    }

    /// At most so many cases of each group, taken evenly over its order.
    pub fn limit(&mut self, most: usize) {
        match self {
            Sample::Juliet(cases) => evenly(cases, most, |case| case.cwe.to_string()),
            Sample::Itc(cases) | Sample::Verisec(cases) => {
                evenly(cases, most, |case| case.sub.clone())
            }
            Sample::Svcomp(cases) => {
                evenly(cases, most, |case| {
                    [&case.set, &case.property, &case.expected]
                        .map(String::as_str)
                        .join(" ")
                });
            }
        }
    }

    /// What tools are given, in the order of the sample or of the files.
    pub fn units(&self) -> Vec<Unit> {
        match self {
            Sample::Juliet(cases) => cases.iter().map(Juliet::unit).collect(),
            Sample::Itc(cases) => files(cases, |_| vec!["include".to_string()], &[]),
            Sample::Verisec(cases) => {
                let include = |file: &str| vec!["lib".to_string(), folder(file)];
                files(cases, include, &["-std=gnu89"])
            }
            Sample::Svcomp(_) => Vec::new(),
        }
    }
}

impl Juliet {
    fn unit(&self) -> Unit {
        let mut folders: Vec<String> = self.files.iter().map(|file| folder(file)).collect();
        folders.sort_unstable();
        folders.dedup();
        let support = std::iter::once("testcasesupport".to_string());
        Unit {
            id: self.id.clone(),
            files: self.files.clone(),
            include: support.chain(folders).collect(),
            flags: Vec::new(),
        }
    }
}

fn evenly<T>(cases: &mut Vec<T>, most: usize, group: impl Fn(&T) -> String) {
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    for case in cases.iter() {
        *sizes.entry(group(case)).or_default() += 1;
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    cases.retain(|case| {
        let group = group(case);
        let size = sizes.get(&group).copied().unwrap_or(0).max(1);
        let at = seen.entry(group).or_default();
        *at += 1;
        // Kept where the share of those seen so far reaches another whole number.
        size <= most || *at * most / size > (*at - 1) * most / size
    });
}

/// One unit for each file of the cases.
fn files(cases: &[Pair], include: impl Fn(&str) -> Vec<String>, flags: &[&str]) -> Vec<Unit> {
    let both = cases
        .iter()
        .flat_map(|case| [Some(&case.bad_file), case.good_file.as_ref()]);
    let mut files: Vec<&String> = both.flatten().collect();
    files.sort_unstable();
    files.dedup();
    let unit = |file: &String| Unit {
        id: file.clone(),
        files: vec![file.clone()],
        include: include(file),
        flags: flags.iter().map(ToString::to_string).collect(),
    };
    files.into_iter().map(unit).collect()
}

/// The folder of a file, both relative.
pub fn folder(file: &str) -> String {
    file.rsplit_once('/')
        .map_or(String::new(), |(folder, _)| folder.to_string())
}

/// A file's name without folder and extension.
pub fn stem(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Its extension, without the dot.
pub fn extension(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_read_and_cut_into_units() {
        let juliet = r#"{"kind": "juliet", "set": "A", "cases": [
            {"id": "C", "cwe": 476, "variant": "x", "flow": "01", "files": ["testcases/s/C_b.c", "testcases/s/C_a.c"]}]}"#;
        let sample = Sample::parse(juliet).unwrap();
        assert_eq!((sample.kind(), sample.len()), ("juliet", 1));
        let units = sample.units();
        assert_eq!(units[0].include, ["testcasesupport", "testcases/s"]);
        let verisec = r#"{"kind": "verisec", "cases": [
            {"id": "a", "app": "A", "bad_file": "programs/A/x_bad.c", "good_file": "programs/A/x_ok.c"},
            {"id": "b", "app": "A", "bad_file": "programs/A/y_bad.c", "good_file": null}]}"#;
        let units = Sample::parse(verisec).unwrap().units();
        let ids: Vec<&str> = units.iter().map(|unit| unit.id.as_str()).collect();
        assert_eq!(
            ids,
            [
                "programs/A/x_bad.c",
                "programs/A/x_ok.c",
                "programs/A/y_bad.c"
            ]
        );
        assert_eq!(units[0].include, ["lib", "programs/A"]);
        assert_eq!(units[0].flags, ["-std=gnu89"]);
        assert!(Sample::parse(r#"{"kind": "other", "cases": []}"#).is_err());
    }

    #[test]
    fn a_limit_takes_evenly_of_each_group() {
        let mut cases: Vec<(u32, u32)> = (0..10).map(|n| (1, n)).chain([(2, 0), (2, 1)]).collect();
        evenly(&mut cases, 3, |case| case.0.to_string());
        assert_eq!(cases, [(1, 3), (1, 6), (1, 9), (2, 0), (2, 1)]);
    }

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(
            (
                folder("a/b/c.d.e"),
                stem("a/b/c.d.e"),
                extension("a/b/c.d.e")
            ),
            ("a/b".to_string(), "c.d", "e")
        );
        assert_eq!(
            (folder("c"), stem("c"), extension("c")),
            (String::new(), "c", "")
        );
    }
}
