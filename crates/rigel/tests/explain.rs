//! What a person reads of an error path. The paths are chosen by the tests, over lines of the
//! source, so that what is shown does not depend on which path a search would find.

mod common;

use common::Project;
use engine::ErrorPath;
use engine::explain;
use expect_test::{Expect, expect};
use ir::{EdgeId, NodeId, Stmt};
use report::text::Style;
use report::{Location, Verdict};
use std::collections::{BTreeMap, VecDeque};

/// A node, and how many of the lines to pass are passed.
type At = (NodeId, usize);

struct Case {
    text: &'static str,
    program: ir::Program,
}

impl Case {
    fn new(name: &str, text: &'static str) -> Case {
        let project = Project::new(&[(name, text)]);
        let units = common::lower(project.path(), name);
        let (mut program, _) = ir::link::link(units);
        rules::instrument(&mut program, rules::Selection::all());
        Case { text, program }
    }

    /// A shortest path to the check of this rule on this line, over these lines in this order.
    fn path(&self, rule: &str, line: u32, via: &[u32]) -> ErrorPath {
        for (function, _, body) in self.program.bodies() {
            let start: At = (body.entry, 0);
            let mut came: BTreeMap<At, (At, EdgeId)> = BTreeMap::new();
            let mut queue = VecDeque::from([start]);
            while let Some((node, passed)) = queue.pop_front() {
                for (id, edge) in body.out_edges(node) {
                    let next = passed + usize::from(via.get(passed) == Some(&edge.span.line));
                    if let Stmt::Check(check) = edge.stmt
                        && edge.span.line == line
                        && next == via.len()
                        && self.program.name(body.checks[check].rule) == rule
                    {
                        let mut path = vec![id];
                        let mut at = (node, passed);
                        while at != start {
                            let (before, edge) = came[&at];
                            path.push(edge);
                            at = before;
                        }
                        path.reverse();
                        return ErrorPath::new(function, check, path);
                    }
                    let to = (edge.to, next);
                    if to != start && !came.contains_key(&to) {
                        came.insert(to, ((node, passed), id));
                        queue.push_back(to);
                    }
                }
            }
        }
        panic!("no path to {rule} on line {line} over {via:?}");
    }

    fn finding(&self, rule: &str, line: u32, via: &[u32]) -> report::Finding {
        let places = |span: ir::Span| {
            let path = self.program.file_path(span.file);
            let file = path.rsplit('/').next().unwrap_or(path);
            Location::new(file, span.line, span.column)
        };
        let error = self.path(rule, line, via);
        explain::finding(&self.program, &error, Verdict::May, &places)
    }

    fn shows(&self, rule: &str, line: u32, via: &[u32], expected: Expect) {
        self.shows_with(rule, line, via, Style::default(), expected);
    }

    fn shows_with(&self, rule: &str, line: u32, via: &[u32], style: Style, expected: Expect) {
        let finding = self.finding(rule, line, via);
        let sources = |_: &str, line: u32| -> Option<String> {
            let mut lines = self.text.lines();
            lines.nth(line as usize - 1).map(str::to_string)
        };
        let text = report::text::render_finding(&finding, None, &sources, style);
        let lines = text.lines().map(|l| format!("{}\n", l.trim_end()));
        expected.assert_eq(&lines.collect::<String>());
    }

    fn message(&self, rule: &str, line: u32) -> String {
        self.finding(rule, line, &[]).message
    }
}

const LIST: &str = "\
#include <stddef.h>
struct node { struct node *next; int value; };
int last(struct node *l)
{
    struct node *p = NULL;
    for (; l; l = l->next)
        p = l;
    return p->value;
}
";

#[test]
fn the_example_of_the_design() {
    let case = Case::new("list.c", LIST);
    case.shows(
        "null-dereference",
        8,
        &[],
        expect![[r#"
        warning[null-dereference]: `p` is null when it is dereferenced                     may
         --> list.c:8:15  in last()
          |
        5 |     struct node *p = NULL;
          |                  - 1  p = NULL
        6 |     for (; l; l = l->next)
          |     - 2  l is NULL: the loop body never runs
        8 |     return p->value;
          |               ^ 3  p dereferenced
    "#]],
    );
    case.shows(
        "null-dereference",
        8,
        &[7],
        expect![[r#"
        warning[null-dereference]: `p` is null when it is dereferenced                     may
         --> list.c:8:15  in last()
          |
        6 |     for (; l; l = l->next)
          |     - 1  l is not NULL: the loop is entered
          |                 - 3  l = l->next
          |     - 4  l is NULL: the loop ends
        7 |         p = l;
          |           - 2  p = l
        8 |     return p->value;
          |               ^ 5  p dereferenced
    "#]],
    );
}

const UNSET: &str = "\
int f(int c, int n)
{
    int x;
    int seen = 0;
    if (c && n > 3)
        x = n;
    seen++;
    if (seen == 4)
        return 1;
    return x;
}
int g(int *out);
int h(void)
{
    int x, y = 2;
    g(&y);
    g(&x);
    return x + y;
}
";

#[test]
fn an_unset_variable_is_shown_with_what_did_not_set_it() {
    let case = Case::new("unset.c", UNSET);
    case.shows(
        "uninitialized-use",
        10,
        &[],
        expect![[r#"
        warning[uninitialized-use]: `x` is used uninitialized                              may
          --> unset.c:10:5  in f()
           |
         3 |     int x;
           |     - 1  x is declared without a value
         5 |     if (c && n > 3)
           |         - 2  c == 0
        10 |     return x;
           |     ^ 3  x used
    "#]],
    );
    case.shows(
        "uninitialized-use",
        18,
        &[],
        expect![[r#"
        warning[uninitialized-use]: `x` is used uninitialized                              may
          --> unset.c:18:14  in h()
           |
        15 |     int x, y = 2;
           |     - 1  x is declared without a value
        17 |     g(&x);
           |     - 2  g(&x)
        18 |     return x + y;
           |              ^ 3  x used
    "#]],
    );
    let full = Style {
        full_path: true,
        ..Style::default()
    };
    case.shows_with(
        "uninitialized-use",
        10,
        &[],
        full,
        expect![[r#"
        warning[uninitialized-use]: `x` is used uninitialized                              may
          --> unset.c:10:5  in f()
           |
         3 |     int x;
           |     - 1  x is declared without a value
         4 |     int seen = 0;
           |     - 2  seen is declared
           |         - 3  seen = 0
         5 |     if (c && n > 3)
           |         - 4  c == 0
         7 |     seen++;
           |         - 5  seen = seen + 1
         8 |     if (seen == 4)
           |              - 6  seen != 4
        10 |     return x;
           |     ^ 7  x used
    "#]],
    );
}

const LOOPS: &str = "\
int a[10];
void fill(int n)
{
    int i;
    int limit = n + 1;
    for (i = 0; i <= limit; i++)
        a[i] = i;
}
int next(void);
int count(int d)
{
    do
        d--;
    while (next());
    return 10 / d;
}
";

#[test]
fn loops() {
    let case = Case::new("loops.c", LOOPS);
    case.shows(
        "out-of-bounds",
        7,
        &[7, 6, 7],
        expect![[r#"
        warning[out-of-bounds]: index `i` of `a` is negative                               may
         --> loops.c:7:14  in fill()
          |
        5 |     int limit = n + 1;
          |         - 1  limit = n + 1
        6 |     for (i = 0; i <= limit; i++)
          |            - 2  i = 0
          |                   - 3  i <= limit: the loop is entered
          |                              - 4  i = i + 1
          |                   - 5  i <= limit: the loop goes on
        7 |         a[i] = i;
          |              ^ 6  a[i] accessed
    "#]],
    );
    case.shows(
        "division-by-zero",
        15,
        &[],
        expect![[r#"
            warning[division-by-zero]: division by zero: `d` is 0                              may
              --> loops.c:15:15  in count()
               |
            13 |         d--;
               |          - 1  d = d - 1
               |         - 2  next() == 0: the loop ends
            15 |     return 10 / d;
               |               ^ 3  divided by d
        "#]],
    );
}

const TEMPORARIES: &str = "\
#include <stdlib.h>
#include <assert.h>
int get(int n);
int f(int n, char *s, int (*call)(int), unsigned char u)
{
    int *q = malloc(n * sizeof *q);
    q[2] = get(get(n) + 1) / (n - 4);
    *(int *)malloc(4) = 3;
    assert(n < 5 && q);
    int r = call(3);
    if (get(n))
        r = n << u;
    int big[4] = {0};
    r += big[get(r)] + s[n];
    return *(int *)0 + r;
}
#define CHECK(c) if (!(c)) abort()
void g(int n) { CHECK(n); }
";

#[test]
fn messages_in_the_programs_own_words() {
    let case = Case::new("a.c", TEMPORARIES);
    let all = [
        ("null-dereference", 7),
        ("use-after-free", 7),
        ("out-of-bounds", 7),
        ("division-by-zero", 7),
        ("integer-overflow", 7),
        ("null-dereference", 8),
        ("assertion", 9),
        ("null-dereference", 10),
        ("shift-range", 12),
        ("out-of-bounds", 14),
        ("uninitialized-use", 14),
        ("null-dereference", 14),
        ("null-dereference", 15),
        ("assertion", 18),
    ];
    let messages = all.map(|(rule, line)| format!("{line}: {}\n", case.message(rule, line)));
    expect![[r#"
        7: `q` is null when it is dereferenced
        7: `q` is dereferenced, but what it points to is gone
        7: `q[2]` is out of bounds
        7: division by zero: `n - 4` is 0
        7: `get(n) + 1` overflows: the result does not fit `int`
        8: `malloc(4)` is null when it is dereferenced
        9: assertion `n < 5 && q` fails
        10: `call` is null when it is called
        12: shift amount `u` is negative or not less than 32
        14: index `get(r)` of `big` is negative
        14: `r` is used uninitialized
        14: `s` is null when it is dereferenced
        15: a null pointer is dereferenced
        18: `abort` is called
    "#]]
    .assert_eq(&messages.concat());
}

#[test]
fn temporaries_are_written_as_what_they_stand_for() {
    let case = Case::new("a.c", TEMPORARIES);
    case.shows(
        "null-dereference",
        7,
        &[],
        expect![[r#"
            warning[null-dereference]: `q` is null when it is dereferenced                     may
             --> a.c:7:10  in f()
              |
            6 |     int *q = malloc(n * sizeof *q);
              |          - 1  q = malloc(n * 4)
            7 |     q[2] = get(get(n) + 1) / (n - 4);
              |          ^ 2  q dereferenced
        "#]],
    );
    case.shows(
        "null-dereference",
        8,
        &[],
        expect![[r#"
            warning[null-dereference]: `malloc(4)` is null when it is dereferenced             may
             --> a.c:8:23  in f()
              |
            6 |     int *q = malloc(n * sizeof *q);
            7 |     q[2] = get(get(n) + 1) / (n - 4);
            8 |     *(int *)malloc(4) = 3;
              |                       ^ malloc(4) dereferenced
        "#]],
    );
    case.shows(
        "shift-range",
        12,
        &[],
        expect![[r#"
        warning[shift-range]: shift amount `u` is negative or not less than 32             may
          --> a.c:12:11  in f()
           |
        10 |     int r = call(3);
        11 |     if (get(n))
        12 |         r = n << u;
           |           ^ shifted by u
    "#]],
    );
    case.shows(
        "assertion",
        9,
        &[],
        expect![[r#"
        warning[assertion]: assertion `n < 5 && q` fails                                   may
         --> a.c:9:5  in f()
          |
        9 |     assert(n < 5 && q);
          |     - 1  n >= 5
          |     ^ 2  the assertion fails
    "#]],
    );
    for (rule, line) in [("out-of-bounds", 14), ("null-dereference", 15)] {
        let finding = case.finding(rule, line, &[]);
        assert!(!finding.message.contains('$'), "{}", finding.message);
        for step in finding.steps {
            assert!(!step.text.contains('$'), "{}", step.text);
        }
    }
}

const DEAD: &str = "\
#include <stdlib.h>
int f(int n)
{
    int *p = malloc(4);
    int other = n;
    free(p);
    return *p + other;
}
int g(void)
{
    int *p;
    {
        int x = 3;
        p = &x;
    }
    return *p;
}
";

#[test]
fn the_end_of_an_object_is_a_step() {
    let case = Case::new("dead.c", DEAD);
    case.shows(
        "use-after-free",
        7,
        &[],
        expect![[r#"
            warning[use-after-free]: `p` is dereferenced, but what it points to is gone        may
             --> dead.c:7:15  in f()
              |
            4 |     int *p = malloc(4);
              |          - 1  p = malloc(4)
            6 |     free(p);
              |     - 2  free(p)
            7 |     return *p + other;
              |               ^ 3  p dereferenced
        "#]],
    );
    case.shows(
        "use-after-free",
        16,
        &[],
        expect![[r#"
        warning[use-after-free]: `p` is dereferenced, but what it points to is gone        may
          --> dead.c:16:12  in g()
           |
        14 |         p = &x;
           |           - 1  p = &x
        15 |     }
           |     - 2  x goes out of scope
        16 |     return *p;
           |            ^ 3  p dereferenced
    "#]],
    );
}

const CPLUSPLUS: &str = "\
struct list {
    int *first = nullptr;
    int *find(int key) const;
};
namespace tools { int *make(const list &l); void keep(int *p); }
int use(list &l, int key)
{
    int *p = nullptr;
    try {
        p = l.find(key);
        tools::keep(p);
    } catch (...) {
        return *p;
    }
    for (int i = 0; i < key; i++) {
        for (int i = 1; i < key; i++)
            if (*l.first / i)
                return l.first[i];
    }
    return *tools::make(l);
}
";

#[test]
fn c_plus_plus() {
    let case = Case::new("use.cc", CPLUSPLUS);
    case.shows(
        "null-dereference",
        13,
        &[11],
        expect![[r#"
            warning[null-dereference]: `p` is null when it is dereferenced                     may
              --> use.cc:13:9  in use()
               |
            10 |         p = l.find(key);
               |           - 1  p = list::find(l, key)
            11 |         tools::keep(p);
               |         - 2  tools::keep(p) throws
            13 |         return *p;
               |         ^ 3  p dereferenced
        "#]],
    );
    case.shows(
        "null-dereference",
        20,
        &[],
        expect![[r#"
        warning[null-dereference]: `tools::make(l)` is null when it is dereferenced        may
          --> use.cc:20:5  in use()
           |
        18 |                 return l.first[i];
        19 |     }
        20 |     return *tools::make(l);
           |     ^ tools::make(l) dereferenced
    "#]],
    );
    case.shows(
        "division-by-zero",
        17,
        &[],
        expect![[r#"
        warning[division-by-zero]: division by zero: `i` is 0                              may
          --> use.cc:17:17  in use()
           |
        16 |         for (int i = 1; i < key; i++)
           |                  - 1  i = 1
           |                           - 2  i < key: the loop is entered
        17 |             if (*l.first / i)
           |                 ^ 3  divided by i
    "#]],
    );
}

const STATICS: &str = "\
int f(int a, int b, unsigned bits)
{
    static int counter;
    counter++;
    if ((bits & (bits + 1) | bits << 2 * 3) == 4 && (a - (b - 1)) * 2 > 3)
        return a / (counter - -b);
    return 1 / (a + b + 1 - (a ? b : 2));
}
";

#[test]
fn operators_and_static_variables() {
    let case = Case::new("s.c", STATICS);
    let finding = case.finding("division-by-zero", 6, &[]);
    assert_eq!(finding.message, "division by zero: `counter - -b` is 0");
    let texts: Vec<&str> = finding.steps.iter().map(|s| s.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "counter = counter + 1",
            "((bits & (bits + 1)) | (bits << 6)) == 4",
            "(a - (b - 1)) * 2 > 3",
            "divided by counter - -b",
        ]
    );
    let message = case.message("division-by-zero", 7);
    assert!(
        ["b", "2"]
            .map(|v| format!("division by zero: `a + b + 1 - {v}` is 0"))
            .contains(&message),
        "{message}"
    );
}
