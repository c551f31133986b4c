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
    expect![[r#"
        error[precondition]: `divide` is called with `y == 0`                             must
          --> a.c:11:12  in f()
           |
         8 |     int d = 0;
           |         - 1  d = 0
         9 |     if (n > 3)
           |           - 2  n <= 3
        11 |     return divide(a, d);
           |            - 3  y = d
           |            - 4  y == 0
           |            ^ 5  divide called
           |
           = when    n < 4                     (then it always fails)
           = id      3aa34a

        ! 2 units, 7 functions, 8 checks: 0 proved, 7 latent, 0 refuted, 1 reported · TIME
        = exit 1
    "#]].assert_eq(&check(
        "int f(int a, int n) {\n    int d = 0;\n    if (n > 3)\n        d = a;\n    return divide(a, d);\n}\n",
    ));
}

#[test]
fn room_is_asked_for() {
    expect![[r#"
        error[precondition]: `device_read` is called with `n > len(to)`                   must
         --> a.c:9:12  in f()
          |
        9 |     return device_read(header, 32);
          |            - 1  to = header
          |            - 2  n = 32
          |            - 3  n > 0
          |            - 4  n > 0
          |            - 5  to is not NULL
          |            ^ 6  device_read called
          |
          = id      53ebc8

        error[precondition]: `update` is called with `4 * i + 4 > len(a)`                 must
          --> a.c:14:9  in g()
           |
        13 |     for (int i = 0; i <= 4; i++)
           |              - 1  i = 0
           |                       - 2  i <= 4: the loop is entered
           |                              - 3  i = i + 1
           |                              - 4  i = i + 1
           |                       - 5  i <= 4: the loop goes on
        14 |         update(a, i, 0);
           |         - 6  a = a
           |         - 7  i = i
           |         - 8  i >= 0
           |         - 9  4 * i + 4 > 0
           |         - 10  a is not NULL
           |         ^ 11  update called
           |
           = id      e66c65

        ! 2 units, 8 functions, 13 checks: 4 proved, 7 latent, 0 refuted, 2 reported · TIME
        = exit 1
    "#]].assert_eq(&check(
        "int f(void) {\n    char header[16];\n    return device_read(header, 32);\n}\nvoid g(void) {\n    int a[4];\n    for (int i = 0; i <= 4; i++)\n        update(a, i, 0);\n}\n",
    ));
}

#[test]
fn what_the_models_allow_is_silent() {
    expect![[r#"
        ! 2 units, 7 functions, 17 checks: 9 proved, 7 latent, 1 refuted, 0 reported · TIME
        = exit 0
    "#]]
    .assert_eq(&check(
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
    expect![[r#"
        warning[out-of-bounds]: index `n` is out of bounds of `header` (16 elements)       may
          --> a.c:10:12  in f()
           |
         9 |     int n = device_read(header, 16);
           |             - 1  res = device_read()
           |             - 2  -1 <= res
           |             - 3  n = res
        10 |     return header[n];
           |            ^ 4  header[n] accessed
           |
           = when    device_read() = 16
           = id      b1a40d

        warning[out-of-bounds]: index `n` of `header` is negative                          may
          --> a.c:10:12  in f()
           |
         9 |     int n = device_read(header, 16);
           |             - 1  res = device_read()
           |             - 2  -1 <= res
           |             - 3  n = res
        10 |     return header[n];
           |            ^ 4  header[n] accessed
           |
           = when    device_read() = -1
           = id      cfc619

        ! 2 units, 7 functions, 13 checks: 3 proved, 8 latent, 0 refuted, 2 reported · TIME
        = exit 1
    "#]].assert_eq(&check(
        "int f(void) {\n    char header[16];\n    int n = device_read(header, 16);\n    return header[n];\n}\n",
    ));
}

#[test]
fn inputs_that_may_fail_are_not_sure_to() {
    expect![[r#"
        warning[precondition]: `odd` is called with `n == 13`                              may
         --> a.c:8:12  in f()
          |
        8 |     return odd(13);
          |            - 1  as its model allows
          |            ^ 2  odd called
          |
          = id      3aa34a

        ! 2 units, 7 functions, 8 checks: 0 proved, 7 latent, 0 refuted, 1 reported · TIME
        = exit 1
    "#]]
    .assert_eq(&check("int f(void) {\n    return odd(13);\n}\n"));
}

#[test]
fn summaries_know_models() {
    let source = format!("{DECLARED}int f(int n) {{ return divide(10, n - 1); }}\n");
    let project = Project::new(&[("a.c", &source), ("m.model", MODELS)]);
    let args = ["summary", "--models", "m.model", "a.c", "--function", "f"];
    expect![[r#"
        f(int n)                                                          a.c:7
          returns      n != 1 && n != INT_MIN
          must fail    n == 1 || n == INT_MIN
          may fail     -
          never fails  n != 1 && n != INT_MIN
          never ends   -
          checks       2, 0 proved
            7:23  integer-overflow: `n - 1` overflows: the result does not fit `int`
              must     n == INT_MIN
            7:23  precondition: `divide` is called with `y == 0`
              must     n == 1
        = exit 0
    "#]]
    .assert_eq(&project.rigel(&args));
}

#[test]
fn what_the_program_defines_is_no_models_affair() {
    let source = "int divide(int x, int y) { return y ? x / y : 0; }\nint f(void) { return divide(1, 0); }\n";
    let project = Project::new(&[("a.c", source), ("m.model", MODELS)]);
    expect![[r#"
        ! 2 units, 7 functions, 7 checks: 1 proved, 6 latent, 0 refuted, 0 reported · TIME
        = exit 0
    "#]]
    .assert_eq(&project.rigel(&["check", "--models", "m.model", "a.c"]));
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
            "label.model" => expect![
                "! rigel: error: label.model:2: `FAIL` begins no clause: these are `OK:`, `ERR:` and `EXIT:`, with commas between them"
            ],
            "name.model" => expect![
                "! rigel: error: name.model: does not compile: @/name.model:1:6: error: use of undeclared identifier 'm'"
            ],
            _ => expect![
                "! rigel: error: gone.model: no model: No such file or directory (os error 2)"
            ],
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

/// Functions of a user's own, in tables.
const TABLE: &str = r#"
[pool_alloc]
writes    = "nothing"
gives     = "memory(arg 1) or null"
allocates = "malloc"

[pool_free]
writes   = "nothing"
releases = { arg = 1, of = "malloc" }

[name_length]
like = "strlen"

[die]
comes_back = false

[source]
writes = "nothing"
gives  = "input 0..9"

[channel_close]
writes   = "nothing"
releases = { arg = 0, of = "descriptor" }
"#;

const POOL: &str = "#include <stddef.h>
void *pool_alloc(void *, size_t);
void pool_free(void *, void *);
size_t name_length(const char *);
void die(void);
int source(void);
void channel_close(int);
int read(int, void *, size_t);
";

/// The rules that report in the program, with what a user's tables say and without, line by line.
fn by_tables(source: &str) -> (Vec<String>, Vec<String>) {
    let source = format!("{POOL}{source}");
    let project = Project::new(&[("a.c", &source), ("mine.toml", TABLE)]);
    let rules = |said: String| -> Vec<String> {
        let errors = said.lines().filter_map(|l| l.split_once('['));
        let rules = errors.filter(|(kind, _)| matches!(*kind, "error" | "warning"));
        rules
            .filter_map(|(_, rest)| rest.split(']').next().map(String::from))
            .collect()
    };
    (
        rules(project.rigel(&["check", "--models", "mine.toml", "a.c"])),
        rules(project.rigel(&["check", "a.c"])),
    )
}

#[test]
fn tables_say_what_functions_do() {
    let none: Vec<String> = Vec::new();
    // It is freed, and freed again.
    let twice = "void f(void *pool) { char *p = pool_alloc(pool, 8); if (!p) return; pool_free(pool, p); pool_free(pool, p); }";
    assert_eq!(
        by_tables(twice),
        (vec!["double-free".to_string()], none.clone())
    );
    // The memory has a size, and may not be there.
    let beyond = "void f(void *pool) { char *p = pool_alloc(pool, 8); if (p) p[8] = 1; }";
    assert_eq!(
        by_tables(beyond),
        (vec!["out-of-bounds".to_string()], none.clone())
    );
    let unchecked = "void f(void *pool) { char *p = pool_alloc(pool, 8); *p = 1; }";
    assert_eq!(
        by_tables(unchecked),
        (vec!["null-dereference".to_string()], none.clone())
    );
    // It follows what it gets.
    let null = "size_t f(void) { return name_length(0); }";
    assert_eq!(
        by_tables(null),
        (vec!["null-dereference".to_string()], none.clone())
    );
    // What comes from outside can be any of it.
    let input = "int f(void) { int n = source(); return 100 / n; }";
    assert_eq!(
        by_tables(input),
        (vec!["division-by-zero".to_string()], none.clone())
    );
    // It is closed.
    let closed = "void f(int fd, char *to) { channel_close(fd); read(fd, to, 1); }";
    assert_eq!(
        by_tables(closed),
        (vec!["use-after-close".to_string()], none.clone())
    );
    // Nothing comes behind it.
    let dead = "int f(int *p) { if (!p) die(); return *p; }";
    assert_eq!(
        by_tables(dead),
        (none, vec!["null-dereference".to_string()])
    );
}

#[test]
fn tables_count_where_the_program_has_the_function() {
    // Nobody could tell from this body that the block is gone.
    let source = "static void *kept; void pool_free(void *pool, void *p) { kept = p; }
void f(void *pool) { char *p = pool_alloc(pool, 8); if (!p) return; pool_free(pool, p); pool_free(pool, p); }
int g(void) { int zero = 0; return 1 / zero; }
size_t name_length(const char *s) { int zero = 0; return s[0] / zero; }";
    let (with, without) = by_tables(source);
    // And its own body is looked at as before.
    assert_eq!(
        with,
        ["double-free", "division-by-zero", "division-by-zero"]
    );
    assert_eq!(without, ["division-by-zero", "division-by-zero"]);
}

#[test]
fn mistakes_in_tables_are_said_and_the_rest_is_checked() {
    let source = "int f(void) { int a = 0; return 1 / a; }\n";
    let key = "[f]\nwrites = 'nothing'\nfollow = 0\n";
    for (name, table, wanted) in [
        (
            "key.toml",
            Some(key),
            "! rigel: error: key.toml:3: a model says nothing by `follow` (did you mean `follows`?)",
        ),
        (
            "gone.toml",
            None,
            "! rigel: error: gone.toml: no model: No such file or directory (os error 2)",
        ),
    ] {
        let mut files = vec![("a.c", source)];
        files.extend(table.map(|table| (name, table)));
        let project = Project::new(&files);
        let said = project.rigel(&["check", "--models", name, "a.c"]);
        assert!(said.lines().any(|line| line == wanted), "{said}");
        assert!(said.contains("division-by-zero"), "{said}");
        let output = project.output(&["check", "--models", name, "a.c"], &[]);
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn an_edit_of_a_table_counts() {
    let source = format!(
        "{POOL}void f(void *pool, void *p) {{ pool_free(pool, p); pool_free(pool, p); }}\n"
    );
    let project = Project::new(&[("a.c", &source), ("mine.toml", TABLE)]);
    let args = ["check", "--models", "mine.toml", "a.c", "--cache", "kept"];
    let code = |args: &[&str]| project.output(args, &[]).status.code();
    assert_eq!(code(&args), Some(1));
    assert_eq!(code(&args), Some(1));
    let harmless = TABLE.replace("releases = { arg = 1, of = \"malloc\" }", "");
    project.write("mine.toml", &harmless);
    assert_eq!(code(&args), Some(0));
    assert_eq!(code(&["check", "a.c", "--cache", "kept"]), Some(0));
    project.write("mine.toml", TABLE);
    assert_eq!(code(&args), Some(1));
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

/// `read` gives at most what it was asked for: with room behind it there is nothing to say, without there is.
#[test]
fn no_more_is_read_than_was_asked_for() {
    let found = |asked: u32| {
        let source = format!(
            "#include <unistd.h>\n#include <stdlib.h>\nint f(int d) {{\n    char line[14];\n    \
             int n = read(d, line, {asked});\n    if (n == -1 || n == 0)\n        return -1;\n    \
             line[n] = 0;\n    return atoi(line);\n}}\n"
        );
        let project = Project::new(&[("a.c", &source)]);
        let text = project.rigel(&["check", "--rules", "out-of-bounds", "a.c"]);
        text.contains("a.c:8:")
    };
    assert!(!found(13));
    assert!(found(14));
}
