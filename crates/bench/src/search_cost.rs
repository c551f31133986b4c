//! `bench search`: what the algorithms of level 1 cost on real programs.
//!
//! Every function is searched by each algorithm, with the same automata, rules and budget of states
//! per function. A search that is cut off at the budget has done as much as any other that is,
//! and says nothing about the algorithm: so the functions that even the covering search does not
//! finish are left out first, for all. The plain search does not finish all of the others either;
//! its time is then that of a part of its work, and "faster" is too small.

use crate::out::{Out, Report};
use crate::spread::Spread;
use crate::table::Table;
use crate::{cpu, programs};
use engine::{Analysis, Settings, analyze};
use front::pool;
use ir::{CheckId, FuncId, Program, Stmt};
use search::Algorithm;
use serde_json::json;

/// How much faster than the plain search covering has to be.
const TARGET: f64 = 3.0;

struct Mode {
    name: &'static str,
    algorithm: Algorithm,
    aggregate: bool,
}

const PLAIN: Mode = Mode {
    name: "plain",
    algorithm: Algorithm::Plain,
    aggregate: false,
};
const COVERING: Mode = Mode {
    name: "covering",
    algorithm: Algorithm::Covering,
    aggregate: false,
};
const DIFFERENCING: Mode = Mode {
    name: "differencing",
    algorithm: Algorithm::Differencing,
    aggregate: false,
};
const AGGREGATION: Mode = Mode {
    name: "aggregation",
    algorithm: Algorithm::Covering,
    aggregate: true,
};
const MODES: [&Mode; 4] = [&PLAIN, &COVERING, &DIFFERENCING, &AGGREGATION];

/// What the bench is asked for.
#[derive(clap::Args)]
pub struct Wishes {
    #[arg(default_values_t = ["sqlite3", "libxml2", "leveldb"].map(String::from))]
    programs: Vec<String>,
    /// States per function and search
    #[arg(long, default_value_t = 5000)]
    budget: usize,
    /// Only these: plain, covering, aggregation, differencing
    #[arg(long)]
    only: Option<String>,
    /// Rounds of all searches; the median counts
    #[arg(long, default_value_t = 3)]
    repeat: usize,
    /// List the errors that are found
    #[arg(long)]
    list: bool,
}

pub fn run(out: &Out, wishes: &Wishes) -> anyhow::Result<()> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()?;
    let budget = wishes.budget;
    let mut report = Report::new("search");
    let mut table = Table::new(&[
        "program", "search", "seconds", "faster", "states", "red", "merges", "diffs", "edges",
        "cut off", "reported",
    ]);
    let mut notes = Vec::new();
    for name in &wishes.programs {
        let mut program = load(name)?;
        let all = program.bodies().count();
        let (whole, seconds) = timed(&program, &AGGREGATION, budget)?;
        if wishes.list {
            print_errors(&program, &whole);
        }
        // Before anything is left out, so that the choice of functions can be judged.
        let (plain_whole, plain_seconds) = timed(&program, &PLAIN, budget)?;
        let (covering_whole, covering_seconds) = timed(&program, &COVERING, budget)?;
        let left_out = covering_whole.exhausted;
        for f in &left_out {
            program.functions[*f].body = None;
        }
        notes.push(format!(
            "{name}: {all} functions, {} left out. All of them: plain {plain_seconds:.2} s ({} cut off), \
             covering {covering_seconds:.2} s ({}), aggregation {seconds:.2} s ({}).",
            left_out.len(),
            plain_whole.exhausted.len(),
            left_out.len(),
            whole.exhausted.len(),
        ));
        let wanted = |mode: &&&Mode| {
            let only = wishes.only.as_deref();
            only.is_none_or(|only| only.split(',').any(|name| name == mode.name))
        };
        let modes: Vec<&Mode> = MODES.iter().filter(wanted).copied().collect();
        let rounds = rounds(&program, &modes, wishes)?;
        for (mode, (analysis, _)) in modes.iter().zip(rounds.first().into_iter().flatten()) {
            let defects = analysis.defects.len();
            if defects > 0 {
                notes.push(format!(
                    "{name}, {}: rigel failed in {defects} functions",
                    mode.name
                ));
            }
        }
        rows(&mut table, &mut report, name, &modes, &rounds);
    }
    report.words(format!(
        "Searches of level 1: CPU seconds, at most {budget} states per function. \
         Left out: functions that the covering search does not finish within that."
    ));
    report.table(table);
    notes.into_iter().for_each(|note| report.words(note));
    report.words(format!(
        "faster: than plain in the same round (>: at least, plain was cut off), median of {} rounds, and least and most; \
         covering has to be {TARGET} times faster.",
        wishes.repeat.max(1)
    ));
    out.write(&report)
}

/// Each round has all searches in turns, so that a busy minute is busy for all.
type Round = Vec<(Analysis, f64)>;

fn rounds(program: &Program, modes: &[&Mode], wishes: &Wishes) -> anyhow::Result<Vec<Round>> {
    let round = |_| -> anyhow::Result<Round> {
        let each = modes.iter();
        each.map(|mode| timed(program, mode, wishes.budget))
            .collect()
    };
    (0..wishes.repeat.max(1)).map(round).collect()
}

/// One row a search.
fn rows(table: &mut Table, report: &mut Report, name: &str, modes: &[&Mode], rounds: &[Round]) {
    let Some(first) = rounds.first() else {
        return;
    };
    let plain = modes.iter().position(|mode| mode.name == PLAIN.name);
    for (at, mode) in modes.iter().enumerate() {
        let (analysis, _) = &first[at];
        let seconds = Spread::of(rounds.iter().map(|round| round[at].1).collect());
        let Some(seconds) = seconds else { continue };
        let faster = plain.filter(|plain| *plain != at).and_then(|plain| {
            let ratio = |round: &Round| round[plain].1 / round[at].1.max(0.001);
            Spread::of(rounds.iter().map(ratio).collect())
        });
        let cut_off = plain.is_some_and(|plain| !first[plain].0.exhausted.is_empty());
        let sign = if cut_off { ">" } else { "" };
        let s = analysis.statistics;
        table.row([
            name.to_string(),
            mode.name.to_string(),
            format!("{:.2}", seconds.median),
            faster.map_or(String::new(), |faster| format!("{sign}{faster}")),
            s.grey.to_string(),
            s.red.to_string(),
            s.merges.to_string(),
            s.differences.to_string(),
            analysis.steps.to_string(),
            analysis.exhausted.len().to_string(),
            analysis.counts.reported.to_string(),
        ]);
        report.data(
            format!("{name} {}", mode.name),
            json!({ "seconds": seconds.json(), "faster": faster.map(|f| f.json()), "states": s.grey }),
        );
    }
}

/// An analysis for the rules that users get, and its seconds of CPU time.
fn timed(program: &Program, mode: &Mode, budget: usize) -> anyhow::Result<(Analysis, f64)> {
    let shown = rules::all()
        .iter()
        .filter(|r| r.meta().shown_by_default)
        .filter_map(|r| program.symbols.get(r.meta().id));
    let settings = Settings {
        algorithm: mode.algorithm,
        aggregate: mode.aggregate,
        max_states: budget,
        rules: Some(shown.collect()),
        ..Settings::default()
    };
    let start = cpu::own();
    let analysis = analyze(program, &settings, &|| {});
    Ok((analysis, cpu::own() - start))
}

/// The program with its checks.
pub fn load(name: &str) -> anyhow::Result<Program> {
    let executable = pool::executable().map_err(anyhow::Error::msg)?;
    let jobs = std::thread::available_parallelism().map_or(1, |n| n.get());
    let tasks = programs::tasks(name)?;
    let mut units = Vec::new();
    for answer in pool::lower_all(&executable, &tasks, jobs) {
        match answer {
            Ok(lowered) => units.push(lowered.program),
            Err(e) => eprintln!("{name}: {e:?}"),
        }
    }
    let (mut program, _) = ir::link(units);
    let shown = rules::Selection::default().checked();
    rules::instrument_asking(&mut program, shown, &engine::ByDual::default());
    Ok(program)
}

fn print_errors(program: &Program, analysis: &Analysis) {
    for error in &analysis.errors {
        println!(
            "{}",
            describe(program, error.function, error.own_check(), error.path.len())
        );
    }
    for (f, why) in &analysis.defects {
        println!("defect in {}: {why}", program.function_name(*f));
    }
}

fn describe(program: &Program, f: FuncId, check: CheckId, length: usize) -> String {
    let function = &program.functions[f];
    let Some(body) = &function.body else {
        return String::new();
    };
    let span = body
        .edges()
        .values()
        .find(|e| matches!(e.stmt, Stmt::Check(c) if c == check))
        .map_or(ir::Span::NONE, |e| e.span);
    let rule = program.name(body.checks[check].rule);
    format!(
        "{}:{}:{}: {rule} in {} ({length} edges)",
        program.file_path(span.file),
        span.line,
        span.column,
        program.name(function.display)
    )
}
