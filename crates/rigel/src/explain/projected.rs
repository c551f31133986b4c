//! The error projection of a finding, as `explain` shows it.

use super::Line;
use crate::pipeline::Loaded;
use engine::explain::Explainer;
use engine::projection::{Asked, Checked, Through, root_of};
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

/// An answer, for who only wants that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Failing runs pass there.
    Yes,
    /// None does, which is proved.
    No,
    Unknown,
}

/// Can a run take a path?
enum Known {
    /// One can that begins in this function; none: one of the whole program.
    Feasible {
        from: Option<String>,
    },
    /// It depends on what these functions give back, if there are any.
    Undecided {
        depends: Vec<String>,
    },
    Unasked,
}

/// A failing path through a line.
enum Path {
    Finding(Box<Finding>, Known),
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
        // The projection looks into functions that level 2 only asks for a summary, so it can know better.
        let refuted = answer.proof && answer.projection.parts.is_empty();
        crate::print::warning(match refuted {
            true => {
                "the projection proves that no run fails here: what check reports is wrong, please report it"
            }
            false => {
                "the path is not in its own error projection: an error of rigel, please report it"
            }
        });
    }
    let path = |path: Through| match path {
        Through::Path(error, checked) => {
            // That the finding's own condition always fails says nothing of this path.
            let verdict = match finding.verdict {
                Verdict::Must => Verdict::May,
                other => other,
            };
            let whole = loaded.program.is_start(root_of(&error));
            let known = match checked {
                Checked::Feasible => Known::Feasible {
                    from: (!whole).then(|| explainer.display(root_of(&error))),
                },
                Checked::Undecided(depends) => Known::Undecided {
                    depends: depends.iter().map(|f| explainer.display(*f)).collect(),
                },
                Checked::Unasked => Known::Unasked,
            };
            Path::Finding(Box::new(explainer.finding(&error, verdict)), known)
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
    /// Is there a failing run at all, as far as is known?
    pub fn has_runs(&self) -> bool {
        self.projection.too_large || !self.projection.parts.is_empty()
    }

    /// Do failing runs pass the line of --through or --state? None if neither was asked.
    pub fn answer(&self) -> Option<Answer> {
        let none = match self.is_proof() {
            true => Answer::No,
            false => Answer::Unknown,
        };
        let through = self.through.as_ref().map(|(_, path)| match path {
            Path::Finding(_, Known::Feasible { .. }) => Answer::Yes,
            Path::None => none,
            _ => Answer::Unknown,
        });
        let state = self.state.as_ref().map(|(_, all)| match all.is_empty() {
            true if self.inside => none,
            true => Answer::Unknown,
            false => Answer::Yes,
        });
        through.or(state)
    }

    /// The answer to --through, in a line.
    fn headline(&self, line: &str, path: &Path) -> String {
        match path {
            Path::Finding(_, known) => {
                let known = match known {
                    Known::Feasible { from: None } => "which a run can take".to_string(),
                    Known::Feasible { from: Some(from) } => {
                        format!("which a run can take that begins in {}", called_name(from))
                    }
                    Known::Undecided { depends } if depends.is_empty() => {
                        "as far as facts can tell (level 2 does not know whether a run can take it)"
                            .to_string()
                    }
                    Known::Undecided { depends } => {
                        let names: Vec<String> = depends.iter().map(|f| called_name(f)).collect();
                        let names = names.join(", ");
                        format!(
                            "as far as facts can tell (undecided: it depends on what {names} gives back)"
                        )
                    }
                    Known::Unasked => "as far as facts can tell".to_string(),
                };
                format!("a failing path through {line}, {known}")
            }
            Path::Places(_) => {
                format!("a failing path through {line}, as far as facts can tell")
            }
            Path::Refuted(_) => {
                format!("no failing path through {line} was found that a run can take")
            }
            Path::None if self.is_proof() => format!("no failing run passes {line}"),
            Path::None => format!("no failing run passes {line}, as far as is known"),
            Path::Called => format!(
                "{line} is in a function that failing runs may call on the way, and that is taken as a whole"
            ),
            Path::Outside => outside(line),
            Path::TooLong => format!("{line}: this is too large to be answered within its budget"),
        }
    }

    /// The projection for Graphviz, with the path of --through and the answer.
    pub fn dot(&self) -> String {
        let Some((line, path)) = &self.through else {
            return self.projection.dot(None, &[]);
        };
        let steps: Vec<Location> = match path {
            Path::Finding(finding, _) => finding.steps.iter().map(|s| s.location.clone()).collect(),
            Path::Places(all) => all.iter().map(|(location, ..)| location.clone()).collect(),
            _ => Vec::new(),
        };
        self.projection
            .dot(Some(&self.headline(line, path)), &steps)
    }

    fn is_proof(&self) -> bool {
        self.projection.open.is_empty() && !self.projection.too_large
    }

    /// The answer to --through or --state.
    pub fn text(&self, id: &str, sources: &dyn Sources, style: Style) -> String {
        let mut out = String::new();
        if let Some((line, path)) = &self.through {
            out.push_str(&self.headline(line, path));
            match path {
                Path::Finding(finding, _) => {
                    out.push_str(":\n\n");
                    out.push_str(&render_finding(finding, Some(id), sources, style));
                }
                Path::Places(all) => {
                    out.push_str(":\n\n");
                    for (location, function, depth) in all {
                        let indent = "  ".repeat(*depth + 1);
                        let _ = writeln!(out, "{indent}{location}  in {}", called_name(function));
                    }
                }
                Path::Refuted(paths) => {
                    let contradict = match paths {
                        1 => "contradicts itself",
                        _ => "contradict themselves",
                    };
                    let _ = writeln!(
                        out,
                        "\n  = open    this is no proof: {paths} that the facts allow {contradict}, and there may be others"
                    );
                }
                Path::None => {
                    out.push('\n');
                    self.proof(&mut out);
                }
                Path::Called | Path::Outside | Path::TooLong => out.push('\n'),
            }
        }
        if let Some((line, all)) = &self.state {
            match (all.is_empty(), self.inside) {
                (true, true) => {
                    let _ = writeln!(out, "no failing run passes {line}");
                    self.proof(&mut out);
                }
                (true, false) => {
                    let _ = writeln!(out, "{}", outside(line));
                }
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

    fn proof(&self, out: &mut String) {
        let _ = match self.is_proof() {
            true => writeln!(out, "  = proof   nothing on the way is unknown"),
            false => writeln!(
                out,
                "  = open    this is no proof: {}",
                self.projection.open.join("; ")
            ),
        };
    }

    /// Failing runs pass there: yes, no (proved), or null: nobody knows.
    fn exists(&self) -> Option<bool> {
        match self.answer()? {
            Answer::Yes => Some(true),
            Answer::No => Some(false),
            Answer::Unknown => None,
        }
    }

    /// For programs.
    pub fn add_to(&self, value: &mut Value) {
        value["projection"] = self.projection.json();
        if let Some((line, path)) = &self.through {
            let (level2, steps) = match path {
                Path::Finding(finding, known) => {
                    let level2 = match known {
                        Known::Feasible { .. } => json!("feasible"),
                        Known::Undecided { .. } => json!("undecided"),
                        Known::Unasked => Value::Null,
                    };
                    (level2, report::json::steps(finding))
                }
                Path::Places(all) => {
                    let place = |(location, function, depth): &(Location, String, usize)| {
                        json!({
                            "file": location.file, "line": location.line, "column": location.column,
                            "function": function, "depth": depth,
                        })
                    };
                    (Value::Null, all.iter().map(place).collect())
                }
                Path::Refuted(_) => (json!("refuted"), Value::Null),
                _ => (Value::Null, Value::Null),
            };
            let depends = match path {
                Path::Finding(_, Known::Undecided { depends }) => depends.as_slice(),
                _ => &[],
            };
            value["through"] = json!({
                "line": line, "exists": self.exists(), "says": self.headline(line, path),
                "level2": level2, "depends": depends, "steps": steps,
            });
        }
        if let Some((line, all)) = &self.state {
            let at = |at: &StateAt| json!({ "function": at.function, "holds": at.holds, "either": at.open });
            let at: Vec<Value> = all.iter().map(at).collect();
            value["state"] = json!({ "line": line, "exists": self.exists(), "at": at });
        }
    }
}

fn outside(line: &str) -> String {
    format!(
        "{line} is in a function that is not looked into: nothing is said of it (--from FUNCTION begins elsewhere)"
    )
}
