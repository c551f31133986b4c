//! The fixtures of the rules through the interpreter: the marked check is the one that fails.

mod common;

use anyhow::{Context, bail};
use fixtures::Actual;
use std::path::Path;
use std::process::Stdio;

/// The rule and line of what the run found; the verdict is not an interpreter's to give.
fn found(file: &Path, options: &[String]) -> anyhow::Result<Vec<Actual>> {
    let mut command = common::command(&["check", "--format", "json"]);
    // Programs that read find nothing, wherever the test is started from.
    let output = command
        .args(options)
        .arg(file)
        .stdin(Stdio::null())
        .output()?;
    let words = String::from_utf8_lossy(&output.stderr);
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).with_context(|| words.to_string())?;
    if !matches!(output.status.code(), Some(0 | 1)) {
        bail!("rigel failed: {words}");
    }
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    // A run that did not get to its end proves nothing, in a silent file least of all.
    let ran = report["run"].as_str().unwrap_or_default();
    if findings.is_empty() && !(ran.starts_with("ran ") && ran.ends_with("exit code 0")) {
        bail!("{ran}");
    }
    let mut actual = Vec::new();
    for finding in findings {
        actual.push(Actual {
            file: file.to_path_buf(),
            line: finding["line"].as_u64().unwrap_or(0) as u32,
            rule: finding["rule"].as_str().unwrap_or("none").to_string(),
            verdict: "must".to_string(),
        });
    }
    Ok(actual)
}

#[test]
fn every_mark_is_where_the_run_fails() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules/fixtures");
    // A run knows: what the static engines miss does happen, what they report in vain does not.
    let config = fixtures::Config {
        truth: true,
        ..fixtures::Config::from_env()
    };
    if let Err(e) = fixtures::run(&directory, &config, found) {
        panic!("{e:#}");
    }
}
