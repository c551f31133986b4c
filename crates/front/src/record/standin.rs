//! The stand-ins for compilers, and what one does when the build calls it.

use super::RecordError;
use super::log::{Call, append};
use crate::paths::{base_name, find_on_path, is_executable};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Set while a recorded compiler runs: what it calls in turn is not recorded.
const GUARD: &str = "RIGEL_RECORDED";

/// The name of the log in the directory of stand-ins.
const LOG: &str = "calls.jsonl";

/// A directory of stand-ins, removed when this is dropped.
pub struct StandIns {
    rigel: PathBuf,
    directory: PathBuf,
    original_path: OsString,
}

impl StandIns {
    /// Makes a stand-in for every compiler on `path`. One that is not there gets none: a build
    /// that asks for it must still not find it.
    pub fn create(rigel: &Path, path: &OsStr) -> Result<StandIns, RecordError> {
        let stand_ins = StandIns {
            rigel: rigel.to_path_buf(),
            directory: fresh_directory().map_err(RecordError::io("a temporary directory"))?,
            original_path: path.to_os_string(),
        };
        std::fs::write(stand_ins.log(), "").map_err(RecordError::io("its log"))?;
        for name in compilers_on(path) {
            stand_ins
                .script(&stand_ins.directory.join(&name), OsStr::new(&name))
                .map_err(RecordError::io(format!("a stand-in for {name}")))?;
        }
        Ok(stand_ins)
    }

    pub fn log(&self) -> PathBuf {
        self.directory.join(LOG)
    }

    /// The build's `PATH`.
    pub fn path(&self) -> OsString {
        let mut path = self.directory.clone().into_os_string();
        if !self.original_path.is_empty() {
            path.push(":");
            path.push(&self.original_path);
        }
        path
    }

    /// `CC=/opt/bin/gcc` among the words of a make command line, with the stand-in put in.
    pub fn rewrite(&self, word: &OsStr) -> OsString {
        let bytes = word.as_bytes();
        for name in ["CC=", "CXX=", "HOSTCC=", "HOSTCXX="] {
            if let Some(value) = bytes.strip_prefix(name.as_bytes()) {
                let mut out = OsString::from(name);
                out.push(self.compiler(OsStr::from_bytes(value)));
                return out;
            }
        }
        word.to_os_string()
    }

    /// A value of `$CC`: each word that names a compiler by its path is replaced by a stand-in of
    /// its own. Plain names (`gcc-12`, also in `ccache gcc`) are found on `PATH` anyway.
    pub fn compiler(&self, value: &OsStr) -> OsString {
        let Some(text) = value.to_str() else {
            return value.to_os_string();
        };
        let mut words: Vec<String> = text.split_whitespace().map(String::from).collect();
        for word in &mut words {
            // Options, and paths behind options, stay.
            if word.starts_with('-') {
                break;
            }
            if word.starts_with('/') && is_executable(Path::new(word)) && !is_cache(word) {
                if let Ok(stand_in) = self.own_stand_in(word) {
                    *word = stand_in.display().to_string();
                }
                break;
            }
        }
        words.join(" ").into()
    }

    /// A stand-in for one path. It lies in a directory of its own, because its name may be that
    /// of another compiler on `PATH`, and must stay: clang++ knows its language by its name.
    fn own_stand_in(&self, real: &str) -> std::io::Result<PathBuf> {
        let place = format!("at{}", real.replace(['/', ' '], "_"));
        let directory = self.directory.join(place);
        std::fs::create_dir_all(&directory)?;
        let file = directory.join(base_name(real));
        self.script(&file, OsStr::new(real))?;
        Ok(file)
    }

    fn script(&self, file: &Path, real: &OsStr) -> std::io::Result<()> {
        let mut text = b"#!/bin/sh\nexec ".to_vec();
        let words = [
            self.rigel.as_os_str(),
            OsStr::new("__record"),
            self.directory.as_os_str(),
            real,
        ];
        for word in words {
            text.extend(quoted(word.as_bytes()));
            text.push(b' ');
        }
        text.extend(b"\"$@\"\n");
        std::fs::write(file, text)?;
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755))
    }
}

impl Drop for StandIns {
    fn drop(&mut self) {
        // Left-overs in the temporary directory harm nobody.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// What `rigel __record DIRECTORY COMPILER ARGS…` does: writes the call down and becomes the
/// compiler. Comes back only if that is impossible, with the reason.
pub fn run(arguments: impl Iterator<Item = OsString>) -> String {
    let mut arguments = arguments;
    let (Some(directory), Some(compiler)) = (arguments.next(), arguments.next()) else {
        return "rigel __record is for the stand-ins of `rigel build` only".to_string();
    };
    let directory = PathBuf::from(directory);
    let arguments: Vec<OsString> = arguments.collect();
    if std::env::var_os(GUARD).is_none() {
        // A build must not fail because its recording does.
        let _ = write_down(&directory, &compiler, &arguments);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = without(&path, &directory);
    let name = compiler.to_string_lossy();
    let Some(real) = find_on_path(&name, &path) else {
        return format!("{name}: command not found");
    };
    let error = Command::new(&real)
        .arg0(&compiler)
        .args(&arguments)
        .env("PATH", &path)
        .env(GUARD, "1")
        .exec();
    format!("{}: {error}", real.display())
}

fn write_down(directory: &Path, compiler: &OsStr, arguments: &[OsString]) -> std::io::Result<()> {
    let mut words = vec![compiler.to_string_lossy().into_owned()];
    words.extend(arguments.iter().map(|a| a.to_string_lossy().into_owned()));
    let call = Call {
        directory: std::env::current_dir()?.display().to_string(),
        arguments: words,
    };
    append(
        &directory.join(LOG),
        &call.complete(|name| std::env::var(name).ok()),
    )
}

/// `PATH` without the stand-ins.
fn without(path: &OsStr, directory: &Path) -> OsString {
    let rest = std::env::split_paths(path).filter(|p| p != directory);
    std::env::join_paths(rest).unwrap_or_else(|_| path.to_os_string())
}

/// The names on `PATH` that are compilers: `cc`, `gcc-12`, `x86_64-linux-gnu-g++`, `clang-19`.
fn compilers_on(path: &OsStr) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for directory in std::env::split_paths(path) {
        let Ok(entries) = std::fs::read_dir(&directory) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if is_compiler(&name) && is_executable(&entry.path()) {
                names.insert(name);
            }
        }
    }
    names
}

/// Is this the name of a C or C++ compiler, with a target before and a version behind it?
fn is_compiler(name: &str) -> bool {
    let version = |s: &str| !s.is_empty() && s.chars().all(|c| c.is_ascii_digit() || c == '.');
    let stem = match name.rsplit_once('-') {
        Some((stem, last)) if version(last) => stem,
        _ => name,
    };
    let last = stem.rsplit('-').next().unwrap_or(stem);
    let plain = !stem.contains('-');
    // A target has at least two parts: `x86_64-linux-gnu-gcc`, but not `winegcc-cc`.
    let target = stem.matches('-').count() >= 2;
    let known = matches!(last, "cc" | "gcc" | "clang" | "c++" | "g++" | "clang++");
    let standard = plain && matches!(last, "c89" | "c99" | "c17");
    standard || known && (plain || target)
}

fn is_cache(word: &str) -> bool {
    matches!(base_name(word), "ccache" | "sccache" | "distcc" | "icecc")
}

fn quoted(word: &[u8]) -> Vec<u8> {
    let mut out = vec![b'\''];
    for &byte in word {
        match byte {
            b'\'' => out.extend(b"'\\''"),
            byte => out.push(byte),
        }
    }
    out.push(b'\'');
    out
}

fn fresh_directory() -> std::io::Result<PathBuf> {
    let base = std::fs::canonicalize(std::env::temp_dir())?;
    let mut last = std::io::Error::other("no free name");
    for n in 0..100 {
        let directory = base.join(format!("rigel-build.{}.{n}", std::process::id()));
        match std::fs::create_dir(&directory) {
            Ok(()) => return Ok(directory),
            Err(e) => last = e,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_compilers() {
        for name in [
            "cc",
            "gcc",
            "g++",
            "clang",
            "clang++",
            "c++",
            "c99",
            "gcc-12",
            "clang-19",
            "clang++-19",
            "x86_64-linux-gnu-gcc",
            "x86_64-linux-gnu-g++-12",
            "arm-none-eabi-gcc",
        ] {
            assert!(is_compiler(name), "{name}");
        }
        for name in [
            "gcc-ar",
            "gcc-nm-12",
            "clang-format",
            "clang-19-tidy",
            "cpp",
            "ccache",
            "c89-gcc",
            "x86_64-linux-gnu-gcc-ar",
            "clang-cpp-19",
            "cc1",
        ] {
            assert!(!is_compiler(name), "{name}");
        }
    }

    #[test]
    fn stand_ins_are_for_what_is_there_and_go_away() {
        let tools = tempfile::tempdir().unwrap();
        for name in ["gcc", "gcc-12", "gcc-ar", "data"] {
            let file = tools.path().join(name);
            std::fs::write(&file, "#!/bin/sh\n").unwrap();
            let mode = if name == "data" { 0o644 } else { 0o755 };
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let path = tools.path().as_os_str();
        let stand_ins = StandIns::create(Path::new("/bin/it's rigel"), path).unwrap();
        let here = stand_ins.directory.clone();
        assert!(here.join("gcc").exists() && here.join("gcc-12").exists());
        assert!(!here.join("clang").exists() && !here.join("gcc-ar").exists());
        let script = std::fs::read_to_string(here.join("gcc")).unwrap();
        assert!(
            script.contains(r"'/bin/it'\''s rigel' '__record'"),
            "{script}"
        );

        let own = stand_ins.compiler(tools.path().join("gcc").as_os_str());
        assert!(Path::new(&own).starts_with(&here), "{own:?}");
        assert_eq!(base_name(&own.to_string_lossy()), "gcc");
        assert_eq!(
            stand_ins.compiler(OsStr::new("ccache gcc -m64")),
            "ccache gcc -m64"
        );
        assert_eq!(stand_ins.rewrite(OsStr::new("CC=gcc")), "CC=gcc");
        assert_eq!(without(&stand_ins.path(), &here), path);
        drop(stand_ins);
        assert!(!here.exists());
    }
}
