//! A copy of a built program that may be edited: the programs themselves stay as they are.
//!
//! Compile databases name files by absolute paths, of the place where the program was built. In the copy they must name
//! the copy, or what is edited is not what is checked.

use anyhow::{Context, ensure};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const DATABASE: &str = "compile_commands.json";

/// A copy in a folder of its own, which goes away with it.
pub struct ProgramCopy {
    folder: TempDir,
    /// The copy's directory.
    pub directory: PathBuf,
}

impl ProgramCopy {
    /// Copies the program in `original`.
    pub fn make(name: &str, original: &Path) -> anyhow::Result<ProgramCopy> {
        let folder = tempfile::Builder::new()
            .prefix("rigel-edit-")
            .tempdir()
            .context("cannot make a temporary folder: set TMPDIR to where there is room")?;
        // Without links, as the compiler and rigel will name it.
        let directory = folder.path().canonicalize()?.join(name);
        let real = original.canonicalize()?;
        copy_tree(&real, &real, &directory).with_context(|| {
            format!(
                "cannot copy {} to {}: set TMPDIR to where there is room",
                original.display(),
                directory.display()
            )
        })?;
        let database = directory.join(DATABASE);
        let text =
            fs::read(&database).with_context(|| format!("cannot read {}", database.display()))?;
        let value: Value = serde_json::from_slice(&text).with_context(|| {
            format!(
                "{}: not a compile database: remove {name} there and run bench/programs.sh {name}",
                original.display()
            )
        })?;
        let from = [original, &real].map(|path| path.to_string_lossy().into_owned());
        let value = rewrite(value, &from, &directory.to_string_lossy());
        fs::write(&database, serde_json::to_vec_pretty(&value)?)?;
        Ok(ProgramCopy { folder, directory })
    }

    /// A place for something else, beside the copy and as short-lived.
    pub fn beside(&self, name: &str) -> PathBuf {
        // No program is called so.
        self.folder.path().join(format!("{name}.made"))
    }

    /// A source file of the copy, without links; an error if it lies elsewhere, where nothing may be edited.
    pub fn source(&self, directory: impl AsRef<Path>, file: &str) -> anyhow::Result<PathBuf> {
        let path = directory.as_ref().join(file);
        let real = path
            .canonicalize()
            .with_context(|| format!("cannot find {}", path.display()))?;
        ensure!(
            real.starts_with(&self.directory),
            "{}: lies outside of the program: build it anew with bench/programs.sh",
            real.display()
        );
        Ok(real)
    }
}

/// Files, directories and links; what rigel keeps of the program is left behind.
fn copy_tree(root: &Path, from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, source) = (entry.file_type()?, entry.path());
        let target = to.join(entry.file_name());
        if kind.is_dir() {
            if entry.file_name() != front::record::DIRECTORY {
                copy_tree(root, &source, &target)?;
            }
        } else if kind.is_symlink() {
            symlink(link(root, &source)?, &target)?;
        } else if kind.is_file() {
            fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

/// Where the copy of a link points to: in the program where the original does, else to the same file.
fn link(root: &Path, source: &Path) -> std::io::Result<PathBuf> {
    let named = fs::read_link(source)?;
    let Ok(real) = source.canonicalize() else {
        // It points to nothing, and so will the copy.
        return Ok(named);
    };
    let (Ok(inside), Some(parent)) = (real.strip_prefix(root), source.parent()) else {
        return Ok(real);
    };
    if named.is_relative() {
        return Ok(named);
    }
    // Upwards from the link to the root, then down.
    let depth = parent.strip_prefix(root).map_or(0, |p| p.iter().count());
    let mut relative: PathBuf = std::iter::repeat_n("..", depth).collect();
    relative.push(inside);
    Ok(relative)
}

/// All strings of a value with the paths below one of `from` moved to `to`.
fn rewrite(value: Value, from: &[String], to: &str) -> Value {
    match value {
        Value::String(text) => Value::String(moved(&text, from, to)),
        Value::Array(values) => values
            .into_iter()
            .map(|value| rewrite(value, from, to))
            .collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, value)| (name, rewrite(value, from, to)))
            .collect(),
        other => other,
    }
}

/// A word or a whole command with the paths below one of `from` moved to `to`. A path counts where it is whole: neither
/// the end of a longer one (`/mnt/p` for `/p`) nor the beginning of another name (`/p/lua5` for `/p/lua`).
fn moved(text: &str, from: &[String], to: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        // A word, or a flag such as -I, -DX= and -Wl,: none of them has a slash.
        let word = result.rsplit(SEPARATORS).next().unwrap_or_default();
        let old = from.iter().find(|old| {
            rest.strip_prefix(old.as_str())
                .is_some_and(|behind| behind.is_empty() || behind.starts_with(is_no_name))
        });
        match old {
            Some(old) if !word.contains('/') => {
                result.push_str(to);
                rest = &rest[old.len()..];
            }
            _ => {
                result.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    result
}

/// What stands between words, and between the paths of a word.
const SEPARATORS: [char; 8] = [' ', '\t', '"', '\'', '=', ',', ':', ';'];

fn is_no_name(c: char) -> bool {
    c == '/' || SEPARATORS.contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_whole_paths_of_the_program_move() {
        let from = ["/p/lua".to_string(), "/real/lua".to_string()];
        let to = |text| moved(text, &from, "/t/lua");
        assert_eq!(to("/p/lua"), "/t/lua");
        assert_eq!(to("/p/lua/a.c"), "/t/lua/a.c");
        assert_eq!(to("-I/p/lua/src"), "-I/t/lua/src");
        assert_eq!(to("/real/lua/src"), "/t/lua/src");
        assert_eq!(
            to("cc -I/p/lua -DX=\"/p/lua/x\" -c /p/lua/a.c"),
            "cc -I/t/lua -DX=\"/t/lua/x\" -c /t/lua/a.c"
        );
        assert_eq!(
            to("-Wl,-rpath,/p/lua:/p/lua/b"),
            "-Wl,-rpath,/t/lua:/t/lua/b"
        );
        for other in [
            "/p/lua5/a.c",
            "/p/lua.orig",
            "/mnt/p/lua/a.c",
            "a.c",
            "/é/p/lua",
        ] {
            assert_eq!(to(other), other);
        }
    }

    #[test]
    fn a_database_is_rewritten_everywhere() {
        let before = json!([
            {"directory": "/p/z", "file": "a.c", "arguments": ["cc", "-I/p/z/i", "a.c"]},
            {"directory": "/p/z/b", "file": "/p/z/b.c", "command": "cc -c /p/z/b.c"},
        ]);
        let after = json!([
            {"directory": "/t/z", "file": "a.c", "arguments": ["cc", "-I/t/z/i", "a.c"]},
            {"directory": "/t/z/b", "file": "/t/z/b.c", "command": "cc -c /t/z/b.c"},
        ]);
        assert_eq!(rewrite(before, &["/p/z".to_string()], "/t/z"), after);
    }

    #[test]
    fn a_copy_stands_alone_and_goes_away() {
        let home = tempfile::tempdir().unwrap();
        let original = home.path().join("p");
        fs::create_dir_all(original.join("deep/er")).unwrap();
        fs::create_dir(original.join(".rigel")).unwrap();
        fs::write(original.join("a.c"), "int a;\n").unwrap();
        fs::write(home.path().join("other.c"), "int b;\n").unwrap();
        symlink("../../a.c", original.join("deep/er/relative.c")).unwrap();
        symlink(original.join("a.c"), original.join("deep/er/absolute.c")).unwrap();
        symlink("../other.c", original.join("outside.c")).unwrap();
        let database = json!([{"directory": original, "file": "a.c", "command": "cc a.c"}]);
        fs::write(original.join(DATABASE), database.to_string()).unwrap();

        let copy = ProgramCopy::make("p", &original).unwrap();
        let directory = copy.directory.clone();
        let read: Value =
            serde_json::from_slice(&fs::read(directory.join(DATABASE)).unwrap()).unwrap();
        assert_eq!(read[0]["directory"], json!(directory));
        assert!(!directory.join(".rigel").exists());
        let here = directory.to_str().unwrap();
        for file in ["a.c", "deep/er/relative.c", "deep/er/absolute.c"] {
            assert_eq!(copy.source(here, file).unwrap(), directory.join("a.c"));
        }
        let outside = copy.source(here, "outside.c").unwrap_err().to_string();
        assert!(outside.contains("lies outside of the program"), "{outside}");
        drop(copy);
        assert!(!directory.exists() && !directory.parent().unwrap().exists());
        assert_eq!(fs::read(original.join("a.c")).unwrap(), b"int a;\n");
    }
}
