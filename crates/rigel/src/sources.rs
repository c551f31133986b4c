//! The source files, for excerpts. Each is read once, when the first of its lines is asked for.

use report::Sources;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Files as reports name them: relative to a directory, or absolute.
pub struct Files {
    directory: PathBuf,
    read: RefCell<BTreeMap<String, Lines>>,
}

/// A file and where its lines end: of a large one, a handful of lines is asked for.
struct Lines {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Lines {
    fn new(bytes: Vec<u8>) -> Lines {
        let mut ends: Vec<usize> = memchr::memchr_iter(b'\n', &bytes).collect();
        // The last line may be without an end.
        if bytes.last().is_some_and(|last| *last != b'\n') {
            ends.push(bytes.len());
        }
        Lines { bytes, ends }
    }

    /// The line, counted from zero, without its end.
    fn get(&self, at: usize) -> Option<String> {
        let end = *self.ends.get(at)?;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] + 1);
        let line = &self.bytes[start..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        Some(String::from_utf8_lossy(line).into_owned())
    }
}

impl Files {
    pub fn new(directory: impl Into<PathBuf>) -> Files {
        Files {
            directory: directory.into(),
            read: RefCell::default(),
        }
    }

    /// Without lines if the file is gone: a report without its excerpt is better than none.
    fn lines(&self, file: &str) -> Lines {
        Lines::new(std::fs::read(self.directory.join(file)).unwrap_or_default())
    }
}

impl Sources for Files {
    fn line(&self, file: &str, line: u32) -> Option<String> {
        let mut read = self.read.borrow_mut();
        if !read.contains_key(file) {
            read.insert(file.to_string(), self.lines(file));
        }
        let at = (line as usize).checked_sub(1)?;
        read.get(file)?.get(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_from_one() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("a.c"), b"one\r\ntwo \xff\n").unwrap();
        let files = Files::new(directory.path());
        assert_eq!(files.line("a.c", 1).as_deref(), Some("one"));
        assert_eq!(files.line("a.c", 2).as_deref(), Some("two \u{fffd}"));
        assert_eq!(files.line("a.c", 3), None);
        assert_eq!(files.line("a.c", 0), None);
        assert_eq!(files.line("gone.c", 1), None);
        std::fs::write(directory.path().join("b.c"), b"\n\nlast\r").unwrap();
        assert_eq!(files.line("b.c", 1).as_deref(), Some(""));
        assert_eq!(files.line("b.c", 2).as_deref(), Some(""));
        assert_eq!(files.line("b.c", 3).as_deref(), Some("last"));
        assert_eq!(files.line("b.c", 4), None);
        let absolute = directory.path().join("a.c").display().to_string();
        assert_eq!(files.line(&absolute, 1).as_deref(), Some("one"));
    }
}
