//! From an error path to what a person reads (design.md §9): what is wrong, where, and the few
//! steps of the path that make it understandable.
//!
//! The message and the label of the failing place come from the rule ([`rules::Rule::wording`]);
//! which steps matter from a slice over the path ([`slice`]); how they read from [`notation`]. A path
//! through several functions ([`ir::compose()`]) is told with the calls that it enters and leaves
//! ([`frames`]).
//! No rule is known here by name.

mod frames;
mod held;
mod loops;
pub(crate) mod naming;
pub(crate) mod notation;
mod slice;
mod steps;
mod unset;
mod why;

use crate::ErrorPath;
use crate::identity::Identities;
use ir::{FuncId, Program, Span, Stmt};
use notation::Words;
use report::{Finding, Location, Step, StepKind, Verdict};
use rules::{Broken, Meta, Wording};

/// How the caller names places. Files are its affair.
pub type Places<'a> = dyn Fn(Span) -> Location + 'a;

/// One path as a finding. For many, make one [`Explainer`].
pub fn finding(
    program: &Program,
    error: &ErrorPath,
    verdict: Verdict,
    places: &Places<'_>,
) -> Finding {
    Explainer::new(program, places).finding(error, verdict)
}

/// Turns paths of one program into findings.
pub struct Explainer<'a> {
    program: &'a Program,
    places: &'a Places<'a>,
    identities: Identities<'a>,
}

impl<'a> Explainer<'a> {
    pub fn new(program: &'a Program, places: &'a Places<'a>) -> Explainer<'a> {
        Explainer {
            program,
            places,
            identities: Identities::new(program, places),
        }
    }

    /// The path must be one of the function it names, with the check's edge at its end.
    pub fn finding(&self, error: &ErrorPath, verdict: Verdict) -> Finding {
        let (rule, wording) = self.wording(error);
        let span = self.span(error);
        let location = (self.places)(span);
        let display = self.display(error.function);
        let mut steps = self.steps(error);
        steps.push(Step {
            location: location.clone(),
            function: display.clone(),
            kind: StepKind::Check,
            text: wording.label,
            depth: self.depth(error),
            importance: report::Importance::Essential,
            values: Vec::new(),
        });
        Finding {
            rule,
            verdict,
            message: wording.message,
            location,
            function: display,
            also_in: Vec::new(),
            steps,
            when: self.when(error),
            why: self.why(error),
            seen: None,
            called: self.called(error),
            projection: None,
            fingerprint_parts: self.identities.check(error.function, error.own_check()),
        }
    }

    /// Where the error is.
    pub fn location(&self, error: &ErrorPath) -> Location {
        (self.places)(self.span(error))
    }

    /// What the rule says about the check at the end of a path.
    fn wording(&self, error: &ErrorPath) -> (Option<&'static Meta>, Wording) {
        let program = self.program;
        let words = self.words(error);
        let check = words.and_then(|w| w.body.checks.get(error.check));
        let (Some(words), Some(check)) = (words, check) else {
            return (None, Wording::new("a check fails", "here"));
        };
        let (body, path) = (words.body, words.path);
        // The finding is that of the function that has the check.
        let function = self.display(error.function);
        let broken = Broken {
            program,
            body,
            condition: &check.condition,
            which: check.which,
            function: &function,
            guarded: path.last().and_then(|edge| guarded(program, body, *edge)),
            notation: &words,
        };
        match rules::find(program.name(check.rule)) {
            Some(rule) => (Some(rule.meta()), rule.wording(&broken)),
            None => (None, broken.plain("a check fails")),
        }
    }

    /// Where the check is; where the function is, if the compiler does not say.
    fn span(&self, error: &ErrorPath) -> Span {
        let function = self.program.functions.get(error.function);
        let edge = error.body(self.program).zip(error.path.last());
        let own = edge.and_then(|(body, edge)| body.edges().get(*edge).map(|e| e.span));
        own.filter(|span| !span.is_none())
            .or(function.map(|f| f.span))
            .unwrap_or(Span::NONE)
    }

    /// When the path is taken. The inputs are those of the function that it begins in.
    fn when(&self, error: &ErrorPath) -> Option<String> {
        let when = error.when.as_ref()?;
        let Some(composed) = &error.composed else {
            return Some(when.clone());
        };
        let root = self.display(composed.frames[ir::FrameId::ROOT].function);
        Some(format!("{when} in {}", report::called_name(&root)))
    }

    /// The words at the end of a path.
    fn words<'e>(&'e self, error: &'e ErrorPath) -> Option<Words<'e>> {
        Some(Words {
            program: self.program,
            body: error.body(self.program)?,
            composed: error.composed.as_deref(),
            path: &error.path,
        })
    }

    /// A function as people know it.
    pub fn display(&self, function: FuncId) -> String {
        let function = self.program.functions.get(function);
        function.map_or(String::new(), |f| self.program.name(f.display).to_string())
    }
}

/// The statement that a check stands before: in between there are only further checks, and what
/// automata note.
fn guarded<'b>(program: &Program, body: &'b ir::Body, check: ir::EdgeId) -> Option<&'b Stmt> {
    let mut node = body.edges().get(check)?.to;
    for _ in 0..body.node_count {
        let (_, edge) = body.out_edges(node).next()?;
        match edge.stmt {
            Stmt::Check(_) => node = edge.to,
            _ if rules::temporal::is_woven(program, body, edge) => node = edge.to,
            _ => return Some(&edge.stmt),
        }
    }
    None
}
