//! Where the C of a model file is kept: compilers read files.
//!
//! It has a place of its own in the user's cache, named by what is in it: the same model is the same unit in every run, and
//! what an earlier run has read of it is found again. Two runs that write it write the same.

use super::translate;
use crate::flags::Language;
use crate::plan::Input;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Translates a model file, and says where the result is.
pub fn prepare(path: &Path, shown: &str, language: Language) -> Result<PathBuf, Input> {
    let unreadable = |e: std::io::Error| Input::UnreadableModel {
        file: shown.to_string(),
        reason: e.to_string(),
    };
    let text = std::fs::read(path).map_err(unreadable)?;
    let text = String::from_utf8(text).map_err(|_| Input::UnreadableModel {
        file: shown.to_string(),
        reason: "it is not UTF-8".to_string(),
    })?;
    let name = path.to_str().ok_or(Input::NotText(shown.to_string()))?;
    let c = translate(&text, name, language).map_err(|wrong| Input::WrongModel {
        file: shown.to_string(),
        wrong,
    })?;
    let unwritable = |e: std::io::Error| Input::UnreadableModel {
        file: shown.to_string(),
        reason: format!("what clang is to read of it cannot be written: {e}"),
    };
    let directory = directory();
    std::fs::create_dir_all(&directory).map_err(unwritable)?;
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned());
    let digest = blake3::hash(c.as_bytes()).to_hex();
    let ending = match language {
        Language::C => "c",
        Language::Cxx => "cc",
    };
    let file = format!("{}-{}.{ending}", stem.unwrap_or_default(), &digest[..16]);
    let place = directory.join(file);
    if std::fs::read(&place).is_ok_and(|there| there == c.as_bytes()) {
        return Ok(place);
    }
    // Never half a file under this name, whoever else writes it.
    let mine = directory.join(format!("{}.{}", &digest[..16], std::process::id()));
    let mut out = std::fs::File::create(&mine).map_err(unwritable)?;
    out.write_all(c.as_bytes()).map_err(unwritable)?;
    drop(out);
    std::fs::rename(&mine, &place).map_err(unwritable)?;
    Ok(place)
}

/// In the user's cache; where there is none, among temporary files.
fn directory() -> PathBuf {
    let absolute = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let cache = absolute("XDG_CACHE_HOME").or(absolute("HOME").map(|home| home.join(".cache")));
    let cache = cache.unwrap_or_else(std::env::temp_dir);
    cache.join("rigel").join("models")
}
