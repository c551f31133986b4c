//! Which lines do runs pass that fail? The processor says.
//!
//! Many programs are compiled as one, since the compiler takes longer to start than they do: names that they have in common are
//! given numbers. Each run is a process of its own.

use super::common::native;
use super::program::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Programs are started with 1 to so many arguments.
pub const ARGUMENTS: u64 = 10;

/// What a random program has at the level of the file.
const NAMES: &[&str] = &[
    "main", "g", "h", "x", "y", "gp", "row", "pair", "gs", "back", "armed", "f0", "f1", "f2", "f3",
    "n0", "n1", "n2", "n3",
];

const BEFORE: &str = r#"
#include <assert.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
struct trace { int last, steps; unsigned char passed[2000]; };
static struct trace *trace;
static int T(int line) {
    trace->last = line;
    trace->passed[line] = 1;
    if (++trace->steps > 20000)
        _exit(77);
    return 0;
}
static void failed(int number) { _exit(100 + number); }
static void try(int program, int (*start)(int, char **), int arguments) {
    memset(trace, 0, sizeof *trace);
    pid_t child = fork();
    if (child == 0) {
        char *strings[32] = {"a.out"};
        for (int i = 1; i < arguments; i++)
            strings[i] = "a";
        signal(SIGSEGV, failed);
        signal(SIGFPE, failed);
        signal(SIGABRT, failed);
        close(2);
        start(arguments, strings);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (code <= 100)
        return;
    printf("%d %d %d %d", program, arguments, code - 100, trace->last);
    for (int i = 0; i < 2000; i++)
        if (trace->passed[i])
            printf(" %d", i);
    printf("\n");
    fflush(stdout);
}
"#;

/// How a run fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    Null,
    Division,
    Assertion,
}

impl Cause {
    fn of(signal: u32) -> Option<Cause> {
        match signal {
            11 => Some(Cause::Null),
            8 => Some(Cause::Division),
            6 => Some(Cause::Assertion),
            _ => None,
        }
    }

    pub fn rule(self) -> &'static str {
        match self {
            Cause::Null => "null-dereference",
            Cause::Division => "division-by-zero",
            Cause::Assertion => "assertion",
        }
    }
}

/// The lines of runs that fail at one line, by their number of arguments.
pub type Passed = BTreeMap<u64, BTreeSet<u32>>;

/// For each program: where it fails and how, and what those runs pass.
pub fn failing(programs: &[Random]) -> Vec<BTreeMap<(u32, Cause), Passed>> {
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("all.c");
    let executable = directory.path().join("all");
    std::fs::write(&source, text(programs)).unwrap();
    native::compile(
        "clang-19",
        &["-fwrapv".to_string()],
        &[&source],
        &executable,
    );
    let output = native::run_within(&executable, 120).expect("it ends");
    let mut all = vec![BTreeMap::new(); programs.len()];
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let mut numbers = line.split(' ').map(|n| n.parse::<u32>().unwrap());
        let mut next = || numbers.next().unwrap();
        let (program, arguments, signal, last) = (next(), next(), next(), next());
        if let Some(cause) = Cause::of(signal) {
            let runs: &mut Passed = all[program as usize].entry((last, cause)).or_default();
            runs.insert(u64::from(arguments), numbers.collect());
        }
    }
    all
}

fn text(programs: &[Random]) -> String {
    let mut text = BEFORE.to_string();
    for (i, program) in programs.iter().enumerate() {
        for name in NAMES {
            let _ = writeln!(text, "#define {name} {name}_{i}");
        }
        let traced = program.traced();
        let lines = traced.lines().filter(|line| !line.starts_with('#'));
        for line in lines {
            let _ = writeln!(text, "{line}");
        }
        for name in NAMES {
            let _ = writeln!(text, "#undef {name}");
        }
    }
    let _ = writeln!(
        text,
        "int main(void) {{\n    trace = mmap(0, sizeof *trace, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);"
    );
    let _ = writeln!(text, "    for (int n = 1; n <= {ARGUMENTS}; n++) {{");
    for i in 0..programs.len() {
        let _ = writeln!(text, "        try({i}, main_{i}, n);");
    }
    text.push_str("    }\n    return 0;\n}\n");
    text
}
