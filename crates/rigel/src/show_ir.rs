//! `rigel ir`: the text form of a program.

use crate::cli;
use crate::{Exit, pipeline, print};

pub fn show(args: &cli::Ir) -> Result<Exit, String> {
    let mut loaded = pipeline::load(&args.input, &args.flags)?;
    if args.checks {
        loaded.instrument(rules::Selection::all());
    }
    let text = format!("{} functions\n", loaded.program.functions.len());
    print::report(&text, None)?;
    Ok(if loaded.failed > 0 {
        Exit::Failed
    } else {
        Exit::Clean
    })
}
