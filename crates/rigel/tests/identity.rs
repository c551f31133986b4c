//! A finding keeps its identity while the program around it changes.

mod common;

use serde_json::Value;

/// The findings of a program with this text.
fn findings(text: &str) -> Vec<Value> {
    let project = common::Project::new(&[("a.c", text)]);
    let output = project.output(&["check", "--format", "json", "a.c"], &[]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["findings"].as_array().unwrap().clone()
}

const PROGRAM: &str = "\
static int *find(void) { return 0; }
int main(void)
{
    int *p = find();
    return *p;
}
";

#[test]
fn moved_lines_do_not_matter() {
    let before = &findings(PROGRAM)[0];
    let moved = format!("/* one\n   two */\nint other(int a) {{ return a; }}\n{PROGRAM}");
    let after = &findings(&moved)[0];
    assert_eq!(before["condition"], "p != null");
    assert_eq!((&before["line"], &after["line"]), (&5.into(), &8.into()));
    assert_eq!(before["fingerprint"], after["fingerprint"]);
    assert_eq!(before["id"], after["id"]);
}

#[test]
fn equal_conditions_of_a_function_are_told_apart() {
    let twice = PROGRAM.replace("    return *p;", "    if (p) *p = 1;\n    return *p;");
    let before = &findings(PROGRAM)[0];
    let after = &findings(&twice)[0];
    // The check that fails is now the second of its kind in the function.
    assert_eq!(before["condition"], after["condition"]);
    assert_ne!(before["fingerprint"], after["fingerprint"]);
}
