//! `rigel ir`: the text form of a program.

use crate::cli;
use crate::kept::Kept;
use crate::{Exit, pipeline, print, user_rules};

pub fn show(args: &cli::Ir) -> Result<Exit, String> {
    let mut loaded = pipeline::load(&args.input, &args.flags, &Kept::nothing())?;
    if args.checks {
        user_rules::install(&args.own)?;
        loaded.instrument(rules::Selection::all().with_users(), &[]);
    }
    let text = match &args.function {
        None => ir::text::print(&loaded.program),
        Some(name) => functions(&loaded.program, name)?,
    };
    print::report(&text, None)?;
    Ok(if loaded.failed > 0 {
        Exit::Failed
    } else {
        Exit::Clean
    })
}

/// All functions of this name: the one the linker knows, and each `static` one.
fn functions(program: &ir::Program, name: &str) -> Result<String, String> {
    let named = |f: &ir::Function| [f.name, f.display].iter().any(|&s| program.name(s) == name);
    let texts: Vec<String> = program
        .bodies()
        .filter(|(_, f, _)| named(f))
        .map(|(id, _, _)| ir::text::print_function(program, id))
        .collect();
    if texts.is_empty() {
        return Err(format!(
            "no function `{name}` is defined here (`rigel ir` without --function shows all)"
        ));
    }
    Ok(texts.join("\n"))
}
