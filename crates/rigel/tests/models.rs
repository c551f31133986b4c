//! Model files: what functions do that have no source, said by the user (`--models`).

mod common;

use common::Project;
use expect_test::expect;

/// The primitives of the paper (dual.txt, Fig. 2), and what libraries are like.
const MODELS: &str = r#"#include <stddef.h>

int divide(int x, int y) where { OK: y != 0 && res == x / y, ERR: y == 0 }

void update(int *a, int i, int v)
    where { ERR: i < 0 || 4 * i + 4 > len(a) }

/* Comes back with -1, or how many it wrote. */
int device_read(char *to, int n)
    where { OK: -1 <= res && res <= n,
            ERR: n <= 0 || n > len(to) }

void next_of(int *at) where { OK: new(*at) == *at + 1 }

void check_version(int v) where { EXIT: v != 3 }

int odd(int n) where { OK: n > 0 && res == n, ERR: n == 13 }
"#;

const DECLARED: &str = r#"int divide(int, int);
void update(int *, int, int);
int device_read(char *, int);
void next_of(int *);
void check_version(int);
int odd(int);
"#;

fn check(source: &str) -> String {
    let source = format!("{DECLARED}{source}");
    let project = Project::new(&[("a.c", &source), ("m.model", MODELS)]);
    project.rigel(&["check", "--models", "m.model", "a.c"])
}

#[test]
fn what_a_model_forbids_is_an_error_of_the_caller() {
    expect![[""]].assert_eq(&check(
        "int f(int a, int n) {\n    int d = 0;\n    if (n > 3)\n        d = a;\n    return divide(a, d);\n}\n",
    ));
}

#[test]
fn room_is_asked_for() {
    expect![[""]].assert_eq(&check(
        "int f(void) {\n    char header[16];\n    return device_read(header, 32);\n}\nvoid g(void) {\n    int a[4];\n    for (int i = 0; i <= 4; i++)\n        update(a, i, 0);\n}\n",
    ));
}

#[test]
fn what_the_models_allow_is_silent() {
    expect![[""]].assert_eq(&check(
        r#"int f(int a) {
    char header[16];
    int d = 2, a2[8];
    int n = device_read(header, sizeof header);
    if (n < 0)
        return -1;
    if (n > 16)
        return 1 / (d - 2);             /* never more than there is room for */
    for (int i = 0; i < 8; i++)
        update(a2, i, a);
    check_version(a);
    if (a != 3)
        return 1 / (d - 2);             /* it would not have come back */
    next_of(&d);
    if (d != 3)
        return 1 / (d - d);             /* 2 and 1 */
    return divide(a, d);
}
"#,
    ));
}

#[test]
fn a_result_that_the_model_allows_must_be_reckoned_with() {
    expect![[""]].assert_eq(&check(
        "int f(void) {\n    char header[16];\n    int n = device_read(header, 16);\n    return header[n];\n}\n",
    ));
}

#[test]
fn inputs_that_may_fail_are_not_sure_to() {
    expect![[""]].assert_eq(&check("int f(void) {\n    return odd(13);\n}\n"));
}

#[test]
fn summaries_know_models() {
    let source = format!("{DECLARED}int f(int n) {{ return divide(10, n - 1); }}\n");
    let project = Project::new(&[("a.c", &source), ("m.model", MODELS)]);
    let args = ["summary", "--models", "m.model", "a.c", "--function", "f"];
    expect![[""]].assert_eq(&project.rigel(&args));
}

#[test]
fn what_the_program_defines_is_no_models_affair() {
    let source = "int divide(int x, int y) { return y ? x / y : 0; }\nint f(void) { return divide(1, 0); }\n";
    let project = Project::new(&[("a.c", source), ("m.model", MODELS)]);
    expect![[""]].assert_eq(&project.rigel(&["check", "--models", "m.model", "a.c"]));
}

#[test]
fn mistakes_in_models_are_said_and_the_rest_is_checked() {
    let source = "int f(void) { int a = 0; return 1 / a; }\n";
    for (name, model) in [
        ("label.model", "\nint g(int n) where { FAIL: n }\n"),
        ("name.model", "int g(int n) where { ERR: m == 0 }\n"),
        ("gone.model", ""),
    ] {
        let mut files = vec![("a.c", source)];
        if !model.is_empty() {
            files.push((name, model));
        }
        let project = Project::new(&files);
        let said = project.rigel(&["check", "--models", name, "a.c"]);
        let said: Vec<&str> = said.lines().filter(|l| l.contains("model")).collect();
        let wanted = match name {
            "label.model" => expect![[""]],
            "name.model" => expect![[""]],
            _ => expect![[""]],
        };
        wanted.assert_eq(&said.join("\n"));
        assert_eq!(
            project
                .output(&["check", "--models", name, "a.c"], &[])
                .status
                .code(),
            Some(2)
        );
    }
}

#[test]
fn an_edit_of_a_model_counts() {
    let source = format!("{DECLARED}int f(void) {{ return odd(13); }}\n");
    let project = Project::new(&[("a.c", &source), ("m.model", MODELS)]);
    let args = ["check", "--models", "m.model", "a.c", "--cache", "kept"];
    let code = |args: &[&str]| project.output(args, &[]).status.code();
    assert_eq!(code(&args), Some(1));
    assert_eq!(code(&args), Some(1));
    project.write("m.model", &MODELS.replace("n == 13", "n == 14"));
    assert_eq!(code(&args), Some(0));
    project.write("m.model", MODELS);
    assert_eq!(code(&args), Some(1));
}
