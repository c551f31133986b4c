//! `rigel-front`: the worker that turns units into CFA programs.
//!
//! A process of its own, because libLLVM brings an old solver library that would clash with
//! rigel's, costs start-up time, and may crash: then one unit is lost, not the run. See
//! `front::protocol` for what it reads and writes.

use front::protocol::{Answer, Cost, Encoded, Failure, Job, Lowered, Reads, Tried, receive, send};
use reads::Question;
use std::io::{BufReader, BufWriter, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

mod memory;
mod reads;
mod tried;
mod usage;

/// Types nest deeply in C++; recursion over them gets a generous stack.
const STACK: usize = 512 << 20;

fn main() -> ExitCode {
    memory::grow_in_large_steps();
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(serve);
    match worker.map(|w| w.join()) {
        Ok(Ok(Ok(()))) => ExitCode::SUCCESS,
        Ok(Ok(Err(e))) => {
            eprintln!("rigel-front: {e}");
            ExitCode::from(2)
        }
        _ => ExitCode::from(2),
    }
}

fn serve() -> std::io::Result<()> {
    std::panic::set_hook(Box::new(|_| {})); // a panic is answered, not printed
    let mut input = BufReader::new(std::io::stdin().lock());
    let mut output = BufWriter::new(std::io::stdout().lock());
    while let Some(job) = receive::<Job>(&mut input)? {
        let answer = match catch_unwind(AssertUnwindSafe(|| work(&job))) {
            Ok(Ok(answer)) => answer,
            Ok(Err(failure)) => Answer::Failed(failure),
            Err(panic) => Answer::Failed(Failure::Internal {
                reason: message(&*panic),
            }),
        };
        send(&mut output, &answer)?;
        output.flush()?;
    }
    Ok(())
}

fn work(job: &Job) -> Result<Answer, Failure> {
    let children = usage::children_cpu_us();
    let compiled = compile(job);
    let clang_cpu_us = usage::children_cpu_us() - children;
    let (bitcode, diagnostics, mut reads) = compiled.map_err(|failure| failure.at(clang_cpu_us))?;
    let start = usage::thread_cpu_us();
    let module = clang::Module::parse(&bitcode).map_err(|reason| Failure::Internal { reason })?;
    match reads::by_assembler(&module.assembler()) {
        Some(more) => reads.iter_mut().for_each(|r| r.files.extend(more.clone())),
        None => reads = None,
    }
    let read = usage::thread_cpu_us();
    let program = clang::lower(&module, &options(job, &diagnostics));
    let program = Encoded::new(&program).map_err(|e| Failure::Internal {
        reason: e.to_string(),
    })?;
    let lowered = usage::thread_cpu_us();
    let cost = Cost {
        clang_cpu_us,
        read_cpu_us: read - start,
        lower_cpu_us: lowered - read,
        bitcode_bytes: bitcode.len() as u64,
        peak_kib: usage::peak_kib(),
    };
    Ok(Answer::Lowered(Box::new(Lowered {
        program,
        diagnostics,
        cost,
        reads,
    })))
}

fn options(job: &Job, diagnostics: &str) -> clang::Options {
    let mut system_dirs = Vec::new();
    let mut words = job.command.iter();
    while let Some(word) = words.next() {
        let dir = match word.as_str() {
            "-isystem" | "-idirafter" => words.next().map(String::as_str),
            w => w.strip_prefix("-isystem"),
        };
        if let Some(dir) = dir {
            system_dirs.push(as_text(&Path::new(&job.directory).join(dir)));
        }
    }
    clang::Options {
        file: job.file.clone(),
        root: as_text(&std::env::current_dir().unwrap_or_default()),
        unsigned_char: job.command.iter().any(|w| w == "-funsigned-char"),
        folded: clang::read_folded(diagnostics),
        system_dirs,
    }
}

/// As the names in a program are: text, also where a directory's name is none.
fn as_text(path: &Path) -> PathBuf {
    path.to_string_lossy().into_owned().into()
}

/// Runs clang; bitcode, warnings and what it read, or why there are none.
fn compile(job: &Job) -> Result<(Vec<u8>, String, Option<Reads>), Failure> {
    let Some((program, args)) = job.command.split_first() else {
        return Err(Failure::Internal {
            reason: "a job without a command".into(),
        });
    };
    let no_compiler = |e: std::io::Error| match Path::new(&job.directory).is_dir() {
        true => Failure::NoCompiler {
            program: program.clone(),
            reason: e.to_string(),
        },
        false => Failure::NoDirectory {
            directory: job.directory.display().to_string(),
        },
    };
    let question = Question::new();
    let mut child = Command::new(program)
        .args(question.iter().flat_map(Question::arguments))
        .args(args)
        .current_dir(&job.directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(no_compiler)?;
    let mut errors = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(e) = &mut errors {
            let _ = e.read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    });
    let mut bitcode = Vec::new();
    if let Some(out) = &mut child.stdout {
        out.read_to_end(&mut bitcode).map_err(no_compiler)?;
    }
    let status = child.wait().map_err(no_compiler)?;
    let mut diagnostics = reader.join().unwrap_or_default();
    if !status.success() {
        let search = reads::take_search(&mut diagnostics).unwrap_or_default();
        let files = tried::files(job, &search, &diagnostics);
        let tried = Tried {
            files,
            clang_cpu_us: 0,
        };
        return Err(Failure::DoesNotCompile { diagnostics, tried });
    }
    let reads = question.and_then(|question| question.answer(&mut diagnostics));
    Ok((bitcode, diagnostics, reads))
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "unknown panic".into())
}
