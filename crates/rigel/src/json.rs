//! The report for programs: what `report::json` documents; with `--verbose`, `not_exact` (what was not
//! treated exactly → how often, in how many functions); with `--stats`, `stats`.
//! The same input gives the same bytes: what differs from run to run (times, memory) is there only
//! with `--stats`.

use crate::stats::{self, Stats};
use engine::{Analysis, Tally};
use report::Report;
use serde_json::{Map, Value, json};

pub fn render(
    report: &Report,
    stats: Option<(&Stats, &Analysis)>,
    inexact: Option<Value>,
) -> String {
    let mut value = report::json::value(report);
    if let Some(inexact) = inexact {
        value["not_exact"] = inexact;
    }
    if let Some((stats, analysis)) = stats {
        value["stats"] = costs(stats);
        let search: Map<String, Value> = stats::search(&analysis.statistics)
            .into_iter()
            .map(|(name, count)| (name.to_string(), count.into()))
            .collect();
        value["stats"]["search"] = search.into();
        value["stats"]["level2"] = level2(&analysis.tally);
        value["stats"]["dual"] = json!({
            "must": analysis.sure.must,
            "may": analysis.sure.may,
            "not_known": analysis.sure.unknown,
            "taken_back": analysis.sure.never,
        });
    }
    report::json::pretty(&value)
}

fn costs(s: &Stats) -> Value {
    let havocs: Map<String, Value> = s
        .havocs
        .iter()
        .map(|(reason, (statements, functions))| {
            let counts = json!({ "statements": statements, "functions": functions });
            (reason.clone(), counts)
        })
        .collect();
    json!({
        "units_kept": s.kept,
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
    })
}

fn level2(tally: &Tally) -> Value {
    let settled = &tally.settled;
    let [median, most_of_them, dearest] = tally.cost().unwrap_or_default();
    json!({
        "paths": tally.paths,
        "infeasible": tally.infeasible,
        "feasible": tally.feasible,
        "undecided": tally.undecided,
        "contradictions": tally.contradictions,
        "builtin_infeasible": settled.builtin_unsatisfiable,
        "builtin_feasible": settled.builtin_satisfiable,
        "solver_infeasible": settled.prover_unsatisfiable,
        "solver_feasible": settled.prover_satisfiable,
        "solver_asked": settled.asked,
        "solver_recalled": settled.recalled,
        "solver_asked_again": settled.repeated,
        "replays_confirmed": tally.confirmed,
        "replays_contradicted": tally.defects,
        "replays_not_possible": tally.not_replayed,
        "coincidences": tally.coincidences,
        "refined": tally.refined.iter().map(|((end, rounds), checks)| json!({
            "end": format!("{end:?}").to_lowercase(),
            "rounds": rounds,
            "checks": checks,
        })).collect::<Vec<_>>(),
        "refining_us": tally.refining.as_micros() as u64,
        "observers_of_intervals": tally.observers.0,
        "observers_of_cores": tally.observers.1,
        "path_us_median": median.as_micros() as u64,
        "path_us_95": most_of_them.as_micros() as u64,
        "path_us_most": dearest.as_micros() as u64,
    })
}
