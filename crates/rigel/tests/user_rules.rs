//! Rules that users write (`--rule-file`): the examples, what every command makes of them, and what is kept.

mod common;

use common::Project;
use expect_test::expect;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

/// The five examples, in the order of the page.
const EXAMPLES: [&str; 5] = [
    "lock-discipline",
    "open-close",
    "chroot-chdir",
    "callback-order",
    "no-malloc-after-init",
];

/// What `rigel check` says of a file of an example, from the root of the repository; and its exit code.
fn example(name: &str, file: &str) -> (String, Option<i32>) {
    let directory = format!("examples/rules/{name}");
    let output = common::command(&["check", "--rule-file"])
        .arg(format!("{directory}/rules.rigel"))
        .arg(format!("{directory}/{file}"))
        .current_dir(root())
        .output()
        .unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    (report, output.status.code())
}

#[test]
fn the_examples_find_their_bug_and_nothing_in_the_corrected_file() {
    for name in EXAMPLES {
        let (report, code) = example(name, "buggy.c");
        assert_eq!(code, Some(1), "{name}: {report}");
        assert!(report.contains(&format!("[{name}]")), "{name}: {report}");
        let others = report.lines().filter(|l| {
            let heading = l.starts_with("error[") || l.starts_with("warning[");
            heading && !l.contains(&format!("[{name}]"))
        });
        assert_eq!(others.count(), 0, "{name}: {report}");
        let (report, code) = example(name, "fixed.c");
        assert_eq!((report.as_str(), code), ("", Some(0)), "{name}");
    }
}

/// The page has the examples word by word: behind `<!-- file: PATH -->` that file, behind `<!-- report: NAME -->` what is found.
/// `UPDATE_EXPECT=1` writes them anew.
#[test]
fn the_page_has_what_the_examples_have() {
    let page = root().join("docs/user-rules.md");
    let text = std::fs::read_to_string(&page).unwrap();
    let mut new = String::new();
    let mut lines = text.lines();
    let mut shown = Vec::new();
    while let Some(line) = lines.next() {
        new.push_str(line);
        new.push('\n');
        let marker = line
            .strip_prefix("<!-- ")
            .and_then(|l| l.strip_suffix(" -->"));
        let content = match marker.and_then(|m| m.split_once(": ")) {
            Some(("file", path)) => std::fs::read_to_string(root().join(path)).unwrap(),
            Some(("report", name)) => example(name, "buggy.c").0,
            _ => continue,
        };
        shown.extend(marker);
        let fence = lines.next().unwrap();
        assert!(fence.starts_with("```"), "{line}: {fence}");
        new.push_str(&format!("{fence}\n{}\n```\n", content.trim_end()));
        lines.find(|line| *line == "```").unwrap();
    }
    for name in EXAMPLES {
        let rules = format!("file: examples/rules/{name}/rules.rigel");
        let report = format!("report: {name}");
        assert!(shown.contains(&rules.as_str()), "{rules}");
        assert!(shown.contains(&report.as_str()), "{report}");
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&page, &new).unwrap();
    } else {
        assert!(
            text == new,
            "docs/user-rules.md is not what the examples are:\n{new}"
        );
    }
}

const RULES: &str = r#"rule in-turn "a lock is taken and given back in turn" {
    severity warning
    cwe 667, 764
    each l
    start:
        take(l) -> taken
    taken "is taken":
        give(l) -> start
        take(l) -> error "`{l}` is taken twice in {function}"
}
"#;

const CODE: &str = "struct lock;
void take(struct lock *);
void give(struct lock *);
void f(struct lock *l, int n)
{
    take(l);
    if (n > 7)
        take(l);
    give(l);
}
";

fn project() -> Project {
    Project::new(&[("in-turn.rigel", RULES), ("a.c", CODE)])
}

const CHECK: [&str; 4] = ["check", "--rule-file", "in-turn.rigel", "a.c"];

#[test]
fn a_finding_of_such_a_rule_reads_like_any_other() {
    expect![[r#"
        warning[in-turn]: `l` is taken twice in f                                          may
         --> a.c:8:9  in f()
          |
        6 |     take(l);
          |     - 1  l is taken
        7 |     if (n > 7)
          |           - 2  n > 7
        8 |         take(l);
          |         ^ 3  take(l)
          |
          = when    l = not NULL, n = 8
          = id      0437fc

        ! 1 unit, 1 function, 4 checks: 0 proved, 3 latent, 0 refuted, 1 reported · TIME
        = exit 1
    "#]]
    .assert_eq(&project().rigel(&CHECK));
}

#[test]
fn such_rules_are_shown_unless_somebody_says_otherwise() {
    let project = project();
    let with = |more: &[&str]| project.rigel(&[&CHECK[..], more].concat());
    for more in [
        &[][..],
        &["--rules", "in-turn"],
        &["--rules", "all"],
        &["--rules", "default"],
        &["--rules", "null-dereference,in-turn"],
    ] {
        assert!(with(more).contains("[in-turn]"), "{more:?}");
    }
    for more in [
        &["--rules", "null-dereference"],
        &["--rules", "all,-in-turn"],
    ] {
        assert!(!with(more).contains("[in-turn]"), "{more:?}");
    }
    let said = with(&["--rules", "in-tur"]);
    assert!(said.contains("did you mean `in-turn`?"), "{said}");
    let said = project.rigel(&["check", "--rules", "in-turn", "a.c"]);
    assert!(said.contains("there is no rule `in-turn`"), "{said}");
}

#[test]
fn they_are_listed_and_explained() {
    let project = project();
    let list = project.rigel(&["rules", "--rule-file", "in-turn.rigel"]);
    let own: Vec<&str> = list.lines().filter(|l| l.starts_with("in-turn")).collect();
    expect![[r#"in-turn            a lock is taken and given back in turn (CWE-667, CWE-764)"#]]
        .assert_eq(&own.join("\n"));
    expect![[r#"
        # in-turn

        ## What it finds

        a lock is taken and given back in turn.

        - `…` is taken twice in the function

        ## The rule

        From in-turn.rigel:

        ```
        rule in-turn "a lock is taken and given back in turn" {
            severity warning
            cwe 667, 764
            each l
            start:
                take(l) -> taken
            taken "is taken":
                give(l) -> start
                take(l) -> error "`{l}` is taken twice in {function}"
        }
        ```

        ## How rigel decides

        Where a function is entered, what is followed may be in any state. A line of the rule takes it to another; a state in which it would be an error is left out. It is an error where it is one in every state that is left. Calls count by what the called function makes of each state on all of its ways together; of one that is not in view anything is possible. That a function returns is an error only if it does on another way what makes it right.

        ## CWE

        CWE-667; CWE-764
        = exit 0
    "#]].assert_eq(&project.rigel(&[
        "rules",
        "--rule-file",
        "in-turn.rigel",
        "in-turn",
    ]));
}

#[test]
fn programs_read_them_in_json_and_sarif() {
    let project = project();
    let read = |format: &str| -> serde_json::Value {
        let args = [&CHECK[..], &["--format", format]].concat();
        serde_json::from_slice(&project.output(&args, &[]).stdout).unwrap()
    };
    let report = read("json");
    let finding = &report["findings"][0];
    assert_eq!(finding["rule"], "in-turn");
    assert_eq!(finding["severity"], "warning");
    assert_eq!(finding["cwe"], serde_json::json!([667, 764]));
    assert_eq!(finding["message"], "`l` is taken twice in f");
    let report = read("sarif");
    let run = &report["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let rule = rules.iter().find(|r| r["id"] == "in-turn").unwrap();
    assert_eq!(rule["defaultConfiguration"]["level"], "warning");
    assert_eq!(
        rule["shortDescription"]["text"],
        "a lock is taken and given back in turn"
    );
    let tags = rule["properties"]["tags"].as_array().unwrap();
    assert!(tags.contains(&"external/cwe/cwe-667".into()), "{tags:?}");
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "in-turn");
    assert_eq!(result["level"], "warning");
    let index = result["ruleIndex"].as_u64().unwrap() as usize;
    assert_eq!(rules[index]["id"], "in-turn");
    // The projection goes with the finding.
    assert!(
        result["properties"]["errorProjection"].is_object(),
        "{result}"
    );
}

#[test]
fn a_finding_is_explained_by_its_id_alone() {
    let project = project();
    let keep = [("RIGEL_CACHE", ".rigel")];
    let report = project.rigel_with(&CHECK, &keep);
    let id = report.lines().find_map(|l| l.trim().strip_prefix("= id"));
    let id = id.unwrap().trim();
    expect![[r#"
        warning[in-turn]: `l` is taken twice in f                                          may
         --> a.c:8:9  in f()
          |
        6 |     take(l);
          |     - 1* l is taken
          |     - 2  take(l)
        7 |     if (n > 7)
          |           - 3* n > 7
        8 |         take(l);
          |         ^ 4* take(l)
          |
          = when    l = not NULL, n = 8
          = id      0437fc
          = *       the steps that matter

        error projection: 3 of 4 lines in 1 function; failing runs begin in f()
          * a failing run can pass here   . none can
        f()  a.c  3 of 4 lines
           6 * |     take(l);
           7 * |     if (n > 7)
           8 * |         take(l);
           9 . |     give(l);
          = open    a line marked `.` is no proof: the code of give, take is not there
        = exit 1
    "#]]
    .assert_eq(&project.rigel_with(&["explain", id], &keep));
}

#[test]
fn a_file_that_is_wrong_ends_the_run_with_line_and_column() {
    let project = project();
    project.write("wrong.rigel", &RULES.replace("-> taken", "-> takne"));
    project.write("own.rigel", &RULES.replace("in-turn", "double-free"));
    std::fs::write(project.path().join("bytes.rigel"), [0xff, 0xfe]).unwrap();
    let mut said = String::new();
    for file in ["wrong.rigel", "own.rigel", "bytes.rigel", "missing.rigel"] {
        said += &project.rigel(&["check", "--rule-file", file, "a.c"]);
    }
    let twice = [
        "check",
        "--rule-file",
        "in-turn.rigel",
        "--rule-file",
        "in-turn.rigel",
        "a.c",
    ];
    said += &project.rigel(&twice);
    expect![[r#"
        ! rigel: error: wrong.rigel:6:20: there is no state `takne` (did you mean `taken`?)
        = exit 2
        ! rigel: error: own.rigel:1:6: `double-free` is a rule of rigel's own (choose another id)
        = exit 2
        ! rigel: error: bytes.rigel: no rules: it is not UTF-8
        = exit 2
        ! rigel: error: missing.rigel: no rules: No such file or directory (os error 2)
        = exit 2
        ! rigel: error: in-turn.rigel:1:6: there are two rules `in-turn` (the first is in in-turn.rigel:1)
        = exit 2
    "#]].assert_eq(&said);
}

/// An answer that was kept is not that of another rule.
#[test]
fn another_text_is_another_question() {
    let project = project();
    let args = [&CHECK[..], &["--cache", "kept"]].concat();
    let said = |args: &[&str]| {
        let said = project.rigel(args);
        let heading = said.lines().find(|l| l.contains("[in-turn]"));
        heading
            .unwrap_or("nothing")
            .split("   ")
            .next()
            .unwrap()
            .to_string()
    };
    assert_eq!(said(&args), "warning[in-turn]: `l` is taken twice in f");
    assert_eq!(said(&args), "warning[in-turn]: `l` is taken twice in f");
    project.write(
        "in-turn.rigel",
        &RULES.replace("is taken twice", "was there"),
    );
    assert_eq!(said(&args), "warning[in-turn]: `l` was there in f");
    project.write("in-turn.rigel", &RULES.replace("warning", "note"));
    assert_eq!(said(&args), "note[in-turn]: `l` is taken twice in f");
    project.write(
        "in-turn.rigel",
        &RULES.replace("take(l) -> error", "grab(l) -> error"),
    );
    assert_eq!(said(&args), "nothing");
    project.write("in-turn.rigel", RULES);
    assert_eq!(said(&args), "warning[in-turn]: `l` is taken twice in f");
    // Without the file there is no such rule, whatever is kept.
    assert_eq!(said(&["check", "a.c", "--cache", "kept"]), "nothing");
}

#[test]
fn several_files_and_threads_say_the_same() {
    let project = project();
    let other = RULES
        .replace("in-turn", "other")
        .replace("each l", "each l\n    harmless work");
    project.write("other.rigel", &other);
    let said = |jobs: &str| {
        let args = [
            "check",
            "--rule-file",
            "in-turn.rigel",
            "--rule-file",
            "other.rigel",
            "--format",
            "json",
            "--jobs",
            jobs,
            "a.c",
        ];
        String::from_utf8(project.output(&args, &[]).stdout).unwrap()
    };
    let one = said("1");
    assert!(
        one.contains("\"other\"") && one.contains("\"in-turn\""),
        "{one}"
    );
    assert_eq!(one, said("2"));
}

#[test]
fn a_program_can_be_looked_at_with_them() {
    let project = project();
    let args = [
        "ir",
        "--checks",
        "--rule-file",
        "in-turn.rigel",
        "a.c",
        "--function",
        "f",
    ];
    let text = project.rigel(&args);
    assert!(text.contains("check in-turn "), "{text}");
    assert!(text.contains("$in-turn.state.taken"), "{text}");
}
