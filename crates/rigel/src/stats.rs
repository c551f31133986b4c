//! `--stats`: what was read, what could not be modelled and why, and what it cost.

use crate::pipeline::Loaded;
use crate::print::{count, grouped};
use ir::{HavocReason, Stmt};
use report::Totals;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

pub struct Stats {
    pub units: usize,
    /// Those of them that were not read again, and cost nothing.
    pub kept: usize,
    pub failed: usize,
    pub functions: usize,
    pub declared: usize,
    pub nodes: usize,
    pub edges: usize,
    /// Globals whose initial value could not be written down.
    pub unknown_globals: usize,
    /// Functions with at least one havoc.
    pub with_havoc: usize,
    /// Reason → (statements, functions).
    pub havocs: BTreeMap<String, (usize, usize)>,
    pub clang_cpu_us: u64,
    pub read_cpu_us: u64,
    pub lower_cpu_us: u64,
    pub bitcode_bytes: u64,
    /// The largest worker.
    pub front_peak_kib: u64,
    /// This process.
    pub own_peak_kib: u64,
}

pub fn collect(loaded: &Loaded) -> Stats {
    let program = &loaded.program;
    let mut stats = Stats {
        units: loaded.units,
        kept: loaded.kept,
        failed: loaded.failed,
        functions: 0,
        declared: program
            .functions
            .values()
            .filter(|f| f.body.is_none())
            .count(),
        nodes: 0,
        edges: 0,
        unknown_globals: program
            .globals
            .values()
            .filter(|g| g.init.as_ref().is_some_and(|i| !i.unknown.is_empty()))
            .count(),
        with_havoc: 0,
        havocs: BTreeMap::new(),
        clang_cpu_us: loaded.costs.iter().map(|c| c.clang_cpu_us).sum(),
        read_cpu_us: loaded.costs.iter().map(|c| c.read_cpu_us).sum(),
        lower_cpu_us: loaded.costs.iter().map(|c| c.lower_cpu_us).sum(),
        bitcode_bytes: loaded.costs.iter().map(|c| c.bitcode_bytes).sum(),
        front_peak_kib: loaded.costs.iter().map(|c| c.peak_kib).max().unwrap_or(0),
        own_peak_kib: own_peak_kib(),
    };
    for (_, _, body) in program.bodies() {
        stats.functions += 1;
        stats.nodes += body.node_count as usize;
        stats.edges += body.edges().len();
        let mut reasons = BTreeSet::new();
        for edge in body.edges().values() {
            if let Stmt::Havoc { reason, .. } = &edge.stmt {
                let reason = describe(program, reason);
                stats.havocs.entry(reason.clone()).or_default().0 += 1;
                reasons.insert(reason);
            }
        }
        stats.with_havoc += usize::from(!reasons.is_empty());
        for reason in reasons {
            stats.havocs.entry(reason).or_default().1 += 1;
        }
    }
    stats
}

fn describe(program: &ir::Program, reason: &HavocReason) -> String {
    match reason {
        HavocReason::InlineAssembly => "inline assembly".to_string(),
        HavocReason::Vector => "vector arithmetic".to_string(),
        HavocReason::Intrinsic(name) => format!("intrinsic {}", program.name(*name)),
        HavocReason::Instruction(name) => format!("instruction {}", program.name(*name)),
        HavocReason::Constant => "constant expression".to_string(),
        HavocReason::WideInteger => "integer wider than 128 bits".to_string(),
    }
}

/// Peak resident memory of this process; 0 where the system does not say.
fn own_peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().split(' ').next()?.parse().ok())
        .unwrap_or(0)
}

pub fn render(stats: &Stats, loaded: &Loaded) -> String {
    let mut out = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(out, "{name:<12} {value}");
    };
    let failed = match stats.failed {
        0 => String::new(),
        n => format!(", {n} failed"),
    };
    let kept = match stats.kept {
        0 => String::new(),
        n => format!(", {} kept from an earlier run", grouped(n)),
    };
    line("units", format!("{}{failed}{kept}", grouped(stats.units)));
    line(
        "functions",
        format!(
            "{} defined, {} only declared; {}, {}",
            grouped(stats.functions),
            grouped(stats.declared),
            count(stats.nodes, "node"),
            count(stats.edges, "edge"),
        ),
    );
    let percent = 100.0 * stats.with_havoc as f64 / stats.functions.max(1) as f64;
    line(
        "havoc",
        format!(
            "in {} ({percent:.2} %)",
            count(stats.with_havoc, "function")
        ),
    );
    if stats.unknown_globals > 0 {
        let globals = count(stats.unknown_globals, "global");
        line("", format!("{globals} with an unknown initial value"));
    }
    for (reason, (statements, functions)) in &stats.havocs {
        line(
            "",
            format!(
                "{reason}: {} in {}",
                count(*statements, "statement"),
                count(*functions, "function")
            ),
        );
    }
    let seconds = |us: u64| us as f64 / 1e6;
    line(
        "cpu",
        format!(
            "clang {:.2} s, reading {:.2} s, lowering {:.2} s ({} of bitcode; reading and lowering {:.2} of clang)",
            seconds(stats.clang_cpu_us),
            seconds(stats.read_cpu_us),
            seconds(stats.lower_cpu_us),
            bytes(stats.bitcode_bytes),
            (stats.read_cpu_us + stats.lower_cpu_us) as f64 / stats.clang_cpu_us.max(1) as f64,
        ),
    );
    line(
        "time",
        format!(
            "front end {:.2} s, linking {:.2} s, checks {:.2} s, analysis {:.2} s",
            loaded.times.front.as_secs_f64(),
            loaded.times.link.as_secs_f64(),
            loaded.times.instrument.as_secs_f64(),
            loaded.times.analysis.as_secs_f64(),
        ),
    );
    line(
        "memory",
        format!(
            "rigel {}, largest front end process {}",
            bytes(stats.own_peak_kib * 1024),
            bytes(stats.front_peak_kib * 1024)
        ),
    );
    out
}

/// What became of the checks, and what the search took.
pub fn render_analysis(totals: &Totals, statistics: &search::Statistics) -> String {
    let classes = [
        ("proved", totals.proved),
        ("latent", totals.latent),
        ("refuted", totals.refuted),
        ("reported", totals.reported),
        ("undecided", totals.undecided),
    ];
    let list = |counts: &[(&str, usize)]| {
        let words = counts
            .iter()
            .map(|(name, n)| format!("{} {name}", grouped(*n)));
        words.collect::<Vec<_>>().join(", ")
    };
    let mut out = format!(
        "{:<12} {}: {}\n",
        "checks",
        grouped(totals.checks),
        list(&classes)
    );
    let given_up = [
        ("over their budget", totals.budget_exhausted),
        ("that rigel failed in", totals.defects),
    ];
    if given_up.iter().any(|(_, n)| *n > 0) {
        let _ = writeln!(out, "{:<12} functions: {}", "", list(&given_up));
    }
    let _ = writeln!(out, "{:<12} {}", "search", list(&search(statistics)));
    out
}

/// Those that are not none, in words.
fn list(counts: &[(&str, usize)]) -> String {
    let words = counts
        .iter()
        .filter(|(_, n)| *n > 0)
        .map(|(name, n)| format!("{} {name}", grouped(*n)));
    words.collect::<Vec<_>>().join(", ")
}

/// What dual analysis says of the errors that level 2 left.
pub fn render_sure(sure: &engine::SureCounts) -> String {
    let counts = list(&[
        ("must", sure.must),
        ("may", sure.may),
        ("not known", sure.unknown),
        ("taken back", sure.never),
    ]);
    match counts.is_empty() {
        true => String::new(),
        false => format!("{:<12} {counts}\n", "dual"),
    }
}

/// What level 2 did with the paths of level 1.
pub fn render_level2(tally: &engine::Tally) -> String {
    let mut out = format!(
        "{:<12} {}: {}\n",
        "level 2",
        count(tally.paths, "path"),
        list(&[
            ("infeasible", tally.infeasible),
            ("feasible", tally.feasible),
            ("undecided", tally.undecided),
        ])
    );
    if tally.looks > 0 {
        let looks = count(tally.looks, "look");
        let _ = writeln!(out, "{:<12} {looks} at several functions as one", "");
    }
    if tally.together > 0 {
        let looks = count(tally.together, "function");
        let _ = writeln!(out, "{:<12} {looks} looked at with all that they call", "");
    }
    if tally.met.asked > 0 {
        let asked = count(tally.met.asked, "function");
        let came = list(&[
            ("suspected now", tally.met.suspected),
            ("shown by a run", tally.met.shown),
        ]);
        let came = match came.is_empty() {
            true => came,
            false => format!(": {came}"),
        };
        let _ = writeln!(
            out,
            "{:<12} {asked} asked for conditions of callees{came}",
            ""
        );
    }
    let settled = &tally.settled;
    let _ = writeln!(
        out,
        "{:<12} settled: {}",
        "",
        list(&[
            ("while walking", tally.contradictions),
            (
                "infeasible by intervals",
                settled.builtin_unsatisfiable as usize
            ),
            (
                "feasible by intervals",
                settled.builtin_satisfiable as usize
            ),
            (
                "infeasible by the solver",
                settled.prover_unsatisfiable as usize
            ),
            (
                "feasible by the solver",
                settled.prover_satisfiable as usize
            ),
            ("over budget", settled.budget as usize),
            ("incomplete", settled.incomplete as usize),
            ("with a solver in trouble", settled.trouble as usize),
        ])
    );
    if settled.asked + settled.recalled > 0 {
        let counts = [
            ("asked", settled.asked as usize),
            ("recalled", settled.recalled as usize),
            ("asked again", settled.repeated as usize),
        ];
        let _ = writeln!(out, "{:<12} of the solver: {}", "", list(&counts));
    }
    let _ = writeln!(
        out,
        "{:<12} replayed: {}",
        "",
        list(&[
            ("confirmed", tally.confirmed),
            ("not possible", tally.not_replayed),
            ("with a coincidence", tally.coincidences),
            ("contradicted, which are errors of rigel", tally.defects),
        ])
    );
    for (why, n) in &tally.reasons {
        let _ = writeln!(out, "{:<12} {:>6} {why}", "", grouped(*n));
    }
    if !tally.refined.is_empty() {
        let mut by_end: std::collections::BTreeMap<engine::Refined, Vec<String>> =
            std::collections::BTreeMap::new();
        for ((end, rounds), n) in &tally.refined {
            by_end
                .entry(*end)
                .or_default()
                .push(format!("{} after {rounds}", grouped(*n)));
        }
        for (end, counts) in by_end {
            let name = match end {
                engine::Refined::Refuted => "refuted",
                engine::Refined::Latent => "without evidence",
                engine::Refined::Found => "another path",
                engine::Refined::Stuck => "nothing learnt",
                engine::Refined::Budget => "over budget",
            };
            let counts = counts.join(", ");
            let _ = writeln!(out, "{:<12} refinement: {name}: {counts} rounds", "");
        }
        let (nodes, inside) = tally.projected;
        let _ = writeln!(
            out,
            "{:<12} searched {} states, in {} of {} nodes: the rest is outside the error projections",
            "",
            grouped(tally.refining_states),
            grouped(inside),
            grouped(nodes)
        );
        let (intervals, cores) = tally.observers;
        let _ = writeln!(
            out,
            "{:<12} observers: {}; all of it took {:.2} s",
            "",
            list(&[("of intervals", intervals), ("of cores", cores)]),
            tally.refining.as_secs_f64()
        );
    }
    if let Some([median, most_of_them, dearest]) = tally.cost() {
        let _ = writeln!(
            out,
            "{:<12} cost of a path: median {}, 95th percentile {}, the dearest {} µs",
            "",
            grouped(median.as_micros() as usize),
            grouped(most_of_them.as_micros() as usize),
            grouped(dearest.as_micros() as usize),
        );
    }
    out
}

/// The counts of a search, by name.
pub fn search(statistics: &search::Statistics) -> [(&'static str, usize); 12] {
    [
        ("grey", statistics.grey),
        ("black", statistics.black),
        ("red", statistics.red),
        ("known", statistics.known),
        ("differences", statistics.differences),
        ("pieces", statistics.pieces),
        ("merges", statistics.merges),
        ("superseded", statistics.superseded),
        ("widenings", statistics.widenings),
        ("expanded", statistics.expanded),
        ("successors", statistics.successors),
        ("comparisons", statistics.comparisons),
    ]
}

fn bytes(n: u64) -> String {
    match n {
        0..1024 => format!("{n} B"),
        1024..1_048_576 => format!("{:.1} KiB", n as f64 / 1024.0),
        _ => format!("{:.1} MiB", n as f64 / 1_048_576.0),
    }
}
