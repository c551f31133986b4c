//! Whatever changes around a program, a check says what a fresh one says; and nothing is read again
//! that did not change.

mod common;

use common::{Project, command, settle};
use std::path::Path;

const NULL: &str = "int bug(void) { int *p = 0; return *p; }\n";
const HEAVY: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stdint.h>\n#include <limits.h>\n#include <sys/stat.h>\n";

/// A program with a compile database, and what the runs over it leave behind.
struct Changed {
    project: Project,
    kept: tempfile::TempDir,
}

impl Changed {
    /// Compiles `main.c` with these flags.
    fn new(flags: &str, files: &[(&str, &str)]) -> Changed {
        let changed = Changed {
            project: Project::new(files),
            kept: tempfile::tempdir().unwrap(),
        };
        changed.database(&[("@", flags, "main.c")]);
        changed
    }

    /// Directory (`@` is the program's), flags and file of each unit.
    fn database(&self, units: &[(&str, &str, &str)]) {
        let here = self.path().display().to_string();
        let entry = |(directory, flags, file): &(&str, &str, &str)| {
            let directory = directory.replace('@', &here);
            format!(
                r#"{{"directory": "{directory}", "file": "{file}", "command": "cc {flags} -c {file}"}}"#
            )
        };
        let entries: Vec<String> = units.iter().map(entry).collect();
        let text = format!("[{}]", entries.join(", "));
        self.write("compile_commands.json", &text);
    }

    fn path(&self) -> &Path {
        self.project.path()
    }

    /// As it is.
    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn remove(&self, name: &str) {
        std::fs::remove_file(self.path().join(name)).unwrap();
    }

    fn run(&self, words: &[&str], cache: &Path) -> String {
        let output = command(words)
            .env("RIGEL_CACHE", cache)
            .current_dir(self.path())
            .output()
            .unwrap();
        common::show(&output, self.path())
    }

    /// The exit code of a check, of which a fresh one with another cache must not differ by a byte.
    fn check(&self, when: &str) -> i32 {
        settle();
        let words = ["check", "-p", "."];
        let now = self.run(&words, self.kept.path());
        let other = tempfile::tempdir().unwrap();
        let fresh = self.run(&["check", "-p", ".", "--fresh"], other.path());
        assert_eq!(now, fresh, "{when}");
        let code = now.trim_end().rsplit(' ').next().unwrap();
        code.parse().unwrap()
    }

    /// Of a second run: how many units were not read again.
    fn kept(&self) -> usize {
        let said = self.run(
            &["check", "-p", ".", "--stats", "--format", "json"],
            self.kept.path(),
        );
        let end = said.find("\n! ").unwrap_or(said.len());
        let report: serde_json::Value = serde_json::from_str(&said[..end]).unwrap();
        report["stats"]["units_kept"].as_u64().unwrap() as usize
    }
}

/// `#if condition` with an error behind it.
fn guarded(condition: &str) -> String {
    format!("{HEAVY}#if {condition}\n{NULL}#endif\n")
}

#[test]
fn a_header_that_is_only_asked_for() {
    for (flags, condition, place) in [
        ("", "__has_include(\\\"opt.h\\\")", "opt.h"),
        ("-Iinc -Ilater", "__has_include(<opt.h>)", "later/opt.h"),
        (
            "-Iinc",
            "defined(X) || \\\n __has_include ( <sub/opt.h> )",
            "inc/sub/opt.h",
        ),
        ("-Iinc -Itwo", "__has_include_next(<opt.h>)", "two/opt.h"),
        ("-std=c23", "__has_embed(\"d.bin\")", "d.bin"),
        (
            "-std=c23 --embed-dir=data",
            "__has_embed(<d.bin>)",
            "data/d.bin",
        ),
        ("-DHAS(x)=__has_include(x)", "HAS(<@/abs.h>)", "abs.h"),
    ] {
        let condition = condition.replace("\\\"", "\"");
        let flags = flags.replace('(', "'(").replace(')', ")'");
        let through_header = [
            ("main.c", "#include \"deep/ask.h\"\n".to_string()),
            ("deep/ask.h", guarded(&condition)),
        ];
        let direct = [("main.c", guarded(&condition)), ("unused.h", String::new())];
        for files in [direct, through_header] {
            let is_deep = files[1].0 == "deep/ask.h";
            let files: Vec<(&str, &str)> = files.iter().map(|(n, t)| (*n, t.as_str())).collect();
            let place = match is_deep && !place.contains('/') && place != "abs.h" {
                true => format!("deep/{place}"),
                false => place.to_string(),
            };
            let changed = Changed::new(&flags, &files);
            assert_eq!(changed.check("not there"), 0, "{condition}");
            assert_eq!(changed.kept(), 1, "{condition}");
            changed.write(&place, "1\n");
            assert_eq!(changed.check("there"), 1, "{condition}");
            assert_eq!(changed.kept(), 1, "{condition}");
            changed.remove(&place);
            assert_eq!(changed.check("gone"), 0, "{condition}");
        }
    }
}

#[test]
fn a_macro_of_a_header_that_asks() {
    let changed = Changed::new(
        "",
        &[
            (
                "has.h",
                "#define HAS(x) __has_include(x)\n#define HAVE_B HAS(\"b.h\")\n",
            ),
            (
                "main.c",
                &format!("#include \"has.h\"\n{}", guarded("HAS(<a.h>) || HAVE_B")),
            ),
        ],
    );
    assert_eq!(changed.check("not there"), 0);
    assert_eq!(changed.kept(), 1);
    changed.write("b.h", "");
    assert_eq!(changed.check("there"), 1);
    assert_eq!(changed.kept(), 1);
}

#[test]
fn a_name_that_is_computed() {
    let text = guarded("__has_include(OPT_H)");
    let changed = Changed::new(
        "",
        &[("main.c", &format!("#define OPT_H \"opt.h\"\n{text}"))],
    );
    assert_eq!(changed.check("not there"), 0);
    assert_eq!(changed.kept(), 0, "what it asks for is not known");
    changed.write("opt.h", "");
    assert_eq!(changed.check("there"), 1);
}

#[test]
fn what_is_embedded() {
    let text = "static const unsigned char n[] = {\n#embed \"n.bin\"\n};\nint f(void) { return 1 / (n[0] - '0'); }\n";
    let changed = Changed::new(
        "-std=c23 --embed-dir=one --embed-dir=two",
        &[("main.c", text)],
    );
    changed.write("two/n.bin", "1");
    assert_eq!(changed.check("one"), 0);
    assert_eq!(changed.kept(), 1);
    changed.write("two/n.bin", "0");
    assert_eq!(changed.check("zero"), 1);
    changed.write("one/n.bin", "2");
    assert_eq!(changed.check("found earlier"), 0);
    changed.write("n.bin", "0");
    assert_eq!(changed.check("found beside"), 1);
    for name in ["n.bin", "one/n.bin", "two/n.bin"] {
        changed.remove(name);
    }
    assert_eq!(changed.check("none"), 2);
}

#[test]
fn what_the_assembler_reads() {
    let text = format!("{NULL}__asm__(\".section .rodata\\n.incbin \\\"d.bin\\\"\");\n");
    let changed = Changed::new("", &[("main.c", &text), ("d.bin", "1")]);
    assert_eq!(changed.check("there"), 1);
    assert_eq!(changed.kept(), 1);
    changed.remove("d.bin");
    assert_eq!(changed.check("gone"), 2);
    changed.write("d.bin", "2");
    assert_eq!(changed.check("there again"), 1);
    changed.write("d.bin", "3");
    assert_eq!(changed.check("another"), 1);
}

#[test]
fn system_headers_and_what_is_never_read_cost_nothing() {
    let changed = Changed::new(
        "",
        &[
            (
                "main.c",
                &format!("{HEAVY}#if 0\n#if __has_include(<x.h>)\n#endif\n#endif\n{NULL}"),
            ),
            (
                "two.cc",
                "#include <algorithm>\n#include <filesystem>\n#include <memory>\n#include <string>\nint two() { return 2; }\n",
            ),
        ],
    );
    changed.database(&[("@", "", "main.c"), ("@", "-std=c++20", "two.cc")]);
    assert_eq!(changed.check("first"), 1);
    assert_eq!(changed.kept(), 2);
}

/// An error where `X` is defined, and a header that may define it.
fn with_header() -> String {
    format!("#include <x.h>\n#ifdef X\n{NULL}#endif\nint f(void) {{ return 1; }}\n")
}

const X: &str = "#define X\n";

#[test]
fn where_headers_are_found() {
    let changed = Changed::new(
        "-Ione -Itwo",
        &[("main.c", &with_header()), ("two/x.h", "")],
    );
    let path = |name: &str| changed.path().join(name);
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, path(name)).unwrap();
    assert_eq!(changed.check("first"), 0);
    changed.write("one/x.h", X);
    assert_eq!(changed.check("a directory that is new"), 1);
    changed.remove("one/x.h");
    std::fs::create_dir(path("one/x.h")).unwrap();
    assert_eq!(changed.check("a directory is no header"), 0);
    std::fs::remove_dir_all(path("one")).unwrap();
    link("three", "one");
    assert_eq!(changed.check("a link to nothing"), 0);
    changed.write("three/x.h", X);
    assert_eq!(changed.check("a link to something"), 1);
    changed.remove("one");
    changed.remove("two/x.h");
    link("../three/x.h", "two/x.h");
    assert_eq!(changed.check("a header that is a link"), 1);
    changed.remove("two/x.h");
    changed.write("other.h", "");
    link("../other.h", "two/x.h");
    assert_eq!(changed.check("a link that leads elsewhere"), 0);
    changed.remove("two/x.h");
    assert_eq!(changed.check("no header at all"), 2);
}

#[test]
fn what_the_command_names() {
    let text = format!("#ifdef X\n{NULL}#endif\nint f(void) {{ return 1; }}\n");
    let changed = Changed::new(
        "-include i.h -imacros m.h @flags",
        &[("main.c", &text), ("i.h", ""), ("m.h", "")],
    );
    changed.write("flags", "-DY @more");
    changed.write("more", "");
    assert_eq!(changed.check("first"), 0);
    for (name, before, after) in [
        ("i.h", "", X),
        ("m.h", "", X),
        ("more", "", "-DX"),
        ("flags", "-DY", "-DX"),
    ] {
        changed.write(name, after);
        assert_eq!(changed.check(name), 1, "{name}");
        changed.write(name, before);
        assert_eq!(changed.check(name), 0, "{name}");
    }
}

#[test]
fn units_that_come_and_go() {
    let changed = Changed::new(
        "",
        &[
            ("main.c", NULL),
            ("sub/two.c", "int two(void) { return 2; }\n"),
        ],
    );
    // The second entry is relative to the database; the third is the first one again.
    changed.database(&[
        ("@", "", "main.c"),
        ("sub", "", "two.c"),
        (".", "", "./main.c"),
    ]);
    assert_eq!(changed.check("first"), 1);
    changed.remove("main.c");
    assert_eq!(changed.check("a file is gone"), 2);
    changed.write("main.c", NULL);
    assert_eq!(changed.check("and there again"), 1);
    let (here, away) = (changed.path().join("sub"), changed.path().join("away"));
    std::fs::rename(&here, &away).unwrap();
    assert_eq!(changed.check("a directory is gone"), 2);
    std::fs::rename(&away, &here).unwrap();
    changed.write("sub/two.c", &NULL.replace("bug", "two"));
    assert_eq!(changed.check("and there again, changed"), 1);
    assert_eq!(changed.kept(), 2);
}

#[test]
fn a_directory_whose_name_is_not_text() {
    use std::os::unix::ffi::OsStrExt;
    let project = Project::new(&[]);
    let directory = project.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    std::fs::create_dir(&directory).unwrap();
    std::fs::write(directory.join("main.c"), NULL).unwrap();
    std::fs::write(
        directory.join("compile_commands.json"),
        r#"[{"directory": ".", "file": "main.c", "command": "cc -c main.c"}]"#,
    )
    .unwrap();
    settle();
    let kept = tempfile::tempdir().unwrap();
    for words in [
        ["check", "main.c"].as_slice(),
        &["check", "-p", "."],
        &["check"],
    ] {
        // The second time from what the first one left.
        for _ in 0..2 {
            let output = command(words)
                .env("RIGEL_CACHE", kept.path())
                .current_dir(&directory)
                .output()
                .unwrap();
            let said = common::show(&output, &directory);
            assert_eq!(output.status.code(), Some(1), "{said}");
            assert!(said.contains(" --> main.c:1:"), "{said}");
            // The excerpt was found.
            assert!(said.contains("1 | int bug(void)"), "{said}");
        }
    }
}
