//! Tasks of SV-COMP: `rigel verify` on each, and the points that the competition would give.
//!
//! A wrong TRUE is a proof of what is not so, a wrong FALSE a run that cannot be: both are errors of rigel, and listed one by one.

use super::cases::{Sample, Task, folder};
use super::results::{Results, UnitResult};
use super::source::{Kind, blanks, pieces};
use crate::process;
use crate::table::Table;
use anyhow::Context;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Right and wrong answers of a group of tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Points {
    pub tasks: usize,
    pub right_true: usize,
    pub right_false: usize,
    pub wrong_true: usize,
    pub wrong_false: usize,
    pub unknown: usize,
}

impl Points {
    fn add(&mut self, expected: &str, verdict: &str) {
        self.tasks += 1;
        *match (expected, verdict) {
            ("true", "true") => &mut self.right_true,
            ("false", "false") => &mut self.right_false,
            ("false", "true") => &mut self.wrong_true,
            ("true", "false") => &mut self.wrong_false,
            _ => &mut self.unknown,
        } += 1;
    }

    pub fn decided(&self) -> usize {
        self.tasks - self.unknown
    }

    fn sum(&self) -> i64 {
        let signed = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        2 * signed(self.right_true) + signed(self.right_false)
            - 32 * signed(self.wrong_true)
            - 16 * signed(self.wrong_false)
    }

    fn json(&self) -> Value {
        json!({
            "n": self.tasks, "right true": self.right_true, "right false": self.right_false, "WRONG true": self.wrong_true,
            "WRONG false": self.wrong_false, "unknown": self.unknown, "points": self.sum(),
        })
    }
}

pub fn run(
    rigel: &Path,
    tasks: &[Task],
    root: &Path,
    cap: Duration,
    jobs: usize,
) -> anyhow::Result<Results> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.max(1))
        .build()?;
    let one = |task: &Task| one(rigel, task, root, cap);
    let units: anyhow::Result<Vec<UnitResult>> =
        pool.install(|| tasks.par_iter().map(one).collect());
    let line = "rigel verify --property {property} --data-model {model} {files}";
    Ok(Results::new("rigel".to_string(), line.to_string(), units?))
}

fn one(rigel: &Path, task: &Task, root: &Path, cap: Duration) -> anyhow::Result<UnitResult> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut command = Command::new(rigel);
    command.args([
        "verify",
        "--property",
        &task.property,
        "--data-model",
        &task.model,
    ]);
    let mut include = Vec::new();
    for (number, file) in task.files.iter().enumerate() {
        command.arg(disguised(&root.join(file), scratch.path(), number)?);
        include.push(format!("-I{}", root.join(folder(file)).display()));
    }
    command.arg("--").args(include);
    command
        .env("RIGEL_CACHE", "none")
        .current_dir(scratch.path());
    let ended = process::run(&mut command, Some(cap))?;
    let verdict = match ended.capped {
        true => "unknown".to_string(),
        false => last_verdict(&ended.stdout),
    };
    // 3 is UNKNOWN; what is none of these has no verdict, and says why.
    let failed = !ended.capped && !matches!(ended.code, Some(0 | 1 | 3));
    Ok(UnitResult {
        unit: task.id.clone(),
        wall: ended.cost.wall,
        cpu: ended.cost.cpu,
        rc: vec![if ended.capped {
            Value::from("timeout")
        } else {
            Value::from(ended.code)
        }],
        notes: failed
            .then(|| ended.stderr.trim().to_string())
            .into_iter()
            .collect(),
        verdict: Some(verdict),
        ..UnitResult::default()
    })
}

/// The program without comments, and with a name that says nothing.
fn disguised(file: &Path, scratch: &Path, number: usize) -> anyhow::Result<PathBuf> {
    let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let pieces = pieces(&text).into_iter().map(|(kind, piece)| match kind {
        Kind::Comment => blanks(piece),
        _ => piece.to_string(),
    });
    let extension = file
        .extension()
        .map_or("c".into(), |extension| extension.to_string_lossy());
    let copy = scratch.join(format!("task{number}.{extension}"));
    std::fs::write(&copy, pieces.collect::<String>())
        .with_context(|| format!("cannot write {}", copy.display()))?;
    Ok(copy)
}

/// The last word of the output, as a verdict.
fn last_verdict(output: &str) -> String {
    match output.split_whitespace().next_back() {
        Some(word @ ("TRUE" | "FALSE")) => word.to_lowercase(),
        _ => "unknown".to_string(),
    }
}

/// What became of the tasks: by set and by property, and all of them.
pub struct Score {
    groups: BTreeMap<(u8, String), Points>,
    /// Ids of tasks with a wrong answer, and the answer.
    wrong: Vec<(String, String)>,
}

pub fn score(tasks: &[Task], results: &Results) -> Score {
    let mut groups: BTreeMap<(u8, String), Points> = BTreeMap::new();
    let mut wrong = Vec::new();
    for task in tasks {
        let verdict = results
            .unit(&task.id)
            .and_then(|unit| unit.verdict.as_deref());
        let verdict = verdict.unwrap_or("unknown");
        let keys = [
            (0, task.set.clone()),
            (1, task.property.clone()),
            (2, "ALL".to_string()),
        ];
        for key in keys {
            groups.entry(key).or_default().add(&task.expected, verdict);
        }
        if verdict != "unknown" && verdict != task.expected {
            wrong.push((task.id.clone(), verdict.to_uppercase()));
        }
    }
    Score { groups, wrong }
}

impl Score {
    pub fn all(&self) -> Points {
        self.groups
            .get(&(2, "ALL".to_string()))
            .copied()
            .unwrap_or_default()
    }

    pub fn wrong(&self) -> &[(String, String)] {
        &self.wrong
    }

    pub fn table(&self) -> Table {
        let mut table = Table::new(&[
            "group",
            "tasks",
            "right TRUE",
            "right FALSE",
            "WRONG TRUE",
            "WRONG FALSE",
            "unknown",
            "decided",
            "points",
        ]);
        for ((_, name), points) in &self.groups {
            let decided = 100.0 * points.decided() as f64 / points.tasks.max(1) as f64;
            table.row([
                name.clone(),
                points.tasks.to_string(),
                points.right_true.to_string(),
                points.right_false.to_string(),
                points.wrong_true.to_string(),
                points.wrong_false.to_string(),
                points.unknown.to_string(),
                format!("{decided:.0} %"),
                points.sum().to_string(),
            ]);
        }
        table
    }

    pub fn json(&self) -> Value {
        let groups = self
            .groups
            .iter()
            .map(|((_, name), points)| (name.clone(), points.json()));
        json!({ "groups": groups.collect::<serde_json::Map<_, _>>(), "wrong": self.wrong })
    }
}

/// The tasks of a sample of SV-COMP.
pub fn tasks(sample: &Sample) -> Option<&[Task]> {
    match sample {
        Sample::Svcomp(tasks) => Some(tasks),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_those_of_the_competition() {
        let task = |id: &str, expected: &str| Task {
            id: id.to_string(),
            set: "loops".to_string(),
            property: "termination".to_string(),
            expected: expected.to_string(),
            files: Vec::new(),
            model: "LP64".to_string(),
        };
        let tasks = [
            task("a", "true"),
            task("b", "false"),
            task("c", "true"),
            task("d", "false"),
            task("e", "true"),
        ];
        let unit = |id: &str, verdict: &str| UnitResult {
            unit: id.to_string(),
            verdict: Some(verdict.to_string()),
            ..UnitResult::default()
        };
        let units = vec![
            unit("a", "true"),
            unit("b", "false"),
            unit("c", "false"),
            unit("d", "true"),
        ];
        let score = score(
            &tasks,
            &Results::new("rigel".to_string(), String::new(), units),
        );
        let all = score.all();
        assert_eq!(
            (all.tasks, all.unknown, all.decided(), all.sum()),
            (5, 1, 4, 2 + 1 - 16 - 32)
        );
        let wrong: Vec<&str> = score.wrong().iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(wrong, ["c", "d"]);
        assert_eq!(score.json()["groups"]["loops"]["WRONG true"], 1);
    }

    #[test]
    fn the_verdict_is_the_last_word() {
        assert_eq!(last_verdict("a.c:1: TRUE is far\nUNKNOWN\n"), "unknown");
        assert_eq!(last_verdict("inputs: 0\nFALSE\n"), "false");
        assert_eq!(last_verdict(""), "unknown");
    }
}
