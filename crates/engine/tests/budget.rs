//! What becomes of a check when the budget for its path ends: it is said to be undecided, with the
//! path through merged states, and never reported (design.md §7).

use engine::{Analysis, Settings, analyze};
use ir::{Program, Stmt};
use std::fmt::Write;

/// `x` is 0 unless `c` is 1; then so many branches that set variables which are all needed at the
/// end: every way through them is a state of its own. Then `x` must not be 0.
fn branches(count: usize) -> Program {
    let names =
        |format: &dyn Fn(usize) -> String| -> Vec<String> { (0..count).map(format).collect() };
    let mut text = format!(
        "unit \"a.c\" fn f(c: i32, {}) -> i32 {{ var x: i32, {}, s: i32
            0: x = 0
            1: assume c == 1
            1: assume c != 1 -> 3
            2: x = 1\n",
        names(&|i| format!("c{i}: i32")).join(", "),
        names(&|i| format!("v{i}: i32")).join(", "),
    );
    for i in 0..count {
        let at = 3 + 3 * i;
        writeln!(text, "{at}: assume c{i} < 5 -> {}", at + 1).unwrap();
        writeln!(text, "{at}: assume c{i} >= 5 -> {}", at + 2).unwrap();
        writeln!(text, "{}: v{i} = 10 -> {}", at + 1, at + 3).unwrap();
        writeln!(text, "{}: v{i} = 20 -> {}", at + 2, at + 3).unwrap();
    }
    let at = 3 + 3 * count;
    writeln!(
        text,
        "{at}: s = {}",
        names(&|i| format!("v{i}")).join(" + ")
    )
    .unwrap();
    writeln!(text, "{}: check division-by-zero x != 0", at + 1).unwrap();
    writeln!(text, "{}: return s / x", at + 2).unwrap();
    writeln!(text, "{}: exit }}", at + 3).unwrap();
    ir::text::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn run(program: &Program, latent: bool) -> Analysis {
    let settings = Settings {
        latent,
        ..Settings::default()
    };
    analyze(program, &settings, &|| {})
}

#[test]
fn a_path_within_the_budget_is_reported() {
    let analysis = run(&branches(2), false);
    assert_eq!(
        (analysis.counts.reported, analysis.counts.undecided),
        (1, 0)
    );
    assert_eq!(analysis.errors.len(), 1);
}

#[test]
fn a_path_through_merged_states_is_undecided() {
    let program = branches(14);
    let analysis = run(&program, false);
    assert_eq!(
        (analysis.counts.reported, analysis.counts.undecided),
        (0, 1)
    );
    assert!(analysis.errors.is_empty() && analysis.undecided.is_empty());
    // Who asks gets the path: it begins at the entry, is connected, and ends at the check.
    let analysis = run(&program, true);
    let [error] = &analysis.undecided[..] else {
        panic!("{:?}", analysis.undecided)
    };
    let body = program.functions[error.function].body.as_ref().unwrap();
    let edges: Vec<_> = error.path.iter().map(|e| &body.edges()[*e]).collect();
    assert_eq!(edges[0].from, body.entry);
    assert!(edges.windows(2).all(|pair| pair[0].to == pair[1].from));
    assert!(matches!(edges[edges.len() - 1].stmt, Stmt::Check(_)));
    assert!(edges.len() > 2 * 14);
}
