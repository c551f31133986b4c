//! The runs themselves: checks and compilers as a user starts them, by the clock on the wall.
//!
//! Edits stay, as in a morning of work: each is one more function that differs from what was kept. Clang emits the
//! edited unit just before and just after the check, and the mean counts: a busy moment is busy for both.

use super::copy::ProgramCopy;
use super::places::{self, Place};
use super::said::Said;
use crate::{checked, compiler, programs};
use anyhow::{Context, bail, ensure};
use front::pool::Task;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What clang does for rigel, without the flags that are rigel's own.
const EMISSION: [&str; 9] = [
    "-g",
    "-O1",
    "-Xclang",
    "-disable-llvm-passes",
    "-fno-discard-value-names",
    "-emit-llvm",
    "-w",
    "-c",
    "-o",
];
/// The same as text, without positions: to see what was edited.
const ASSEMBLY: [&str; 7] = ["-g0", "-O0", "-emit-llvm", "-w", "-S", "-o", "-"];
/// As text with positions: to see where functions are.
const POSITIONS: [&str; 7] = ["-g", "-O0", "-emit-llvm", "-w", "-S", "-o", "-"];
/// A debug build.
const OBJECT: [&str; 5] = ["-g", "-O0", "-w", "-c", "-o"];

/// Runs with nothing edited; the fastest counts.
const IDLE_RUNS: usize = 3;

/// Nobody saves a file and starts a check within less, and what is read in the very moment in which it is saved is not kept.
const SETTLE: Duration = Duration::from_millis(50);

/// One edit; times in seconds.
#[derive(Clone, Debug)]
pub struct Edit {
    pub function: String,
    /// Of the original file.
    pub line: usize,
    /// Clang's emission of the edited unit.
    pub clang: f64,
    /// The check of the whole program.
    pub check: f64,
}

impl Edit {
    /// What the check may take.
    pub fn limit(&self) -> f64 {
        super::FACTOR * self.clang + super::ALLOWANCE
    }

    pub fn is_within(&self) -> bool {
        self.check <= self.limit()
    }
}

/// One program; times in seconds, sizes in bytes.
#[derive(Clone, Debug)]
pub struct Measured {
    pub name: String,
    pub units: usize,
    /// The file that is edited, within the program.
    pub file: String,
    /// The first check.
    pub cold: f64,
    /// A check with nothing edited.
    pub nothing: f64,
    /// In the order of the file.
    pub edits: Vec<Edit>,
    /// What is kept, after the first run or after the last, whichever is more.
    pub store: u64,
    /// The object files of a debug build.
    pub objects: u64,
}

pub fn measure(rigel: &Path, name: &str, edits: usize) -> anyhow::Result<Measured> {
    let original = programs::locate(name)?;
    eprintln!("{name}: copying, and making a debug build");
    let copy = ProgramCopy::make(name, &original)?;
    let tasks = programs::tasks_in(name, &copy.directory)?;
    let largest = tasks
        .iter()
        .rev()
        .max_by_key(|task| task.bytes)
        .with_context(|| {
            format!(
                "{name} has no unit: remove {} and run bench/programs.sh {name}",
                original.display()
            )
        })?;
    let source = copy.source(&largest.job.directory, &largest.job.file)?;
    let shown = source.strip_prefix(&copy.directory).unwrap_or(&source);
    let text = fs::read(&source).with_context(|| format!("cannot read {}", source.display()))?;
    let places = places::compiled(places::find(&text), &compiler::run(largest, &POSITIONS)?);
    ensure!(
        places.len() >= edits,
        "{name}: {} has {} functions to edit: try fewer --edits",
        shown.display(),
        places.len()
    );
    let mut objects = 0;
    for task in &tasks {
        objects += object_size(task, &copy.beside("object"))?;
    }
    ensure!(objects > 0, "{name}: clang wrote empty object files");

    eprintln!("{name}: the first check, and those with nothing edited");
    let mut subject = Subject {
        rigel,
        name,
        store: copy.beside("store"),
        text,
        unit: largest,
        source: &source,
        copy: &copy,
        edited: Vec::new(),
    };
    std::thread::sleep(SETTLE);
    let (cold, first) = subject.check()?;
    let kept = size(&subject.store)?;
    ensure!(
        kept > 0,
        "{name}: rigel keeps nothing in {}: is there room?",
        subject.store.display()
    );
    let mut nothing = f64::INFINITY;
    for _ in 0..IDLE_RUNS {
        let (seconds, again) = subject.check()?;
        subject.must_be_same("with nothing edited", "the first one", &again, &first)?;
        nothing = nothing.min(seconds);
    }
    let mut done = Vec::new();
    for (i, candidates) in places::spread(places.len(), edits).into_iter().enumerate() {
        eprintln!("{name}: edit {} of {edits}", i + 1);
        let candidates: Vec<Place> = candidates.into_iter().map(|at| places[at]).collect();
        done.push(subject.edit(i + 1, &candidates)?);
    }
    Ok(Measured {
        name: name.to_string(),
        units: tasks.len(),
        file: shown.to_string_lossy().into_owned(),
        cold,
        nothing,
        edits: done,
        store: kept.max(size(&subject.store)?),
        objects,
    })
}

/// A program whose largest file is edited.
struct Subject<'a> {
    rigel: &'a Path,
    name: &'a str,
    copy: &'a ProgramCopy,
    store: PathBuf,
    /// The largest unit, its file, and what was in it.
    unit: &'a Task,
    source: &'a Path,
    text: Vec<u8>,
    /// The edits so far, by number.
    edited: Vec<(usize, Place)>,
}

impl Subject<'_> {
    /// A check with the store: how long it takes, in seconds, and what it says.
    fn check(&self) -> anyhow::Result<(f64, Said)> {
        let cache = self.store.to_string_lossy();
        let start = Instant::now();
        let output = checked::run(self.rigel, &self.copy.directory, &["--cache", &cache])?;
        Ok((start.elapsed().as_secs_f64(), Said::new(output)))
    }

    /// What a check says that knows nothing.
    fn fresh(&self) -> anyhow::Result<Said> {
        let other = self.copy.beside("fresh");
        let cache = other.to_string_lossy();
        let arguments = ["--fresh", "--cache", &cache];
        let output = checked::run(self.rigel, &self.copy.directory, &arguments)?;
        fs::remove_dir_all(&other).with_context(|| format!("cannot remove {}", other.display()))?;
        Ok(Said::new(output))
    }

    /// Seconds that clang takes to write the unit's bitcode.
    fn emission(&self) -> anyhow::Result<f64> {
        let bitcode = self.copy.beside("bitcode");
        let bitcode = bitcode.to_string_lossy();
        let flags: Vec<&str> = EMISSION.into_iter().chain([bitcode.as_ref()]).collect();
        let start = Instant::now();
        compiler::run(self.unit, &flags)?;
        Ok(start.elapsed().as_secs_f64())
    }

    /// Edits the first of the places at which that changes a function, and measures.
    fn edit(&mut self, number: usize, candidates: &[Place]) -> anyhow::Result<Edit> {
        let (place, function) = self.insert(number, candidates)?;
        std::thread::sleep(SETTLE);
        let before = self.emission()?;
        let (check, said) = self.check()?;
        let after = self.emission()?;
        let when = format!(
            "after edit {number}, of `{function}` (line {} of {})",
            place.line, self.unit.job.file
        );
        self.must_be_same(&when, "that of --fresh", &said, &self.fresh()?)?;
        Ok(Edit {
            function,
            line: place.line,
            clang: (before + after) / 2.0,
            check,
        })
    }

    /// Where the statement is now, and the function that has it.
    fn insert(&mut self, number: usize, candidates: &[Place]) -> anyhow::Result<(Place, String)> {
        for place in candidates {
            self.edited.push((number, *place));
            fs::write(self.source, places::insert(&self.text, &self.edited))
                .with_context(|| format!("cannot write {}", self.source.display()))?;
            // A place that the compiler refuses was no beginning of a body.
            let assembly = compiler::run(self.unit, &ASSEMBLY).unwrap_or_default();
            if let Some(function) = places::edited_function(&assembly, number) {
                return Ok((*place, function));
            }
            self.edited.pop();
        }
        bail!(
            "{}: no function for edit {number} among {} places of {}: try fewer --edits",
            self.name,
            candidates.len(),
            self.unit.job.file
        )
    }

    /// An error if two checks of one program say different things.
    fn must_be_same(&self, when: &str, of: &str, said: &Said, wanted: &Said) -> anyhow::Result<()> {
        match said.difference(wanted) {
            None => Ok(()),
            Some(difference) => bail!(
                "{}: {when}, the report is not {of}: {difference}. \
                 This is an error of rigel: what it keeps is wrong",
                self.name
            ),
        }
    }
}

/// Bytes of the unit's object file in a debug build.
fn object_size(task: &Task, object: &Path) -> anyhow::Result<u64> {
    let path = object.to_string_lossy();
    let flags: Vec<&str> = OBJECT.into_iter().chain([path.as_ref()]).collect();
    compiler::run(task, &flags)?;
    let size = fs::metadata(object)
        .with_context(|| format!("clang wrote no {}", object.display()))?
        .len();
    fs::remove_file(object)?;
    Ok(size)
}

/// Bytes of all files below a directory; 0 if there is none.
fn size(directory: &Path) -> anyhow::Result<u64> {
    if !directory.exists() {
        return Ok(0);
    }
    let mut sum = 0;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        sum += match entry.file_type()?.is_dir() {
            true => size(&entry.path())?,
            false => entry.metadata()?.len(),
        };
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_of_all_files_below() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/b"), [0; 5]).unwrap();
        fs::write(folder.path().join("c"), [0; 7]).unwrap();
        assert_eq!(size(folder.path()).unwrap(), 12);
        assert_eq!(size(&folder.path().join("none")).unwrap(), 0);
    }

    #[test]
    fn the_limit_grows_with_the_unit() {
        let mut edit = Edit {
            function: "f".to_string(),
            line: 1,
            clang: 2.0,
            check: 3.1,
        };
        // 1.5 * 2 s + 150 ms.
        assert!(edit.is_within());
        edit.check = 3.2;
        assert!(!edit.is_within());
    }
}
