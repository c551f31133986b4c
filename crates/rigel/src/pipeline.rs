//! From what the user names to one program: plan → lower → link → instrument.
//!
//! Every command that reads C goes through here, so that all of them treat a missing file, a unit
//! that does not compile and a broken database alike: one line on standard error for each, the
//! rest is still read, and the run ends with exit code 2.

use crate::cli;
use crate::print;
use front::pool::{self, Task};
use front::protocol::{Cost, Failure};
use front::{Plan, Request, Unit, UnitError};
use rules::Selection;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A program, and how it came about.
pub struct Loaded {
    pub program: ir::Program,
    /// Units that were read.
    pub units: usize,
    /// Files that could not be read. Each was reported already.
    pub failed: usize,
    pub costs: Vec<Cost>,
    pub times: Times,
    pub cwd: PathBuf,
}

/// Wall-clock times, for people only: no result depends on them.
#[derive(Clone, Copy, Default)]
pub struct Times {
    /// Until all units were lowered.
    pub front: Duration,
    pub link: Duration,
    pub instrument: Duration,
}

/// Reads and links. `Err` if there is nothing to go on with.
pub fn load(input: &cli::Input, flags: &[String]) -> Result<Loaded, String> {
    let cwd = std::env::current_dir().map_err(|e| format!("the current directory is gone: {e}"))?;
    let request = Request {
        inputs: input.files.clone(),
        database: input.database.clone(),
        flags: flags.to_vec(),
        clang: std::env::var("RIGEL_CLANG").ok(),
        cwd: cwd.clone(),
    };
    let jobs = input.jobs.or_else(|| std::thread::available_parallelism().ok());
    let start = Instant::now();
    let plan = front::plan::plan(&request).map_err(|e| e.to_string())?;
    for error in &plan.errors {
        print::error(&error.to_string());
    }
    for note in &plan.notes {
        print::note(note);
    }
    let mut failed = plan.errors.len();
    let lowered = lower(&plan, jobs.map_or(1, |n| n.get()))?;
    let mut programs = Vec::new();
    let mut costs = Vec::new();
    for (unit, answer) in plan.units.iter().zip(lowered) {
        match answer {
            Ok(lowered) => {
                programs.push(lowered.program);
                costs.push(lowered.cost);
            }
            Err(failure) => {
                failed += 1;
                print::error(&unit_error(unit, failure).to_string());
            }
        }
    }
    let units = programs.len();
    let linked = Instant::now();
    let (program, warnings) = ir::link::link(programs);
    for warning in &warnings {
        print::note(&warning.to_string());
    }
    Ok(Loaded {
        program,
        units,
        failed,
        costs,
        times: Times {
            front: linked - start,
            link: linked.elapsed(),
            instrument: Duration::ZERO,
        },
        cwd,
    })
}

fn lower(
    plan: &Plan,
    jobs: usize,
) -> Result<Vec<Result<front::protocol::Lowered, Failure>>, String> {
    if plan.units.is_empty() {
        return Ok(Vec::new());
    }
    // Every unit would fail for the same reason: say it once, and before the workers, which need
    // LLVM's library, fail for want of that.
    let path = std::env::var_os("PATH").unwrap_or_default();
    for program in plan.units.iter().filter_map(|u| u.job.command.first()) {
        if front::find_on_path(program, &path).is_none() {
            return Err(format!(
                "{program} is not installed (install clang 19: `apt-get install clang-19`, or name one in RIGEL_CLANG)"
            ));
        }
    }
    let tasks: Vec<Task> = plan
        .units
        .iter()
        .map(|u| Task {
            job: u.job.clone(),
            bytes: u.bytes,
        })
        .collect();
    Ok(pool::lower_all(&pool::executable()?, &tasks, jobs))
}

fn unit_error(unit: &Unit, failure: Failure) -> UnitError {
    UnitError {
        file: unit.shown.clone(),
        failure,
        database: unit.database.clone(),
    }
}

impl Loaded {
    /// Puts the checks of the rules in.
    pub fn instrument(&mut self, selection: Selection) {
        let start = Instant::now();
        rules::instrument(&mut self.program, selection);
        self.times.instrument = start.elapsed();
    }

    /// The name of a span's file, for a person; with its line.
    pub fn place(&self, span: ir::Span) -> String {
        let file = self.file(span);
        if span.is_none() {
            return file;
        }
        format!("{file}:{}", span.line)
    }

    pub fn file(&self, span: ir::Span) -> String {
        if span.is_none() {
            return "(generated)".to_string();
        }
        front::shown(Path::new(self.program.file_path(span.file)), &self.cwd)
    }

    /// The defined functions outside system headers.
    pub fn functions(&self) -> impl Iterator<Item = (ir::FuncId, &ir::Function, &ir::Body)> {
        self.program.bodies().filter(|(_, f, _)| {
            let file = self.program.files.get(f.span.file);
            !file.is_some_and(|file| file.system)
        })
    }
}

/// How many checks of each rule a body has.
pub fn checks_by_rule(program: &ir::Program, body: &ir::Body) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for edge in body.edges().values() {
        if let ir::Stmt::Check(check) = &edge.stmt {
            let rule = program.name(body.checks[*check].rule);
            *counts.entry(rule.to_string()).or_insert(0) += 1;
        }
    }
    counts
}
