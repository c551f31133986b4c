//! `rigel check`: what can go wrong where, and what does when the program runs.

use crate::execute::{self, Ran};
use crate::pipeline::{self, Loaded};
use crate::print::{self, count};
use crate::sources::Files;
use crate::table::{self, Row};
use crate::{Exit, cli, json, stats};
use interp::Config;
use report::Finding;
use report::text::Style;
use rules::Selection;
use std::time::Instant;

/// Statements that the run of a checked program may execute. A count, not a time: the report must
/// not depend on the machine.
const STEPS: u64 = 50_000_000;

/// What `check` has to say.
pub struct Report {
    pub rows: Vec<Row>,
    pub findings: Vec<Finding>,
    /// How the run went, if there was nothing wrong with it; none without a `main`.
    pub ran: Option<String>,
}

pub fn check(args: &cli::Check) -> Result<Exit, String> {
    check_input(&args.input, &args.flags, &args.output)
}

pub fn check_input(
    input: &cli::Input,
    flags: &[String],
    output: &cli::Output,
) -> Result<Exit, String> {
    let start = Instant::now();
    let selection = selection(output.rules.as_deref())?;
    let mut loaded = pipeline::load(input, flags)?;
    loaded.instrument(selection);
    let report = examine(&loaded, selection);
    let text = match output.format {
        cli::Format::Text => render(&report, &loaded),
        cli::Format::Json => json::render(&report, &loaded, output.stats),
    };
    print::report(&text, output.out.as_deref())?;
    if output.stats && output.format == cli::Format::Text {
        print::status(stats::render(&stats::collect(&loaded), &loaded).trim_end());
    }
    print::status(&closing_line(&report, &loaded, start));
    Ok(if loaded.failed > 0 {
        Exit::Failed
    } else if report.findings.is_empty() {
        Exit::Clean
    } else {
        Exit::Findings
    })
}

/// The rules that the user wants to see.
pub fn selection(rules: Option<&str>) -> Result<Selection, String> {
    match rules {
        None => Ok(Selection::default()),
        Some(list) if list.split(',').all(|word| word.trim().is_empty()) => Err(
            "--rules: the list is empty (name rules, or `all`; `rigel rules` lists them)"
                .to_string(),
        ),
        Some(list) => Selection::parse(list).map_err(|e| format!("--rules: {e}")),
    }
}

fn examine(loaded: &Loaded, selection: Selection) -> Report {
    let rows = table::rows(loaded, selection);
    let mut report = Report {
        rows,
        findings: Vec::new(),
        ran: None,
    };
    let main = loaded.program.find_function("main");
    if main.is_none_or(|f| loaded.program.functions[f].body.is_none()) {
        return report;
    }
    let config = Config {
        step_limit: STEPS,
        ..Config::default()
    };
    report.ran = match execute::run(loaded, selection, config) {
        Ran::Found(finding) => {
            report.findings.push(*finding);
            None
        }
        Ran::Ended(code) => Some(format!(
            "ran without an error: no arguments, empty input, exit code {code}"
        )),
        Ran::Stopped(why) => Some(why),
    };
    report
}

fn render(report: &Report, loaded: &Loaded) -> String {
    let mut out = String::new();
    if !report.rows.is_empty() {
        out.push_str(&table::render(&report.rows));
    }
    let files = Files::new(&loaded.cwd);
    for finding in &report.findings {
        out.push('\n');
        let text = report::text::render_finding(finding, None, &files, Style::default());
        out.push_str(&text);
    }
    if let Some(ran) = &report.ran {
        out.push('\n');
        out.push_str(ran);
        out.push('\n');
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// `3 units, 9 functions, 61 checks, 1 error · 0.41 s (clang 0.30 s)`.
fn closing_line(report: &Report, loaded: &Loaded, start: Instant) -> String {
    let mut line = count(loaded.units, "unit");
    if loaded.failed > 0 {
        line.push_str(&format!(" ({} failed)", print::grouped(loaded.failed)));
    }
    if loaded.units == 0 {
        line.push_str(", nothing was analysed");
    } else if report.rows.is_empty() {
        line.push_str(", nothing to analyse: no function has a body");
    } else {
        let checks = report.rows.iter().map(Row::total).sum();
        line.push_str(&format!(
            ", {}, {}",
            count(report.rows.len(), "function"),
            count(checks, "check"),
        ));
        if !report.findings.is_empty() {
            line.push_str(&format!(", {}", count(report.findings.len(), "error")));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    format!(
        "{line} · {seconds:.2} s (clang {:.2} s)",
        clang_seconds(loaded)
    )
}

/// clang's part of the time that passed: its share of the processor time of all workers.
fn clang_seconds(loaded: &Loaded) -> f64 {
    let sum = |part: fn(&front::protocol::Cost) -> u64| loaded.costs.iter().map(part).sum::<u64>();
    let clang = sum(|c| c.clang_cpu_us) as f64;
    let all = sum(|c| c.clang_cpu_us + c.read_cpu_us + c.lower_cpu_us) as f64;
    loaded.times.front.as_secs_f64() * clang / all.max(1.0)
}
