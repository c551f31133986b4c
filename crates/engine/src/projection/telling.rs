//! What a projection says, in words: of lines, of facts, and of what is not known.

use super::Lines;
use crate::explain::notation::Words;
use crate::explain::{Explainer, Places};
use ir::arena::Id;
use ir::{Body, Callee, Composed, Condition, EdgeId, FuncId, Program, Span, Stmt};
use project::{Analysis, Entered, Fact, Model, Openness, Values};
use report::Projection;
use report::projection::{Part, StateAt};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct Telling<'a> {
    pub program: &'a Program,
    pub model: &'a Model,
    pub explainer: &'a Explainer<'a>,
    pub places: &'a Places<'a>,
}

impl Telling<'_> {
    /// Are all edges of a path inside?
    pub fn has_path(&self, analysis: &Analysis<'_>, path: &[(FuncId, EdgeId)]) -> bool {
        let functions = self.model.functions.iter().enumerate();
        let inside: BTreeMap<FuncId, Vec<bool>> = functions
            .map(|(i, entered)| (entered.function, analysis.edges(i)))
            .collect();
        path.iter()
            .all(|(f, edge)| inside.get(f).is_none_or(|edges| edges[edge.index()]))
    }

    /// The lines of all functions, those of the path first.
    pub fn parts(&self, analysis: &Analysis<'_>, path: &[(FuncId, EdgeId)], out: &mut Projection) {
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
            // A body can come from several files: what it includes is a part of its own.
            let home = (self.places)(function.span).file;
            let mut files: BTreeMap<String, BTreeMap<u32, bool>> = BTreeMap::new();
            for (id, edge) in entered.body.edges().iter() {
                if let (Stmt::Call(call), true) = (&edge.stmt, inside[id.index()])
                    && let Callee::Direct(g) = call.callee
                    && self.program.functions[g].body.is_some()
                    && self.model.functions.iter().all(|e| e.function != g)
                {
                    called.insert(self.explainer.display(g));
                }
                if let Some((file, line)) = self.line(edge.span, &edge.stmt) {
                    let lines = files.entry(file).or_default();
                    *lines.entry(line).or_insert(false) |= inside[id.index()];
                }
            }
            let mut files: Vec<_> = files.into_iter().collect();
            files.sort_by_key(|(file, _)| *file != home);
            for (file, lines) in files {
                let facts = (0..entered.facts.len()).filter_map(|n| self.fact(entered, n, true));
                out.parts.push(Part {
                    function: self.explainer.display(entered.function),
                    flow: self.flow(&entered.body, &file),
                    facts: match file == home {
                        true => facts.collect(),
                        false => Vec::new(),
                    },
                    lines: lines.into_iter().collect(),
                    file,
                });
            }
        }
        // Who was entered for nothing, and no failing run passes, is not worth a page.
        let passed = out.parts.iter();
        let passed = passed.filter(|p| p.lines.iter().any(|(_, inside)| *inside));
        let passed: BTreeSet<String> = passed.map(|p| p.function.clone()).collect();
        out.parts.retain(|p| passed.contains(&p.function));
        out.called = called.into_iter().collect();
    }

    /// From line to line, where an edge of one is followed by an edge of the other.
    fn flow(&self, body: &Body, file: &str) -> Vec<(u32, u32)> {
        let mut all: BTreeSet<(u32, u32)> = BTreeSet::new();
        let there = |span: Span, stmt: &Stmt| {
            let (at, line) = self.line(span, stmt)?;
            (at == file).then_some(line)
        };
        for edge in body.edges().values() {
            let Some(from) = there(edge.span, &edge.stmt) else {
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
                    match there(next.span, &next.stmt) {
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

    /// The file and the line of an edge, if a reader sees something there that is executed.
    fn line(&self, span: Span, stmt: &Stmt) -> Option<(String, u32)> {
        if span.is_none() || matches!(stmt, Stmt::End(_)) {
            return None;
        }
        let location = (self.places)(span);
        (location.line > 0).then_some((location.file, location.line))
    }

    /// The edges of a function at these places.
    pub fn edges(&self, entered: &Entered, lines: &Lines<'_>) -> Vec<EdgeId> {
        let there = |span: Span, stmt: &Stmt| {
            !span.is_none() && !matches!(stmt, Stmt::End(_)) && lines(span)
        };
        let edges = entered.body.edges().iter();
        let edges = edges.filter(|(_, e)| there(e.span, &e.stmt));
        edges.map(|(id, _)| id).collect()
    }

    /// What holds at places on failing runs, by function.
    pub fn state(&self, analysis: &Analysis<'_>, lines: &Lines<'_>) -> Vec<StateAt> {
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
    pub fn open(&self, open: &Openness) -> Vec<String> {
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
