//! From what the user names to the programs of its units: plan → look up → lower what is missing.
//!
//! A unit that nothing changed in is only *found* here: the key of its program is enough to know
//! whether the whole answer is known. Its program is fetched when it is linked, if it ever is.

use crate::kept::{Found, Kept};
use crate::pipeline::{Loaded, Times, disagreements, jobs};
use crate::progress::Progress;
use crate::{cli, known, print};
use front::pool::{self, Spare, Task};
use front::protocol::{Cost, Failure, Job, Lowered};
use front::{Plan, Request, Unit, UnitError};
use rayon::prelude::*;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use store::Key;

/// The units of a program.
pub struct Read {
    units: Vec<Unit>,
    programs: Vec<Source>,
    /// Programs that were fetched while others were made, by unit.
    fetched: Vec<Option<ir::Program>>,
    /// Units that were tried and could not be read, and are not told yet.
    failed: Vec<(usize, Unread)>,
    /// What clang said of units that it read, line by line.
    diagnostics: Vec<String>,
    /// What clang took for those that do not compile.
    tried_cpu_us: u64,
    /// What could not be read. Each was reported already.
    pub unread: Vec<Unread>,
    pub cwd: PathBuf,
    time: Duration,
    jobs: usize,
}

/// A file that was to be read and could not.
#[derive(Clone)]
pub struct Unread {
    /// Absolute; none if it is not known which one (an entry of a database that makes no sense).
    pub file: Option<PathBuf>,
    /// What was said about it.
    pub message: String,
}

/// Where the program of a unit is.
enum Source {
    /// Under this key, from an earlier run.
    Kept(Key),
    /// Made by this run; the key is there if it was kept.
    Made(Box<(ir::Program, Cost)>, Option<Key>),
    Failed,
}

/// Reads what is not known yet. `Err` if there is nothing to go on with.
pub fn read(input: &cli::Input, flags: &[String], kept: &Kept) -> Result<Read, String> {
    let cwd = std::env::current_dir().map_err(|e| format!("the current directory is gone: {e}"))?;
    let unusable = known::install(&input.models);
    let of_c = input.models.iter().filter(|model| !known::is_table(model));
    let request = Request {
        inputs: input.files.clone(),
        models: of_c.cloned().collect(),
        database: input.database.clone(),
        flags: flags.to_vec(),
        // A unit is compiled in its own directory, where a relative path would mean another file.
        clang: std::env::var("RIGEL_CLANG")
            .ok()
            .map(|clang| match clang.contains('/') {
                true => cwd.join(clang).display().to_string(),
                false => clang,
            }),
        cwd: cwd.clone(),
    };
    let start = Instant::now();
    let plan = front::plan::plan(&request).map_err(|e| e.to_string())?;
    for error in &plan.errors {
        print::error(&error.to_string());
    }
    for model in &unusable {
        print::error(&model.message);
    }
    for note in &plan.notes {
        print::note(note);
    }
    // It fails only if there is a pool already; then that one does.
    let _ = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs(input))
        .build_global();
    let Plan { units, errors, .. } = plan;
    let wanted: Vec<_> = units.iter().map(|unit| &unit.job).collect();
    let spare = Spare::start();
    let found = kept.find(&wanted);
    let mut missing: Vec<usize> = (0..units.len()).filter(|i| found[*i].is_none()).collect();
    let overlaps = !missing.is_empty() && jobs(input) > 1;
    if !overlaps {
        missing.extend(outdated(&found, &wanted, kept));
        missing.sort_unstable();
    }
    let keys: Vec<Option<Key>> = found.iter().map(|f| Some(f.as_ref()?.program)).collect();
    let wanted: Vec<Job> = wanted.into_iter().cloned().collect();
    let mut read = Read {
        programs: keys
            .iter()
            .map(|key| key.map_or(Source::Failed, Source::Kept))
            .collect(),
        fetched: Vec::new(),
        failed: Vec::new(),
        diagnostics: Vec::new(),
        tried_cpu_us: 0,
        units,
        unread: errors
            .iter()
            .map(|e| unplanned(e, &cwd))
            .chain(unusable.into_iter().map(|model| Unread {
                file: Some(cwd.join(model.file)),
                message: model.message,
            }))
            .collect(),
        cwd,
        time: Duration::ZERO,
        jobs: jobs(input),
    };
    if overlaps {
        // clang is one process for a unit; meanwhile the other units are looked at more closely, and what will be needed
        // besides is fetched.
        let (made, fetched) = std::thread::scope(|scope| {
            let fetching = scope.spawn(|| {
                let wanted: Vec<&Job> = wanted.iter().collect();
                let outdated = outdated(&found, &wanted, kept);
                kept.recall(input, flags);
                (outdated, fetch(&keys, kept))
            });
            let made = read.make(&missing, &spare, kept);
            (made, fetching.join())
        });
        made?;
        // If that thread died, all that it was to find out is open.
        let unknown = |_| {
            (
                outdated(&found, &wanted.iter().collect::<Vec<_>>(), kept),
                Vec::new(),
            )
        };
        let (outdated, fetched) = fetched.unwrap_or_else(unknown);
        // What was seen before clang was started is not what it found.
        kept.look_again();
        read.make(&outdated, &Spare::default(), kept)?;
        read.fetched = fetched;
    } else {
        read.make(&missing, &spare, kept)?;
    }
    read.tell();
    read.time = start.elapsed();
    Ok(read)
}

impl Read {
    /// The keys of all programs, in order: what they are, without looking at them. None if there
    /// is one that was not kept.
    pub fn content(&self) -> Option<Vec<Key>> {
        let made = self.programs.iter();
        made.filter_map(|program| match program {
            Source::Kept(key) => Some(Some(*key)),
            Source::Made(_, key) => Some(*key),
            Source::Failed => None,
        })
        .collect()
    }

    /// clang's part of the time that passed: its share of the processor time of all workers.
    pub fn clang_seconds(&self) -> f64 {
        let sum = |part: fn(&Cost) -> u64| self.costs().map(part).sum::<u64>();
        let clang = sum(|c| c.clang_cpu_us) + self.tried_cpu_us;
        let all = clang + sum(|c| c.read_cpu_us + c.lower_cpu_us);
        self.time.as_secs_f64() * clang as f64 / all.max(1) as f64
    }

    fn costs(&self) -> impl Iterator<Item = &Cost> {
        self.programs.iter().filter_map(|program| match program {
            Source::Made(made, _) => Some(&made.1),
            _ => None,
        })
    }

    /// Fetches what is kept and links. `Err` if there is nothing to go on with.
    pub fn link(mut self, kept: &Kept) -> Result<Loaded, String> {
        let start = Instant::now();
        let fetched = match self.fetched.is_empty() {
            false => std::mem::take(&mut self.fetched),
            true => {
                let keys = self.programs.iter().map(|program| match program {
                    Source::Kept(key) => Some(*key),
                    _ => None,
                });
                fetch(&keys.collect::<Vec<_>>(), kept)
            }
        };
        let is_lost =
            |i: &usize| matches!(self.programs[*i], Source::Kept(_)) && fetched[*i].is_none();
        let lost: Vec<usize> = (0..self.units.len()).filter(is_lost).collect();
        self.make(&lost, &Spare::default(), kept)?;
        self.tell();
        let is_kept = |(program, fetched): &(&Source, &Option<ir::Program>)| {
            matches!(program, Source::Kept(_)) && fetched.is_some()
        };
        let found = self.programs.iter().zip(&fetched).filter(is_kept).count();
        let mut programs = Vec::new();
        let mut costs = Vec::new();
        for (program, fetched) in self.programs.into_iter().zip(fetched) {
            match (program, fetched) {
                (Source::Made(made, _), _) => {
                    programs.push(made.0);
                    costs.push(made.1);
                }
                (Source::Kept(_), Some(program)) => {
                    programs.push(program);
                    costs.push(Cost::default());
                }
                _ => {}
            }
        }
        let front = self.time + start.elapsed();
        let linked = Instant::now();
        let units = programs.len();
        let (mut program, warnings) = ir::link::link(programs);
        ir::unwritten::settle(&mut program);
        let warnings = disagreements(&warnings);
        warnings.iter().for_each(|warning| print::warning(warning));
        Ok(Loaded {
            program,
            units,
            kept: found,
            failed: self.unread.len(),
            costs,
            diagnostics: self.diagnostics,
            warnings,
            times: Times {
                front,
                link: linked.elapsed(),
                ..Times::default()
            },
            cwd: self.cwd,
        })
    }

    /// Says what could not be read, in the order of the units.
    fn tell(&mut self) {
        self.failed.sort_by_key(|(unit, _)| *unit);
        for (_, unread) in self.failed.drain(..) {
            print::error(&unread.message);
            self.unread.push(unread);
        }
    }

    /// Has the workers make the programs of these units.
    fn make(&mut self, missing: &[usize], spare: &Spare, kept: &Kept) -> Result<(), String> {
        if missing.is_empty() {
            return Ok(());
        }
        let units: Vec<&Unit> = missing.iter().map(|i| &self.units[*i]).collect();
        is_installed(&units)?;
        let tasks: Vec<Task> = units
            .iter()
            .map(|u| Task {
                job: u.job.clone(),
                bytes: u.bytes,
            })
            .collect();
        let executable = pool::executable()?;
        let progress = Progress::new(std::io::stderr().is_terminal());
        progress.stage("reading", tasks.len());
        let keys: Vec<Mutex<Option<Key>>> = tasks.iter().map(|_| Mutex::new(None)).collect();
        // Kept as soon as it is there: a run that is interrupted loses only what it had not done.
        let finished = |i: usize, lowered: Option<&Lowered>| {
            let key = lowered.and_then(|lowered| kept.remember(&tasks[i].job, lowered));
            if let Ok(mut slot) = keys[i].lock() {
                *slot = key;
            }
            progress.inc(1);
        };
        let answers = pool::lower_all_watched(&executable, spare, &tasks, self.jobs, &finished);
        progress.finish();
        for ((&i, answer), key) in missing.iter().zip(answers).zip(keys) {
            self.programs[i] = match answer {
                Ok(unit) => {
                    let said = unit.diagnostics.lines().map(str::to_string);
                    self.diagnostics.extend(said);
                    let key = key.into_inner().ok().flatten();
                    Source::Made(Box::new((unit.program, unit.cost)), key)
                }
                Err(failure) => {
                    let job = &self.units[i].job;
                    if let Some(tried) = failure.tried() {
                        kept.note_tried(job, &tried.files);
                        self.tried_cpu_us += tried.clang_cpu_us;
                    }
                    let message = unit_error(&self.units[i], failure).to_string();
                    let file = Some(Path::new(&job.directory).join(&job.file));
                    self.failed.push((i, Unread { file, message }));
                    Source::Failed
                }
            };
        }
        Ok(())
    }
}

/// Those of the units that were found that do not hold after all.
fn outdated(found: &[Option<Found>], jobs: &[&Job], kept: &Kept) -> Vec<usize> {
    let all = found.par_iter().zip(jobs).enumerate();
    let outdated = all.filter_map(|(i, (found, job))| {
        let found = found.as_ref()?;
        (!kept.still_holds(job, found)).then_some(i)
    });
    outdated.collect()
}

/// The programs under these keys, as far as they are there.
fn fetch(keys: &[Option<Key>], kept: &Kept) -> Vec<Option<ir::Program>> {
    let keys = keys.par_iter();
    keys.map(|key| kept.program(key.as_ref()?)).collect()
}

/// Every unit would fail for the same reason: say it once, and before the workers, which need
/// LLVM's library, fail for want of that.
fn is_installed(units: &[&Unit]) -> Result<(), String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    for program in units.iter().filter_map(|u| u.job.command.first()) {
        if front::find_on_path(program, &path).is_none() {
            return Err(match std::env::var("RIGEL_CLANG") {
                Ok(named) => format!(
                    "RIGEL_CLANG names {named}, which is not there (name a clang 19, or unset it)"
                ),
                Err(_) => format!(
                    "{program} is not installed (install clang 19: `apt-get install clang-19`, or name one in RIGEL_CLANG)"
                ),
            });
        }
    }
    Ok(())
}

fn unplanned(error: &front::Input, cwd: &Path) -> Unread {
    Unread {
        file: error.path().map(|path| cwd.join(path)),
        message: error.to_string(),
    }
}

fn unit_error(unit: &Unit, failure: Failure) -> UnitError {
    UnitError {
        file: unit.shown.clone(),
        failure,
        database: unit.database.clone(),
    }
}
