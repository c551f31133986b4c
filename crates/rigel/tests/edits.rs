//! An edit in one function changes what is reported in others, and taking it back brings the report again.
//!
//! Every check is made four times: as text and as JSON, with what the runs before have left, and
//! without. Findings are named by hand; the rest of the output must be that of the fresh run.

mod common;

use common::{Project, command, settle};
use std::path::Path;
use std::process::Output;

/// A program, and what the runs over it leave behind.
struct Edited {
    project: Project,
    kept: tempfile::TempDir,
    /// What to check: `.`, or a compile database.
    input: &'static [&'static str],
}

impl Edited {
    fn new(files: &[(&str, &str)]) -> Edited {
        let edited = Edited {
            project: Project::new(files),
            kept: tempfile::tempdir().unwrap(),
            input: &["."],
        };
        settle();
        edited
    }

    fn write(&self, name: &str, text: &str) {
        self.project.write(name, text);
        settle();
    }

    fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.project.read(name);
        assert_eq!(text.matches(from).count(), 1, "`{from}` in {name}:\n{text}");
        self.write(name, &text.replace(from, to));
    }

    fn run(&self, words: &[&str], cache: &Path) -> Output {
        let output = command(words)
            .env("RIGEL_CACHE", cache)
            .current_dir(self.project.path())
            .output()
            .unwrap();
        let code = output.status.code();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(code, Some(0 | 1)), "{words:?}: {said}");
        output
    }

    /// What `check` says, which a fresh run with another cache must say, too.
    fn check(&self, options: &[&str]) -> String {
        let words = [&["check"], self.input, options].concat();
        let now = self.run(&words, self.kept.path());
        let other = tempfile::tempdir().unwrap();
        let fresh = self.run(&[&words[..], &["--fresh"]].concat(), other.path());
        let now = common::show(&now, self.project.path());
        assert_eq!(
            now,
            common::show(&fresh, self.project.path()),
            "{options:?}"
        );
        now
    }

    /// `FILE:LINE RULE` of what is found.
    fn found(&self, options: &[&str]) -> Vec<String> {
        self.check(options);
        let said = self.check(&[options, &["--format", "json"]].concat());
        // What follows is standard error.
        let end = said.find("\n! ").unwrap_or(said.len());
        let report: serde_json::Value = serde_json::from_str(&said[..end]).unwrap();
        let findings = report["findings"].as_array().unwrap();
        let one = |f: &serde_json::Value| {
            let word = |key: &str| f[key].as_str().unwrap().to_string();
            format!("{}:{} {}", word("file"), f["line"], word("rule"))
        };
        findings.iter().map(one).collect()
    }

    fn id(&self) -> String {
        let said = self.check(&[]);
        let id = said.split("= id ").nth(1).unwrap();
        id.split_whitespace().next().unwrap().to_string()
    }

    /// Both ways, and both ways again: the second time from what the first one left.
    fn there_and_back(&self, file: &str, broken: (&str, &[&str]), fixed: (&str, &[&str])) {
        assert_eq!(self.found(&[]), broken.1, "at first");
        for round in 0..2 {
            self.edit(file, broken.0, fixed.0);
            assert_eq!(self.found(&[]), fixed.1, "edited, round {round}");
            self.edit(file, fixed.0, broken.0);
            assert_eq!(self.found(&[]), broken.1, "taken back, round {round}");
        }
    }
}

const HEADER: &str = "struct node { int value; };
struct node *find(int n);
";

const FIND: &str = "#include \"list.h\"
static struct node pool[4];
struct node *find(int n)
{
    if (n < 0 || n > 3)
        return 0;
    return &pool[n];
}
";

const MAIN: &str = "#include \"list.h\"
int use(int n)
{
    struct node *p = find(n);
    return p->value;
}
";

const NULL: &[&str] = &["main.c:5 null-dereference"];

fn list() -> Edited {
    Edited::new(&[("list.h", HEADER), ("find.c", FIND), ("main.c", MAIN)])
}

#[test]
fn a_callee_that_gives_no_null_any_more() {
    list().there_and_back("find.c", ("return 0;", NULL), ("return &pool[0];", &[]));
}

#[test]
fn a_callee_three_calls_down_that_gives_no_null_any_more() {
    let edited = Edited::new(&[
        (
            "third.c",
            "int cell;\nint *third(int n) { return n < 0 ? 0 : &cell; }\n",
        ),
        (
            "second.c",
            "int *third(int);\nint *second(int n) { return third(n); }\n",
        ),
        (
            "first.c",
            "int *second(int);\nint *first(int n) { return second(n); }\n",
        ),
        (
            "main.c",
            "int *first(int);\nint use(int n)\n{\n    int *p = first(n);\n    return *p;\n}\n",
        ),
    ]);
    edited.there_and_back("third.c", ("n < 0 ? 0", NULL), ("n < 0 ? &cell + 0", &[]));
    // In the middle, too.
    edited.there_and_back(
        "second.c",
        ("return third(n);", NULL),
        (
            "static int other; int *p = third(n); return p ? p : &other;",
            &[],
        ),
    );
}

#[test]
fn a_recursion_through_files_that_gives_no_null_any_more() {
    let edited = Edited::new(&[
        (
            "begun.c",
            "int *stated(int);\nint cell;\nint *begun(int n) { return n > 3 ? stated(n - 4) : &cell; }\n",
        ),
        (
            "stated.c",
            "int *begun(int);\nextern int cell;\nint *stated(int n) { return n == 0 ? 0 : begun(n - 1); }\n",
        ),
        (
            "main.c",
            "int *begun(int);\nint use(int n)\n{\n    int *p = begun(n);\n    return *p;\n}\n",
        ),
    ]);
    edited.there_and_back("stated.c", ("== 0 ? 0", NULL), ("== 0 ? &cell", &[]));
    // A recursion that is none any more.
    edited.there_and_back("begun.c", ("stated(n - 4)", NULL), ("&cell + (n & 0)", &[]));
    // One that replaces the null on its way.
    edited.there_and_back(
        "begun.c",
        ("return n > 3 ? stated(n - 4) : &cell;", NULL),
        ("int *p = stated(n); return p ? p : &cell;", &[]),
    );
}

#[test]
fn a_callee_that_sets_its_out_parameter_always() {
    let set = "void set(int *x, int n)\n{\n    if (n > 0)\n        *x = n;\n}\n";
    let main = "void set(int *x, int n);\nint use(int n)\n{\n    int x;\n    set(&x, n);\n    return x;\n}\n";
    let edited = Edited::new(&[("set.c", set), ("main.c", main)]);
    edited.there_and_back(
        "set.c",
        ("if (n > 0)", &["main.c:6 uninitialized-use"]),
        ("*x = 0; if (n > 0)", &[]),
    );
}

#[test]
fn a_callee_that_starts_to_check_its_argument() {
    let value = "int value(const int *p)\n{\n    return *p;\n}\n";
    let main = "int value(const int *p);\nint use(void)\n{\n    return value(0);\n}\n";
    let edited = Edited::new(&[("value.c", value), ("main.c", main)]);
    let null: &[&str] = &["value.c:3 null-dereference"];
    edited.there_and_back("value.c", ("return *p;", null), ("return p ? *p : 0;", &[]));
    // What the caller passes counts as well, though the report is not in it.
    edited.there_and_back("main.c", ("value(0)", null), ("value((int[]){1})", &[]));
}

#[test]
fn a_callee_that_moves_to_another_file() {
    let value = "int value(const int *p)\n{\n    return *p;\n}\n";
    let main = "int value(const int *p);\nint use(void)\n{\n    return value(0);\n}\n";
    let edited = Edited::new(&[("a.c", value), ("b.c", "int b;\n"), ("main.c", main)]);
    assert_eq!(edited.found(&[]), ["a.c:3 null-dereference"]);
    edited.write("a.c", "int a;\n");
    assert_eq!(edited.found(&[]), [""; 0]);
    edited.write("b.c", &format!("int b;\n{value}"));
    assert_eq!(edited.found(&[]), ["b.c:4 null-dereference"]);
    edited.write("b.c", "int b;\n");
    edited.write("a.c", value);
    assert_eq!(edited.found(&[]), ["a.c:3 null-dereference"]);
}

#[test]
fn a_callee_whose_parameters_change_places() {
    let edited = Edited::new(&[
        ("scale.h", "int scale(int a, int b);\n"),
        (
            "scale.c",
            "#include \"scale.h\"\nint scale(int a, int b)\n{\n    return a / b;\n}\n",
        ),
        (
            "main.c",
            "#include \"scale.h\"\nint use(void)\n{\n    return scale(7, 0);\n}\n",
        ),
    ]);
    let zero: &[&str] = &["scale.c:4 division-by-zero"];
    edited.there_and_back(
        "scale.c",
        ("scale(int a, int b)", zero),
        ("scale(int b, int a)", &[]),
    );
    // Another type: 0 becomes 0.0, and dividing by that is no error.
    assert_eq!(edited.found(&[]), zero);
    edited.edit("scale.h", "int b", "double b");
    edited.edit("scale.c", "int b", "double b");
    assert_eq!(edited.found(&[]), [""; 0]);
    edited.edit("scale.c", "double b", "int b");
    edited.edit("scale.h", "double b", "int b");
    assert_eq!(edited.found(&[]), zero);
}

#[test]
fn a_macro_in_a_header() {
    let edited = Edited::new(&[
        ("limit.h", "#define LIMIT 10\nint get(int i);\n"),
        (
            "get.c",
            "#include \"limit.h\"\nstatic int cells[10];\nint get(int i)\n{\n    return cells[i];\n}\n",
        ),
        (
            "main.c",
            "#include \"limit.h\"\nint use(void)\n{\n    return get(LIMIT);\n}\n",
        ),
    ]);
    edited.there_and_back(
        "limit.h",
        ("LIMIT 10", &["get.c:5 out-of-bounds"]),
        ("LIMIT 9", &[]),
    );
}

#[test]
fn the_layout_of_a_struct_in_a_header() {
    let edited = Edited::new(&[
        (
            "table.h",
            "struct table { int index; int cells[4]; };\nint get(const struct table *t);\n",
        ),
        (
            "get.c",
            "#include \"table.h\"\nint get(const struct table *t)\n{\n    return t->cells[t->index];\n}\n",
        ),
        (
            "main.c",
            "#include \"table.h\"\nint use(void)\n{\n    struct table t = {0};\n    t.index = 5;\n    return get(&t);\n}\n",
        ),
    ]);
    let outside: &[&str] = &["get.c:4 out-of-bounds"];
    edited.there_and_back("table.h", ("cells[4]", outside), ("cells[6]", &[]));
    // The same size, the fields in another order.
    edited.there_and_back(
        "table.h",
        ("int index; int cells[4];", outside),
        ("int cells[4]; int index;", outside),
    );
}

/// Neither the caller nor the callee is in the file that changes.
#[test]
fn the_value_of_a_constant_in_a_third_file() {
    let main = "extern const int step;\nint divide(int a, int b);\nint use(int n)\n{\n    return divide(n, step);\n}\n";
    let edited = Edited::new(&[
        ("config.c", "const int step = 0;\n"),
        (
            "divide.c",
            "int divide(int a, int b)\n{\n    return a / b;\n}\n",
        ),
        ("main.c", main),
    ]);
    edited.there_and_back(
        "config.c",
        ("step = 0", &["divide.c:3 division-by-zero"]),
        ("step = 2", &[]),
    );
}

#[test]
fn a_callee_that_is_declared_not_to_return() {
    let edited = Edited::new(&[
        ("fail.h", "void fail(void);\n"),
        (
            "main.c",
            "#include \"fail.h\"\nint use(int *p)\n{\n    if (!p)\n        fail();\n    return *p;\n}\n",
        ),
        (
            "other.c",
            "#include \"fail.h\"\nvoid other(int n)\n{\n    if (n)\n        fail();\n}\n",
        ),
    ]);
    edited.there_and_back(
        "fail.h",
        ("void fail(void);", &["main.c:6 null-dereference"]),
        ("__attribute__((noreturn)) void fail(void);", &[]),
    );
    // As an option, and by a body that does not end.
    assert_eq!(edited.found(&["--noreturn", "fail"]), [""; 0]);
    assert_eq!(edited.found(&[]), ["main.c:6 null-dereference"]);
    edited.write("fail.c", "void exit(int);\nvoid fail(void) { exit(1); }\n");
    assert_eq!(edited.found(&[]), [""; 0]);
    edited.edit("fail.c", "exit(1);", "");
    assert_eq!(edited.found(&[]), ["main.c:6 null-dereference"]);
}

#[test]
fn a_function_that_is_renamed() {
    let edited = list();
    // Only where it is defined: the caller's `find` is another function, of which nothing is known.
    edited.there_and_back(
        "find.c",
        ("struct node *find(int n)\n{", NULL),
        ("struct node *lookup(int n)\n{", &[]),
    );
    for (file, from, to) in [
        ("list.h", "*find(", "*lookup("),
        ("find.c", "*find(", "*lookup("),
        ("main.c", "= find(", "= lookup("),
    ] {
        edited.edit(file, from, to);
    }
    assert_eq!(edited.found(&[]), NULL);
    let said = edited.check(&[]);
    assert!(said.contains("p = lookup(n)"), "{said}");
    assert!(!said.contains("find("), "{said}");
    // And the caller: the report is of another function.
    edited.edit("main.c", "int use(", "int consume(");
    assert_eq!(edited.found(&[]), NULL);
    assert!(edited.check(&[]).contains("in consume()"));
}

#[test]
fn a_file_that_the_compile_database_gets_and_loses() {
    let entry = |file: &str| {
        format!(
            "{{\"directory\": \"@\", \"file\": \"{file}\", \"arguments\": [\"cc\", \"-c\", \"{file}\"]}}"
        )
    };
    let database = |files: &[&str]| {
        let entries: Vec<String> = files.iter().map(|f| entry(f)).collect();
        format!("[{}]", entries.join(", "))
    };
    let name = "compile_commands.json";
    let both = database(&["main.c", "find.c"]);
    let edited = Edited {
        input: &["-p", "."],
        ..list()
    };
    edited.write(name, &both);
    assert_eq!(edited.found(&[]), NULL);
    for _ in 0..2 {
        edited.write(name, &database(&["main.c"]));
        assert_eq!(edited.found(&[]), [""; 0]);
        edited.write(name, &both);
        assert_eq!(edited.found(&[]), NULL);
    }
    // While it is not listed, it changes.
    edited.write(name, &database(&["main.c"]));
    edited.edit("find.c", "return 0;", "return &pool[0];");
    assert_eq!(edited.found(&[]), [""; 0]);
    edited.write(name, &both);
    assert_eq!(edited.found(&[]), [""; 0]);
    edited.edit("find.c", "return &pool[0];", "return 0;");
    assert_eq!(edited.found(&[]), NULL);
    // Twice in it, with other flags.
    let twice = both.replace("\"find.c\"]}", "\"-DX=1\", \"find.c\"]}");
    edited.write(name, &twice);
    assert_eq!(edited.found(&[]), NULL);
}

#[test]
fn settings_change_between_edits() {
    let edited = list();
    let other = "int divide(int a, int b)\n{\n    return a / b;\n}\nint zero(int a)\n{\n    return divide(a, 0);\n}\n";
    edited.write("zero.c", other);
    let zero = "zero.c:3 division-by-zero";
    let settings: [(&[&str], &[&str]); 7] = [
        (&[], &[NULL[0], zero]),
        (&["--rules", "null-dereference"], NULL),
        (&["--rules", "division-by-zero"], &[zero]),
        (&["--precision", "1"], &[NULL[0], zero]),
        (&["--precision", "3"], &[NULL[0], zero]),
        (&["--noreturn", "find"], &[zero]),
        (&["--rules", "out-of-bounds"], &[]),
    ];
    let fixed = |found: &[&str]| -> Vec<String> {
        let rest = found.iter().filter(|f| **f != NULL[0]);
        rest.map(|f| f.to_string()).collect()
    };
    for (options, broken) in settings {
        assert_eq!(edited.found(options), broken, "{options:?}");
    }
    edited.edit("find.c", "return 0;", "return &pool[0];");
    for (options, broken) in settings.iter().rev() {
        assert_eq!(edited.found(options), fixed(broken), "{options:?}, fixed");
    }
    edited.edit("find.c", "return &pool[0];", "return 0;");
    for (options, broken) in settings {
        assert_eq!(edited.found(options), broken, "{options:?}, taken back");
    }
    // Without level 2 nobody looks into callers and callees, but the summary of `find` is known.
    for options in [&["--precision", "0"][..], &["--latent"]] {
        let found = edited.found(options);
        assert!(found.iter().any(|f| f == NULL[0]), "{options:?}: {found:?}");
    }
    assert!(edited.found(&["--latent"]).len() > 2);
    assert_eq!(edited.found(&[]), [NULL[0], zero]);
}

#[test]
fn a_finding_is_explained_as_it_is_now() {
    let edited = list();
    let id = edited.id();
    let explain = |id: &str| {
        let output = command(&["explain", id, "."])
            .env("RIGEL_CACHE", edited.kept.path())
            .current_dir(edited.project.path())
            .output()
            .unwrap();
        common::show(&output, edited.project.path())
    };
    assert!(explain(&id).contains("--> main.c:5:"), "{}", explain(&id));
    // The line moves, and the callee gets another way to give null.
    edited.edit("main.c", "int use(", "\n/* Uses a node. */\nint use(");
    edited.edit("find.c", "n < 0 || n > 3", "n != 2");
    assert_eq!(edited.id(), id);
    let said = explain(&id);
    assert!(said.contains("--> main.c:7:"), "{said}");
    assert!(said.contains("n != 2"), "{said}");
    edited.edit("find.c", "return 0;", "return &pool[0];");
    assert_eq!(edited.found(&[]), [""; 0]);
    let said = explain(&id);
    assert!(!said.contains("p dereferenced"), "{said}");
    assert!(said.contains("there is no such finding"), "{said}");
    edited.edit("find.c", "return &pool[0];", "return 0;");
    assert!(explain(&id).contains("--> main.c:7:"));
}
