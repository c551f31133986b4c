//! The real programs: where they are, and their units.
//!
//! They live in `$RIGEL_PROGRAMS`, or `~/.cache/rigel/programs`, one directory each with a
//! `compile_commands.json`. What is missing is fetched and built by `bench/programs.sh`.

use anyhow::{Context, bail};
use front::pool::Task;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Debian source packages that `bench/programs.sh` knows.
pub const ALL: [&str; 10] = [
    "sqlite3", "zlib", "lua", "jpeg-6b", "libxml2", "sendmail", "spin", "leveldb", "jsoncpp",
    "tinyxml2",
];

/// The program's directory; fetched and built first if it is not there.
pub fn locate(name: &str) -> anyhow::Result<PathBuf> {
    let root = match std::env::var_os("RIGEL_PROGRAMS") {
        Some(dir) => PathBuf::from(dir),
        None => {
            PathBuf::from(std::env::var_os("HOME").context("HOME is not set: set RIGEL_PROGRAMS")?)
                .join(".cache/rigel/programs")
        }
    };
    let dir = root.join(name);
    if !dir.join("compile_commands.json").is_file() {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/programs.sh");
        eprintln!(
            "fetching and building {name} into {} (once)",
            root.display()
        );
        let status = Command::new("bash")
            .arg(&script)
            .arg(name)
            .env("RIGEL_PROGRAMS", &root)
            .status()
            .with_context(|| format!("cannot run {}", script.display()))?;
        if !status.success() {
            bail!(
                "{name} could not be built: see the messages above; then try again: RIGEL_PROGRAMS={} bench/programs.sh {name}",
                root.display()
            );
        }
    }
    Ok(dir)
}

/// One task per unit, ready for the workers.
pub fn tasks(name: &str) -> anyhow::Result<Vec<Task>> {
    tasks_in(name, &locate(name)?)
}

/// The same, of a program that lies in this directory.
pub fn tasks_in(name: &str, directory: &Path) -> anyhow::Result<Vec<Task>> {
    let request = front::Request {
        database: Some(directory.to_path_buf()),
        cwd: directory.to_path_buf(),
        ..front::Request::default()
    };
    let plan = front::plan::plan(&request)?;
    for error in &plan.errors {
        eprintln!("{name}: {error}");
    }
    Ok(plan
        .units
        .into_iter()
        .map(|u| Task {
            job: u.job,
            bytes: u.bytes,
        })
        .collect())
}
