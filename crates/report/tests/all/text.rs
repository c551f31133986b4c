//! What people read, as a whole.

use crate::common::{LIST, MAIN, null_dereference, over_two_files, sources, step};
use expect_test::expect;
use report::text::{Style, render, render_finding};
use report::{
    Caller, Finding, Importance, Location, Report, Sources, StepKind, Verdict, short_ids,
};

fn shown(finding: &Finding, sources: &dyn Sources, style: Style) -> String {
    render_finding(finding, Some("7f3a91"), sources, style)
}

#[test]
fn the_example_of_the_design() {
    let files = sources(&[("list.c", LIST)]);
    expect![[r#"
        error[null-dereference]: `p` is null when it is dereferenced                      must
          --> list.c:14:12  in last()
           |
         9 |     struct node *p = NULL;
           |                  - 1  p = NULL
        10 |     for (; l; l = l->next)
           |            - 2  l is NULL: the loop body never runs
        14 |     return p->value;
           |            ^ 3  p dereferenced
           |
           = when    l == NULL                 (then it always fails)
           = called  main.c:4:12  last(NULL)
           = id      7f3a91
    "#]]
    .assert_eq(&shown(&null_dereference(), &files, Style::default()));
}

#[test]
fn a_path_over_two_files() {
    let files = sources(&[("list.c", LIST), ("main.c", MAIN)]);
    expect![[r#"
        error[null-dereference]: `p` is null when it is dereferenced                      must
          --> list.c:14:12  in last()
          ::: main.c:4:12  in main()
           |
         4 |     return last(NULL);
           |            - 1  last(NULL) is called
           | ::: list.c:9:18  in last()
           | |
         9 | |     struct node *p = NULL;
           | |                  - 2  p = NULL
        10 | |     for (; l; l = l->next)
           | |            - 3  l is NULL: the loop body never runs
        14 | |     return p->value;
           | |            ^ 4  p dereferenced
           |
           = when    l == NULL                 (then it always fails)
           = id      7f3a91
    "#]]
    .assert_eq(&shown(&over_two_files(), &files, Style::default()));
}

#[test]
fn colours_change_no_letter() {
    let files = sources(&[("list.c", LIST), ("main.c", MAIN)]);
    for verdict in [Verdict::Must, Verdict::May, Verdict::Latent] {
        let mut finding = over_two_files();
        finding.verdict = verdict;
        let plain = render_finding(&finding, None, &files, Style::default());
        let style = Style {
            color: true,
            ..Style::default()
        };
        let colored = render_finding(&finding, None, &files, style);
        assert!(colored.len() > plain.len());
        let mut pieces = colored.split('\x1b');
        let mut letters = pieces.next().unwrap_or_default().to_string();
        for piece in pieces {
            letters.push_str(piece.split_once('m').unwrap().1);
        }
        assert_eq!(letters, plain);
    }
    let style = Style {
        color: true,
        ..Style::default()
    };
    let colored = render_finding(&over_two_files(), None, &files, style);
    assert!(colored.starts_with("\x1b[1;31merror[null-dereference]\x1b[0m\x1b[1m: `p` is null"));
    assert!(colored.contains("\x1b[1;34m14 | | \x1b[0m    return p->value;\n"));
    assert!(colored.contains("\x1b[1;31m^ 4  p dereferenced\x1b[0m\n"));
}

#[test]
fn without_the_source_the_steps_are_still_told() {
    let nothing = |_: &str, _: u32| None;
    expect![[r#"
        error[null-dereference]: `p` is null when it is dereferenced                      must
          --> list.c:14:12  in last()
          ::: main.c:4:12  in main()
           |
         4 | - 1  last(NULL) is called
           | ::: list.c:9:18  in last()
           | |
         9 | | - 2  p = NULL
        10 | | - 3  l is NULL: the loop body never runs
        14 | | ^ 4  p dereferenced
           |
           = when    l == NULL                 (then it always fails)
           = id      7f3a91
    "#]]
    .assert_eq(&shown(&over_two_files(), &nothing, Style::default()));
}

#[test]
fn the_full_path_has_all_steps() {
    let files = sources(&[("list.c", LIST)]);
    let mut finding = null_dereference();
    finding.steps[1].importance = Importance::Important;
    finding.steps[2].importance = Importance::Unimportant;
    finding.when = None;
    finding.called.clear();
    // The failing step is there whatever its importance.
    expect![[r#"
        error[null-dereference]: `p` is null when it is dereferenced                      must
          --> list.c:14:12  in last()
           |
         9 |     struct node *p = NULL;
           |                  - 1  p = NULL
        14 |     return p->value;
           |            ^ 2  p dereferenced
           |
           = id      7f3a91
    "#]]
    .assert_eq(&shown(&finding, &files, Style::default()));
    let full = Style {
        full_path: true,
        ..Style::default()
    };
    expect![[r#"
        error[null-dereference]: `p` is null when it is dereferenced                      must
          --> list.c:14:12  in last()
           |
         9 |     struct node *p = NULL;
           |                  - 1  p = NULL
        10 |     for (; l; l = l->next)
           |            - 2  l is NULL: the loop body never runs
        14 |     return p->value;
           |            ^ 3  p dereferenced
           |
           = id      7f3a91
    "#]]
    .assert_eq(&shown(&finding, &files, full));
}

#[test]
fn several_steps_on_a_line_and_lines_far_apart() {
    let text = "int f(void)\n{\n    int i = 0, d = 0;\n\n\n\n\n\n\n    return i / d;\n}\n";
    let file: &'static str = Box::leak(text.to_string().into_boxed_str());
    let files = sources(Box::leak(Box::new([("f.c", file)])));
    let mut finding = null_dereference();
    finding.rule = crate::common::rule("division-by-zero");
    finding.verdict = Verdict::May;
    finding.message = "`d` may be 0 when it divides".to_string();
    finding.location = Location::new("f.c", 10, 14);
    finding.function = "f".to_string();
    finding.steps = vec![
        step("f.c", 3, 9, StepKind::Assign, "i = 0"),
        step("f.c", 3, 16, StepKind::Assign, "d = 0"),
        step("f.c", 10, 14, StepKind::Check, "divided by d"),
    ];
    for step in &mut finding.steps {
        step.function = "f".to_string();
    }
    finding.called.clear();
    expect![[r#"
        warning[division-by-zero]: `d` may be 0 when it divides                            may
          --> f.c:10:14  in f()
           |
         3 |     int i = 0, d = 0;
           |         - 1  i = 0
           |                - 2  d = 0
        ...
        10 |     return i / d;
           |              ^ 3  divided by d
           |
           = when    l == NULL
           = id      7f3a91
    "#]]
    .assert_eq(&shown(&finding, &files, Style::default()));
}

#[test]
fn tabs_wide_characters_and_long_lines() {
    let files = |file: &str, line: u32| match (file, line) {
        ("t.c", 1) => Some("\tchar *größe = \"漢字\"; *p = 1;".to_string()),
        ("t.c", 2) => Some(format!(
            "{}*q = 2; {}*r = 3;",
            "a + ".repeat(40),
            "b; ".repeat(60)
        )),
        _ => None,
    };
    let mut finding = null_dereference();
    finding.location = Location::new("t.c", 2, 0);
    finding.when = None;
    finding.called.clear();
    let column = |line: u32, word: &str| {
        let text = files("t.c", line).unwrap();
        text.find(word).unwrap() as u32 + 2
    };
    finding.steps = vec![
        step("t.c", 1, column(1, "*p"), StepKind::Assign, "p"),
        step("t.c", 2, column(2, "*q"), StepKind::Assign, "q"),
        step("t.c", 2, column(2, "*r"), StepKind::Check, "r"),
    ];
    let narrow = Style {
        width: 60,
        ..Style::default()
    };
    expect![[r#"
        error[null-dereference]: `p` is null when it is dereferenced   must
         --> t.c:2  in last()
          |
        1 |         char *größe = "漢字"; *p = 1;
          |                                - 1  p
        2 | …a + a + a + *q = 2; b; b; b; b; b; b; b; b; b; b; b; b…
          |               - 2  q
        2 | …; b; b; b; b; b; b; b; b; b; b; b; b; b; b; b; *r = 3;
          |                                                  ^ 3  r
          |
          = id      7f3a91
    "#]]
    .assert_eq(&shown(&finding, &files, narrow));
}

#[test]
fn a_failed_run() {
    let files = sources(&[("list.c", LIST)]);
    let mut finding = null_dereference();
    finding.rule = None;
    finding.message = "the program aborts: abort() was called".to_string();
    finding.when = None;
    finding.seen = Some("null".to_string());
    finding.steps.drain(..2);
    finding.steps[0].text = "`p != null` does not hold".to_string();
    finding.called = (1..=10)
        .map(|line| Caller {
            location: Location::new("main.c", line, 12),
            text: "in main()".to_string(),
        })
        .collect();
    expect![[r#"
        error: the program aborts: abort() was called                                     must
          --> list.c:14:12  in last()
           |
        13 |     /* the list has ended */
        14 |     return p->value;
           |            ^ `p != null` does not hold
           |
           = seen    null
           = called  main.c:1:12  in main()
           = called  main.c:2:12  in main()
           = called  main.c:3:12  in main()
           = called  main.c:4:12  in main()
                     … 2 more calls
           = called  main.c:7:12  in main()
           = called  main.c:8:12  in main()
           = called  main.c:9:12  in main()
           = called  main.c:10:12  in main()
    "#]]
    .assert_eq(&render_finding(&finding, None, &files, Style::default()));
    // Nothing at all is known about where.
    finding.location = Location::new("(generated)", 0, 0);
    finding.steps.clear();
    finding.called.clear();
    finding.seen = None;
    expect![[r#"
        error: the program aborts: abort() was called                                     must
         --> (generated)  in last()
    "#]]
    .assert_eq(&render_finding(&finding, None, &files, Style::default()));
}

#[test]
fn a_report_shows_every_finding_with_its_id() {
    let mut report = Report::default();
    let nothing = |_: &str, _: u32| None;
    assert_eq!(render(&report, &nothing, Style::default()), "");
    let mut other = null_dereference();
    other.fingerprint_parts.ordinal = 1;
    report.findings = vec![null_dereference(), other];
    let ids = short_ids(&report.findings);
    assert_ne!(ids[0], ids[1]);
    let text = render(&report, &nothing, Style::default());
    let shown: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("= id      "))
        .collect();
    assert_eq!(shown, ids);
    assert!(text.ends_with("\n\n"));
}
