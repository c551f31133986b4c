//! One edit, measured: what a re-analysis takes, and whether it says what a fresh one says.

use super::stub;
use anyhow::bail;
use engine::{Analysis, How, Level2, Memory, Provers, Settings, reanalyze};
use ir::{FuncId, Program};
use logic::Portfolio;
use logic::smt::{Patience, Session, z3};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Resource units for one question, as `rigel check` gives them.
const BUDGET: u64 = 1_000_000;

/// A run: seconds, and transitions of the automaton that were computed.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub seconds: f64,
    pub transitions: u64,
}

/// A re-analysis after an edit, both ways.
#[derive(Clone, Copy, Debug)]
pub struct Edit {
    pub forward: Run,
    pub backward: Run,
}

/// A program that is edited, and what is said of it as it is.
pub struct Subject {
    pub name: String,
    pub program: Program,
    pub settings: Settings,
    expected: Analysis,
    /// What the analysis of the program as it is has left, where stubbed programs start from that: by
    /// Theorem 2 they leave what Full would, sooner.
    whole: Option<Memory>,
    /// All runs of Full on the program as it is.
    pub full: Vec<Run>,
}

impl Subject {
    pub fn new(name: &str, program: Program, precision: u8, quick: bool) -> Subject {
        let settings = settings(&program, precision);
        let (expected, run, whole) = timed(&program, &settings, How::Full, Memory::default());
        Subject {
            name: name.to_string(),
            program,
            settings,
            expected,
            whole: quick.then_some(whole),
            full: vec![run],
        }
    }

    /// Times Full once more: a busy machine is not always as busy.
    pub fn time_full(&mut self) -> anyhow::Result<Run> {
        let (analysis, run, _) = timed(&self.program, &self.settings, How::Full, Memory::default());
        self.full.push(run);
        self.compare("a second full run", &analysis)?;
        Ok(run)
    }

    /// Stubs functions, analyses, puts them back and analyses again. `what` names the edit.
    pub fn edit(&mut self, what: &str, functions: &[FuncId]) -> anyhow::Result<Edit> {
        let bodies = stub::stub(&mut self.program, functions);
        let (how, memory) = match &self.whole {
            Some(whole) => (How::Forward, whole.clone()),
            None => (How::Full, Memory::default()),
        };
        let (_, _, before) = timed(&self.program, &self.settings, how, memory);
        stub::restore(&mut self.program, functions, bodies);
        let forward = self.again(what, How::Forward, before.clone())?;
        let backward = self.again(what, How::Backward, before)?;
        Ok(Edit { forward, backward })
    }

    fn again(&self, what: &str, how: How, before: Memory) -> anyhow::Result<Run> {
        let (analysis, run, _) = timed(&self.program, &self.settings, how, before);
        self.compare(&format!("{how:?} after the edit of {what}"), &analysis)?;
        Ok(run)
    }

    fn compare(&self, what: &str, analysis: &Analysis) -> anyhow::Result<()> {
        match self.expected.difference(analysis) {
            Some(difference) => bail!("{}: Full and {what} differ: {difference}", self.name),
            None => Ok(()),
        }
    }
}

/// Only what happens inside the engine is timed: the memory is there already, and dropped later.
fn timed(
    program: &Program,
    settings: &Settings,
    how: How,
    mut memory: Memory,
) -> (Analysis, Run, Memory) {
    let start = Instant::now();
    let analysis = reanalyze(program, settings, &mut memory, how, &|| {});
    let run = Run {
        seconds: start.elapsed().as_secs_f64(),
        transitions: memory.transitions().map_or(0, |t| t.transitions()),
    };
    (analysis, run, memory)
}

/// As `rigel check --precision N` has them.
fn settings(program: &Program, precision: u8) -> Settings {
    let shown = rules::all()
        .iter()
        .filter(|r| r.meta().shown_by_default)
        .filter_map(|r| program.symbols.get(r.meta().id));
    let provers = match precision {
        0 => None,
        1 => Some(Provers::builtin()),
        _ => Some(solver()),
    };
    Settings {
        rules: Some(shown.collect()),
        level2: provers.map(|provers| Level2 {
            provers,
            budget: BUDGET,
            stopwatch: None,
        }),
        ..Settings::default()
    }
}

/// Z3, where `rigel` would find it.
fn solver() -> Provers {
    let library: Arc<OnceLock<Result<z3::Library, String>>> = Arc::default();
    let find = || {
        let named = std::env::var_os("RIGEL_Z3").filter(|name| !name.is_empty());
        let executable = std::env::current_exe().ok();
        z3::load(&z3::candidates(
            named.map(PathBuf::from),
            executable.as_deref(),
        ))
    };
    Provers {
        name: "z3".to_string(),
        make: Arc::new(move || {
            let library = Arc::clone(&library);
            Portfolio::new(Box::new(move || match library.get_or_init(find) {
                Ok(library) => Ok(Box::new(Session::new(
                    library.solver(),
                    Patience::default(),
                ))),
                Err(what) => Err(what.clone()),
            }))
        }),
    }
}
