//! One finding for each cause and place; identity and order.

use crate::common::{null_dereference, over_two_files};
use report::{Finding, Location, Report, Shown, Verdict, fingerprint, normalize};

fn normal(findings: Vec<Finding>) -> Vec<Finding> {
    let mut report = Report {
        findings,
        ..Report::default()
    };
    normalize(&mut report);
    report.findings
}

#[test]
fn the_shortest_path_stays() {
    for findings in [
        vec![null_dereference(), over_two_files()],
        vec![over_two_files(), null_dereference()],
    ] {
        let kept = normal(findings);
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].steps.len(), 3);
    }
}

#[test]
fn a_surer_verdict_is_worth_a_longer_path() {
    let mut may = null_dereference();
    may.verdict = Verdict::May;
    let kept = normal(vec![may, over_two_files()]);
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].verdict, Verdict::Must);
}

#[test]
fn instances_of_a_template_are_one_place() {
    let with = |function: &str| Finding {
        function: function.to_string(),
        ..null_dereference()
    };
    let kept = normal(vec![with("at<int>(int)"), with("at<char>(char)")]);
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].function, "at<char>(char)");
    // One line of a macro in two functions is two places to look at.
    assert_eq!(normal(vec![with("f"), with("g")]).len(), 2);
}

#[test]
fn one_instance_speaks_and_names_the_others() {
    let with = |function: &str, message: &str| Finding {
        function: function.to_string(),
        message: message.to_string(),
        ..null_dereference()
    };
    let longer = Finding {
        function: "at<1>()".to_string(),
        message: "index `1`".to_string(),
        ..over_two_files()
    };
    let mut findings = vec![
        with("at<3>()", "index `3`"),
        longer,
        with("at<2>()", "index `2`"),
        // Two causes at one place, in one instance: both stay.
        with("at<2>()", "index `-1`"),
    ];
    for _ in 0..findings.len() {
        findings.rotate_left(1);
        let kept = normal(findings.clone());
        let messages: Vec<&str> = kept.iter().map(|f| f.message.as_str()).collect();
        assert_eq!(messages, ["index `-1`", "index `2`"]);
        assert!(kept.iter().all(|f| f.also_in == ["at<1>()", "at<3>()"]));
    }
}

#[test]
fn what_differs_stays_and_is_sorted() {
    let base = null_dereference;
    let at = |file: &str, line, column| Finding {
        location: Location::new(file, line, column),
        ..base()
    };
    let message = Finding {
        message: "`q` is null".to_string(),
        ..at("list.c", 2, 1)
    };
    let rule = Finding {
        rule: crate::common::rule("assertion"),
        ..at("list.c", 2, 1)
    };
    let expected = vec![
        at("a.c", 30, 1),
        at("list.c", 1, 9),
        rule,
        at("list.c", 2, 1),
        message,
        at("list.c", 2, 10),
        at("list.c", 10, 1),
    ];
    let shown = |findings: &[Finding]| -> Vec<String> {
        let line = |f: &Finding| format!("{} {} {}", f.location, f.rule_id(), f.message);
        findings.iter().map(line).collect()
    };
    let mut mixed = expected.clone();
    for turn in 0..expected.len() {
        mixed.rotate_left(1);
        mixed.swap(0, turn);
        assert_eq!(shown(&normal(mixed.clone())), shown(&expected));
    }
}

#[test]
fn only_what_the_user_wants_to_see() {
    let verdicts = [
        Verdict::Must,
        Verdict::May,
        Verdict::Latent,
        Verdict::Undecided,
        Verdict::Refuted,
    ];
    let kept = |shown: Shown| -> Vec<Verdict> {
        let findings = verdicts.map(|verdict| Finding {
            verdict,
            ..null_dereference()
        });
        let mut report = Report {
            findings: findings.to_vec(),
            ..Report::default()
        };
        report.keep(shown);
        report.findings.iter().map(|f| f.verdict).collect()
    };
    assert_eq!(kept(Shown::default()), verdicts[..2]);
    let latent = Shown {
        latent: true,
        ..Shown::default()
    };
    assert_eq!(kept(latent), verdicts[..3]);
    let all = Shown {
        latent: true,
        undecided: true,
        refuted: true,
    };
    assert_eq!(kept(all), verdicts);
}

#[test]
fn a_fingerprint_survives_moved_lines_and_better_words() {
    let mut moved = over_two_files();
    moved.location.line += 100;
    moved.message = "said better".to_string();
    moved.verdict = Verdict::May;
    assert_eq!(fingerprint(&moved), fingerprint(&null_dereference()));
    let full = fingerprint(&moved);
    assert!(full.len() == 64 && full.bytes().all(|b| b.is_ascii_hexdigit()));
}

#[test]
fn a_fingerprint_tells_findings_apart() {
    let base = fingerprint(&null_dereference());
    let changed = |change: fn(&mut Finding)| {
        let mut finding = null_dereference();
        change(&mut finding);
        fingerprint(&finding)
    };
    let others = [
        changed(|f| f.rule = crate::common::rule("assertion")),
        changed(|f| f.fingerprint_parts.function.push('2')),
        changed(|f| f.fingerprint_parts.condition.push('2')),
        changed(|f| f.fingerprint_parts.ordinal = 1),
        // The same letters, divided otherwise.
        changed(|f| {
            f.fingerprint_parts.function = "lastp".to_string();
            f.fingerprint_parts.condition = " != null".to_string();
        }),
    ];
    for (i, other) in others.iter().enumerate() {
        assert_ne!(*other, base, "{i}");
        assert!(!others[..i].contains(other), "{i}");
    }
}

/// Another instance of a template in which the same place cannot fail is no further place to look.
#[test]
fn what_is_refuted_in_one_instance_is_not_named_with_what_fails_in_another() {
    let instance = |function: &str, verdict: Verdict| Finding {
        function: function.to_string(),
        verdict,
        ..null_dereference()
    };
    let findings = vec![
        instance("last<int>(int)", Verdict::Refuted),
        instance("last<char>(char)", Verdict::May),
        instance("last<long>(long)", Verdict::May),
    ];
    let kept = normal(findings);
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].function, "last<char>(char)");
    assert_eq!(kept[0].also_in, ["last<long>(long)"]);
}
