//! A tool on all units of a sample.

use super::cases::{Unit, extension};
use super::disguise::Disguised;
use super::results::{Results, UnitResult};
use crate::findings::{self, Finding, Form};
use crate::process::{self, Ended};
use crate::tools::{Stream, Tool};
use anyhow::Context;
use rayon::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where units are, and how they are run.
pub struct Place<'a> {
    /// What the units' files are relative to.
    pub root: &'a Path,
    /// The units are copies of others.
    pub disguised: Option<&'a Disguised>,
    /// Given to every unit besides, for tools that look at all files at once; what is not there is left out.
    pub support: &'a [String],
    pub cap: Duration,
    pub jobs: usize,
}

pub fn run(tool: &Tool, units: &[Unit], place: &Place) -> anyhow::Result<Results> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(place.jobs.max(1))
        .build()?;
    let results: anyhow::Result<Vec<UnitResult>> = pool.install(|| {
        units
            .par_iter()
            .map(|unit| one(tool, unit, place))
            .collect()
    });
    Ok(Results::new(tool.name.clone(), tool.line(), results?))
}

fn one(tool: &Tool, unit: &Unit, place: &Place) -> anyhow::Result<UnitResult> {
    let absolute = |path: &String| place.root.join(path).to_string_lossy().into_owned();
    let files: Vec<String> = unit.files.iter().map(absolute).collect();
    let mut flags = unit.flags.clone();
    flags.extend(
        unit.include
            .iter()
            .map(|folder| format!("-I{}", absolute(folder))),
    );
    let calls: Vec<Vec<String>> = match tool.per_file {
        true => files.iter().map(|file| vec![file.clone()]).collect(),
        false => {
            let support = place
                .support
                .iter()
                .map(absolute)
                .filter(|file| Path::new(file).is_file());
            vec![files.iter().cloned().chain(support).collect()]
        }
    };
    let mut result = UnitResult {
        unit: unit.id.clone(),
        ..UnitResult::default()
    };
    let mut seen = BTreeSet::new();
    for files in calls {
        if !tool.cpp && files.iter().any(|file| extension(file) != "c") {
            result.notes.push("language not supported".to_string());
            continue;
        }
        let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
        let out = scratch.path().join("out");
        let mut command = tool.command(&files, &flags, &out);
        let ended = process::run(command.current_dir(scratch.path()), Some(place.cap))?;
        result.cpu += ended.cost.cpu;
        result.wall += ended.cost.wall;
        result.rc.push(match (ended.capped, ended.code) {
            (true, _) => Value::from("timeout"),
            (false, code) => Value::from(code),
        });
        let (found, note) = reports(tool, &ended, &out);
        result.notes.extend(note);
        for mut finding in found {
            finding.file = original(&finding.file, scratch.path(), place);
            let key = (
                finding.file.clone(),
                finding.line,
                finding.rule.clone(),
                finding.message.clone(),
            );
            if seen.insert(key) {
                result.findings.push(finding);
            }
        }
    }
    Ok(result)
}

/// What a call reported; and a note if it could not be read, or if it failed and reported nothing.
pub fn reports(tool: &Tool, ended: &Ended, out: &Path) -> (Vec<Finding>, Option<String>) {
    let file;
    let text = match tool.stream {
        Stream::Output => &ended.stdout,
        Stream::Errors => &ended.stderr,
        Stream::File => {
            let bytes = std::fs::read(out).unwrap_or_default();
            file = String::from_utf8_lossy(&bytes).into_owned();
            &file
        }
    };
    let last = |text: &str| text.trim().chars().rev().take(300).collect::<Vec<_>>();
    match findings::read(tool.form, text) {
        Ok(found) => {
            // Findings are code 1 of rigel.
            let fine = ended.code == Some(0) || (tool.form == Form::Sarif && ended.code == Some(1));
            let note = (!fine && found.is_empty()).then(|| {
                let words = last(if ended.stderr.trim().is_empty() {
                    &ended.stdout
                } else {
                    &ended.stderr
                });
                words.into_iter().rev().collect()
            });
            (found, note)
        }
        Err(error) => (
            Vec::new(),
            Some(format!("what it wrote cannot be read: {error}")),
        ),
    }
}

/// The file of the corpus, relative to it, that a tool means.
fn original(file: &str, scratch: &Path, place: &Place) -> String {
    let candidates = [
        PathBuf::from(file),
        scratch.join(file),
        place.root.join(file),
    ];
    let there = candidates
        .iter()
        .filter(|path| path.is_absolute())
        .find_map(|path| path.canonicalize().ok());
    let Some(path) = there else {
        return file.to_string();
    };
    let root = place
        .root
        .canonicalize()
        .unwrap_or_else(|_| place.root.to_path_buf());
    let relative = path
        .strip_prefix(&root)
        .unwrap_or(&path)
        .to_string_lossy()
        .into_owned();
    match place.disguised {
        Some(disguised) => disguised.original(&relative).to_string(),
        None => relative,
    }
}
