//! `bench peers`: other analyzers on the files that rigel checks, with as many jobs: time, memory, number of reports.
//!
//! They analyse unit by unit; rigel the whole program. A unit that takes longer than the cap is ended, and counted. The time is held
//! against `clang -O0 -c` of the same units, just before. What a report is worth is another question: `bench score`.

use crate::checked;
use crate::compiler::plain_flags;
use crate::findings::Form;
use crate::out::{Out, Report};
use crate::process::{self, Cost};
use crate::score::reports;
use crate::spread::Spread;
use crate::table::Table;
use crate::tools::{self, Tool};
use crate::{cold_cost, programs};
use anyhow::{Context, ensure};
use front::pool::Task;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub struct Wishes {
    /// Programs to measure
    #[arg(default_values_t = ["zlib", "lua", "jpeg-6b", "libxml2", "sqlite3", "tinyxml2"].map(String::from))]
    programs: Vec<String>,
    /// Which peers
    #[arg(long, value_delimiter = ',', default_values_t = tools::PEERS.map(String::from))]
    tools: Vec<String>,
    /// Calls at the same time, and rigel's jobs
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Seconds for each unit
    #[arg(long, default_value_t = 300)]
    cap: u64,
    /// So many units of each program, evenly [default: all]
    #[arg(long)]
    units: Option<usize>,
    /// Runs in turns; the median counts
    #[arg(long, default_value_t = 1)]
    repeat: usize,
}

/// A tool on a program.
#[derive(Clone, Default)]
struct Run {
    /// `clang -O0 -c`, just before.
    clang: f64,
    cost: Cost,
    /// Different ones.
    reports: usize,
    capped: usize,
    failed: usize,
    /// Units in a language that it does not read.
    left_out: usize,
}

pub fn run(out: &Out, wishes: &Wishes) -> anyhow::Result<()> {
    let rigel = checked::rigel()?;
    let mut report = Report::new("peers");
    let mut table = Table::new(&[
        "program",
        "tool",
        "units",
        "CPU",
        "over clang",
        "wall",
        "peak memory",
        "reports",
        "capped",
        "failed",
        "left out",
    ]);
    let mut tools = Vec::new();
    for name in &wishes.tools {
        match tools::find(name) {
            Ok(tool) => tools.push(tool),
            Err(error) => {
                eprintln!("bench: ABSENT: {error:#}");
                report.words(format!("ABSENT: {error:#}"));
            }
        }
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(wishes.jobs.max(1))
        .build()?;
    for name in &wishes.programs {
        let directory = programs::locate(name)?;
        let all = programs::tasks(name)?;
        let tasks = sample(all, wishes.units);
        ensure!(!tasks.is_empty(), "{name} has no unit");
        let mut runs: Vec<Vec<Run>> = vec![Vec::new(); tools.len() + 1];
        for _ in 0..wishes.repeat.max(1) {
            for (at, runs) in runs.iter_mut().enumerate() {
                let clang = cold_cost::compile(&tasks, wishes.jobs)?;
                let tool = at.checked_sub(1).map(|at| &tools[at]);
                eprintln!(
                    "bench: peers: {name}: {}",
                    tool.map_or("rigel", |tool| &tool.name)
                );
                let run = match tool {
                    None => whole(&rigel, &directory, &tasks, wishes.jobs)?,
                    Some(tool) => {
                        let cap = Duration::from_secs(wishes.cap);
                        pool.install(|| each(tool, &tasks, cap))?
                    }
                };
                runs.push(Run { clang, ..run });
            }
        }
        let names = std::iter::once("rigel").chain(tools.iter().map(|tool| tool.name.as_str()));
        for (tool, runs) in names.zip(&runs) {
            row(&mut table, &mut report, (name, tool), tasks.len(), runs);
        }
    }
    report.words(format!(
        "Analyzers on the same units, {} at a time, at most {} s for a unit.",
        wishes.jobs, wishes.cap
    ));
    report.table(table);
    report.words(
        "CPU of all processes, over `clang -O0 -c` of the same units just before (least and most of the runs behind the median); peak memory \
         of the largest process; capped: units that were ended at the limit; failed: units that the tool could not read; left out: units in C++, \
         of gcc's analyzer, which is for C.",
    );
    out.write(&report)
}

fn row(
    table: &mut Table,
    report: &mut Report,
    (program, tool): (&str, &str),
    units: usize,
    runs: &[Run],
) {
    let ratio = Spread::of(
        runs.iter()
            .map(|run| run.cost.cpu / run.clang.max(0.01))
            .collect(),
    );
    let (Some(last), Some(ratio)) = (runs.last(), ratio) else {
        return;
    };
    let nothing = last.left_out == units;
    let or_dash = |text: String| if nothing { "–".to_string() } else { text };
    table.row([
        program.to_string(),
        tool.to_string(),
        units.to_string(),
        or_dash(format!("{:.1} s", last.cost.cpu)),
        or_dash(ratio.to_string()),
        or_dash(format!("{:.1} s", last.cost.wall)),
        or_dash(format!("{} MiB", last.cost.peak_kib / 1024)),
        or_dash(last.reports.to_string()),
        last.capped.to_string(),
        last.failed.to_string(),
        last.left_out.to_string(),
    ]);
    report.data(
        format!("{program} {tool}"),
        json!({
            "units": units, "cpu": last.cost.cpu, "ratio": ratio.json(), "peak_kib": last.cost.peak_kib,
            "reports": last.reports, "capped": last.capped, "failed": last.failed,
        }),
    );
}

/// So many of the units, spread evenly over them.
fn sample<T>(tasks: Vec<T>, wanted: Option<usize>) -> Vec<T> {
    let all = tasks.len();
    let wanted = wanted.unwrap_or(all).clamp(1, all.max(1));
    let mut at = 0;
    tasks
        .into_iter()
        .filter(|_| {
            at += 1;
            at * wanted / all > (at - 1) * wanted / all
        })
        .collect()
}

/// rigel on these units, as one program.
fn whole(rigel: &Path, directory: &Path, tasks: &[Task], jobs: usize) -> anyhow::Result<Run> {
    let mut command = Command::new(rigel);
    command
        .args([
            "check",
            "--format",
            "json",
            "--jobs",
            &jobs.to_string(),
            "-p",
        ])
        .arg(directory);
    command.args(
        tasks
            .iter()
            .map(|task| Path::new(&task.job.directory).join(&task.job.file)),
    );
    command.current_dir(directory).env("RIGEL_CACHE", "none");
    let ended = process::run(&mut command, None)?;
    let said: Value = serde_json::from_str(&ended.stdout)
        .with_context(|| format!("rigel check failed: {}", ended.stderr.trim()))?;
    let number = |key: &str| {
        said["summary"][key]
            .as_u64()
            .and_then(|n| usize::try_from(n).ok())
            .unwrap_or(0)
    };
    Ok(Run {
        cost: ended.cost,
        reports: said["findings"].as_array().map_or(0, Vec::len),
        failed: number("failed"),
        ..Run::default()
    })
}

/// A peer on each unit.
fn each(tool: &Tool, tasks: &[Task], cap: Duration) -> anyhow::Result<Run> {
    let start = Instant::now();
    let units: anyhow::Result<Vec<_>> = tasks.par_iter().map(|task| one(tool, task, cap)).collect();
    let mut run = Run::default();
    let mut seen = BTreeSet::new();
    for (unit, found) in units? {
        run.cost = run.cost.and(unit.cost);
        run.capped += unit.capped;
        run.failed += unit.failed;
        run.left_out += unit.left_out;
        seen.extend(found);
    }
    run.cost.wall = start.elapsed().as_secs_f64();
    run.reports = seen.len();
    Ok(run)
}

/// What makes a report one and the same, wherever it is made: file, line, rule and message.
type Key = (String, usize, String, String);

fn one(tool: &Tool, task: &Task, cap: Duration) -> anyhow::Result<(Run, Vec<Key>)> {
    let mut run = Run::default();
    let is_c = task.job.file.ends_with(".c");
    if !tool.cpp && !is_c {
        run.left_out = 1;
        return Ok((run, Vec::new()));
    }
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let out = scratch.path().join("out");
    let files = [task.job.file.to_string()];
    let mut command = tool.command(&files, &plain_flags(task), &out);
    command.current_dir(&task.job.directory);
    let ended = process::run(&mut command, Some(cap))?;
    run.cost = ended.cost;
    run.capped = usize::from(ended.capped);
    let (found, note) = reports(tool, &ended, &out);
    run.failed = usize::from(!ended.capped && note.is_some());
    let told = found
        .into_iter()
        .filter(|finding| counts(tool, &finding.rule, &finding.severity));
    let keys = told.map(|finding| (finding.file, finding.line, finding.rule, finding.message));
    Ok((run, keys.collect()))
}

/// Is it a report of an error? A compiler's other warnings, and remarks on style, are none.
fn counts(tool: &Tool, rule: &str, severity: &str) -> bool {
    match tool.form {
        Form::Lines => rule.starts_with("-Wanalyzer-"),
        Form::Cppcheck => matches!(severity, "error" | "warning"),
        Form::Sarif | Form::Nothing => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_spread_over_the_units() {
        let names = |wanted| sample((0..10).collect(), wanted);
        assert_eq!(names(Some(2)), [4, 9]);
        assert_eq!(names(None).len(), 10);
        assert_eq!(names(Some(99)).len(), 10);
        assert!(sample(Vec::<u8>::new(), Some(3)).is_empty());
    }
}
