//! Who writes holds an advisory lock; the system takes it from a process that dies.
//!
//! Readers need none: a blob appears by a rename, so it is there as a whole or not at all. Whoever
//! holds the lock may therefore also know that every temporary file is a dead one's.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

const NAME: &str = "lock";
const IGNORE: &str = ".gitignore";
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

/// The file that every run under way has a share in. Who has it alone may delete.
const USERS: &str = "users";

/// A share in the folder, until it is dropped: what is in use meanwhile is not deleted. None where
/// there is no folder yet, or no lock to be had; then something may be lost, and is made again.
pub fn share(folder: &Path) -> Option<File> {
    let path = folder.join(USERS);
    let opened = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path);
    let file = opened.or_else(|_| File::open(&path)).ok()?;
    // Not waited for: who has it alone may be stopped.
    file.try_lock_shared().ok()?;
    Some(file)
}

/// The folder alone, until it is dropped; none if another run is under way.
pub fn alone(folder: &Path) -> Option<File> {
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join(USERS))
        .ok()?;
    file.try_lock().ok()?;
    Some(file)
}

/// Is this file of the folder one of those that are always there?
pub fn is_furniture(name: &str) -> bool {
    [NAME, USERS, IGNORE].contains(&name)
}

/// What is kept is nobody's source.
fn ignore(folder: &Path) -> std::io::Result<()> {
    let file = folder.join(IGNORE);
    if file.exists() {
        return Ok(());
    }
    std::fs::write(&file, "*\n").inspect_err(|_| {
        // Half of it would never be written again.
        let _ = std::fs::remove_file(&file);
    })
}
