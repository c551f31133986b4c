//! A program checked by the executable that users start.

use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The executable beside this one: from the same build.
pub fn rigel() -> anyhow::Result<PathBuf> {
    let rigel = std::env::current_exe()?.with_file_name("rigel");
    if !rigel.is_file() {
        bail!("{} is missing: `./x bench` builds it", rigel.display());
    }
    Ok(rigel)
}

/// What `rigel check` prints for the program in a directory. Nothing is kept, unless `--cache` says where.
pub fn check(rigel: &Path, directory: &Path, args: &[&str]) -> anyhow::Result<Vec<u8>> {
    Ok(run(rigel, directory, args)?.stdout)
}

/// The same, with all that the process said.
pub fn run(rigel: &Path, directory: &Path, args: &[&str]) -> anyhow::Result<Output> {
    let output = Command::new(rigel)
        .arg("check")
        .args(args)
        .arg("-p")
        .arg(directory)
        .current_dir(directory)
        // What is measured is the work, and the programs stay as they are.
        .env("RIGEL_CACHE", "none")
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", rigel.display()))?;
    if !matches!(output.status.code(), Some(0 | 1)) {
        let words = String::from_utf8_lossy(&output.stderr);
        bail!("{}: rigel failed: {words}", directory.display());
    }
    Ok(output)
}
