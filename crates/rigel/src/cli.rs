//! What the command line may say. The help texts are for someone who sees rigel the first time.

mod options;

pub use options::*;

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
    Explain(Explain),
    Summary(Summary),
    Ir(Ir),
    Rules(Rules),
    Run(Run),
    Verify(Verify),
    Bp(Bp),
}

/// Find the errors of a program, each with the path that leads to it
///
/// All FILEs (or all files of the compile database) together are one program. It is analysed, not
/// run: every function is searched for paths on which one of its checks fails (`rigel rules`
/// lists what is checked). No input is needed.
///
/// The report is on standard output, what became of all checks on the last line of standard error.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rigel check main.c list.c          these two files are the program
  rigel check main.c -- -Iinclude    with the flags that its compiler needs
  rigel check examples/quickstart    every source file in a directory
  rigel check -p build               all that build/compile_commands.json compiles
  rigel check                        the same, with the database found here or above
  rigel check --watch                and again after every save

Exit codes: 0 nothing found, 1 something found, 2 the run itself failed.")]
pub struct Check {
    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub output: Output,

    #[command(flatten)]
    pub analysis: Analysis,

    #[command(flatten)]
    pub keeping: Keeping,

    /// Stay, check again whenever a source, a header or the compile database is saved, and say what
    /// appeared and what went away; in json, one object on a line for each round. Ctrl-C ends it, with
    /// the exit code of the last round
    #[arg(long, conflicts_with_all = ["out", "stats"])]
    pub watch: bool,

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
  make clean && rigel build --stats -- make CC=gcc

Exit codes: 0 nothing found, 1 something found, 2 the build or the run itself failed.")]
pub struct Build {
    #[command(flatten)]
    pub output: Output,

    #[command(flatten)]
    pub analysis: Analysis,

    #[command(flatten)]
    pub keeping: Keeping,

    /// Processes and threads at the same time [default: one for each processor]
    #[arg(long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,

    /// What functions do that have no source, as conditions: `int f(int n) where { OK: res > n, ERR: n == 0 }`
    /// (`rigel rules precondition` tells more; may be given several times). A file that ends in .toml says it in tables: `[my_alloc]`
    /// `like = "malloc"` (see the README)
    #[arg(long, value_name = "FILE")]
    pub models: Vec<PathBuf>,

    /// Only learn how the files are compiled: check later, with `rigel check`
    #[arg(long)]
    pub only_record: bool,

    /// The build, as you would start it yourself
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Show one finding with its whole path and all lines that lead to it, or say why it is not reported
///
/// The program is analysed as `rigel check` does, so give the same files and options; without files, those of
/// the last `check` here are taken. ID is what `check` prints as `id`, or its beginning if that is enough; also of
/// what `check --verbose` and `check --latent` show besides. Steps with a star are those that matter.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  rigel explain b87ec2                   a finding of the last run of check here
  rigel explain b87ec2 main.c list.c     every step of the path, and all lines that failing runs can pass
  rigel explain b87ec2 -p build --through list.c:31
  rigel explain b87ec2 -p build --state list.c:31
  rigel explain b87ec2 -p build --why-not

Exit codes: 0 the finding is not reported (refuted, latent, undecided), 1 it is reported, 2 there
is no such finding or line, or the run itself failed. With --through: 0 no failing run passes the
line, which is proved, 1 one does (a run can take the path), 3 neither is known. With --state: 0 the
same, 1 what holds there is said, 3 nothing is known.")]
pub struct Explain {
    /// The finding, by its id
    #[arg(value_name = "ID")]
    pub id: String,

    #[command(flatten)]
    pub input: Input,

    /// Of a finding that is not reported: why not. If it is refuted, the steps that contradict each
    /// other; if it is latent, the input that it needs; if it is undecided, what ended first
    #[arg(long)]
    pub why_not: bool,

    /// A failing path through this line, instead of the one that was found; or that there is none
    #[arg(long, value_name = "FILE:LINE", conflicts_with = "why_not")]
    pub through: Option<String>,

    /// What holds at this line on all failing runs, as far as it decides about the error
    #[arg(long, value_name = "FILE:LINE", conflicts_with_all = ["why_not", "through"])]
    pub state: Option<String>,

    /// Where failing runs begin: at the entry of this function, whatever its callers do [default: where
    /// the path of the finding begins]
    #[arg(long, value_name = "FUNCTION", conflicts_with = "why_not")]
    pub from: Option<String>,

    /// The rules that `check` was told to show
    #[arg(long, value_name = "RULES")]
    pub rules: Option<String>,

    /// For people (text), for programs (json), or the error projection for Graphviz (dot)
    #[arg(long, value_enum, default_value_t = GraphFormat::Text)]
    pub format: GraphFormat,

    /// Colours in the text: on a terminal, or as you say
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,

    #[command(flatten)]
    pub analysis: Analysis,

    #[command(flatten)]
    pub keeping: Keeping,

    /// Flags for the compiler, such as -Iinclude -DNAME=1
    #[arg(last = true, value_name = "CLANG_ARGS")]
    pub flags: Vec<String>,
}

/// Say of each function with which inputs it fails, comes back, or never ends
///
/// Conditions are C over the parameters, and over what is behind them when the function is called.
/// `len(p)` is the number of bytes from `p` to the end of its object, `offset(p)` that from the object's
/// beginning to `p`, `alive(p)` whether it is there, `initialized(x)` whether it has been written,
/// `filled(p)` whether all of p's object has; `…` stands for other inputs that would take too
/// long to say. Nothing overflows in a condition. Functions that it calls are known by
/// their own conditions, as far as they are in view; others may return anything.
///
/// A function *must* fail if every run with such inputs fails or never ends; it *may* if rigel knows of
/// nothing that prevents it, nor of anything that makes it sure. Both are about all checks, also those
/// of rules that `check` shows only with --rules.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rigel summary list.c                        every function of the file
  rigel summary -p build --function insert    this one
  rigel summary --format json list.c -- -Iinclude

The JSON object has `version`, `tool`, `too_much` (how many functions went beyond the budget, and are known to \
their callers by `one_case` each, by `ranges` of numbers, or `not_known`) and `functions`; each of these has `name`, `linkage_name`, \
`signature`, `file`, `line`, `column`, `checks` (how many there are), `proved` (how many cannot fail), `given` (what conditions with \
`valid_pointers` take for granted of the inputs, a list of conditions), `calls_unknown` (something that it calls is not \
known, and taken to come back and not to fail), `calls_declared` (something that it calls, or that is called there, is only declared, and \
taken to do nothing wrong), `calls_strangers` (and of that nobody knows whether it comes back: it is taken to), \
`constants_overflow` (lines with operations on constants that overflow: no check is left of them), `returns`, `exits`, `must_fail`, `may_fail`, `never_fails`, `never_ends`, and `failing`, a list of checks \
that can fail with `rule`, `message`, `file`, `line`, `column`, `fails`, `must`, `may`. A condition is null if it \
is too complicated, else it has `text` (`true` and `false` are conditions, too), `exact` (false: it ends in \
`…`) and `valid_pointers` (true: of inputs for which what is `given` does not hold it says \
nothing). A function that was given up has `error`, a text, and neither conditions nor `proved`.

Exit codes: 0 done, 2 the run itself failed.")]
pub struct Summary {
    #[command(flatten)]
    pub input: Input,

    /// Only this function, by its name or linkage name (may be given several times)
    #[arg(long, value_name = "NAME")]
    pub function: Vec<String>,

    /// For people (text), or for programs (json)
    #[arg(long, value_enum, default_value_t = PlainFormat::Text)]
    pub format: PlainFormat,

    /// Flags for the compiler, such as -Iinclude -DNAME=1
    #[arg(last = true, value_name = "CLANG_ARGS")]
    pub flags: Vec<String>,
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

    #[command(flatten)]
    pub own: RuleFiles,

    /// Flags for the compiler
    #[arg(last = true, value_name = "CLANG_ARGS")]
    pub flags: Vec<String>,
}

/// List the rules, or explain one
#[derive(Args, Debug)]
pub struct Rules {
    /// The rule to explain, such as null-dereference
    pub rule: Option<String>,

    #[command(flatten)]
    pub own: RuleFiles,
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

/// Say whether a property holds of every run of a program: TRUE, FALSE or UNKNOWN
///
/// The FILEs are one program, which begins at main. TRUE is said only where all runs are proved to keep to
/// the property, FALSE only where the interpreter was seen to violate it; else the lines above the verdict
/// say what is missing. The verdict is the last word of the output.
///
/// __VERIFIER_nondet_TYPE() gives any value of its type, __VERIFIER_assume(c) ends runs in which c is 0;
/// exit and abort end a run, and are no errors. Signed numbers wrap where neither they nor the end of runs are
/// asked about; memory never runs out, and there is one thread.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rigel verify --property unreach-call task.c
  rigel verify --property no-overflow a.c b.c -- -Iinclude

The JSON object has `version`, `tool`, `property`, `verdict` (TRUE, FALSE or UNKNOWN), `reasons` (a list of objects with \
`text`, `function`, `file`, `line`, `column`; all but the first are null where there is no place), and `inputs`: what the \
inputs were, in order, in the run that violates the property.

Exit codes: 0 TRUE, 1 FALSE, 2 the run itself failed, 3 UNKNOWN (nothing was found, which is not the same as that \
there is nothing: a script that waits for 0 must not go on).")]
pub struct Verify {
    /// The source files of the program
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,

    /// What must hold of every run
    #[arg(long, value_enum, value_name = "PROPERTY")]
    pub property: Property,

    /// How large `long` is on the machine that is meant. For ILP32, too, pointers and `size_t` have 64 bits here, and the
    /// layout of structures is that of a 64-bit machine: do not ask with it of programs for which these matter.
    /// Allocated objects that may be too small only for that are no violation
    #[arg(long, value_enum, ignore_case = true, value_name = "MODEL", default_value_t = DataModel::Lp64)]
    pub data_model: DataModel,

    /// For people (text), or for programs (json)
    #[arg(long, value_enum, default_value_t = PlainFormat::Text)]
    pub format: PlainFormat,

    /// Flags for the compiler, such as -Iinclude -DNAME=1
    #[arg(last = true, value_name = "CLANG_ARGS")]
    pub flags: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DataModel {
    /// 64 bits
    #[value(name = "LP64")]
    Lp64,
    /// 32 bits
    #[value(name = "ILP32")]
    Ilp32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Property {
    /// No call of reach_error or __VERIFIER_error, and no __VERIFIER_assert that fails
    UnreachCall,
    /// No access to memory that is not there, no address outside of an array, no bad free, and nothing allocated gets lost
    #[value(alias = "valid-memsafety")]
    Memsafety,
    /// No signed operation has a result that its type cannot hold
    NoOverflow,
    /// Every run ends
    Termination,
}

/// Check a Boolean program: can an assertion fail, through which statements, and how
///
/// A Boolean program is what predicate abstraction makes of a C program, and what Bebop and Moped read. The answer is
/// exact: a path to the failure, and the error projection, which is every statement that some failing run passes. Lines
/// outside of it play no part in any failure.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  rigel bp driver.bp                    can an assertion fail?
  rigel bp driver.bp --label SLIC_ERROR can this label be reached?
  rigel bp driver.bp --through 120      on a path through line 120?
  rigel bp driver.bp --format dot       the program as a graph, with the error projection filled

Exit codes: 0 nothing can fail, 1 something can, 2 the run itself failed.")]
pub struct Bp {
    /// The Boolean program
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Ask for this label, in any function, instead of assertions that fail
    #[arg(long, value_name = "LABEL")]
    pub label: Option<String>,

    /// Show a path that passes this line, or say that there is none
    #[arg(long, value_name = "LINE")]
    pub through: Option<u32>,

    /// For people (text), for programs (json), or for Graphviz (dot)
    #[arg(long, value_enum, default_value_t = GraphFormat::Text)]
    pub format: GraphFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphFormat {
    Text,
    Json,
    Dot,
}
