//! `bench cold`: the CPU of a whole `rigel check`, over what clang takes to compile the same files.
//!
//! Both sides are processes as a user starts them, and all of their children count: for rigel that
//! is clang writing the bitcode, reading it, lowering, the search and the report. Clang compiles
//! with the flags of the build as the front end understands them, `-O0 -c`, without debug
//! information and warnings, to nowhere.

use crate::checked::{check, rigel};
use crate::table::Table;
use crate::{compiler, cpu, programs};
use anyhow::bail;
use front::pool::Task;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a check may cost, in units of `clang -O0 -c`.
const TARGET: f64 = 1.7;

/// How the compiler is called, after the unit's own flags.
const COMPILE: [&str; 5] = ["-O0", "-w", "-c", "-o", "/dev/null"];

/// What level 2 may cost more.
const LEVEL2: f64 = 0.3;

/// CPU in seconds.
struct Run {
    clang: f64,
    /// Without level 2.
    rigel: f64,
    /// With it, as users run it.
    whole: f64,
}

impl Run {
    fn ratio(&self) -> f64 {
        self.rigel / self.clang.max(0.01)
    }

    /// What level 2 costs, in the same unit.
    fn more(&self) -> f64 {
        (self.whole - self.rigel) / self.clang.max(0.01)
    }
}

pub fn run(names: &[String], repeat: usize, jobs: usize) -> anyhow::Result<()> {
    let rigel = rigel()?;
    let repeat = repeat.max(1);
    let mut table = Table::new(&[
        "program",
        "units",
        "clang -O0",
        "rigel",
        "ratio",
        "min",
        "max",
        "target",
        "level 2",
        "target",
    ]);
    for name in names {
        let directory = programs::locate(name)?;
        let tasks = programs::tasks(name)?;
        let mut runs = Vec::new();
        for _ in 0..repeat {
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
        runs.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
        let (Some(best), Some(worst), Some(median)) =
            (runs.first(), runs.last(), runs.get(runs.len() / 2))
        else {
            continue;
        };
        let met = |met: bool| if met { "met" } else { "missed" };
        table.row([
            name.clone(),
            tasks.len().to_string(),
            format!("{:.2} s", median.clang),
            format!("{:.2} s", median.rigel),
            format!("{:.2}", median.ratio()),
            format!("{:.2}", best.ratio()),
            format!("{:.2}", worst.ratio()),
            format!("{TARGET} {}", met(median.ratio() <= TARGET)),
            format!("{:+.2}", median.more()),
            format!("{LEVEL2} {}", met(median.more() <= LEVEL2)),
        ]);
    }
    println!(
        "A whole `rigel check --precision 0` against `clang -O0 -c` on the same files, {jobs} jobs; \
         and what --precision 2 costs more."
    );
    print!("{table}");
    println!(
        "CPU time, user and system, of all processes; the run with the median ratio of {repeat}."
    );
    Ok(())
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
fn compile(tasks: &[Task], jobs: usize) -> anyhow::Result<f64> {
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
