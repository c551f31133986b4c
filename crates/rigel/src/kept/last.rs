//! The last run of `check`: what it was asked, and the findings that it printed.
//!
//! So that `rigel explain ID` needs no more than the id. What a finding is today is found anew from the program as it is
//! now; that it was one is all that is believed of this.

use super::Kept;
use crate::check::Task;
use crate::cli;
use report::{Report, fingerprint};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use store::{Keyer, Kind};

const LAST: Kind = "last";

/// What was asked, and what was printed.
#[derive(Debug, Serialize, Deserialize)]
pub struct Last {
    cwd: String,
    files: Vec<String>,
    database: Option<String>,
    models: Vec<String>,
    rule_files: Vec<String>,
    flags: Vec<String>,
    pub rules: Option<String>,
    noreturn: Vec<String>,
    /// Fingerprint, and what and where it was.
    findings: Vec<(String, String)>,
}

impl Kept {
    /// Keeps what was asked and printed. Names that are no text are not kept: nobody could name the finding by its id alone.
    pub fn remember_last(&self, task: &Task, report: &Report) {
        let text = |path: &PathBuf| path.to_str().map(str::to_string);
        let all = |paths: &[PathBuf]| paths.iter().map(text).collect::<Option<Vec<String>>>();
        let (Some(store), Some(cwd), Some(files), Some(models), Some(rule_files)) = (
            &self.store,
            self.cwd.to_str(),
            all(&task.input.files),
            all(&task.input.models),
            all(&task.how.own.rule_file),
        ) else {
            return;
        };
        let told =
            |f: &report::Finding| (fingerprint(f), format!("{} at {}", f.message, f.location));
        let last = Last {
            cwd: cwd.to_string(),
            files,
            database: task.input.database.as_ref().and_then(text),
            models,
            rule_files,
            flags: task.flags.to_vec(),
            rules: task.output.rules.clone(),
            noreturn: task.how.noreturn.clone(),
            findings: report.findings.iter().map(told).collect(),
        };
        if let Ok(bytes) = postcard::to_allocvec(&last) {
            let key = Keyer::new(LAST).key();
            store.put(LAST, &key, &bytes);
            store.keep(LAST, &key);
        }
    }

    /// The last run of `check` that this store knows of.
    pub fn last(&self) -> Option<Last> {
        let bytes = self.store.as_ref()?.get(LAST, &Keyer::new(LAST).key())?;
        postcard::from_bytes(&bytes).ok()
    }
}

impl Last {
    /// Asks for the same as that run did, from the current directory.
    pub fn ask_again(&self, cwd: &Path, args: &mut cli::Explain) {
        let here = |path: &String| match Path::new(&self.cwd) == cwd {
            true => PathBuf::from(path),
            false => Path::new(&self.cwd).join(path),
        };
        args.input.files = self.files.iter().map(here).collect();
        args.input.database = self.database.as_ref().map(here);
        args.input.models = self.models.iter().map(here).collect();
        args.flags.clone_from(&self.flags);
        if args.rules.is_none() {
            args.rules.clone_from(&self.rules);
        }
        if args.analysis.own.rule_file.is_empty() {
            args.analysis.own.rule_file = self.rule_files.iter().map(here).collect();
        }
        if args.analysis.noreturn.is_empty() {
            args.analysis.noreturn.clone_from(&self.noreturn);
        }
    }

    /// What a finding was, if that run printed one with this id, and only one.
    pub fn was(&self, id: &str) -> Option<&str> {
        let means = |f: &str| !id.is_empty() && f.starts_with(&id.to_ascii_lowercase());
        let mut all = self.findings.iter().filter(|(f, _)| means(f));
        let (_, told) = all.next()?;
        all.next().is_none().then_some(told)
    }
}
