//! The machine's side: programs compiled by clang and run by the processor.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What a run came to, as far as both sides can show it.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub stdout: String,
    /// None: ended by a signal.
    pub code: Option<i32>,
}

impl Ran {
    pub fn of(output: &Output) -> Ran {
        Ran {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            code: output.status.code(),
        }
    }
}

/// Compiles to an executable; panics if that fails, since then the test says nothing.
pub fn compile(compiler: &str, flags: &[String], files: &[&Path], to: &Path) {
    let output = Command::new(compiler)
        .args(["-O0", "-w"])
        .args(flags)
        .args(files)
        .arg("-lm")
        .arg("-o")
        .arg(to)
        .output()
        .unwrap_or_else(|e| panic!("{compiler}: {e} (./x setup installs it)"));
    assert!(
        output.status.success(),
        "{files:?} does not compile:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Runs an executable; `None` if it was still running after so many seconds.
///
/// The limit guards against programs that do not end. No result depends on it but that one.
pub fn run_within(executable: &Path, seconds: u32) -> Option<Output> {
    let output = Command::new("timeout")
        .arg(seconds.to_string())
        .arg(executable)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (output.status.code() != Some(124)).then_some(output)
}
