//! Options that several commands have.

use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What to read.
#[derive(Args, Clone, Debug)]
pub struct Input {
    /// Source files, or directories of them
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The build directory that has compile_commands.json (or that file itself)
    #[arg(short = 'p', value_name = "BUILD_DIR")]
    pub database: Option<PathBuf>,

    /// Processes and threads at the same time [default: one for each processor]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,

    /// What functions do that have no source, as conditions: `int f(int n) where { OK: res > n, ERR: n == 0 }`
    /// (`rigel rules precondition` tells more; may be given several times). A file that ends in .toml says it in tables: `[my_alloc]`
    /// `like = "malloc"` (see the README)
    #[arg(long, value_name = "FILE")]
    pub models: Vec<PathBuf>,
}

/// What to print, and where.
#[derive(Args, Debug)]
pub struct Output {
    /// The rules to show: a list such as null-dereference,out-of-bounds, or all [default: those
    /// that `rigel rules` does not mark as "only with --rules"]
    #[arg(long, value_name = "RULES")]
    pub rules: Option<String>,

    /// For people (text), for programs (json), or for the tools that collect reports (sarif)
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,

    /// Write the report to this file instead of standard output
    #[arg(short = 'o', value_name = "OUT")]
    pub out: Option<PathBuf>,

    /// Show also errors that need an input that nothing in the program gives or tests for; they
    /// are notes, and do not change the exit code
    #[arg(long)]
    pub latent: bool,

    /// Of each path the steps that matter, or every step
    #[arg(long, value_enum, default_value_t = Steps::Short)]
    pub path: Steps,

    /// Colours in the text: on a terminal, or as you say
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,

    /// Show also what stayed undecided or was refuted, which functions were given up, what was not
    /// treated exactly, and rigel's own failures
    #[arg(long)]
    pub verbose: bool,

    /// Say what was read, what could not be modelled, what became of the checks, and what it cost;
    /// the program is analysed for it, even if the answer is known from an earlier run
    #[arg(long)]
    pub stats: bool,
}

/// How to analyse.
#[derive(Args, Clone, Debug)]
pub struct Analysis {
    /// How hard to try: 0 reports each path that the search finds; 1 drops those that intervals and
    /// equalities along the path refute; 2 asks a solver; 3 gives it twenty times as long
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=3))]
    pub precision: u8,

    /// A solver to ask instead of Z3 in process: a command that reads SMT-LIB 2, such as
    /// "cvc5 --lang smt2" or "yices-smt2 --incremental"
    #[arg(long, value_name = "COMMAND")]
    pub solver: Option<String>,

    /// What the search leaves out: only what it has seen (dfs), what other states cover
    /// (covering), or also the covered part of a state (differencing). While states are merged,
    /// dfs is the same as covering
    #[arg(long, value_enum, default_value_t = Search::Covering)]
    pub search: Search,

    /// Merge the states of a place in the program: much faster; `off` keeps every state apart
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub aggregate: Switch,

    /// A function that never returns, by its name or linkage name (may be given several times)
    #[arg(long, value_name = "NAME")]
    pub noreturn: Vec<String>,

    #[command(flatten)]
    pub own: RuleFiles,
}

/// Rules of the user.
#[derive(Args, Clone, Debug, Default)]
pub struct RuleFiles {
    /// Rules of your own: what may follow what, as states and patterns: `start: lock(l) -> locked` (docs/user-rules.md
    /// has the language; may be given several times). They are shown unless --rules says otherwise
    #[arg(long, value_name = "FILE")]
    pub rule_file: Vec<PathBuf>,
}

/// What to do with what earlier runs left, and where.
#[derive(Args, Clone, Debug)]
pub struct Keeping {
    /// Do everything anew, whatever earlier runs left behind; what this run learns is kept for later
    /// ones
    #[arg(long)]
    pub fresh: bool,

    /// Where to keep what later runs can use, so that an edit costs what it changes; `none` keeps
    /// nothing [default: RIGEL_CACHE, else .rigel beside the compile database, else .rigel here]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
    Sarif,
}

/// How one finding is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlainFormat {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Steps {
    Short,
    Full,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Search {
    Dfs,
    Covering,
    Differencing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    Off,
}
