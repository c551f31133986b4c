//! Why a replay ends before its path does, in words.

use super::Replayed;
use crate::exec::Interpreter;
use crate::observe::NoObserver;
use crate::outcome::{Cause, Ctl, Outcome, Site, StuckReason};
use ir::Program;

/// The end of a replay that did not confirm its path.
#[derive(Debug)]
pub(super) enum End {
    Diverged(String),
    Stuck(String),
}

impl End {
    pub fn at(self, step: usize) -> Replayed {
        match self {
            End::Diverged(why) => Replayed::Diverged { step, why },
            End::Stuck(why) => Replayed::Stuck { step, why },
        }
    }

    pub fn diverged<T>(why: impl Into<String>) -> Result<T, End> {
        Err(End::Diverged(why.into()))
    }

    pub fn stuck<T>(why: impl Into<String>) -> Result<T, End> {
        Err(End::Stuck(why.into()))
    }

    /// What an interruption of the run says about the path. What the program does is a divergence;
    /// what the interpreter cannot do is no verdict.
    pub fn of(run: &mut Interpreter<'_, NoObserver>, ctl: Ctl) -> End {
        let program = run.m.program;
        match run.outcome(ctl) {
            Outcome::Failed(f) => {
                let what = match f.cause {
                    Cause::Check { rule, .. } => {
                        let rule = program.symbols.lookup(rule).unwrap_or("?");
                        format!("check {rule} fails")
                    }
                    Cause::Fault(kind) => kind.to_string(),
                };
                let detail = match f.detail.as_str() {
                    "" => String::new(),
                    detail => format!(": {detail}"),
                };
                End::Diverged(format!("{what}{}{detail}", within(program, &f.site)))
            }
            Outcome::Aborted { reason, site } => {
                End::Diverged(format!("the run ends{}: {reason}", within(program, &site)))
            }
            Outcome::Exit(code) => End::Diverged(format!("the program exits with {code}")),
            Outcome::Uncaught { site, .. } => End::Diverged(format!(
                "an exception leaves the function{}",
                within(program, &site)
            )),
            Outcome::StepLimit { site } => End::Stuck(format!(
                "the calls take too many statements{}",
                within(program, &site)
            )),
            Outcome::Stuck { reason, site } => {
                let why = format!("{reason}{}", within(program, &site));
                match reason {
                    StuckReason::Blocked => End::Diverged(why),
                    _ => End::Stuck(why),
                }
            }
        }
    }
}

/// ` in f`, inside a call of the path's function.
fn within(program: &Program, site: &Site) -> String {
    match site.function {
        Some(f) if site.stack.len() > 1 => format!(" in {}", program.function_name(f)),
        _ => String::new(),
    }
}
