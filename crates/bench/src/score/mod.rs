//! `bench score CORPUS`: rigel and others on cases with known answers.
//!
//! The corpus is a folder in one of the layouts that [`layout`] knows; nothing of it is in this repository. Each tool is given the
//! cases one by one, as a copy without comments and telling names ([`disguise`]); what it reports is read ([`crate::findings`]), sorted into kinds
//! ([`kinds`]) and judged ([`judge`]). What every tool said stays as `score-NAME-TOOL.jsonl`, and can be scored again
//! without running it (`--results`).

mod cases;
mod disguise;
mod fold;
mod judge;
mod kinds;
mod layout;
mod results;
mod run;
mod source;
mod tasks;
#[cfg(test)]
mod tests;
mod verify;

pub use run::reports;

use crate::checked;
use crate::out::{Out, Report};
use crate::table::Table;
use crate::tools::{self, Tool};
use anyhow::{Context, bail, ensure};
use cases::Sample;
use clap::Args;
use fold::{By, Counts};
use kinds::Kinds;
use layout::Set;
use results::Results;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Args)]
pub struct Wishes {
    /// The folder of the corpus: Juliet, ITC, Verisec, or tasks of SV-COMP
    corpus: PathBuf,
    /// The cases, as a JSON file; all of them if it is not given
    #[arg(long)]
    sample: Option<PathBuf>,
    /// Of all cases, so many of each weakness, sub-type, program or set, evenly
    #[arg(long)]
    limit: Option<usize>,
    /// Juliet: cases in one file, or over several
    #[arg(long, value_enum, default_value = "a", ignore_case = true)]
    set: Set,
    /// Which tools: compile (the unit of time), rigel, clang, gcc, cppcheck
    #[arg(long, value_delimiter = ',', default_values_t = ["compile", "rigel", "clang", "gcc", "cppcheck"].map(String::from))]
    tools: Vec<String>,
    /// Score what was said before, instead of running tools
    #[arg(long, value_delimiter = ',')]
    results: Vec<PathBuf>,
    /// What the table's rows are
    #[arg(long, value_enum, default_value = "family")]
    by: By,
    /// Seconds for each call
    #[arg(long, default_value_t = 60)]
    cap: u64,
    /// Calls at the same time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Files that a whole-program tool is given besides
    #[arg(long, value_delimiter = ',', default_values_t = ["testcasesupport/io.c".to_string()])]
    support: Vec<String>,
    /// Give the files as they are, with comments and names
    #[arg(long)]
    plain: bool,
    /// List the cases that are missed, or wrongly reported
    #[arg(long, value_enum)]
    show: Option<Show>,
    /// Name of the result [default: the corpus, and the set]
    #[arg(long)]
    name: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Show {
    Missed,
    Wrong,
}

pub fn run(out: &Out, wishes: &Wishes) -> anyhow::Result<()> {
    let kinds = Kinds::load()?;
    let root = corpus(&wishes.corpus)?;
    let mut sample = match &wishes.sample {
        Some(path) => Sample::read(path)?,
        None => layout::find(&root, wishes.set, &kinds)?,
    };
    if let Some(limit) = wishes.limit {
        sample.limit(limit);
    }
    ensure!(
        sample.len() > 0,
        "{} has no case that can be scored",
        root.display()
    );
    let set = match (&sample, wishes.set) {
        (Sample::Juliet(_), Set::A) => "-A",
        (Sample::Juliet(_), Set::B) => "-B",
        _ => "",
    };
    let name = wishes
        .name
        .clone()
        .unwrap_or_else(|| format!("{}{set}", sample.kind()));
    if wishes.sample.is_none() {
        // For whoever wants to judge the same cases again, with this or with the reference scorer.
        let file = out.file(&format!("score-{name}.sample.json"))?;
        std::fs::write(&file, sample.json().to_string())
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    let report = match verify::tasks(&sample) {
        Some(tasks) => verified(out, wishes, &root, &name, tasks)?,
        None => scored(out, wishes, &root, &name, &sample, &kinds)?,
    };
    out.write(&report)
}

/// SV-COMP's programs are in `c` of its repository.
fn corpus(folder: &Path) -> anyhow::Result<PathBuf> {
    let root = folder
        .canonicalize()
        .with_context(|| format!("no corpus in {}", folder.display()))?;
    let programs = root.join("c");
    let is_svcomp =
        programs.is_dir() && !root.join("testcases").is_dir() && !root.join("programs").is_dir();
    Ok(if is_svcomp { programs } else { root })
}

/// Kept beside the report.
fn keep(out: &Out, name: &str, results: &Results, disguised: bool) -> anyhow::Result<()> {
    let file = out.file(&format!("score-{name}-{}.jsonl", results.tool))?;
    results.write(&file, name, disguised)
}

fn verified(
    out: &Out,
    wishes: &Wishes,
    root: &Path,
    name: &str,
    tasks: &[cases::Task],
) -> anyhow::Result<Report> {
    let cap = Duration::from_secs(wishes.cap);
    let results = match wishes.results.as_slice() {
        [] => {
            let results = verify::run(&checked::rigel()?, tasks, root, cap, wishes.jobs)?;
            keep(out, name, &results, !wishes.plain)?;
            results
        }
        [one] => Results::read(one)?,
        _ => bail!("tasks of SV-COMP are scored for one tool at a time"),
    };
    let score = verify::score(tasks, &results);
    let all = score.all();
    let mut report = Report::new(format!("score-{name}"));
    report.words(format!(
        "{}: {} tasks of SV-COMP, as the competition scores them.",
        results.tool,
        tasks.len()
    ));
    report.table(score.table());
    report.words(format!(
        "Decided: {:.0} %. Wrong: {}. At most {} s for a task; {:.0} s of CPU.",
        100.0 * all.decided() as f64 / all.tasks.max(1) as f64,
        score.wrong().len(),
        wishes.cap,
        results.total(tasks.iter().map(|task| &task.id)).cpu
    ));
    for (id, verdict) in score.wrong() {
        report.words(format!("WRONG {verdict}: {id}"));
    }
    report.data(results.tool.clone(), score.json());
    Ok(report)
}

fn scored(
    out: &Out,
    wishes: &Wishes,
    root: &Path,
    name: &str,
    sample: &Sample,
    kinds: &Kinds,
) -> anyhow::Result<Report> {
    let mut all = Vec::new();
    for path in &wishes.results {
        all.push(Results::read(path)?);
    }
    let mut absent = Vec::new();
    if wishes.results.is_empty() {
        let copy = tempfile::tempdir().context("cannot make a temporary folder")?;
        let disguised = match wishes.plain {
            true => None,
            false => Some(disguise::disguise(sample, root, copy.path())?),
        };
        let units = disguised
            .as_ref()
            .map_or_else(|| sample.units(), |copy| copy.units.clone());
        let place = run::Place {
            root: if disguised.is_some() {
                copy.path()
            } else {
                root
            },
            disguised: disguised.as_ref(),
            support: &wishes.support,
            cap: Duration::from_secs(wishes.cap),
            jobs: wishes.jobs,
        };
        for tool in &wishes.tools {
            match tools::find(tool) {
                Ok(tool) => all.push(on(out, name, &tool, &units, &place)?),
                Err(error) => {
                    eprintln!("bench: ABSENT: {error:#}");
                    absent.push(format!("ABSENT: {error:#}"));
                }
            }
        }
    }
    ensure!(!all.is_empty(), "no tool was run");
    let mut report = Report::new(format!("score-{name}"));
    let mut judged = Vec::new();
    for results in &all {
        judged.push(judge::judge(sample, root, results, kinds));
    }
    let units: Vec<String> = sample.units().into_iter().map(|unit| unit.id).collect();
    report.words(format!(
        "{name}: {} cases. A cell is recall / precision / F1 in %; – is of nothing.",
        sample.len()
    ));
    report.table(by_group(wishes.by, &all, &judged));
    report.table(totals(&all, &judged, &units));
    absent.into_iter().for_each(|words| report.words(words));
    for (results, verdicts) in all.iter().zip(&judged) {
        report.data(
            results.tool.clone(),
            tool_json(results, verdicts, &units, wishes.by),
        );
        for verdict in verdicts {
            let listed = match wishes.show {
                Some(Show::Missed) => verdict.has_bad && !verdict.found,
                Some(Show::Wrong) => verdict.wrong,
                None => false,
            };
            if listed {
                println!("{}: {}", results.tool, verdict.id);
            }
        }
    }
    Ok(report)
}

fn on(
    out: &Out,
    name: &str,
    tool: &Tool,
    units: &[cases::Unit],
    place: &run::Place,
) -> anyhow::Result<Results> {
    eprintln!("bench: {name}: {} on {} units", tool.name, units.len());
    let results = run::run(tool, units, place)?;
    keep(out, name, &results, place.disguised.is_some())?;
    Ok(results)
}

/// One row a group, one column a tool.
fn by_group(by: By, all: &[Results], judged: &[Vec<judge::Verdict>]) -> Table {
    let shown: Vec<usize> = (0..all.len())
        .filter(|i| all[*i].tool != tools::COMPILE)
        .collect();
    let head: Vec<&str> = shown.iter().map(|i| all[*i].tool.as_str()).collect();
    let mut table = Table::new(&[&["group", "cases"][..], head.as_slice()].concat());
    let groups: Vec<BTreeMap<_, Counts>> = shown
        .iter()
        .map(|i| fold::groups(&judged[*i], by))
        .collect();
    let keys = groups
        .first()
        .map(|groups| groups.keys().cloned().collect::<Vec<_>>());
    for key in keys.unwrap_or_default() {
        let of: Vec<Counts> = groups
            .iter()
            .map(|g| g.get(&key).copied().unwrap_or_default())
            .collect();
        let cases = of.first().map_or(0, |counts| counts.cases);
        let cells = of.iter().map(Counts::cell);
        table.row([key.1.clone(), cases.to_string()].into_iter().chain(cells));
    }
    let whole: Vec<Counts> = shown.iter().map(|i| Counts::of(&judged[*i])).collect();
    let cases = whole.first().map_or(0, |counts| counts.cases);
    table.row(
        ["all".to_string(), cases.to_string()]
            .into_iter()
            .chain(whole.iter().map(Counts::cell)),
    );
    let means = groups
        .iter()
        .map(|groups| fold::percent(fold::macro_f1(groups.values())));
    table.row(
        ["mean F1 of groups".to_string(), String::new()]
            .into_iter()
            .chain(means),
    );
    table
}

/// One row a tool.
fn totals(all: &[Results], judged: &[Vec<judge::Verdict>], units: &[String]) -> Table {
    let mut table = Table::new(&[
        "tool",
        "found",
        "missed",
        "false",
        "silent",
        "where it is",
        "told apart",
        "other reports in good code",
        "CPU",
        "over compile",
        "capped",
        "with notes",
    ]);
    let compile = all.iter().find(|results| results.tool == tools::COMPILE);
    let compile = compile.map(|results| results.total(units).cpu);
    for (results, verdicts) in all.iter().zip(judged) {
        let counts = Counts::of(verdicts);
        let total = results.total(units);
        let ratio = compile
            .filter(|unit| *unit > 0.0)
            .map(|unit| format!("{:.2}", total.cpu / unit));
        table.row([
            results.tool.clone(),
            counts.found.to_string(),
            counts.missed.to_string(),
            counts.wrong.to_string(),
            counts.silent.to_string(),
            counts.near.to_string(),
            counts.told_apart.to_string(),
            counts.others.to_string(),
            format!("{:.1} s", total.cpu),
            ratio.unwrap_or_else(|| "–".to_string()),
            total.timeouts.to_string(),
            total.with_notes.to_string(),
        ]);
    }
    table
}

/// As the reference scorer prints it with `--format json`.
fn tool_json(results: &Results, verdicts: &[judge::Verdict], units: &[String], by: By) -> Value {
    let mut groups: Map<String, Value> = fold::groups(verdicts, by)
        .into_iter()
        .map(|((_, name), counts)| (name, counts.json()))
        .collect();
    groups.insert("ALL".to_string(), Counts::of(verdicts).json());
    let total = results.total(units);
    let time = json!([total.cpu, total.wall, total.timeouts, total.with_notes]);
    groups.insert("_time".to_string(), time);
    Value::Object(groups)
}
