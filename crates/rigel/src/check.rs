//! `rigel check`: the errors of a program, found without running it.
//!
//! Read → (is the answer known?) → link → instrument → analyse → explain → report. What the report shows is decided here and
//! nowhere else: findings of the rules the user selected, never in system headers.

mod told;

use crate::kept::{self, Answer, Kept};
use crate::pipeline::Loaded;
use crate::progress::Progress;
use crate::reading::Unread;
use crate::sources::Files;
use crate::{
    Exit, cli, inexact, json, print, reading, solver, stats, table, terminal, user_rules, watch,
};
use engine::{Analysis, How, Level2, Memory, Settings};
use report::{Report, Shown};
use rules::Selection;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;
pub use told::findings;
use told::{projections, report};

pub fn check(args: &cli::Check) -> Result<Exit, String> {
    let task = Task {
        input: &args.input,
        flags: &args.flags,
        output: &args.output,
        how: &args.analysis,
        keeping: &args.keeping,
    };
    match args.watch {
        true => watch::watch(&task),
        false => check_input(&task),
    }
}

/// All that a user can say about a check.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub input: &'a cli::Input,
    pub flags: &'a [String],
    pub output: &'a cli::Output,
    pub how: &'a cli::Analysis,
    pub keeping: &'a cli::Keeping,
}

/// What came out.
pub struct Checked {
    pub answer: Answer,
    /// The work behind it; none if the answer was known.
    worked: Option<(Loaded, Analysis)>,
    unread: Vec<Unread>,
    cwd: PathBuf,
    clang_seconds: f64,
}

impl Checked {
    /// What the places in the report are relative to.
    pub fn directory(&self) -> &Path {
        &self.cwd
    }

    /// What could not be read.
    pub fn unread(&self) -> &[Unread] {
        &self.unread
    }

    pub fn exit(&self) -> Exit {
        match (
            !self.unread.is_empty(),
            self.answer.report.totals.reported > 0,
        ) {
            (true, _) => Exit::Failed,
            (false, true) => Exit::Findings,
            (false, false) => Exit::Clean,
        }
    }
}

pub fn check_input(task: &Task) -> Result<Exit, String> {
    let start = Instant::now();
    let kept = Kept::open(task.keeping, task.input);
    let checked = checked(task, &kept)?;
    kept.complain();
    show(&checked, task)?;
    print::status(&closing_line(&checked, start));
    Ok(checked.exit())
}

/// Finds the answer, or works it out; and keeps what the next run can use.
pub fn checked(task: &Task, kept: &Kept) -> Result<Checked, String> {
    let Task { output, how, .. } = *task;
    let selection = possible(output, how)?;
    let level2 = solver::level2(how)?;
    let read = reading::read(task.input, task.flags, kept)?;
    let (unread, cwd) = (read.unread.clone(), read.cwd.clone());
    let clang_seconds = read.clang_seconds();
    let question = kept::question(task, &read);
    // The statistics are about the work itself.
    let known = question.filter(|_| !output.stats);
    let (answer, worked) = match known.and_then(|question| kept.answer(&question)) {
        Some(answer) => {
            answer.warnings.iter().for_each(|w| print::warning(w));
            kept.keep_memory(task.input, task.flags);
            (answer, None)
        }
        None => {
            let loaded = read.link(kept)?;
            let mut memory = kept.memory(task.input, task.flags);
            let shown = shown(output);
            let (loaded, analysis) = analysed(loaded, selection, level2, how, shown, &mut memory);
            let projections = match output.format {
                cli::Format::Sarif => {
                    let settings = settings(&loaded.program, selection, how);
                    projections(&loaded, &analysis, selection, &settings, &mut memory)
                }
                cli::Format::Text | cli::Format::Json => BTreeMap::new(),
            };
            // What is kept is large, and what is said takes a while, too.
            let (mut answer, ()) = rayon::join(
                || answer(&loaded, &analysis, selection, output),
                || kept.remember_memory(task.input, task.flags, memory),
            );
            for finding in &mut answer.report.findings {
                let key = (report::fingerprint(finding), finding.location.clone());
                finding.projection = projections.get(&key).cloned();
            }
            // What a solver in trouble or a defect left undecided is worth another try.
            if analysis.tally.troubles.is_empty()
                && analysis.defects.is_empty()
                && let Some(question) = question
            {
                kept.remember_answer(&question, &answer);
            }
            (answer, Some((loaded, analysis)))
        }
    };
    // After a file that failed, what it was before it was broken may be wanted again.
    if unread.is_empty() {
        kept.remember_last(task, &answer.report);
        kept.finish(&kept::run(task, kept));
    }
    Ok(Checked {
        answer,
        worked,
        unread,
        cwd,
        clang_seconds,
    })
}

/// All that is said of an analysis.
fn answer(
    loaded: &Loaded,
    analysis: &Analysis,
    selection: Selection,
    output: &cli::Output,
) -> Answer {
    let mut warnings = loaded.warnings.clone();
    warnings.extend(analysis_warnings(analysis));
    Answer {
        warnings,
        report: report(loaded, analysis, selection, output),
        inexact: match output.verbose {
            true => inexact::lines(loaded, analysis),
            false => Vec::new(),
        },
    }
}

/// Prints the report, and what was asked for besides.
fn show(checked: &Checked, task: &Task) -> Result<(), String> {
    let Task { output, how, .. } = *task;
    let Answer {
        report, inexact, ..
    } = &checked.answer;
    // With --stats there is work behind every answer.
    let worked = checked.worked.as_ref().filter(|_| output.stats);
    let costs = worked.map(|(loaded, analysis)| (stats::collect(loaded), loaded, analysis));
    let text = match output.format {
        cli::Format::Text => render(report, &checked.cwd, output),
        cli::Format::Json => {
            let inexact = output.verbose.then(|| inexact::value(inexact));
            let costs = costs
                .as_ref()
                .map(|(costs, _, analysis)| (costs, *analysis));
            json::render(report, costs, inexact)
        }
        cli::Format::Sarif => {
            let invocation = report::sarif::Invocation {
                arguments: recorded_arguments(),
                exit_code: checked.exit() as i32,
                working_directory: checked.cwd.display().to_string(),
            };
            report::sarif::render(report, &invocation, &Files::new(&checked.cwd))
        }
    };
    print::report(&text, output.out.as_deref())?;
    if output.verbose {
        report.notifications.iter().for_each(|n| print::note(n));
        let table = inexact::render(inexact);
        if !table.is_empty() {
            print::status(table.trim_end());
        }
    }
    if let Some((costs, loaded, analysis)) = costs.filter(|_| output.format != cli::Format::Json) {
        let table = table::render(&report.functions);
        let counts = stats::render_analysis(&report.totals, &analysis.statistics);
        let level2 = match how.precision {
            0 => String::new(),
            _ => stats::render_level2(&analysis.tally) + &stats::render_sure(&analysis.sure),
        };
        let costs = stats::render(&costs, loaded);
        print::status(format!("{table}\n{counts}{level2}{costs}").trim_end());
    }
    Ok(())
}

/// What became of all checks, and how long it took.
pub fn closing_line(checked: &Checked, start: Instant) -> String {
    let seconds = start.elapsed().as_secs_f64();
    report::closing_line(
        &checked.answer.report.totals,
        seconds,
        checked.clang_seconds,
    )
}

/// Analyses a program. `shown` says which checks that are not reported are named in the analysis;
/// everything else is the same for all.
pub fn analysed(
    mut loaded: Loaded,
    selection: Selection,
    level2: Option<Level2>,
    how: &cli::Analysis,
    shown: Shown,
    memory: &mut Memory,
) -> (Loaded, Analysis) {
    loaded.instrument(selection, &how.noreturn);
    let analysis = analysed_again(&mut loaded, selection, level2, how, shown, memory);
    (loaded, analysis)
}

/// The same, of a program that has its checks.
pub fn analysed_again(
    loaded: &mut Loaded,
    selection: Selection,
    level2: Option<Level2>,
    how: &cli::Analysis,
    shown: Shown,
    memory: &mut Memory,
) -> Analysis {
    let lines = ir::lines::forget(&mut loaded.program);
    let settings = Settings {
        level2,
        dual: solver::dual(how),
        latent: shown != Shown::default(),
        ..settings(&loaded.program, selection, how)
    };
    let analysis = analyze(loaded, &settings, memory);
    ir::lines::restore(&mut loaded.program, lines);
    for warning in analysis_warnings(&analysis) {
        print::warning(&warning);
    }
    solver::complain(&analysis.tally.troubles);
    analysis
}

fn analysis_warnings(analysis: &Analysis) -> impl Iterator<Item = String> {
    let names = analysis.unknown_names.iter();
    names.map(|name| format!("--noreturn {name}: there is no function of this name"))
}

fn shown(output: &cli::Output) -> Shown {
    Shown {
        latent: output.latent,
        undecided: output.verbose,
        refuted: output.verbose,
    }
}

/// What can be wrong with the wishes for the report, before any work is done.
pub fn possible(output: &cli::Output, how: &cli::Analysis) -> Result<Selection, String> {
    print::can_report(output.out.as_deref())?;
    user_rules::install(&how.own)?;
    selection(output.rules.as_deref())
}

/// The words of the command line, without what must not change a byte of the report.
fn recorded_arguments() -> Vec<String> {
    let words = std::env::args_os().skip(1);
    let words = words.map(|word| word.to_string_lossy().into_owned());
    let mut kept = Vec::new();
    let mut skip = false;
    for word in words {
        let own = |name: &str| word.strip_prefix(name).is_some_and(|r| r.starts_with('='));
        let two = word == "--jobs" || word == "--cache";
        if std::mem::replace(&mut skip, two)
            || skip
            || word == "--fresh"
            || own("--jobs")
            || own("--cache")
        {
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

/// How level 1 works.
pub fn settings(program: &ir::Program, selection: Selection, how: &cli::Analysis) -> Settings {
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

fn analyze(loaded: &mut Loaded, settings: &Settings, memory: &mut Memory) -> Analysis {
    let start = Instant::now();
    let progress = Progress::new(std::io::stderr().is_terminal());
    progress.stage("analysing", loaded.program.bodies().count());
    let done = || progress.inc(1);
    let analysis = engine::reanalyze(&loaded.program, settings, memory, How::Backward, &done);
    progress.finish();
    loaded.times.analysis = start.elapsed();
    analysis
}

fn render(report: &Report, directory: &Path, output: &cli::Output) -> String {
    let mut style = match output.out {
        Some(_) => terminal::plain(output.color),
        None => terminal::style_with(&std::io::stdout(), output.color),
    };
    style.full_path = output.path == cli::Steps::Full;
    report::text::render(report, &Files::new(directory), style)
}
