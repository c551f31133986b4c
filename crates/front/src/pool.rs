//! The pool of `rigel-front` workers.
//!
//! LLVM lives in processes of its own: if it crashes on a unit, that unit is lost and nothing
//! else. Every worker is fed by one thread. The threads take jobs from one list, the biggest
//! source first, so that no long job starts last; the answers are put in the order of the jobs,
//! so that nobody can tell how many workers there were.

use crate::protocol::{Answer, Cost, Failure, Job, Lowered, receive, send};
use std::io::{BufReader, BufWriter, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

/// A job and the size of its source.
#[derive(Clone, Debug)]
pub struct Task {
    pub job: Job,
    pub bytes: u64,
}

/// What became of a unit: a program, what clang said about it, and what it cost.
#[derive(Debug)]
pub struct Unit {
    pub program: ir::Program,
    pub diagnostics: String,
    pub cost: Cost,
}

impl Unit {
    fn decode(lowered: &Lowered) -> Result<Unit, Failure> {
        let program = lowered.program.decode().map_err(|e| Failure::Internal {
            reason: format!("rigel-front sent a broken program: {e}"),
        })?;
        Ok(Unit {
            program,
            diagnostics: lowered.diagnostics.clone(),
            cost: lowered.cost,
        })
    }
}

/// The executable of the workers: `RIGEL_FRONT`, else `rigel-front` beside this executable.
pub fn executable() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("RIGEL_FRONT") {
        let path = PathBuf::from(path);
        return if path.is_file() {
            Ok(path)
        } else {
            Err(format!(
                "RIGEL_FRONT names {}, which is not there (unset it)",
                path.display()
            ))
        };
    }
    let own = std::env::current_exe().map_err(|e| format!("cannot find rigel-front: {e}"))?;
    // Tests run from `target/…/deps`, one directory below the executables.
    let places = [own.parent(), own.parent().and_then(Path::parent)];
    places
        .into_iter()
        .flatten()
        .map(|dir| dir.join("rigel-front"))
        .find(|file| file.is_file())
        .ok_or_else(|| {
            format!(
                "rigel-front is not beside {} (build both: `cargo build --release`, or name it in RIGEL_FRONT)",
                own.display()
            )
        })
}

/// A worker that was started before it is known whether there is work: to load LLVM takes as long as to look
/// whether anything has changed. If it is not needed, it ends with this.
#[derive(Default)]
pub struct Spare(Mutex<Option<Worker>>);

impl Spare {
    /// Starts one. If that fails, the first job will say so.
    pub fn start() -> Spare {
        let worker = executable().ok().and_then(|e| Worker::start(&e).ok());
        Spare(Mutex::new(worker))
    }

    fn take(&self) -> Option<Worker> {
        self.0.lock().ok()?.take()
    }
}

/// Lowers all units on `workers` processes. The answers are in the order of the tasks.
pub fn lower_all(executable: &Path, tasks: &[Task], workers: usize) -> Vec<Result<Unit, Failure>> {
    lower_all_watched(executable, &Spare::default(), tasks, workers, &|_, _| {})
}

/// As [`lower_all`]; calls `finished` once for each task, when it is done, from any thread: with
/// the number of the task and what the worker answered, if that was a program.
pub fn lower_all_watched(
    executable: &Path,
    spare: &Spare,
    tasks: &[Task],
    workers: usize,
    finished: &(dyn Fn(usize, Option<&Lowered>) + Sync),
) -> Vec<Result<Unit, Failure>> {
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(tasks[i].bytes));
    let next = AtomicUsize::new(0);
    let slots: Vec<Mutex<Option<Result<Unit, Failure>>>> =
        tasks.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..workers.clamp(1, tasks.len().max(1)) {
            scope.spawn(|| {
                let mut worker = spare.take();
                while let Some(&i) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let answer = run(&mut worker, executable, &tasks[i].job);
                    // Of one large unit both take a while.
                    let unit = std::thread::scope(|scope| {
                        scope.spawn(|| finished(i, answer.as_ref().ok()));
                        let answer = answer.as_ref().map_err(Clone::clone);
                        answer.and_then(Unit::decode)
                    });
                    if let Ok(mut slot) = slots[i].lock() {
                        *slot = Some(unit);
                    }
                }
            });
        }
    });
    let missing = || {
        Err(Failure::Internal {
            reason: "the thread of this job ended early".to_string(),
        })
    };
    slots
        .into_iter()
        .map(|slot| slot.into_inner().ok().flatten().unwrap_or_else(missing))
        .collect()
}

/// Gives one job to the worker, starting one if there is none (any more).
fn run(slot: &mut Option<Worker>, executable: &Path, job: &Job) -> Result<Lowered, Failure> {
    let internal = |reason: String| Err(Failure::Internal { reason });
    let mut worker = match slot.take() {
        Some(worker) => worker,
        None => match Worker::start(executable) {
            Ok(worker) => worker,
            Err(e) => return internal(format!("cannot start {}: {e}", executable.display())),
        },
    };
    match worker.ask(job) {
        Ok(Some(answer)) => {
            *slot = Some(worker);
            match answer {
                Answer::Lowered(lowered) => Ok(*lowered),
                Answer::Failed(failure) => Err(failure),
            }
        }
        Ok(None) => internal(worker.died("")),
        Err(e) => internal(worker.died(&e.to_string())),
    }
}

/// One `rigel-front`. It is killed when this is dropped.
struct Worker {
    /// There until it is dropped.
    child: Option<Child>,
    input: Option<BufWriter<ChildStdin>>,
    output: BufReader<ChildStdout>,
    /// Collects what the worker says on standard error: the last words of one that dies.
    last_words: Option<JoinHandle<String>>,
}

impl Worker {
    fn start(executable: &Path) -> std::io::Result<Worker> {
        let mut child = Command::new(executable)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(std::io::Error::other("no pipes"));
        };
        Ok(Worker {
            child: Some(child),
            input: Some(BufWriter::new(input)),
            output: BufReader::with_capacity(1 << 16, output),
            last_words: Some(std::thread::spawn(move || beginning(errors))),
        })
    }

    fn ask(&mut self, job: &Job) -> std::io::Result<Option<Answer>> {
        match &mut self.input {
            Some(input) => send(input, job)?,
            None => return Ok(None),
        }
        receive(&mut self.output)
    }

    /// Why the worker ended. `stream` is what was wrong with its answer.
    fn died(mut self, stream: &str) -> String {
        use std::os::unix::process::ExitStatusExt;
        // A worker that only broke the protocol is still alive: end it.
        self.input = None;
        let status = self.end();
        let mut reason = match status {
            Some(status) => match (status.signal(), status.code()) {
                (Some(signal), _) => {
                    format!("rigel-front was killed by signal {signal}{}", name(signal))
                }
                (None, Some(0)) => "rigel-front ended without an answer".to_string(),
                (None, code) => {
                    format!("rigel-front ended with code {}", code.unwrap_or_default())
                }
            },
            None => format!("rigel-front broke off: {stream}"),
        };
        let words = self.last_words.take().and_then(|t| t.join().ok());
        if let Some(line) = words
            .as_deref()
            .and_then(|w| w.lines().find(|l| !l.is_empty()))
        {
            reason.push_str(": ");
            reason.push_str(line);
        }
        reason
    }

    /// The status of a process that ended by itself; one that did not is killed.
    fn end(&mut self) -> Option<std::process::ExitStatus> {
        let child = self.child.as_mut()?;
        // The pipe closes a moment before the process is gone.
        for _ in 0..50 {
            match child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) => std::thread::sleep(std::time::Duration::from_millis(10)),
                Err(_) => break,
            }
        }
        // Nothing can be done about a process that cannot even be killed.
        let _ = child.kill();
        let _ = child.wait();
        None
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else {
            return;
        };
        // A process that is gone already makes both fail, which is what was wanted.
        let _ = child.kill();
        // To give back the memory of a large unit takes a while; if no thread can do it, its parent's end does.
        let _ = std::thread::Builder::new().spawn(move || child.wait());
    }
}

/// Reads to the end, so that the worker never blocks, and keeps the beginning: the cause of a
/// crash stands before its stack.
fn beginning(mut from: impl Read) -> String {
    const KEPT: usize = 4096;
    let mut kept = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(n @ 1..) = from.read(&mut buffer) {
        let room = KEPT - kept.len();
        kept.extend_from_slice(&buffer[..n.min(room)]);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

fn name(signal: i32) -> &'static str {
    match signal {
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL: out of memory?)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    }
}
