//! Where things are kept, and which build of rigel may read them.

use super::stamp;
use crate::cli;
use std::path::{Path, PathBuf};
use store::{Key, Keyer};

/// The directory beside a project.
const DIRECTORY: &str = front::record::DIRECTORY;
/// The name that stands for keeping nothing.
const NONE: &str = "none";

/// The directory to keep things in; none if the user wants none.
pub fn directory(keeping: &cli::Keeping, input: &cli::Input, cwd: &Path) -> Option<PathBuf> {
    let named = keeping.cache.clone().or_else(|| {
        let set = std::env::var_os("RIGEL_CACHE")?;
        (!set.is_empty()).then(|| PathBuf::from(set))
    });
    match named {
        Some(named) if named == Path::new(NONE) => None,
        Some(named) => Some(cwd.join(named)),
        None => Some(beside(input, cwd)),
    }
}

/// `.rigel` beside the compile database; where files are named, in the current directory.
fn beside(input: &cli::Input, cwd: &Path) -> PathBuf {
    let database = match &input.database {
        Some(place) => Some(cwd.join(place)),
        None if input.files.is_empty() => front::database::find_upwards(cwd),
        None => None,
    };
    let home = match &database {
        Some(place) if place.is_dir() => place,
        Some(file) => file.parent().unwrap_or(cwd),
        None => cwd,
    };
    // A recorded build has its database in there.
    match home.file_name().is_some_and(|name| name == DIRECTORY) {
        true => home.to_path_buf(),
        false => home.join(DIRECTORY),
    }
}

/// This build of rigel, so that a developer's builds never believe each other. None if it cannot
/// be told.
pub fn identity() -> Option<Key> {
    let own = std::env::current_exe().ok()?;
    let front = front::pool::executable().ok()?;
    let keyer = Keyer::new("rigel").part(env!("CARGO_PKG_VERSION"));
    Some(stamp(stamp(keyer, &own), &front).key())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(files: &[&str], database: Option<&str>) -> cli::Input {
        cli::Input {
            files: files.iter().map(PathBuf::from).collect(),
            database: database.map(PathBuf::from),
            jobs: None,
            models: Vec::new(),
        }
    }

    #[test]
    fn beside_the_database_or_here() {
        let directory = tempfile::tempdir().unwrap();
        let cwd = directory.path();
        std::fs::create_dir(cwd.join("out")).unwrap();
        let at = |files: &[&str], database| {
            let place = beside(&input(files, database), cwd);
            place.strip_prefix(cwd).unwrap().display().to_string()
        };
        assert_eq!(at(&["a.c"], None), ".rigel");
        assert_eq!(at(&[], Some("out")), "out/.rigel");
        assert_eq!(at(&["a.c"], Some("out")), "out/.rigel");
        assert_eq!(at(&[], Some("out/compile_commands.json")), "out/.rigel");
        assert_eq!(at(&[], Some(".rigel/compile_commands.json")), ".rigel");
    }
}
