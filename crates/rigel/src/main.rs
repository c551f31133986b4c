//! The command line of rigel, and nothing else: it reads arguments, has the other crates do the
//! work, and prints. No other crate of the workspace prints, reads the environment or ends the
//! process (`front` starts compilers and workers).

mod boolean;
mod check;
mod cli;
mod execute;
mod explain;
mod folded;
mod inexact;
mod json;
mod kept;
mod known;
mod pipeline;
mod print;
mod progress;
mod reading;
mod recorded;
mod rules_command;
mod run;
mod show_ir;
mod sizes;
mod solver;
mod sources;
mod stats;
mod summary;
mod table;
mod terminal;
mod user_rules;
mod verify;
mod watch;

use clap::Parser;
use std::process::ExitCode;

/// The states of a search are many small maps that are copied and dropped: the allocator shows.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The allocator asks for huge pages, and the kernel clears each as a whole when its first byte is written: in a run after an
/// edit that was a third of what this process took. Where it cannot be set, all goes on as before, more slowly.
fn take_small_pages() {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// How a command ends. The worst wins: a run that failed may have missed something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    Clean,
    Findings,
    Failed,
    /// What was asked is not known.
    Unknown,
}

fn main() -> ExitCode {
    take_small_pages();
    // A stand-in of `rigel build`: the words behind are a compiler's, not ours to read.
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|w| w == "__record") {
        print::error(&front::record::standin::run(words));
        return ExitCode::from(127);
    }
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => return usage(&e),
    };
    let outcome = match &cli.command {
        cli::Command::Check(args) => check::check(args),
        cli::Command::Build(args) => recorded::build(args),
        cli::Command::Explain(args) => explain::explain(args),
        cli::Command::Summary(args) => summary::summary(args),
        cli::Command::Ir(args) => show_ir::show(args),
        cli::Command::Rules(args) => rules_command::rules(args),
        cli::Command::Bp(args) => boolean::check(args),
        cli::Command::Run(args) => {
            return run::run(args).map_or_else(failed, ExitCode::from);
        }
        cli::Command::Verify(args) => {
            return verify::verify(args).map_or_else(failed, ExitCode::from);
        }
    };
    match outcome {
        Ok(Exit::Clean) => ExitCode::SUCCESS,
        Ok(Exit::Findings) => ExitCode::from(1),
        Ok(Exit::Failed) => ExitCode::from(2),
        Ok(Exit::Unknown) => ExitCode::from(3),
        Err(message) => failed(message),
    }
}

/// What clap has to say: help and version as they are, a mistake in one line.
fn usage(e: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand as NothingSaid;
    if !e.use_stderr() || e.kind() == NothingSaid {
        // Nothing can be done about a closed pipe.
        let _ = e.print();
        return ExitCode::from(if e.use_stderr() { 2 } else { 0 });
    }
    let text = e.render().to_string();
    let lines: Vec<&str> = text
        .trim_start_matches("error: ")
        .lines()
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    failed(format!("{} (see `rigel --help`)", lines.join(" ")))
}

fn failed(message: String) -> ExitCode {
    print::error(&message);
    ExitCode::from(2)
}
