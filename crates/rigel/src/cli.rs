//! What the command line may say. The help texts are for someone who sees rigel the first time.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Finds errors in C and C++ programs.
#[derive(Parser, Debug)]
#[command(
    name = "rigel",
    version,
    disable_help_subcommand = true,
    max_term_width = 100,
    after_help = "Exit codes: 0 nothing found, 1 something found, 2 the run itself failed (the reason is on \
                  standard error; what could be analysed still was)."
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    Check(Check),
    Build(Build),
    Ir(Ir),
    Rules(Rules),
    Run(Run),
}

/// Check a program: what can go wrong where, and what does when it runs
///
/// All FILEs (or all files of the compile database) together are one program. Today rigel lists
/// the checks that every function must pass, and, if there is a `main`, runs the program in its
/// interpreter, without arguments and with empty input, and shows the first check that fails.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rigel check main.c list.c          these two files are the program
  rigel check main.c -- -Iinclude    with the flags that its compiler needs
  rigel check examples/quickstart    every source file in a directory
  rigel check -p build               all that build/compile_commands.json compiles
  rigel check                        the same, with the database found here or above")]
pub struct Check {
    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub output: Output,

    /// Flags for the compiler, such as -Iinclude -DNAME=1
    #[arg(last = true, value_name = "CLANG_ARGS")]
    pub flags: Vec<String>,
}

/// Run a build, learn from it how every file is compiled, then check the program
///
/// Works with any build that finds its compiler (cc, gcc, clang, c++, g++, clang++, also with a
/// version or a target in the name) on PATH or in CC and CXX. The commands are kept in
/// .rigel/compile_commands.json, where a later `rigel check` finds them.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rigel build -- make -j4
  make clean && rigel build --stats -- make CC=gcc")]
pub struct Build {
    #[command(flatten)]
    pub output: Output,

    /// Front end processes at the same time [default: one for each processor]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,

    /// Only learn how the files are compiled: check later, with `rigel check`
    #[arg(long)]
    pub only_record: bool,

    /// The build, as you would start it yourself
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Print a program as rigel sees it: its control-flow automata
///
/// Every line is one edge: a simple statement, with the nodes it leads from and to and the place
/// in the source.
#[derive(Args, Debug)]
pub struct Ir {
    #[command(flatten)]
    pub input: Input,

    /// Only this function
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,

    /// With the checks of all rules put in
    #[arg(long)]
    pub checks: bool,

    /// Flags for the compiler
    #[arg(last = true, value_name = "CLANG_ARGS")]
    pub flags: Vec<String>,
}

/// List the rules, or explain one
#[derive(Args, Debug)]
pub struct Rules {
    /// The rule to explain, such as null-dereference
    pub rule: Option<String>,
}

/// Run a program in the interpreter, with every check on
///
/// Standard input and output are the program's. The first check that fails ends the run; the
/// report is on standard error. The exit code is the program's own, 1 if a check failed, and 2 if
/// the program could not be run.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rigel run main.c list.c
  rigel run --flags '-Iinclude -DN=3' main.c -- first second")]
pub struct Run {
    #[command(flatten)]
    pub input: Input,

    /// Flags for the compiler, in one word
    #[arg(
        long,
        value_name = "CLANG_ARGS",
        allow_hyphen_values = true,
        default_value = "",
        hide_default_value = true
    )]
    pub flags: String,

    /// Arguments for the program
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
}

/// What to read.
#[derive(Args, Debug)]
pub struct Input {
    /// Source files, or directories of them
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The build directory that has compile_commands.json (or that file itself)
    #[arg(short = 'p', value_name = "BUILD_DIR")]
    pub database: Option<PathBuf>,

    /// Front end processes at the same time [default: one for each processor]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
}

/// What to print, and where.
#[derive(Args, Debug)]
pub struct Output {
    /// The rules to check: a list such as null-dereference,out-of-bounds, or all
    #[arg(long, value_name = "RULES")]
    pub rules: Option<String>,

    /// For people, or for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Write the report to this file instead of standard output
    #[arg(short = 'o', value_name = "OUT")]
    pub out: Option<PathBuf>,

    /// Say what was read, what could not be modelled, and what it cost
    #[arg(long)]
    pub stats: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
}
