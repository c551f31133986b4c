//! The source files, for excerpts. Each is read once, when the first of its lines is asked for.

use report::Sources;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Files as reports name them: relative to a directory, or absolute.
pub struct Files {
    directory: PathBuf,
    read: RefCell<BTreeMap<String, Vec<String>>>,
}

impl Files {
    pub fn new(directory: impl Into<PathBuf>) -> Files {
        Files {
            directory: directory.into(),
            read: RefCell::default(),
        }
    }

    /// Without lines if the file is gone: a report without its excerpt is better than none.
    fn lines(&self, file: &str) -> Vec<String> {
        let bytes = std::fs::read(self.directory.join(file)).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        text.lines().map(str::to_string).collect()
    }
}

impl Sources for Files {
    fn line(&self, file: &str, line: u32) -> Option<String> {
        let mut read = self.read.borrow_mut();
        if !read.contains_key(file) {
            read.insert(file.to_string(), self.lines(file));
        }
        let at = (line as usize).checked_sub(1)?;
        read.get(file)?.get(at).cloned()
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
        let absolute = directory.path().join("a.c").display().to_string();
        assert_eq!(files.line(&absolute, 1).as_deref(), Some("one"));
    }
}
