//! What a check of a real program counts: the same on every machine, with any number of threads.

use super::Measured;
use crate::checked::{check, rigel};
use crate::programs;
use serde_json::Value;

/// Work may change a little with a change that is right; in percent.
const WORK: f64 = 2.0;

/// What became of the checks may not, without being said.
const RESULT: f64 = 0.0;

/// Where a number is in the report, and what it is called.
const COUNTS: [(&str, &str, f64); 10] = [
    ("checks", "/summary/checks", RESULT),
    ("proved", "/summary/proved", WORK),
    ("latent", "/summary/latent", WORK),
    ("refuted", "/summary/refuted", RESULT),
    ("undecided", "/summary/undecided", RESULT),
    ("reported", "/summary/reported", RESULT),
    ("out of budget", "/summary/budget_exhausted", RESULT),
    ("states", "/stats/search/grey", WORK),
    ("paths", "/stats/level2/paths", WORK),
    ("solver calls", "/stats/level2/solver_asked", WORK),
];

pub fn measure(name: &str) -> anyhow::Result<Vec<Measured>> {
    let directory = programs::locate(name)?;
    let said = check(&rigel()?, &directory, &["--stats", "--format", "json"])?;
    Ok(of(
        &format!("{name}{}", version(&directory)),
        &serde_json::from_slice(&said)?,
    ))
}

/// The package's version, where it is known: of another version other counts are right.
fn version(directory: &std::path::Path) -> String {
    let known = std::fs::read_to_string(directory.join(".version")).unwrap_or_default();
    known
        .split_whitespace()
        .nth(1)
        .map_or(String::new(), |version| format!(" {version}"))
}

fn of(name: &str, said: &Value) -> Vec<Measured> {
    let counts = COUNTS.iter().filter_map(|(what, at, tolerance)| {
        Some(Measured {
            name: format!("{name}: {what}"),
            value: said.pointer(at)?.as_u64()?,
            tolerance: *tolerance,
        })
    });
    counts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn counts_are_found_in_the_report() {
        let said = json!({ "summary": { "checks": 7 }, "stats": { "level2": { "paths": 3 } } });
        let all = of("zlib 1", &said);
        let names: Vec<(&str, u64)> = all
            .iter()
            .map(|one| (one.name.as_str(), one.value))
            .collect();
        assert_eq!(names, [("zlib 1: checks", 7), ("zlib 1: paths", 3)]);
    }
}
