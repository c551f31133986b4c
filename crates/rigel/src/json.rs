//! The report for programs: what `report::json` documents, with `run` (how the interpreter's run
//! of the program went, null if it found something or there was none) and, with `--stats`, `stats`.
//! The same input gives the same bytes: what differs from run to run (times, memory) is there only
//! with `--stats`.

use crate::check;
use crate::pipeline::Loaded;
use crate::stats;
use report::{FunctionChecks, Report, Totals};
use serde_json::json;

pub fn render(checked: &check::Report, loaded: &Loaded, with_stats: bool) -> String {
    let functions = checked.rows.iter().map(|row| FunctionChecks {
        function: row.name.clone(),
        file: row.file.clone(),
        line: row.line,
        checks: row.checks.clone(),
    });
    let report = Report {
        findings: checked.findings.clone(),
        totals: Totals {
            units: loaded.units,
            failed_units: loaded.failed,
            functions: checked.rows.len(),
            checks: checked.rows.iter().map(|row| row.total()).sum(),
            reported: checked.findings.len(),
            ..Totals::default()
        },
        notifications: Vec::new(),
        functions: functions.collect(),
    };
    let mut value = report::json::value(&report);
    value["run"] = json!(checked.ran);
    if with_stats {
        let s = stats::collect(loaded);
        let havocs: serde_json::Map<_, _> = s
            .havocs
            .iter()
            .map(|(reason, (statements, functions))| {
                let counts = json!({ "statements": statements, "functions": functions });
                (reason.clone(), counts)
            })
            .collect();
        value["stats"] = json!({
            "functions_defined": s.functions,
            "functions_declared": s.declared,
            "nodes": s.nodes,
            "edges": s.edges,
            "functions_with_havoc": s.with_havoc,
            "havocs": havocs,
            "clang_cpu_us": s.clang_cpu_us,
            "read_cpu_us": s.read_cpu_us,
            "lower_cpu_us": s.lower_cpu_us,
            "bitcode_bytes": s.bitcode_bytes,
            "front_peak_kib": s.front_peak_kib,
            "rigel_peak_kib": s.own_peak_kib,
        });
    }
    report::json::pretty(&value)
}
