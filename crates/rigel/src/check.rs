//! `rigel check`: the errors of a program, found without running it.
//!
//! Load → instrument → analyse → explain → report. What the report shows is decided here and
//! nowhere else: findings of the rules the user selected, never in system headers.

use crate::pipeline::{self, Loaded};
use crate::print;
use crate::progress::Progress;
use crate::sources::Files;
use crate::table::{self, Row};
use crate::{Exit, cli, inexact, json, solver, stats, terminal};
use engine::explain::Explainer;
use engine::{Analysis, ErrorPath, Settings};
use report::{Finding, Report, Shown, Totals, Verdict, called_name};
use rules::Selection;
use std::io::IsTerminal;
use std::path::Path;
use std::time::Instant;

pub fn check(args: &cli::Check) -> Result<Exit, String> {
    check_input(&args.input, &args.flags, &args.output, &args.analysis)
}

pub fn check_input(
    input: &cli::Input,
    flags: &[String],
    output: &cli::Output,
    how: &cli::Analysis,
) -> Result<Exit, String> {
    let start = Instant::now();
    let selection = possible(output)?;
    let (loaded, analysis) = analysed(input, flags, selection, how, shown(output))?;
    let rows = table::rows(&loaded, selection);
    let report = report(&loaded, &analysis, &rows, selection, output);
    let reported = report.totals.reported > 0;
    let exit = match (loaded.failed > 0, reported) {
        (true, _) => Exit::Failed,
        (false, true) => Exit::Findings,
        (false, false) => Exit::Clean,
    };
    let costs = output.stats.then(|| stats::collect(&loaded));
    let inexact = match output.verbose {
        true => inexact::lines(&loaded, &analysis),
        false => Vec::new(),
    };
    let text = match output.format {
        cli::Format::Text => render(&report, &loaded.cwd, output),
        cli::Format::Json => {
            let inexact = output.verbose.then(|| inexact::value(&inexact));
            json::render(&report, &analysis, costs.as_ref(), inexact)
        }
        cli::Format::Sarif => {
            let invocation = report::sarif::Invocation {
                arguments: recorded_arguments(),
                exit_code: exit as i32,
                working_directory: loaded.cwd.display().to_string(),
            };
            report::sarif::render(&report, &invocation, &Files::new(&loaded.cwd))
        }
    };
    print::report(&text, output.out.as_deref())?;
    if output.verbose {
        report.notifications.iter().for_each(|n| print::note(n));
        let table = inexact::render(&inexact);
        if !table.is_empty() {
            print::status(table.trim_end());
        }
    }
    if let Some(costs) = costs.filter(|_| output.format != cli::Format::Json) {
        let table = table::render(&rows);
        let counts = stats::render_analysis(&report.totals, &analysis.statistics);
        let level2 = match how.precision {
            0 => String::new(),
            _ => stats::render_level2(&analysis.tally),
        };
        let costs = stats::render(&costs, &loaded);
        print::status(format!("{table}\n{counts}{level2}{costs}").trim_end());
    }
    let seconds = start.elapsed().as_secs_f64();
    let line = report::closing_line(&report.totals, seconds, clang_seconds(&loaded));
    print::status(&line);
    Ok(exit)
}

/// Reads a program and analyses it. `shown` says which checks that are not reported are named in
/// the analysis; everything else is the same for all.
pub fn analysed(
    input: &cli::Input,
    flags: &[String],
    selection: Selection,
    how: &cli::Analysis,
    shown: Shown,
) -> Result<(Loaded, Analysis), String> {
    let level2 = solver::level2(how)?;
    let mut loaded = pipeline::load(input, flags)?;
    loaded.instrument(selection);
    let settings = Settings {
        level2,
        latent: shown != Shown::default(),
        ..settings(&loaded.program, selection, how)
    };
    let analysis = analyze(&mut loaded, input, &settings);
    for name in &analysis.unknown_names {
        print::warning(&format!(
            "--noreturn {name}: there is no function of this name"
        ));
    }
    solver::complain(&analysis.tally.troubles);
    Ok((loaded, analysis))
}

fn shown(output: &cli::Output) -> Shown {
    Shown {
        latent: output.latent,
        undecided: output.verbose,
        refuted: output.verbose,
    }
}

/// What can be wrong with the wishes for the report, before any work is done.
pub fn possible(output: &cli::Output) -> Result<Selection, String> {
    print::can_report(output.out.as_deref())?;
    selection(output.rules.as_deref())
}

/// The words of the command line, without what must not change a byte of the report.
fn recorded_arguments() -> Vec<String> {
    let words = std::env::args_os().skip(1);
    let words = words.map(|word| word.to_string_lossy().into_owned());
    let mut kept = Vec::new();
    let mut skip = false;
    for word in words {
        if std::mem::replace(&mut skip, word == "--jobs") || skip || word.starts_with("--jobs=") {
            continue;
        }
        kept.push(word);
    }
    kept
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

fn settings(program: &ir::Program, selection: Selection, how: &cli::Analysis) -> Settings {
    let ids = rules::all().iter().map(|rule| rule.meta().id);
    let shown = ids
        .filter(|id| selection.shows(id))
        .filter_map(|id| program.symbols.get(id))
        .collect();
    Settings {
        algorithm: match how.search {
            cli::Search::Dfs => search::Algorithm::Plain,
            cli::Search::Covering => search::Algorithm::Covering,
            cli::Search::Differencing => search::Algorithm::Differencing,
        },
        aggregate: how.aggregate == cli::Switch::On,
        noreturn: how.noreturn.clone(),
        rules: Some(shown),
        ..Settings::default()
    }
}

fn analyze(loaded: &mut Loaded, input: &cli::Input, settings: &Settings) -> Analysis {
    let start = Instant::now();
    // It fails only if there is a pool already; then that one does.
    let _ = rayon::ThreadPoolBuilder::new()
        .num_threads(pipeline::jobs(input))
        .build_global();
    let progress = Progress::new(std::io::stderr().is_terminal());
    progress.stage("analysing", loaded.program.bodies().count());
    let analysis = engine::analyze(&loaded.program, settings, &|| progress.inc(1));
    progress.finish();
    loaded.times.analysis = start.elapsed();
    analysis
}

/// What is shown of an analysis.
fn report(
    loaded: &Loaded,
    analysis: &Analysis,
    rows: &[Row],
    selection: Selection,
    output: &cli::Output,
) -> Report {
    let findings = findings(loaded, analysis, selection, shown(output));
    let mut report = Report {
        findings,
        totals: Totals::default(),
        notifications: notifications(loaded, analysis),
        functions: rows.iter().map(Row::to_report).collect(),
    };
    report::normalize(&mut report);
    report.totals = totals(loaded, analysis, &report.findings);
    report
}

/// The errors of an analysis in words, and what else is to be shown.
pub fn findings(
    loaded: &Loaded,
    analysis: &Analysis,
    selection: Selection,
    shown: Shown,
) -> Vec<Finding> {
    let places = |span| loaded.location(span);
    let explainer = Explainer::new(&loaded.program, &places);
    let lists = [
        (&analysis.errors, Verdict::May, true),
        (&analysis.latent, Verdict::Latent, shown.latent),
        (&analysis.undecided, Verdict::Undecided, shown.undecided),
        (&analysis.refuted, Verdict::Refuted, shown.refuted),
    ];
    let mut findings: Vec<Finding> = Vec::new();
    for (paths, verdict, _) in lists.into_iter().filter(|(.., wanted)| *wanted) {
        let paths = paths.iter().filter(|e| is_shown(loaded, selection, e));
        findings.extend(paths.map(|e| explainer.finding(e, verdict)));
    }
    findings
}

/// Only what the user selected, and nothing that is in a system header: nobody can repair it there.
fn is_shown(loaded: &Loaded, selection: Selection, error: &ErrorPath) -> bool {
    let Some(function) = loaded.program.functions.get(error.function) else {
        return false;
    };
    let Some(body) = error.body(&loaded.program) else {
        return false;
    };
    let rule = body.checks.get(error.check).map(|check| check.rule);
    let edge = error.path.last().and_then(|edge| body.edges().get(*edge));
    rule.is_some_and(|rule| selection.shows(loaded.program.name(rule)))
        && !loaded.in_system_header(function.span)
        && !edge.is_some_and(|edge| loaded.in_system_header(edge.span))
}

/// Counts of the user's own functions. Checks that fail and are not shown (of rules that were not
/// selected, in a header's macro, in further instances of a template) are not counted at all, so
/// that "reported" is what the reader sees and the classes still add up.
fn totals(loaded: &Loaded, analysis: &Analysis, findings: &[Finding]) -> Totals {
    let is_own = |function: ir::FuncId| {
        let function = loaded.program.functions.get(function);
        function.is_some_and(|f| !loaded.in_system_header(f.span))
    };
    let mut totals = Totals {
        units: loaded.units,
        failed_units: loaded.failed,
        functions: loaded.functions().count(),
        budget_exhausted: analysis.exhausted.iter().filter(|f| is_own(**f)).count(),
        defects: analysis.defects.iter().filter(|(f, _)| is_own(*f)).count(),
        ..Totals::default()
    };
    let mut failing = 0;
    for (_, counts) in analysis.by_function.iter().filter(|(f, _)| is_own(*f)) {
        totals.checks += counts.checks;
        totals.proved += counts.proved;
        totals.latent += counts.latent;
        totals.refuted += counts.refuted;
        totals.undecided += counts.undecided;
        failing += counts.reported;
    }
    let reported = findings
        .iter()
        .filter(|f| matches!(f.verdict, Verdict::Must | Verdict::May));
    totals.reported = reported.count();
    totals.checks -= failing.saturating_sub(totals.reported).min(totals.checks);
    totals
}

/// What the user should know about the run itself.
fn notifications(loaded: &Loaded, analysis: &Analysis) -> Vec<String> {
    let place = |function: ir::FuncId| match loaded.program.functions.get(function) {
        Some(f) => {
            let name = called_name(loaded.program.name(f.display));
            format!("{name} at {}", loaded.location(f.span))
        }
        None => "a function".to_string(),
    };
    let exhausted = analysis.exhausted.iter().map(|f| {
        let place = place(*f);
        format!("{place}: the budget ended before all of it was searched")
    });
    let defects = analysis.defects.iter().map(|(f, what)| {
        let place = place(*f);
        format!("{place}: rigel failed to analyse it, which is an error of rigel: {what}")
    });
    exhausted.chain(defects).collect()
}

fn render(report: &Report, directory: &Path, output: &cli::Output) -> String {
    let mut style = match output.out {
        Some(_) => terminal::plain(output.color),
        None => terminal::style_with(&std::io::stdout(), output.color),
    };
    style.full_path = output.path == cli::Steps::Full;
    report::text::render(report, &Files::new(directory), style)
}

/// clang's part of the time that passed: its share of the processor time of all workers.
fn clang_seconds(loaded: &Loaded) -> f64 {
    let sum = |part: fn(&front::protocol::Cost) -> u64| loaded.costs.iter().map(part).sum::<u64>();
    let clang = sum(|c| c.clang_cpu_us) as f64;
    let all = sum(|c| c.clang_cpu_us + c.read_cpu_us + c.lower_cpu_us) as f64;
    loaded.times.front.as_secs_f64() * clang / all.max(1.0)
}
