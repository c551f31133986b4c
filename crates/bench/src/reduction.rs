//! `bench reduction`: how often one infeasible path says something about others, and what that costs.
//!
//! Path reduction (Fehnker, Huuck and Seefried) begins where level 2 refutes a path: the conflict becomes an observer, and the search goes
//! on with it. Each program is checked as a user would; the statistics say how many rounds that took, who made the observers,
//! and how it ended.

use crate::checked::{check, rigel};
use crate::out::{Out, Report};
use crate::spread::Spread;
use crate::table::Table;
use crate::{cold_cost, cpu, programs};
use serde_json::{Value, json};
use std::collections::BTreeMap;

pub fn run(out: &Out, names: &[String], repeat: usize, jobs: usize) -> anyhow::Result<()> {
    let rigel = rigel()?;
    let mut report = Report::new("reduction");
    let mut table = Table::new(&[
        "program",
        "paths",
        "infeasible",
        "errors refined",
        "of one round",
        "most rounds",
        "ends",
        "observers of intervals",
        "of cores",
        "refining",
        "check over clang",
    ]);
    for name in names {
        let directory = programs::locate(name)?;
        let tasks = programs::tasks(name)?;
        let mut said = Value::Null;
        let mut ratios = Vec::new();
        for _ in 0..repeat.max(1) {
            let clang = cold_cost::compile(&tasks, jobs)?;
            let before = cpu::of_children()?;
            let threads = jobs.to_string();
            let args = ["--stats", "--format", "json", "--jobs", &threads];
            said = serde_json::from_slice(&check(&rigel, &directory, &args)?)?;
            ratios.push((cpu::of_children()? - before) / clang.max(0.01));
        }
        let level2 = &said["stats"]["level2"];
        let number = |key: &str| level2[key].as_u64().unwrap_or(0);
        let refined = Refined::of(&level2["refined"]);
        let ratio = Spread::of(ratios);
        table.row([
            name.clone(),
            number("paths").to_string(),
            number("infeasible").to_string(),
            refined.errors().to_string(),
            refined.of_one_round().to_string(),
            refined.most().to_string(),
            refined.ends(),
            number("observers_of_intervals").to_string(),
            number("observers_of_cores").to_string(),
            format!("{:.2} s", number("refining_us") as f64 / 1e6),
            ratio.map_or(String::new(), |ratio| ratio.to_string()),
        ]);
        report.data(
            name,
            json!({ "level2": level2, "ratio": ratio.map(|r| r.json()) }),
        );
    }
    report.words("Path reduction: errors whose first path no run can take, and what their conflicts said of the others.");
    report.table(table);
    report.words(
        "errors refined: checks with an infeasible path, for which the search went on; ends: what became of them; refining: \
         wall-clock, all threads together. The paper's five programs are tests (docs/papers.md).",
    );
    out.write(&report)
}

/// How refinement ended, in how many rounds, of how many checks.
struct Refined {
    groups: Vec<(String, u64, u64)>,
}

impl Refined {
    fn of(list: &Value) -> Refined {
        let groups = list.as_array().into_iter().flatten().map(|group| {
            let end = group["end"].as_str().unwrap_or("?").to_string();
            let number = |key: &str| group[key].as_u64().unwrap_or(0);
            (end, number("rounds"), number("checks"))
        });
        Refined {
            groups: groups.collect(),
        }
    }

    fn errors(&self) -> u64 {
        self.groups.iter().map(|(.., checks)| checks).sum()
    }

    fn of_one_round(&self) -> u64 {
        let one = self.groups.iter().filter(|(_, rounds, _)| *rounds <= 1);
        one.map(|(.., checks)| checks).sum()
    }

    fn most(&self) -> u64 {
        self.groups
            .iter()
            .map(|(_, rounds, _)| *rounds)
            .max()
            .unwrap_or(0)
    }

    fn ends(&self) -> String {
        let mut ends: BTreeMap<&str, u64> = BTreeMap::new();
        for (end, _, checks) in &self.groups {
            *ends.entry(end).or_default() += checks;
        }
        let words = ends
            .into_iter()
            .map(|(end, checks)| format!("{checks} {end}"));
        words.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_summed_up() {
        let refined = Refined::of(&json!([
            { "end": "refuted", "rounds": 1, "checks": 11 },
            { "end": "refuted", "rounds": 4, "checks": 2 },
            { "end": "feasible", "rounds": 2, "checks": 3 },
        ]));
        assert_eq!(
            (refined.errors(), refined.of_one_round(), refined.most()),
            (16, 11, 4)
        );
        assert_eq!(refined.ends(), "3 feasible, 13 refuted");
        assert_eq!(Refined::of(&Value::Null).errors(), 0);
    }
}
