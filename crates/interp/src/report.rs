//! Telling how and where a run ended.

use crate::code::{Code, Repr};
use crate::eval::sext;
use crate::exec::Interpreter;
use crate::machine::{Frame, Machine};
use crate::observe::Observer;
use crate::outcome::{Cause, Ctl, Failure, Outcome, Site};
use ir::{CheckId, Condition, ExprId, ExprKind, FuncId, NodeId, Span};

impl<O: Observer> Interpreter<'_, O> {
    /// Turns what interrupted the run into its outcome; the frames are still there.
    pub(crate) fn outcome(&mut self, ctl: Ctl) -> Outcome {
        let site = self.site();
        match ctl {
            Ctl::Done(outcome) => *outcome,
            Ctl::Exit(code) => Outcome::Exit(code),
            Ctl::Abort(reason) => Outcome::Aborted { reason, site },
            Ctl::Stuck(reason) => Outcome::Stuck { reason, site },
            Ctl::StepLimit => Outcome::StepLimit { site },
            Ctl::Fault(f) => Outcome::Failed(Box::new(Failure {
                cause: Cause::Fault(f.kind),
                detail: f.detail,
                site,
            })),
            Ctl::Check(check) => {
                let (rule, detail) = self.check_words(check);
                Outcome::Failed(Box::new(Failure {
                    cause: Cause::Check { check, rule },
                    detail,
                    site,
                }))
            }
            Ctl::Throw(a) | Ctl::Rethrow(a) => Outcome::Uncaught {
                type_info: self.m.thrown_type(a),
                site,
            },
            Ctl::Jump { .. } => Outcome::Failed(Box::new(Failure {
                cause: Cause::Fault(crate::FaultKind::BadJump),
                detail: String::new(),
                site,
            })),
        }
    }

    /// The rule of a check that failed here, and what its condition saw.
    fn check_words(&self, id: CheckId) -> (ir::Symbol, String) {
        let Some(frame) = self.m.frames.last() else {
            return (ir::Symbol(0), String::new());
        };
        let code = &frame.code;
        let Some(check) = code.body.checks.get(id) else {
            return (ir::Symbol(0), String::new());
        };
        let m = &self.m;
        let detail = match check.condition {
            Condition::InBounds { pointer, size } => {
                let (p, n) = (m.scalar(code, pointer.0), m.index(code, size.0));
                format!("{n} bytes at {}", m.describe(p))
            }
            Condition::Alive(e)
            | Condition::Freeable { pointer: e, .. }
            | Condition::Apart(e, _) => m.describe(m.scalar(code, e.0)),
            Condition::Holds(e) => m.operands_in_words(code, e),
            _ => String::new(),
        };
        m.discard_fault();
        (check.rule, detail)
    }

    fn site(&self) -> Site {
        let stack: Vec<(FuncId, Span)> = self
            .m
            .frames
            .iter()
            .rev()
            .map(|f| (f.code.func, span_at(f)))
            .collect();
        Site {
            function: stack.first().map(|s| s.0),
            node: NodeId(self.m.frames.last().map_or(0, |f| f.node)),
            span: stack.first().map_or(Span::NONE, |s| s.1),
            stack,
        }
    }
}

impl<'p> Machine<'p> {
    /// The two sides of a comparison, as they are here; nothing for other expressions.
    pub(crate) fn operands_in_words(&self, code: &Code<'p>, e: ExprId) -> String {
        let Some(ExprKind::Compare(_, a, b)) = code.body.exprs.get(e).map(|e| &e.kind) else {
            return String::new();
        };
        let word = |e: ExprId| match code.reprs.get(e.0 as usize) {
            Some(Repr::Int {
                width,
                signed: true,
            }) => sext(self.bits(code, e.0), 64 - width).to_string(),
            Some(Repr::Pointer) => self.describe(self.scalar(code, e.0)),
            Some(r) if r.is_small() => self.bits(code, e.0).to_string(),
            _ => "?".into(),
        };
        // A constant is in the condition's own text already.
        let constant = |e: &ExprId| {
            let kind = code.body.exprs.get(*e).map(|e| &e.kind);
            matches!(kind, Some(ExprKind::Int(_) | ExprKind::Null))
        };
        let sides = [*a, *b].into_iter().filter(|e| !constant(e)).map(word);
        sides.collect::<Vec<_>>().join(" and ")
    }
}

/// Where in the source a frame stands.
fn span_at(frame: &Frame<'_>) -> Span {
    if frame.node >= frame.code.body.node_count {
        return Span::NONE;
    }
    let mut edges = frame.code.body.out_edges(NodeId(frame.node));
    edges.next().map_or(Span::NONE, |(_, e)| e.span)
}
