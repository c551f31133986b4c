//! What a person reads of an error that crosses functions: one of each kind, and errors across files.
//!
//! The programs are those of `crates/engine/fixtures/whole`; that each is found, and its twin not, is held by `analysis.rs`.

mod common;

use common::Project;
use expect_test::{Expect, expect};
use std::path::Path;

/// What `check` reports in JSON, of a program with these files.
fn report(project: &Project, files: &[&str]) -> serde_json::Value {
    let output = project.output(&[&["check", "--format", "json"], files].concat(), &[]);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The steps that the text shows, a line each: moved to the right by their depth, with line and words; and
/// the calls around the error, the innermost first.
fn steps(finding: &serde_json::Value) -> String {
    let mut text = String::new();
    let number = |value: &serde_json::Value| value.as_u64().unwrap() as usize;
    for step in finding["steps"].as_array().unwrap() {
        if step["importance"] != "essential" {
            continue;
        }
        let indent = " ".repeat(4 * number(&step["depth"]));
        let (line, words) = (number(&step["line"]), step["text"].as_str().unwrap());
        let function = step["function"].as_str().unwrap();
        text.push_str(&format!("{indent}{function}:{line} {words}\n"));
    }
    for call in finding["called"].as_array().unwrap() {
        text.push_str(&format!("called {}\n", number(&call["line"])));
    }
    text
}

/// The one finding of a fixture.
fn path(fixture: &str, expected: Expect) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/fixtures/whole");
    let text = std::fs::read_to_string(folder.join(fixture)).unwrap();
    let name = fixture.rsplit('/').next().unwrap();
    let project = Project::new(&[(name, &text)]);
    let report = report(&project, &[name]);
    let findings = report["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{fixture}");
    expected.assert_eq(&steps(&findings[0]));
}

#[test]
fn returned_one_call_down() {
    path(
        "returned/one-call-bug.c",
        expect![[r#"
            one_call:15 p = find(n)
                find:9 n < 0
                find:10 returns NULL
            one_call:16 p dereferenced
        "#]],
    );
}

#[test]
fn returned_three_calls_down() {
    path(
        "returned/three-calls-bug.c",
        expect![[r#"
            three_calls:24 p = find_first(n)
                find_first:19 found = find_second(n)
                    find_second:15 calls find_third(n)
                        find_third:9 n < 0
                        find_third:10 returns NULL
                    find_second:15 returns find_third(n)
                find_first:20 returns found
            three_calls:25 p dereferenced
        "#]],
    );
}

#[test]
fn passed_three_calls_down() {
    path(
        "passed/three-calls-bug.c",
        expect![[r#"
            three_calls:20 calls first(n, NULL)
                first:16 calls second(p, n & 7) where p is NULL
                    second:12 calls third(p, n + 1) where p is NULL
                        third:8 p dereferenced
            called 12
            called 16
            called 20
        "#]],
    );
}

#[test]
fn set_on_one_way_only() {
    path(
        "out-parameter/result-ignored-bug.c",
        expect![[r#"
            result_ignored:11 digit is declared without a value
            result_ignored:12 calls parse(n, &digit)
                parse:4 n < 0
            result_ignored:13 digit used
        "#]],
    );
}

#[test]
fn set_through_a_copy_on_one_way_only() {
    path(
        "out-parameter/copied-pointer-bug.c",
        expect![[r#"
            copied_pointer:11 twice is declared without a value
            copied_pointer:12 calls scale(n, &twice)
                scale:4 n <= 0
                scale:4 returns
            copied_pointer:13 twice used
        "#]],
    );
}

#[test]
fn an_index_through_a_struct() {
    path(
        "index/by-pointer-bug.c",
        expect![[r#"
            by_pointer:13 the bytes at &t become 0
            by_pointer:14 t.cells[0] = n
            by_pointer:15 t.index = 12
            by_pointer:16 calls get(&t)
                get:9 t->cells[t->index] accessed
            called 16
        "#]],
    );
}

#[test]
fn a_divisor_two_calls_down() {
    path(
        "divisor/two-calls-bug.c",
        expect![[r#"
            two_calls:13 calls relative(n, 5, 5)
                relative:8 calls ratio(a, high - low)
                    ratio:4 divided by b
            called 8
            called 13
        "#]],
    );
}

#[test]
fn through_recursion() {
    path(
        "recursion/passed-down-bug.c",
        expect![[r#"
            passed_down:14 calls walk(NULL, 2)
                walk:10 calls walk(p, n - 1) where p is NULL
                    walk:10 calls walk(p, n - 1) where p is NULL
                        walk:9 p dereferenced
            called 10
            called 10
            called 14
        "#]],
    );
}

#[test]
fn through_functions_that_call_each_other() {
    path(
        "recursion/mutual-passed-bug.c",
        expect![[r#"
            mutual_passed:18 calls odd(NULL, 1)
                odd:14 calls even(p, n - 1) where p is NULL
                    even:7 p dereferenced
            called 14
            called 18
        "#]],
    );
}

#[test]
fn through_a_callback() {
    path(
        "callbacks/pointer-field-bug.c",
        expect![[r#"
            pointer_field:21 calls run(&h, NULL)
                run:14 calls h->handle(p) where p is NULL
                    follow:9 p dereferenced
            called 14
            called 21
        "#]],
    );
}

#[test]
fn past_an_exception() {
    path(
        "exceptions/throws-when-null-bug.cpp",
        expect![[r#"
            throws_when_null:9 p = NULL
            throws_when_null:11 require(p) throws
            throws_when_null:14 p dereferenced
        "#]],
    );
}

const HEADER: &str = "\
struct node { int value; };
struct node *find(int n);
int value_of(const struct node *p);
";

/// Two functions for others, which lean on helpers that nobody else sees.
const NODES: &str = "\
#include \"nodes.h\"
static struct node pool[4];
static struct node *checked(int n)
{
    return n >= 0 && n < 4 ? &pool[n] : 0;
}
struct node *find(int n)
{
    return checked(n);
}
static int inner(const struct node *p)
{
    return p->value;
}
int value_of(const struct node *p)
{
    return inner(p);
}
";

/// With a helper of its own that has the name of the other file's.
const MAIN: &str = "\
#include \"nodes.h\"
static int inner(const struct node *p)
{
    return p ? p->value : 0;
}
int use(int n)
{
    struct node *p = find(n);
    return p->value;
}
int pass(void)
{
    return inner(0) + value_of(0);
}
";

fn found(nodes: &str, main: &str) -> Vec<String> {
    let project = Project::new(&[("nodes.h", HEADER), ("nodes.c", nodes), ("main.c", main)]);
    let report = report(&project, &["main.c", "nodes.c"]);
    let one = |f: &serde_json::Value| {
        let last = f["steps"].as_array().unwrap().iter();
        let depth = last.map(|s| s["depth"].as_u64().unwrap()).max().unwrap();
        let (file, rule) = (f["file"].as_str().unwrap(), f["rule"].as_str().unwrap());
        format!("{file}:{} {rule}, {depth} calls deep", f["line"])
    };
    let findings = report["findings"].as_array().unwrap();
    findings.iter().map(one).collect()
}

#[test]
fn errors_come_through_static_helpers_of_another_file() {
    assert_eq!(
        found(NODES, MAIN),
        [
            "main.c:9 null-dereference, 2 calls deep",
            "nodes.c:13 null-dereference, 2 calls deep"
        ]
    );
}

#[test]
fn helpers_of_another_file_keep_errors_away() {
    let default = NODES.replace(": 0;", ": &pool[0];");
    assert_eq!(
        found(&default, MAIN),
        ["nodes.c:13 null-dereference, 2 calls deep"]
    );
    let asks = NODES.replace("return p->value;", "return p ? p->value : 0;");
    assert_eq!(
        found(&asks, MAIN),
        ["main.c:9 null-dereference, 2 calls deep"]
    );
    // The caller's own helper is another function: what it asks says nothing of its namesake.
    let own = MAIN.replace(" + value_of(0)", "");
    assert_eq!(found(&default, &own), [""; 0]);
}

#[test]
fn the_readme_shows_one() {
    let main = MAIN.replace("inner(0) + ", "");
    let project = Project::new(&[("nodes.h", HEADER), ("nodes.c", NODES), ("main.c", &main)]);
    let said = project.rigel(&["check", "main.c", "nodes.c"]);
    let finding = said.split("\n\n").find(|f| f.contains("in inner()"));
    let lines = finding.unwrap().lines();
    let shown: Vec<String> = lines.map(|line| format!("    {line}")).collect();
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    assert!(readme.contains(&shown.join("\n")), "{}", shown.join("\n"));
}
