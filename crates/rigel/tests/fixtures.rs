//! The fixtures of the rules through the interpreter: the marked check is the one that fails.

mod common;

use anyhow::{Context, bail};
use fixtures::Actual;
use std::path::Path;
use std::process::Stdio;

/// The rule and line of what the run found; the verdict is not an interpreter's to give.
///
/// A fixture's options are those of `rigel check`. A run has every check on, and needs none.
fn found(file: &Path, _options: &[String]) -> anyhow::Result<Vec<Actual>> {
    let mut command = common::command(&["run"]);
    // Programs that read find nothing, wherever the test is started from.
    let output = command.arg(file).stdin(Stdio::null()).output()?;
    let words = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code();
    let Some((rule, place)) = failure(&words) else {
        // A run that did not get to its end proves nothing, in a silent file least of all.
        if code != Some(0) {
            bail!("the run found nothing, and ended with {code:?}: {words}");
        }
        return Ok(Vec::new());
    };
    if code != Some(1) {
        bail!("the run found something, and ended with {code:?}: {words}");
    }
    let mut parts = place.rsplit(':');
    let (Some(_column), Some(line)) = (parts.next(), parts.next()) else {
        bail!("no line and column in `{place}`");
    };
    let name = parts.next().unwrap_or_default();
    Ok(vec![Actual {
        file: name.into(),
        line: line.parse().with_context(|| place.to_string())?,
        rule: rule.to_string(),
        verdict: "must".to_string(),
    }])
}

/// The rule and the place of the report on standard error: `error[RULE]: …`, then
/// ` --> FILE:LINE:COLUMN  in …`. What the program itself says comes before.
fn failure(words: &str) -> Option<(&str, &str)> {
    let (at, rule) = words.lines().enumerate().find_map(|(at, line)| {
        let rest = line.strip_prefix("error")?;
        match rest.strip_prefix('[') {
            Some(rest) => Some((at, rest.split_once("]: ")?.0)),
            None => rest.starts_with(": ").then_some((at, "none")),
        }
    })?;
    let place = words.lines().nth(at + 1)?.trim().strip_prefix("--> ")?;
    Some((rule, place.split("  in ").next().unwrap_or(place)))
}

#[test]
fn reports_are_read() {
    let report = "hello\nerror[assertion]: it fails   must\n  --> d/a b.c:3:7  in f()\n   |\n";
    assert_eq!(failure(report), Some(("assertion", "d/a b.c:3:7")));
    let abort = "error: the program aborts: x   must\n --> a.c:3:7  in f()\n";
    assert_eq!(failure(abort), Some(("none", "a.c:3:7")));
    assert_eq!(failure("rigel: error: there is no function main\n"), None);
    assert_eq!(failure("errors: 0\n"), None);
}

#[test]
fn every_mark_is_where_the_run_fails() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules/fixtures");
    // A run knows: what the static engines miss does happen, what they report in vain does not.
    let config = fixtures::Config {
        truth: true,
        ..fixtures::Config::from_env()
    };
    // What has a meaning ends no run.
    let rules = rules::all().iter().filter(|rule| rule.ends_runs());
    let mut wrong = Vec::new();
    for rule in rules {
        if let Err(e) = fixtures::run(&directory.join(rule.meta().id), &config, found) {
            wrong.push(format!("{e:#}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
