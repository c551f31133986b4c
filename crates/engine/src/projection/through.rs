//! A failing path through a place, as one path of one body.

use super::telling::Telling;
use super::{Checked, Lines, Through, Witnesses};
use crate::ErrorPath;
use ir::arena::Id;
use ir::{Body, Callee, EdgeId, FrameId, FuncId, Inlined, Program, Span, Stmt};
use project::{Analysis, Exhausted, Step};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The functions that have code at these places.
pub fn functions_at(program: &Program, lines: &Lines<'_>) -> Vec<FuncId> {
    let there = |body: &Body| {
        let mut edges = body.edges().values();
        edges.any(|e| !e.span.is_none() && !matches!(e.stmt, Stmt::End(_)) && lines(e.span))
    };
    let bodies = program.bodies().filter(|(.., body)| there(body));
    bodies.map(|(f, ..)| f).collect()
}

/// Is an edge of a function at these places?
pub(super) fn is_there(program: &Program, (f, edge): (FuncId, EdgeId), lines: &Lines<'_>) -> bool {
    let body = program.functions[f].body.as_ref();
    let edge = body.and_then(|body| body.edges().get(edge));
    edge.is_some_and(|e| !e.span.is_none() && !matches!(e.stmt, Stmt::End(_)) && lines(e.span))
}

impl Telling<'_> {
    /// Failing paths through these places that take none of some edges.
    pub(super) fn through(
        &self,
        analysis: &Analysis<'_>,
        root: FuncId,
        error: &ErrorPath,
        lines: &Lines<'_>,
        avoided: &[(FuncId, EdgeId)],
    ) -> Witnesses {
        for (i, entered) in self.model.functions.iter().enumerate() {
            let edges = self.edges(entered, lines);
            let found = match avoided.is_empty() {
                true => analysis.witnesses(i, &edges),
                false => analysis.witnesses_without(i, &edges, avoided),
            };
            match found {
                Ok(all) if all.is_empty() => {}
                Ok(all) => {
                    let paths = all.iter().map(|steps| self.path(root, error, steps));
                    return Witnesses::Paths(paths.collect());
                }
                Err(Exhausted) => return Witnesses::Other(Through::TooLong),
            }
        }
        let there = functions_at(self.program, lines);
        Witnesses::Other(if there.iter().any(|f| self.is_called(analysis, *f)) {
            Through::Called
        } else if self.is_inside(lines) {
            Through::None
        } else {
            Through::Outside
        })
    }

    /// Is all code at these places in functions that are looked into?
    pub(super) fn is_inside(&self, lines: &Lines<'_>) -> bool {
        let is_known = |f: &FuncId| self.model.functions.iter().any(|e| e.function == *f);
        functions_at(self.program, lines).iter().all(is_known)
    }

    /// Is the function called on the way of a failing run, by one that is not looked into?
    fn is_called(&self, analysis: &Analysis<'_>, wanted: FuncId) -> bool {
        let graph = ir::CallGraph::new(self.program);
        let mut waiting: Vec<FuncId> = Vec::new();
        for (i, entered) in self.model.functions.iter().enumerate() {
            let inside = analysis.edges(i);
            for (id, edge) in entered.body.edges().iter() {
                if let (Stmt::Call(call), true) = (&edge.stmt, inside[id.index()]) {
                    match call.callee {
                        Callee::Direct(f) => waiting.push(f),
                        Callee::Indirect(_) => {
                            waiting.extend(graph.targets(self.program, &entered.body, call));
                        }
                    }
                }
            }
        }
        let known = |f: FuncId| self.model.functions.iter().any(|e| e.function == f);
        let mut seen: BTreeSet<FuncId> = BTreeSet::new();
        while let Some(f) = waiting.pop() {
            if !known(f) && seen.insert(f) {
                if f == wanted {
                    return true;
                }
                waiting.extend(graph.callees(f));
            }
        }
        false
    }

    /// A witness as one path of one body.
    fn path(&self, root: FuncId, error: &ErrorPath, steps: &[Step]) -> Through {
        match in_one_body(self.program, root, error, steps) {
            Some(path) => Through::Path(Box::new(path), Checked::Unasked),
            None => Through::Places(self.places_of(steps)),
        }
    }

    fn places_of(&self, steps: &[Step]) -> Vec<(FuncId, Span, usize)> {
        let place = |step: &Step| {
            let body: Option<&Body> = self.program.functions[step.function].body.as_ref();
            let edge = body?.edges().get(step.edge)?;
            (!edge.span.is_none()).then_some((step.function, edge.span, step.depth))
        };
        steps.iter().filter_map(place).collect()
    }
}

/// Steps that end at the check of an error, as one path of one body; none if the calls among them cannot be made one.
pub(super) fn in_one_body(
    program: &Program,
    root: FuncId,
    error: &ErrorPath,
    steps: &[Step],
) -> Option<ErrorPath> {
    let check = error.own_check();
    let mut inlined: Vec<Inlined> = Vec::new();
    let mut frames: Vec<FrameId> = vec![FrameId::ROOT];
    let mut own: Vec<(FrameId, EdgeId)> = Vec::new();
    for step in steps {
        while frames.len() > step.depth + 1 {
            frames.pop();
        }
        if frames.len() == step.depth
            && let (Some(&frame), Some(&(_, call))) = (frames.last(), own.last())
        {
            let entry = Inlined {
                frame,
                call,
                callee: step.function,
            };
            let at = inlined.iter().position(|i| *i == entry);
            let at = at.unwrap_or_else(|| {
                inlined.push(entry);
                inlined.len() - 1
            });
            frames.push(FrameId::from_index(at + 1));
        }
        own.push((frames.last().copied().unwrap_or(FrameId::ROOT), step.edge));
    }
    if inlined.is_empty() {
        let path = own.into_iter().map(|(_, e)| e).collect();
        return Some(ErrorPath::new(error.function, check, path));
    }
    let composed = ir::compose(program, root, &inlined).ok()?;
    let path = composed.path(&own)?;
    let (frame, _) = own.last()?;
    let check = composed.composed_check(*frame, check)?;
    Some(ErrorPath::through(Arc::new(composed), check, path))
}
