//! One finding for each cause and place, in an order that depends on nothing but the findings.
//!
//! The search may meet one broken check on many paths, and the linker may leave one inline
//! function of a header in many units, or one template in many instances: whoever reads the
//! report has one line to repair. Of findings that say the same about the same place the one
//! that is easiest to follow stays: the surest verdict, then the shortest path.

use crate::{Finding, Report};

/// Drops what is said twice and sorts by file, line, column, rule and function.
pub fn normalize(report: &mut Report) {
    report.findings.sort_by(|a, b| {
        place(a)
            .cmp(&place(b))
            .then_with(|| a.verdict.cmp(&b.verdict))
            .then_with(|| a.steps.len().cmp(&b.steps.len()))
            // From here on only so that the order does not depend on who was first.
            .then_with(|| a.function.cmp(&b.function))
            .then_with(|| a.steps.cmp(&b.steps))
            .then_with(|| (&a.when, &a.seen, &a.called).cmp(&(&b.when, &b.seen, &b.called)))
            .then_with(|| a.fingerprint_parts.cmp(&b.fingerprint_parts))
    });
    report
        .findings
        .dedup_by(|later, kept| place(later) == place(kept));
}

/// Findings of one place and cause have equal ones.
fn place(finding: &Finding) -> impl Ord + PartialEq + '_ {
    (
        &finding.location,
        finding.rule_id(),
        template(&finding.function),
        &finding.message,
    )
}

/// The name without template arguments and parameters. Two functions with code at one place that
/// agree in this are instances of one template.
fn template(function: &str) -> &str {
    let end = function.find(['<', '(']).unwrap_or(function.len());
    &function[..end]
}
