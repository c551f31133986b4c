//! `bench paths`: what level 2 makes of the potential errors of level 1, and what a path costs.
//!
//! Each program is checked twice, as a user would: at precision 0, whose reports and undecided checks
//! are the potential errors, and at the default.

use crate::cold_cost::rigel;
use crate::programs;
use crate::table::Table;
use anyhow::{Context, bail};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

pub fn run(names: &[String]) -> anyhow::Result<()> {
    let rigel = rigel()?;
    let mut table = Table::new(&[
        "program",
        "potential",
        "paths",
        "walking",
        "intervals",
        "solver",
        "refuted",
        "undecided",
        "reported",
        "replayed",
        "median",
        "95 %",
        "most",
    ]);
    for name in names {
        let directory = programs::locate(name)?;
        let first = check(&rigel, &directory, "0")?;
        let second = check(&rigel, &directory, "2")?;
        let total = |report: &Value, class: &str| report["summary"][class].as_u64().unwrap_or(0);
        let level2 = |key: &str| second["stats"]["level2"][key].as_u64().unwrap_or(0);
        table.row([
            name.clone(),
            (total(&first, "reported") + total(&first, "undecided")).to_string(),
            level2("paths").to_string(),
            level2("contradictions").to_string(),
            level2("builtin_infeasible").to_string(),
            level2("solver_infeasible").to_string(),
            total(&second, "refuted").to_string(),
            total(&second, "undecided").to_string(),
            total(&second, "reported").to_string(),
            format!("{} of {}", level2("replays_confirmed"), level2("feasible")),
            format!("{} µs", level2("path_us_median")),
            format!("{} µs", level2("path_us_95")),
            format!("{} µs", level2("path_us_most")),
        ]);
        let contradicted = level2("replays_contradicted");
        if contradicted > 0 {
            println!("{name}: {contradicted} replays contradict their solution");
        }
    }
    println!(
        "Potential errors of level 1 (checks), and what became of them; the paths that were judged for them, \
         those infeasible by who said so, and the time of one path from walking to replay."
    );
    print!("{table}");
    Ok(())
}

/// The report on the program in a directory.
fn check(rigel: &Path, directory: &Path, precision: &str) -> anyhow::Result<Value> {
    let output = Command::new(rigel)
        .args([
            "check",
            "--stats",
            "--format",
            "json",
            "--precision",
            precision,
        ])
        .arg("-p")
        .arg(directory)
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", rigel.display()))?;
    if !matches!(output.status.code(), Some(0 | 1)) {
        let words = String::from_utf8_lossy(&output.stderr);
        bail!("{}: rigel failed: {words}", directory.display());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
