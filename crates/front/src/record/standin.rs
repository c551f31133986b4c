//! The stand-ins for compilers, and what one does when the build calls it.

use super::RecordError;
use super::log::{Call, append};
use crate::paths::{base_name, find_on_path, is_executable};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Set while a recorded compiler runs: what it calls in turn is not recorded.
const GUARD: &str = "RIGEL_RECORDED";

/// Set while a build is recorded: the log. Without it, or with the log gone, a stand-in does
/// nothing but become its compiler.
pub(crate) const RECORD: &str = "RIGEL_RECORD";

/// What the line of a stand-in starts with that names its compiler.
const STANDS_FOR: &str = "# for ";

/// A directory of stand-ins. It outlives the build, because a build that configures itself writes
/// their paths into its own files (`CMakeCache.txt`, a `Makefile`).
pub struct StandIns {
    rigel: PathBuf,
    directory: PathBuf,
    /// Without the stand-ins of an earlier recording.
    original_path: OsString,
}

impl StandIns {
    /// Makes a stand-in in `directory` for every compiler on `path`. One that is not there gets
    /// none: a build that asks for it must still not find it.
    pub fn create(rigel: &Path, directory: &Path, path: &OsStr) -> Result<StandIns, RecordError> {
        let place = || RecordError::io(directory.display().to_string());
        std::fs::create_dir_all(directory).map_err(place())?;
        let directory = std::fs::canonicalize(directory).map_err(place())?;
        remove_orphans(&directory);
        let stand_ins = StandIns {
            rigel: rigel.to_path_buf(),
            original_path: without(path, &directory),
            directory,
        };
        for (name, real) in compilers_on(&stand_ins.original_path) {
            stand_ins
                .script(&stand_ins.directory.join(&name), &name, &real)
                .map_err(RecordError::io(format!("a stand-in for {name}")))?;
        }
        Ok(stand_ins)
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
                if let Some(stand_in) = self.in_place_of(word) {
                    *word = stand_in;
                }
                break;
            }
        }
        words.join(" ").into()
    }

    /// The word to put in place of a compiler's path; `None` if it must stay.
    fn in_place_of(&self, real: &str) -> Option<String> {
        if Path::new(real).starts_with(&self.directory) {
            return None; // a tree that was configured in an earlier recording
        }
        let directory = self.directory.to_str()?;
        if !directory.contains(char::is_whitespace) {
            return Some(self.own_stand_in(real).ok()?.display().to_string());
        }
        // make and sh would take such a path for several words.
        let name = base_name(real);
        let same = find_on_path(name, &self.original_path)? == Path::new(real);
        same.then(|| name.to_string())
    }

    /// A stand-in for one path. It lies in a directory of its own, because its name may be that
    /// of another compiler on `PATH`, and must stay: clang++ knows its language by its name.
    fn own_stand_in(&self, real: &str) -> std::io::Result<PathBuf> {
        let place = format!("at{}", real.replace(['/', ' '], "_"));
        let directory = self.directory.join(place);
        std::fs::create_dir_all(&directory)?;
        let file = directory.join(base_name(real));
        self.script(&file, real, Path::new(real))?;
        Ok(file)
    }

    /// The script needs nothing but a shell and the compiler: rigel may be gone when it runs.
    fn script(&self, file: &Path, name: &str, real: &Path) -> std::io::Result<()> {
        let mut text =
            b"#!/bin/sh\n# Made by `rigel build`; without a recording it is the compiler itself.\n"
                .to_vec();
        text.extend(STANDS_FOR.as_bytes());
        text.extend(real.as_os_str().as_bytes());
        for (variable, value) in [
            ("\nrigel=", self.rigel.as_os_str().as_bytes()),
            ("\nhere=", self.directory.as_os_str().as_bytes()),
            ("\nname=", name.as_bytes()),
            ("\nreal=", real.as_os_str().as_bytes()),
        ] {
            text.extend(variable.as_bytes());
            text.extend(quoted(value));
        }
        text.extend(format!("\nlog=${{{RECORD}-}}").as_bytes());
        text.extend(
            br#"
if [ -n "$log" ] && [ -f "$log" ] && [ -x "$rigel" ]; then
  exec "$rigel" __record "$here" "$name" "$real" "$@"
fi
path=
set -f
IFS=:
for directory in $PATH; do
  [ "$directory" = "$here" ] || path=$path${path:+:}${directory:-.}
done
unset IFS
PATH=$path
[ -x "$real" ] || real=$(command -v "$name") || {
  printf '%s: command not found\n' "$name" >&2
  exit 127
}
exec "$real" "$@"
"#,
        );
        if std::fs::read(file).is_ok_and(|old| old == text) {
            return Ok(());
        }
        // As a whole: another build may be calling it.
        let partial = file.with_extension(format!("new{}", std::process::id()));
        std::fs::write(&partial, text)?;
        std::fs::set_permissions(&partial, std::fs::Permissions::from_mode(0o755))?;
        std::fs::rename(&partial, file)
    }
}

/// Removes the stand-ins whose compilers were uninstalled: a configure script would find them.
fn remove_orphans(directory: &Path) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    for file in entries.flatten().map(|e| e.path()) {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let real = text.lines().find_map(|l| l.strip_prefix(STANDS_FOR));
        if real.is_some_and(|real| !is_executable(Path::new(real))) {
            // One that stays behind only says that its compiler is not there.
            let _ = std::fs::remove_file(&file);
        }
    }
}

/// What `rigel __record DIRECTORY NAME COMPILER ARGS…` does: writes the call down and becomes the
/// compiler. Comes back only if that is impossible, with the reason.
pub fn run(arguments: impl Iterator<Item = OsString>) -> String {
    let mut arguments = arguments;
    let (Some(directory), Some(name), Some(real)) =
        (arguments.next(), arguments.next(), arguments.next())
    else {
        return "rigel __record is for the stand-ins of `rigel build` only".to_string();
    };
    let arguments: Vec<OsString> = arguments.collect();
    if let (None, Some(log)) = (std::env::var_os(GUARD), std::env::var_os(RECORD)) {
        // A build must not fail because its recording does.
        let _ = write_down(Path::new(&log), &name, &arguments);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = without(&path, Path::new(&directory));
    let mut real = PathBuf::from(real);
    if !is_executable(&real) {
        match find_on_path(&name.to_string_lossy(), &path) {
            Some(other) => real = other,
            None => return format!("{}: command not found", name.to_string_lossy()),
        }
    }
    let error = Command::new(&real)
        .arg0(&name)
        .args(&arguments)
        .env("PATH", &path)
        .env(GUARD, "1")
        .exec();
    format!("{}: {error}", real.display())
}

fn write_down(log: &Path, compiler: &OsStr, arguments: &[OsString]) -> std::io::Result<()> {
    let mut words = vec![compiler.to_string_lossy().into_owned()];
    words.extend(arguments.iter().map(|a| a.to_string_lossy().into_owned()));
    let call = Call {
        directory: std::env::current_dir()?.display().to_string(),
        arguments: words,
    };
    append(log, &call.complete(|name| std::env::var(name).ok()))
}

/// `PATH` without the stand-ins.
fn without(path: &OsStr, directory: &Path) -> OsString {
    let rest = std::env::split_paths(path).filter(|p| p != directory);
    std::env::join_paths(rest).unwrap_or_else(|_| path.to_os_string())
}

/// The compilers on `PATH` (`cc`, `gcc-12`, `x86_64-linux-gnu-g++`, `clang-19`), and where each is.
fn compilers_on(path: &OsStr) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    for directory in std::env::split_paths(path).filter(|d| d.is_absolute()) {
        let Ok(entries) = std::fs::read_dir(&directory) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if is_compiler(&name) && is_executable(&entry.path()) {
                found.entry(name).or_insert_with(|| entry.path());
            }
        }
    }
    found
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

    fn tool(directory: &Path, name: &str, mode: u32) {
        let file = directory.join(name);
        std::fs::write(&file, "#!/bin/sh\necho \"real $0 $*\"\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn stand_ins_are_for_what_is_there() {
        let tools = tempfile::tempdir().unwrap();
        for name in ["gcc", "gcc-12", "gcc-ar"] {
            tool(tools.path(), name, 0o755);
        }
        tool(tools.path(), "clang", 0o644);
        let path = tools.path().as_os_str();
        let home = tempfile::tempdir().unwrap();
        let bin = home.path().join("it's/bin");
        let rigel = Path::new("/bin/it's rigel");
        let stand_ins = StandIns::create(rigel, &bin, path).unwrap();
        let here = stand_ins.directory.clone();
        assert!(here.join("gcc").exists() && here.join("gcc-12").exists());
        assert!(!here.join("clang").exists() && !here.join("gcc-ar").exists());

        let own = stand_ins.compiler(tools.path().join("gcc").as_os_str());
        assert!(Path::new(&own).starts_with(&here), "{own:?}");
        assert_eq!(base_name(&own.to_string_lossy()), "gcc");
        // In a tree that was configured by an earlier recording.
        assert_eq!(stand_ins.compiler(&own), own);
        assert_eq!(
            stand_ins.compiler(OsStr::new("ccache gcc -m64")),
            "ccache gcc -m64"
        );
        assert_eq!(stand_ins.rewrite(OsStr::new("CC=gcc")), "CC=gcc");
        assert_eq!(without(&stand_ins.path(), &here), path);

        // Made anew with the stand-ins on PATH, after a compiler went.
        std::fs::remove_file(tools.path().join("gcc-12")).unwrap();
        let again = StandIns::create(rigel, &bin, &stand_ins.path()).unwrap();
        assert!(here.join("gcc").exists() && !here.join("gcc-12").exists());
        assert_eq!(again.original_path, path);
    }

    #[test]
    fn without_a_recording_or_rigel_a_stand_in_is_its_compiler() {
        let tools = tempfile::tempdir().unwrap();
        let others = tempfile::tempdir().unwrap();
        tool(tools.path(), "gcc", 0o755);
        tool(others.path(), "gcc", 0o755);
        let home = tempfile::tempdir().unwrap();
        let log = home.path().join("log");
        std::fs::write(&log, "").unwrap();
        let bin = home.path().join("a b");
        let stand_ins =
            StandIns::create(Path::new("/no/rigel"), &bin, tools.path().as_os_str()).unwrap();
        let run = |log: Option<&Path>| {
            let mut call = Command::new(stand_ins.directory.join("gcc"));
            let path = [&*stand_ins.directory, others.path(), Path::new("/bin")];
            call.env("PATH", std::env::join_paths(path).unwrap());
            call.args(["-c", "a  b.c"]).env_remove(RECORD);
            if let Some(log) = log {
                call.env(RECORD, log);
            }
            String::from_utf8(call.output().unwrap().stdout).unwrap()
        };
        let expected =
            |directory: &Path| format!("real {} -c a  b.c\n", directory.join("gcc").display());
        assert_eq!(run(None), expected(tools.path()));
        assert_eq!(run(Some(Path::new("/gone"))), expected(tools.path()));
        assert_eq!(run(Some(&log)), expected(tools.path()));
        std::fs::remove_file(tools.path().join("gcc")).unwrap();
        assert_eq!(run(None), expected(others.path()));
    }
}
