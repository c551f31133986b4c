//! What is kept on disk between runs: blobs of bytes under keys (issue 6; design.md §4).
//!
//! A store is a cache that can be lost at any moment without changing an answer. So there is one
//! rule for everything that can go wrong with it: a blob that is not whole, not of this build of
//! rigel or not under its own key *is not there*, and what cannot be written is not kept. Nothing
//! in here panics or fails a run; what a person should know is in [`Store::trouble`].
//!
//! ```text
//! DIRECTORY/store/lock             whoever writes holds it, for as long as the writing takes
//!                 users            every run has a share in it; who has it alone may delete
//!                 KIND-KEY         a blob: header, bytes (compressed where that helps), checksum
//!                 manifest-RUN     the blobs that a run used: what the last eight name stays
//!                 .gitignore       *
//! ```
//!
//! What this crate knows: files. What it must not know: programs, rules, what the bytes mean.

mod blob;
mod collect;
mod key;
mod lock;
mod write;

pub use key::{Key, Keyer};

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What a blob is for: a short word of lower-case letters. Blobs of different kinds never meet.
pub type Kind = &'static str;

/// Where the blobs lie below the directory that the user knows.
const FOLDER: &str = "store";

/// What is kept in one directory, as one run sees it. May be used from several threads.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    identity: Key,
    /// Whether what is there counts. If not, it is written anew.
    reads: bool,
    /// Held from the first blob on, so that nobody deletes what this run relies on.
    share: Mutex<Option<File>>,
    /// The names of the blobs that this run read or wrote.
    used: Mutex<BTreeSet<String>>,
    trouble: Mutex<Option<String>>,
}

impl Store {
    /// The store in `directory`, which need not exist. `identity` says which build of rigel this
    /// is: no other build's blobs are seen.
    pub fn open(directory: &Path, identity: Key) -> Store {
        Store {
            folder: directory.join(FOLDER),
            identity,
            reads: true,
            share: Mutex::default(),
            used: Mutex::default(),
            trouble: Mutex::default(),
        }
    }

    /// As [`Store::open`], and nothing of what is there is seen: it is written anew.
    pub fn open_fresh(directory: &Path, identity: Key) -> Store {
        Store {
            reads: false,
            ..Store::open(directory, identity)
        }
    }

    /// The blob under this key, exactly as it was put, or nothing.
    pub fn get(&self, kind: Kind, key: &Key) -> Option<Vec<u8>> {
        if !self.reads {
            return None;
        }
        self.take_share();
        let name = blob::name(kind, key);
        let bytes = std::fs::read(self.folder.join(&name)).ok()?;
        let content = blob::decode(&bytes, &self.identity, kind, key)?;
        self.note(name);
        Some(content)
    }

    /// Keeps a blob, if that is possible; [`Store::trouble`] says if not.
    pub fn put(&self, kind: Kind, key: &Key, content: &[u8]) {
        if self.trouble().is_some() {
            return;
        }
        let name = blob::name(kind, key);
        let bytes = blob::encode(content, &self.identity, kind, key);
        // The share comes first, and under the lock: nobody who is alone sweeps between it and the blob.
        let written = lock::acquire(&self.folder).and_then(|lock| {
            self.take_share();
            self.write_locked(&name, &bytes, &lock)
        });
        match written {
            Ok(()) => self.note(name),
            Err(what) => self.give_up(what),
        }
    }

    /// Says that this run relies on a blob that it had no need to read, so that it stays.
    pub fn keep(&self, kind: Kind, key: &Key) {
        self.note(blob::name(kind, key));
    }

    /// The end of a run that went well. Remembers under `run` (what was asked for, not what came
    /// out) which blobs it used, and deletes those that none of the last eight such runs did.
    pub fn finish(&self, run: &Key) {
        if self.trouble().is_some() {
            return;
        }
        let used = match self.used.lock() {
            Ok(used) => used.clone(),
            // A thread of this run died: who knows what it used.
            Err(_) => return,
        };
        if let Err(what) = self.collect(run, &used) {
            self.give_up(what);
        }
    }

    /// Why nothing is kept (any more), in words that end a sentence; none if all is well.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().ok().and_then(|t| t.clone())
    }

    fn take_share(&self) {
        if let Ok(mut share) = self.share.lock()
            && share.is_none()
        {
            *share = lock::share(&self.folder);
        }
    }

    fn note(&self, name: String) {
        if let Ok(mut used) = self.used.lock() {
            used.insert(name);
        }
    }

    fn give_up(&self, what: String) {
        if let Ok(mut trouble) = self.trouble.lock() {
            trouble.get_or_insert(what);
        }
    }
}

#[cfg(test)]
mod tests;
