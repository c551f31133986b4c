//! `--verbose`: what is not treated exactly in this program, with its number. A reader of a report
//! should know where rigel took something for granted.

use crate::pipeline::Loaded;
use crate::print::{count, grouped};
use engine::Analysis;
use engine::inexact::{Construct, constructs};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// One line of the list: a name for programs, what it is for people, how often, and where.
#[derive(Serialize, Deserialize)]
pub struct Line {
    key: Cow<'static, str>,
    words: Cow<'static, str>,
    number: usize,
    /// In how many functions; none: on paths that level 2 judged.
    functions: Option<usize>,
}

/// What there is in the user's own functions, and on the paths that were judged.
pub fn lines(loaded: &Loaded, analysis: &Analysis) -> Vec<Line> {
    let program = &loaded.program;
    let is_own = |f: ir::FuncId| {
        let function = program.functions.get(f);
        function.is_some_and(|f| !loaded.in_system_header(f.span))
    };
    let mut lines: Vec<Line> = constructs(program, is_own)
        .into_iter()
        .map(|(construct, found)| {
            let (key, words) = describe(construct);
            Line {
                key: key.into(),
                words: words.into(),
                number: found.statements,
                functions: Some(found.functions),
            }
        })
        .collect();
    let level2 = &analysis.tally.inexact;
    let on_paths = [
        (
            "floats",
            "results of floating-point arithmetic",
            level2.floats,
        ),
        ("operators", "results of other operators", level2.operators),
        (
            "reads",
            "reads of memory that too many writes may have changed",
            level2.reads,
        ),
        (
            "splits",
            "case splits on aliases that were given up",
            level2.splits,
        ),
        ("calls", "calls known by a summary at most", level2.calls),
    ];
    for (key, words, number) in on_paths.into_iter().filter(|(.., n)| *n > 0) {
        lines.push(Line {
            key: key.into(),
            words: words.into(),
            number,
            functions: None,
        });
    }
    lines
}

fn describe(construct: Construct) -> (&'static str, &'static str) {
    match construct {
        Construct::ReturnsTwice => (
            "setjmp",
            "setjmp: what changed before the jump back is not seen",
        ),
        Construct::Jump => ("longjmp", "longjmp: taken to end the run"),
        Construct::UnresolvedPointer => (
            "unresolved_pointers",
            "calls through pointers to which no function in view fits",
        ),
        Construct::UnknownFunction => (
            "unknown_functions",
            "calls of functions that are not in view",
        ),
        Construct::InlineAssembly => ("assembly", "inline assembly: its outputs may be anything"),
        Construct::UnknownValue => (
            "unknown_values",
            "values that the front end could not model (--stats says why)",
        ),
    }
}

/// The table, each line with its end; empty if everything is exact.
pub fn render(lines: &[Line]) -> String {
    let mut out = String::new();
    for (i, line) in lines.iter().enumerate() {
        let title = if i == 0 { "not exact:" } else { "" };
        let place = match line.functions {
            Some(n) => format!("in {}", count(n, "function")),
            None => "on the paths of level 2".to_string(),
        };
        let number = grouped(line.number);
        out.push_str(&format!(
            "{title:<12} {number:>7}  {} ({place})\n",
            line.words
        ));
    }
    out
}

/// The same for programs: key → number and functions.
pub fn value(lines: &[Line]) -> Value {
    let all: Map<String, Value> = lines
        .iter()
        .map(|line| {
            let counts = json!({ "number": line.number, "functions": line.functions });
            (line.key.to_string(), counts)
        })
        .collect();
    all.into()
}
