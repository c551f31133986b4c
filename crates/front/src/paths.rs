//! Small helpers for paths: one spelling for each file, short names for people, `PATH` look-up.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// `directory/file` without `.` and `..`, without asking the file system: the file may be gone.
pub fn absolute(directory: &Path, file: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in directory.join(file).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                // `..` at the root stays at the root.
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

/// The identity of a file: its real path where it exists, the cleaned one where it does not.
pub fn identity(directory: &Path, file: &Path) -> PathBuf {
    std::fs::canonicalize(directory.join(file)).unwrap_or_else(|_| absolute(directory, file))
}

/// The name to show a person who stands in `cwd`: relative if the file lies below it.
pub fn shown(path: &Path, cwd: &Path) -> String {
    match path.strip_prefix(cwd) {
        Ok(short) if short.as_os_str().is_empty() => ".".to_string(),
        Ok(short) => short.display().to_string(),
        Err(_) => path.display().to_string(),
    }
}

/// The executable that a shell would start for this name.
pub fn find_on_path(name: &str, path: &OsStr) -> Option<PathBuf> {
    if name.contains('/') {
        return is_executable(Path::new(name)).then(|| PathBuf::from(name));
    }
    std::env::split_paths(path)
        .map(|dir| dir.join(name))
        .find(|file| is_executable(file))
}

pub fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// The last part of a path, as text.
pub fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned_and_shortened() {
        let at = |d: &str, f: &str| absolute(Path::new(d), Path::new(f));
        assert_eq!(at("/a/b", "../c/./x.c"), Path::new("/a/c/x.c"));
        assert_eq!(at("/a", "/d/x.c"), Path::new("/d/x.c"));
        assert_eq!(at("/", "../../x.c"), Path::new("/x.c"));
        assert_eq!(shown(Path::new("/a/b/c.c"), Path::new("/a")), "b/c.c");
        assert_eq!(shown(Path::new("/a/b/c.c"), Path::new("/x")), "/a/b/c.c");
    }

    #[test]
    fn a_plain_file_is_not_executable() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("tool"), "").unwrap();
        assert_eq!(find_on_path("tool", dir.path().as_os_str()), None);
        assert!(find_on_path("sh", OsStr::new("/nowhere:/bin:/usr/bin")).is_some());
    }
}
