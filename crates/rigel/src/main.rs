//! The command line of rigel, and nothing else: it reads arguments, has the other crates do the
//! work, and prints. No other crate of the workspace prints, reads the environment or ends the
//! process (`front` starts compilers and workers).

mod check;
mod cli;
mod excerpt;
mod execute;
mod finding;
mod json;
mod pipeline;
mod print;
mod recorded;
mod rules_command;
mod run;
mod show_ir;
mod stats;
mod table;

use clap::Parser;
use std::process::ExitCode;

/// How a command ends. The worst wins: a run that failed may have missed something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    Clean,
    Findings,
    Failed,
}

fn main() -> ExitCode {
    // A stand-in of `rigel build`: the words behind are a compiler's, not ours to read.
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|w| w == "__record") {
        print::error(&front::record::standin::run(words));
        return ExitCode::from(127);
    }
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // --help and --version are no errors; everything else is one of usage.
            let code = if e.use_stderr() { 2 } else { 0 };
            let _ = e.print();
            return ExitCode::from(code);
        }
    };
    let outcome = match &cli.command {
        cli::Command::Check(args) => check::check(args),
        cli::Command::Build(args) => recorded::build(args),
        cli::Command::Ir(args) => show_ir::show(args),
        cli::Command::Rules(args) => rules_command::rules(args),
        cli::Command::Run(args) => {
            return run::run(args).map_or_else(failed, ExitCode::from);
        }
    };
    match outcome {
        Ok(Exit::Clean) => ExitCode::SUCCESS,
        Ok(Exit::Findings) => ExitCode::from(1),
        Ok(Exit::Failed) => ExitCode::from(2),
        Err(message) => failed(message),
    }
}

fn failed(message: String) -> ExitCode {
    print::error(&message);
    ExitCode::from(2)
}
