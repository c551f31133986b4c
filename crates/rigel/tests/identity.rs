//! A finding keeps its identity while the program around it changes.

mod common;

use engine::{ErrorPath, explain};
use report::{Location, Verdict, fingerprint};

/// Line, condition and fingerprint of every null check of `main`, in a program with this text.
fn null_checks(text: &str) -> Vec<(u32, String, String)> {
    let project = common::Project::new(&[("a.c", text)]);
    let (mut program, _) = ir::link::link(common::lower(project.path(), "a.c"));
    rules::instrument(&mut program, rules::Selection::all());
    let function = program.find_function("main").unwrap();
    let body = program.functions[function].body.as_ref().unwrap();
    let mut found = Vec::new();
    for (edge, e) in body.edges().iter() {
        let ir::Stmt::Check(check) = e.stmt else {
            continue;
        };
        if program.name(body.checks[check].rule) != "null-dereference" {
            continue;
        }
        let error = ErrorPath::new(function, check, vec![edge]);
        let places = |span: ir::Span| Location::new("a.c", span.line, span.column);
        let finding = explain::finding(&program, &error, Verdict::May, &places);
        let condition = finding.fingerprint_parts.condition.clone();
        found.push((finding.location.line, condition, fingerprint(&finding)));
    }
    found
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
    let before = null_checks(PROGRAM);
    let moved = format!("/* one\n   two */\nint other(int a) {{ return a; }}\n{PROGRAM}");
    let after = null_checks(&moved);
    let [(5, condition, before)] = before.as_slice() else {
        panic!("{before:?}");
    };
    let [(8, _, after)] = after.as_slice() else {
        panic!("{after:?}");
    };
    assert_eq!(condition, "p != null");
    assert_eq!(before, after);
}

#[test]
fn equal_conditions_of_a_function_are_told_apart() {
    let twice = PROGRAM.replace("    return *p;", "    if (p) *p = 1;\n    return *p;");
    let before = null_checks(PROGRAM);
    let after = null_checks(&twice);
    let [first, second] = after.as_slice() else {
        panic!("{after:?}");
    };
    assert_eq!(first.1, second.1);
    assert_ne!(first.2, second.2);
    // The first of its kind is what the only one was.
    assert_eq!(before[0].2, first.2);
}
