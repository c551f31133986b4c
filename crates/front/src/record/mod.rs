//! `rigel build -- make …`: the compile database of any build, by watching it.
//!
//! A directory of *stand-ins* (`.rigel/bin`), one for every C and C++ compiler on `PATH`, is put in
//! front of `PATH` ([`standin`]). A stand-in is a small shell script that starts
//! `rigel __record`, which writes the call down ([`log`]) and then becomes the real compiler. The
//! build sees its own compiler's output and exit code, whatever happens to the recording.
//!
//! The stand-ins stay when the build is over: a build that configures itself keeps their paths.
//! Then they only become the compiler, whether rigel is still there or not.
//!
//! The log lies beside them until its database is written. One that an interrupted `rigel build`
//! left behind goes into the database at the start of the next one.
//!
//! A stand-in takes its own directory out of `PATH` before it becomes the compiler: what a
//! compiler starts in turn (ccache its compiler, gcc its linker) is not a call of the build's.

pub mod log;
pub mod standin;

use crate::database::RawEntry;
use crate::paths::shown;
use standin::StandIns;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// Where the recorded database is kept, below the directory of the build.
pub const DIRECTORY: &str = ".rigel";

/// What came of a recorded build.
#[derive(Debug)]
pub struct Recorded {
    /// How the build ended.
    pub status: ExitStatus,
    /// The database that was written.
    pub database: PathBuf,
    /// Compilations in this build.
    pub new: usize,
    /// Compilations kept from the last recording, because this build had no need of them.
    pub kept: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error(
        "{directory}: the name of this directory is not UTF-8, and a compile database can name no other (build in another directory, or name the files: `rigel check FILE -- FLAGS`)"
    )]
    NoText { directory: String },
    #[error("no build command: say `rigel build -- make`")]
    NoCommand,
    #[error("cannot start `{program}`: {reason}")]
    CannotStart { program: String, reason: String },
    #[error("cannot record the build: {what}: {reason}")]
    Io { what: String, reason: String },
    #[error(
        "no C or C++ compilation was seen in `{command}`: {why} (if all was up to date, clean first: `make clean`; if the build names its compiler by an absolute path, pass CC=gcc CXX=g++)"
    )]
    NothingSeen { command: String, why: String },
}

impl RecordError {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> RecordError {
        let what = what.into();
        move |e| RecordError::Io {
            what,
            reason: e.to_string(),
        }
    }
}

/// Runs the build and writes the database. `rigel` is the executable that the stand-ins start.
pub fn record(rigel: &Path, command: &[OsString], cwd: &Path) -> Result<Recorded, RecordError> {
    let Some(program) = command.first() else {
        return Err(RecordError::NoCommand);
    };
    // The entries would be of other files than those that are compiled.
    if cwd.to_str().is_none() {
        return Err(RecordError::NoText {
            directory: cwd.display().to_string(),
        });
    }
    let home = cwd.join(DIRECTORY);
    make_home(&home).map_err(RecordError::io(DIRECTORY))?;
    let file = home.join(crate::database::FILE_NAME);
    recover(&home, &file, cwd)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let stand_ins = StandIns::create(rigel, &home.join("bin"), &path)?;
    let log = home.join(log::file_name());
    std::fs::write(&log, "").map_err(RecordError::io(shown(&log, cwd)))?;
    let mut build = Command::new(program);
    build
        .args(command[1..].iter().map(|word| stand_ins.rewrite(word)))
        .current_dir(cwd)
        .env("PATH", stand_ins.path())
        .env(standin::RECORD, &log);
    for name in ["CC", "CXX"] {
        if let Some(value) = std::env::var_os(name) {
            build.env(name, stand_ins.compiler(&value));
        }
    }
    let status = build.status().map_err(|e| {
        let _ = std::fs::remove_file(&log); // empty
        RecordError::CannotStart {
            program: program.to_string_lossy().into_owned(),
            reason: e.to_string(),
        }
    })?;
    // `git clean` in the build takes the log away, and what was recorded with it.
    let calls = log::read(&log).map_err(RecordError::io(shown(&log, cwd)))?;
    let new = log::entries(&calls);
    let mut all = log::kept(&file, &new);
    let kept = all.len();
    if new.is_empty() && kept == 0 {
        let _ = std::fs::remove_file(&log); // there is nothing to keep in it
        return Err(RecordError::NothingSeen {
            command: words(command),
            why: match (status.success(), calls.len()) {
                (false, _) => format!("it failed with {}", ended(status)),
                (true, 0) => "it started no compiler that rigel stands in for".to_string(),
                (true, n) => {
                    format!("{n} compiler calls, none of them of a source that is still there")
                }
            },
        });
    }
    let count = new.len();
    all.extend(new);
    write(&file, all, cwd)?;
    // Left behind it would only be read once more.
    let _ = std::fs::remove_file(&log);
    Ok(Recorded {
        status,
        database: file,
        new: count,
        kept,
    })
}

/// "exit code 2", "signal 9".
pub fn ended(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, signal) => format!("signal {}", signal.unwrap_or_default()),
    }
}

fn words(command: &[OsString]) -> String {
    let words: Vec<_> = command.iter().map(|w| w.to_string_lossy()).collect();
    words.join(" ")
}

fn make_home(home: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(home)?;
    // Generated: version control has no use for it.
    let ignore = home.join(".gitignore");
    if ignore.exists() {
        return Ok(());
    }
    std::fs::write(&ignore, "*\n")
}

/// Puts what interrupted recordings saw into the database.
fn recover(home: &Path, file: &Path, cwd: &Path) -> Result<(), RecordError> {
    for log in log::left_behind(home) {
        let new = log::entries(&log::read(&log).unwrap_or_default());
        if !new.is_empty() {
            let mut all = log::kept(file, &new);
            all.extend(new);
            write(file, all, cwd)?;
        }
        let _ = std::fs::remove_file(&log);
    }
    Ok(())
}

/// Writes the database as a whole or not at all.
fn write(file: &Path, mut entries: Vec<RawEntry>, cwd: &Path) -> Result<(), RecordError> {
    // Parallel builds log in any order.
    entries.sort_by(|a, b| {
        (&a.directory, &a.file, &a.arguments).cmp(&(&b.directory, &b.file, &b.arguments))
    });
    let name = shown(file, cwd);
    let json = serde_json::to_string_pretty(&entries).map_err(|e| RecordError::Io {
        what: name.clone(),
        reason: e.to_string(),
    })?;
    let partial = file.with_extension("json.new");
    std::fs::write(&partial, json + "\n").map_err(RecordError::io(&name))?;
    std::fs::rename(&partial, file).map_err(RecordError::io(&name))
}
