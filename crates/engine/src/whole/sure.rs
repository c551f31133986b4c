//! How sure: what dual analysis says of the errors that are reported (design.md §7).
//!
//! Of the path of an error: does it depend on anything but the inputs? If not, every run with these inputs fails. Of a small
//! body all runs are executed at once ([`dual`]): with which inputs it fails at this check, and with which it ends otherwise;
//! inputs that fail and never end otherwise *must* fail. What was said is kept by content, as the judgements of level 2 are.

use super::digest::{self, Digest};
use crate::projection::root_of;
use crate::{Analysis, ErrorPath, panic_words};
use dual::error::Certain;
use dual::program::{Dual, Settings};
use feasible::start::Start;
use ir::arena::Id;
use ir::{
    Body, CallGraph, CheckId, Edge, EdgeId, Expr, ExprKind, FuncId, NodeId, Program, Stmt, TypeId,
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What was said, by what it was said of.
pub(crate) type Kept = BTreeMap<u128, Sure>;

/// What is certain of an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Sure {
    /// With inputs that satisfy this.
    Must(String),
    May,
    /// No run fails.
    Never,
    /// It was too much to find out.
    Unknown,
}

/// How much may be done for one error.
fn settings(operations: u64, trusting: bool) -> Settings {
    Settings {
        operations,
        total: operations,
        trusting,
        edges: 400,
        depth: 2,
        ..Settings::default()
    }
}

/// What errors are made of.
pub(crate) struct Court<'a> {
    pub program: &'a Program,
    pub graph: &'a CallGraph,
    /// What each function says, and whom it calls.
    pub keys: &'a [u128],
    pub operations: u64,
}

impl Court<'_> {
    /// Says of each error how sure it is, and takes back those that cannot be.
    pub fn judge(&self, analysis: &mut Analysis, kept: &mut Kept) {
        let before = std::mem::take(kept);
        let said: Vec<(u128, Result<Sure, String>)> = analysis
            .errors
            .par_iter()
            .map(|error| {
                let key = self.key(error);
                // A run has shown it already, and there is no other.
                if error.must {
                    return (key, Ok(Sure::Must("true".to_string())));
                }
                match before.get(&key) {
                    Some(known) => (key, Ok(known.clone())),
                    None => (key, self.look(error)),
                }
            })
            .collect();
        let errors = std::mem::take(&mut analysis.errors);
        for (mut error, (key, sure)) in errors.into_iter().zip(said) {
            let sure = match sure {
                Ok(sure) => {
                    if !error.must {
                        kept.insert(key, sure.clone());
                    }
                    sure
                }
                Err(why) => {
                    analysis.defects.push((error.function, why));
                    Sure::Unknown
                }
            };
            let sure = match sure {
                Sure::Must(_) if !self.is_error(&error) || self.is_replaceable(&error) => Sure::May,
                // What was seen does happen.
                Sure::Never if error.seen => Sure::May,
                sure => sure,
            };
            match &sure {
                Sure::Must(condition) => {
                    error.must = true;
                    error.when = Some(condition.clone()).filter(|c| c != "true");
                    analysis.sure.must += 1;
                }
                Sure::May => analysis.sure.may += 1,
                Sure::Unknown => analysis.sure.unknown += 1,
                Sure::Never => analysis.sure.never += 1,
            }
            match sure != Sure::Never {
                true => analysis.errors.push(error),
                false => analysis.take_back(error.function),
            }
        }
    }

    /// Is it an error whenever the check fails?
    fn is_error(&self, error: &ErrorPath) -> bool {
        let Some(body) = error.body(self.program) else {
            return false;
        };
        let Some(check) = body.checks.get(error.check) else {
            return false;
        };
        let rule = rules::find(self.program.name(check.rule));
        rule.is_none_or(|rule| rule.is_sure(self.program, body, &check.condition))
    }

    /// Does it go through a function whose place another definition may take?
    fn is_replaceable(&self, error: &ErrorPath) -> bool {
        let entered = self.members(error).into_iter().skip(1);
        let body = error.body(self.program);
        let called = body.map(|body| called(self, body, &error.path));
        let mut all = entered.chain(called.into_iter().flatten());
        all.any(|f| self.program.is_replaceable(f))
    }

    /// The functions whose bodies count.
    fn members(&self, error: &ErrorPath) -> Vec<FuncId> {
        match &error.composed {
            Some(composed) => composed.frames.values().map(|f| f.function).collect(),
            None => vec![error.function],
        }
    }

    /// Of what is said what is said.
    fn key(&self, error: &ErrorPath) -> u128 {
        let dual = Dual::new(self.program, self.graph, settings(self.operations, true));
        let mut digest = Digest::default();
        digest.number(self.operations);
        for f in self.members(error) {
            digest.wide(self.keys[f.index()]);
        }
        let frames = error.composed.iter().flat_map(|c| c.frames.values());
        let calls: Vec<_> = frames.map(|frame| frame.caller).collect();
        digest.wide(digest::of(&calls));
        // What the rest of the program says of them.
        let begins = Start::of(self.program, self.graph, root_of(error)) == Start::Program;
        digest.number(u64::from(begins));
        let body = error.body(self.program);
        for f in body
            .map(|body| dual.below(&called(self, body, &error.path)))
            .iter()
            .flatten()
        {
            digest.wide(self.keys[f.index()]);
            digest.number(u64::from(self.program.is_replaceable(*f)));
        }
        for v in body.iter().flat_map(|body| &body.params) {
            let name = body.and_then(|body| body.vars.get(*v)).map(|v| v.name);
            digest.text(name.map_or("", |name| self.program.name(name)));
        }
        digest.wide(digest::of(&(error.check, &error.path)));
        digest.finish()
    }

    fn look(&self, error: &ErrorPath) -> Result<Sure, String> {
        let Some(body) = error.body(self.program) else {
            return Ok(Sure::Unknown);
        };
        let ending = ending(body, error.check);
        let body = ending.as_ref().unwrap_or(body);
        // A bug in it must not cost the finding.
        let ask = |trusting: bool| {
            catch_unwind(AssertUnwindSafe(|| {
                let root = root_of(error);
                let settings = Settings {
                    begins: Start::of(self.program, self.graph, root) == Start::Program,
                    ..settings(self.operations, trusting)
                };
                let mut dual = Dual::new(self.program, self.graph, settings);
                let called = called(self, body, &error.path);
                dual.error(body, error.check, &error.path, &called)
            }))
            .map_err(|panic| panic_words(&*panic))
        };
        let mut certain = ask(true)?;
        // Not with what functions should be given; with anything?
        if let Ok(Certain::Never) = certain {
            certain = match ask(false)? {
                Ok(Certain::Never) => Ok(Certain::Never),
                _ => Ok(Certain::May),
            };
        }
        Ok(match certain {
            Ok(Certain::Must(Some(condition))) => Sure::Must(condition),
            // What cannot be said is not claimed.
            Ok(Certain::May | Certain::Must(None)) => Sure::May,
            // For dual analysis a run ends at every check that fails.
            Ok(Certain::Never) if self.looks_at_unset(body, error) => Sure::May,
            Ok(Certain::Never) => Sure::Never,
            Err(_) => Sure::Unknown,
        })
    }

    /// Does the path go on behind characters that nobody may have written?
    fn looks_at_unset(&self, body: &Body, error: &ErrorPath) -> bool {
        let mut before = error.path.iter().rev().skip(1);
        before.any(|edge| match body.edges().get(*edge).map(|e| &e.stmt) {
            Some(Stmt::Check(check)) => {
                let asks = &body.checks[*check].condition;
                asks.asks_for_character(body, &self.program.types).is_some()
            }
            _ => false,
        })
    }
}

/// The body without the way on beside a check: of a rule whose errors end no run it is asked whether the check fails, and a
/// run that fails has failed. None if there is no such way.
fn ending(body: &Body, check: CheckId) -> Option<Body> {
    let all = body.edges().values();
    let at = all.filter(|e| matches!(e.stmt, Stmt::Check(c) if c == check));
    let ends: Vec<(NodeId, NodeId)> = at.map(|e| (e.from, e.to)).collect();
    let beside = |e: &Edge| matches!(e.stmt, Stmt::Skip) && ends.contains(&(e.from, e.to));
    if !body.edges().values().any(beside) {
        return None;
    }
    let mut body = body.clone();
    let never = body.exprs.push(Expr {
        kind: ExprKind::Int(0),
        ty: TypeId::BOOL,
    });
    let mut edges = body.take_edges();
    for edge in edges.iter_mut().filter(|e| beside(e)) {
        edge.stmt = Stmt::Assume(never);
    }
    body.set_edges(edges);
    Some(body)
}

/// Whom a path of a body calls.
fn called(court: &Court<'_>, body: &Body, path: &[EdgeId]) -> Vec<FuncId> {
    let mut all = Vec::new();
    for edge in path.iter().filter_map(|id| body.edges().get(*id)) {
        if let Stmt::Call(call) = &edge.stmt {
            match call.callee {
                ir::Callee::Direct(f) => all.push(f),
                ir::Callee::Indirect(_) => {
                    all.extend(court.graph.targets(court.program, body, call))
                }
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}
