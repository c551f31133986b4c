//! Which units a command line means.

use expect_test::{Expect, expect};
use front::Request;
use front::plan::plan;
use std::path::{Path, PathBuf};

/// A directory with these files; `compile_commands.json` may say `@` for the directory.
fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(dir.path()).unwrap();
    for (name, text) in files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text.replace('@', &root.display().to_string())).unwrap();
    }
    dir
}

fn check(dir: &Path, inputs: &[&str], database: Option<&str>, flags: &[&str], expected: Expect) {
    let cwd = std::fs::canonicalize(dir).unwrap();
    let request = Request {
        inputs: inputs.iter().map(PathBuf::from).collect(),
        database: database.map(PathBuf::from),
        flags: flags.iter().map(|s| s.to_string()).collect(),
        cwd: cwd.clone(),
        clang: None,
        models: Vec::new(),
    };
    let mut text = String::new();
    match plan(&request) {
        Err(e) => text = format!("fatal: {e}\n"),
        Ok(plan) => {
            for unit in &plan.units {
                // Up to rigel's own flags.
                let own = unit.job.command.iter().take_while(|w| *w != "-g");
                let own: Vec<_> = own.map(String::as_str).collect();
                text += &format!("{}: {}\n", unit.shown, own.join(" "));
            }
            for error in &plan.errors {
                text += &format!("error: {error}\n");
            }
            for note in &plan.notes {
                text += &format!("note: {note}\n");
            }
        }
    }
    expected.assert_eq(&text.replace(&cwd.display().to_string(), "@"));
}

const DATABASE: &str = r#"[
  {"directory": "@", "file": "src/a.c", "command": "gcc -DA -c src/a.c"},
  {"directory": "@/src", "file": "b.cc", "arguments": ["g++", "-DB", "-fipa-pta", "-c", "b.cc"]},
  {"directory": "@", "file": "src/a.c", "command": "gcc -DA -DPIC -fPIC -c src/a.c"}]"#;

fn with_database() -> tempfile::TempDir {
    project(&[
        ("build/compile_commands.json", DATABASE),
        ("src/a.c", ""),
        ("src/b.cc", ""),
        ("src/alone.c", ""),
        ("src/a.h", ""),
        ("other/sub/z.c", ""),
        ("other/y.cpp", ""),
        ("other/.hidden/x.c", ""),
        ("other/notes.txt", ""),
        ("empty/notes.txt", ""),
    ])
}

#[test]
fn a_whole_database() {
    let dir = with_database();
    for database in [None, Some("build"), Some("build/compile_commands.json")] {
        check(
            dir.path(),
            &[],
            database,
            &[],
            expect![[r#"
                src/a.c: clang-19 -DA
                src/b.cc: clang++-19 -DB
                note: left out what clang does not know or rigel does not model: -fipa-pta
                note: compiled more than once, read with the first flags: src/a.c
            "#]],
        );
    }
}

#[test]
fn files_select_entries() {
    let dir = with_database();
    check(
        dir.path(),
        &["src/b.cc"],
        None,
        &[],
        expect![[r#"
            src/b.cc: clang++-19 -DB
            note: left out what clang does not know or rigel does not model: -fipa-pta
        "#]],
    );
    check(
        dir.path(),
        &["src/alone.c", "src/../src/a.c", "missing.c", "src/a.h"],
        None,
        &[],
        expect![[r#"
            src/alone.c: clang-19
            src/a.c: clang-19 -DA
            error: missing.c: no such file (is the name right? it is read from the current directory)
            error: src/a.h: not a C or C++ source file (name the sources that include it; or say what it is: -- -x c)
            note: src/alone.c: not in build/compile_commands.json: read without flags (give them: -- -I…)
            note: compiled more than once, read with the first flags: src/a.c
        "#]],
    );
}

#[test]
fn flags_behind_two_dashes() {
    let dir = with_database();
    // Alone they are all there is; with -p they are added.
    check(
        dir.path(),
        &["src/b.cc", "src/a.h"],
        None,
        &["-x", "c++", "-Iinc"],
        expect![[r#"
            src/b.cc: clang++-19 -Iinc -x c++
            src/a.h: clang++-19 -Iinc -x c++
        "#]],
    );
    check(
        dir.path(),
        &["src/a.c", "src/alone.c"],
        Some("build"),
        &["-DX"],
        expect![[r#"
            src/a.c: clang-19 -DA -DX
            src/alone.c: clang-19 -DX
            note: compiled more than once, read with the first flags: src/a.c
        "#]],
    );
}

#[test]
fn directories() {
    let dir = with_database();
    check(
        dir.path(),
        &["src", "other", "empty"],
        None,
        &[],
        expect![[r#"
            src/a.c: clang-19 -DA
            src/b.cc: clang++-19 -DB
            other/sub/z.c: clang-19
            other/y.cpp: clang++-19
            error: empty: no C or C++ source file in this directory (name one that has .c, .cc or .cpp files, or the files themselves)
            note: left out what clang does not know or rigel does not model: -fipa-pta
            note: compiled more than once, read with the first flags: src/a.c
        "#]],
    );
}

#[test]
fn nothing_to_go_by() {
    let dir = project(&[("a.c", "")]);
    check(
        dir.path(),
        &[],
        None,
        &[],
        expect![[r#"
            fatal: nothing to analyse: no FILE given, and no compile_commands.json here or above (name files, give -p BUILD_DIR, or record the build: `rigel build -- make`)
        "#]],
    );
    check(
        dir.path(),
        &["a.c"],
        Some("out"),
        &[],
        expect![[r#"
            fatal: out: no compile_commands.json there (make one with `cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON`, or record the build: `rigel build -- make`)
        "#]],
    );
}

#[test]
fn a_broken_database_fails_the_run_but_not_the_files() {
    let dir = project(&[("a.c", ""), ("compile_commands.json", "{")]);
    check(
        dir.path(),
        &["a.c"],
        None,
        &[],
        expect![[r#"
            a.c: clang-19
            error: compile_commands.json:1:1: not a compile database: EOF while parsing an object (write it anew: run cmake again, or `rigel build -- make`)
        "#]],
    );
    let dir = project(&[
        (
            "compile_commands.json",
            r#"[{"directory": "@", "file": "gone.c", "command": "cc gone.c"},
            {"directory": "@/out", "file": "../here.c", "command": "cc ../here.c"}]"#,
        ),
        ("here.c", ""),
    ]);
    // Where a directory is named, it is the file in it that is wrong.
    for database in [None, Some("."), Some("compile_commands.json")] {
        check(
            dir.path(),
            &[],
            database,
            &[],
            expect![[r#"
                error: gone.c (named in compile_commands.json): no such file (if the build generates it, build first; else write compile_commands.json anew)
                error: here.c: the directory that it is compiled in, out, is gone (write compile_commands.json anew)
            "#]],
        );
    }
}

#[test]
fn a_header_of_which_only_the_precompiled_form_is_there() {
    let dir = project(&[
        ("a.c", ""),
        ("b.c", ""),
        ("inc/b.h", ""),
        ("out/a.h.gch", ""),
        ("out/b.h.gch", ""),
        (
            "compile_commands.json",
            r#"[{"directory": "@/out", "file": "../a.c", "command": "cc -include a.h ../a.c"},
            {"directory": "@/out", "file": "../b.c", "command": "cc -I ../inc -include b.h ../b.c"}]"#,
        ),
    ]);
    check(
        dir.path(),
        &[],
        None,
        &[],
        expect![[r#"
            b.c: clang-19 -I ../inc -Xclang -include -Xclang b.h
            error: a.c: it includes a.h, of which only the precompiled a.h.gch is there: rigel reads the text (restore a.h, or build again)
        "#]],
    );
}

#[test]
fn a_bad_entry_fails_the_run_but_not_the_others() {
    let dir = project(&[
        ("a.c", ""),
        (
            "compile_commands.json",
            r#"[{"directory": "@", "file": "a.c", "command": "cc a.c"}, {"directory": "@", "file": 1}]"#,
        ),
    ]);
    for inputs in [&[][..], &["a.c"]] {
        check(
            dir.path(),
            inputs,
            None,
            &[],
            expect![[r#"
                a.c: clang-19
                error: compile_commands.json: entry 2: its `file` is not a string (write it anew: run cmake again, or `rigel build -- make`)
            "#]],
        );
    }
}

#[test]
fn what_does_not_belong_behind_two_dashes() {
    let dir = project(&[("a.c", ""), ("m.cppm", "")]);
    let check = |inputs: &[&str], flags: &[&str], expected| {
        check(dir.path(), inputs, None, flags, expected);
    };
    check(
        &["a.c"],
        &["-I", "inc", "other.c"],
        expect![[r#"
            fatal: other.c: not a flag: source files stand before `--`, flags for the compiler behind it
        "#]],
    );
    check(
        &["a.c"],
        &["-E"],
        expect![[r#"
            fatal: -E: with this flag a compiler translates nothing, and there would be nothing to analyse (leave it out)
        "#]],
    );
    check(
        &["m.cppm"],
        &[],
        expect![[r#"
            error: m.cppm: a C++ module: rigel does not read modules (name sources that import none; or read it on its own: -- -std=c++20 -x c++-module)
        "#]],
    );
}

#[test]
fn names_that_are_not_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let outer = project(&[]);
    let dir = outer.path().join(OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir(&dir).unwrap();
    let dir = std::fs::canonicalize(dir).unwrap();
    std::fs::write(dir.join("a.c"), "").unwrap();
    std::fs::write(dir.join(OsStr::from_bytes(b"b\xe9.c")), "").unwrap();
    let request = |inputs: &[&OsStr]| Request {
        inputs: inputs.iter().map(PathBuf::from).collect(),
        cwd: dir.clone(),
        ..Request::default()
    };
    let absolute = dir.join("a.c");
    // By its name, by its path, and by the directory: as text each time.
    for input in [OsStr::new("a.c"), absolute.as_os_str()] {
        let planned = plan(&request(&[input])).unwrap();
        assert_eq!(planned.units.len(), 1);
        assert_eq!(planned.units[0].job.file, "a.c");
        assert_eq!(planned.units[0].job.directory, dir.as_os_str());
    }
    let planned = plan(&request(&[OsStr::new(".")])).unwrap();
    assert_eq!(planned.units.len(), 1);
    let errors: Vec<String> = planned.errors.iter().map(|e| e.to_string()).collect();
    expect![
        "b\u{fffd}.c: its path is not UTF-8, and rigel hands paths on as text (rename it; or, if only a directory is called so, start rigel in there)"
    ]
    .assert_eq(&errors.join("\n"));
}
