//! Whatever is wrong with the input: one clear line each, exit code 2, and the rest is still done.

mod common;

use common::Project;
use expect_test::{Expect, expect};

/// Without a check: what becomes of checks is not the business of these tests.
const GOOD: &str = "int twice(int x) { return (int)(2u * (unsigned)x); }\n";

fn check(project: &Project, args: &[&str], expected: Expect) {
    expected.assert_eq(&project.rigel(args));
}

#[test]
fn a_file_that_does_not_exist() {
    let project = Project::new(&[("good.c", GOOD)]);
    check(
        &project,
        &["check", "missing.c"],
        expect![[r#"
            ! rigel: error: missing.c: no such file (is the name right? it is read from the current directory)
            ! 0 units (1 failed), nothing was analysed · TIME
            = exit 2
        "#]],
    );
    check(
        &project,
        &["check", "missing.c", "good.c"],
        expect![[r#"
            ! rigel: error: missing.c: no such file (is the name right? it is read from the current directory)
            ! 1 unit (1 failed), 1 function, 0 checks: 0 proved, 0 latent, 0 refuted, 0 reported · TIME
            = exit 2
        "#]],
    );
}

#[test]
fn the_report_of_the_last_run_stays_until_there_is_a_new_one() {
    let project = Project::new(&[("good.c", GOOD), ("old.txt", "the last report\n")]);
    project.rigel(&[
        "check",
        "good.c",
        "--rules",
        "no-such-rule",
        "-o",
        "old.txt",
    ]);
    assert_eq!(project.read("old.txt"), "the last report\n");
    project.rigel(&[
        "check",
        "good.c",
        "--rules",
        "no-such-rule",
        "-o",
        "new.txt",
    ]);
    assert!(!project.path().join("new.txt").exists());
    project.rigel(&["check", "good.c", "-o", "old.txt"]);
    assert_eq!(project.read("old.txt"), "");
}

#[test]
fn a_file_that_does_not_compile() {
    let project = Project::new(&[("good.c", GOOD), ("bad.c", "int f(void) { return x }\n")]);
    check(
        &project,
        &["check", "bad.c", "good.c"],
        expect![[r#"
            ! rigel: error: bad.c: does not compile: bad.c:1:22: error: use of undeclared identifier 'x'
            ! 1 unit (1 failed), 1 function, 0 checks: 0 proved, 0 latent, 0 refuted, 0 reported · TIME
            = exit 2
        "#]],
    );
}

#[test]
fn a_file_whose_header_is_missing() {
    let project = Project::new(&[("good.c", GOOD), ("h.c", "#include \"missing.h\"\n")]);
    check(
        &project,
        &["check", "h.c", "good.c"],
        expect![[r#"
            ! rigel: error: h.c: does not compile: h.c:1:10: fatal error: 'missing.h' file not found (pass the flags of its build: -p DIR, or -- -I…)
            ! 1 unit (1 failed), 1 function, 0 checks: 0 proved, 0 latent, 0 refuted, 0 reported · TIME
            = exit 2
        "#]],
    );
}

#[test]
fn files_that_are_no_c() {
    let project = Project::new(&[
        ("good.c", GOOD),
        ("notes.txt", "buy milk\n"),
        ("poem.c", "Shall I compare thee to a summer's day?\n"),
    ]);
    std::fs::write(
        project.path().join("binary.c"),
        [0u8, 159, 146, 150, 255].repeat(100),
    )
    .unwrap();
    check(
        &project,
        &["check", "notes.txt", "poem.c", "binary.c", "good.c"],
        expect![[r#"
            ! rigel: error: notes.txt: not a C or C++ source file (name the sources that include it; or say what it is: -- -x c)
            ! rigel: error: poem.c: does not compile: poem.c:1:1: error: unknown type name 'Shall'
            ! rigel: error: binary.c: does not compile: binary.c:1:2: error: source file is not valid UTF-8 (not a text file? leave it out; text in another encoding: convert it with iconv)
            ! 1 unit (3 failed), 1 function, 0 checks: 0 proved, 0 latent, 0 refuted, 0 reported · TIME
            = exit 2
        "#]],
    );
}

#[test]
fn an_empty_file_is_valid_c() {
    let project = Project::new(&[("empty.c", "")]);
    check(
        &project,
        &["check", "empty.c"],
        expect![[r#"
        ! 1 unit, nothing to analyse: no function has a body · TIME
        = exit 0
    "#]],
    );
}

#[test]
fn databases_that_are_none() {
    let project = Project::new(&[
        ("good.c", GOOD),
        ("empty/compile_commands.json", "[]"),
        ("blank/compile_commands.json", ""),
        ("broken/compile_commands.json", "[{\"directory\": \"@\","),
        (
            "wrong/compile_commands.json",
            "[{\"directory\": \"@\", \"file\": \"good.c\"}]",
        ),
        ("nothing/there", ""),
    ]);
    for (database, expected) in [
        (
            "empty",
            expect![[r#"
            ! rigel: error: empty/compile_commands.json: has no compilation of a C or C++ file (write it anew: run cmake again, or `make clean` and `rigel build -- make`)
            = exit 2
        "#]],
        ),
        (
            "blank",
            expect![[r#"
            ! rigel: error: blank/compile_commands.json: has no compilation of a C or C++ file (write it anew: run cmake again, or `make clean` and `rigel build -- make`)
            = exit 2
        "#]],
        ),
        (
            "broken",
            expect![[r#"
            ! rigel: error: broken/compile_commands.json:1:33: not a compile database: EOF while parsing a value (write it anew: run cmake again, or `rigel build -- make`)
            = exit 2
        "#]],
        ),
        (
            "wrong",
            expect![[r#"
            ! rigel: error: wrong/compile_commands.json: entry 1: has neither `arguments` nor `command` (write it anew: run cmake again, or `rigel build -- make`)
            ! 0 units (1 failed), nothing was analysed · TIME
            = exit 2
        "#]],
        ),
        (
            "nothing",
            expect![[r#"
            ! rigel: error: nothing: no compile_commands.json there (make one with `cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON`, or record the build: `rigel build -- make`)
            = exit 2
        "#]],
        ),
        (
            "nowhere",
            expect![[r#"
            ! rigel: error: nowhere: no compile_commands.json there (make one with `cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON`, or record the build: `rigel build -- make`)
            = exit 2
        "#]],
        ),
    ] {
        check(&project, &["check", "-p", database], expected);
    }
}

#[test]
fn a_database_with_one_bad_unit() {
    let project = Project::new(&[
        ("good.c", GOOD),
        ("h.c", "#include <missing.h>\n"),
        (
            "compile_commands.json",
            r#"[{"directory": "@", "file": "h.c", "command": "gcc -c h.c -fipa-pta --param x=1"},
                {"directory": "@", "file": "gone.c", "command": "gcc -c gone.c"},
                {"directory": "@", "file": "good.c", "command": "gcc -c good.c"}]"#,
        ),
    ]);
    check(
        &project,
        &["check"],
        expect![[r#"
            ! rigel: error: gone.c (named in compile_commands.json): no such file (if the build generates it, build first; else write compile_commands.json anew)
            ! rigel: note: left out what clang does not know or rigel does not model: --param x=1, -fipa-pta
            ! rigel: error: h.c: does not compile: h.c:1:10: fatal error: 'missing.h' file not found (its flags came from compile_commands.json: if they are out of date, write it anew; is the header generated by the build?)
            ! 1 unit (2 failed), 1 function, 0 checks: 0 proved, 0 latent, 0 refuted, 0 reported · TIME
            = exit 2
        "#]],
    );
}

#[test]
fn nothing_named() {
    let project = Project::new(&[("good.c", GOOD)]);
    check(
        &project,
        &["check"],
        expect![[r#"
        ! rigel: error: nothing to analyse: no FILE given, and no compile_commands.json here or above (name files, give -p BUILD_DIR, or record the build: `rigel build -- make`)
        = exit 2
    "#]],
    );
}

#[test]
fn clang_is_not_there() {
    let project = Project::new(&[("good.c", GOOD)]);
    let nowhere = [("PATH", "/nowhere")];
    expect![[r#"
        ! rigel: error: clang-19 is not installed (install clang 19: `apt-get install clang-19`, or name one in RIGEL_CLANG)
        = exit 2
    "#]].assert_eq(&project.rigel_with(&["check", "good.c"], &nowhere));
    let named = [("RIGEL_CLANG", "/opt/none/clang")];
    expect![[r#"
        ! rigel: error: RIGEL_CLANG names /opt/none/clang, which is not there (name a clang 19, or unset it)
        = exit 2
    "#]].assert_eq(&project.rigel_with(&["check", "good.c"], &named));
}

#[test]
fn the_worker_is_not_there() {
    let project = Project::new(&[("good.c", GOOD)]);
    let named = [("RIGEL_FRONT", "/opt/none/rigel-front")];
    expect![[r#"
        ! rigel: error: RIGEL_FRONT names /opt/none/rigel-front, which is not there (unset it)
        = exit 2
    "#]]
    .assert_eq(&project.rigel_with(&["check", "good.c"], &named));
}

#[test]
fn bad_flags() {
    let project = Project::new(&[("good.c", GOOD)]);
    check(
        &project,
        &["check", "good.c", "--precision", "4"],
        expect![[r#"
            ! rigel: error: invalid value '4' for '--precision <N>': 4 is not in 0..=3 (see `rigel --help`)
            = exit 2
        "#]],
    );
    check(
        &project,
        &["check", "good.c", "--rules", "null-derefrence"],
        expect![[r#"
            ! rigel: error: --rules: there is no rule `null-derefrence`, did you mean `null-dereference`?; `rigel rules` lists them
            = exit 2
        "#]],
    );
    check(
        &project,
        &["check", "good.c", "--rules", ""],
        expect![[r#"
            ! rigel: error: --rules: the list is empty (name rules, or `all`; `rigel rules` lists them)
            = exit 2
        "#]],
    );
    check(
        &project,
        &["check", "good.c", "--format", "xml"],
        expect![[r#"
            ! rigel: error: invalid value 'xml' for '--format <FORMAT>' [possible values: text, json, sarif] (see `rigel --help`)
            = exit 2
        "#]],
    );
    check(
        &project,
        &["check", "good.c", "-o", "no/such/dir/out"],
        expect![[r#"
            ! rigel: error: -o no/such/dir/out: cannot be written: No such file or directory (os error 2)
            = exit 2
        "#]],
    );
    // It is said before anything is read, or built.
    check(
        &project,
        &["check", "missing.c", "-o", "no/such/dir/out"],
        expect![[r#"
            ! rigel: error: -o no/such/dir/out: cannot be written: No such file or directory (os error 2)
            = exit 2
        "#]],
    );
    check(
        &project,
        &["build", "-o", "no/such/dir/out", "--", "touch", "built"],
        expect![[r#"
            ! rigel: error: -o no/such/dir/out: cannot be written: No such file or directory (os error 2)
            = exit 2
        "#]],
    );
    assert!(!project.path().join("built").exists());
    check(
        &project,
        &["check", "good.c", "-o", "."],
        expect![[r#"
            ! rigel: error: -o .: cannot be written: Is a directory (os error 21)
            = exit 2
        "#]],
    );
    check(
        &project,
        &["rules", "no-such-rule"],
        expect![[r#"
        ! rigel: error: there is no rule `no-such-rule`; `rigel rules` lists them
        = exit 2
    "#]],
    );
    check(
        &project,
        &["build", "--", "no-such-build-tool"],
        expect![[r#"
            ! rigel: error: cannot start `no-such-build-tool`: No such file or directory (os error 2)
            = exit 2
        "#]],
    );
    check(
        &project,
        &["build", "--", "true"],
        expect![[r#"
        ! rigel: error: no C or C++ compilation was seen in `true`: it started no compiler that rigel stands in for (if all was up to date, clean first: `make clean`; if the build names its compiler by an absolute path, pass CC=gcc CXX=g++)
        = exit 2
    "#]],
    );
    check(
        &project,
        &["run", "good.c"],
        expect![[r#"
        ! rigel: error: there is no function main to run
        = exit 2
    "#]],
    );
}

#[test]
fn units_that_disagree_are_warned_about() {
    let project = Project::new(&[
        ("good.c", GOOD),
        (
            "user.c",
            "int twice(char *); int user(char *p) { return twice(p); }\n",
        ),
    ]);
    let said = project.rigel(&["check", "good.c", "user.c"]);
    assert!(said.contains("! rigel: warning: `twice` "), "{said}");
}

#[test]
fn headers_are_read_as_text_whatever_lies_beside_them() {
    let project = Project::new(&[
        ("src/a.c", "int f(void) { return LIMIT; }\n"),
        ("inc/h.h", "#define LIMIT 3\n"),
        ("inc/h.h.pch", "no precompiled header"),
        ("inc/h.h.gch", "no precompiled header"),
        ("out/there", ""),
        (
            "compile_commands.json",
            r#"[{"directory": "@/out", "file": "../src/a.c", "command": "clang -include ../inc/h.h -c ../src/a.c"},
                {"directory": "@/out", "file": "../inc/h.h", "command": "clang -x c-header ../inc/h.h"}]"#,
        ),
    ]);
    let said = project.rigel(&["check"]);
    assert!(said.contains("1 unit, 1 function"), "{said}");
    assert!(said.ends_with("= exit 0\n"), "{said}");
}
