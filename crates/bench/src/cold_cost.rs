//! `bench cold`: the CPU of a whole `rigel check`, over what clang takes to compile the same files.
//!
//! Both sides are processes as a user starts them, and all of their children count: for rigel that
//! is clang writing the bitcode, reading it, lowering, the search and the report. Clang compiles
//! with the flags of the build as the front end understands them, `-O0 -c`, without debug
//! information and warnings, to nowhere.

use crate::checked::{check, rigel};
use crate::table::Table;
use crate::{cpu, programs};
use anyhow::{Context, bail};
use front::pool::Task;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a check may cost, in units of `clang -O0 -c`.
const TARGET: f64 = 1.7;

/// What the front end adds to the flags of a unit begins with these.
const FIRST_OWN_FLAGS: [&str; 2] = ["-g", "-gdwarf-4"];

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
            compile_unit(task)?;
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

/// From the front end's command for bitcode to the compiler call: the unit's own flags, and what
/// makes clang accept what the build's compiler accepted.
fn compiler_call(bitcode: &[String]) -> Option<Vec<String>> {
    let own = bitcode.windows(2).rposition(|w| w == FIRST_OWN_FLAGS)?;
    let file = bitcode.last()?;
    let mut call = bitcode[..own].to_vec();
    let tolerant = bitcode[own..].iter();
    call.extend(tolerant.filter(|w| w.starts_with("-Wno-error=")).cloned());
    call.extend(["-O0", "-w", "-c", "-o", "/dev/null", "--"].map(String::from));
    call.push(file.clone());
    Some(call)
}

fn compile_unit(task: &Task) -> anyhow::Result<()> {
    let words = compiler_call(&task.job.command).with_context(|| {
        format!(
            "{}: not a command of the front end: {:?}",
            task.job.file, task.job.command
        )
    })?;
    let [compiler, arguments @ ..] = words.as_slice() else {
        bail!("{}: an empty command", task.job.file);
    };
    let output = Command::new(compiler)
        .args(arguments)
        .current_dir(&task.job.directory)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {compiler}"))?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        bail!("{}: clang failed: {words}", task.job.file);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_call_is_that_of_the_build() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(String::from).collect() };
        let build = words("cc -O2 -g -DN=3 -Iinclude -c -o a.o a.c");
        let translation = front::flags::translate(&build, "a.c", Path::new("/"), None);
        let call = compiler_call(&translation.command).unwrap();
        let kept: Vec<&str> = call.iter().map(String::as_str).collect();
        assert_eq!(kept[..3], ["clang-19", "-DN=3", "-Iinclude"]);
        assert_eq!(
            kept[kept.len() - 7..],
            words("-O0 -w -c -o /dev/null -- a.c")
        );
        assert!(!kept.contains(&"-emit-llvm") && !kept.contains(&"-g"));
        assert_eq!(compiler_call(&build), None);
    }
}
