//! What a tool said of each unit, as a file of lines: the first line says who and how, each further one is a unit. The reference
//! scorer reads and writes the same.

use crate::findings::Finding;
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

pub struct Results {
    pub tool: String,
    /// How it was called.
    pub command: String,
    pub units: Vec<UnitResult>,
    number: BTreeMap<String, usize>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UnitResult {
    pub unit: String,
    pub wall: f64,
    pub cpu: f64,
    /// Of each call; `timeout` if it was ended at the limit.
    #[serde(default)]
    pub rc: Vec<Value>,
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// Why there may be less than there should be.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Of an SV-COMP task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
}

/// What all units together took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Total {
    pub cpu: f64,
    pub wall: f64,
    pub timeouts: usize,
    pub with_notes: usize,
}

impl Results {
    pub fn new(tool: String, command: String, units: Vec<UnitResult>) -> Results {
        let number = units
            .iter()
            .enumerate()
            .map(|(i, unit)| (unit.unit.clone(), i))
            .collect();
        Results {
            tool,
            command,
            units,
            number,
        }
    }

    pub fn read(path: &Path) -> anyhow::Result<Results> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        Results::parse(&text).with_context(|| format!("{} has no results", path.display()))
    }

    fn parse(text: &str) -> anyhow::Result<Results> {
        #[derive(Deserialize)]
        struct Head {
            tool: String,
            #[serde(default)]
            cmd: String,
        }
        let mut lines = text.lines();
        let Some(head) = lines.next() else {
            bail!("it is empty");
        };
        let head: Head = serde_json::from_str(head)?;
        let units = lines.map(serde_json::from_str).collect::<Result<_, _>>()?;
        Ok(Results::new(head.tool, head.cmd, units))
    }

    pub fn write(&self, path: &Path, sample: &str, obfuscated: bool) -> anyhow::Result<()> {
        let head = serde_json::json!({
            "tool": self.tool, "sample": sample, "cmd": self.command, "obfuscated": obfuscated,
        });
        let mut text = format!("{head}\n");
        for unit in &self.units {
            text.push_str(&serde_json::to_string(unit)?);
            text.push('\n');
        }
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    pub fn unit(&self, id: &str) -> Option<&UnitResult> {
        self.units.get(*self.number.get(id)?)
    }

    /// Of the units that are asked for.
    pub fn total(&self, units: impl IntoIterator<Item = impl AsRef<str>>) -> Total {
        let mut total = Total::default();
        for unit in units.into_iter().filter_map(|id| self.unit(id.as_ref())) {
            total.cpu += unit.cpu;
            total.wall += unit.wall;
            total.timeouts += unit
                .rc
                .iter()
                .filter(|rc| rc.as_str() == Some("timeout"))
                .count();
            total.with_notes += usize::from(!unit.notes.is_empty());
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_written_as_they_are_read() {
        let text = r#"{"tool": "gcc-12", "sample": "s.json", "cmd": "gcc {file}", "obfuscated": true}
{"unit": "u", "wall": 2.0, "cpu": 1.5, "rc": [0, "timeout"], "findings": [{"file": "a.c", "line": 3, "rule": "r", "msg": "m", "cwes": [476], "sev": "error"}], "notes": ["n"]}
{"unit": "v", "verdict": "true", "wall": 1.0, "cpu": 1.0}
"#;
        let results = Results::parse(text).unwrap();
        assert_eq!(results.unit("u").unwrap().findings[0].message, "m");
        assert_eq!(results.unit("v").unwrap().verdict.as_deref(), Some("true"));
        let total = results.total(["u", "v", "w"]);
        assert_eq!(
            (total.cpu, total.wall, total.timeouts, total.with_notes),
            (2.5, 3.0, 1, 1)
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        results.write(&path, "s.json", true).unwrap();
        assert_eq!(Results::read(&path).unwrap().units, results.units);
        assert!(Results::parse("").is_err());
    }
}
