//! From what the user names to one program: plan → lower → link → instrument.
//!
//! Every command that reads C goes through here, so that all of them treat a missing file, a unit
//! that does not compile and a broken database alike: one line on standard error for each, the
//! rest is still read, and the run ends with exit code 2.

use crate::cli;
use crate::print;
use crate::progress::Progress;
use front::pool::{self, Task};
use front::protocol::{Cost, Failure};
use front::{Plan, Request, Unit, UnitError};
use ir::link::LinkWarning;
use report::Location;
use rules::Selection;
use std::collections::{BTreeMap, HashMap};
use std::io::IsTerminal;
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
    pub analysis: Duration,
}

/// Reads and links. `Err` if there is nothing to go on with.
pub fn load(input: &cli::Input, flags: &[String]) -> Result<Loaded, String> {
    let cwd = std::env::current_dir().map_err(|e| format!("the current directory is gone: {e}"))?;
    let request = Request {
        inputs: input.files.clone(),
        database: input.database.clone(),
        flags: flags.to_vec(),
        // A unit is compiled in its own directory, where a relative path would mean another file.
        clang: std::env::var("RIGEL_CLANG")
            .ok()
            .map(|clang| match clang.contains('/') {
                true => cwd.join(clang).display().to_string(),
                false => clang,
            }),
        cwd: cwd.clone(),
    };
    let start = Instant::now();
    let plan = front::plan::plan(&request).map_err(|e| e.to_string())?;
    for error in &plan.errors {
        print::error(&error.to_string());
    }
    for note in &plan.notes {
        print::note(note);
    }
    let mut failed = plan.errors.len();
    let lowered = lower(&plan, jobs(input))?;
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
    for warning in disagreements(&warnings) {
        print::warning(&warning);
    }
    Ok(Loaded {
        program,
        units,
        failed,
        costs,
        times: Times {
            front: linked - start,
            link: linked.elapsed(),
            ..Times::default()
        },
        cwd,
    })
}

/// Processes and threads at most, whatever is asked for.
const MOST_JOBS: usize = 256;

/// How many things to do at the same time.
pub fn jobs(input: &cli::Input) -> usize {
    let machine = || std::thread::available_parallelism().ok();
    // More would only cost memory.
    input
        .jobs
        .or_else(machine)
        .map_or(1, |n| n.get().min(MOST_JOBS))
}

fn lower(plan: &Plan, jobs: usize) -> Result<Vec<Result<pool::Unit, Failure>>, String> {
    if plan.units.is_empty() {
        return Ok(Vec::new());
    }
    // Every unit would fail for the same reason: say it once, and before the workers, which need
    // LLVM's library, fail for want of that.
    let path = std::env::var_os("PATH").unwrap_or_default();
    for program in plan.units.iter().filter_map(|u| u.job.command.first()) {
        if front::find_on_path(program, &path).is_none() {
            return Err(match std::env::var("RIGEL_CLANG") {
                Ok(named) => format!(
                    "RIGEL_CLANG names {named}, which is not there (name a clang 19, or unset it)"
                ),
                Err(_) => format!(
                    "{program} is not installed (install clang 19: `apt-get install clang-19`, or name one in RIGEL_CLANG)"
                ),
            });
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
    let executable = pool::executable()?;
    let progress = Progress::new(std::io::stderr().is_terminal());
    progress.stage("reading", tasks.len());
    let lowered = pool::lower_all_watched(&executable, &tasks, jobs, &|| progress.inc(1));
    progress.finish();
    Ok(lowered)
}

fn unit_error(unit: &Unit, failure: Failure) -> UnitError {
    UnitError {
        file: unit.shown.clone(),
        failure,
        database: unit.database.clone(),
    }
}

/// What the units disagree about: one line for each name, and not more than a person reads.
fn disagreements(warnings: &[LinkWarning]) -> Vec<String> {
    const SHOWN: usize = 10;
    let mut names: Vec<(&LinkWarning, usize)> = Vec::new();
    let mut index = HashMap::new();
    for warning in warnings {
        let at = *index.entry(&warning.name).or_insert(names.len());
        match names.get_mut(at) {
            Some((_, count)) => *count += 1,
            None => names.push((warning, 1)),
        }
    }
    let mut notes: Vec<String> = names
        .iter()
        .take(SHOWN)
        .map(|(warning, count)| match count {
            1 => warning.to_string(),
            n => format!("{warning} (and {} more)", n - 1),
        })
        .collect();
    if names.len() > SHOWN {
        let more = names.len() - SHOWN;
        notes.push(format!("the units disagree about {more} more names"));
    }
    notes
}

impl Loaded {
    /// Puts the checks of the rules in.
    pub fn instrument(&mut self, selection: Selection) {
        let start = Instant::now();
        rules::instrument(&mut self.program, selection);
        self.times.instrument = start.elapsed();
    }

    /// The name of a span's file, for a person.
    pub fn file(&self, span: ir::Span) -> String {
        if span.is_none() {
            return "(generated)".to_string();
        }
        front::shown(Path::new(self.program.file_path(span.file)), &self.cwd)
    }

    /// A span as reports have it.
    pub fn location(&self, span: ir::Span) -> Location {
        Location::new(self.file(span), span.line, span.column)
    }

    /// Is the span in a system header?
    pub fn in_system_header(&self, span: ir::Span) -> bool {
        let file = self.program.files.get(span.file);
        !span.is_none() && file.is_some_and(|file| file.system)
    }

    /// The defined functions outside system headers.
    pub fn functions(&self) -> impl Iterator<Item = (ir::FuncId, &ir::Function, &ir::Body)> {
        self.program
            .bodies()
            .filter(|(_, f, _)| !self.in_system_header(f.span))
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

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use ir::link::{LinkWarningKind, Site};

    fn warning(name: &str, line: u32) -> LinkWarning {
        let site = |line: u32| Site {
            unit: "a.c".to_string(),
            place: format!("a.c:{line}:1"),
            ty: String::new(),
        };
        LinkWarning {
            name: name.to_string(),
            kind: LinkWarningKind::DuplicateDefinition,
            kept: site(1),
            other: site(line),
        }
    }

    #[test]
    fn disagreements_are_said_once_for_each_name() {
        let warnings = [warning("main", 2), warning("f", 9), warning("main", 3)];
        expect![[r#"
            `main` is defined at a.c:1:1 and again at a.c:2:1: two programs? (and 1 more)
            `f` is defined at a.c:1:1 and again at a.c:9:1: two programs?"#]]
        .assert_eq(&disagreements(&warnings).join("\n"));
        let many: Vec<_> = (0..15).map(|i| warning(&format!("f{i}"), 2)).collect();
        let notes = disagreements(&many);
        assert_eq!(notes.len(), 11);
        assert_eq!(notes[10], "the units disagree about 5 more names");
    }
}
