//! `bench dual`: what the conditions of functions cost (OK, ERR, must, may, never; Popeea and Chin).
//!
//! The programs of the paper's Fig. 4, written anew, and real ones: `rigel summary` on each, against `clang -O0 -c` of the same files in
//! the same run, and how many of the checks it proves.

use crate::checked::rigel;
use crate::out::{Out, Report};
use crate::process::{self, Cost};
use crate::spread::Spread;
use crate::table::Table;
use crate::{cold_cost, programs};
use anyhow::{Context, bail};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The paper's programs (and one with a bug of each), in its order.
const FIG4: [&str; 11] = [
    "binary-search",
    "bubble-sort",
    "init-array",
    "merge-sort",
    "queens",
    "quick-sort",
    "sentinel",
    "fft",
    "lu",
    "sor",
    "linpack",
];

#[derive(clap::Args)]
pub struct Wishes {
    /// Real programs besides those of Fig. 4
    #[arg(default_values_t = ["zlib", "lua"].map(String::from))]
    programs: Vec<String>,
    /// Runs; the median counts
    #[arg(long, default_value_t = 3)]
    repeat: usize,
    /// Processes and threads, of both sides
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Leave the programs of Fig. 4 out
    #[arg(long)]
    only_real: bool,
}

/// What `rigel summary` said, and what it took.
struct Run {
    clang: f64,
    cost: Cost,
    said: Value,
}

pub fn run(out: &Out, wishes: &Wishes) -> anyhow::Result<()> {
    let rigel = rigel()?;
    let mut report = Report::new("dual");
    let mut table = Table::new(&[
        "program",
        "functions",
        "checks",
        "proved",
        "must fail",
        "may fail",
        "too much",
        "clang -O0",
        "summary",
        "over clang",
        "peak memory",
    ]);
    let fixtures = fixtures();
    for name in FIG4.iter().filter(|_| !wishes.only_real) {
        let file = fixtures.join(name).with_extension("c");
        let mut runs = Vec::new();
        for _ in 0..wishes.repeat.max(1) {
            let mut clang = Command::new("clang-19");
            clang
                .args(["-O0", "-w", "-c", "-o", "/dev/null"])
                .arg(&file);
            let clang = process::run(&mut clang, None)?.cost.cpu;
            runs.push(summary(&rigel, clang, |command| command.arg(&file))?);
        }
        row(&mut table, &mut report, name, &runs);
    }
    for name in &wishes.programs {
        let directory = programs::locate(name)?;
        let tasks = programs::tasks(name)?;
        let mut runs = Vec::new();
        for round in 0..wishes.repeat.max(1) {
            eprintln!(
                "bench: dual: {name}, {} of {}",
                round + 1,
                wishes.repeat.max(1)
            );
            let clang = cold_cost::compile(&tasks, wishes.jobs)?;
            let jobs = wishes.jobs.to_string();
            runs.push(summary(&rigel, clang, |command| {
                command
                    .args(["--jobs", &jobs, "-p"])
                    .arg(&directory)
                    .current_dir(&directory)
            })?);
        }
        row(&mut table, &mut report, name, &runs);
    }
    report.words("Conditions of functions: `rigel summary` against `clang -O0 -c` of the same files, CPU time.");
    report.table(table);
    report.words(format!(
        "must fail, may fail: functions with such inputs; too much: functions that went beyond the budget. Medians of {} runs in turns. \
         docs/fig4.md has what is proved of Fig. 4's accesses within main.",
        wishes.repeat.max(1)
    ));
    out.write(&report)
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../dual/fixtures/fig4")
}

fn summary(
    rigel: &Path,
    clang: f64,
    add: impl FnOnce(&mut Command) -> &mut Command,
) -> anyhow::Result<Run> {
    let mut command = Command::new(rigel);
    command
        .args(["summary", "--format", "json"])
        .env("RIGEL_CACHE", "none");
    add(&mut command);
    let ended = process::run(&mut command, None)?;
    if ended.code != Some(0) {
        bail!("rigel summary failed: {}", ended.stderr.trim());
    }
    let said = serde_json::from_str(&ended.stdout).context("rigel summary wrote no JSON")?;
    Ok(Run {
        clang,
        cost: ended.cost,
        said,
    })
}

fn row(table: &mut Table, report: &mut Report, name: &str, runs: &[Run]) {
    let of = |what: &dyn Fn(&Run) -> f64| Spread::of(runs.iter().map(what).collect());
    let (Some(last), Some(clang), Some(cpu), Some(ratio)) = (
        runs.last(),
        of(&|run| run.clang),
        of(&|run| run.cost.cpu),
        of(&|run| run.cost.cpu / run.clang.max(0.01)),
    ) else {
        return;
    };
    let counts = Counts::of(&last.said);
    table.row([
        name.to_string(),
        counts.functions.to_string(),
        counts.checks.to_string(),
        counts.proved.to_string(),
        counts.must.to_string(),
        counts.may.to_string(),
        counts.too_much.to_string(),
        format!("{:.2} s", clang.median),
        format!("{:.2} s", cpu.median),
        ratio.to_string(),
        format!("{} MiB", last.cost.peak_kib / 1024),
    ]);
    report.data(
        name,
        json!({ "ratio": ratio.json(), "checks": counts.checks, "proved": counts.proved }),
    );
}

#[derive(Debug, PartialEq)]
struct Counts {
    functions: usize,
    checks: u64,
    proved: u64,
    must: usize,
    may: usize,
    too_much: u64,
}

impl Counts {
    fn of(said: &Value) -> Counts {
        let functions = said["functions"].as_array().map_or(&[][..], Vec::as_slice);
        let sum = |key: &str| functions.iter().filter_map(|f| f[key].as_u64()).sum();
        let some = |key: &str| {
            functions
                .iter()
                .filter(|f| f[key]["text"] != "false")
                .count()
        };
        let too_much = match &said["too_much"] {
            Value::Object(kinds) => kinds.values().filter_map(Value::as_u64).sum(),
            other => other.as_u64().unwrap_or(0),
        };
        Counts {
            functions: functions.len(),
            checks: sum("checks"),
            proved: sum("proved"),
            must: some("must_fail"),
            may: some("may_fail"),
            too_much,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_summary_says_is_counted() {
        let condition = |text: &str| json!({ "text": text });
        let said = json!({
            "too_much": { "ranges": 1, "one_case": 2 },
            "functions": [
                { "checks": 4, "proved": 1, "must_fail": condition("n > 0"), "may_fail": condition("false") },
                { "checks": 2, "proved": 2, "must_fail": condition("false"), "may_fail": condition("true") },
            ],
        });
        let expected = Counts {
            functions: 2,
            checks: 6,
            proved: 3,
            must: 1,
            may: 1,
            too_much: 3,
        };
        assert_eq!(Counts::of(&said), expected);
    }

    #[test]
    fn the_programs_of_fig_4_are_there() {
        for name in FIG4 {
            assert!(
                fixtures().join(name).with_extension("c").is_file(),
                "{name}"
            );
        }
    }
}
