//! `bench lower`: how completely real programs lower.

use crate::out::{Out, Report};
use crate::programs;
use crate::table::Table;
use front::pool;
use ir::{HavocReason, Program, Stmt};
use std::collections::BTreeMap;

pub fn run(out: &Out, names: &[String]) -> anyhow::Result<()> {
    let executable = pool::executable().map_err(anyhow::Error::msg)?;
    let jobs = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut table = Table::new(&[
        "program",
        "units",
        "failed",
        "functions",
        "edges",
        "with havoc",
        "share",
        "globals",
        "unknown",
        "reasons",
    ]);
    for name in names {
        let tasks = programs::tasks(name)?;
        let mut seen = Seen::default();
        for (task, answer) in tasks.iter().zip(pool::lower_all(&executable, &tasks, jobs)) {
            match answer {
                Ok(lowered) => seen.add(&lowered.program),
                Err(e) => {
                    seen.failed += 1;
                    eprintln!("{name}: {}: {e:?}", task.job.file);
                }
            }
        }
        let share = 100.0 * seen.havocked as f64 / seen.functions.max(1) as f64;
        let reasons: Vec<String> = seen
            .reasons
            .iter()
            .map(|(r, n)| format!("{r}: {n}"))
            .collect();
        table.row([
            name.clone(),
            tasks.len().to_string(),
            seen.failed.to_string(),
            seen.functions.to_string(),
            seen.edges.to_string(),
            seen.havocked.to_string(),
            format!("{share:.2} %"),
            seen.globals.to_string(),
            seen.unknown_globals.to_string(),
            reasons.join(", "),
        ]);
    }
    let mut report = Report::new("lower");
    report.table(table);
    out.write(&report)
}

#[derive(Default)]
struct Seen {
    failed: usize,
    functions: usize,
    edges: usize,
    havocked: usize,
    globals: usize,
    /// Globals whose initial value could not be written down.
    unknown_globals: usize,
    reasons: BTreeMap<String, usize>,
}

impl Seen {
    fn add(&mut self, program: &Program) {
        for init in program.globals.values().filter_map(|g| g.init.as_ref()) {
            self.globals += 1;
            self.unknown_globals += usize::from(!init.unknown.is_empty());
        }
        for (_, _, body) in program.bodies() {
            self.functions += 1;
            self.edges += body.edges().len();
            let mut any = false;
            for edge in body.edges().values() {
                if let Stmt::Havoc { reason, .. } = &edge.stmt {
                    any = true;
                    *self.reasons.entry(name(program, reason)).or_default() += 1;
                }
            }
            self.havocked += usize::from(any);
        }
    }
}

fn name(program: &Program, reason: &HavocReason) -> String {
    match reason {
        HavocReason::InlineAssembly => "inline assembly".into(),
        HavocReason::Vector => "vector".into(),
        HavocReason::Constant => "constant".into(),
        HavocReason::WideInteger => "wide integer".into(),
        HavocReason::Intrinsic(s) | HavocReason::Instruction(s) => program.name(*s).to_string(),
    }
}
