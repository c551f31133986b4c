//! Instructions that rigel executes for fixed small inputs, under callgrind.
//!
//! The inputs are in the repository, and so small that each takes some seconds under valgrind. One thread, nothing kept: the number is
//! almost the same each time (addresses differ, and with them some comparisons).

use super::{Measured, baseline::INSTRUCTIONS};
use crate::checked;
use crate::process;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Beyond this, in percent, it is another program that runs.
const TOLERANCE: f64 = 10.0;

/// Longer than ever seen.
const CAP: Duration = Duration::from_secs(300);

struct Input {
    name: &'static str,
    arguments: &'static [&'static str],
    /// From the root of the repository.
    files: &'static [&'static str],
}

const INPUTS: [Input; 4] = [
    Input {
        name: "check quickstart",
        arguments: &["check", "--jobs", "1"],
        files: &["examples/quickstart"],
    },
    Input {
        name: "check quickstart, level 1",
        arguments: &["check", "--jobs", "1", "--precision", "0"],
        files: &["examples/quickstart"],
    },
    Input {
        name: "check all rules, linpack",
        arguments: &["check", "--jobs", "1", "--rules", "all"],
        files: &["crates/dual/fixtures/fig4/linpack.c"],
    },
    Input {
        name: "summary init-array",
        arguments: &["summary", "--jobs", "1"],
        files: &["crates/dual/fixtures/fig4/init-array.c"],
    },
];

pub fn measure() -> anyhow::Result<Vec<Measured>> {
    let rigel = checked::rigel()?;
    let there = Command::new("valgrind").arg("--version").output();
    if !there.is_ok_and(|output| output.status.success()) {
        bail!(
            "valgrind is not on this machine (`./x bench gate` installs it with apt-get), or this container forbids it"
        );
    }
    INPUTS.iter().map(|input| one(&rigel, input)).collect()
}

fn one(rigel: &Path, input: &Input) -> anyhow::Result<Measured> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root
        .canonicalize()
        .context("the repository is not where it was built")?;
    let mut command = Command::new("valgrind");
    command
        .args([
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            "--trace-children=no",
        ])
        .arg(rigel)
        .args(input.arguments)
        .args(input.files)
        .current_dir(root)
        .env("RIGEL_CACHE", "none");
    let ended = process::run(&mut command, Some(CAP))?;
    if ended.capped {
        bail!(
            "{}: more than {} s under valgrind",
            input.name,
            CAP.as_secs()
        );
    }
    let value = collected(&ended.stderr).with_context(|| {
        let last: Vec<&str> = ended.stderr.trim().lines().rev().take(2).collect();
        format!(
            "{}: valgrind counted nothing (does this container forbid it?): {}",
            input.name,
            last.join(" / ")
        )
    })?;
    Ok(Measured {
        name: format!("{INSTRUCTIONS}{}", input.name),
        value,
        tolerance: TOLERANCE,
    })
}

/// `==7== Collected : 1234`, the last of them.
fn collected(said: &str) -> Option<u64> {
    let lines = said.lines().rev();
    let mut numbers = lines.filter_map(|line| line.split_once("Collected :"));
    numbers.next()?.1.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_number_counts() {
        assert_eq!(
            collected("==1== Collected : 5\nx\n==1== Collected : 123\n==1==\n"),
            Some(123)
        );
        assert_eq!(collected("==1== no\n"), None);
    }

    #[test]
    fn the_inputs_are_in_the_repository() {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
        for file in INPUTS.iter().flat_map(|input| input.files) {
            assert!(root.join(file).exists(), "{file}");
        }
    }
}
