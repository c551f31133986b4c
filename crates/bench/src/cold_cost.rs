//! `bench cold`: the CPU of a whole `rigel check`, over what clang takes to compile the same files.
//!
//! Both sides are processes as a user starts them, and all of their children count: for rigel that
//! is clang writing the bitcode, reading it, lowering, the search and the report. Clang compiles
//! with the flags of the build as the front end understands them, `-O0 -c`, without debug
//! information and warnings, to nowhere.

use crate::checked::{check, rigel};
use crate::out::{Out, Report};
use crate::spread::Spread;
use crate::table::Table;
use crate::{compiler, cpu, programs};
use anyhow::bail;
use front::pool::Task;
use serde_json::json;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a check may cost with all that users get, in units of `clang -O0 -c`: of C, and of C++.
const TARGET: f64 = 2.5;
const TARGET_CPP: f64 = 4.0;

/// How the compiler is called, after the unit's own flags.
const COMPILE: [&str; 5] = ["-O0", "-w", "-c", "-o", "/dev/null"];

/// CPU in seconds.
struct Run {
    clang: f64,
    /// Without level 2.
    rigel: f64,
    /// With it, as users run it.
    whole: f64,
}

impl Run {
    fn level1(&self) -> f64 {
        self.rigel / self.clang.max(0.01)
    }

    fn ratio(&self) -> f64 {
        self.whole / self.clang.max(0.01)
    }
}

pub fn run(out: &Out, names: &[String], repeat: usize, jobs: usize) -> anyhow::Result<()> {
    let rigel = rigel()?;
    let repeat = repeat.max(1);
    let mut report = Report::new("cold");
    let mut table = Table::new(&[
        "program",
        "units",
        "clang -O0",
        "level 1",
        "over clang",
        "whole",
        "over clang",
        "target",
    ]);
    for name in names {
        let directory = programs::locate(name)?;
        let tasks = programs::tasks(name)?;
        let mut runs = Vec::new();
        for round in 0..repeat {
            eprintln!("bench: cold: {name}, {} of {repeat}", round + 1);
            // In turns, so that a busy minute is busy for both.
            let clang = compile(&tasks, jobs)?;
            let level1 = cost(&rigel, &directory, jobs, "0")?;
            let whole = cost(&rigel, &directory, jobs, "2")?;
            runs.push(Run {
                clang,
                rigel: level1,
                whole,
            });
        }
        let of = |what: &dyn Fn(&Run) -> f64| Spread::of(runs.iter().map(what).collect());
        let (Some(clang), Some(first), Some(level1), Some(seconds), Some(ratio)) = (
            of(&|run| run.clang),
            of(&|run| run.rigel),
            of(&Run::level1),
            of(&|run| run.whole),
            of(&Run::ratio),
        ) else {
            continue;
        };
        let cpp = tasks.iter().any(|task| !task.job.file.ends_with(".c"));
        let target = if cpp { TARGET_CPP } else { TARGET };
        let met = if ratio.median <= target {
            "met"
        } else {
            "missed"
        };
        table.row([
            name.clone(),
            tasks.len().to_string(),
            format!("{:.2} s", clang.median),
            format!("{:.2} s", first.median),
            level1.to_string(),
            format!("{:.2} s", seconds.median),
            ratio.to_string(),
            format!("{target} {met}"),
        ]);
        report.data(
            name,
            json!({ "units": tasks.len(), "clang": clang.json(), "level1": level1.json(), "ratio": ratio.json() }),
        );
    }
    report.words(format!(
        "A whole `rigel check` with nothing kept against `clang -O0 -c` on the same files, {jobs} jobs: level 1 alone (--precision 0), \
         and as users run it."
    ));
    report.table(table);
    report.words(format!(
        "CPU time, user and system, of all processes; medians of {repeat} runs in turns, and least and most."
    ));
    out.write(&report)
}

/// CPU of a check of the program in a directory.
fn cost(rigel: &Path, directory: &Path, jobs: usize, precision: &str) -> anyhow::Result<f64> {
    let before = cpu::of_children()?;
    let jobs = jobs.to_string();
    check(
        rigel,
        directory,
        &["--precision", precision, "--jobs", &jobs],
    )?;
    Ok(cpu::of_children()? - before)
}

/// CPU for compiling every unit, so many at a time.
pub fn compile(tasks: &[Task], jobs: usize) -> anyhow::Result<f64> {
    let before = cpu::of_children()?;
    let next = AtomicUsize::new(0);
    let work = || -> anyhow::Result<()> {
        while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            compiler::run(task, &COMPILE)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            match worker.join() {
                Ok(result) => result?,
                Err(_) => bail!("a thread that starts clang failed"),
            }
        }
        Ok(())
    })?;
    Ok(cpu::of_children()? - before)
}
