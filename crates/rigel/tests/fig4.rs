//! Fig. 4 of the paper on dual analysis: programs over arrays, every access of which is in bounds, and the same with a seeded
//! bug. `main` calls everything, so an access is proved if it cannot fail in `main`.
//!
//! With `RIGEL_FIG4=write` the table of `docs/fig4.md` is written.

mod common;

use dual::execute::Failure;
use dual::program::{Dual, Settings};
use ir::{CallGraph, CheckId, FuncId, Program, Stmt};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What is known of a program of the figure.
struct Case {
    name: &'static str,
    /// The paper's static checks, seconds, and whether it proves all.
    paper: (u32, &'static str, bool),
    /// Our array accesses.
    checks: usize,
    /// Lines of accesses that are not proved.
    unproved: &'static [u32],
    /// The line of the access that the seeded bug makes fail; is it certain? None if the bug program is not analysed.
    bug: Option<(u32, Verdict)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Must,
    May,
}

const CASES: &[Case] = &[
    Case {
        name: "binary-search",
        paper: (2, "3.16", true),
        checks: 4,
        unproved: &[],
        bug: Some((11, Verdict::May)),
    },
    Case {
        name: "bubble-sort",
        paper: (12, "0.82", true),
        checks: 9,
        unproved: &[],
        bug: Some((20, Verdict::Must)),
    },
    Case {
        name: "init-array",
        paper: (2, "0.26", true),
        checks: 2,
        unproved: &[],
        bug: Some((8, Verdict::Must)),
    },
    Case {
        name: "merge-sort",
        paper: (24, "4.63", true),
        checks: 15,
        unproved: &[],
        bug: Some((41, Verdict::Must)),
    },
    // The board decides which squares are tried: no condition on indices says that the last row's first one is.
    Case {
        name: "queens",
        paper: (8, "1.47", true),
        checks: 7,
        unproved: &[],
        bug: Some((14, Verdict::May)),
    },
    Case {
        name: "quick-sort",
        paper: (20, "1.50", true),
        checks: 12,
        unproved: &[],
        bug: Some((17, Verdict::Must)),
    },
    Case {
        name: "sentinel",
        paper: (4, "0.12", false),
        checks: 4,
        unproved: &[],
        bug: Some((9, Verdict::Must)),
    },
    Case {
        name: "fft",
        paper: (62, "13.50", true),
        checks: 31,
        unproved: &[],
        bug: Some((108, Verdict::Must)),
    },
    Case {
        name: "lu",
        paper: (82, "14.34", true),
        checks: 84,
        unproved: &[],
        bug: Some((49, Verdict::May)),
    },
    Case {
        name: "sor",
        paper: (32, "3.50", true),
        checks: 11,
        unproved: &[],
        bug: Some((26, Verdict::Must)),
    },
    Case {
        name: "linpack",
        paper: (166, "38.91", true),
        checks: 153,
        unproved: &[],
        bug: Some((26, Verdict::Must)),
    },
];

/// What dual analysis makes of `main`.
struct Result {
    checks: usize,
    /// Lines of the array accesses that can fail; none if nothing is known of one of the functions.
    failing: Option<BTreeSet<u32>>,
    /// Can `main` come back?
    returns: bool,
    time: Duration,
}

fn source(name: &str) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dual/fixtures/fig4");
    fixtures.join(name).with_extension("c")
}

fn read(name: &str) -> Program {
    let output = common::command(&["ir", "--checks"])
        .arg(source(name))
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {words}");
    let text = String::from_utf8_lossy(&output.stdout);
    ir::text::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn is_access(program: &Program, f: FuncId, check: CheckId) -> bool {
    let body = program.functions[f].body.as_ref().unwrap();
    program.name(body.checks[check].rule) == "out-of-bounds"
}

/// Where a check is.
fn line(program: &Program, f: FuncId, check: CheckId) -> u32 {
    let body = program.functions[f].body.as_ref().unwrap();
    let mut edges = body.edges().iter();
    let found = edges.find(|(_, edge)| edge.stmt == Stmt::Check(check));
    found.unwrap().1.span.line
}

fn analyse(name: &str) -> Result {
    let program = read(name);
    let graph = CallGraph::new(&program);
    let mut bodies = program.bodies();
    let (main, _, _) = bodies
        .find(|(_, f, _)| program.name(f.name) == "main")
        .unwrap();
    let checks = program.bodies().map(|(id, _, body)| {
        let all = body.checks.iter().map(|(check, _)| check);
        all.filter(|check| is_access(&program, id, *check)).count()
    });
    let checks = checks.sum();
    let start = Instant::now();
    let settings = Settings {
        operations: OPERATIONS,
        ..Settings::default()
    };
    let mut dual = Dual::new(&program, &graph, settings);
    let outcomes = dual.function(main);
    let time = start.elapsed();
    let Some(outcomes) = outcomes.ok().filter(|outcomes| !outcomes.guessed) else {
        return Result {
            checks,
            failing: None,
            returns: true,
            time,
        };
    };
    let mut failing = Some(BTreeSet::new());
    for failure in outcomes.failures.keys() {
        let origin = match failure {
            Failure::Here(check) => Some((main, *check)),
            Failure::Call(_, origin) => *origin,
        };
        // A failure of which it is not known where it is may be any.
        match origin {
            None => failing = None,
            Some((f, check)) if is_access(&program, f, check) => {
                if let Some(failing) = &mut failing {
                    failing.insert(line(&program, f, check));
                }
            }
            Some(_) => {}
        }
    }
    Result {
        checks,
        failing,
        returns: !outcomes.ok.is_empty().unwrap(),
        time,
    }
}

/// Operations of isl for a function.
const OPERATIONS: u64 = 4_000_000;

#[test]
fn array_accesses_are_proved_and_seeded_bugs_are_found() {
    let mut table = String::new();
    for case in CASES {
        let good = analyse(case.name);
        assert_eq!(good.checks, case.checks, "{}: checks", case.name);
        let failing = good.failing.expect(case.name);
        let expected: BTreeSet<u32> = case.unproved.iter().copied().collect();
        assert_eq!(failing, expected, "{}: not proved", case.name);
        assert!(good.returns, "{} comes back", case.name);
        let found = case.bug.map(|(line, verdict)| {
            let bug = analyse(&format!("{}-bug", case.name));
            let failing = bug.failing.expect(case.name);
            assert!(failing.contains(&line), "{}: {failing:?}", case.name);
            // It must fail if it cannot come back; `main` has no inputs.
            let found = if bug.returns {
                Verdict::May
            } else {
                Verdict::Must
            };
            assert_eq!(found, verdict, "{}: the bug", case.name);
            format!(
                "line {line}: {}",
                if found == Verdict::Must {
                    "must"
                } else {
                    "may"
                }
            )
        });
        let text = std::fs::read_to_string(source(case.name)).unwrap();
        let (paper, seconds, proves) = case.paper;
        writeln!(
            table,
            "| {} | {} | {paper} | {} {seconds} s | {} | {} | {:.1} s | {} |",
            case.name,
            text.lines().count(),
            if proves { "all" } else { "not all" },
            case.checks,
            if failing.is_empty() {
                "all".to_string()
            } else {
                format!("not line {:?}", case.unproved)
            },
            good.time.as_secs_f64(),
            found.unwrap_or_else(|| "not analysed".into()),
        )
        .unwrap();
    }
    if std::env::var("RIGEL_FIG4").is_ok_and(|v| v == "write") {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/fig4.md");
        let text = std::fs::read_to_string(&page).unwrap();
        let (before, rest) = text.split_once("| --- | --- |").unwrap();
        let (head, rest) = rest.split_once('\n').unwrap();
        let after = rest.split_once("\n\n").map_or("", |(_, after)| after);
        let text = format!("{before}| --- | --- |{head}\n{table}\n{after}");
        std::fs::write(&page, text).unwrap();
    }
}
