//! From what the user names to one program: read ([`reading`]) → link → instrument.
//!
//! Every command that reads C goes through here, so that all of them treat a missing file, a unit
//! that does not compile and a broken database alike: one line on standard error for each, the
//! rest is still read, and the run ends with exit code 2.

use crate::kept::Kept;
use crate::{cli, reading};
use front::protocol::Cost;
use ir::link::LinkWarning;
use report::Location;
use rules::Selection;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A program, and how it came about.
pub struct Loaded {
    pub program: ir::Program,
    /// Units that were read.
    pub units: usize,
    /// Those of them that an earlier run had read.
    pub kept: usize,
    /// Files that could not be read. Each was reported already.
    pub failed: usize,
    pub costs: Vec<Cost>,
    /// What clang said of the units that this run read: see `clang::folded`.
    pub diagnostics: Vec<String>,
    /// What linking warned of; it was said already.
    pub warnings: Vec<String>,
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
pub fn load(input: &cli::Input, flags: &[String], kept: &Kept) -> Result<Loaded, String> {
    reading::read(input, flags, kept)?.link(kept)
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

/// What the units disagree about: one line for each name, and not more than a person reads.
pub fn disagreements(warnings: &[LinkWarning]) -> Vec<String> {
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
    /// Puts the checks in that rules need to be shown. `noreturn`: functions that the user says do not come back.
    pub fn instrument(&mut self, shown: Selection, noreturn: &[String]) {
        let start = Instant::now();
        rules::instrument_asking(
            &mut self.program,
            shown.checked(),
            &engine::ByDual { noreturn },
        );
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
