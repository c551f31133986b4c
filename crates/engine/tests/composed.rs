//! How a path through several functions reads: three functions in two files, one call that returns,
//! inside one that does not.

use engine::{ErrorPath, explain};
use expect_test::{Expect, expect};
use ir::{CheckId, Composed, EdgeId, FrameId, FuncId, Inlined, Program, Span, Stmt, compose};
use report::{Finding, Importance, Location, Report, Totals, Verdict, json, sarif, text};
use std::sync::Arc;

const LIST: &str = "\
struct node { struct node *next; int value; };

static struct node *find(struct node *l, int key)
{
    for (; l; l = l->next)
        if (l->value == key)
            return l;
    return NULL;
}

int total(struct node *l, int key)
{
    struct node *p = find(l, key);
    return p->value + 1;
}
";

const MAIN: &str = "\
int total(struct node *l, int key);

int main(void)
{
    struct node *none = NULL;
    return total(none, 7);
}
";

const PROGRAM: &str = r#"
    struct node { size 16 align 8; next: struct node* @0; value: i32 @8 }
    unit "list.c"
    static fn find(l: struct node*, key: i32) -> struct node* { # "list.c":3:21
        0: assume l != null -> 1 # "list.c":5:12
        0: assume l == null -> 5 # "list.c":5:12
        1: check null-dereference l != null # "list.c":6:16
        2: assume l->value == key -> 3 # "list.c":6:22
        2: assume l->value != key -> 4 # "list.c":6:22
        3: return l -> 6 # "list.c":7:13
        4: l = l->next -> 0 # "list.c":5:17
        5: return null -> 6 # "list.c":8:5
        6: exit
    }
    fn total(l: struct node*, key: i32) -> i32 { # "list.c":11:5
        var p: struct node*
        0: declare p # "list.c":13:18
        1: p = find(l, key) # "list.c":13:22
        2: check null-dereference p != null # "list.c":14:15
        3: return p->value + 1 # "list.c":14:5
        4: exit
    }
    unit "main.c"
    fn main() -> i32 { # "main.c":3:5
        var none: struct node*, $t: i32
        0: declare none # "main.c":5:18
        1: none = null # "main.c":5:18
        2: $t = total(none, 7) # "main.c":6:12
        3: return $t # "main.c":6:5
        4: exit
    }
"#;

/// The edge of a function from one node to another.
fn edge(program: &Program, f: &str, from: u32, to: u32) -> EdgeId {
    let f = program.find_function(f).unwrap();
    let body = program.functions[f].body.as_ref().unwrap();
    let mut edges = body.edges().iter();
    let found = edges.find(|(_, e)| (e.from.0, e.to.0) == (from, to));
    found.unwrap().0
}

fn function(program: &Program, f: &str) -> FuncId {
    program.find_function(f).unwrap()
}

fn example() -> (Program, Arc<Composed>, ErrorPath) {
    let program = ir::parse(PROGRAM).unwrap();
    ir::validate(&program).unwrap();
    let calls = [
        Inlined {
            frame: FrameId(0),
            call: edge(&program, "main", 2, 3),
            callee: function(&program, "total"),
        },
        Inlined {
            frame: FrameId(1),
            call: edge(&program, "total", 1, 2),
            callee: function(&program, "find"),
        },
    ];
    let composed = compose(&program, function(&program, "main"), &calls).unwrap();
    let (main, total, find) = (FrameId(0), FrameId(1), FrameId(2));
    let path = composed.path(&[
        (main, edge(&program, "main", 0, 1)),
        (main, edge(&program, "main", 1, 2)),
        (total, edge(&program, "total", 0, 1)),
        (find, edge(&program, "find", 0, 5)),
        (find, edge(&program, "find", 5, 6)),
        (total, edge(&program, "total", 2, 3)),
    ]);
    let composed = Arc::new(composed);
    let check = composed.composed_check(total, CheckId(0)).unwrap();
    let error = ErrorPath::through(Arc::clone(&composed), check, path.unwrap());
    (program, composed, error)
}

fn finding(program: &Program, error: &ErrorPath) -> Finding {
    let places = |span: Span| Location::new(program.file_path(span.file), span.line, span.column);
    explain::finding(program, error, Verdict::May, &places)
}

fn sources(file: &str, line: u32) -> Option<String> {
    let text = match file {
        "list.c" => LIST,
        "main.c" => MAIN,
        _ => return None,
    };
    let at = (line as usize).checked_sub(1)?;
    text.lines().nth(at).map(str::to_string)
}

fn shown(full_path: bool, expected: Expect) {
    let (program, _, error) = example();
    let style = text::Style {
        full_path,
        ..text::Style::default()
    };
    let id = Some("4711ab");
    let text = text::render_finding(&finding(&program, &error), id, &sources, style);
    expected.assert_eq(&text);
}

#[test]
fn the_path_enters_and_leaves_functions() {
    shown(
        false,
        expect![[r#"
            warning[null-dereference]: `p` is null when it is dereferenced                     may
              --> list.c:14:15  in total()
              ::: main.c:5:18  in main()
               |
             5 |     struct node *none = NULL;
               |                  - 1  none = NULL
             6 |     return total(none, 7);
               |            - 2  calls total(none, 7) where none is NULL
               | ::: list.c:13:22  in total()
               | |
            13 | |     struct node *p = find(l, key);
               | |                      - 3  p = find(l, key) where l is NULL
               | | ::: list.c:5:12  in find()
               | | |
             5 | | |     for (; l; l = l->next)
               | | |            - 4  l is NULL: the loop body never runs
             8 | | |     return NULL;
               | | |     - 5  returns NULL
               | ::: list.c:14:15  in total()
               | |
            14 | |     return p->value + 1;
               | |               ^ 6  p dereferenced
               |
               = called  main.c:6:12  total(none, 7)
               = id      4711ab
        "#]],
    );
}

#[test]
fn the_full_path_has_everything() {
    shown(
        true,
        expect![[r#"
            warning[null-dereference]: `p` is null when it is dereferenced                     may
              --> list.c:14:15  in total()
              ::: main.c:5:18  in main()
               |
             5 |     struct node *none = NULL;
               |                  - 1  none is declared
               |                  - 2  none = NULL
             6 |     return total(none, 7);
               |            - 3  calls total(none, 7) where none is NULL
               | ::: list.c:13:18  in total()
               | |
            13 | |     struct node *p = find(l, key);
               | |                  - 4  p is declared
               | |                      - 5  p = find(l, key) where l is NULL
               | | ::: list.c:5:12  in find()
               | | |
             5 | | |     for (; l; l = l->next)
               | | |            - 6  l is NULL: the loop body never runs
             8 | | |     return NULL;
               | | |     - 7  returns NULL
               | ::: list.c:14:15  in total()
               | |
            14 | |     return p->value + 1;
               | |               ^ 8  p dereferenced
               |
               = called  main.c:6:12  total(none, 7)
               = id      4711ab
        "#]],
    );
}

#[test]
fn the_finding_is_that_of_the_check_in_its_own_function() {
    let (program, composed, error) = example();
    let total = function(&program, "total");
    assert_eq!(error.function, total);
    assert_eq!(error.own_check(), CheckId(0));
    let last = composed.body.edges()[*error.path.last().unwrap()]
        .stmt
        .clone();
    assert_eq!(last, Stmt::Check(error.check));
    let own = ErrorPath::new(total, CheckId(0), vec![edge(&program, "total", 2, 3)]);
    let (own, through) = (finding(&program, &own), finding(&program, &error));
    assert_eq!(report::fingerprint(&own), report::fingerprint(&through));
    assert_eq!(own.location, through.location);
    assert_eq!(own.function, through.function);
    assert_eq!(own.message, through.message);
}

#[test]
fn inputs_are_those_of_the_function_that_the_path_begins_in() {
    let (program, _, mut error) = example();
    error.when = Some("errno = 0".to_string());
    let when = finding(&program, &error).when;
    assert_eq!(when.as_deref(), Some("errno = 0 in main()"));
    error.composed = None;
    let when = finding(&program, &error).when;
    assert_eq!(when.as_deref(), Some("errno = 0"));
}

fn a_report() -> Report {
    let (program, _, error) = example();
    Report {
        findings: vec![finding(&program, &error)],
        totals: Totals::default(),
        ..Report::default()
    }
}

#[test]
fn json_has_function_and_depth_of_each_step() {
    let value = json::value(&a_report());
    let finding = &value["findings"][0];
    let mut text = String::new();
    for step in finding["steps"].as_array().unwrap() {
        let place = format!("{}:{}", step["file"].as_str().unwrap(), step["line"]);
        text.push_str(&format!(
            "{} {} {} {place} {} {}\n",
            step["depth"],
            step["function"].as_str().unwrap(),
            step["kind"].as_str().unwrap(),
            step["importance"].as_str().unwrap(),
            step["text"],
        ));
    }
    text.push_str(&format!("{:#}\n", finding["called"]));
    expect![[r#"
        0 main declare main.c:5 unimportant "none is declared"
        0 main assign main.c:5 essential "none = NULL"
        0 main call main.c:6 essential "calls total(none, 7) where none is NULL"
        1 total declare list.c:13 unimportant "p is declared"
        1 total call list.c:13 essential "p = find(l, key) where l is NULL"
        2 find loop list.c:5 essential "l is NULL: the loop body never runs"
        2 find return list.c:8 essential "returns NULL"
        1 total check list.c:14 essential "p dereferenced"
        [
          {
            "column": 12,
            "file": "main.c",
            "line": 6,
            "text": "total(none, 7)"
          }
        ]
    "#]]
    .assert_eq(&text);
}

#[test]
fn sarif_nests_the_steps() {
    let text = sarif::render(&a_report(), &sarif::Invocation::default(), &sources);
    let log: serde_json::Value = serde_json::from_str(&text).unwrap();
    let result = &log["runs"][0]["results"][0];
    let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
    let mut text = String::new();
    for step in flow.as_array().unwrap() {
        let location = &step["location"];
        let place = &location["physicalLocation"];
        text.push_str(&format!(
            "{} {} {} {}\n",
            step["nestingLevel"],
            place["artifactLocation"]["uri"].as_str().unwrap(),
            place["region"]["startLine"],
            location["message"]["text"],
        ));
    }
    expect![[r#"
        0 main.c 5 "none is declared"
        0 main.c 5 "none = NULL"
        0 main.c 6 "calls total(none, 7) where none is NULL"
        1 list.c 13 "p is declared"
        1 list.c 13 "p = find(l, key) where l is NULL"
        2 list.c 5 "l is NULL: the loop body never runs"
        2 list.c 8 "returns NULL"
        1 list.c 14 "p dereferenced"
    "#]]
    .assert_eq(&text);
}

/// All steps of a path that matter, each with its depth.
fn essential(program: &Program, error: &ErrorPath) -> Vec<String> {
    let finding = finding(program, error);
    let steps = finding.steps.iter();
    let steps = steps.filter(|s| s.importance == Importance::Essential);
    let told = steps.map(|s| format!("{} {}: {}", s.depth, s.function, s.text));
    told.collect()
}

/// The path of `f` along the nodes given, with the call at node 1 replaced by `g`, whose nodes are given, too.
fn called_once(text: &str, check: (u32, u32), steps: &[(u32, u32, u32)]) -> Vec<String> {
    let program = ir::parse(text).unwrap();
    ir::validate(&program).unwrap();
    let call = Inlined {
        frame: FrameId(0),
        call: edge(&program, "f", 1, 2),
        callee: function(&program, "g"),
    };
    let composed = compose(&program, function(&program, "f"), &[call]).unwrap();
    let name = |frame: u32| if frame == 0 { "f" } else { "g" };
    let steps: Vec<(FrameId, EdgeId)> = (steps.iter())
        .map(|(frame, from, to)| (FrameId(*frame), edge(&program, name(*frame), *from, *to)))
        .collect();
    let path = composed.path(&steps).unwrap();
    let check = composed.composed_check(FrameId(check.0), CheckId(check.1));
    let error = ErrorPath::through(Arc::new(composed), check.unwrap(), path);
    essential(&program, &error)
}

#[test]
fn what_a_callee_writes_through_a_pointer_is_followed() {
    let steps = called_once(
        r#"
        unit "a.c"
        fn g(out: i32**, n: i32) -> void { # "a.c":1:1
            0: assume n > 3 -> 1 # "a.c":2:9
            0: assume n <= 3 -> 2 # "a.c":2:9
            1: *out = null # "a.c":3:9
            2: exit
        }
        fn f(n: i32) -> i32 { # "a.c":6:1
            var p: i32*
            0: p = &::x # "a.c":7:10
            1: call g(&p, n) # "a.c":8:5
            2: check null-dereference p != null # "a.c":9:13
            3: return *p # "a.c":9:5
            4: exit
        }
        global x: i32 = 0
        "#,
        (0, 0),
        &[(0, 0, 1), (1, 0, 1), (1, 1, 2), (0, 2, 3)],
    );
    let expected = [
        "0 f: calls g(&p, n)",
        "1 g: *out = NULL",
        "1 g: returns",
        "0 f: p dereferenced",
    ];
    assert_eq!(steps, expected);
}

#[test]
fn a_callee_that_ends_what_a_pointer_points_to_is_told() {
    let steps = called_once(
        r#"
        unit "a.c"
        fn g() -> i32* { # "a.c":1:1
            var x: i32
            0: x = 1 # "a.c":2:9
            1: return &x # "a.c":3:5
            2: exit
        }
        fn f() -> i32 { # "a.c":6:1
            var p: i32*
            0: declare p # "a.c":7:10
            1: p = g() # "a.c":7:14
            2: check use-after-free alive(p) # "a.c":8:13
            3: return *p # "a.c":8:5
            4: exit
        }
        "#,
        (0, 0),
        &[(0, 0, 1), (1, 0, 1), (1, 1, 2), (0, 2, 3)],
    );
    let expected = [
        "0 f: p = g()",
        "1 g: returns &x",
        "1 g: returns: x goes out of scope",
    ];
    assert_eq!(steps[..3], expected);
}

#[test]
fn a_result_that_only_the_compiler_names_is_told_as_the_call() {
    let steps = called_once(
        r#"
        unit "a.c"
        fn g(n: i32) -> i32 { # "a.c":1:1
            0: return n - 1 # "a.c":2:5
            1: exit
        }
        fn f(n: i32, d: i32) -> i32 { # "a.c":6:1
            var $t: i32
            0: skip # "a.c":7:1
            1: $t = g(n) # "a.c":7:14
            2: check division-by-zero $t != 0 # "a.c":8:13
            3: return d / $t # "a.c":8:5
            4: exit
        }
        "#,
        (0, 0),
        &[(0, 0, 1), (1, 0, 1), (0, 2, 3)],
    );
    let expected = [
        "0 f: calls g(n)",
        "1 g: returns n - 1",
        "0 f: divided by g(n)",
    ];
    assert_eq!(steps, expected);
}

#[test]
fn a_call_that_does_not_matter_is_left_out() {
    let steps = called_once(
        r#"
        unit "a.c"
        global count: i32 = 0
        fn g(n: i32) -> void { # "a.c":1:1
            0: count = n # "a.c":2:5
            1: exit
        }
        fn f(n: i32) -> i32 { # "a.c":6:1
            var p: i32*
            0: p = null # "a.c":7:10
            1: call g(n) # "a.c":8:5
            2: check null-dereference p != null # "a.c":9:13
            3: return *p # "a.c":9:5
            4: exit
        }
        "#,
        (0, 0),
        &[(0, 0, 1), (1, 0, 1), (0, 2, 3)],
    );
    assert_eq!(steps, ["0 f: p = NULL", "0 f: p dereferenced"]);
}
