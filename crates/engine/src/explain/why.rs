//! Why an error of level 1 is not reported, in a sentence.

use super::Explainer;
use super::notation::Words;
use crate::whole::{EDGES, LONGEST};
use crate::{ErrorPath, Why};
use ir::walk::{Item, expr_items, place_items, statement_items};
use ir::{Base, ExprKind, Stmt, VarKind};
use std::collections::BTreeSet;

/// Inputs that are named at most.
const INPUTS: usize = 3;

impl Explainer<'_> {
    /// None of one that is reported.
    pub(super) fn why(&self, error: &ErrorPath) -> Option<String> {
        let text = match error.why? {
            Why::Merged => {
                "level 1: it fails only where states are merged; no path is left when they are \
                 kept apart"
            }
            Why::Walked => {
                "level 2, following the path: a step contradicts what is known when it comes to it"
            }
            Why::Intervals if error.core.len() == 1 => {
                "level 2, its built-in prover: no values make this step possible"
            }
            Why::Solver if error.core.len() == 1 => {
                "level 2, a solver: no values make this step possible"
            }
            Why::Intervals => "level 2, its built-in prover: these steps contradict each other",
            Why::Solver => "level 2, a solver: these steps contradict each other",
            Why::Refinement => {
                "refinement: each path to it contradicts itself, and what they taught leaves no other; this \
                 is the last of them"
            }
            Why::SearchBudget => "the budget of states ended before level 1 had a path of its own",
            Why::SolverBudget => "the solver's budget ended on this path; --precision 3 gives more",
            Why::NoSolver => "only a solver could tell, and there is none that works",
            Why::Replay => {
                "the solver has values for this path, but the interpreter does not fail with \
                 them: an error of rigel"
            }
            Why::Coincidence => {
                "the path needs values to coincide that nothing in view relates: results of one call, \
                 or what a structure holds"
            }
            Why::Distance => {
                return Some(format!(
                    "callers may pass a bad value{} from farther away than {LONGEST} calls, which is as far as \
                     calls are followed",
                    self.of_inputs(error)
                ));
            }
            Why::Size => {
                return Some(format!(
                    "a caller in view may pass a bad value{}, but together the functions on the way have more \
                     than {EDGES} edges, and larger ones are not looked at for their callers",
                    self.of_inputs(error)
                ));
            }
            Why::Apart => {
                "a caller in view may pass a bad value, but the functions on the way cannot be looked at \
                 as one: variable arguments, handlers of exceptions, or blocks of memory on the stack"
            }
            Why::Unacknowledged => {
                return Some(format!(
                    "it needs a bad value{}, which nothing in view assigns, reads, returns or tests for",
                    self.of_inputs(error)
                ));
            }
            Why::Answered { callee } => {
                return Some(format!(
                    "it needs a bad value of {}, which gives one, if at all, for arguments or in a state that \
                     no call in view is known to bring about",
                    report::called_name(&self.display(callee))
                ));
            }
            Why::Relied {
                callee,
                untested,
                calls,
            } => {
                return Some(format!(
                    "{} may give null, but {untested} of the {calls} calls of it in view do not test for \
                     that: the callers are taken to know when it does not",
                    report::called_name(&self.display(callee))
                ));
            }
        };
        Some(text.to_string())
    }

    /// Of which inputs an error needs bad values.
    fn of_inputs(&self, error: &ErrorPath) -> String {
        let inputs = self.inputs(error);
        let shown: Vec<&str> = inputs.iter().take(INPUTS).map(String::as_str).collect();
        let more = match inputs.len() > INPUTS {
            true => ", …",
            false => "",
        };
        match shown.is_empty() {
            true => String::new(),
            false => format!(" of {}{more}", shown.join(" or ")),
        }
    }

    /// The variables that the broken condition is about, in words, in the order of their names.
    fn inputs(&self, error: &ErrorPath) -> BTreeSet<String> {
        let mut inputs = BTreeSet::new();
        let Some(words) = self.words(error) else {
            return inputs;
        };
        let body = words.body;
        let mut todo: Vec<Item> = Vec::new();
        let mut seen = BTreeSet::new();
        statement_items(body, &Stmt::Check(error.check), &mut |item| todo.push(item));
        while let Some(item) = todo.pop() {
            let key = match item {
                Item::Expr(e) => (0, e.0),
                Item::Place(p) => (1, p.0),
            };
            if !seen.insert(key) {
                continue;
            }
            match item {
                Item::Expr(e) => {
                    let Some(expr) = body.exprs.get(e) else {
                        continue;
                    };
                    match &expr.kind {
                        // An address is no input; the indices on the way to it are.
                        ExprKind::AddrOf(p) => {
                            if let Some(place) = body.places.get(*p) {
                                place_items(place, &mut |item| todo.push(item));
                            }
                        }
                        _ => expr_items(expr, &mut |item| todo.push(item)),
                    }
                }
                Item::Place(p) => {
                    if let Some(place) = body.places.get(p) {
                        inputs.extend(self.input(&words, place.base));
                        place_items(place, &mut |item| todo.push(item));
                    }
                }
            }
        }
        inputs
    }

    /// A variable that is read, in words.
    fn input(&self, words: &Words<'_>, base: Base) -> Option<String> {
        match base {
            Base::Var(v) => {
                let name = words.name(v)?;
                Some(match words.body.vars.get(v)?.kind {
                    VarKind::Param => format!("the parameter `{name}`"),
                    _ => format!("`{name}`"),
                })
            }
            Base::Global(g) => {
                let name = self.program.name(self.program.globals.get(g)?.name);
                (!name.starts_with('"')).then(|| format!("the global `{name}`"))
            }
            Base::Deref(_) => None,
        }
    }
}
