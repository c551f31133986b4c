//! `rigel summary`: conditions on the inputs of functions.

mod common;

use common::Project;
use expect_test::expect;

/// §1 of the paper, and functions whose conditions everybody can find out by thinking.
const SOURCE: &str = r#"#include <stdlib.h>
int complex_test(int, int);

int foo(int x, int y)
{
    if (x <= y) {
        if (x > 10)
            __rigel_assert(0);
        return 1;
    }
    if (complex_test(x, y))
        __rigel_assert(0);
    return 2;
}

struct node { struct node *next; int len; };

int second(struct node *n)
{
    return n->next->len;
}

void spin(int n)
{
    while (n > 10)
        ;
}

int quotient(int a, int b)
{
    if (b == 7)
        exit(1);
    return a / b;
}

void fill(char *p, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        p[i] = 0;
}

int three(void)
{
    return 3;
}
"#;

fn project() -> Project {
    Project::new(&[("a.c", SOURCE)])
}

#[test]
fn conditions_for_people() {
    expect![[r#"
        foo(int x, int y)                                                 a.c:4
          returns      x <= 10 || x > y
          must fail    x > 10 && x <= y
          may fail     x > y
          never fails  x <= 10 && x <= y
          never ends   -
          given        what it calls, and is only declared, comes back
          given        what it calls, and is only declared, does nothing wrong with what it gets
          checks       2, 0 proved
            8:13  assertion: assertion `0` fails
              must     x > 10 && x <= y
            12:9  assertion: assertion `0` fails
              may      x > y

        second(node *n)                                                   a.c:18
          returns      n != NULL && n->next != NULL && len(n) >= 8 && len(n->next) >= 12
          must fail    n == NULL || n->next == NULL || len(n) < 8 || len(n->next) < 12
          may fail     -
          never fails  n != NULL && n->next != NULL && len(n) >= 8 && len(n->next) >= 12
          never ends   -
          given        pointers are alive and within their objects, unless it says otherwise
          given        what it reads there has been written before, unless it says otherwise
          checks       8, 0 proved
            20:21  null-dereference: `n` is null when it is dereferenced
              must     n == NULL
            20:21  use-after-free: `n` is dereferenced, but what it points to is gone
              must     n != NULL && !alive(n)
            20:21  out-of-bounds: `*n` is out of bounds
              must     n != NULL && len(n) < 8
            20:21  uninitialized-use: `n->next` is used uninitialized
              must     n != NULL && len(n) >= 8 && alive(n) && !initialized(n->next)
            20:21  null-dereference: `n->next` is null when it is dereferenced
              must     n != NULL && n->next == NULL && len(n) >= 8
            20:21  use-after-free: `n->next` is dereferenced, but what it points to is gone
              must     n != NULL
                    && n->next != NULL
                    && len(n) >= 8
                    && alive(n)
                    && initialized(n->next)
                    && !alive(n->next)
            20:21  out-of-bounds: `n->next->len` is out of bounds
              must     n != NULL && n->next != NULL && len(n) >= 8 && len(n->next) < 12
            20:21  uninitialized-use: `n->next->len` is used uninitialized
              must     n != NULL
                    && n->next != NULL
                    && len(n) >= 8
                    && alive(n)
                    && initialized(n->next)
                    && len(n->next) >= 12
                    && alive(n->next)
                    && !initialized(n->next->len)

        spin(int n)                                                       a.c:23
          returns      n <= 10
          must fail    -
          may fail     -
          never fails  n <= 10
          never ends   n > 10
          checks       none

        quotient(int a, int b)                                            a.c:29
          returns      b != 0 && b != 7 && (a != INT_MIN || b != -1)
          exits        b == 7
          must fail    b == 0 || (a == INT_MIN && b == -1)
          may fail     -
          never fails  b != 0 && (a != INT_MIN || b != -1)
          never ends   -
          checks       2, 0 proved
            33:14  division-by-zero: division by zero: `b` is 0
              must     b == 0
            33:14  integer-overflow: division overflows: `a` is the smallest `int`, divided by -1
              must     a == INT_MIN && b == -1

        fill(char *p, unsigned n)                                         a.c:36
          returns      n == 0 || (p != NULL && len(p) >= n)
          must fail    len(p) < n || (p == NULL && n > 0)
          may fail     -
          never fails  n == 0 || (p != NULL && len(p) >= n)
          never ends   -
          given        pointers are alive and within their objects, unless it says otherwise
          checks       3, 0 proved
            39:14  null-dereference: `p` is null when it is dereferenced
              must     p == NULL && n > 0
            39:14  use-after-free: `p` is dereferenced, but what it points to is gone
              must     p != NULL && !alive(p) && n > 0
            39:14  out-of-bounds: `p[i]` is out of bounds
              must     p != NULL && len(p) < n

        three()                                                           a.c:42
          returns      always
          must fail    -
          may fail     -
          never fails  always
          never ends   -
          checks       none
        = exit 0
    "#]]
    .assert_eq(&project().rigel(&["summary", "a.c"]));
}

#[test]
fn conditions_for_programs() {
    let text = project().rigel(&["summary", "a.c", "--format", "json", "--function", "foo"]);
    expect![[r#"
        {
          "functions": [
            {
              "calls_declared": true,
              "calls_strangers": true,
              "calls_unknown": false,
              "checks": 2,
              "column": 0,
              "constants_overflow": [],
              "exits": {
                "exact": true,
                "text": "false",
                "valid_pointers": false
              },
              "failing": [
                {
                  "column": 13,
                  "fails": {
                    "exact": true,
                    "text": "x > 10 && x <= y",
                    "valid_pointers": false
                  },
                  "file": "a.c",
                  "line": 8,
                  "may": {
                    "exact": true,
                    "text": "false",
                    "valid_pointers": false
                  },
                  "message": "assertion `0` fails",
                  "must": {
                    "exact": true,
                    "text": "x > 10 && x <= y",
                    "valid_pointers": false
                  },
                  "rule": "assertion"
                },
                {
                  "column": 9,
                  "fails": {
                    "exact": true,
                    "text": "x > y",
                    "valid_pointers": false
                  },
                  "file": "a.c",
                  "line": 12,
                  "may": {
                    "exact": true,
                    "text": "x > y",
                    "valid_pointers": false
                  },
                  "message": "assertion `0` fails",
                  "must": {
                    "exact": true,
                    "text": "false",
                    "valid_pointers": false
                  },
                  "rule": "assertion"
                }
              ],
              "file": "a.c",
              "given": [],
              "line": 4,
              "linkage_name": "foo",
              "may_fail": {
                "exact": true,
                "text": "x > y",
                "valid_pointers": false
              },
              "must_fail": {
                "exact": true,
                "text": "x > 10 && x <= y",
                "valid_pointers": false
              },
              "name": "foo",
              "never_ends": {
                "exact": true,
                "text": "false",
                "valid_pointers": false
              },
              "never_fails": {
                "exact": true,
                "text": "x <= 10 && x <= y",
                "valid_pointers": false
              },
              "proved": 0,
              "returns": {
                "exact": true,
                "text": "x <= 10 || x > y",
                "valid_pointers": false
              },
              "signature": "foo(int x, int y)"
            }
          ],
          "too_much": {
            "not_known": 0,
            "one_case": 0,
            "ranges": 0
          },
          "tool": {
            "name": "rigel",
            "version": "0.1.0"
          },
          "version": 1
        }
        = exit 0
    "#]]
    .assert_eq(&text);
}

/// `never fails` holds of memory that has been written, and if `strcpy` is well: both are said.
#[test]
fn what_is_taken_for_granted_is_said() {
    let source = r#"#include <string.h>
int reads(int *a) { return *a; }
int both(int *a, int i) { return a[0] | a[i]; }
void writes(int *a) { *a = 1; }
void copies(char *s) { char b[4]; strcpy(b, s); }
void hands_on(void) { copies("too long"); }
"#;
    let project = Project::new(&[("a.c", source)]);
    expect![[r#"
        reads(int *a)                                                     a.c:2
          returns      a != NULL && len(a) >= 4
          must fail    a == NULL || len(a) < 4
          may fail     -
          never fails  a != NULL && len(a) >= 4
          never ends   -
          given        pointers are alive and within their objects, unless it says otherwise
          given        what it reads there has been written before, unless it says otherwise
          checks       4, 0 proved
            2:28  null-dereference: `a` is null when it is dereferenced
              must     a == NULL
            2:28  use-after-free: `a` is dereferenced, but what it points to is gone
              must     a != NULL && !alive(a)
            2:28  out-of-bounds: `*a` is out of bounds
              must     a != NULL && len(a) < 4
            2:28  uninitialized-use: `*a` is used uninitialized
              must     a != NULL && len(a) >= 4 && alive(a) && !initialized(*a)

        both(int *a, int i)                                               a.c:3
          returns      a != NULL && offset(a) + 4 * i >= 0 && len(a) >= 4 && len(a) >= 4 * i + 4
          must fail    a == NULL || offset(a) + 4 * i < 0 || len(a) < 4 || len(a) < 4 * i + 4
          may fail     a != NULL
                    && offset(a) + 4 * i >= 0
                    && len(a) >= 4
                    && len(a) >= 4 * i + 4
                    && alive(a)
                    && initialized(*a)
                    && !filled(a)
          never fails  a != NULL && offset(a) + 4 * i >= 0 && len(a) >= 4 && len(a) >= 4 * i + 4
          never ends   -
          given        pointers are alive and within their objects, unless it says otherwise
          given        what it reads there has been written before, unless it says otherwise
          checks       6, 0 proved
            3:39  null-dereference: `a` is null when it is dereferenced
              must     a == NULL
            3:39  use-after-free: `a` is dereferenced, but what it points to is gone
              must     a != NULL && !alive(a)
            3:39  out-of-bounds: `*a` is out of bounds
              must     a != NULL && len(a) < 4
            3:39  uninitialized-use: `*a` is used uninitialized
              must     a != NULL && len(a) >= 4 && alive(a) && !initialized(*a)
            3:39  out-of-bounds: `a[i]` is out of bounds
              must     a != NULL && len(a) >= 4 && (offset(a) + 4 * i < 0 || len(a) < 4 * i + 4)
            3:39  uninitialized-use: `a[i]` is used uninitialized
              may      a != NULL
                    && offset(a) + 4 * i >= 0
                    && len(a) >= 4
                    && len(a) >= 4 * i + 4
                    && alive(a)
                    && initialized(*a)
                    && !filled(a)

        writes(int *a)                                                    a.c:4
          returns      a != NULL && len(a) >= 4
          must fail    a == NULL || len(a) < 4
          may fail     -
          never fails  a != NULL && len(a) >= 4
          never ends   -
          given        pointers are alive and within their objects, unless it says otherwise
          checks       3, 0 proved
            4:26  null-dereference: `a` is null when it is dereferenced
              must     a == NULL
            4:26  use-after-free: `a` is dereferenced, but what it points to is gone
              must     a != NULL && !alive(a)
            4:26  out-of-bounds: `*a` is out of bounds
              must     a != NULL && len(a) < 4

        copies(char *s)                                                   a.c:5
          returns      s != NULL
          must fail    s == NULL
          may fail     s != NULL
          never fails  -
          never ends   -
          given        pointers are alive and within their objects, unless it says otherwise
          given        what it calls, and is only declared, does nothing wrong with what it gets
          checks       3, 0 proved
            5:35  null-dereference: `s` is null when it is passed to a function that follows it
              must     s == NULL
            5:35  use-after-free: `s` is handed over, but what it points to is gone
              must     s != NULL && !alive(s)
            5:35  out-of-bounds: strlen(s) + 1 bytes at `b` are more than there are
              may      s != NULL

        hands_on()                                                        a.c:6
          returns      always
          must fail    -
          may fail     always
          never fails  -
          never ends   -
          given        what it calls, and is only declared, does nothing wrong with what it gets
          checks       none
            6:23  out-of-bounds: the call fails at a.c:5:35
              may      always
        = exit 0
    "#]]
    .assert_eq(&project.rigel(&["summary", "a.c"]));
    let of = |function: &str| {
        let args = ["summary", "a.c", "--format", "json", "--function", function];
        let text = project.rigel(&args);
        let json = text.strip_suffix("= exit 0\n").expect(&text);
        let json: serde_json::Value = serde_json::from_str(json).expect(json);
        let function = &json["functions"][0];
        format!("{} {}", function["given"], function["calls_declared"])
    };
    expect![[r#"["len(a) >= 0","alive(a)","initialized(*a)","filled(a)"] false"#]]
        .assert_eq(&of("both"));
    expect![[r#"["len(a) >= 0","alive(a)"] false"#]].assert_eq(&of("writes"));
    expect!["[] true"].assert_eq(&of("hands_on"));
}

/// Those that are named, in the order of the file, each once.
#[test]
fn functions_by_name() {
    let args = [
        "summary",
        "a.c",
        "--function",
        "three",
        "--function",
        "spin",
    ];
    expect![[r#"
        spin(int n)                                                       a.c:23
          returns      n <= 10
          must fail    -
          may fail     -
          never fails  n <= 10
          never ends   n > 10
          checks       none

        three()                                                           a.c:42
          returns      always
          must fail    -
          may fail     -
          never fails  always
          never ends   -
          checks       none
        = exit 0
    "#]]
    .assert_eq(&project().rigel(&args));
}

#[test]
fn an_unknown_name_is_an_error_that_names_similar_ones() {
    let project = project();
    expect![[r#"
        ! rigel: error: no function `quotent` is defined here (similar: quotient)
        = exit 2
    "#]]
    .assert_eq(&project.rigel(&["summary", "a.c", "--function", "quotent"]));
    expect![[r#"
        ! rigel: error: no function `nowhere` is defined here (`rigel summary` without --function shows all)
        = exit 2
    "#]]
    .assert_eq(&project.rigel(&["summary", "a.c", "--function", "nowhere"]));
}

/// A file that does not compile is one line; the others are summarised.
#[test]
fn a_file_that_does_not_compile_costs_no_other() {
    let project = Project::new(&[
        ("bad.c", "int f( {\n"),
        ("good.c", "int g(int n)\n{\n    return 1 / n;\n}\n"),
    ]);
    expect![[r#"
        g(int n)                                                          good.c:1
          returns      n != 0
          must fail    n == 0
          may fail     -
          never fails  n != 0
          never ends   -
          checks       1, 0 proved
            3:14  division-by-zero: division by zero: `n` is 0
              must     n == 0
        ! rigel: error: bad.c: does not compile: bad.c:1:8: error: expected parameter declarator
        = exit 2
    "#]]
    .assert_eq(&project.rigel(&["summary", "bad.c", "good.c"]));
}

#[test]
fn the_same_for_any_number_of_jobs() {
    let project = project();
    let one = project.rigel(&["summary", "a.c", "--format", "json", "--jobs", "1"]);
    let four = project.rigel(&["summary", "a.c", "--format", "json", "--jobs", "4"]);
    assert_eq!(one, four);
    assert!(one.contains("\"never_ends\""));
}

/// What was written throughout is initialised, whichever part of it is read: static objects, constants, what `= {0}` and copies of
/// structs leave behind.
#[test]
fn what_is_written_throughout_is_initialised() {
    let source = r#"static int table[20];
static const int primes[4] = { 2, 3, 5, 7 };
struct pair { int x, y; } origin;
void unknown(void);
static int get(const int *p, int i) { return p[i]; }
static int first(const int *p) { return *p; }
int direct(int i) { return table[i]; }
int by_pointer(int i) { return get(table, i); }
int moved(int i) { return first(table + i); }
int behind_a_call(int i) { const int *p = table; unknown(); return p[i]; }
int constant(int i) { return get(primes, i); }
int zeroed(int i) { int t[200] = {0}; return t[i]; }
int listed(int i) { int t[3] = { 7, 8, 9 }; return t[i]; }
int copied(void) { struct pair p = origin; return p.x | p.y; }
int null(void) { struct { int n; int *p; } s = {0}; return *s.p; }
void writes(int i) { table[i & 7] = 1; }
"#;
    let project = Project::new(&[("a.c", source)]);
    let text = project.rigel(&["summary", "a.c"]);
    let lines = text.lines().filter_map(|line| match line.split_once(')') {
        Some((head, place)) if place.contains("a.c:") => Some(format!("{head})")),
        _ if line.contains("must fail") || line.contains("never fails") => Some(line.to_string()),
        _ => None,
    });
    let told: Vec<String> = lines.collect();
    expect![[r#"
        get(int *p, int i)
          must fail    p == NULL || offset(p) + 4 * i < 0 || len(p) < 4 * i + 4
          never fails  p != NULL && offset(p) + 4 * i >= 0 && len(p) >= 4 * i + 4
        first(int *p)
          must fail    p == NULL || len(p) < 4
          never fails  p != NULL && len(p) >= 4
        direct(int i)
          must fail    i >= 20 || i < 0
          never fails  i >= 0 && i < 20
        by_pointer(int i)
          must fail    i >= 20 || i < 0
          never fails  i >= 0 && i < 20
        moved(int i)
          must fail    i >= 20 || i < 0
          never fails  i >= 0 && i < 20
        behind_a_call(int i)
          must fail    i >= 20 || i < 0
          never fails  i >= 0 && i < 20
        constant(int i)
          must fail    i >= 4 || i < 0
          never fails  i >= 0 && i < 4
        zeroed(int i)
          must fail    i >= 200 || i < 0
          never fails  i >= 0 && i < 200
        listed(int i)
          must fail    i > 2 || i < 0
          never fails  i >= 0 && i <= 2
        copied()
          must fail    !initialized(origin.x) || !initialized(origin.y)
          never fails  always
        null()
          must fail    always
          never fails  -
        writes(int i)
          must fail    -
          never fails  always"#]]
    .assert_eq(&told.join("\n"));
}

/// `die` may end the program: that it comes back is said, also of those who call its callers. Of what is known to come back it is not.
#[test]
fn that_declared_functions_come_back_is_said() {
    let source = r#"#include <stdlib.h>
void die(void);
int quotient(int n) { if (n == 0) die(); return 10 / n; }
int caller(int n) { return quotient(n); }
int known(int n) { return abs(n); }
"#;
    let project = Project::new(&[("a.c", source)]);
    expect![[r#"
        quotient(int n)                                                   a.c:3
          returns      n != 0
          must fail    n == 0
          may fail     -
          never fails  n != 0
          never ends   -
          given        what it calls, and is only declared, comes back
          given        what it calls, and is only declared, does nothing wrong with what it gets
          checks       1, 0 proved
            3:52  division-by-zero: division by zero: `n` is 0
              must     n == 0

        caller(int n)                                                     a.c:4
          returns      n != 0
          must fail    n == 0
          may fail     -
          never fails  n != 0
          never ends   -
          given        what it calls, and is only declared, comes back
          given        what it calls, and is only declared, does nothing wrong with what it gets
          checks       none
            4:28  division-by-zero: the call fails at a.c:3:52
              must     n == 0

        known(int n)                                                      a.c:5
          returns      always
          must fail    -
          may fail     -
          never fails  always
          never ends   -
          checks       none
        = exit 0
    "#]]
    .assert_eq(&project.rigel(&["summary", "a.c"]));
}

/// What overflows in constants the compiler has done, and no check is left of it.
#[test]
fn constants_that_overflow_are_said() {
    let project = Project::new(&[(
        "a.c",
        "int f(int n) {\n    return n + 24 * 60 * 60 * 1000 * 1000;\n}\nint g(int n) { return n; }\n",
    )]);
    let text = project.rigel(&["summary", "a.c"]);
    let said = "line 2: an operation on constants overflows, which is no check here";
    assert_eq!(text.matches(said).count(), 1, "{text}");
}

/// What is weak may give way to a definition that is not in view; not in a program that is complete.
#[test]
fn a_weak_function_is_certain_in_a_complete_program_only() {
    let weak = "__attribute__((weak)) int channels(void) { return 0; }\nint per(int n) { return n / channels(); }\n";
    let project = Project::new(&[
        ("part.c", weak),
        (
            "all.c",
            &format!("{weak}int main(void) {{ return per(10); }}\n"),
        ),
        ("other.c", "int channels(void) { return 2; }\n"),
    ]);
    let must = |file: &str| {
        let text = project.rigel(&["summary", file, "--function", "per"]);
        let line = text.lines().find(|l| l.contains("must fail"));
        line.unwrap_or_default().trim().to_string()
    };
    assert_eq!(must("part.c"), "must fail    -");
    assert_eq!(must("all.c"), "must fail    always");
    let verdicts = |files: &[&str]| {
        let text = project.rigel(&[&["check", "--rules", "division-by-zero"], files].concat());
        let end = |verdict: &str| text.lines().filter(|l| l.ends_with(verdict)).count();
        (end(" must"), end(" may"))
    };
    assert_eq!(verdicts(&["part.c"]), (0, 1));
    assert_eq!(verdicts(&["all.c"]), (1, 0));
    assert_eq!(verdicts(&["all.c", "other.c"]), (0, 0));
}

/// clang cuts an amount to the type of what is shifted.
#[test]
fn shift_amounts_are_as_they_were_written() {
    let project = Project::new(&[("a.c", "int f(unsigned long a) { return 1 << a; }\n")]);
    let text = project.rigel(&["summary", "a.c"]);
    assert!(text.contains("must fail    a >= 32"), "{text}");
    assert!(text.contains("never fails  a < 32"), "{text}");
}
