//! What was measured before: `bench/gate.json`.
//!
//! Counts of real programs are the same on every machine. Instructions depend on the profile and on the compiler of rigel: they are kept for
//! each of them, and only compared with their own.

use super::Measured;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Names of what depends on the build begin so.
pub const INSTRUCTIONS: &str = "instructions ";

#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// By profile and compiler.
    instructions: BTreeMap<String, BTreeMap<String, u64>>,
    counts: BTreeMap<String, u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Not measured before.
    Unknown,
    Within(u64),
    Beyond(u64),
}

/// The profile and the compiler of the executables that are measured.
pub fn key() -> anyhow::Result<String> {
    let executable = std::env::current_exe()?;
    let profile = executable
        .parent()
        .and_then(Path::file_name)
        .context("this executable is in no folder")?;
    let compiler = Command::new("rustc").arg("--version").output();
    let compiler = compiler.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let version = compiler.unwrap_or_default();
    let version = version.split(' ').nth(1).unwrap_or("unknown");
    Ok(format!("{} rustc {version}", profile.to_string_lossy()))
}

pub fn difference(before: u64, now: u64) -> String {
    match before {
        0 if now == 0 => "0.00 %".to_string(),
        0 => "new".to_string(),
        before => format!("{:+.2} %", 100.0 * (now as f64 / before as f64 - 1.0)),
    }
}

impl Baseline {
    /// Empty if there is none.
    pub fn read(path: &Path) -> anyhow::Result<Baseline> {
        match std::fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text)
                .with_context(|| format!("{} is no baseline", path.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Baseline::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(std::fs::write(path, text)?)
    }

    /// Are there instructions of this build?
    pub fn knows(&self, key: &str) -> bool {
        self.instructions.contains_key(key)
    }

    pub fn judge(&self, key: &str, measured: &Measured) -> Verdict {
        let before = match measured.name.strip_prefix(INSTRUCTIONS) {
            Some(name) => self.instructions.get(key).and_then(|known| known.get(name)),
            None => self.counts.get(&measured.name),
        };
        let Some(before) = before.copied() else {
            return Verdict::Unknown;
        };
        let away = before.abs_diff(measured.value) as f64;
        if away <= before as f64 * measured.tolerance / 100.0 {
            Verdict::Within(before)
        } else {
            Verdict::Beyond(before)
        }
    }

    pub fn update(&mut self, key: &str, measured: &[Measured]) {
        for one in measured {
            match one.name.strip_prefix(INSTRUCTIONS) {
                Some(name) => {
                    let of = self.instructions.entry(key.to_string()).or_default();
                    of.insert(name.to_string(), one.value);
                }
                None => {
                    self.counts.insert(one.name.clone(), one.value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(name: &str, value: u64, tolerance: f64) -> Measured {
        Measured {
            name: name.to_string(),
            value,
            tolerance,
        }
    }

    #[test]
    fn instructions_are_compared_with_those_of_the_same_build_only() {
        let mut baseline = Baseline::default();
        let all = [
            measured("instructions check a", 1000, 3.0),
            measured("zlib states", 10, 0.0),
        ];
        baseline.update("fast rustc 1", &all);
        let judge = |key: &str, name: &str, value| baseline.judge(key, &measured(name, value, 3.0));
        assert_eq!(
            judge("fast rustc 1", "instructions check a", 1030),
            Verdict::Within(1000)
        );
        assert_eq!(
            judge("fast rustc 1", "instructions check a", 1031),
            Verdict::Beyond(1000)
        );
        assert_eq!(
            judge("fast rustc 1", "instructions check a", 960),
            Verdict::Beyond(1000)
        );
        assert_eq!(
            judge("fast rustc 2", "instructions check a", 9999),
            Verdict::Unknown
        );
        assert_eq!(
            judge("fast rustc 2", "zlib states", 10),
            Verdict::Within(10)
        );
        assert_eq!(
            baseline.judge("x", &measured("zlib states", 11, 0.0)),
            Verdict::Beyond(10)
        );
        assert!(baseline.knows("fast rustc 1") && !baseline.knows("fast rustc 2"));
    }

    #[test]
    fn it_is_read_as_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gate.json");
        assert_eq!(Baseline::read(&path).unwrap(), Baseline::default());
        let mut baseline = Baseline::default();
        baseline.update(
            "k",
            &[measured("instructions a", 1, 1.0), measured("b", 2, 1.0)],
        );
        baseline.write(&path).unwrap();
        assert_eq!(Baseline::read(&path).unwrap(), baseline);
        std::fs::write(&path, "no").unwrap();
        assert!(Baseline::read(&path).is_err());
    }

    #[test]
    fn differences_are_shares() {
        assert_eq!(difference(200, 201), "+0.50 %");
        assert_eq!(
            (difference(0, 0).as_str(), difference(0, 3).as_str()),
            ("0.00 %", "new")
        );
    }
}
