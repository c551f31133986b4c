//! What can be wrong with what the user names, in one line for a person: what, where, what to do.

use crate::database::DatabaseError;

/// What is wrong with what the user named. One line each: what, where, what to do.
#[derive(Debug, thiserror::Error)]
pub enum Input {
    #[error("{0}: no such file (is the name right? it is read from the current directory)")]
    NoSuchFile(String),
    #[error(
        "{file} (named in {database}): no such file (if the build generates it, build first; else write {database} anew)"
    )]
    Gone { file: String, database: String },
    #[error(
        "{0}: a C++ module: rigel does not read modules (name sources that import none; or read it on its own: -- -std=c++20 -x c++-module)"
    )]
    Module(String),
    #[error("{0}: not a flag: source files stand before `--`, flags for the compiler behind it")]
    NotAFlag(String),
    #[error(
        "{0}: with this flag a compiler translates nothing, and there would be nothing to analyse (leave it out)"
    )]
    NoTranslation(String),
    #[error(
        "{0}: not a C or C++ source file (name the sources that include it; or say what it is: -- -x c)"
    )]
    NotASource(String),
    #[error(
        "{file}: the directory that it is compiled in, {directory}, is gone (write {database} anew)"
    )]
    NoDirectory {
        file: String,
        directory: String,
        database: String,
    },
    #[error(
        "{file}: it includes {header}, of which only the precompiled {precompiled} is there: rigel reads the text (restore {header}, or build again)"
    )]
    OnlyPrecompiled {
        file: String,
        header: String,
        precompiled: String,
    },
    #[error(
        "{0}: its path is not UTF-8, and rigel hands paths on as text (rename it; or, if only a directory is called so, start rigel in there)"
    )]
    NotText(String),
    #[error("{file}: no model: {reason}")]
    UnreadableModel { file: String, reason: String },
    #[error("{file}:{}: {}", wrong.line, wrong.mistake)]
    WrongModel {
        file: String,
        wrong: crate::model::Wrong,
    },
    #[error(
        "{0}: no C or C++ source file in this directory (name one that has .c, .cc or .cpp files, or the files themselves)"
    )]
    NoSources(String),
    #[error(
        "nothing to analyse: no FILE given, and no compile_commands.json here or above (name files, give -p BUILD_DIR, or record the build: `rigel build -- make`)"
    )]
    NothingNamed,
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

impl Input {
    /// The file or directory that will not be read; none if it cannot be told which ones.
    pub fn path(&self) -> Option<&str> {
        match self {
            Input::NoSuchFile(file)
            | Input::Gone { file, .. }
            | Input::Module(file)
            | Input::NotASource(file)
            | Input::NoDirectory { file, .. }
            | Input::OnlyPrecompiled { file, .. }
            | Input::NotText(file)
            | Input::UnreadableModel { file, .. }
            | Input::WrongModel { file, .. }
            | Input::NoSources(file) => Some(file),
            Input::NotAFlag(_)
            | Input::NoTranslation(_)
            | Input::NothingNamed
            | Input::Database(_) => None,
        }
    }
}
