//! `rigel explain`: every line that failing runs can pass, and a path through any of them.

mod common;

use common::{Project, command};
use engine::{ErrorPath, How, Memory, Settings};
use expect_test::{Expect, expect};
use report::Location;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The program of Table 1 of the paper, with a body for `f` that only reads.
const TABLE_1: &str = "\
#include <assert.h>
static int seen;
static int complex(int x) { return x + seen; }
int foo(int i) {
    assert(i > 0);
    i = complex(i);
    return i;
}
static int f(int len, const int *arr) {
    return seen > arr[0] ? len - 1 : len;
}
int bar(int len, const int *arr) {
    int r = 0;
    switch (f(len, arr)) {
    case 3:
        r += foo(arr[2]);
        /* fall through */
    case 2:
        r += foo(arr[1]);
        /* fall through */
    case 1:
        r += foo(arr[0]);
    }
    return r;
}
int main(void) {
    int values[3] = {1, -1, -2};
    return bar(3, values);
}
";

/// Two tests of one condition; a null that only one side of it has.
const TWICE: &str = "\
void *malloc(unsigned long);
int twice(int n, int k)
{
    int *p = 0;
    int r = 0;
    if (n > 3)
        p = malloc(4);
    else
        r = 1;
    if (k)
        r += 2;
    if (n > 3) {
        r = r * 3;
        if (!p)
            return -1;
        r++;
    }
    *p = r;
    return r;
}
";

/// A null that comes from a call.
const GIVEN: &str = "\
static int g;
static int *pick(int k)
{
    if (k > 100)
        return &g;
    return 0;
}
int given(int n)
{
    int *p = pick(n);
    if (n > 50)
        g = 1;
    return *p;
}
";

/// The id of the only finding of a rule.
fn id_of(project: &Project, args: &[&str], rule: &str) -> String {
    let mut all = vec!["check", "--format", "json"];
    all.extend(args);
    let output = project.output(&all, &[]);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = value["findings"].as_array().unwrap();
    let of: Vec<&Value> = findings.iter().filter(|f| f["rule"] == rule).collect();
    assert_eq!(of.len(), 1, "{value:#}");
    of[0]["id"].as_str().unwrap().to_string()
}

/// What `explain` says of a finding, from the projection on.
fn explained(project: &Project, args: &[&str], expected: Expect) {
    let mut all = vec!["explain"];
    all.extend(args);
    let text = project.rigel(&all);
    let from = text.find("error projection").unwrap_or(0);
    expected.assert_eq(&text[from..]);
}

#[test]
fn table_1() {
    let project = Project::new(&[("table.c", TABLE_1)]);
    let id = id_of(&project, &["table.c", "--latent"], "assertion");
    // A counterexample has one of the two calls; a slice has all three, `complex` and the returns.
    explained(
        &project,
        &[&id, "table.c", "--from", "main"],
        expect![[r#"
            error projection: 7 of 11 lines in 3 functions; failing runs begin in main()
              * a failing run can pass here   . none can
            main()  table.c  2 of 2 lines
              27 * |     int values[3] = {1, -1, -2};
              28 * |     return bar(3, values);
            bar()  table.c  4 of 6 lines
              13 * |     int r = 0;
              14 * |     switch (f(len, arr)) {
              15   |     case 3:
              16 * |         r += foo(arr[2]);
              17   |         /* fall through */
              18   |     case 2:
              19 * |         r += foo(arr[1]);
              20   |         /* fall through */
              21   |     case 1:
              22 . |         r += foo(arr[0]);
              23   |     }
              24 . |     return r;
            foo()  table.c  1 of 3 lines
               5 * |     assert(i > 0);
               6 . |     i = complex(i);
               7 . |     return i;
              = called  f(): on the way, and taken as a whole
              = proof   no failing run passes a line marked `.`
            = exit 1
        "#]],
    );
    explained(
        &project,
        &[&id, "table.c", "--from", "main", "--through", "table.c:22"],
        expect![[r#"
            no failing run passes table.c:22
              = proof   nothing on the way is unknown
            = exit 0
        "#]],
    );
    // What the paper shows, whatever else changes: the first element is positive, so `case 1` never fails.
    let args = ["--format", "json", "--from", "main"];
    let output = project.output(&[&["explain", &id, "table.c"], &args[..]].concat(), &[]);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let inside = |at: usize| value["projection"]["functions"][at]["inside"].clone();
    let lines = [inside(0), inside(1), inside(2)];
    let paper = serde_json::json!([[27, 28], [13, 14, 16, 19], [5]]);
    assert_eq!(Value::from(lines.to_vec()), paper);
    explained(
        &project,
        &[&id, "table.c", "--from", "main", "--state", "table.c:5"],
        expect![[r#"
            on failing runs at table.c:5 in foo():
              holds   i <= 0
            = exit 1
        "#]],
    );
}

#[test]
fn one_condition_that_is_tested_twice() {
    let project = Project::new(&[("twice.c", TWICE)]);
    let id = id_of(&project, &["twice.c"], "null-dereference");
    explained(
        &project,
        &[&id, "twice.c"],
        expect![[r#"
        error projection: 8 of 14 lines in 1 function; failing runs begin in twice()
          * a failing run can pass here   . none can
        twice()  twice.c  8 of 14 lines
           4 * |     int *p = 0;
           5 * |     int r = 0;
           6 * |     if (n > 3)
           7 . |         p = malloc(4);
           8   |     else
           9 * |         r = 1;
          10 * |     if (k)
          11 * |         r += 2;
          12 * |     if (n > 3) {
          13 . |         r = r * 3;
          14 . |         if (!p)
          15 . |             return -1;
          16 . |         r++;
          17   |     }
          18 * |     *p = r;
          19 . |     return r;
          = proof   no failing run passes a line marked `.`
        = exit 1
    "#]],
    );
    explained(
        &project,
        &[&id, "twice.c", "--through", "twice.c:11"],
        expect![[r#"
            a failing path through twice.c:11, which a run can take that begins in twice():

            warning[null-dereference]: `p` is null when it is dereferenced                     may
              --> twice.c:18:8  in twice()
               |
             4 |     int *p = 0;
               |     - 1  p is declared
               |          - 2  p = NULL
             5 |     int r = 0;
               |     - 3  r is declared
               |         - 4  r = 0
             6 |     if (n > 3)
               |           - 5  n <= 3
             9 |         r = 1;
               |           - 6  r = 1
            10 |     if (k)
               |         - 7  k != 0
            11 |         r += 2;
               |           - 8  r = r + 2
            12 |     if (n > 3) {
               |           - 9  n <= 3
            ...
            18 |     *p = r;
               |        ^ 10  p dereferenced
               |
               = when    k = 1, n = 0
               = id      7c777d
            = exit 1
        "#]],
    );
    explained(
        &project,
        &[&id, "twice.c", "--through", "twice.c:13"],
        expect![[r#"
            no failing run passes twice.c:13
              = proof   nothing on the way is unknown
            = exit 0
        "#]],
    );
    explained(
        &project,
        &[&id, "twice.c", "--state", "twice.c:12"],
        expect![[r#"
            on failing runs at twice.c:12 in twice():
              holds   p is NULL
              holds   n <= 3
            = exit 1
        "#]],
    );
}

#[test]
fn what_a_callee_gives_decides() {
    let project = Project::new(&[("given.c", GIVEN)]);
    let id = id_of(&project, &["given.c"], "null-dereference");
    explained(
        &project,
        &[&id, "given.c"],
        expect![[r#"
        error projection: 6 of 7 lines in 2 functions; failing runs begin in given()
          * a failing run can pass here   . none can
        given()  given.c  4 of 4 lines
          10 * |     int *p = pick(n);
          11 * |     if (n > 50)
          12 * |         g = 1;
          13 * |     return *p;
        pick()  given.c  2 of 3 lines
           4 * |     if (k > 100)
           5 . |         return &g;
           6 * |     return 0;
          = proof   no failing run passes a line marked `.`
        = exit 1
    "#]],
    );
    explained(
        &project,
        &[&id, "given.c", "--through", "./given.c:5"],
        expect![[r#"
            no failing run passes ./given.c:5
              = proof   nothing on the way is unknown
            = exit 0
        "#]],
    );
}

#[test]
fn for_programs() {
    let project = Project::new(&[("twice.c", TWICE)]);
    let id = id_of(&project, &["twice.c"], "null-dereference");
    let run = |more: &[&str]| {
        let mut args = vec!["explain", &id, "twice.c"];
        args.extend(more);
        String::from_utf8(project.output(&args, &[]).stdout).unwrap()
    };
    let value: Value = serde_json::from_str(&run(&["--format", "json"])).unwrap();
    let projection = &value["projection"];
    assert_eq!(projection["root"], "twice");
    assert_eq!(projection["proof"], true);
    let of = &projection["functions"][0];
    assert_eq!(
        of["inside"],
        serde_json::json!([4, 5, 6, 9, 10, 11, 12, 18])
    );
    assert_eq!(of["outside"], serde_json::json!([7, 13, 14, 15, 16, 19]));
    let none = run(&["--format", "json", "--through", "twice.c:16"]);
    let none: Value = serde_json::from_str(&none).unwrap();
    assert_eq!(none["through"]["exists"], false);
    let some = run(&["--format", "json", "--through", "twice.c:11"]);
    let some: Value = serde_json::from_str(&some).unwrap();
    let lines: Vec<u64> = some["through"]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|s| s["line"].as_u64())
        .collect();
    assert!(
        lines.contains(&11) && lines.last() == Some(&18),
        "{lines:?}"
    );
    let state = run(&["--format", "json", "--state", "twice.c:12"]);
    let state: Value = serde_json::from_str(&state).unwrap();
    let holds = serde_json::json!(["p is NULL", "n <= 3"]);
    assert_eq!(state["state"]["at"][0]["holds"], holds);
    assert_eq!(state["state"]["exists"], true);
    assert_eq!(some["through"]["exists"], true);
    let dot = run(&["--format", "dot", "--through", "twice.c:11"]);
    assert!(dot.contains("label=\"a failing path through twice.c:11, which a run can take"));
    assert!(dot.contains("  f0_10 -> f0_11 [color="), "{dot}");
    assert!(!dot.contains("  f0_10 -> f0_12 [color="), "{dot}");
    let dot = run(&["--format", "dot", "--through", "twice.c:13"]);
    assert!(
        dot.contains("label=\"no failing run passes twice.c:13\""),
        "{dot}"
    );
    let dot = run(&["--format", "dot"]);
    assert!(
        dot.starts_with("digraph projection {") && dot.ends_with("}\n"),
        "{dot}"
    );
    assert!(dot.contains("f0_6 -> f0_7;"), "{dot}");
}

#[test]
fn the_last_run_is_known() {
    let project = Project::new(&[("a/twice.c", TWICE)]);
    let run = |args: &[&str]| {
        let output = command(args)
            .current_dir(project.path())
            .env_remove("RIGEL_CACHE")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).to_string();
        let said = String::from_utf8_lossy(&output.stderr).to_string();
        (text, said, output.status.code())
    };
    let (_, said, code) = run(&["explain", "abc123"]);
    assert!(said.contains("no run of check is kept here"), "{said}");
    assert_eq!(code, Some(2));
    common::settle();
    let id = id_of(&project, &["a/twice.c"], "null-dereference");
    run(&["check", "a/twice.c"]);
    let (text, said, code) = run(&["explain", &id]);
    assert!(
        text.contains("error projection: 8 of 14 lines"),
        "{text}{said}"
    );
    assert_eq!(code, Some(1));
    let (_, said, code) = run(&["explain", "ffffff"]);
    assert!(said.contains("there is no such finding"), "{said}");
    assert_eq!(code, Some(2));
    // The program has changed.
    common::settle();
    project.write("a/twice.c", &TWICE.replace("*p = r;", "p = &r;"));
    common::settle();
    let (_, said, code) = run(&["explain", &id]);
    assert!(
        said.contains("it was a finding when check last ran"),
        "{said}"
    );
    assert!(said.contains("a/twice.c:18"), "{said}");
    assert_eq!(code, Some(2));
}

#[test]
fn lines_that_are_not_there() {
    let project = Project::new(&[("twice.c", TWICE)]);
    let id = id_of(&project, &["twice.c"], "null-dereference");
    let said = |line: &str| {
        let output = project.output(&["explain", &id, "twice.c", "--through", line], &[]);
        assert_eq!(output.status.code(), Some(2), "{line}");
        String::from_utf8_lossy(&output.stderr).to_string()
    };
    assert!(said("twice.c").contains("not a line (say FILE:LINE"));
    assert!(said("twice.c:x").contains("not a line"));
    assert!(said("twice.c:0").contains("not a line"));
    assert!(said(":4").contains("not a line"));
    assert!(said("twice.c:99").contains("there is no code on this line"));
    // As reports name places.
    assert!(said("twice.c:9:5").contains("a line is wanted (say twice.c:9)"));
    assert!(said("twice.c:8").contains("(the next one with code is twice.c:9)"));
    assert!(said("twice.c:17").contains("(the next one with code is twice.c:18)"));
    let dot = ["--format", "dot", "--state", "twice.c:9"];
    let output = project.output(&[&["explain", &id, "twice.c"], &dot[..]].concat(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said("other.c:4").contains("no functions in a file of this name"));
    let output = project.output(&["explain", &id, "twice.c", "--from", "nobody"], &[]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("no function of this name"), "{said}");
}

/// Every path that is reported for the rules' fixtures is in its own projection.
#[test]
fn paths_are_inside() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules/fixtures");
    let (mut paths, mut narrow) = (0, 0);
    let mut rules: Vec<_> = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    rules.sort();
    for rule in rules {
        let mut all: Vec<_> = std::fs::read_dir(&rule)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|e| e == "c"))
            .collect();
        // What is reported in a correct program is wrong, and its projection may prove it.
        let is_wrong = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| !name.starts_with("ok_"))
        };
        all.retain(is_wrong);
        all.sort();
        // A few of each rule.
        for file in all.iter().step_by(3) {
            let name = file.file_name().unwrap().to_str().unwrap();
            let (mut program, _) = ir::link::link(common::lower(&rule, name));
            rules::instrument(&mut program, rules::Selection::default());
            let settings = Settings {
                level2: Some(engine::Level2 {
                    provers: engine::Provers::builtin(),
                    budget: 100_000,
                    stopwatch: None,
                }),
                ..Settings::default()
            };
            let mut memory = Memory::default();
            let analysis = engine::reanalyze(&program, &settings, &mut memory, How::Full, &|| {});
            let places = |span: ir::Span| Location::new("f.c", span.line, span.column);
            let project = |error: &ErrorPath, memory: &mut Memory| {
                let asked = engine::projection::Asked::default();
                engine::projection::project(&program, &settings, memory, error, &places, asked)
            };
            for error in &analysis.errors {
                let projected = project(error, &mut memory);
                assert!(projected.has_path, "{}: {error:?}", file.display());
                let (inside, all) = projected.projection.counts();
                assert!(inside > 0, "{}", file.display());
                paths += 1;
                narrow += usize::from(inside < all);
            }
        }
    }
    println!("{paths} paths, {narrow} projections with a line outside");
    assert!(
        paths > 40 && narrow * 2 > paths,
        "{paths} paths, {narrow} narrow"
    );
}

const WAYS: &str = "int g;

int ways(int n, int k)
{
    int *p = 0;
    int r = 0;
    if (k > 5)
        r = 1;
    if (n)
        p = &g;
    if (k <= 5)
        r += 2;
    else
        r += 3;
    if (k * k == 2)
        r += 4;
    *p = r;
    return r;
}
";

#[test]
fn paths_through_a_line_are_put_to_level_2() {
    let project = Project::new(&[("ways.c", WAYS)]);
    let id = id_of(&project, &["ways.c"], "null-dereference");
    // The facts are about p and n: that k is compared twice is for level 2.
    for (line, taken, left) in [
        ("ways.c:8", "r = 1", "r = r + 2"),
        ("ways.c:12", "r = r + 2", "r = 1"),
    ] {
        let output = project.output(&["explain", &id, "ways.c", "--through", line], &[]);
        let text = String::from_utf8(output.stdout).unwrap();
        let head =
            format!("a failing path through {line}, which a run can take that begins in ways():");
        assert!(text.starts_with(&head), "{text}");
        assert!(text.contains(&format!("  {taken}\n")), "{text}");
        assert!(!text.contains(&format!("  {left}\n")), "{text}");
        assert!(text.contains("= when "), "{text}");
        assert_eq!(output.status.code(), Some(1));
    }
    // No square is 2, which level 1 cannot know: nothing is learnt that would help.
    let through = ["explain", &id, "ways.c", "--through", "ways.c:16"];
    let output = project.output(&through, &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    let head = "no failing path through ways.c:16 was found that a run can take\n  = open    this is no proof: ";
    assert!(text.starts_with(head), "{text}");
    assert_eq!(output.status.code(), Some(3));
    let json = [&through[..], &["--format", "json"]].concat();
    let text = String::from_utf8(project.output(&json, &[]).stdout).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["through"]["level2"], "refuted");
    assert_eq!(value["through"]["exists"], Value::Null);
    // Without level 2 nobody is asked.
    let output = project.output(&[&through[..], &["--precision", "0"]].concat(), &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("as far as facts can tell:"), "{text}");
}

#[test]
fn lines_of_an_included_body_have_marks() {
    let project = Project::new(&[
        (
            "incl.c",
            "int g;

int incl(int k)
{
    int *p = &g;
#include \"body.inc\"
    *p = 1;
    return 0;
}
",
        ),
        (
            "body.inc",
            "    if (k > 5)
        return 1;
    p = k ? 0 : &g;
",
        ),
    ]);
    let id = id_of(&project, &["incl.c"], "null-dereference");
    explained(
        &project,
        &[&id, "incl.c"],
        expect![[r#"
        error projection: 4 of 6 lines in 1 function; failing runs begin in incl()
          * a failing run can pass here   . none can
        incl()  incl.c  2 of 3 lines
           5 * |     int *p = &g;
           6   | #include "body.inc"
           7 * |     *p = 1;
           8 . |     return 0;
        incl()  body.inc  2 of 3 lines
           1 * |     if (k > 5)
           2 . |         return 1;
           3 * |     p = k ? 0 : &g;
          = proof   no failing run passes a line marked `.`
        = exit 1
    "#]],
    );
}

/// What is not looked into may well be passed: nothing is proved of it.
#[test]
fn lines_that_are_not_looked_into_are_no_proof() {
    let program = "\
static int x;
static void bump(int n) {
    x += n;
}
static void fail(int n) {
    int *p = &x;
    bump(n);
    if (n > 1)
        p = 0;
    *p = 1;
}
int main(int argc, char **argv) {
    x = 1;
    fail(argc);
    return 0;
}
";
    let project = Project::new(&[("a.c", program)]);
    let output = project.output(&["check", "--format", "json", "a.c"], &[]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let id = findings[0]["id"].as_str().unwrap();
    let says = |option: &str, line: &str| project.rigel(&["explain", id, "a.c", option, line]);
    let callee = says("--through", "a.c:3");
    assert!(callee.contains("taken as a whole\n"), "{callee}");
    for caller in [says("--through", "a.c:13"), says("--state", "a.c:13")] {
        let last = caller.lines().rev().find(|line| line.contains("a.c:13"));
        assert!(
            last.is_some_and(|line| line.contains("not looked into")),
            "{caller}"
        );
    }
}

/// What a function of the library does beyond its model: it writes again what it gave before, or calls whom it is given. And what others
/// define holds what nobody here knows.
#[test]
fn the_library_does_more_than_its_models_say() {
    let cases = [
        (
            "#include <time.h>
int main(void) {
    int *p = 0, w = 0;
    time_t a = 0, c = 1000000000;
    struct tm *q = gmtime(&a), *r;
    if (q->tm_year != 70) return 1;
    r = gmtime(&c);
    if (q->tm_year == 101)
        w = 1;
    *p = w + (r != 0);
    return 0;
}
",
            9,
            Some(3),
        ),
        (
            "#include <stdlib.h>
static int x, n, *p = &x;
static int cmp(const void *a, const void *b) {
    n = n + 1;
    p = 0;
    return a < b;
}
int main(void) {
    int a[2] = {1, 2};
    qsort(a, 2, sizeof(int), cmp);
    if (n > 0)
        a[0] = 7;
    *p = 1;
    return a[0];
}
",
            12,
            None,
        ),
        (
            "#include <unistd.h>
int main(int argc, char **argv) {
    int *p = 0, w = 0;
    getopt(argc, argv, \"a:\");
    if (optind > 1)
        w = 7;
    *p = w;
    return 0;
}
",
            6,
            Some(3),
        ),
    ];
    for (program, line, code) in cases {
        let project = Project::new(&[("a.c", program)]);
        let output = project.output(&["check", "--format", "json", "a.c"], &[]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        // A function that calls back leaves nothing certain: then nothing may be reported.
        let Some(id) = report["findings"][0]["id"].as_str() else {
            assert_eq!(code, None, "{program}");
            continue;
        };
        let through = format!("a.c:{line}");
        let said = project.output(&["explain", id, "a.c", "--through", &through], &[]);
        assert_ne!(said.status.code(), Some(0), "{program}");
        if let Some(code) = code {
            assert_eq!(said.status.code(), Some(code), "{program}");
        }
    }
}

/// A program whose globals, loops and callees decide.
const STARTED: &str = "\
static int h;
static int x;
static int count(int n) {
    int r = 0;
    for (int k = 0; k < n; k++)
        r += 2;
    return r;
}
int main(int argc, char **argv) {
    int *p = &x;
    int r = 0;
    if (h)
        r = 1;
    for (int i = 0; i < 5; i++)
        r += i;
    if (count(argc) == 7)
        r = 3;
    if (argc > 3)
        p = 0;
    if (r > 9)
        r = 7;
    *p = r;
    h = 1;
    return 0;
}
";

/// A path is one that a run can take only if the program, as it is started, takes it.
#[test]
fn runs_begin_as_the_program_does() {
    let project = Project::new(&[("a.c", STARTED)]);
    let id = id_of(&project, &["a.c"], "null-dereference");
    let through = |line: u32| {
        let line = format!("a.c:{line}");
        let output = project.output(&["explain", &id, "a.c", "--through", &line], &[]);
        let text = String::from_utf8(output.stdout).unwrap();
        (text, output.status.code())
    };
    // The loop must turn five times, and a path that is shortest does not; `argc` is all that is chosen.
    for line in [11, 15, 19, 21] {
        let (text, code) = through(line);
        let head = format!("a failing path through a.c:{line}, which a run can take:");
        assert!(text.starts_with(&head), "{text}");
        assert!(text.contains("= when    argc = "), "{text}");
        assert!(!text.contains("argv"), "{text}");
        assert_eq!(code, Some(1));
    }
    // `h` is 0 when the program begins: no run passes here, though a caller of main() could.
    let (text, code) = through(13);
    assert!(
        text.starts_with("no failing path through a.c:13 was found"),
        "{text}"
    );
    assert_eq!(code, Some(3));
    // What `count` gives is even. Nobody proves that, but no run is said to be there.
    let (text, code) = through(17);
    assert!(!text.contains("which a run can take:"), "{text}");
    assert_eq!(code, Some(3));
}

/// A loop in a loop, with a branch: no path that turns one of them more often is one that a run can take. `h` is 0 when the program begins, which
/// the path that `check` shows does not know.
const NESTED: &str = "\
static int g, h, x;
static int twice(int n) {
    int r = 0;
    for (int k = 0; k < n; k++)
        r += 2;
    return r;
}
int main(int argc, char **argv) {
    int c = argc;
    int *p = &x;
    if (h <= 0)
        c = h * 2;
    g = h > 4;
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 3; k++) {
            if (k == argc)
                h = twice(k);
        }
        p = 0;
        if (argc == h)
            continue;
    }
    if (g == c)
        *p = h;
    return argc;
}
";

/// A finding's own lines are passed by failing runs, or nobody knows: then the program is run.
#[test]
fn own_lines_in_loops_of_loops_are_passed() {
    let project = Project::new(&[("a.c", NESTED)]);
    let id = id_of(&project, &["a.c"], "null-dereference");
    // A callee is called with `argc` below 3 only; where it came back it is shown if somebody asks for it.
    let lines = [(12, 3), (15, 3), (19, 3), (24, 3), (17, 1), (5, 1)];
    for (line, argc) in lines {
        let line = format!("a.c:{line}");
        let output = project.output(&["explain", &id, "a.c", "--through", &line], &[]);
        let text = String::from_utf8(output.stdout).unwrap();
        let head = format!("a failing path through {line}, which a run can take:");
        assert!(text.starts_with(&head), "{text}");
        let when = text.lines().find(|line| line.contains("= when"));
        let when = when.map(|line| line.split(" in ").next().unwrap_or(line).trim_end());
        assert_eq!(
            when,
            Some(format!("   = when    argc = {argc}").as_str()),
            "{text}"
        );
        // Both ways lead to the same place, and the run takes one of them.
        assert!(text.contains("  argc != h\n"), "{text}");
        assert!(!text.contains("  argc == h\n"), "{text}");
        assert_eq!(output.status.code(), Some(1));
    }
}

/// What follows from the program nobody chooses: the text that is written, how often `setjmp` has returned.
#[test]
fn what_follows_from_the_program_is_not_chosen() {
    for condition in [
        "sprintf(text, \"%d\", 5) == 7",
        "(sprintf(text, \"%d\", 5), text[0] == '6')",
        "setjmp(back) == 1",
    ] {
        let program = format!(
            "#include <setjmp.h>
#include <stdio.h>
static jmp_buf back;
int main(int argc, char **argv) {{
    int *p = 0, r = 0;
    char text[16] = \"\";
    if ({condition})
        r = 1;
    *p = r;
    return 0;
}}
"
        );
        let project = Project::new(&[("a.c", &program)]);
        let id = id_of(&project, &["a.c"], "null-dereference");
        let output = project.output(&["explain", &id, "a.c", "--through", "a.c:8"], &[]);
        assert_eq!(output.status.code(), Some(3), "{condition}");
        let other = project.output(&["explain", &id, "a.c", "--through", "a.c:9"], &[]);
        assert_eq!(other.status.code(), Some(1), "{condition}");
    }
}

/// How many arguments there must be is computed in a callee: no constant tells it.
#[test]
fn numbers_of_arguments_are_tried() {
    let program = "\
static int x;
static int sum(int n) {
    int r = 0;
    for (int i = 0; i <= n; i++)
        r += i;
    return r;
}
int main(int argc, char **argv) {
    int *p = &x;
    if (sum(argc) == 105)
        p = 0;
    *p = 1;
    return 0;
}
";
    let project = Project::new(&[("a.c", program)]);
    let output = project.output(
        &["check", "--format", "json", "--latent", "--verbose", "a.c"],
        &[],
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let of = |f: &&Value| f["rule"] == "null-dereference" && f["line"] == 12;
    let id = findings.iter().find(of).unwrap()["id"].as_str().unwrap();
    let output = project.output(&["explain", id, "a.c", "--through", "a.c:11"], &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("which a run can take:"), "{text}");
    assert!(text.contains("= when    argc = 14"), "{text}");
}
