//! The options of `rigel check`: they are understood, and the report comes out in every form.

mod common;

use common::Project;
use expect_test::expect;
use serde_json::Value;

/// No check, so that nothing here depends on what an analysis can prove.
const CLEAN: &str = "unsigned twice(unsigned x) { return x + x; }\n";

fn project() -> Project {
    Project::new(&[("a.c", CLEAN)])
}

#[test]
fn every_search_has_the_same_to_say_about_nothing() {
    let project = project();
    for search in ["dfs", "covering", "differencing"] {
        for aggregate in ["on", "off"] {
            let args = ["check", "a.c", "--search", search, "--aggregate", aggregate];
            assert_eq!(
                project.rigel(&args),
                "! 1 unit, 1 function, 0 checks: 0 proved, 0 latent, 0 refuted, 0 reported · TIME\n\
                 = exit 0\n"
            );
        }
    }
}

#[test]
fn further_options_are_understood() {
    let project = project();
    for args in [
        &["--noreturn", "fatal", "--noreturn", "die"][..],
        &["--precision", "0"],
        &["--precision", "3"],
        &["--latent", "--verbose", "--path", "full"],
        &["--color", "always"],
        &["--jobs", "1"],
    ] {
        let all: Vec<&str> = ["check", "a.c"].iter().chain(args).copied().collect();
        let said = project.rigel(&all);
        assert!(said.ends_with("= exit 0\n"), "{args:?}: {said}");
    }
}

/// Its body comes back, but the user knows better.
#[test]
fn loops_that_end_the_program_are_not_endless() {
    let source = "void die(void) { }\n\
                  void f(unsigned n) { for (unsigned i = n; i >= 0; i--) if (i == 3) die(); }\n\
                  int main(int c, char **v) { f(c); return 0; }\n";
    let project = Project::new(&[("a.c", source)]);
    let said = project.rigel(&["check", "a.c"]);
    assert!(said.contains("[infinite-loop]"), "{said}");
    let said = project.rigel(&["check", "a.c", "--noreturn", "die"]);
    assert!(said.ends_with("= exit 0\n"), "{said}");
}

/// Whoever returns with an address that dangles comes back: what is behind the call happens. (So it is no fixture: two errors.)
#[test]
fn what_comes_behind_an_error_that_ends_no_run_is_looked_at() {
    let source = "static int *kept;\n\
                  static int *pick(int *a) { int own = 3; kept = &own; return a; }\n\
                  int f(int n) { int x = 1; int *q = pick(&x); *q = 0; return n / x; }\n\
                  int main(int c, char **v) { return f(c); }\n";
    let project = Project::new(&[("a.c", source)]);
    let said = project.rigel(&["check", "a.c"]);
    let must = |line: &str| line.contains("error[dangling-return]") && line.ends_with("must");
    assert!(said.lines().any(must), "{said}");
    assert!(said.contains("[division-by-zero]"), "{said}");
}

/// The interpreter cannot run it, so that it is no fixture: who is null there is up to the assembly.
#[test]
fn assembly_may_write_what_it_says_it_does() {
    let source = "int given;\n\
                  int main(void) {\n\
                    int *p = 0; int x = 1;\n\
                    given = 0;\n\
                    __asm__ volatile(\"movl $1, given\" ::: \"memory\");\n\
                    if (given) p = &x;\n\
                    return *p;\n\
                  }\n";
    let project = Project::new(&[("a.c", source)]);
    let said = project.rigel(&["check", "a.c"]);
    assert!(said.contains("warning[null-dereference]"), "{said}");
    let certain = source.replace("__asm__ volatile(\"movl $1, given\" ::: \"memory\");", "");
    let project = Project::new(&[("a.c", &certain)]);
    let said = project.rigel(&["check", "a.c"]);
    assert!(said.contains("error[null-dereference]"), "{said}");
}

/// What runs before main may have set globals: what is certain of it is certain only where it did not.
#[test]
fn main_does_not_begin_with_initial_values_where_something_runs_before_it() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../rules/fixtures");
    for name in ["ok_init_array_flag.c", "ok_ifunc_flag.c"] {
        let source = std::fs::read_to_string(format!("{fixtures}/null-dereference/{name}"));
        let project = Project::new(&[("a.c", &source.unwrap())]);
        let said = project.rigel(&["check", "a.c"]);
        assert!(said.contains("= when    ready == 0 "), "{name}: {said}");
    }
}

#[test]
fn json_has_the_functions() {
    let output = project().output(&["check", "a.c", "--format", "json"], &[]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["findings"].as_array().unwrap().len(), 0);
    assert_eq!(report["functions"][0]["function"], "twice");
    assert_eq!(report["summary"]["functions"], 1);
    assert!(report.get("stats").is_none());
    assert!(report.get("run").is_none(), "nothing was run");
}

#[test]
fn sarif_says_how_the_run_went() {
    let project = project();
    let output = project.output(&["check", "a.c", "gone.c", "--format", "sarif"], &[]);
    assert_eq!(output.status.code(), Some(2));
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["exitCode"], 2);
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["arguments"][1], "a.c");
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), 0);
}

#[test]
fn statistics_have_the_table_the_classes_and_the_search() {
    let project = project();
    let said = project.rigel(&["check", "a.c", "--stats"]);
    let line = |start: &str| {
        let found = said.lines().find(|l| l.starts_with(start));
        found.unwrap_or_else(|| panic!("no `{start}`: {said}"))
    };
    assert_eq!(line("! twice"), "! twice     a.c:1       0");
    assert_eq!(
        line("! checks"),
        "! checks       0: 0 proved, 0 latent, 0 refuted, 0 reported, 0 undecided"
    );
    assert!(line("! search").contains(" grey, "), "{said}");
    let output = project.output(&["check", "a.c", "--stats", "--format", "json"], &[]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["stats"]["search"]["grey"].is_u64());
    assert_eq!(report["stats"]["functions_defined"], 1);
}

/// Each of the constructs once or twice, in functions of their own.
const INEXACT: &str = "\
#include <setjmp.h>
extern int elsewhere(int);
static jmp_buf back;
int jump(void)
{
    if (setjmp(back))
        return 1;
    longjmp(back, 1);
}
int pointer(int (*f)(long double)) { return f(1) + elsewhere(2); }
int assembly(void)
{
    int out;
    asm(\"mov $1, %0\" : \"=r\"(out));
    return out + elsewhere(out);
}
int floats(double d)
{
    int *p = 0;
    if (d * d > 2.0)
        return *p;
    return 0;
}
";

#[test]
fn what_is_not_exact_is_named_with_its_number() {
    let project = Project::new(&[("a.c", INEXACT)]);
    let said = project.rigel(&["check", "a.c", "--verbose"]);
    let table: Vec<&str> = said
        .lines()
        .skip_while(|line| !line.starts_with("! not exact:"))
        .take_while(|line| !line.starts_with("! 1 unit"))
        .collect();
    assert_eq!(
        table[..5],
        [
            "! not exact:         1  setjmp: what changed before the jump back is not seen (in 1 function)",
            "!                    1  longjmp: taken to end the run (in 1 function)",
            "!                    1  calls through pointers to which no function in view fits (in 1 function)",
            "!                    2  calls of functions that are not in view (in 2 functions)",
            "!                    1  inline assembly: its outputs may be anything (in 1 function)",
        ],
        "{said}"
    );
    // The product, and the comparison of it.
    assert!(
        table[5].ends_with("  results of floating-point arithmetic (on the paths of level 2)"),
        "{said}"
    );
    assert_eq!(table.len(), 6, "{said}");
    let json = project.output(&["check", "a.c", "--verbose", "--format", "json"], &[]);
    let report: Value = serde_json::from_slice(&json.stdout).unwrap();
    let table = &report["not_exact"];
    assert_eq!(table["unknown_functions"]["number"], 2);
    assert_eq!(table["unknown_functions"]["functions"], 2);
    assert!(table["floats"]["number"].as_u64().unwrap() > 0);
    assert_eq!(table["floats"]["functions"], Value::Null);
    assert!(table.get("splits").is_none());

    let plain = project.rigel(&["check", "a.c"]);
    assert!(!plain.contains("not exact"), "{plain}");
    let exact = Project::new(&[("a.c", CLEAN)]).rigel(&["check", "a.c", "--verbose"]);
    assert!(!exact.contains("not exact"), "{exact}");
}

/// `p` is followed before it is found to be null: no run comes to `a[4]`, whether or not null pointers are shown. In `g` the solver
/// is free to choose a null pointer, unless it knows that it was followed.
#[test]
fn what_is_not_shown_is_relied_on() {
    let source = "int f(int *p)
{
    int a[4] = {0};
    int x = *p;
    if (p == 0)
        a[4] = x;
    return a[0];
}

int g(int *p, int n)
{
    int a[4] = {0};
    int i = *p;
    if (n == 0)
        i = 4;
    return a[i];
}
";
    let project = Project::new(&[("a.c", source)]);
    expect![[r#"
        error[out-of-bounds]: index `i` is out of bounds of `a` (4 elements)              must
          --> a.c:16:12  in g()
           |
        15 |         i = 4;
           |           - 1  i = 4
        16 |     return a[i];
           |            ^ 2  a[i] accessed
           |
           = when    p != NULL && len(p) >= 4 && n == 0 (then it always fails)
           = id      0ff00d

        ! 1 unit, 2 functions, 5 checks: 1 proved, 3 latent, 0 refuted, 1 reported · TIME
        = exit 1
    "#]]
    .assert_eq(&project.rigel(&["check", "a.c", "--rules", "out-of-bounds", "--verbose"]));
}
