//! What stays. Each run leaves a manifest, the list of the blobs it used; a later run that was
//! asked for the same replaces it. What none of the last eight manifests names goes, and so does
//! everything else that lies in the folder and is not ours.
//!
//! A run under way has no manifest yet, and may rely on what nobody else names. So only a run that is
//! alone deletes; where several end after each other, that is the last of them.

use crate::lock::{self, Lock};
use crate::write::TEMPORARY;
use crate::{Key, Store, blob};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::SystemTime;

/// So many different questions are remembered.
const RUNS: usize = 8;
const MANIFEST: &str = "manifest";

/// A file of the folder.
struct Entry {
    name: String,
    modified: SystemTime,
}

impl Store {
    pub(crate) fn collect(&self, run: &Key, used: &BTreeSet<String>) -> Result<(), String> {
        let list: Vec<&str> = used.iter().map(String::as_str).collect();
        let list = list.join("\n");
        let own = blob::name(MANIFEST, run);
        let known = std::fs::read(self.folder.join(&own)).ok();
        let known = known.and_then(|file| blob::decode(&file, &self.identity, MANIFEST, run));
        let same = known.as_deref() == Some(list.as_bytes());
        if same && !self.has_litter() && self.touch(&own) {
            // What nobody names went when the manifest was written, and nothing was added.
            return Ok(());
        }
        let lock = lock::acquire(&self.folder)?;
        let bytes = blob::encode(list.as_bytes(), &self.identity, MANIFEST, run);
        self.write_locked(&own, &bytes, &lock)?;
        if let Ok(mut share) = self.share.lock() {
            *share = None;
        }
        if let Some(_alone) = lock::alone(&self.folder) {
            self.sweep(&lock);
        }
        Ok(())
    }

    fn has_litter(&self) -> bool {
        let mut entries = self.entries().into_iter();
        entries.any(|entry| entry.name.starts_with(TEMPORARY))
    }

    /// Makes a manifest the newest. A store that may only be read is none the worse without.
    fn touch(&self, name: &str) -> bool {
        let file = std::fs::File::options()
            .append(true)
            .open(self.folder.join(name));
        match file {
            Ok(file) => file.set_modified(SystemTime::now()).is_ok(),
            Err(_) => true,
        }
    }

    /// Deletes what nobody names. A file that cannot be deleted does no harm.
    fn sweep(&self, _lock: &Lock) {
        let mut entries = self.entries();
        entries.sort_by_key(|entry| (Reverse(entry.modified), entry.name.clone()));
        let mut named = BTreeSet::new();
        let mut manifests = 0;
        for entry in &entries {
            if manifests < RUNS
                && let Some(list) = self.manifest(&entry.name)
            {
                manifests += 1;
                named.extend(list.lines().map(String::from));
                named.insert(entry.name.clone());
            }
        }
        for entry in &entries {
            // A temporary file is named by nobody, and a dead one's: who writes holds the lock.
            if !named.contains(&entry.name) {
                let _ = std::fs::remove_file(self.folder.join(&entry.name));
            }
        }
    }

    fn entries(&self) -> Vec<Entry> {
        let files = std::fs::read_dir(&self.folder).into_iter().flatten();
        files
            .flatten()
            .filter_map(|file| {
                let known = file.metadata().ok()?;
                let name = file.file_name().into_string().ok()?;
                (known.is_file() && !lock::is_furniture(&name)).then_some(Entry {
                    name,
                    modified: known.modified().ok()?,
                })
            })
            .collect()
    }

    /// The names in a manifest that is whole.
    fn manifest(&self, name: &str) -> Option<String> {
        let hex = name.strip_prefix(MANIFEST)?.strip_prefix('-')?;
        let key = Key(*blake3::Hash::from_hex(hex).ok()?.as_bytes());
        let file = std::fs::read(self.folder.join(name)).ok()?;
        String::from_utf8(blob::decode(&file, &self.identity, MANIFEST, &key)?).ok()
    }
}
