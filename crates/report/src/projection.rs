//! An error projection, told: which lines can a run pass that fails (Lal, Kidd, Reps and Touili).
//!
//! As text it is the source with a mark in the gutter:
//!
//! ```text
//! error projection: 5 of 9 lines in 2 functions; failing runs begin in main()
//!   foo()  table.c
//!    3 * | int foo(int r) {
//!    4 . |     if (r > 0) return 1;
//! ```
//!
//! `*` a failing run can pass, `.` none can, and a line without a mark has no code of its own.

use crate::text::Style;
use crate::{Location, Sources, called_name, count};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What is known of all failing runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Projection {
    /// The function in which failing runs begin.
    pub root: String,
    pub parts: Vec<Part>,
    /// Functions that are called on the way and not looked into.
    pub called: Vec<String>,
    /// Why it is no proof that a line is outside; empty: it is one.
    pub open: Vec<String>,
    /// It was too much: there are no parts.
    pub too_large: bool,
}

/// A function's lines in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub function: String,
    pub file: String,
    /// The lines that have code, in order: can a failing run pass there?
    pub lines: Vec<(u32, bool)>,
    /// From line to line: where control goes.
    pub flow: Vec<(u32, u32)>,
    /// What is told apart in this function.
    pub facts: Vec<String>,
}

/// What holds at a line on failing runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateAt {
    pub function: String,
    /// What always holds there.
    pub holds: Vec<String>,
    /// What may be so or not.
    pub open: Vec<String>,
}

/// Runs of lines of one kind that are longer are shown by their ends.
const RUN: usize = 16;
/// Lines of such a run that are shown on both sides.
const SHOWN: usize = 2;

impl Part {
    /// Lines that failing runs can pass, each run of them with no line between that they cannot: from, to.
    pub fn regions(&self) -> Vec<(u32, u32)> {
        let mut all: Vec<(u32, u32)> = Vec::new();
        let mut goes_on = false;
        for (line, inside) in &self.lines {
            match all.last_mut() {
                Some(last) if *inside && goes_on => last.1 = *line,
                _ if *inside => all.push((*line, *line)),
                _ => {}
            }
            goes_on = *inside;
        }
        all
    }

    fn inside(&self) -> usize {
        self.lines.iter().filter(|(_, inside)| *inside).count()
    }
}

impl Projection {
    /// Lines with code: inside, and all.
    pub fn counts(&self) -> (usize, usize) {
        let inside = self.parts.iter().map(Part::inside).sum();
        let all = self.parts.iter().map(|p| p.lines.len()).sum();
        (inside, all)
    }

    /// The source with marks.
    pub fn text(&self, sources: &dyn Sources, style: Style) -> String {
        let mut out = String::new();
        if self.too_large {
            return "error projection: too large to be computed within its budget\n".to_string();
        }
        let root = called_name(&self.root);
        let (inside, all) = self.counts();
        let names: BTreeSet<&str> = self.parts.iter().map(|p| p.function.as_str()).collect();
        let functions = count(names.len(), "function");
        if self.parts.is_empty() {
            let _ = writeln!(
                out,
                "error projection: no run that begins in {root} fails here"
            );
            if !self.open.is_empty() {
                let _ = writeln!(
                    out,
                    "  = open    this is no proof: {}",
                    self.open.join("; ")
                );
            }
            return out;
        }
        let _ = writeln!(
            out,
            "error projection: {inside} of {all} lines in {functions}; failing runs begin in {root}"
        );
        out.push_str("  * a failing run can pass here   . none can\n");
        for part in &self.parts {
            self.part(&mut out, part, sources, style);
        }
        if !self.called.is_empty() {
            let names: Vec<String> = self.called.iter().take(6).map(|n| called_name(n)).collect();
            let more = match self.called.len() > names.len() {
                true => ", …",
                false => "",
            };
            let _ = writeln!(
                out,
                "  = called  {}{more}: on the way, and taken as a whole",
                names.join(", ")
            );
        }
        let _ = match self.open.is_empty() {
            true => writeln!(out, "  = proof   no failing run passes a line marked `.`"),
            false => writeln!(
                out,
                "  = open    a line marked `.` is no proof: {}",
                self.open.join("; ")
            ),
        };
        out
    }

    fn part(&self, out: &mut String, part: &Part, sources: &dyn Sources, style: Style) {
        let _ = writeln!(
            out,
            "{}  {}  {} of {} lines",
            called_name(&part.function),
            part.file,
            part.inside(),
            part.lines.len()
        );
        let (Some(first), Some(last)) = (part.lines.first(), part.lines.last()) else {
            return;
        };
        let width = last.0.to_string().len().max(4);
        let room = style.width.saturating_sub(width + 6).max(20);
        // All lines from the first to the last, those without code between.
        let mut marked = part.lines.iter().peekable();
        let mut rows: Vec<(u32, Option<bool>)> = Vec::new();
        for line in first.0..=last.0 {
            let mark = marked
                .next_if(|(l, _)| *l == line)
                .map(|(_, inside)| *inside);
            rows.push((line, mark));
        }
        let mut at = 0;
        while at < rows.len() {
            // A run ends where a line has the other mark.
            let kind = rows[at..].iter().find_map(|(_, mark)| *mark);
            let end = rows[at..]
                .iter()
                .position(|(_, m)| m.is_some() && *m != kind);
            let end = end.map_or(rows.len(), |n| at + n);
            let long = end - at > RUN;
            for (i, (line, mark)) in rows[at..end].iter().enumerate() {
                if long && i == SHOWN {
                    let hidden = &rows[at + SHOWN..end - SHOWN];
                    let code = hidden.iter().filter(|(_, m)| m.is_some()).count();
                    let sign = sign(kind);
                    let _ = writeln!(out, "{:>width$} {sign} | … {}", "", count(code, "line"));
                }
                if long && i >= SHOWN && i < end - at - SHOWN {
                    continue;
                }
                let text = sources.line(&part.file, *line).unwrap_or_default();
                let text: String = text.replace('\t', "    ").chars().take(room).collect();
                let sign = sign(*mark);
                let row = format!("{line:>width$} {sign} | {text}");
                let _ = writeln!(out, "{}", row.trim_end());
            }
            at = end;
        }
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let part = |p: &Part| {
            let of = |wanted: bool| -> Vec<u32> {
                let lines = p.lines.iter().filter(|(_, inside)| *inside == wanted);
                lines.map(|(line, _)| *line).collect()
            };
            json!({
                "function": p.function,
                "file": p.file,
                "inside": of(true),
                "outside": of(false),
                "facts": p.facts,
            })
        };
        let (inside, all) = self.counts();
        json!({
            "root": self.root,
            "lines": all,
            "inside": inside,
            "functions": self.parts.iter().map(part).collect::<Vec<_>>(),
            "called": self.called,
            "proof": self.open.is_empty() && !self.too_large,
            "open": self.open,
            "too_large": self.too_large,
        })
    }
}

impl Projection {
    /// For Graphviz: a cluster for each function, a node for each line, filled if a failing run can pass there. A path is drawn
    /// through it, and what it answers is written below.
    pub fn dot(&self, label: Option<&str>, path: &[Location]) -> String {
        let mut out =
            String::from("digraph projection {\n  node [shape=box, fontname=monospace];\n");
        if let Some(label) = label {
            let _ = writeln!(out, "  label={};", quoted(label));
        }
        // The nodes of the path, one after the other.
        let node_of = |at: &Location| {
            let has = |part: &Part| {
                part.file == at.file && part.lines.iter().any(|(line, _)| *line == at.line)
            };
            let i = self.parts.iter().position(has)?;
            Some((i, at.line))
        };
        let mut passed: Vec<(usize, u32)> = path.iter().filter_map(node_of).collect();
        passed.dedup();
        for (i, part) in self.parts.iter().enumerate() {
            let label = quoted(&format!("{}  {}", called_name(&part.function), part.file));
            let _ = writeln!(out, "  subgraph cluster_{i} {{\n    label={label};");
            for (line, inside) in &part.lines {
                let filled = match inside {
                    true => " [style=filled, fillcolor=\"#f4c7c3\"]",
                    false => "",
                };
                let _ = writeln!(out, "    f{i}_{line}{filled};");
                let _ = writeln!(out, "    f{i}_{line} [label=\"{line}\"];");
                if passed.contains(&(i, *line)) {
                    let _ = writeln!(out, "    f{i}_{line} [color=\"#b3261e\", penwidth=3];");
                }
            }
            for (from, to) in &part.flow {
                let _ = writeln!(out, "    f{i}_{from} -> f{i}_{to};");
            }
            out.push_str("  }\n");
        }
        for pair in passed.windows(2) {
            if let [(i, from), (j, to)] = pair {
                let _ = writeln!(
                    out,
                    "  f{i}_{from} -> f{j}_{to} [color=\"#b3261e\", penwidth=3];"
                );
            }
        }
        out.push_str("}\n");
        out
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn sign(mark: Option<bool>) -> char {
    match mark {
        Some(true) => '*',
        Some(false) => '.',
        None => ' ',
    }
}
