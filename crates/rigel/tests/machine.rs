//! The interpreter against the machine: every program in `programs/` prints and returns the same
//! through `rigel run` as compiled by clang.
//!
//! A program is a file, or a directory of files that are linked. Its first lines may say what it
//! needs: `// flags: -std=c++20` for the compiler, `// args: one two` for `main`. `NAME.in` beside
//! it is its standard input. `PROGRAM=part/of/a/path` selects.

mod common;

use common::native::{self, Ran};
use std::fmt::Write;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Program {
    path: PathBuf,
    files: Vec<PathBuf>,
    flags: Vec<String>,
    args: Vec<String>,
    input: Option<PathBuf>,
}

fn is_source(path: &Path) -> bool {
    matches!(path.extension().and_then(|e| e.to_str()), Some("c" | "cpp"))
}

fn sorted(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths
}

/// The words behind `// key:` in the leading comment lines of a file.
fn directive(text: &str, key: &str) -> Vec<String> {
    let prefix = format!("// {key}: ");
    text.lines()
        .take_while(|line| line.starts_with("//"))
        .find_map(|line| line.strip_prefix(&prefix))
        .map(|words| words.split_whitespace().map(String::from).collect())
        .unwrap_or_default()
}

fn program(path: PathBuf) -> Option<Program> {
    let files = if path.is_dir() {
        let mut files = sorted(&path);
        files.retain(|f| is_source(f));
        files
    } else if is_source(&path) {
        vec![path.clone()]
    } else {
        return None;
    };
    let text: String = files
        .iter()
        .map(|f| std::fs::read_to_string(f).unwrap())
        .collect();
    let input = path.with_extension("in");
    Some(Program {
        flags: directive(&text, "flags"),
        args: directive(&text, "args"),
        input: input.exists().then_some(input),
        path,
        files,
    })
}

impl Program {
    fn stdin(&self) -> Stdio {
        match &self.input {
            Some(path) => File::open(path).unwrap().into(),
            None => Stdio::null(),
        }
    }

    fn on_the_machine(&self, compiler: &str, directory: &Path) -> Ran {
        let executable = directory.join("program");
        let files: Vec<&Path> = self.files.iter().map(PathBuf::as_path).collect();
        native::compile(compiler, &self.flags, &files, &executable);
        let mut command = Command::new(&executable);
        let output = command.args(&self.args).stdin(self.stdin()).output();
        Ran::of(&output.unwrap())
    }

    /// What rigel says of the program, and its own words.
    fn interpreted(&self) -> (Ran, String) {
        let flags = format!("--flags=-w {}", self.flags.join(" "));
        let mut command = common::command(&["run", &flags]);
        command.args(&self.files).arg("--").args(&self.args);
        let output = command.stdin(self.stdin()).output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        (Ran::of(&output), words)
    }
}

/// The first line in which two texts differ.
fn difference(machine: &str, rigel: &str) -> String {
    let (mut a, mut b) = (machine.lines(), rigel.lines());
    let mut number = 0;
    loop {
        number += 1;
        match (a.next(), b.next()) {
            (None, None) => return "the same lines".to_string(),
            (x, y) if x == y => {}
            (x, y) => {
                let shown = |line: Option<&str>| line.unwrap_or("(nothing more)").to_string();
                return format!(
                    "line {number}\n  machine: {}\n  rigel:   {}",
                    shown(x),
                    shown(y)
                );
            }
        }
    }
}

/// Compares all programs of a language.
fn compare(language: &str, compiler: &str) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let part = std::env::var("PROGRAM").unwrap_or_default();
    let scratch = tempfile::tempdir().unwrap();
    let mut failures = String::new();
    let mut count = 0;
    for program in sorted(&here.join(language)).into_iter().filter_map(program) {
        if !program.path.to_string_lossy().contains(&part) {
            continue;
        }
        count += 1;
        let machine = program.on_the_machine(compiler, scratch.path());
        let (rigel, words) = program.interpreted();
        if machine != rigel {
            let name = program.path.strip_prefix(&here).unwrap().display();
            let _ = writeln!(
                failures,
                "{name}: code {:?} on the machine, {:?} in rigel; {}\n{words}",
                machine.code,
                rigel.code,
                difference(&machine.stdout, &rigel.stdout)
            );
        }
    }
    assert!(count > 0 || !part.is_empty(), "no programs in {language}");
    assert!(failures.is_empty(), "\n{failures}");
}

#[test]
fn c_programs() {
    compare("c", "clang-19");
}

#[test]
fn cpp_programs() {
    compare("cpp", "clang++-19");
}
