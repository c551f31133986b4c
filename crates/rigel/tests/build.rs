//! `rigel build -- make`: the build must not notice, and the database must be right.

mod common;

use common::Project;
use expect_test::expect;

const MAKEFILE: &str = "\
CFLAGS = -O2 -fno-tree-vectorize -DLIMIT=3
prog: a.o sub/b.o c.o
\t$(CC) -o $@ $^
c.o: c.cc
\tg++ -std=c++17 -c -o $@ $<
";

fn project() -> Project {
    let project = Project::new(&[
        (
            "a.c",
            "int b(void); int c(void);\nint main(void) { return b() + c() - 3; }\n",
        ),
        ("sub/b.c", "int b(void) { return LIMIT - 2; }\n"),
        ("c.cc", "extern \"C\" int c() { return 2; }\n"),
    ]);
    // Not through `write`, which has another use for `@`.
    std::fs::write(project.path().join("Makefile"), MAKEFILE).unwrap();
    project
}

/// (file, arguments) of the recorded database.
fn recorded(project: &Project) -> Vec<(String, String)> {
    let json: serde_json::Value =
        serde_json::from_str(&project.read(".rigel/compile_commands.json")).unwrap();
    json.as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            let words = entry["arguments"].as_array().unwrap();
            let words: Vec<_> = words.iter().map(|w| w.as_str().unwrap()).collect();
            (entry["file"].as_str().unwrap().to_string(), words.join(" "))
        })
        .collect()
}

#[test]
fn a_parallel_build_is_recorded_and_still_builds() {
    let project = project();
    let said = project.rigel(&["build", "--", "make", "-s", "-j2"]);
    expect![[r#"
        ! rigel: note: recorded 3 compilations: .rigel/compile_commands.json
        ! rigel: note: left out what clang does not know or rigel does not model: -fno-tree-vectorize
        ! 3 units, 3 functions, 0 checks: 0 proved, 0 latent, 0 refuted, 0 reported · TIME
        = exit 0
    "#]].assert_eq(&said);
    // The program is there, and does what the compiler made of it.
    let status = std::process::Command::new(project.path().join("prog"))
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(0));
    let expected = [
        ("a.c", "cc -O2 -fno-tree-vectorize -DLIMIT=3 -c -o a.o a.c"),
        ("c.cc", "g++ -std=c++17 -c -o c.o c.cc"),
        (
            "sub/b.c",
            "cc -O2 -fno-tree-vectorize -DLIMIT=3 -c -o sub/b.o sub/b.c",
        ),
    ];
    let expected = expected.map(|(f, a)| (f.to_string(), a.to_string()));
    assert_eq!(recorded(&project), expected);

    // A second build of one file keeps what it knows of the others.
    project.write("sub/b.c", "int b(void) { return LIMIT - 1; }\n");
    std::fs::remove_file(project.path().join("sub/b.o")).unwrap();
    let said = project.rigel(&["build", "--", "make", "-s"]);
    assert!(
        said.contains("recorded 1 compilation, 2 kept from the last recording"),
        "{said}"
    );
    assert_eq!(recorded(&project), expected);

    // A later check finds the recording by itself.
    let said = project.rigel(&["check"]);
    assert!(said.contains("3 units"), "{said}");
}

#[test]
fn a_build_that_fails_is_said_to_fail() {
    let project = project();
    project.write("c.cc", "extern \"C\" int c() { return 2 }\n");
    let output = project.output(&["build", "--", "make", "-s", "-k"], &[]);
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("c.cc:1:"),
        "the compiler's own words: {errors}"
    );
    assert!(
        errors.contains("the build failed with exit code 2"),
        "{errors}"
    );
    assert!(errors.contains("2 units (1 failed)"), "{errors}");
}

#[test]
fn compilers_named_by_path_or_variable_are_recorded() {
    let project = Project::new(&[("a.c", "int main(void) { return 0; }\n")]);
    std::fs::write(
        project.path().join("Makefile"),
        "a: a.c\n\t$(CC) -o $@ $<\n",
    )
    .unwrap();
    for (args, environment) in [
        (
            vec!["build", "--", "make", "-s", "-B", "CC=/usr/bin/gcc -DX"],
            vec![],
        ),
        (
            vec!["build", "--", "make", "-s", "-B", "-e"],
            vec![("CC", "/usr/bin/gcc -DX")],
        ),
        (
            vec!["build", "--", "sh", "-c", "$CC -o a a.c"],
            vec![("CC", "gcc -DX")],
        ),
    ] {
        let said = project.rigel_with(&args, &environment);
        assert!(said.contains("recorded 1 compilation"), "{args:?}: {said}");
        let (file, call) = &recorded(&project)[0];
        assert_eq!(file, "a.c");
        assert!(call.ends_with("gcc -DX -o a a.c"), "{call}");
        std::fs::remove_dir_all(project.path().join(".rigel")).unwrap();
    }
}

#[test]
fn input_output_and_exit_codes_pass_through() {
    let project = Project::new(&[("a.c", "int main(void) { return 0; }\n")]);
    let script =
        "echo 'int x;' | gcc -E -x c - | grep 'int x' && gcc -c a.c && gcc --bad-flag; exit $?";
    let output = project.output(&["build", "--", "sh", "-c", script], &[]);
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("int x;\n"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("the build failed with exit code 1"),
        "{errors}"
    );
    assert_eq!(recorded(&project).len(), 1);
}

#[test]
fn probes_of_configure_are_not_part_of_the_program() {
    let project = Project::new(&[("a.c", "int main(void) { return 0; }\n")]);
    let script = "echo 'int main;' > conftest.c; cc conftest.c; echo 'int t;' > t.c; cc -c t.c; rm t.c; cc -c a.c";
    project.rigel(&["build", "--", "sh", "-c", script]);
    assert_eq!(
        recorded(&project),
        [("a.c".to_string(), "cc -c a.c".to_string())]
    );
}

/// Configures itself as autoconf and CMake do: the path of the compiler goes into the Makefile.
const CONFIGURE: &str = "set -e
printf 'CC=%s\\na: a.c\\n\\t$(CC) -o a a.c\\n' \"${CC:-$(command -v cc)}\" > Makefile
exec make -s -B
";

#[test]
fn a_tree_that_was_configured_in_a_recording_still_builds() {
    for environment in [&[][..], &[("CC", "/usr/bin/gcc")]] {
        let project = Project::new(&[
            ("a.c", "int main(void) { return 0; }\n"),
            ("configure", CONFIGURE),
        ]);
        let said = project.rigel_with(&["build", "--", "sh", "configure"], environment);
        assert!(said.contains("recorded 1 compilation"), "{said}");
        let makefile = project.read("Makefile");
        assert!(makefile.contains("/.rigel/bin/"), "{makefile}");

        // A later build, which knows nothing of rigel.
        std::fs::remove_file(project.path().join("a")).unwrap();
        let make = std::process::Command::new("make")
            .arg("-s")
            .current_dir(project.path())
            .env_remove("MAKEFLAGS")
            .output()
            .unwrap();
        assert!(make.status.success() && make.stderr.is_empty(), "{make:?}");
        assert!(project.path().join("a").exists());

        let recording = project.path().join(".rigel/compile_commands.json");
        std::fs::remove_file(&recording).unwrap();
        let said = project.rigel(&["build", "--", "make", "-s", "-B"]);
        assert!(said.contains("recorded 1 compilation"), "{said}");
        let (file, call) = &recorded(&project)[0];
        assert_eq!(file, "a.c");
        assert!(call.ends_with("cc -o a a.c"), "{call}");
        let logs = std::fs::read_dir(project.path().join(".rigel")).unwrap();
        let logs = logs.flatten().map(|e| e.file_name());
        assert_eq!(
            logs.filter(|n| n.to_string_lossy().contains("calls"))
                .count(),
            0
        );
    }
}

#[test]
fn what_an_interrupted_build_compiled_is_not_lost() {
    let project = Project::new(&[
        ("a.c", "int a(void) { return 0; }\n"),
        ("b.c", "int b(void) { return 0; }\n"),
    ]);
    // As Ctrl-C does: rigel ends before the build does.
    let script = "cc -c a.c; kill -INT $PPID";
    let output = project.output(&["build", "--", "sh", "-c", script], &[]);
    assert_eq!(output.status.code(), None);
    let said = project.rigel(&["build", "--", "cc", "-c", "b.c"]);
    assert!(
        said.contains("recorded 1 compilation, 1 kept from the last recording"),
        "{said}"
    );
    assert_eq!(recorded(&project).len(), 2);
}
