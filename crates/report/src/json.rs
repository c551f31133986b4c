//! The report for scripts. The same report gives the same bytes; keys are sorted.
//!
//! ```text
//! version        2; a change that breaks readers raises it
//! tool           name, version
//! findings       sorted as in the text; each:
//!   id             as people see it            fingerprint   64 digits, survives line moves
//!   rule           its id; null if none        cwe           numbers, the most fitting first
//!   verdict        must, may, latent, undecided, refuted
//!   severity       error, warning, note: as sure as it is, no worse than the rule says; null if it is not reported as one
//!   message        one line                    condition     the broken condition
//!   file, line, column, function               where; the column counts bytes from 1, 0 is unknown
//!   when, seen     condition on the inputs; values that a run saw; null if there is none
//!   why            of one that is latent, undecided or refuted: why it is not reported; else null
//!   called         calls that lead there: file, line, column, text
//!   steps          the path, the failing check last: file, line, column, function, text,
//!                  kind (declare, assign, branch, call, return, loop, check), depth of calls,
//!                  importance (essential, important, unimportant), values (name → value after it)
//! functions      the functions analysed: function, file, line, checks (rule → count)
//! notifications  what to know about the run itself
//! summary        units, failed, functions, checks, proved, latent, refuted, reported, undecided,
//!                budget_exhausted, defects
//! ```

use crate::{Caller, Finding, FunctionChecks, Location, Report, Step, Totals};
use crate::{fingerprint, short_ids};
use serde_json::{Map, Value, json};

/// The report as text, with a line end.
pub fn render(report: &Report) -> String {
    pretty(&value(report))
}

/// JSON as rigel writes it: indented, with a line end.
pub fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// The report as a value, for a caller that adds to it.
pub fn value(report: &Report) -> Value {
    let ids = short_ids(&report.findings);
    let findings: Vec<Value> = report.findings.iter().zip(ids).map(finding).collect();
    let functions: Vec<Value> = report.functions.iter().map(function).collect();
    json!({
        "version": 2,
        "tool": { "name": "rigel", "version": env!("CARGO_PKG_VERSION") },
        "findings": findings,
        "functions": functions,
        "notifications": report.notifications,
        "summary": totals(&report.totals),
    })
}

/// The steps of a finding's path, as they are in it.
pub fn steps(finding: &Finding) -> Value {
    finding.steps.iter().map(step).collect()
}

/// One finding as it is in the list, with its id.
pub fn finding((finding, id): (&Finding, String)) -> Value {
    let called: Vec<Value> = finding.called.iter().map(caller).collect();
    let steps: Vec<Value> = finding.steps.iter().map(step).collect();
    at(
        &finding.location,
        json!({
            "id": id,
            "fingerprint": fingerprint(finding),
            "rule": finding.rule.map(|rule| rule.id),
            "cwe": finding.rule.map_or(&[][..], |rule| rule.cwe),
            "verdict": finding.verdict.word(),
            "severity": finding.severity().map(|severity| severity.word()),
            "message": finding.message,
            "condition": finding.fingerprint_parts.condition,
            "function": finding.function,
            "also_in": finding.also_in,
            "when": finding.when,
            "why": finding.why,
            "seen": finding.seen,
            "called": called,
            "steps": steps,
        }),
    )
}

fn caller(caller: &Caller) -> Value {
    at(&caller.location, json!({ "text": caller.text }))
}

fn step(step: &Step) -> Value {
    let values: Map<String, Value> = step
        .values
        .iter()
        .map(|(name, value)| (name.clone(), value.as_str().into()))
        .collect();
    at(
        &step.location,
        json!({
            "function": step.function,
            "kind": step.kind.word(),
            "text": step.text,
            "depth": step.depth,
            "importance": step.importance.word(),
            "values": values,
        }),
    )
}

fn at(location: &Location, mut object: Value) -> Value {
    object["file"] = location.file.as_str().into();
    object["line"] = location.line.into();
    object["column"] = location.column.into();
    object
}

fn function(row: &FunctionChecks) -> Value {
    json!({
        "function": row.function,
        "file": row.file,
        "line": row.line,
        "checks": row.checks,
    })
}

/// The counts under the names that [`render`] documents.
pub fn totals(totals: &Totals) -> Value {
    json!({
        "units": totals.units,
        "failed": totals.failed_units,
        "functions": totals.functions,
        "checks": totals.checks,
        "proved": totals.proved,
        "latent": totals.latent,
        "refuted": totals.refuted,
        "reported": totals.reported,
        "undecided": totals.undecided,
        "budget_exhausted": totals.budget_exhausted,
        "defects": totals.defects,
    })
}
