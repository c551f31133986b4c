//! Which prover level 2 asks: Z3 where it is found, or what `--solver` names.

use crate::{cli, print};
use engine::{Level2, Provers};
use logic::Portfolio;
use logic::smt::{Patience, Session, pipe::PipeCommand, z3};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Resource units for one question at precision 2.
const BUDGET: u64 = 1_000_000;
/// And at precision 3.
const PATIENT: u64 = 40 * BUDGET;

/// Level 2 as the user wants it; none at precision 0.
pub fn level2(how: &cli::Analysis) -> Result<Option<Level2>, String> {
    // A command that cannot be one is a mistake at any precision.
    let command = match &how.solver {
        Some(text) => Some(PipeCommand::parse(text).map_err(|e| format!("--solver: {e}"))?),
        None => None,
    };
    let budget = match how.precision {
        0 => return Ok(None),
        1 | 2 => BUDGET,
        _ => PATIENT,
    };
    let patience = Patience::default();
    let provers = match command {
        _ if how.precision == 1 => Provers::builtin(),
        Some(command) => Provers {
            name: format!("command {}", how.solver.as_deref().unwrap_or_default()),
            make: Arc::new(move || {
                let (command, patience) = (command.clone(), patience.clone());
                Portfolio::new(Box::new(move || {
                    Ok(Box::new(Session::new(command.solver(), patience.clone())))
                }))
            }),
        },
        None => in_process(),
    };
    Ok(Some(Level2 {
        provers,
        budget,
        stopwatch: Some(elapsed),
    }))
}

/// Z3 in this process, where it is found.
pub fn in_process() -> Provers {
    let library: Arc<OnceLock<Result<z3::Library, String>>> = Arc::default();
    let make = move || {
        let library = Arc::clone(&library);
        Portfolio::new(Box::new(move || match library.get_or_init(find) {
            Ok(library) => Ok(Box::new(Session::new(
                library.solver(),
                Patience::default(),
            ))),
            Err(what) => Err(what.clone()),
        }))
    };
    Provers {
        make: Arc::new(make),
        name: format!("z3 {}", identity()),
    }
}

/// A clock that runs since it was first asked.
fn elapsed() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// Which Z3 would be found, without loading it.
fn identity() -> String {
    let executable = std::env::current_exe().ok();
    let named = std::env::var_os("RIGEL_Z3").filter(|name| !name.is_empty());
    let places = match named {
        Some(named) => vec![PathBuf::from(named)],
        None => z3::candidates(None, executable.as_deref()),
    };
    let described = places.iter().find_map(|place| {
        let file = place.metadata().ok()?;
        let changed = file.modified().ok();
        Some(format!("{} {} {changed:?}", place.display(), file.len()))
    });
    described.unwrap_or_default()
}

fn find() -> Result<z3::Library, String> {
    // Who names one wants that one, and no other that happens to be there.
    if let Some(named) = std::env::var_os("RIGEL_Z3")
        .filter(|name| !name.is_empty())
        .map(PathBuf::from)
    {
        let place = named.display().to_string();
        return z3::load(&[named]).map_err(|e| format!("RIGEL_Z3={place}: {e}"));
    }
    let executable = std::env::current_exe().ok();
    z3::load(&z3::candidates(None, executable.as_deref()))
}

/// What the user said about solvers, for a key: see [`files`].
pub fn words(how: &cli::Analysis) -> Vec<String> {
    let named = std::env::var("RIGEL_Z3").unwrap_or_default();
    vec![how.solver.clone().unwrap_or_default(), named]
}

/// The files that can be the solver: while none of them changes, neither does an answer.
pub fn files(how: &cli::Analysis) -> Vec<PathBuf> {
    if how.precision < 2 {
        return Vec::new();
    }
    if let Some(command) = &how.solver {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let words = front::split_words(command).unwrap_or_default();
        let program = words
            .first()
            .and_then(|name| front::find_on_path(name, &path));
        // What runs may also be a script that the program is given.
        let scripts = words.iter().skip(1).map(PathBuf::from);
        let scripts = scripts.filter(|word| word.is_file());
        return program.into_iter().chain(scripts).collect();
    }
    if let Some(named) = std::env::var_os("RIGEL_Z3").filter(|name| !name.is_empty()) {
        return vec![PathBuf::from(named)];
    }
    let executable = std::env::current_exe().ok();
    let mut files = Vec::new();
    for candidate in z3::candidates(None, executable.as_deref()) {
        match candidate
            .parent()
            .is_some_and(|p| !p.as_os_str().is_empty())
        {
            true => files.push(candidate),
            // Looked for where the system looks.
            false => files.extend(library_directories().map(|d| d.join(&candidate))),
        }
    }
    files
}

fn library_directories() -> impl Iterator<Item = PathBuf> {
    let set = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let set: Vec<PathBuf> = std::env::split_paths(&set).collect();
    let machine = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let usual = ["/usr/local/lib", "/usr/lib", "/usr/lib64", &machine].map(PathBuf::from);
    set.into_iter().chain(usual)
}

/// Says once what provers said of themselves.
pub fn complain(troubles: &[String]) {
    if let Some(first) = troubles.first() {
        print::warning(&format!(
            "{first}; paths that only a solver could decide stay undecided"
        ));
    }
}

/// Operations for one reported error at precision 2.
const OPERATIONS: u64 = 300_000;

/// Dual analysis as the user wants it; none below precision 2.
pub fn dual(how: &cli::Analysis) -> Option<u64> {
    match how.precision {
        0 | 1 => None,
        2 => Some(OPERATIONS),
        _ => Some(10 * OPERATIONS),
    }
}
