//! The contents of files as hashes. Each file is read once in a run, however many units include
//! it, by whoever asks first.
//!
//! A hash says what was in a file when it was read. That this is also what clang read needs an
//! argument: the file was last changed *before* clang began, and has not changed since. Clocks of
//! file systems are coarse, so "before" takes a margin ([`is_settled`]).
//!
//! While the bytes are there, they are searched for what they ask ([`asked`](super::asked)).

use super::asked::{Asked, Words};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The blake3 hash of a content.
pub type Digest = [u8; 32];

/// The time of a file is that of the last tick of the system's clock: up to 10 ms ago.
const TICK: Duration = Duration::from_millis(12);

/// Was a change at `changed` surely over at `moment`?
pub fn is_settled(changed: SystemTime, moment: SystemTime) -> bool {
    changed + TICK < moment
}

/// A content, and what it asks.
#[derive(Clone)]
pub struct Content {
    pub digest: Digest,
    /// None in nearly all files.
    pub asked: Option<Arc<Asked>>,
}

/// A file as it was when it was read.
#[derive(Clone)]
struct Seen {
    content: Content,
    changed: SystemTime,
    /// Before the first byte was read.
    read: SystemTime,
}

/// What a directory has in it, by name; none if that cannot be known.
type Listing = Option<Arc<FxHashSet<OsString>>>;

/// The files of one run.
#[derive(Default)]
pub struct Files {
    // By the bytes of a path: to hash it part by part costs more than to spell it twice.
    seen: Mutex<FxHashMap<OsString, Arc<OnceLock<Option<Seen>>>>>,
    changed: Mutex<FxHashMap<OsString, Option<SystemTime>>>,
    listings: Mutex<FxHashMap<OsString, Listing>>,
}

impl Files {
    /// The content of a file; none if it cannot be read.
    pub fn digest(&self, path: &Path) -> Option<Digest> {
        self.seen(path).map(|seen| seen.content.digest)
    }

    /// The content that a file had at `moment` and ever since; none if that cannot be known.
    pub fn content_before(&self, path: &Path, moment: SystemTime) -> Option<Content> {
        let now = std::fs::metadata(path).ok()?;
        let changed = last_change(&now);
        if !is_settled(changed, moment) {
            return None;
        }
        let seen = self.seen(path)?;
        if seen.changed == changed && is_settled(changed, seen.read) {
            return Some(seen.content);
        }
        // It was read before it got the content that clang has seen.
        let again = read(path)?;
        (again.changed == changed).then_some(again.content)
    }

    /// When the file at this path was last changed; none if there is no file.
    pub fn changed(&self, path: &Path) -> Option<SystemTime> {
        if let Ok(known) = self.changed.lock()
            && let Some(changed) = known.get(path.as_os_str())
        {
            return *changed;
        }
        let found = std::fs::metadata(path).ok().filter(|m| !m.is_dir());
        let changed = found.as_ref().map(last_change);
        if let Ok(mut known) = self.changed.lock() {
            known.insert(path.into(), changed);
        }
        changed
    }

    /// Those of the names, paths below `directory`, that can be there: whose first part is. One
    /// look at a directory answers for all headers of all units.
    pub fn any_of<'a>(&self, directory: &Path, names: &[&'a str]) -> Vec<&'a str> {
        let listing = self.listing(directory);
        let first = |name: &str| match (&listing, name.split('/').next()) {
            // What is not a plain name has to be looked at.
            (None, _) | (_, None | Some("" | "." | "..")) => true,
            (Some(listed), Some(first)) => listed.contains(OsStr::new(first)),
        };
        names.iter().copied().filter(|name| first(name)).collect()
    }

    fn listing(&self, directory: &Path) -> Listing {
        if let Ok(known) = self.listings.lock()
            && let Some(listing) = known.get(directory.as_os_str())
        {
            return listing.clone();
        }
        let listing: Listing = match std::fs::read_dir(directory) {
            Ok(entries) => {
                let names: std::io::Result<FxHashSet<OsString>> =
                    entries.map(|entry| Ok(entry?.file_name())).collect();
                names.ok().map(Arc::new)
            }
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Some(Arc::default())
            }
            Err(_) => None,
        };
        if let Ok(mut known) = self.listings.lock() {
            known.insert(directory.into(), listing.clone());
        }
        listing
    }

    fn seen(&self, path: &Path) -> Option<Seen> {
        let cell = match self.seen.lock() {
            Ok(mut seen) => match seen.get(path.as_os_str()) {
                Some(cell) => Arc::clone(cell),
                None => Arc::clone(seen.entry(path.into()).or_default()),
            },
            // Another thread died holding it: do without.
            Err(_) => Arc::default(),
        };
        cell.get_or_init(|| read(path)).clone()
    }
}

fn read(path: &Path) -> Option<Seen> {
    thread_local! {
        // Most files are small and many: fresh memory for each would cost more than reading it.
        static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    TEXT.with_borrow_mut(|text| {
        text.clear();
        let start = SystemTime::now();
        let mut file = std::fs::File::open(path).ok()?;
        file.read_to_end(text).ok()?;
        let changed = last_change(&file.metadata().ok()?);
        Some(Seen {
            content: Content {
                digest: *blake3::hash(text).as_bytes(),
                asked: Words::own().asked(text).map(Arc::new),
            },
            changed,
            read: start,
        })
    })
}

/// The later of the times that a file has: its content's, and its own (a rename, a link).
fn last_change(known: &Metadata) -> SystemTime {
    let time = |seconds: i64, nanoseconds: i64| {
        let since = u64::try_from(seconds).unwrap_or(0);
        UNIX_EPOCH + Duration::new(since, u32::try_from(nanoseconds).unwrap_or(0))
    };
    let content = time(known.mtime(), known.mtime_nsec());
    content.max(time(known.ctime(), known.ctime_nsec()))
}
