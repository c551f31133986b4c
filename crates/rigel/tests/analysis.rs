//! The fixtures through the analysis: every mark is reported, and nothing else.
//! What level 1 cannot know is marked `FP` or `FN` in the fixture, with the reason.

mod common;

use anyhow::{Context, bail};
use fixtures::Actual;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What `rigel check` reports of one file, which is a program of its own.
///
/// Files that the options name lie beside it.
fn check(file: &Path, options: &[String]) -> anyhow::Result<Vec<Actual>> {
    let file = file.canonicalize()?;
    let output = common::command(&["check", "--format", "json", "--jobs", "1"])
        .args(options)
        .arg(&file)
        .current_dir(file.parent().context("no directory")?)
        .output()?;
    let words = String::from_utf8_lossy(&output.stderr);
    if !matches!(output.status.code(), Some(0 | 1)) {
        bail!("rigel failed: {words}");
    }
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).with_context(|| words.to_string())?;
    if report["summary"]["defects"] != 0 {
        bail!("rigel itself failed in a function: {words}");
    }
    let findings = report["findings"].as_array().context("no findings")?;
    let word = |finding: &serde_json::Value, key: &str| -> anyhow::Result<String> {
        let text = finding[key].as_str().with_context(|| key.to_string())?;
        Ok(text.to_string())
    };
    findings
        .iter()
        .map(|finding| {
            Ok(Actual {
                file: word(finding, "file")?.into(),
                line: finding["line"].as_u64().context("line")? as u32,
                rule: word(finding, "rule")?,
                verdict: word(finding, "verdict")?,
            })
        })
        .collect()
}

#[test]
fn every_mark_is_reported_and_nothing_else() {
    holds("../rules/fixtures");
}

/// Rules of users: every form of the language, where it reports and where it is silent.
#[test]
fn rules_of_users_find_what_they_say_and_nothing_else() {
    holds("fixtures/user-rules");
}

/// Programs whose error path cannot happen, and their twins in which it can.
#[test]
fn infeasible_paths_are_silent_and_their_twins_are_found() {
    holds("../feasible/fixtures");
}

/// Programs in which a bad value crosses functions, and their twins in which it does no harm.
#[test]
fn errors_across_functions_are_found_and_their_twins_are_silent() {
    holds("../engine/fixtures/whole");
}

/// A twin is found with values for which the interpreter fails, too; none is contradicted by it.
#[test]
fn solutions_of_twins_are_confirmed_by_a_replay() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../feasible/fixtures");
    let files = fixtures::files(&directory, &fixtures::Config::from_env()).unwrap();
    let mut twins = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let is_twin = file.to_string_lossy().contains("-bug.");
        if !is_twin || text.contains("//~ FN") {
            continue;
        }
        twins += 1;
        let output = common::command(&["check", "--format", "json", "--stats"])
            .arg(&file)
            .output()
            .unwrap();
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let level2 = &report["stats"]["level2"];
        let count = |key: &str| level2[key].as_u64().unwrap();
        assert!(count("replays_confirmed") > 0, "{file:?}: {level2}");
        assert_eq!(count("replays_confirmed"), count("feasible"), "{file:?}");
    }
    assert!(twins >= 60, "only {twins}");
}

fn holds(directory: &str) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
    let config = fixtures::Config::from_env();
    // Starting a process for each file is most of the time: two at once, then compare.
    let files = fixtures::files(&directory, &config).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let found: BTreeMap<PathBuf, anyhow::Result<Vec<Actual>>> = pool.unwrap().install(|| {
        let one = |file: &PathBuf| -> anyhow::Result<Vec<Actual>> {
            let text = std::fs::read_to_string(file)?;
            check(file, &fixtures::Fixture::parse(file, &text)?.options)
        };
        files.par_iter().map(|f| (f.clone(), one(f))).collect()
    });
    let look_up = |file: &Path, _: &[String]| match found.get(file) {
        Some(Ok(actual)) => Ok(actual.clone()),
        Some(Err(e)) => bail!("{e:#}"),
        None => bail!("not among the files"),
    };
    if let Err(e) = fixtures::run(&directory, &config, look_up) {
        panic!("{e:#}");
    }
}
