//! One finding for each cause and place, in an order that depends on nothing but the findings.
//!
//! The search may meet one broken check on many paths, and the linker may leave one inline
//! function of a header in many units, or one template in many instances: whoever reads the
//! report has one line to repair. Of findings that say the same about the same place the one
//! that is easiest to follow stays: the surest verdict, then the shortest path. Instances of a
//! template may say it with other numbers; one of them speaks, and names the others.

use crate::{Finding, Report};
use std::cmp::Ordering;

/// Drops what is said twice and sorts by file, line, column, rule and function.
pub fn normalize(report: &mut Report) {
    report.findings.sort_by(|a, b| {
        (place(a), &a.message)
            .cmp(&(place(b), &b.message))
            .then_with(|| plainer(a, b))
            // From here on only so that the order does not depend on who was first.
            .then_with(|| a.steps.cmp(&b.steps))
            .then_with(|| (&a.when, &a.seen, &a.called).cmp(&(&b.when, &b.seen, &b.called)))
            .then_with(|| a.fingerprint_parts.cmp(&b.fingerprint_parts))
    });
    let findings = std::mem::take(&mut report.findings);
    for group in findings.chunk_by(|a, b| place(a) == place(b)) {
        report.findings.extend(one_instance(group));
    }
}

/// The findings of one place and rule, as the plainest of the instances has them.
fn one_instance(group: &[Finding]) -> Vec<Finding> {
    let Some(plainest) = group.iter().min_by(|a, b| plainer(a, b)) else {
        return Vec::new();
    };
    // What is not reported elsewhere says nothing about what is.
    let alike = group
        .iter()
        .filter(|f| f.is_reported() == plainest.is_reported());
    let mut others: Vec<&String> = alike.map(|f| &f.function).collect();
    others.sort();
    others.dedup();
    others.retain(|f| **f != plainest.function);
    let mut kept: Vec<Finding> = group
        .iter()
        .filter(|f| f.function == plainest.function)
        .cloned()
        .collect();
    kept.dedup_by(|later, kept| later.message == kept.message);
    for finding in &mut kept {
        finding.also_in = others.iter().map(|f| f.to_string()).collect();
    }
    kept
}

/// Which of two findings is easier to follow.
fn plainer(a: &Finding, b: &Finding) -> Ordering {
    let key = |f: &Finding| (f.verdict, f.steps.len());
    key(a)
        .cmp(&key(b))
        .then_with(|| a.function.cmp(&b.function))
}

/// Findings of one rule and place have equal ones.
fn place(finding: &Finding) -> impl Ord + PartialEq + '_ {
    (
        &finding.location,
        finding.rule_id(),
        template(&finding.function),
    )
}

/// The name without template arguments and parameters. Two functions with code at one place that
/// agree in this are instances of one template.
fn template(function: &str) -> &str {
    let end = function.find(['<', '(']).unwrap_or(function.len());
    &function[..end]
}
