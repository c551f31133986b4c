//! Who writes holds an advisory lock; the system takes it from a process that dies.
//!
//! Readers need none: a blob appears by a rename, so it is there as a whole or not at all. Whoever
//! holds the lock may therefore also know that every temporary file is a dead one's.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

const NAME: &str = "lock";
/// Writing takes milliseconds. Who holds the lock for so long is stopped, or not coming back.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(2);

/// Held until it is dropped.
pub struct Lock {
    _file: File,
}

/// The lock of this folder, which is made if it is not there. The error ends a sentence.
pub fn acquire(folder: &Path) -> Result<Lock, String> {
    let failed = |e: std::io::Error| format!("{} cannot be written: {e}", folder.display());
    std::fs::create_dir_all(folder).map_err(failed)?;
    ignore(folder).map_err(failed)?;
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join(NAME))
        .map_err(failed)?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Lock { _file: file }),
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                std::thread::sleep(PAUSE);
            }
            Err(TryLockError::WouldBlock) => {
                let folder = folder.display();
                return Err(format!("another rigel does not let go of {folder}/{NAME}"));
            }
            Err(TryLockError::Error(e)) => return Err(failed(e)),
        }
    }
}

/// What is kept is nobody's source.
fn ignore(folder: &Path) -> std::io::Result<()> {
    let file = folder.join(".gitignore");
    if file.exists() {
        return Ok(());
    }
    std::fs::write(&file, "*\n").inspect_err(|_| {
        // Half of it would never be written again.
        let _ = std::fs::remove_file(&file);
    })
}
