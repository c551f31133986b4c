//! What is said of an analysis: findings, counts, notes.

use super::shown;
use crate::pipeline::Loaded;
use crate::{cli, table};
use engine::explain::Explainer;
use engine::{Analysis, ErrorPath, Memory, Settings};
use report::{Finding, Location, Projection, Report, Shown, Totals, Verdict, called_name};
use rules::Selection;
use std::collections::BTreeMap;

/// Of what is reported, the lines that failing runs can pass, by fingerprint and place.
pub(super) fn projections(
    loaded: &Loaded,
    analysis: &Analysis,
    selection: Selection,
    settings: &Settings,
    memory: &mut Memory,
) -> BTreeMap<(String, Location), Projection> {
    let places = |span| loaded.location(span);
    let shown = analysis.errors.iter();
    let shown: Vec<&ErrorPath> = shown.filter(|e| is_shown(loaded, selection, e)).collect();
    let all = engine::projection::project_all(&loaded.program, settings, memory, &shown, &places);
    let explainer = Explainer::new(&loaded.program, &places);
    let key = |error: &ErrorPath| {
        let finding = explainer.finding(error, Verdict::May);
        (report::fingerprint(&finding), finding.location)
    };
    shown.into_iter().map(key).zip(all).collect()
}

/// What is shown of an analysis.
pub(super) fn report(
    loaded: &Loaded,
    analysis: &Analysis,
    selection: Selection,
    output: &cli::Output,
) -> Report {
    let findings = findings(loaded, analysis, selection, shown(output));
    let mut report = Report {
        findings,
        totals: Totals::default(),
        notifications: notifications(loaded, analysis),
        functions: table::rows(loaded, selection),
    };
    report::normalize(&mut report);
    report.totals = totals(loaded, analysis, &report.findings);
    report
}

/// The errors of an analysis in words, and what else is to be shown.
pub fn findings(
    loaded: &Loaded,
    analysis: &Analysis,
    selection: Selection,
    shown: Shown,
) -> Vec<Finding> {
    let places = |span| loaded.location(span);
    let explainer = Explainer::new(&loaded.program, &places);
    let lists = [
        (&analysis.errors, Verdict::May, true),
        (&analysis.latent, Verdict::Latent, shown.latent),
        (&analysis.undecided, Verdict::Undecided, shown.undecided),
        (&analysis.refuted, Verdict::Refuted, shown.refuted),
    ];
    let mut findings: Vec<Finding> = Vec::new();
    for (paths, verdict, _) in lists.into_iter().filter(|(.., wanted)| *wanted) {
        let paths = paths.iter().filter(|e| is_shown(loaded, selection, e));
        findings.extend(paths.map(|e| {
            let verdict = if e.must { Verdict::Must } else { verdict };
            explainer.finding(e, verdict)
        }));
    }
    findings
}

/// Only what the user selected, and nothing that is in a system header: nobody can repair it there.
fn is_shown(loaded: &Loaded, selection: Selection, error: &ErrorPath) -> bool {
    let Some(function) = loaded.program.functions.get(error.function) else {
        return false;
    };
    let Some(body) = error.body(&loaded.program) else {
        return false;
    };
    // A model's error is one of who calls it.
    if error.composed.is_none() && rules::is_model(&loaded.program, body) {
        return false;
    }
    let rule = body.checks.get(error.check).map(|check| check.rule);
    let edge = error.path.last().and_then(|edge| body.edges().get(*edge));
    rule.is_some_and(|rule| selection.shows(loaded.program.name(rule)))
        && !loaded.in_system_header(function.span)
        && !edge.is_some_and(|edge| loaded.in_system_header(edge.span))
}

/// Counts of the user's own functions. Checks that fail and are not shown (of rules that were not
/// selected, in a header's macro, in further instances of a template) are not counted at all, so
/// that "reported" is what the reader sees and the classes still add up.
fn totals(loaded: &Loaded, analysis: &Analysis, findings: &[Finding]) -> Totals {
    let is_own = |function: ir::FuncId| {
        let function = loaded.program.functions.get(function);
        function.is_some_and(|f| !loaded.in_system_header(f.span))
    };
    let mut totals = Totals {
        units: loaded.units,
        failed_units: loaded.failed,
        functions: loaded.functions().count(),
        budget_exhausted: analysis.exhausted.iter().filter(|f| is_own(**f)).count(),
        defects: analysis.defects.iter().filter(|(f, _)| is_own(*f)).count(),
        ..Totals::default()
    };
    let mut failing = 0;
    for (_, counts) in analysis.by_function.iter().filter(|(f, _)| is_own(*f)) {
        totals.checks += counts.checks;
        totals.proved += counts.proved;
        totals.latent += counts.latent;
        totals.refuted += counts.refuted;
        totals.undecided += counts.undecided;
        failing += counts.reported;
    }
    let reported = findings
        .iter()
        .filter(|f| matches!(f.verdict, Verdict::Must | Verdict::May));
    totals.reported = reported.count();
    totals.checks -= failing.saturating_sub(totals.reported).min(totals.checks);
    totals
}

/// What the user should know about the run itself.
fn notifications(loaded: &Loaded, analysis: &Analysis) -> Vec<String> {
    let place = |function: ir::FuncId| match loaded.program.functions.get(function) {
        Some(f) => {
            let name = called_name(loaded.program.name(f.display));
            format!("{name} at {}", loaded.location(f.span))
        }
        None => "a function".to_string(),
    };
    let exhausted = analysis.exhausted.iter().map(|f| {
        let place = place(*f);
        format!("{place}: the budget ended before all of it was searched")
    });
    let defects = analysis.defects.iter().map(|(f, what)| {
        let place = place(*f);
        format!("{place}: rigel failed to analyse it, which is an error of rigel: {what}")
    });
    exhausted.chain(defects).collect()
}
