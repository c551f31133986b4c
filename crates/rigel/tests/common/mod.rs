//! Starting the real executable in a directory of its own.
#![allow(dead_code, reason = "not every test file uses all of it")]

pub mod lua;
pub mod native;

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

pub struct Project(tempfile::TempDir);

impl Project {
    /// A directory with these files. `@` in them is the directory's path.
    pub fn new(files: &[(&str, &str)]) -> Project {
        let project = Project(tempfile::tempdir().unwrap());
        for (name, text) in files {
            project.write(name, text);
        }
        project
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = text.replace('@', &self.path().display().to_string());
        std::fs::write(path, text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// What `rigel ARGS…` says here: standard output, standard error, exit code.
    pub fn rigel(&self, args: &[&str]) -> String {
        self.rigel_with(args, &[])
    }

    pub fn rigel_with(&self, args: &[&str], environment: &[(&str, &str)]) -> String {
        show(&self.output(args, environment), self.path())
    }

    pub fn output(&self, args: &[&str], environment: &[(&str, &str)]) -> Output {
        command(args)
            .current_dir(self.path())
            .envs(environment.iter().copied())
            .output()
            .unwrap()
    }
}

pub fn command(args: &[&str]) -> Command {
    let rigel = Path::new(env!("CARGO_BIN_EXE_rigel"));
    let front = rigel.with_file_name("rigel-front");
    assert!(
        front.exists(),
        "{} is missing: run the tests with `./x test`, which builds it",
        front.display()
    );
    let mut command = Command::new(rigel);
    command.args(args);
    // What is set outside must not change what the tests see.
    for name in [
        "CC",
        "CXX",
        "RIGEL_CLANG",
        "RIGEL_FRONT",
        "RIGEL_RECORD",
        "MAKEFLAGS",
        "MAKELEVEL",
        "MFLAGS",
    ] {
        command.env_remove(name);
    }
    command.env("COLUMNS", "100");
    // Every run starts from nothing, and leaves nothing where the test looks.
    command.env("RIGEL_CACHE", "none");
    command
}

/// Lets the clock of the file system pass what was written: rigel does not believe a file that
/// changed in the moment it was read.
pub fn settle() {
    let probe = tempfile::NamedTempFile::new().unwrap();
    let written = probe.path().metadata().unwrap().modified().unwrap();
    while SystemTime::now() < written + Duration::from_millis(20) {
        std::thread::yield_now();
    }
}

/// Output, errors and exit code in one text, without times and temporary paths.
pub fn show(output: &Output, directory: &Path) -> String {
    let real = std::fs::canonicalize(directory).unwrap();
    let mut text = String::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        text.push_str(&format!("{}\n", line.trim_end()));
    }
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        text.push_str(&format!("! {}\n", without_times(line)));
    }
    let code = output.status.code();
    text.push_str(&format!(
        "= exit {}\n",
        code.map_or("by signal".into(), |c| c.to_string())
    ));
    text.replace(&real.display().to_string(), "@")
        .replace(&directory.display().to_string(), "@")
}

/// `… · 0.41 s (clang 0.30 s)` without the numbers.
fn without_times(line: &str) -> String {
    match line.split_once(" · ") {
        Some((before, _)) => format!("{before} · TIME"),
        None => line.to_string(),
    }
}

/// The units of a file or directory below `cwd`, lowered.
pub fn lower(cwd: &Path, input: &str) -> Vec<ir::Program> {
    use front::pool;
    let request = front::Request {
        inputs: vec![cwd.join(input)],
        cwd: cwd.to_path_buf(),
        ..front::Request::default()
    };
    let plan = front::plan::plan(&request).unwrap();
    let task = |u: front::Unit| pool::Task {
        job: u.job,
        bytes: u.bytes,
    };
    let tasks: Vec<pool::Task> = plan.units.into_iter().map(task).collect();
    let units = pool::lower_all(&pool::executable().unwrap(), &tasks, 2);
    units.into_iter().map(|u| u.unwrap().program).collect()
}
