//! `rigel bp`: Boolean programs. Reachability, the error projection as the program with marked lines, and a path.

use std::collections::BTreeMap;
use std::fmt::Write;

use bp::{Analysis, Goal, Model, Node, Step};
use serde_json::{Value, json};

use crate::print::{count, grouped};
use crate::{Exit, cli, print};

/// A longer path is shown with its beginning and its end.
const SHOWN: usize = 60;

struct Answer<'m> {
    file: String,
    goal: &'m Goal,
    model: &'m Model,
    analysis: &'m Analysis<'m>,
    through: Option<u32>,
    path: Option<Vec<Step<'m>>>,
}

pub fn check(args: &cli::Bp) -> Result<Exit, String> {
    let file = args.file.display().to_string();
    let source = read(args)?;
    let at = |e: bp::Error| format!("{file}:{e}");
    let program = bp::parse(&source).map_err(at)?;
    let goal = match &args.label {
        Some(label) => Goal::Label(label.clone()),
        None => Goal::Failure,
    };
    let model = Model::new(&program, &goal, bp::ROOM).map_err(at)?;
    let too_large = |e: bp::Exhausted| format!("{file}: {e}");
    let analysis = Analysis::new(&model).map_err(too_large)?;
    let path = match args.through {
        Some(line) if !analysis.lines().contains_key(&line) => {
            return Err(format!("{file}:{line}: there is no statement on this line"));
        }
        Some(line) => analysis.witness_through_line(line),
        None => analysis.witness(),
    };
    let answer = Answer {
        file: file.clone(),
        goal: &goal,
        model: &model,
        analysis: &analysis,
        through: args.through,
        path: path.map_err(too_large)?,
    };
    let text = match args.format {
        cli::GraphFormat::Text => answer.text(&source),
        cli::GraphFormat::Json => answer.json(),
        cli::GraphFormat::Dot => bp::dot(&model, &analysis),
    };
    print::report(&text, None)?;
    Ok(if analysis.reachable() {
        Exit::Findings
    } else {
        Exit::Clean
    })
}

fn read(args: &cli::Bp) -> Result<String, String> {
    let file = args.file.display();
    let bytes = std::fs::read(&args.file).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => format!(
            "{file}: no such file (is the name right? it is read from the current directory)"
        ),
        _ => format!("{file}: cannot be read: {e}"),
    })?;
    String::from_utf8(bytes).map_err(|e| {
        let good = e
            .as_bytes()
            .get(..e.utf8_error().valid_up_to())
            .unwrap_or_default();
        let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
        let last = good
            .rsplit(|byte| *byte == b'\n')
            .next()
            .unwrap_or_default();
        let column = String::from_utf8_lossy(last).chars().count() + 1;
        format!("{file}:{line}:{column}: this is not UTF-8 text")
    })
}

impl Answer<'_> {
    fn function(&self, node: &Node) -> &str {
        self.model
            .functions
            .get(node.function)
            .map_or("", String::as_str)
    }

    fn text(&self, source: &str) -> String {
        let mut out = String::new();
        let reached = self.analysis.reached();
        if reached.is_empty() {
            let _ = match self.goal {
                Goal::Failure => writeln!(out, "no assertion can fail"),
                Goal::Label(label) => writeln!(out, "the label `{label}` cannot be reached"),
            };
        }
        for node in reached {
            let what = match self.goal {
                Goal::Failure => format!("`{}` can fail", node.text),
                Goal::Label(label) => format!("the label `{label}` can be reached"),
            };
            let _ = writeln!(
                out,
                "error: {what}\n  --> {}:{}:{}  in {}()",
                self.file,
                node.place.line,
                node.place.column,
                self.function(node)
            );
        }
        if let Some(line) = self.through {
            let _ = match self.path {
                Some(_) => writeln!(out, "\na path through line {line}:"),
                None => writeln!(
                    out,
                    "\nno such path leads through line {line}: that is proved of this program"
                ),
            };
        } else if self.path.is_some() {
            out.push_str("\na path:\n");
        }
        self.write_path(&mut out);
        self.write_projection(&mut out, source);
        out
    }

    fn write_path(&self, out: &mut String) {
        let Some(path) = &self.path else { return };
        let last = path.last().map_or(0, |step| step.node.place.line);
        let width = path
            .iter()
            .map(|s| s.node.place.line)
            .max()
            .unwrap_or(last)
            .to_string()
            .len();
        let hidden = if path.len() > SHOWN {
            SHOWN / 2..path.len() - SHOWN / 2
        } else {
            0..0
        };
        for (i, step) in path.iter().enumerate() {
            if hidden.contains(&i) {
                if i == hidden.start {
                    let _ = writeln!(
                        out,
                        "  {:width$}   … {}",
                        "",
                        count(hidden.len(), "statement")
                    );
                }
                continue;
            }
            let node = step.node;
            let indent = 2 * step.depth.min(30);
            let (line, text) = (node.place.line, &node.text);
            let function = self.function(node);
            let mark = if self.through == Some(line) { '>' } else { ' ' };
            let _ = writeln!(
                out,
                "{mark} {line:width$}   {:indent$}{function}: {text}",
                ""
            );
        }
    }

    fn write_projection(&self, out: &mut String, source: &str) {
        let statements = self.analysis.statements();
        let inside = statements.iter().filter(|(_, inside)| *inside).count();
        let mut functions: BTreeMap<usize, bool> = BTreeMap::new();
        for (node, inside) in &statements {
            *functions.entry(node.function).or_insert(false) |= inside;
        }
        let passed = functions.values().filter(|inside| **inside).count();
        let _ = writeln!(
            out,
            "\nerror projection: {} of {}, in {} of {}",
            grouped(inside),
            count(statements.len(), "statement"),
            grouped(passed),
            count(functions.len(), "function"),
        );
        if inside == 0 {
            return;
        }
        let lines = self.analysis.lines();
        let width = source.lines().count().to_string().len();
        // Functions that no failing run passes are left out.
        let shown = self.shown_lines(&statements, source.lines().count());
        let mut gap = false;
        for (number, line) in (1u32..).zip(source.lines()) {
            if !shown.get(number as usize).is_some_and(|shown| *shown) {
                gap = true;
                continue;
            }
            if std::mem::take(&mut gap) {
                let _ = writeln!(out, "  {:width$} |", "…");
            }
            let mark = if lines.get(&number) == Some(&true) {
                '>'
            } else {
                ' '
            };
            let _ = writeln!(
                out,
                "{}",
                format!("{mark} {number:width$} | {line}").trim_end()
            );
        }
    }

    /// By line: from the head to the end of the functions in the projection.
    fn shown_lines(&self, statements: &[(&Node, bool)], lines: usize) -> Vec<bool> {
        let mut ends: BTreeMap<usize, (u32, bool)> = BTreeMap::new();
        for (node, inside) in statements {
            let end = ends.entry(node.function).or_default();
            *end = (end.0.max(node.place.line), end.1 || *inside);
        }
        let mut shown = vec![false; lines + 1];
        for (function, (last, inside)) in ends {
            let first = self
                .model
                .heads
                .get(function)
                .map_or(last, |head| head.line);
            if inside && let Some(range) = shown.get_mut(first as usize..=last as usize) {
                range.fill(true);
            }
        }
        shown
    }

    fn json(&self) -> String {
        let place = |node: &Node| {
            json!({
                "function": self.function(node),
                "line": node.place.line,
                "column": node.place.column,
                "text": node.text,
            })
        };
        let step = |step: &Step<'_>| {
            let mut value = place(step.node);
            value["depth"] = json!(step.depth);
            value
        };
        let statements = self.analysis.statements();
        let inside: Vec<Value> = statements
            .iter()
            .filter(|(_, inside)| *inside)
            .map(|(node, _)| place(node))
            .collect();
        let value = json!({
            "file": self.file,
            "label": match self.goal {
                Goal::Failure => None,
                Goal::Label(label) => Some(label),
            },
            "reachable": self.analysis.reachable(),
            "reached": self.analysis.reached().into_iter().map(place).collect::<Vec<_>>(),
            "statements": statements.len(),
            "projection": inside,
            "through": self.through,
            "path": self.path.as_ref().map(|path| path.iter().map(step).collect::<Vec<_>>()),
        });
        format!("{value:#}\n")
    }
}
