//! What a run finds from earlier ones, and what it leaves for later ones.
//!
//! Everything that outlives a run goes through here, so that there is one answer to "where is it",
//! "does it still hold" and "what if it cannot be written" ([`store`] does the writing).
//!
//! ```text
//! recipe   command of a unit → the files clang read, with their hashes, and the program's key
//! program  hash of a unit's program → the program                                   (units.rs)
//! answer   programs and settings → all that is printed                             (answer.rs)
//! memory   files and flags → what the engine knows of the last version             (memory.rs)
//! last     what the last `check` was asked, and the findings that it printed           (last.rs)
//! ```
//!
//! Nothing is ever believed because of its age or its name: each key is a hash of all that the
//! value depends on (in a memory, each part has its own). So nothing has to be invalidated, and a store
//! that is lost costs time only.

mod answer;
mod last;
mod memory;
mod place;
mod question;
mod units;

pub use answer::Answer;
pub use question::{question, run};
pub use units::Found;

use crate::{cli, print};
use front::content::Files;
use front::protocol::Job;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use store::{Key, Keyer, Store};

/// What is kept, as one run sees it.
pub struct Kept {
    store: Option<Store>,
    files: Mutex<Arc<Files>>,
    cwd: PathBuf,
    /// For each unit, by its source: what it was made of, as far as that is known.
    made_of: Mutex<BTreeMap<PathBuf, Vec<PathBuf>>>,
    last: Mutex<memory::Last>,
    /// The compilers, as the keys of units have them.
    compilers: Mutex<BTreeMap<String, Key>>,
}

impl Kept {
    /// What is kept for this input.
    pub fn open(keeping: &cli::Keeping, input: &cli::Input) -> Kept {
        let mut kept = Kept::nothing();
        let directory = place::directory(keeping, input, &kept.cwd);
        kept.store = directory.and_then(|directory| {
            let identity = place::identity()?;
            Some(match keeping.fresh {
                true => Store::open_fresh(&directory, identity),
                false => Store::open(&directory, identity),
            })
        });
        kept
    }

    /// For a run that neither finds nor leaves anything.
    pub fn nothing() -> Kept {
        Kept {
            store: None,
            files: Mutex::default(),
            // Without a current directory nothing can be read, which the pipeline says.
            cwd: std::env::current_dir().unwrap_or_default(),
            made_of: Mutex::default(),
            last: Mutex::default(),
            compilers: Mutex::default(),
        }
    }

    /// The end of a run that went well: what nobody needs any more is deleted.
    pub fn finish(&self, run: &Key) {
        if let Some(store) = &self.store {
            store.finish(run);
        }
    }

    /// Says once if nothing could be kept. It changes no result.
    pub fn complain(&self) {
        if let Some(what) = self.store.as_ref().and_then(Store::trouble) {
            print::warning(&format!("{what}; the next run starts from nothing"));
        }
    }

    /// The files as this run has seen them, each looked at once.
    fn seen(&self) -> Arc<Files> {
        let seen = self.files.lock();
        seen.map(|files| Arc::clone(&files)).unwrap_or_default()
    }

    /// From now on files are looked at anew: time has passed.
    pub fn look_again(&self) {
        if let Ok(mut files) = self.files.lock() {
            *files = Arc::default();
        }
    }

    /// All files that the units are made of, as far as this run knows.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<PathBuf>> {
        self.made_of.lock().map(|m| m.clone()).unwrap_or_default()
    }

    /// Where this run is.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    fn note_files(&self, job: &Job, files: Vec<PathBuf>) {
        if let Ok(mut made_of) = self.made_of.lock() {
            made_of.insert(Path::new(&job.directory).join(&job.file), files);
        }
    }
}

/// A file that is a program or a library, without reading it: its path, length and time. One that
/// is not there is a thing of its own.
fn stamp(keyer: Keyer, path: &Path) -> Keyer {
    use std::os::unix::fs::MetadataExt;
    let keyer = keyer.part(path.as_os_str().as_encoded_bytes());
    match std::fs::metadata(path) {
        Ok(known) => {
            let time = [known.mtime(), known.mtime_nsec()].map(i64::to_le_bytes);
            keyer.number(known.len()).part(time.concat())
        }
        Err(_) => keyer.part("not there"),
    }
}
