//! What users know of functions: those of their model files (`--models`) that are tables, by their ending.

use library::Library;
use std::path::{Path, PathBuf};

/// A file of models that cannot be used, and why, in one line.
pub struct Unusable {
    pub file: PathBuf,
    pub message: String,
}

/// Model files of this kind.
pub fn is_table(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "toml")
}

/// From now on what these files say is known, and what rigel comes with. What is wrong with one is said, and the others count.
pub fn install(models: &[PathBuf]) -> Vec<Unusable> {
    let mut unusable = Vec::new();
    let mut good: Vec<(String, String)> = Vec::new();
    let mut known: Option<Library> = None;
    for file in models.iter().filter(|file| is_table(file)) {
        let shown = file.display().to_string();
        let text = std::fs::read(file)
            .map_err(|e| format!("{shown}: no model: {e}"))
            .and_then(|bytes| {
                String::from_utf8(bytes).map_err(|_| format!("{shown}: no model: it is not UTF-8"))
            });
        let with = text.and_then(|text| {
            good.push((shown, text));
            let all = good
                .iter()
                .map(|(file, text)| (file.as_str(), text.as_str()));
            let with = Library::with(&all.collect::<Vec<_>>());
            with.map_err(|problem| {
                good.pop();
                problem.to_string()
            })
        });
        match with {
            Ok(library) => known = Some(library),
            Err(message) => unusable.push(Unusable {
                file: file.clone(),
                message,
            }),
        }
    }
    // Under `--watch` it is mostly what it was.
    if library::current().said() != good {
        library::install(known);
    }
    unusable
}
