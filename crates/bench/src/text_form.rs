//! `bench text`: real programs are well formed, and their text form reads back as the same text.

use crate::out::{Out, Report};
use crate::programs;
use crate::table::Table;
use anyhow::bail;
use front::pool;
use ir::Program;
use std::time::Instant;

pub fn run(out: &Out, names: &[String]) -> anyhow::Result<()> {
    let executable = pool::executable().map_err(anyhow::Error::msg)?;
    let jobs = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut table = Table::new(&[
        "program",
        "functions",
        "text",
        "valid",
        "print → parse → print",
        "time",
    ]);
    let mut failed = false;
    for name in names {
        let tasks = programs::tasks(name)?;
        let units = pool::lower_all(&executable, &tasks, jobs);
        let units = units
            .into_iter()
            .filter_map(|u| u.ok())
            .map(|u| u.program)
            .collect();
        let (program, _) = ir::link::link(units);
        let start = Instant::now();
        let violations = ir::validate::validate(&program).err().unwrap_or_default();
        for v in violations.iter().take(5) {
            eprintln!("{name}: {}", v.describe(&program));
        }
        let text = ir::text::print(&program);
        let outcome = reads_back(&text);
        if let Err(why) = &outcome {
            eprintln!("{name}: {why}");
        }
        failed |= outcome.is_err() || !violations.is_empty();
        table.row([
            name.clone(),
            program.bodies().count().to_string(),
            format!("{:.1} MB", text.len() as f64 / 1e6),
            if violations.is_empty() {
                "yes".into()
            } else {
                format!("{} violations", violations.len())
            },
            if outcome.is_ok() {
                "identical".into()
            } else {
                "DIFFERENT".to_string()
            },
            format!("{:.1} s", start.elapsed().as_secs_f64()),
        ]);
    }
    let mut report = Report::new("text");
    report.table(table);
    out.write(&report)?;
    if failed {
        bail!("some text form does not read back");
    }
    Ok(())
}

fn reads_back(text: &str) -> Result<(), String> {
    let again: Program = ir::text::parse(text).map_err(|e| {
        let line = text
            .lines()
            .nth((e.line as usize).saturating_sub(1))
            .unwrap_or("");
        format!("the text does not parse: {e}: {line}")
    })?;
    let second = ir::text::print(&again);
    match text.lines().zip(second.lines()).find(|(a, b)| a != b) {
        None if text.len() == second.len() => Ok(()),
        None => Err("the second text has another length".into()),
        Some((a, b)) => Err(format!("`{a}` reads back as `{b}`")),
    }
}
