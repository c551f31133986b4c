//! The error projection of a finding, in words ([`project`] computes it).
//!
//! Failing runs begin where the finding's path begins, in any state that callers may be in. What is said of lines is said of all
//! edges that have the line: one of them inside is enough.

mod through;

pub use through::functions_at;

use crate::explain::notation::Words;
use crate::explain::{Explainer, Places};
use crate::whole::afterwards;
use crate::{ErrorPath, Memory, Settings};
use automata::{Context, Plan};
use ir::arena::Id;
use ir::{Body, Callee, Composed, Condition, EdgeId, FrameId, FuncId, Origin, Program, Span, Stmt};
use project::{Analysis, Entered, Fact, Limits, Model, Openness, Question, Values};
use rayon::prelude::*;
use report::projection::{Part, StateAt};
use report::{Location, Projection};
use std::collections::{BTreeMap, BTreeSet};

/// Which places are meant.
pub type Lines<'a> = dyn Fn(Span) -> bool + 'a;

/// What is asked besides.
#[derive(Clone, Copy, Default)]
pub struct Asked<'a> {
    /// Where failing runs begin; none: where the path begins.
    pub from: Option<FuncId>,
    /// A failing path through these places.
    pub through: Option<&'a Lines<'a>>,
    /// What holds at these places on failing paths.
    pub state: Option<&'a Lines<'a>>,
}

/// A failing path through a place.
#[derive(Clone, Debug)]
pub enum Through {
    Path(Box<ErrorPath>),
    /// There is one, but not as one body: its places, and how deep in calls they are.
    Places(Vec<(FuncId, Span, usize)>),
    /// There is none.
    None,
    /// The code there is in functions that are called on the way, and taken as a whole.
    Called,
    TooLong,
}

/// All answers.
pub struct Projected {
    pub projection: Projection,
    pub through: Option<Through>,
    /// Empty: no failing run passes there.
    pub state: Option<Vec<StateAt>>,
    /// Nothing is unknown: what is said not to be there is not there.
    pub proof: bool,
    /// The finding's own path is inside. It always is, or rigel has an error (or it was too much).
    pub has_path: bool,
}

/// Projects an error of a program that was analysed. `memory` is what that has left.
pub fn project(
    program: &Program,
    settings: &Settings,
    memory: &mut Memory,
    error: &ErrorPath,
    places: &Places<'_>,
    asked: Asked<'_>,
) -> Projected {
    afterwards(program, settings, memory, |context, plan| {
        project_one(context, plan, error, places, asked)
    })
}

/// The lines of all these errors.
pub fn project_all(
    program: &Program,
    settings: &Settings,
    memory: &mut Memory,
    errors: &[&ErrorPath],
    places: &(dyn Fn(Span) -> Location + Sync),
) -> Vec<Projection> {
    afterwards(program, settings, memory, |context, plan| {
        let one = |error: &&ErrorPath| {
            project_one(context, plan, error, &places, Asked::default()).projection
        };
        errors.par_iter().map(one).collect()
    })
}

/// Shows the pushdown systems of all these errors, for whoever measures them.
pub fn models(
    program: &Program,
    settings: &Settings,
    memory: &mut Memory,
    errors: &[ErrorPath],
    mut visit: impl FnMut(&ErrorPath, &Model),
) {
    afterwards(program, settings, memory, |context, plan| {
        for error in errors {
            let path = own_path(error);
            visit(error, &model(context, plan, error, &path, None));
        }
    });
}

/// Where failing runs begin.
fn root(error: &ErrorPath, from: Option<FuncId>) -> FuncId {
    match (&error.composed, from) {
        (_, Some(from)) => from,
        (Some(composed), None) => composed.frames[FrameId::ROOT].function,
        (None, None) => error.function,
    }
}

fn model(
    context: &Context<'_>,
    plan: Plan,
    error: &ErrorPath,
    path: &[(FuncId, EdgeId)],
    from: Option<FuncId>,
) -> Model {
    let question = Question {
        root: root(error, from),
        function: error.function,
        check: error.own_check(),
        path,
        body: None,
        learnt: &[],
    };
    Model::new(context, plan, &question, &Limits::default())
}

fn project_one(
    context: &Context<'_>,
    plan: Plan,
    error: &ErrorPath,
    places: &Places<'_>,
    asked: Asked<'_>,
) -> Projected {
    let program = context.program;
    let root = root(error, asked.from);
    let path = own_path(error);
    let model = model(context, plan, error, &path, asked.from);
    let explainer = Explainer::new(program, places);
    let telling = Telling {
        program,
        model: &model,
        explainer: &explainer,
        places,
    };
    let mut projection = Projection {
        root: explainer.display(root),
        open: telling.open(&model.open),
        ..Projection::default()
    };
    let proof = model.open.is_closed();
    let Ok(analysis) = Analysis::new(&model) else {
        projection.too_large = true;
        return Projected {
            projection,
            through: asked.through.map(|_| Through::TooLong),
            state: asked.state.map(|_| Vec::new()),
            proof: false,
            has_path: true,
        };
    };
    telling.parts(&analysis, &path, &mut projection);
    Projected {
        through: asked
            .through
            .map(|lines| telling.through(&analysis, root, error, lines)),
        state: asked.state.map(|lines| telling.state(&analysis, lines)),
        // Whoever asks where else failing runs could begin asks for other paths.
        has_path: asked.from.is_some() || path.len() < 2 || telling.has_path(&analysis, &path),
        projection,
        proof,
    }
}

/// The path as edges of functions.
fn own_path(error: &ErrorPath) -> Vec<(FuncId, EdgeId)> {
    let Some(composed) = &error.composed else {
        return error.path.iter().map(|e| (error.function, *e)).collect();
    };
    let own = error.path.iter().filter_map(|e| match composed.origin(*e) {
        Origin::Own(frame, edge) => Some((composed.frames[frame].function, edge)),
        Origin::Enter(_) | Origin::Leave(_) | Origin::Another(_) => None,
    });
    own.collect()
}

struct Telling<'a> {
    program: &'a Program,
    model: &'a Model,
    explainer: &'a Explainer<'a>,
    places: &'a Places<'a>,
}

impl Telling<'_> {
    /// Are all edges of a path inside?
    fn has_path(&self, analysis: &Analysis<'_>, path: &[(FuncId, EdgeId)]) -> bool {
        let functions = self.model.functions.iter().enumerate();
        let inside: BTreeMap<FuncId, Vec<bool>> = functions
            .map(|(i, entered)| (entered.function, analysis.edges(i)))
            .collect();
        path.iter()
            .all(|(f, edge)| inside.get(f).is_none_or(|edges| edges[edge.index()]))
    }

    /// The lines of all functions, those of the path first.
    fn parts(&self, analysis: &Analysis<'_>, path: &[(FuncId, EdgeId)], out: &mut Projection) {
        let mut order: Vec<usize> = (0..self.model.functions.len()).collect();
        let first = |i: &usize| {
            let f = self.model.functions[*i].function;
            let at = path.iter().position(|(g, _)| *g == f);
            (at.unwrap_or(usize::MAX), f)
        };
        order.sort_by_key(first);
        let mut called: BTreeSet<String> = BTreeSet::new();
        for i in order {
            let entered = &self.model.functions[i];
            let inside = analysis.edges(i);
            let function = &self.program.functions[entered.function];
            let file = (self.places)(function.span).file;
            let mut lines: BTreeMap<u32, bool> = BTreeMap::new();
            for (id, edge) in entered.body.edges().iter() {
                if let (Stmt::Call(call), true) = (&edge.stmt, inside[id.index()])
                    && let Callee::Direct(g) = call.callee
                    && self.program.functions[g].body.is_some()
                    && self.model.functions.iter().all(|e| e.function != g)
                {
                    called.insert(self.explainer.display(g));
                }
                if let Some(line) = self.line(edge.span, &edge.stmt, &file) {
                    *lines.entry(line).or_insert(false) |= inside[id.index()];
                }
            }
            let flow = self.flow(&entered.body, &file);
            let facts = (0..entered.facts.len()).filter_map(|n| self.fact(entered, n, true));
            out.parts.push(Part {
                function: self.explainer.display(entered.function),
                file,
                lines: lines.into_iter().collect(),
                flow,
                facts: facts.collect(),
            });
        }
        // Who was entered for nothing, and no failing run passes, is not worth a page.
        out.parts
            .retain(|p| p.lines.iter().any(|(_, inside)| *inside));
        out.called = called.into_iter().collect();
    }

    /// From line to line, where an edge of one is followed by an edge of the other.
    fn flow(&self, body: &Body, file: &str) -> Vec<(u32, u32)> {
        let mut all: BTreeSet<(u32, u32)> = BTreeSet::new();
        for edge in body.edges().values() {
            let Some(from) = self.line(edge.span, &edge.stmt, file) else {
                continue;
            };
            // What has no line of its own is passed over.
            let mut waiting = vec![edge.to];
            let mut seen = BTreeSet::new();
            while let Some(node) = waiting.pop() {
                if !seen.insert(node) {
                    continue;
                }
                for (_, next) in body.out_edges(node) {
                    match self.line(next.span, &next.stmt, file) {
                        Some(to) if to != from => {
                            all.insert((from, to));
                        }
                        Some(_) => {}
                        None => waiting.push(next.to),
                    }
                }
            }
        }
        all.into_iter().collect()
    }

    /// The line of an edge, if a reader sees something there that is executed.
    fn line(&self, span: Span, stmt: &Stmt, file: &str) -> Option<u32> {
        if span.is_none() || matches!(stmt, Stmt::End(_)) {
            return None;
        }
        let location = (self.places)(span);
        (location.file == file && location.line > 0).then_some(location.line)
    }

    /// The edges of a function at these places.
    fn edges(&self, entered: &Entered, lines: &Lines<'_>) -> Vec<EdgeId> {
        let there = |span: Span, stmt: &Stmt| {
            !span.is_none() && !matches!(stmt, Stmt::End(_)) && lines(span)
        };
        let edges = entered.body.edges().iter();
        let edges = edges.filter(|(_, e)| there(e.span, &e.stmt));
        edges.map(|(id, _)| id).collect()
    }

    /// What holds at places on failing runs, by function.
    fn state(&self, analysis: &Analysis<'_>, lines: &Lines<'_>) -> Vec<StateAt> {
        let mut all = Vec::new();
        for (i, entered) in self.model.functions.iter().enumerate() {
            let edges = self.edges(entered, lines);
            let Ok(Some(values)) = analysis.facts(i, &edges) else {
                continue;
            };
            let mut at = StateAt {
                function: self.explainer.display(entered.function),
                holds: Vec::new(),
                open: Vec::new(),
            };
            for (n, value) in values.iter().enumerate() {
                match value {
                    Values {
                        may_be_true: true,
                        may_be_false: true,
                    } => {
                        at.open.extend(self.fact(entered, n, true));
                    }
                    Values { may_be_true, .. } => {
                        at.holds.extend(self.fact(entered, n, *may_be_true));
                    }
                }
            }
            all.push(at);
        }
        all
    }

    /// A fact in words; none of what only the compiler knows.
    fn fact(&self, entered: &Entered, n: usize, holds: bool) -> Option<String> {
        let words = Words {
            program: self.program,
            body: &entered.body,
            composed: None::<&Composed>,
            path: &[],
        };
        let text = match entered.facts.get(n)? {
            Fact::Condition(e) => words.said(*e, holds),
            Fact::Check(check) => {
                let not = if holds { "" } else { "not " };
                match entered.body.checks.get(*check)?.condition {
                    Condition::Initialized(place) => {
                        format!("{} is {not}initialized", words.place(place))
                    }
                    Condition::Alive(e) => {
                        format!("what {} points to is {not}alive", words.expr(e))
                    }
                    _ => return None,
                }
            }
        };
        // What only the compiler has a name for says nothing to a reader.
        let own = !text.is_empty() && !text.contains('$') && !text.contains("a temporary");
        own.then_some(text)
    }

    /// What is not known, in words.
    fn open(&self, open: &Openness) -> Vec<String> {
        let names = |all: &BTreeSet<FuncId>| {
            let mut names: Vec<String> = all.iter().map(|f| self.explainer.display(*f)).collect();
            names.sort();
            let more = if names.len() > 3 { ", …" } else { "" };
            names.truncate(3);
            format!("{}{more}", names.join(", "))
        };
        let mut all = Vec::new();
        if !open.unseen.is_empty() {
            all.push(format!("the code of {} is not there", names(&open.unseen)));
        }
        if !open.pointers.is_empty() {
            all.push(format!("{} calls through pointers", names(&open.pointers)));
        }
        if !open.unknown.is_empty() {
            all.push(format!(
                "of some statements of {} nothing is known",
                names(&open.unknown)
            ));
        }
        if !open.again.is_empty() {
            all.push(format!(
                "what is called on the way could come back to {} through pointers",
                names(&open.again)
            ));
        }
        if !open.exhausted.is_empty() {
            all.push(format!(
                "{} has more states than the budget",
                names(&open.exhausted)
            ));
        }
        if open.cut {
            all.push("too many functions lead to the check".to_string());
        }
        all
    }
}
