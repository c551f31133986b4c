//! The error projection of a finding, as `explain` shows it.

use super::Line;
use crate::pipeline::Loaded;
use engine::explain::Explainer;
use engine::projection::{Asked, Checked, Through};
use engine::{Analysis, ErrorPath, Memory, Settings};
use report::projection::StateAt;
use report::text::{Style, render_finding};
use report::{Finding, Location, Projection, Sources, Verdict, called_name};
use serde_json::{Value, json};
use std::fmt::Write;

/// All that was asked.
pub struct Projected {
    pub projection: Projection,
    through: Option<(String, Path)>,
    state: Option<(String, Vec<StateAt>)>,
    /// The line of `state` is in functions that are looked into.
    inside: bool,
}

/// A failing path through a line.
enum Path {
    Finding(Box<Finding>, Checked),
    Refuted(usize),
    Places(Vec<(Location, String, usize)>),
    None,
    Called,
    Outside,
    TooLong,
}

/// Projects a finding; none if its path is not known any more.
pub fn project(
    loaded: &Loaded,
    analysis: &Analysis,
    settings: &Settings,
    memory: &mut Memory,
    finding: &Finding,
    from: Option<ir::FuncId>,
    (through, state): (Option<&Line>, Option<&Line>),
) -> Option<Projected> {
    let places = |span| loaded.location(span);
    let explainer = Explainer::new(&loaded.program, &places);
    let error = error_of(analysis, &explainer, finding)?;
    let passed = |span: ir::Span| through.is_some_and(|line| line.has(loaded, span));
    let stood = |span: ir::Span| state.is_some_and(|line| line.has(loaded, span));
    let asked = Asked {
        from,
        through: through.map(|_| &passed as &dyn Fn(ir::Span) -> bool),
        state: state.map(|_| &stood as &dyn Fn(ir::Span) -> bool),
    };
    let answer =
        engine::projection::project(&loaded.program, settings, memory, error, &places, asked);
    if finding.is_reported() && !answer.has_path {
        crate::print::warning(
            "the path is not in its own error projection: an error of rigel, please report it",
        );
    }
    let path = |path: Through| match path {
        Through::Path(error, checked) => {
            // That the finding's own condition always fails says nothing of this path.
            let verdict = match finding.verdict {
                Verdict::Must => Verdict::May,
                other => other,
            };
            Path::Finding(Box::new(explainer.finding(&error, verdict)), checked)
        }
        Through::Refuted(paths) => Path::Refuted(paths),
        Through::Places(all) => {
            let place = |(f, span, depth)| {
                let name: &ir::Function = &loaded.program.functions[f];
                let name = loaded.program.name(name.display).to_string();
                (loaded.location(span), name, depth)
            };
            Path::Places(all.into_iter().map(place).collect())
        }
        Through::None => Path::None,
        Through::Called => Path::Called,
        Through::Outside => Path::Outside,
        Through::TooLong => Path::TooLong,
    };
    Some(Projected {
        through: through.map(Line::to_string).zip(answer.through.map(path)),
        state: state.map(Line::to_string).zip(answer.state),
        inside: answer.inside,
        projection: answer.projection,
    })
}

/// The function of this name.
pub fn function(loaded: &Loaded, name: &str) -> Result<ir::FuncId, String> {
    let program = &loaded.program;
    let is_it = |f: &ir::Function| program.name(f.display) == name || program.name(f.name) == name;
    let mut all = program.bodies().filter(|(_, f, _)| is_it(f));
    let found = all.next().map(|(id, ..)| id);
    found.ok_or_else(|| {
        format!("--from {name}: the program has no function of this name with a body")
    })
}

/// The path that a finding tells.
fn error_of<'a>(
    analysis: &'a Analysis,
    explainer: &Explainer<'_>,
    finding: &Finding,
) -> Option<&'a ErrorPath> {
    let lists = [
        &analysis.errors,
        &analysis.latent,
        &analysis.undecided,
        &analysis.refuted,
    ];
    let mut all = lists.into_iter().flatten();
    all.find(|error| {
        explainer.location(error) == finding.location && {
            let told = explainer.finding(error, finding.verdict);
            told.fingerprint_parts == finding.fingerprint_parts
        }
    })
}

impl Projected {
    /// Is there a failing run where one was asked for?
    pub fn passes(&self) -> bool {
        let nowhere = !self.projection.too_large && self.projection.parts.is_empty();
        !nowhere && !matches!(self.through, Some((_, Path::None | Path::Refuted(_))))
    }

    /// The answer to --through or --state.
    pub fn text(&self, id: &str, sources: &dyn Sources, style: Style) -> String {
        let mut out = String::new();
        if let Some((line, path)) = &self.through {
            match path {
                Path::Finding(finding, checked) => {
                    let known = match checked {
                        Checked::Feasible => "which a run can take",
                        Checked::Undecided => {
                            "as far as facts can tell (level 2 does not know whether a run can take it)"
                        }
                        Checked::Unasked => "as far as facts can tell",
                    };
                    let _ = writeln!(out, "a failing path through {line}, {known}:\n");
                    out.push_str(&render_finding(finding, Some(id), sources, style));
                }
                Path::Places(all) => {
                    let _ = writeln!(
                        out,
                        "a failing path through {line}, as far as facts can tell:\n"
                    );
                    for (location, function, depth) in all {
                        let indent = "  ".repeat(*depth + 1);
                        let _ = writeln!(out, "{indent}{location}  in {}", called_name(function));
                    }
                }
                Path::Refuted(paths) => {
                    let _ = writeln!(
                        out,
                        "no failing path through {line} was found that a run can take\n  = open    this is no proof: {paths} that the facts allow {}, and there may be others",
                        match paths {
                            1 => "contradicts itself",
                            _ => "contradict themselves",
                        }
                    );
                }
                Path::None => {
                    let _ = writeln!(out, "no failing run passes {line}");
                    self.proof(&mut out);
                }
                Path::Called => {
                    let _ = writeln!(
                        out,
                        "{line} is in a function that failing runs may call on the way, and that is taken as a whole"
                    );
                }
                Path::Outside => self.outside(&mut out, line),
                Path::TooLong => {
                    let _ = writeln!(
                        out,
                        "{line}: this is too large to be answered within its budget"
                    );
                }
            }
        }
        if let Some((line, all)) = &self.state {
            match (all.is_empty(), self.inside) {
                (true, true) => {
                    let _ = writeln!(out, "no failing run passes {line}");
                    self.proof(&mut out);
                }
                (true, false) => self.outside(&mut out, line),
                (false, _) => {}
            }
            for at in all {
                let _ = writeln!(
                    out,
                    "on failing runs at {line} in {}:",
                    called_name(&at.function)
                );
                for fact in &at.holds {
                    let _ = writeln!(out, "  holds   {fact}");
                }
                for fact in &at.open {
                    let _ = writeln!(out, "  either  {fact}");
                }
                if at.holds.is_empty() && at.open.is_empty() {
                    out.push_str("  nothing that decides about the error is known here\n");
                }
            }
        }
        out
    }

    fn outside(&self, out: &mut String, line: &str) {
        let _ = writeln!(
            out,
            "{line} is in a function that is not looked into: nothing is said of it (--from FUNCTION begins elsewhere)"
        );
    }

    fn proof(&self, out: &mut String) {
        let _ = match self.projection.open.is_empty() && !self.projection.too_large {
            true => writeln!(out, "  = proof   nothing on the way is unknown"),
            false => writeln!(
                out,
                "  = open    this is no proof: {}",
                self.projection.open.join("; ")
            ),
        };
    }

    /// For programs.
    pub fn add_to(&self, value: &mut Value) {
        value["projection"] = self.projection.json();
        if let Some((line, path)) = &self.through {
            let (exists, level2, path) = match path {
                Path::Finding(finding, checked) => {
                    let level2 = match checked {
                        Checked::Feasible => json!("feasible"),
                        Checked::Undecided => json!("undecided"),
                        Checked::Unasked => Value::Null,
                    };
                    (json!(true), level2, report::json::steps(finding))
                }
                Path::Places(all) => {
                    let place = |(location, function, depth): &(Location, String, usize)| {
                        json!({
                            "file": location.file, "line": location.line, "column": location.column,
                            "function": function, "depth": depth,
                        })
                    };
                    let places = all.iter().map(place).collect();
                    (json!(true), Value::Null, places)
                }
                Path::Refuted(_) => (Value::Null, json!("refuted"), Value::Null),
                Path::None => (json!(false), Value::Null, Value::Null),
                Path::Called | Path::Outside | Path::TooLong => {
                    (Value::Null, Value::Null, Value::Null)
                }
            };
            value["through"] =
                json!({ "line": line, "exists": exists, "level2": level2, "steps": path });
        }
        if let Some((line, all)) = &self.state {
            let at = |at: &StateAt| json!({ "function": at.function, "holds": at.holds, "either": at.open });
            value["state"] = json!({ "line": line, "at": all.iter().map(at).collect::<Vec<_>>() });
        }
    }
}
