//! `rigel explain`: the finding that `check` named, in full; and why it is not reported.

mod common;

use common::Project;
use expect_test::{Expect, expect};
use serde_json::Value;

/// A path that only a solver refutes, one that the built-in prover does, a latent error, a real one.
const PROGRAM: &str = "\
unsigned solver(unsigned x, unsigned y)
{
    unsigned *p = 0;
    if ((x & y) + (x | y) != x + y)
        return *p;
    return x;
}
int builtin(int flag)
{
    int *p = 0;
    int seven = 7;
    if (flag * flag == 4)
        p = &seven;
    if (flag == 2)
        return *p;
    return 0;
}
int latent(int *q) { return *q; }
int real(int n)
{
    int *p = 0;
    n = n & 15;
    if (n > 10)
        return *p;
    return n;
}
";

/// Null that callers rely on not to get, a number that answers a null, a null from far away.
const SILENCED: &str = "\
static int table[4];
static int *entry_of(int kind, int n)
{
    if (kind == 3 && n > 9)
        return 0;
    return &table[kind & 3];
}
int first_caller(int n) { return *entry_of(1, n); }
int second_caller(int n) { return *entry_of(3, n); }
struct tree { struct tree *left, *right; };
static int count(struct tree *t) { return t ? 1 + count(t->left) + count(t->right) : 0; }
int divides(struct tree *t, int n) { return n / count(t); }
#define PASS(name, to) static int name(int *p) { return to(p); }
static int last(int *p) { return *p; }
PASS(a, last) PASS(b, a) PASS(c, b) PASS(d, c) PASS(e, d) PASS(f, e) PASS(g, f) PASS(h, g)
PASS(i, h) PASS(j, i) PASS(k, j) PASS(l, k) PASS(m, l) PASS(n, m) PASS(o, n) PASS(q, o)
int far(int n) { return n + q(0); }
#define TWO(x) x; x
#define LONG(x) TWO(TWO(TWO(TWO(TWO(TWO(TWO(TWO(TWO(TWO(x))))))))))
static int large(int *p, unsigned n)
{
    unsigned sum = 0;
    LONG(if (n > sum) sum += n);
    return *p + (int)sum;
}
int passes(unsigned n) { return large(0, n); }
";

/// Says that it does not know, and why: the budget.
const UNKNOWN: &str = "\
import re, sys
for line in sys.stdin:
    echo = re.match(r'\\(echo \"?([^\")]*)\"?\\)', line)
    if echo or line.startswith(('(check-sat', '(get-')):
        print(echo.group(1) if echo else 'unknown', flush=True)
";

fn project() -> Project {
    Project::new(&[("a.c", PROGRAM), ("unknown.py", UNKNOWN)])
}

/// The findings that `check` has with these options.
fn findings(project: &Project, options: &[&str]) -> Vec<Value> {
    let args = ["check", "a.c", "--format", "json"];
    let all: Vec<&str> = args.iter().chain(options).copied().collect();
    let output = project.output(&all, &[]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["findings"].as_array().unwrap().clone()
}

/// The id of the null dereference in a function.
fn id_of(project: &Project, function: &str, options: &[&str]) -> String {
    let options: Vec<&str> = ["--verbose", "--latent"]
        .iter()
        .chain(options)
        .copied()
        .collect();
    let found = findings(project, &options);
    let is_it = |f: &&Value| f["function"] == function && f["rule"] == "null-dereference";
    let finding = found
        .iter()
        .find(is_it)
        .unwrap_or_else(|| panic!("{function}: {found:#?}"));
    finding["id"].as_str().unwrap().to_string()
}

fn explains(function: &str, options: &[&str], expected: Expect) {
    let project = project();
    let solver: Vec<&str> = options
        .iter()
        .filter(|o| **o != "--why-not")
        .copied()
        .collect();
    let id = id_of(&project, function, &solver);
    let args: Vec<&str> = ["explain", &id, "a.c"]
        .iter()
        .chain(options)
        .copied()
        .collect();
    expected.assert_eq(&project.rigel(&args).replace(&id, "ID"));
}

#[test]
fn a_finding_with_its_whole_path() {
    explains(
        "real",
        &[],
        expect![[r#"
            error[null-dereference]: `p` is null when it is dereferenced                      must
              --> a.c:24:9  in real()
               |
            21 |     int *p = 0;
               |     - 1  p is declared
               |          - 2* p = NULL
            22 |     n = n & 15;
               |       - 3  n = n & 15
            23 |     if (n > 10)
               |           - 4  n > 10
            24 |         return *p;
               |         ^ 5* p dereferenced
               |
               = when    (n % 16 + 16) % 16 > 10   (then it always fails)
               = id      ID
               = *       the steps that matter

            error projection: 4 of 5 lines in 1 function; failing runs begin in real()
              * a failing run can pass here   . none can
            real()  a.c  4 of 5 lines
              21 * |     int *p = 0;
              22 * |     n = n & 15;
              23 * |     if (n > 10)
              24 * |         return *p;
              25 . |     return n;
              = proof   no failing run passes a line marked `.`
            = exit 1
        "#]],
    );
}

#[test]
fn what_a_solver_refuted() {
    explains(
        "solver",
        &["--why-not"],
        expect![[r#"
        refuted: no run can take this path

        note[null-dereference]: `p` is null when it is dereferenced                    refuted
         --> a.c:5:9  in solver()
          |
        4 |     if ((x & y) + (x | y) != x + y)
          |                           - 1  (x & y) + (x | y) != x + y
        5 |         return *p;
          |         ^ 2  p dereferenced
          |
          = why     level 2, a solver: no values make this step possible
          = id      ID
        = exit 0
    "#]],
    );
}

#[test]
fn what_the_built_in_prover_refuted() {
    explains(
        "builtin",
        &["--why-not"],
        expect![[r#"
        refuted: no run can take this path

        note[null-dereference]: `p` is null when it is dereferenced                    refuted
          --> a.c:15:9  in builtin()
           |
        12 |     if (flag * flag == 4)
           |                     - 1  flag * flag != 4
        14 |     if (flag == 2)
           |              - 2  flag == 2
        15 |         return *p;
           |         ^ 3  p dereferenced
           |
           = why     level 2, its built-in prover: these steps contradict each other
           = id      ID
        = exit 0
    "#]],
    );
    explains(
        "builtin",
        &[],
        expect![[r#"
        note[null-dereference]: `p` is null when it is dereferenced                    refuted
          --> a.c:15:9  in builtin()
           |
        10 |     int *p = 0;
           |     - 1  p is declared
           |          - 2  p = NULL
        11 |     int seven = 7;
           |     - 3  seven is declared
           |         - 4  seven = 7
        12 |     if (flag * flag == 4)
           |                     - 5* flag * flag != 4
        14 |     if (flag == 2)
           |              - 6* flag == 2
        15 |         return *p;
           |         ^ 7* p dereferenced
           |
           = why     level 2, its built-in prover: these steps contradict each other
           = id      ID
           = *       the steps that matter
        = exit 0
    "#]],
    );
}

#[test]
fn what_is_latent() {
    explains(
        "latent",
        &["--why-not"],
        expect![[r#"
        latent: nothing shows that a bad value comes here

        note[null-dereference]: `q` is null when it is dereferenced                     latent
          --> a.c:18:29  in latent()
           |
        16 |     return 0;
        17 | }
        18 | int latent(int *q) { return *q; }
           |                             ^ q dereferenced
           |
           = why     it needs a bad value of the parameter `q`, which nothing in view assigns,
                     reads, returns or tests for
           = id      ID
        = exit 0
    "#]],
    );
}

#[test]
fn what_is_undecided() {
    let solver = ["--why-not", "--solver", "python3 unknown.py"];
    explains(
        "solver",
        &solver,
        expect![[r#"
        undecided: neither seen to happen nor refuted

        note[null-dereference]: `p` is null when it is dereferenced                  undecided
         --> a.c:5:9  in solver()
          |
        3 |     unsigned *p = 0;
          |               - 1  p = NULL
        5 |         return *p;
          |         ^ 2  p dereferenced
          |
          = why     the solver's budget ended on this path; --precision 3 gives more
          = id      ID
        = exit 0
    "#]],
    );
}

#[test]
fn what_is_reported_after_all() {
    let project = project();
    let id = id_of(&project, "real", &[]);
    let said = project.rigel(&["explain", &id, "a.c", "--why-not"]);
    assert!(
        said.starts_with("reported: nothing speaks against this path\n\nerror["),
        "{said}"
    );
    assert!(said.ends_with("= exit 1\n"), "{said}");
}

#[test]
fn every_id_of_check_is_known() {
    let project = project();
    let plain = findings(&project, &[]);
    let all = findings(&project, &["--verbose", "--latent"]);
    assert!(plain.len() < all.len());
    for finding in &plain {
        let same = |other: &&Value| other["fingerprint"] == finding["fingerprint"];
        assert_eq!(all.iter().find(same).unwrap()["id"], finding["id"]);
    }
    for finding in &all {
        let id = finding["id"].as_str().unwrap();
        let output = project.output(&["explain", id, "a.c", "--format", "json"], &[]);
        let explained: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(&explained["finding"], finding, "check and explain agree");
        let reported = ["must", "may"].iter().any(|v| finding["verdict"] == *v);
        assert_eq!(output.status.code(), Some(i32::from(reported)));
        assert_eq!(finding["why"].is_null(), reported, "{finding:#}");
    }
}

#[test]
fn json_has_the_headline() {
    let project = project();
    let id = id_of(&project, "solver", &[]);
    let args = ["explain", &id, "a.c", "--format", "json", "--why-not"];
    let output = project.output(&args, &[]);
    let explained: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(explained["headline"], "refuted: no run can take this path");
    assert_eq!(explained["finding"]["verdict"], "refuted");
}

#[test]
fn the_beginning_of_an_id_is_enough() {
    let project = project();
    let id = id_of(&project, "real", &[]);
    let whole = project.rigel(&["explain", &id, "a.c"]);
    assert_eq!(project.rigel(&["explain", &id[..5], "a.c"]), whole);
    assert_eq!(
        project.rigel(&["explain", &id.to_uppercase(), "a.c"]),
        whole
    );
}

#[test]
fn an_id_that_is_nobodys() {
    let project = project();
    let id = id_of(&project, "real", &[]);
    let wrong = format!("{}x", &id[..5]);
    let said = project.rigel(&["explain", &wrong, "a.c"]);
    let start =
        format!("! rigel: error: {wrong}: there is no such finding; the nearest are {id}, ");
    assert!(said.starts_with(&start), "{said}");
    assert!(said.ends_with("= exit 2\n"), "{said}");
}

#[test]
fn a_file_that_cannot_be_read_is_a_failure() {
    let project = project();
    let id = id_of(&project, "real", &[]);
    let said = project.rigel(&["explain", &id, "a.c", "gone.c"]);
    assert!(said.ends_with("= exit 2\n"), "{said}");
    assert!(
        said.contains("dereferenced"),
        "what can be said is said: {said}"
    );
}

/// What is said of the findings of a rule in a function.
fn why(found: &[Value], function: &str, rule: &str) -> Vec<(String, String)> {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_string();
    found
        .iter()
        .filter(|f| f["function"] == function && f["rule"] == rule)
        .map(|f| (text(&f["verdict"]), text(&f["why"])))
        .collect()
}

#[test]
fn what_is_said_of_findings_that_are_not_reported_is_true() {
    let project = Project::new(&[("a.c", SILENCED)]);
    let found = findings(&project, &["--verbose", "--latent"]);
    let null = "null-dereference";
    let said = |verdict: &str, why: &str| vec![(verdict.to_string(), why.to_string())];
    let habit = said(
        "latent",
        "entry_of() may give null, but 2 of the 2 calls of it in view do not test for that: the \
         callers are taken to know when it does not",
    );
    assert_eq!(why(&found, "first_caller", null), habit);
    assert_eq!(why(&found, "second_caller", null), habit);
    assert_eq!(
        why(&found, "divides", "division-by-zero"),
        said(
            "latent",
            "it needs a bad value of count(), which gives one, if at all, for arguments or in a \
             state that no call in view is known to bring about"
        )
    );
    assert_eq!(
        why(&found, "last", null),
        said(
            "undecided",
            "callers may pass a bad value of the parameter `p` from farther away than 16 calls, \
             which is as far as calls are followed"
        )
    );
    assert_eq!(
        why(&found, "large", null),
        said(
            "undecided",
            "a caller in view may pass a bad value of the parameter `p`, but together the functions \
             on the way have more than 2000 edges, and larger ones are not looked at for their callers"
        )
    );
}

#[test]
fn a_limit_is_no_reason_where_nothing_bad_is_passed() {
    let right = SILENCED
        .replace("return n + q(0)", "return n + q(table)")
        .replace("return large(0, n)", "return large(table, n)");
    let project = Project::new(&[("a.c", &right)]);
    let found = findings(&project, &["--verbose", "--latent"]);
    for (function, parameter) in [("last", "p"), ("large", "p")] {
        let needed = format!(
            "it needs a bad value of the parameter `{parameter}`, which nothing in view assigns, \
             reads, returns or tests for"
        );
        let expected = vec![("latent".to_string(), needed)];
        assert_eq!(why(&found, function, "null-dereference"), expected);
    }
}
