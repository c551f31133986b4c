//! Files that are there as a whole or not at all: written beside their place, then renamed.
//!
//! Nothing is flushed to the disk itself. A machine that loses power may leave a file that is cut;
//! its checksum says so, and waiting for the disk would cost every run more than that is worth.

use crate::Store;
use crate::lock::Lock;
use std::path::Path;

/// How the name of a file begins that is not finished.
pub const TEMPORARY: &str = "tmp-";

impl Store {
    /// Writes a file of the store, alone. The error ends a sentence.
    pub(crate) fn write_locked(
        &self,
        name: &str,
        bytes: &[u8],
        _lock: &Lock,
    ) -> Result<(), String> {
        let temporary = self
            .folder
            .join(format!("{TEMPORARY}{}", std::process::id()));
        let written = std::fs::write(&temporary, bytes)
            .and_then(|()| replace(&temporary, &self.folder.join(name)));
        written.map_err(|e| {
            // It may not even exist, and on a full disk it must not stay.
            let _ = std::fs::remove_file(&temporary);
            format!("{} cannot be written: {e}", self.folder.display())
        })
    }
}

/// Renames, also onto something foreign that is in the way.
fn replace(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::rename(from, to).or_else(|e| {
        if !to.is_dir() {
            return Err(e);
        }
        std::fs::remove_dir_all(to)?;
        std::fs::rename(from, to)
    })
}
