//! Running a program in the interpreter, and telling what came of it.

use crate::finding::{Finding, Frame};
use crate::pipeline::Loaded;
use interp::{Cause, Config, Interpreter, Outcome, Site};
use ir::Condition;
use rules::Selection;

/// What a run came to.
pub enum Ran {
    /// The program ended by itself, with this code.
    Ended(i32),
    Found(Box<Finding>),
    /// The run went no further, for reasons that are not the program's fault: one line.
    Stopped(String),
}

/// Runs the program's `main`.
pub fn run(loaded: &Loaded, selection: Selection, config: Config<'_>) -> Ran {
    let limit = config.step_limit;
    let outcome = Interpreter::new(&loaded.program, config).run();
    let found = |finding| Ran::Found(Box::new(finding));
    let at = |site: &Site| match stack(loaded, site).first() {
        Some(frame) if frame.line > 0 => {
            format!(" at {}:{} in {}", frame.file, frame.line, frame.function)
        }
        Some(frame) => format!(" in {}", frame.function),
        None => String::new(),
    };
    match outcome {
        Outcome::Exit(code) => Ran::Ended(code),
        Outcome::Failed(failure) => {
            let (rule, message, broken) = match failure.cause {
                Cause::Check { check, rule } => {
                    let rule = loaded.program.name(rule).to_string();
                    if !selection.shows(&rule) {
                        return Ran::Stopped(format!(
                            "the run ended{}: {rule}, which is not among the rules to show",
                            at(&failure.site)
                        ));
                    }
                    let message = rules::find(&rule).map_or("a check failed", |r| r.meta().summary);
                    let broken = broken(loaded, &failure.site, check);
                    (Some(rule), message.to_string(), broken)
                }
                Cause::Fault(kind) => (None, kind.to_string(), None),
            };
            found(Finding {
                rule,
                message,
                broken,
                detail: failure.detail,
                stack: stack(loaded, &failure.site),
            })
        }
        Outcome::Aborted { reason, site } => found(Finding {
            rule: None,
            message: format!("the program aborts: {reason}"),
            broken: None,
            detail: String::new(),
            stack: stack(loaded, &site),
        }),
        Outcome::Uncaught { type_info, site } => found(Finding {
            rule: None,
            message: "an exception leaves the program".to_string(),
            broken: None,
            detail: type_info
                .and_then(|g| loaded.program.globals.get(g))
                .map_or(String::new(), |g| loaded.program.name(g.name).to_string()),
            stack: stack(loaded, &site),
        }),
        Outcome::Stuck { reason, site } => {
            Ran::Stopped(format!("the run stopped{}: {reason}", at(&site)))
        }
        Outcome::StepLimit { site } => Ran::Stopped(format!(
            "the run was ended after {} statements{}",
            crate::print::grouped(limit as usize),
            at(&site)
        )),
    }
}

/// What should have held, in the program's own words.
fn broken(loaded: &Loaded, site: &Site, check: ir::CheckId) -> Option<String> {
    let function = site.function?;
    let body = loaded.program.functions.get(function)?.body.as_ref()?;
    let printer = ir::text::Printer::new(&loaded.program);
    let expr = |e| printer.expr(function, body, e);
    Some(match body.checks.get(check)?.condition {
        Condition::Holds(e) => format!("`{}` does not hold", expr(e)),
        Condition::Initialized(p) => {
            format!("`{}` was never set", printer.place(function, body, p))
        }
        Condition::InBounds { pointer, size } => format!(
            "`{}` and {} bytes from there are not within one object",
            expr(pointer),
            expr(size)
        ),
        Condition::Alive(e) => format!("what `{}` points to is gone", expr(e)),
        Condition::Unreachable => "never to be reached".to_string(),
    })
}

fn stack(loaded: &Loaded, site: &Site) -> Vec<Frame> {
    let frame = |&(function, span): &(ir::FuncId, ir::Span)| Frame {
        function: name(loaded, function),
        file: loaded.file(span),
        line: span.line,
        column: span.column,
    };
    let mut frames: Vec<Frame> = site.stack.iter().map(frame).collect();
    if frames.is_empty()
        && let Some(function) = site.function
    {
        frames.push(frame(&(function, site.span)));
    }
    frames
}

/// `f()` for C; C++ names carry their parameters already.
fn name(loaded: &Loaded, function: ir::FuncId) -> String {
    let Some(function) = loaded.program.functions.get(function) else {
        return "(unknown)".to_string();
    };
    let name = loaded.program.name(function.display);
    if name.ends_with(')') {
        name.to_string()
    } else {
        format!("{name}()")
    }
}
