//! `rigel build -- make`: record, then check what was recorded.

use crate::cli;
use crate::print::{self, count};
use crate::{Exit, check};
use front::record;

pub fn build(args: &cli::Build) -> Result<Exit, String> {
    if !args.only_record {
        check::possible(&args.output, &args.analysis)?;
    }
    let cwd = std::env::current_dir().map_err(|e| format!("the current directory is gone: {e}"))?;
    let rigel = std::env::current_exe().map_err(|e| format!("cannot find rigel itself: {e}"))?;
    let recorded = record::record(&rigel, &args.command, &cwd).map_err(|e| e.to_string())?;
    let old = match recorded.kept {
        0 => String::new(),
        n => format!(", {} kept from the last recording", print::grouped(n)),
    };
    print::note(&format!(
        "recorded {}{old}: {}",
        count(recorded.new, "compilation"),
        front::shown(&recorded.database, &cwd)
    ));
    let built = recorded.status.success();
    if !built {
        print::error(&format!(
            "the build failed with {}: only what it compiled before is {}",
            record::ended(recorded.status),
            if args.only_record {
                "recorded"
            } else {
                "analysed"
            }
        ));
    }
    if args.only_record {
        return Ok(if built { Exit::Clean } else { Exit::Failed });
    }
    let input = cli::Input {
        files: Vec::new(),
        database: Some(recorded.database),
        jobs: args.jobs,
        models: args.models.clone(),
    };
    let exit = check::check_input(&check::Task {
        input: &input,
        flags: &[],
        output: &args.output,
        how: &args.analysis,
        keeping: &args.keeping,
    })?;
    Ok(if built { exit } else { Exit::Failed })
}
