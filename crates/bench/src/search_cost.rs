//! `bench search`: what the algorithms of level 1 cost on real programs.
//!
//! Every function is searched by each algorithm, with the same automata, rules and budget of states
//! per function. A search that is cut off at the budget has done as much as any other that is,
//! and says nothing about the algorithm: so the functions that even the covering search does not
//! finish are left out first, for all. The plain search does not finish all of the others either;
//! its time is then that of a part of its work, and "faster" is too small.

use crate::table::Table;
use crate::{cpu, programs};
use engine::{Analysis, Settings, analyze};
use front::pool;
use ir::{CheckId, FuncId, Program, Stmt};
use search::Algorithm;

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

pub fn run(names: &[String], budget: usize, only: Option<&str>, list: bool) -> anyhow::Result<()> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()?;
    let mut table = Table::new(&[
        "program", "search", "seconds", "faster", "states", "red", "merges", "diffs", "edges",
        "cut off", "reported",
    ]);
    let mut notes = Vec::new();
    for name in names {
        let mut program = load(name)?;
        let all = program.bodies().count();
        let (whole, seconds) = timed(&program, &AGGREGATION, budget)?;
        if list {
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
        let mut plain = None;
        for mode in MODES {
            if only.is_some_and(|o| !o.split(',').any(|m| m == mode.name)) {
                continue;
            }
            let (analysis, seconds) = timed(&program, mode, budget)?;
            if mode.name == PLAIN.name {
                plain = Some((seconds, !analysis.exhausted.is_empty()));
            }
            table.row(row(name, mode, &analysis, seconds, plain));
            let defects = analysis.defects.len();
            if defects > 0 {
                notes.push(format!(
                    "{name}, {}: rigel failed in {defects} functions",
                    mode.name
                ));
            }
        }
    }
    println!("Searches of level 1: CPU seconds, at most {budget} states per function.");
    println!("Left out: functions that the covering search does not finish within that.");
    print!("{table}");
    notes.iter().for_each(|note| println!("{note}"));
    println!(
        "faster: than plain (>: at least, plain was cut off); covering has to be {TARGET} times faster."
    );
    Ok(())
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

/// `plain`: the plain search's seconds, and whether it was cut off anywhere.
fn row(
    name: &str,
    mode: &Mode,
    analysis: &Analysis,
    seconds: f64,
    plain: Option<(f64, bool)>,
) -> [String; 11] {
    let faster = match plain {
        Some((plain, cut_off)) if mode.name != PLAIN.name => {
            let sign = if cut_off { ">" } else { "" };
            format!("{sign}{:.1}x", plain / seconds.max(0.01))
        }
        _ => String::new(),
    };
    let s = analysis.statistics;
    [
        name.to_string(),
        mode.name.to_string(),
        format!("{seconds:.2}"),
        faster,
        s.grey.to_string(),
        s.red.to_string(),
        s.merges.to_string(),
        s.differences.to_string(),
        analysis.steps.to_string(),
        analysis.exhausted.len().to_string(),
        analysis.counts.reported.to_string(),
    ]
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
