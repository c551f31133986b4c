//! Composed bodies of real code: a program's `main`, with its calls and theirs replaced by bodies, does what
//! the program does. The programs are those that the interpreter is tested with, and some of
//! the rules' fixtures.

mod common;

use front::pool;
use interp::{Cause, Config, Interpreter, Outcome, Value};
use ir::{CallOutcome, Callee, Composed, FrameId, FuncId, Inlined, Program, Stmt, compose};
use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Frames of one composed body.
const FRAMES: usize = 24;

/// Of the fixtures, one in so many.
const ONE_IN: usize = 6;

fn files_below(directory: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let extension = path.extension().and_then(|e| e.to_str());
        if matches!(extension, Some("c" | "cpp")) {
            found.push(path);
        } else if path.is_dir() {
            files_below(&path, found);
        }
    }
}

/// Each file as a program of its own, with its checks.
fn lowered(inputs: Vec<PathBuf>) -> Vec<(PathBuf, Program)> {
    let cwd = Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf();
    let mut programs = Vec::new();
    let mut tasks: Vec<pool::Task> = Vec::new();
    for input in &inputs {
        let request = front::Request {
            inputs: vec![input.clone()],
            cwd: cwd.clone(),
            ..front::Request::default()
        };
        let plan = front::plan::plan(&request).unwrap();
        tasks.extend(plan.units.into_iter().map(|u| pool::Task {
            job: u.job,
            bytes: u.bytes,
        }));
    }
    assert_eq!(tasks.len(), inputs.len());
    let units = pool::lower_all(&pool::executable().unwrap(), &tasks, 2);
    for (input, unit) in inputs.into_iter().zip(units) {
        // What needs flags of its own does not compile here.
        if let Ok(unit) = unit {
            let (mut program, _) = ir::link::link(vec![unit.program]);
            rules::instrument(&mut program, rules::Selection::all());
            programs.push((input, program));
        }
    }
    programs
}

/// The root with its direct calls, then those of their callees, as far as they can be composed.
fn composed(program: &Program, root: FuncId) -> Composed {
    let mut calls: Vec<Inlined> = Vec::new();
    let mut made = compose(program, root, &calls).unwrap();
    let mut at = 0;
    while at < made.frames.len() {
        let frame = FrameId(at as u32);
        let body = program.functions[made.frames[frame].function].body.as_ref();
        for (call, edge) in body.unwrap().edges().iter() {
            if let Stmt::Call(site) = &edge.stmt
                && let Callee::Direct(callee) = site.callee
                && site.outcome == CallOutcome::Return
                && made.frames.len() < FRAMES
            {
                calls.push(Inlined {
                    frame,
                    call,
                    callee,
                });
                match compose(program, root, &calls) {
                    Ok(larger) => made = larger,
                    Err(_) => {
                        calls.pop();
                    }
                }
            }
        }
        at += 1;
    }
    made
}

#[derive(Clone, Default)]
struct Output(Rc<RefCell<Vec<u8>>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What a run of the root prints and how it ends, in terms of the program.
fn told(program: &Program, root: FuncId, composed: Option<&Composed>) -> String {
    let output = Output::default();
    let config = Config {
        stdout: Box::new(output.clone()),
        step_limit: 20_000_000,
        ..Config::default()
    };
    let mut run = Interpreter::new(program, config);
    let end = match composed {
        None => run.call(root, Vec::new()),
        Some(composed) => run.call_body(root, &composed.body, Vec::new()),
    };
    let end = match end {
        Ok(Value::Scalar(value)) => format!("returns {}", value.bits as i32),
        Ok(other) => format!("returns {other:?}"),
        Err(Outcome::Exit(code)) => format!("exits with {code}"),
        Err(Outcome::Failed(f)) => match (f.cause, composed) {
            (Cause::Check { check, .. }, Some(composed)) if f.site.stack.len() == 1 => {
                let (frame, check) = composed.check(check);
                format!("{check:?} of {:?}", composed.frames[frame].function)
            }
            (Cause::Check { check, .. }, _) => {
                format!("{check:?} of {:?}", f.site.function.unwrap())
            }
            (Cause::Fault(kind), _) => kind.to_string(),
        },
        Err(Outcome::Aborted { reason, .. }) => format!("aborts: {reason}"),
        Err(Outcome::Uncaught { .. }) => "an exception leaves".to_string(),
        Err(Outcome::Stuck { reason, .. }) => format!("stuck: {reason}"),
        Err(Outcome::StepLimit { .. }) => "too long".to_string(),
    };
    let output = output.0.borrow();
    format!("{}{end}", String::from_utf8_lossy(&output))
}

#[test]
fn real_code_does_the_same_composed() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut inputs = Vec::new();
    files_below(&here.join("../rules/fixtures"), &mut inputs);
    let mut n = 0;
    inputs.retain(|_| {
        n += 1;
        n % ONE_IN == 1
    });
    files_below(&here.join("tests/programs"), &mut inputs);
    let (mut compared, mut frames, mut failing) = (0, 0, 0);
    for (path, program) in lowered(inputs) {
        let Some(root) = program.find_function("main") else {
            continue;
        };
        let body = program.functions[root].body.as_ref();
        if body.is_none_or(|body| !body.params.is_empty()) {
            continue;
        }
        let plain = told(&program, root, None);
        if plain.ends_with("too long") {
            continue;
        }
        let composed = composed(&program, root);
        if let Err(violations) = ir::validate_body(&program, root, &composed.body) {
            panic!("{}: {}", path.display(), violations[0]);
        }
        let joined = told(&program, root, Some(&composed));
        assert_eq!(plain, joined, "{}", path.display());
        compared += 1;
        frames += composed.frames.len() - 1;
        failing += usize::from(plain.contains("CheckId"));
    }
    assert!(
        compared > 60 && frames > 300 && failing > 10,
        "{compared} programs with {frames} calls, {failing} of them fail"
    );
}
