//! `bench search`: what the algorithms of level 1 cost on real programs.
//!
//! Every function of a program is searched by each algorithm, with the same automata; the plain
//! search is cut off at a budget of states per function, which the table says.

use crate::programs;
use crate::table::Table;
use engine::{Analysis, Settings, analyze};
use front::pool;
use ir::{CheckId, FuncId, Program, Stmt};
use search::Algorithm;
use std::time::Instant;

struct Mode {
    name: &'static str,
    algorithm: Algorithm,
    aggregate: bool,
}

const MODES: [Mode; 4] = [
    Mode {
        name: "plain",
        algorithm: Algorithm::Plain,
        aggregate: false,
    },
    Mode {
        name: "covering",
        algorithm: Algorithm::Covering,
        aggregate: false,
    },
    Mode {
        name: "differencing",
        algorithm: Algorithm::Differencing,
        aggregate: false,
    },
    Mode {
        name: "aggregation",
        algorithm: Algorithm::Covering,
        aggregate: true,
    },
];

pub fn run(names: &[String], budget: usize, only: Option<&str>, list: bool) -> anyhow::Result<()> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let mut table = Table::new(&[
        "program", "search", "seconds", "states", "black", "red", "merges", "differences", "edges run", "cut off", "proved", "latent", "refuted",
        "reported", "undecided", "defects",
    ]);
    for name in names {
        let program = load(name)?;
        let shown: Vec<ir::Symbol> = rules::all()
            .iter()
            .filter(|r| r.meta().shown_by_default)
            .filter_map(|r| program.symbols.get(r.meta().id))
            .collect();
        for mode in &MODES {
            if only.is_some_and(|o| !o.split(',').any(|m| m == mode.name)) {
                continue;
            }
            let settings = Settings {
                algorithm: mode.algorithm,
                aggregate: mode.aggregate,
                max_states: if mode.aggregate { Settings::default().max_states } else { budget },
                rules: Some(shown.clone()),
                ..Settings::default()
            };
            let start = Instant::now();
            let analysis = analyze(&program, &settings, &|| {});
            let seconds = start.elapsed().as_secs_f64();
            if list {
                print_errors(&program, &analysis);
            }
            let s = analysis.statistics;
            let c = analysis.counts;
            table.row([
                name.clone(),
                mode.name.to_string(),
                format!("{seconds:.2}"),
                s.grey.to_string(),
                s.black.to_string(),
                s.red.to_string(),
                s.merges.to_string(),
                s.differences.to_string(),
                analysis.steps.to_string(),
                format!("{} of {}", analysis.exhausted.len(), analysis.by_function.len()),
                c.proved.to_string(),
                c.latent.to_string(),
                c.refuted.to_string(),
                c.reported.to_string(),
                c.undecided.to_string(),
                analysis.defects.len().to_string(),
            ]);
        }
    }
    print!("{table}");
    Ok(())
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
    rules::instrument(&mut program, rules::Selection::default());
    Ok(program)
}

fn print_errors(program: &Program, analysis: &Analysis) {
    for error in &analysis.errors {
        println!("{}", describe(program, error.function, error.check, error.path.len()));
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
