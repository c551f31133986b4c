//! The report for programs. The same input gives the same bytes: what differs from run to run
//! (times, memory) is there only with `--stats`.

use crate::check::Report;
use crate::pipeline::Loaded;
use crate::stats;
use serde_json::json;

pub fn render(report: &Report, loaded: &Loaded, with_stats: bool) -> Result<String, String> {
    let functions: Vec<_> = report
        .rows
        .iter()
        .map(|row| {
            json!({
                "function": row.name,
                "file": row.file,
                "line": row.line,
                "checks": row.checks,
            })
        })
        .collect();
    let mut value = json!({
        "version": 1,
        "tool": { "name": "rigel", "version": env!("CARGO_PKG_VERSION") },
        "findings": report.findings,
        "run": report.ran,
        "functions": functions,
        "summary": {
            "units": loaded.units,
            "failed": loaded.failed,
            "functions": report.rows.len(),
            "checks": report.rows.iter().map(|row| row.total()).sum::<usize>(),
        },
    });
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
    let mut text = serde_json::to_string_pretty(&value).map_err(|e| e.to_string())?;
    text.push('\n');
    Ok(text)
}
