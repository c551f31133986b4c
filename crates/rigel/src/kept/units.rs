//! Units by content: the program of a unit that nothing changed in is not made again.
//!
//! The front end knows what a unit is made of ([`front::content`]); here it is looked up and written
//! down. A program lies under the hash of its own bytes, so that a comment that was edited gives the
//! same program, and the same answer.

use super::{Kept, stamp};
use front::content::{Files, Recipe};
use front::protocol::{Encoded, Job, Lowered};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;
use store::{Key, Keyer, Kind};

const RECIPE: Kind = "recipe";
const PROGRAM: Kind = "program";

/// Variables that clang reads (its manual, "Environment"; `CCC_…` and `COMPILER_PATH` are the
/// driver's).
const ENVIRONMENT: [&str; 10] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "OBJC_INCLUDE_PATH",
    "CCC_OVERRIDE_OPTIONS",
    "CCC_ADD_ARGS",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "SOURCE_DATE_EPOCH",
    "CLANG_CONFIG_FILE_USER_DIR",
];

/// What is written down for a unit.
#[derive(Serialize, Deserialize)]
struct Known {
    recipe: Recipe,
    program: [u8; 32],
}

/// A unit of which no file has changed.
pub struct Found {
    recipe: Recipe,
    /// Under which key its program is.
    pub program: Key,
}

impl Kept {
    /// What is known of each unit of which no file has changed. Whether these are still the files that clang would find is
    /// another question ([`still_holds`](Kept::still_holds)): it takes longer, and is hardly ever why a unit is read again.
    pub fn find(&self, jobs: &[&Job]) -> Vec<Option<Found>> {
        // Of a unit that never compiled, the source is all that is known.
        jobs.iter().for_each(|job| self.note_files(job, Vec::new()));
        if self.store.is_none() {
            return jobs.iter().map(|_| None).collect();
        }
        let surroundings = self.surroundings();
        let files = self.seen();
        jobs.par_iter()
            .map(|job| self.find_unit(job, &self.unit_key(job, &surroundings), &files))
            .collect()
    }

    fn find_unit(&self, job: &Job, key: &Key, files: &Files) -> Option<Found> {
        let store = self.store.as_ref()?;
        let known: Known = postcard::from_bytes(&store.get(RECIPE, key)?).ok()?;
        let directory = Path::new(&job.directory);
        // Also of one that does not hold: it will be read again, and its files are watched.
        self.note_files(job, known.recipe.files(directory));
        known
            .recipe
            .has_same_files(directory, files)
            .then_some(Found {
                recipe: known.recipe,
                program: Key(known.program),
            })
    }

    /// Does what was found hold in all?
    pub fn still_holds(&self, job: &Job, found: &Found) -> bool {
        let holds = found
            .recipe
            .finds_the_same(Path::new(&job.directory), &self.seen());
        if let (true, Some(store)) = (holds, &self.store) {
            store.keep(PROGRAM, &found.program);
        }
        holds
    }

    /// The program under this key, if it is there.
    pub fn program(&self, key: &Key) -> Option<ir::Program> {
        let bytes = self.store.as_ref()?.get(PROGRAM, key)?;
        Encoded::from_bytes(bytes).decode().ok()
    }

    /// Keeps what a worker made of a unit. The key of its program, if anything is kept at all.
    pub fn remember(&self, job: &Job, lowered: &Lowered) -> Option<Key> {
        let directory = Path::new(&job.directory);
        if let Some(reads) = &lowered.reads {
            let files = reads.files.iter().map(|file| directory.join(file));
            self.note_files(job, files.collect());
        }
        let store = self.store.as_ref()?;
        let program = Key::of(lowered.program.bytes());
        store.put(PROGRAM, &program, lowered.program.bytes());
        let Some(reads) = &lowered.reads else {
            return Some(program);
        };
        if let Some(recipe) = Recipe::record(reads, &job.command, directory, &self.seen()) {
            let known = Known {
                recipe,
                program: program.0,
            };
            // Also what it only asks for.
            self.note_files(job, known.recipe.files(directory));
            if let Ok(bytes) = postcard::to_allocvec(&known) {
                store.put(RECIPE, &self.unit_key(job, &self.surroundings()), &bytes);
            }
        }
        Some(program)
    }

    /// What a unit came to that does not compile: its files are watched, besides those that it was made of before.
    pub fn note_tried(&self, job: &Job, files: &[String]) {
        let directory = Path::new(&job.directory);
        if let Ok(mut made_of) = self.made_of.lock() {
            let known = made_of.entry(directory.join(&job.file)).or_default();
            known.extend(files.iter().map(|file| directory.join(file)));
        }
    }

    /// All that is known of a unit before anything is read.
    fn unit_key(&self, job: &Job, surroundings: &Keyer) -> Key {
        let keyer = surroundings
            .clone()
            .part(&job.file)
            .part(job.directory.as_encoded_bytes())
            .parts(&job.command);
        let Some(name) = job.command.first() else {
            return keyer.key();
        };
        // Many units, few compilers.
        let known = match self.compilers.lock() {
            Ok(mut compilers) => *compilers
                .entry(name.clone())
                .or_insert_with(|| compiler(name)),
            Err(_) => compiler(name),
        };
        keyer.part(known.0).key()
    }

    /// What all units depend on, besides what they are told.
    pub(super) fn surroundings(&self) -> Keyer {
        let set = ENVIRONMENT.iter().map(|name| {
            let value = std::env::var_os(name);
            value.map_or_else(Vec::new, |v| [b"=", v.as_encoded_bytes()].concat())
        });
        Keyer::new("unit")
            // Paths in a program are relative to it.
            .part(self.cwd.as_os_str().as_encoded_bytes())
            .parts(set)
    }
}

/// The program that a name stands for: its path, length and time.
fn compiler(name: &str) -> Key {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let keyer = Keyer::new("compiler").part(name);
    let found = front::find_on_path(name, &path);
    // The name is mostly a link; what counts is where it leads.
    match found.and_then(|found| std::fs::canonicalize(found).ok()) {
        Some(found) => stamp(keyer, &found).key(),
        None => keyer.part("not there").key(),
    }
}
