//! Path reduction through the whole tool: the five programs of the paper's Table 1, safe and violating,
//! for loops of any length; and programs with k pairs of branches that belong together.

mod common;

use common::Project;
use serde_json::Value;

/// Of the checks of one rule: how many are reported, and how many are refuted or proved.
fn check(program: &str) -> Value {
    let project = Project::new(&[("a.c", program)]);
    // Of the property of each program; that P5 with >= never gets to its end, where the memory is lost, memory-leak does not see.
    let rules = ["--rules", "default,-memory-leak"];
    let args = [
        "check", "a.c", "--format", "json", "--stats", rules[0], rules[1],
    ];
    let output = project.output(&args, &[]);
    let words = String::from_utf8_lossy(&output.stderr).to_string();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{words}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn reported(report: &Value) -> u64 {
    report["summary"]["reported"].as_u64().unwrap()
}

/// Searches after the first path.
fn rounds(report: &Value) -> u64 {
    let all = report["stats"]["level2"]["refined"].as_array().unwrap();
    all.iter()
        .map(|r| r["rounds"].as_u64().unwrap())
        .max()
        .unwrap_or(0)
}

/// P1 (x = 10) and P2 (x = 100) of §5.2, and longer ones: freed in the last turn; with `>=` there is one more.
fn counting(bound: u32, violating: bool) -> String {
    let compare = if violating { ">=" } else { ">" };
    format!(
        "#include <stdlib.h>\n\
         int counting(void) {{\n\
         int *p = malloc(sizeof *p), a = 0;\n\
         if (!p) return 0;\n\
         *p = 1;\n\
         for (int x = {bound}; x {compare} 0; x--) {{ a = *p; if (x == 1) free(p); }}\n\
         return a; }}\n"
    )
}

/// P3: a flag set by one branch and tested by another, with clutter in between; P4: a loop in between.
fn flagged(clutter: &str, violating: bool) -> String {
    let tested = if violating { 2 } else { 3 };
    format!(
        "int flagged(int c, int d) {{\n\
         int flag = 0, y, u = 0;\n\
         if (c > 3) flag = 1;\n\
         {clutter}\n\
         if (flag) y = 5;\n\
         if (c > {tested}) return y + u;\n\
         return u + d; }}\n"
    )
}

/// P5: two counters that are equal in every turn.
fn two_counters(bound: u32, violating: bool) -> String {
    let compare = if violating { ">=" } else { ">" };
    format!(
        "#include <stdlib.h>\n\
         int two_counters(void) {{\n\
         int *p = malloc(sizeof *p), a = 0;\n\
         if (!p) return 0;\n\
         *p = 1;\n\
         int y = {bound};\n\
         for (int x = {bound}; x {compare} 0; x--) {{ a = *p; if (y == 1) free(p); y--; }}\n\
         return a; }}\n"
    )
}

#[test]
fn table_1_whatever_the_bound() {
    for bound in [10, 100, 1_000, 1_000_000] {
        for (name, program) in [
            ("P1/P2", counting as fn(u32, bool) -> String),
            ("P5", two_counters),
        ] {
            let (safe, bad) = (check(&program(bound, false)), check(&program(bound, true)));
            assert_eq!(reported(&safe), 0, "{name}, {bound}");
            assert_eq!(reported(&bad), 1, "{name}, {bound}");
            println!(
                "{name} {bound}: {} and {} rounds",
                rounds(&safe),
                rounds(&bad)
            );
            // Long loops cost no more rounds than longer ones.
            assert!(rounds(&safe).max(rounds(&bad)) <= 24, "{name}, {bound}");
        }
    }
    let clutter = "if (d) u = 1; else u = 2;";
    let looped = "for (int i = 0; i < 10; i++) u += i;";
    for (name, between) in [("P3", clutter), ("P4", looped)] {
        let (safe, bad) = (
            check(&flagged(between, false)),
            check(&flagged(between, true)),
        );
        assert_eq!(reported(&safe), 0, "{name}");
        assert_eq!(reported(&bad), 1, "{name}");
        println!("{name}: {} and {} rounds", rounds(&safe), rounds(&bad));
    }
}

/// k pairs of branches, each of which forbids one way to the error; with `open`, the last pair leaves one.
fn pairs(k: usize, open: bool) -> String {
    let list = |each: &dyn Fn(usize) -> String| (0..k).map(each).collect::<Vec<_>>().join("");
    let params = (0..k)
        .map(|i| format!("int c{i}"))
        .collect::<Vec<_>>()
        .join(", ");
    let pairs = list(&|i| {
        let least = if open && i + 1 == k { 4 } else { 3 };
        let flag = format!("int f{i} = 0; if (c{i} * 3 > 7) f{i} = 1;\n");
        format!("{flag}if (f{i} && c{i} < {least}) p = 0;\n")
    });
    format!("int pairs({params}) {{ int x = 1, *p = &x;\n{pairs}return *p; }}\n")
}

#[test]
fn pairs_of_branches_take_a_number_of_rounds_that_grows_with_them() {
    for k in 1..=12 {
        let (safe, bad) = (check(&pairs(k, false)), check(&pairs(k, true)));
        println!("k = {k}: {} and {} rounds", rounds(&safe), rounds(&bad));
        assert_eq!(reported(&safe), 0, "k = {k}");
        assert_eq!(reported(&bad), 1, "k = {k}");
        let most = rounds(&safe).max(rounds(&bad)) as usize;
        assert!(most <= 4 * k + 4, "k = {k}: {most} rounds");
    }
}
