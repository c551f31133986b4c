//! What the engine leaves to the next run of the same input: the derivation graph, and what both levels said.
//!
//! Unlike all else it is kept by what was asked for, not by what it was made of: it is of the last version
//! of the program, and what of it still holds the engine decides, function by function.

use super::{Kept, question};
use crate::cli;
use engine::Memory;
use store::{Key, Kind};

const MEMORY: Kind = "memory";

impl Kept {
    /// What the last run of this input left; nothing if there was none.
    pub fn memory(&self, input: &cli::Input, flags: &[String]) -> Memory {
        self.recall(input, flags);
        let last = self.last.lock().ok().and_then(|mut last| last.take());
        last.map(|(_, memory)| memory).unwrap_or_default()
    }

    /// Fetches it, if this process does not have it.
    pub fn recall(&self, input: &cli::Input, flags: &[String]) {
        let key = question::input(input, flags, self);
        let Ok(mut last) = self.last.lock() else {
            return;
        };
        if last.as_ref().is_none_or(|(of, _)| *of != key) {
            let bytes = self.store.as_ref().and_then(|s| s.get(MEMORY, &key));
            let memory = bytes.and_then(|bytes| Memory::from_bytes(&bytes));
            *last = memory.map(|memory| (key, memory));
        }
    }

    /// For the next run, of this process or another.
    pub fn remember_memory(&self, input: &cli::Input, flags: &[String], memory: Memory) {
        let key = question::input(input, flags, self);
        if let (Some(store), Ok(bytes)) = (&self.store, memory.to_bytes()) {
            store.put(MEMORY, &key, &bytes);
        }
        if let Ok(mut last) = self.last.lock() {
            *last = Some((key, memory));
        }
    }

    /// Of a run that answers without it: it stays.
    pub fn keep_memory(&self, input: &cli::Input, flags: &[String]) {
        if let Some(store) = &self.store {
            store.keep(MEMORY, &question::input(input, flags, self));
        }
    }
}

/// The last memory of this process.
pub(super) type Last = Option<(Key, Memory)>;
