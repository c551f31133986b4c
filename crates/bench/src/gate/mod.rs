//! `bench gate`: has rigel become more expensive, or does it say something else?
//!
//! Seconds differ from run to run; what is compared here does not. *Instructions* of fixed small inputs, counted under callgrind
//! ([`instructions`]): of the process of rigel alone, for clang is not ours. *Counts* of two real programs: states of level 1, paths and solver calls of level 2,
//! and what became of the checks ([`counts`]). Both are held against `bench/gate.json`; what is beyond the tolerance is named, and the bench fails. A
//! change that is meant is written down with `--update`, and reviewed like any other.

mod baseline;
mod counts;
mod instructions;

use crate::out::{Out, Report};
use crate::table::Table;
use anyhow::{Context, bail};
use baseline::{Baseline, Verdict};
use serde_json::json;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Wishes {
    /// Only the instructions of small inputs: no real program is needed
    #[arg(long)]
    quick: bool,
    /// The real programs
    #[arg(long, value_delimiter = ',', default_values_t = ["zlib", "lua"].map(String::from))]
    programs: Vec<String>,
    /// Write what is measured as the new baseline
    #[arg(long)]
    update: bool,
    /// The baseline
    #[arg(long)]
    baseline: Option<PathBuf>,
}

/// What was measured: under a name, a number.
pub struct Measured {
    /// `instructions check quickstart`, `zlib states`.
    pub name: String,
    pub value: u64,
    /// How much more or less is no difference, in percent.
    pub tolerance: f64,
}

pub fn run(out: &Out, wishes: &Wishes) -> anyhow::Result<()> {
    let path = wishes
        .baseline
        .clone()
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../bench/gate.json"));
    let mut before = Baseline::read(&path)?;
    let mut report = Report::new("gate");
    let mut measured = match instructions::measure() {
        Ok(measured) => measured,
        Err(error) => {
            // A container may forbid what valgrind needs. Then there is no gate, and nobody may think that there was one.
            let words = format!("NOT MEASURED: instructions: {error:#}");
            eprintln!("bench: {words}");
            report.words(words);
            Vec::new()
        }
    };
    for name in wishes.programs.iter().filter(|_| !wishes.quick) {
        measured.extend(counts::measure(name)?);
    }
    if measured.is_empty() {
        return out.write(&report);
    }
    let key = baseline::key()?;
    let mut table = Table::new(&["what", "baseline", "now", "difference", "tolerance", ""]);
    let mut beyond = Vec::new();
    for one in &measured {
        let verdict = before.judge(&key, one);
        if let Verdict::Beyond(_) = verdict {
            beyond.push(one.name.clone());
        }
        table.row(row(one, &verdict));
    }
    report.words(format!(
        "Held against {}, of {key}.",
        path.file_name().unwrap_or_default().to_string_lossy()
    ));
    report.table(table);
    if !before.knows(&key) {
        let words = format!(
            "NOT COMPARED: the baseline has nothing of {key}; instructions depend on the profile and the compiler. \
             `./x bench gate --update` writes it."
        );
        eprintln!("bench: {words}");
        report.words(words);
    }
    for one in &measured {
        report.data(&one.name, json!(one.value));
    }
    out.write(&report)?;
    if wishes.update {
        before.update(&key, &measured);
        before
            .write(&path)
            .with_context(|| format!("cannot write {}", path.display()))?;
        eprintln!("bench: {} is written", path.display());
        return Ok(());
    }
    match beyond.as_slice() {
        [] => Ok(()),
        beyond => bail!(
            "beyond the tolerance: {}. If that is meant: ./x bench gate --update, and say why in the commit",
            beyond.join(", ")
        ),
    }
}

fn row(measured: &Measured, verdict: &Verdict) -> [String; 6] {
    let (before, difference, word) = match verdict {
        Verdict::Unknown => (String::new(), String::new(), "new"),
        Verdict::Within(before) => (
            before.to_string(),
            baseline::difference(*before, measured.value),
            "same",
        ),
        Verdict::Beyond(before) => (
            before.to_string(),
            baseline::difference(*before, measured.value),
            "DIFFERENT",
        ),
    };
    [
        measured.name.clone(),
        before,
        measured.value.to_string(),
        difference,
        format!("{} %", measured.tolerance),
        word.to_string(),
    ]
}
