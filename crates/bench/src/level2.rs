//! `bench level2`: what level 2 makes of the potential errors of level 1, and what a path costs.
//!
//! Each program is checked twice, as a user would: at precision 0, whose reports and undecided checks
//! are the potential errors, and at the default.

use crate::checked::{check, rigel};
use crate::out::{Out, Report};
use crate::programs;
use crate::table::Table;
use serde_json::Value;
use std::path::Path;

pub fn run(out: &Out, names: &[String]) -> anyhow::Result<()> {
    let rigel = rigel()?;
    let mut said = Report::new("level2");
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
        let first = report(&rigel, &directory, "0")?;
        let second = report(&rigel, &directory, "2")?;
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
            said.words(format!(
                "{name}: {contradicted} replays contradict their solution"
            ));
        }
        said.data(name, second["stats"]["level2"].clone());
    }
    said.words(
        "Potential errors of level 1 (checks), and what became of them; the paths that were judged for them, \
         those infeasible by who said so, and the time of one path from walking to replay.",
    );
    said.table(table);
    out.write(&said)
}

/// The report on the program in a directory.
fn report(rigel: &Path, directory: &Path, precision: &str) -> anyhow::Result<Value> {
    let args = ["--stats", "--format", "json", "--precision", precision];
    Ok(serde_json::from_slice(&check(rigel, directory, &args)?)?)
}
