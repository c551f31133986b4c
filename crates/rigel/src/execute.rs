//! Running a program in the interpreter, and telling what came of it.

use crate::pipeline::Loaded;
use engine::identity::Identities;
use interp::{Cause, Config, Interpreter, Outcome, Site};
use ir::Condition;
use report::{
    Caller, Finding, FingerprintParts, Importance, Location, Step, StepKind, Verdict, called_name,
};
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
        Some((function, place)) if place.line > 0 => {
            let (file, line) = (&place.file, place.line);
            format!(" at {file}:{line} in {}", called_name(function))
        }
        Some((function, _)) => format!(" in {}", called_name(function)),
        None => String::new(),
    };
    match outcome {
        Outcome::Exit(code) => Ran::Ended(code),
        Outcome::Failed(failure) => {
            let (site, seen) = (&failure.site, failure.detail.as_str());
            match failure.cause {
                Cause::Check { check, rule } => {
                    let id = loaded.program.name(rule);
                    if !selection.shows(id) {
                        return Ran::Stopped(format!(
                            "the run ended{}: {id}, which is not among the rules to show",
                            at(site)
                        ));
                    }
                    let rule = rules::find(id).map(|rule| rule.meta());
                    let message = rule.map_or("a check failed", |rule| rule.summary);
                    let mut finding = failed(loaded, site, message, seen);
                    finding.rule = rule;
                    if is_woven(loaded, site.function, check) {
                        finding.seen = None;
                    }
                    if let Some(function) = site.function
                        && let Some(label) = broken(loaded, function, check)
                    {
                        finding.fingerprint_parts =
                            Identities::new(&loaded.program, &|span| loaded.location(span))
                                .check(function, check);
                        finding
                            .steps
                            .iter_mut()
                            .for_each(|s| s.text.clone_from(&label));
                    }
                    found(finding)
                }
                Cause::Fault(kind) => found(failed(loaded, site, &kind.to_string(), seen)),
            }
        }
        Outcome::Aborted { reason, site } => {
            let message = format!("the program aborts: {reason}");
            found(failed(loaded, &site, &message, ""))
        }
        Outcome::Uncaught { type_info, site } => {
            let thrown = type_info
                .and_then(|g| loaded.program.globals.get(g))
                .map_or("", |g| loaded.program.name(g.name));
            found(failed(
                loaded,
                &site,
                "an exception leaves the program",
                thrown,
            ))
        }
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

/// A failure of a run as a finding: it happened, so it must. The path is the place alone; the
/// frames below it are its callers.
fn failed(loaded: &Loaded, site: &Site, message: &str, seen: &str) -> Finding {
    let mut frames = stack(loaded, site).into_iter();
    let (function, location) = frames.next().unwrap_or_default();
    let step = Step {
        location: location.clone(),
        function: function.clone(),
        kind: StepKind::Check,
        text: String::new(),
        depth: 0,
        importance: Importance::Essential,
        values: Vec::new(),
    };
    Finding {
        rule: None,
        verdict: Verdict::Must,
        message: message.to_string(),
        location,
        also_in: Vec::new(),
        steps: vec![step],
        when: None,
        why: None,
        seen: (!seen.is_empty()).then(|| seen.to_string()),
        called: frames
            .map(|(caller, location)| Caller {
                location,
                text: format!("in {}", called_name(&caller)),
            })
            .collect(),
        projection: None,
        fingerprint_parts: FingerprintParts {
            function: site.function.map_or(String::new(), |function| {
                Identities::new(&loaded.program, &|span| loaded.location(span)).function(function)
            }),
            condition: message.to_string(),
            ordinal: 0,
        },
        function,
    }
}

/// Is the check about what only rigel remembers? Nobody else knows its values.
fn is_woven(loaded: &Loaded, function: Option<ir::FuncId>, id: ir::CheckId) -> bool {
    let function = function.and_then(|f| loaded.program.functions.get(f));
    let body = function.and_then(|f| f.body.as_ref());
    body.is_some_and(|body| {
        let check = body.checks.get(id);
        check.is_some_and(|c| rules::temporal::is_woven_check(&loaded.program, body, &c.condition))
    })
}

/// What should have held, in words with the program's own expressions.
fn broken(loaded: &Loaded, function: ir::FuncId, id: ir::CheckId) -> Option<String> {
    let body = loaded.program.functions.get(function)?.body.as_ref()?;
    let printer = ir::text::Printer::new(&loaded.program);
    let expr = |e| printer.expr(function, body, e);
    let condition = &body.checks.get(id)?.condition;
    if let Some(value) = rules::temporal::subject(&loaded.program, body, condition) {
        return Some(format!("`{}`", expr(value)));
    }
    if is_woven(loaded, Some(function), id) {
        return Some(String::new());
    }
    Some(match *condition {
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
        Condition::Freeable { pointer, family } => format!(
            "`{}` is not the start of a block of `{}`",
            expr(pointer),
            family.word()
        ),
        Condition::Apart(a, b) => format!("`{}` leads to where `{}` does", expr(a), expr(b)),
        Condition::Unreachable => "never to be reached".to_string(),
    })
}

/// The display name and the place of every frame, the innermost first.
fn stack(loaded: &Loaded, site: &Site) -> Vec<(String, Location)> {
    let frame = |&(function, span): &(ir::FuncId, ir::Span)| {
        (name(loaded, function), loaded.location(span))
    };
    let mut frames: Vec<_> = site.stack.iter().map(frame).collect();
    if frames.is_empty()
        && let Some(function) = site.function
    {
        frames.push(frame(&(function, site.span)));
    }
    frames
}

fn name(loaded: &Loaded, function: ir::FuncId) -> String {
    let function = loaded.program.functions.get(function);
    let name = function.map(|f| loaded.program.name(f.display));
    name.unwrap_or("(unknown)").to_string()
}
