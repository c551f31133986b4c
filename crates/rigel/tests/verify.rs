//! `rigel verify`: TRUE is proved, FALSE was seen, and everything else is said to be unknown.

mod common;

use common::Project;
use expect_test::expect;

const HEAD: &str = "
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void *malloc(unsigned long);
extern void free(void *);
extern void abort(void);
void outside(int *);
";

/// The verdict, which is the last word, and the exit code.
fn verdict(property: &str, source: &str) -> (String, i32) {
    let project = Project::new(&[("a.c", &format!("{HEAD}{source}"))]);
    let output = project.output(&["verify", "--property", property, "a.c"], &[]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let word = text.split_whitespace().last().unwrap_or_default();
    (word.to_string(), output.status.code().unwrap_or(-1))
}

/// Each of these programs with its property, and what is to be said.
fn check(all: &[(&str, &str, &str)]) {
    for (property, wanted, source) in all {
        let code = match *wanted {
            "TRUE" => 0,
            "FALSE" => 1,
            _ => 3,
        };
        let said = verdict(property, source);
        assert_eq!(said, (wanted.to_string(), code), "{property}: {source}");
    }
}

#[test]
fn calls_of_errors() {
    check(&[
        ("unreach-call", "TRUE", "int main(void) { return 0; }"),
        ("unreach-call", "FALSE", "int main(void) { reach_error(); }"),
        // Through a pointer, or before main: no check stands before the call.
        (
            "unreach-call",
            "UNKNOWN",
            "int main(void) { void (*p)(void) = reach_error; p(); return 0; }",
        ),
        (
            "unreach-call",
            "UNKNOWN",
            "__attribute__((section(\".init_array\"), used)) static void (*ip)(void) = reach_error;
             int main(void) { return 0; }",
        ),
        // A loop with a relation that only polyhedra see.
        (
            "unreach-call",
            "TRUE",
            "int main(void) { int n = __VERIFIER_nondet_int(), i = 0, k = 0;
               if (n < 0 || n > 1000) return 0;
               while (i < n) { i++; k++; }
               if (k != n) reach_error(); return 0; }",
        ),
        // The value is one that the code compares with.
        (
            "unreach-call",
            "FALSE",
            "int main(void) { int n = __VERIFIER_nondet_int(); if (n == 4711) reach_error(); return 0; }",
        ),
        // More values at once than anybody guesses: a solver finds them.
        (
            "unreach-call",
            "FALSE",
            "int in(int low, int high) { int n = __VERIFIER_nondet_int(); return n > low && n < high; }
             int main(void) { if (in(100, 102) && in(2000, 2002) && in(-77, -75) && in(31, 33) && in(5050, 5052) && in(604, 606))
               reach_error(); return 0; }",
        ),
        // An assumption is no test.
        (
            "unreach-call",
            "TRUE",
            "int main(void) { int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n > 3); if (n < 3) reach_error(); return 0; }",
        ),
        // An end is no error.
        (
            "unreach-call",
            "TRUE",
            "int main(void) { if (__VERIFIER_nondet_int()) abort(); else return 1; reach_error(); }",
        ),
        // What was never written can be anything, and is no error of this property.
        ("unreach-call", "UNKNOWN", "int main(void) { int x; if (x == 5) reach_error(); return 0; }"),
        // Signed numbers wrap here: whoever asks for overflow asks for another property.
        (
            "unreach-call",
            "FALSE",
            "int main(void) { int n = __VERIFIER_nondet_int(); if (n + 1 < n && n % 3 == 1 && n % 7 == 1) reach_error(); return 0; }",
        ),
        // Globals have their initial values, and keep them while nobody writes them.
        (
            "unreach-call",
            "TRUE",
            "int g = 3; struct { int a, b; } s = { 1, 2 }; int main(void) { if (g + s.a + s.b != 6) reach_error(); return 0; }",
        ),
        // Volatile memory may hold anything.
        ("unreach-call", "UNKNOWN", "volatile int g = 3; int main(void) { if (g != 3) reach_error(); return 0; }"),
        // A function that nobody knows may do anything.
        (
            "unreach-call",
            "UNKNOWN",
            "int g = 3; int main(void) { outside(&g); if (g != 3) reach_error(); return 0; }",
        ),
        (
            "unreach-call",
            "UNKNOWN",
            "int f(int x) { return x; } int main(void) { int (*p)(int) = __VERIFIER_nondet_int() ? f : 0; if (p && p(1) != 1) reach_error(); return 0; }",
        ),
    ]);
}

#[test]
fn recursion() {
    let count = "int count(int n) { if (n <= 0) return 0; return count(n - 1); }
       int main(void) { int n = __VERIFIER_nondet_int(); if (count(n) REL 0) reach_error(); return 0; }";
    check(&[
        ("unreach-call", "TRUE", &count.replace("REL", "!=")),
        ("unreach-call", "FALSE", &count.replace("REL", "==")),
        ("termination", "TRUE", &count.replace("REL", "==")),
        // What does not count need not end.
        (
            "termination",
            "UNKNOWN",
            "int f(int n) { if (n == 3) return 0; return f(n - 1); } int main(void) { return f(__VERIFIER_nondet_int()); }",
        ),
    ]);
}

#[test]
fn memory() {
    check(&[
        // An array ends with its block.
        (
            "memsafety",
            "FALSE",
            "int f(int n) { int *r; { int w[n]; w[0] = 1; r = w; } return *r; }
             int main(void) { return f(5) != 1; }",
        ),
        (
            "memsafety",
            "TRUE",
            "int main(void) { int a[10]; for (int i = 0; i < 10; i++) a[i] = i; return a[9]; }",
        ),
        (
            "memsafety",
            "TRUE",
            "int main(void) { int a[10]; unsigned n = __VERIFIER_nondet_uint(); if (n < 10) a[n] = 1; return 0; }",
        ),
        (
            "memsafety",
            "FALSE",
            "int main(void) { int a[10]; unsigned n = __VERIFIER_nondet_uint(); if (n <= 10) a[n] = 1; return 0; }",
        ),
        // One run, in which all is freed.
        (
            "memsafety",
            "TRUE",
            "int main(void) { int *p = malloc(4); *p = 1; free(p); return 0; }",
        ),
        (
            "memsafety",
            "FALSE",
            "int main(void) { int *p = malloc(4); *p = 1; free(p); return *p; }",
        ),
        (
            "memsafety",
            "FALSE",
            "int main(void) { int *p = malloc(4); free(p); free(p); return 0; }",
        ),
        // Memory never runs out; but no rule says yet whether it gets lost.
        (
            "memsafety",
            "UNKNOWN",
            "int main(void) { if (__VERIFIER_nondet_int()) { int *p = malloc(4); *p = 1; free(p); } return 0; }",
        ),
        // Lost.
        (
            "memsafety",
            "UNKNOWN",
            "int main(void) { int *p = malloc(4); *p = 1; p = 0; return 0; }",
        ),
        // So large an object is none that a run has.
        (
            "memsafety",
            "UNKNOWN",
            "int main(void) { char *p = malloc((__VERIFIER_nondet_uint() | 1ul) * 4096); p[0] = 1; free(p); return 0; }",
        ),
    ]);
}

#[test]
fn overflow() {
    check(&[
        // The compiler has done these, and left no operation.
        (
            "no-overflow",
            "UNKNOWN",
            "int main(void) { int x = (-2147483647 - 1) / -1; return x != 0; }",
        ),
        (
            "no-overflow",
            "UNKNOWN",
            "int main(void) { int x = 1 << 31; return x != 0; }",
        ),
        (
            "no-overflow",
            "TRUE",
            "int main(void) { int x = 1 << 3; return x != 8; }",
        ),
        (
            "no-overflow",
            "TRUE",
            "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1000 && n > -1000) n = n * n + n; return n == 0; }",
        ),
        (
            "no-overflow",
            "FALSE",
            "int main(void) { int n = __VERIFIER_nondet_int(); return n + 1 > 3; }",
        ),
        (
            "no-overflow",
            "FALSE",
            "int main(void) { int n = __VERIFIER_nondet_int(); return -n > 3; }",
        ),
        // Unsigned numbers wrap.
        (
            "no-overflow",
            "TRUE",
            "int main(void) { unsigned n = __VERIFIER_nondet_uint(); return n + 1 > 3; }",
        ),
        // Whether a shift overflows is not checked.
        (
            "no-overflow",
            "UNKNOWN",
            "int main(void) { int n = __VERIFIER_nondet_int(); if (n >= 0 && n < 31) n = 3 << n; return n == 0; }",
        ),
    ]);
}

#[test]
fn ends() {
    check(&[
        (
            "termination",
            "TRUE",
            "int main(void) { return __VERIFIER_nondet_int(); }",
        ),
        (
            "termination",
            "TRUE",
            "int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i < n; i++) for (int j = n; j > i; j--) ; return 0; }",
        ),
        ("termination", "FALSE", "int main(void) { for (;;) ; }"),
        (
            "termination",
            "FALSE",
            "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); while (x > 0) x = x - y; return 0; }",
        ),
        // An overflow is no turn of a loop, nor an end.
        (
            "termination",
            "UNKNOWN",
            "int main(void) { int x = __VERIFIER_nondet_int(); while (x > 0) x = x + 1; return 0; }",
        ),
        // `i <= n` holds for ever if n is the largest number.
        (
            "termination",
            "UNKNOWN",
            "int main(void) { unsigned n = __VERIFIER_nondet_uint(); for (unsigned i = 0; i <= n; i++) ; return 0; }",
        ),
        (
            "termination",
            "UNKNOWN",
            "int main(void) { int x = 1; while (x) outside(&x); return 0; }",
        ),
        // The program is not over when main is.
        (
            "termination",
            "UNKNOWN",
            "__attribute__((destructor)) static void last(void) { for (;;) ; } int main(void) { return __VERIFIER_nondet_int(); }",
        ),
    ]);
}

/// An input of a narrow type is one of its values: 2 is no `_Bool`, but true.
#[test]
fn inputs_have_their_types() {
    check(&[(
        "unreach-call",
        "TRUE",
        "extern _Bool __VERIFIER_nondet_bool(void);
         int main(void) { _Bool b = __VERIFIER_nondet_bool(); if (b && !b) reach_error(); return 0; }",
    )]);
    let project = Project::new(&[(
        "a.c",
        &format!(
            "{HEAD}extern _Bool __VERIFIER_nondet_bool(void);
             int main(void) {{ _Bool b = __VERIFIER_nondet_bool(); int x = __VERIFIER_nondet_int(); if (!b && x == 2) reach_error(); return 0; }}"
        ),
    )]);
    let output = project.output(&["verify", "--property", "unreach-call", "a.c"], &[]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("inputs of that run: 0, 2"), "{text}");
}

#[test]
fn what_is_printed() {
    let project = Project::new(&[(
        "a.c",
        "void reach_error(void);
int __VERIFIER_nondet_int(void);
void outside(int *);
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n == 7)
        reach_error();
    outside(&n);
    return 0;
}
",
    )]);
    expect![[r#"
        a.c:8:9: in main(): a run fails here
        inputs of that run: 7
        FALSE
        = exit 1
    "#]]
    .assert_eq(&project.rigel(&["verify", "--property", "unreach-call", "a.c"]));
    expect![[r#"
        {
          "inputs": [],
          "property": "termination",
          "reasons": [
            {
              "column": 5,
              "file": "a.c",
              "function": "main",
              "line": 9,
              "text": "what `outside` does is not known exactly"
            }
          ],
          "tool": {
            "name": "rigel",
            "version": "0.1.0"
          },
          "verdict": "UNKNOWN",
          "version": 1
        }
        = exit 3
    "#]]
    .assert_eq(&project.rigel(&[
        "verify",
        "--property",
        "termination",
        "--format",
        "json",
        "a.c",
    ]));
    project.write("b.c", "int f(void) { return 1; }\n");
    expect![[r#"
        ! rigel: error: there is no function main to begin with
        = exit 2
    "#]]
    .assert_eq(&project.rigel(&["verify", "--property", "no-overflow", "b.c"]));
    project.write("c.c", "int main(void) { return x; }\n");
    expect![[r#"
        ! rigel: error: c.c: does not compile: c.c:1:25: error: use of undeclared identifier 'x'
        = exit 2
    "#]]
    .assert_eq(&project.rigel(&["verify", "--property", "no-overflow", "c.c"]));
}

/// What differs from run to run, and what no engine checks.
#[test]
fn what_nobody_knows() {
    check(&[
        (
            "unreach-call",
            "UNKNOWN",
            "int main(void) { int x; if (((unsigned long)&x >> 4) & 1) reach_error(); return 0; }",
        ),
        (
            "unreach-call",
            "UNKNOWN",
            "int main(void) { int x; int *p = &x; if (!(*((unsigned char *)&p + 1) & 1)) reach_error(); return 0; }",
        ),
        (
            "unreach-call",
            "UNKNOWN",
            "int main(void) { int *c = __builtin_alloca(4); if (*c == 7) reach_error(); return 0; }",
        ),
        (
            "unreach-call",
            "UNKNOWN",
            "extern void __VERIFIER_nondet_memory(void *, unsigned long); struct { int a; char b; } s;
             int main(void) { __VERIFIER_nondet_memory(&s, sizeof s); if (s.a > s.b) reach_error(); return 0; }",
        ),
        (
            "no-overflow",
            "UNKNOWN",
            "int main(void) { int x = 3; x = x << 30; return 0; }",
        ),
    ]);
}

/// On the machine that is meant pointers are smaller; what is said of their sizes is not known.
#[test]
fn sizes_of_the_other_machine() {
    let said = |source: &str| {
        let project = Project::new(&[("a.c", &format!("{HEAD}{source}"))]);
        let arguments = [
            "verify",
            "--property",
            "unreach-call",
            "--data-model",
            "ILP32",
            "a.c",
        ];
        let output = project.output(&arguments, &[]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.split_whitespace()
            .last()
            .unwrap_or_default()
            .to_string()
    };
    assert_eq!(
        said("int main(void) { if (sizeof(void *) != 4) reach_error(); return 0; }"),
        "UNKNOWN"
    );
    assert_eq!(
        said("int main(void) { if (sizeof(void *) != 8) reach_error(); return 0; }"),
        "UNKNOWN"
    );
    assert_eq!(
        said("int main(void) { long n = 2147483647; if (n < 0) reach_error(); return 0; }"),
        "TRUE"
    );
    assert_eq!(
        said(
            "int main(void) { int *p = malloc(2 * sizeof(int)); if (p == 0) return 0; reach_error(); }"
        ),
        "FALSE"
    );
}
