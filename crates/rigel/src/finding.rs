//! One thing that is wrong with a program, and how it is shown.

use crate::excerpt;
use crate::pipeline::Loaded;
use serde::Serialize;
use std::fmt::Write;

/// An error that a run of the program met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule whose check failed; none if the run failed at no check (`abort()`).
    pub rule: Option<String>,
    /// What is wrong, in one line.
    pub message: String,
    /// The condition that was broken, over the program's own expressions.
    pub broken: Option<String>,
    /// What was seen: the values in it.
    pub detail: String,
    /// Where, then the calls that led there, the innermost first.
    pub stack: Vec<Frame>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Frame {
    pub function: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// A deep recursion is shown by its beginning and its end.
const CALLS_SHOWN: usize = 8;

impl Frame {
    fn place(&self) -> String {
        match self.line {
            0 => self.file.clone(),
            line => format!("{}:{line}:{}", self.file, self.column),
        }
    }
}

impl Finding {
    /// The text for a person.
    pub fn render(&self, loaded: &Loaded) -> String {
        let mut out = String::new();
        let rule = self
            .rule
            .as_ref()
            .map_or(String::new(), |r| format!("[{r}]"));
        let _ = writeln!(out, "error{rule}: {}", self.message);
        let Some((site, calls)) = self.stack.split_first() else {
            return out;
        };
        let _ = writeln!(out, "  --> {}  in {}", site.place(), site.function);
        let path = loaded.cwd.join(&site.file);
        let label = self.broken.as_deref().unwrap_or_default();
        out.push_str(&excerpt::render(&path, site.line, site.column, label));
        // The facts stand under the bar of the excerpt.
        let pad = site.line.to_string().len();
        if !self.detail.is_empty() {
            let _ = writeln!(out, "{:pad$} = seen    {}", "", self.detail);
        }
        let hidden = calls.len().saturating_sub(CALLS_SHOWN);
        for (i, call) in calls.iter().enumerate() {
            if hidden > 0 && i == CALLS_SHOWN / 2 {
                let _ = writeln!(out, "{:pad$}   …       {hidden} more calls", "");
            }
            if hidden > 0 && (CALLS_SHOWN / 2..CALLS_SHOWN / 2 + hidden).contains(&i) {
                continue;
            }
            let _ = writeln!(
                out,
                "{:pad$} = called  {}  in {}",
                "",
                call.place(),
                call.function
            );
        }
        out
    }
}
