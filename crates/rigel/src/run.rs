//! `rigel run`: the program in the interpreter, with its own input and output.

use crate::execute::{self, Ran};
use crate::kept::Kept;
use crate::sources::Files;
use crate::{cli, pipeline, print, terminal};
use interp::Config;
use rules::Selection;

/// The program's exit code, 1 if a check failed, 2 if it could not be run.
pub fn run(args: &cli::Run) -> Result<u8, String> {
    let flags = front::split_words(&args.flags).ok_or("--flags: a quote stays open")?;
    let mut loaded = pipeline::load(&args.input, &flags, &Kept::nothing())?;
    if loaded.failed > 0 {
        // Half a program would fail elsewhere, and confuse.
        return Ok(2);
    }
    if loaded.program.find_function("main").is_none() {
        return Err("there is no function main to run".to_string());
    }
    // A run does what the functions do, whatever a user says of them.
    library::install(None);
    loaded.instrument(Selection::all(), &[]);
    let unit = loaded.program.units.values().next();
    let name = unit
        .map_or("a.out", |u| loaded.program.name(u.name))
        .to_string();
    let config = Config {
        args: std::iter::once(name)
            .chain(args.arguments.iter().cloned())
            .collect(),
        stdin: Box::new(std::io::stdin()),
        stdout: Box::new(std::io::stdout()),
        stderr: Box::new(std::io::stderr()),
        ..Config::default()
    };
    match execute::run(&loaded, Selection::all(), config) {
        // As a shell sees it: the low byte.
        Ran::Ended(code) => Ok(code as u8),
        Ran::Found(finding) => {
            let style = terminal::style(&std::io::stderr());
            let files = Files::new(&loaded.cwd);
            let text = report::text::render_finding(&finding, None, &files, style);
            print::status(text.trim_end());
            Ok(1)
        }
        Ran::Stopped(why) => Err(why),
    }
}
