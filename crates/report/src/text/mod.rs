//! The report for people (design.md §9).
//!
//! A finding is its message, then the source with the steps that matter numbered under the lines
//! where they happen, then what is known besides:
//!
//! ```text
//! error[null-dereference]: `p` is null when it is dereferenced                      must
//!   --> list.c:14:12  in last()
//!    |
//!  9 |     struct node *p = NULL;
//!    |                  - 1  p = NULL
//! 14 |     return p->value;
//!    |            ^ 2  p dereferenced
//!    |
//!    = when    l == NULL                 (then it always fails)
//!    = called  main.c:21:5  last(NULL)
//!    = id      7f3a91
//! ```
//!
//! Steps in one function stand together, by line, and the numbers tell the order. A path through several
//! functions is shown as it goes, each function moved to the right in the one that calls it:
//!
//! ```text
//!   --> list.c:14:12  in last()
//!    ::: main.c:21:5  in main()
//!    |
//! 21 |     last(NULL);
//!    |     - 1  calls last(NULL)
//!    | ::: list.c:14:12  in last()
//!    | |
//! 14 | |     return p->value;
//!    | |            ^ 2  p dereferenced
//! ```
//!
//! The same characters come with colour and without.

mod excerpt;
mod paint;

use crate::{Finding, Importance, Report, Sources, Verdict, short_ids};
use paint::{Ink, Line};

/// How the text is to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// With ANSI colours.
    pub color: bool,
    /// All steps, not only the essential ones.
    pub full_path: bool,
    /// With a star on those steps that are essential.
    pub stars: bool,
    /// Cells of a line; source lines that are longer are cut around what matters.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            color: false,
            full_path: false,
            stars: false,
            width: 100,
        }
    }
}

/// The verdict ends here, so that all of them are in one column.
const VERDICT_ENDS: usize = 86;

/// Cells of a line of a sentence below the excerpt.
const SENTENCE: usize = 74;

/// A deep recursion is shown by its beginning and its end.
const CALLS_SHOWN: usize = 8;

/// All findings, each followed by an empty line. Empty if there are none.
pub fn render(report: &Report, sources: &dyn Sources, style: Style) -> String {
    let mut out = String::new();
    for (finding, id) in report.findings.iter().zip(short_ids(&report.findings)) {
        out.push_str(&render_finding(finding, Some(&id), sources, style));
        out.push('\n');
    }
    out
}

/// One finding. It ends with a line end.
pub fn render_finding(
    finding: &Finding,
    id: Option<&str>,
    sources: &dyn Sources,
    style: Style,
) -> String {
    let mut out = String::new();
    heading(finding, style).write(&mut out, style.color);
    let steps: Vec<excerpt::Mark> = shown_steps(finding, style);
    let gutter = excerpt::gutter(&steps);
    Line::of(Ink::Plain, " ".repeat(gutter))
        .and(Ink::Frame, "--> ")
        .and(
            Ink::Plain,
            excerpt::place(&finding.location, &finding.function),
        )
        .write(&mut out, style.color);
    let layout = excerpt::Layout {
        gutter,
        style,
        accent: accent(finding.verdict),
        depth: 0,
    };
    let home = (finding.location.file.as_str(), finding.function.as_str());
    layout.render(&mut out, &steps, home, sources);
    let mut facts = facts(finding, id);
    if style.stars && steps.len() > 1 {
        facts.push(("*", "the steps that matter".to_string()));
    }
    if !facts.is_empty() {
        Line::of(Ink::Frame, format!("{:gutter$} |", "")).write(&mut out, style.color);
    }
    for (key, value) in facts {
        let sign = if key.is_empty() { "   " } else { " = " };
        Line::of(Ink::Frame, format!("{:gutter$}{sign}", ""))
            .and(Ink::Strong, format!("{key:<8}"))
            .and(Ink::Plain, value)
            .write(&mut out, style.color);
    }
    out
}

/// `error[null-dereference]: `p` is null …      must`.
fn heading(finding: &Finding, style: Style) -> Line {
    let severity = finding
        .severity()
        .map_or("note", |severity| severity.word());
    let rule = match finding.rule {
        Some(rule) => format!("{severity}[{}]", rule.id),
        None => severity.to_string(),
    };
    let verdict = finding.verdict.word();
    let message = format!(": {}", finding.message);
    let used = excerpt::width(&rule) + excerpt::width(&message) + verdict.len();
    let gap = VERDICT_ENDS.min(style.width).saturating_sub(used).max(3);
    Line::of(accent(finding.verdict), rule)
        .and(Ink::Strong, message)
        .and(Ink::Plain, " ".repeat(gap))
        .and(accent(finding.verdict), verdict)
}

fn accent(verdict: Verdict) -> Ink {
    match verdict {
        Verdict::Must => Ink::Error,
        Verdict::May => Ink::Warning,
        Verdict::Latent | Verdict::Undecided | Verdict::Refuted => Ink::Note,
    }
}

/// The steps to show, numbered if there are several. The failing one is always there.
fn shown_steps(finding: &Finding, style: Style) -> Vec<excerpt::Mark<'_>> {
    let last = finding.steps.len().saturating_sub(1);
    let shown = finding.steps.iter().enumerate().filter(|(i, step)| {
        style.full_path || *i == last || step.importance == Importance::Essential
    });
    let mut marks: Vec<excerpt::Mark> = Vec::new();
    let mut stars: Vec<bool> = Vec::new();
    for (i, step) in shown {
        stars.push(style.stars && (i == last || step.importance == Importance::Essential));
        marks.push(excerpt::Mark {
            location: &step.location,
            function: &step.function,
            depth: step.depth,
            label: step.text.clone(),
            fails: i == last,
        });
    }
    if marks.len() > 1 {
        for (i, (mark, star)) in marks.iter_mut().zip(stars).enumerate() {
            let star = if star { '*' } else { ' ' };
            mark.label = format!("{}{star} {}", i + 1, mark.label);
        }
    }
    if marks.is_empty() {
        marks.push(excerpt::Mark {
            location: &finding.location,
            function: &finding.function,
            depth: 0,
            label: String::new(),
            fails: true,
        });
    }
    marks
}

/// A sentence in lines that end where the verdicts do, roughly.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if excerpt::width(line) + excerpt::width(word) < SENTENCE => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

/// What stands below the excerpt. A line without a key goes on with the one above.
fn facts(finding: &Finding, id: Option<&str>) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(when) = &finding.when {
        facts.push(match finding.verdict {
            Verdict::Must => ("when", format!("{when:<25} (then it always fails)")),
            _ => ("when", when.clone()),
        });
    }
    if let Some(why) = &finding.why {
        let lines = wrapped(why).into_iter().enumerate();
        facts.extend(lines.map(|(i, line)| (if i == 0 { "why" } else { "" }, line)));
    }
    if let Some((last, before)) = finding.also_in.split_last() {
        // A template may have hundreds: two show what it is about.
        let text = match before {
            [] => crate::called_name(last),
            [one] => format!("{}, {}", crate::called_name(one), crate::called_name(last)),
            [one, more @ ..] => {
                let more = crate::count(more.len() + 1, "more instance");
                format!("{} and {more}", crate::called_name(one))
            }
        };
        facts.push(("also", format!("in {text}")));
    }
    if let Some(seen) = &finding.seen {
        facts.push(("seen", seen.clone()));
    }
    let calls = &finding.called;
    let hidden = calls.len().saturating_sub(CALLS_SHOWN);
    for (i, call) in calls.iter().enumerate() {
        let middle = CALLS_SHOWN / 2..CALLS_SHOWN / 2 + hidden;
        if i == middle.start && hidden > 0 {
            let more = crate::count(hidden, "more call");
            facts.push(("", format!("… {more}")));
        }
        if !middle.contains(&i) {
            facts.push(("called", format!("{}  {}", call.location, call.text)));
        }
    }
    if let Some(id) = id {
        facts.push(("id", id.to_string()));
    }
    facts
}
