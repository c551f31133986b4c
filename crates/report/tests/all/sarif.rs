//! SARIF against the schema of the standard, and what the schema does not say.

use crate::common::{LIST, MAIN, null_dereference, over_two_files, sources, step};
use report::sarif::{Invocation, render};
use report::{Finding, Importance, Location, Report, StepKind, Verdict, fingerprint};
use serde_json::{Value, json};

fn validator() -> jsonschema::Validator {
    let schema = include_str!("schema/sarif-schema-2.1.0.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft7)
        .should_validate_formats(true)
        .build(&schema)
        .unwrap()
}

fn complaints(value: &Value) -> Vec<String> {
    let validator = validator();
    let errors = validator.iter_errors(value);
    errors
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect()
}

fn invocation() -> Invocation {
    Invocation {
        arguments: vec!["check".to_string(), "list.c".to_string()],
        exit_code: 1,
        working_directory: "/home/me/my project".to_string(),
    }
}

fn log(report: &Report) -> Value {
    let files = sources(&[("list.c", LIST), ("main.c", MAIN)]);
    let text = render(report, &invocation(), &files);
    assert_eq!(text, render(report, &invocation(), &files));
    assert!(text.ends_with("}\n"));
    serde_json::from_str(&text).unwrap()
}

fn with(findings: Vec<Finding>) -> Report {
    Report {
        findings,
        totals: crate::common::totals(),
        ..Report::default()
    }
}

/// Reports of every kind.
fn reports() -> Vec<(&'static str, Report)> {
    let odd = |file: &str| Finding {
        location: Location::new(file, 3, 1),
        ..null_dereference()
    };
    let verdict = |verdict| Finding {
        verdict,
        ..null_dereference()
    };
    let generated = Finding {
        rule: None,
        location: Location::new("(generated)", 0, 0),
        function: String::new(),
        steps: Vec::new(),
        called: Vec::new(),
        ..null_dereference()
    };
    let mut notified = with(Vec::new());
    notified.notifications = vec!["f(): the budget ended".to_string(), "\"x\"\n".to_string()];
    vec![
        ("empty", Report::default()),
        ("a must", with(vec![null_dereference()])),
        ("two files", with(vec![over_two_files()])),
        (
            "odd paths",
            with(vec![
                odd("a b/100%#?.c"),
                odd("../größe:1[x].c"),
                odd("/usr/include/c++/12/bits/x.h"),
                odd("\\back\"slash^`{|}.c"),
            ]),
        ),
        (
            "verdicts",
            with(vec![
                verdict(Verdict::May),
                verdict(Verdict::Latent),
                verdict(Verdict::Undecided),
            ]),
        ),
        ("notifications", notified),
        ("nowhere", with(vec![generated])),
        ("long", with(vec![long_path()])),
    ]
}

fn long_path() -> Finding {
    let mut finding = null_dereference();
    let turn = step("list.c", 10, 12, StepKind::Loop, "once more");
    finding
        .steps
        .splice(1..1, std::iter::repeat_n(turn, 20_000));
    finding
}

#[test]
fn every_report_is_valid() {
    for (name, report) in reports() {
        let none: Vec<String> = Vec::new();
        assert_eq!(complaints(&log(&report)), none, "{name}");
    }
}

/// The control: the validator sees what is broken.
#[test]
fn a_broken_report_is_not_valid() {
    type Break = fn(&mut Value);
    let breaks: [(&str, Break); 6] = [
        ("no tool", |log| {
            log["runs"][0].as_object_mut().unwrap().remove("tool");
        }),
        ("no message", |log| {
            let result = log["runs"][0]["results"][0].as_object_mut().unwrap();
            result.remove("message");
        }),
        ("a level that is none", |log| {
            log["runs"][0]["results"][0]["level"] = json!("fatal");
        }),
        ("a line 0", |log| {
            log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] =
                json!(0);
        }),
        ("a property nobody knows", |log| {
            log["runs"][0]["results"][0]["colour"] = json!("red");
        }),
        ("a space in a URI", |log| {
            log["runs"][0]["originalUriBaseIds"]["SRCROOT"]["uri"] = json!("file:///a b/");
        }),
    ];
    for (name, change) in breaks {
        let mut log = log(&with(vec![null_dereference()]));
        assert!(complaints(&log).is_empty());
        change(&mut log);
        assert!(!complaints(&log).is_empty(), "{name}");
    }
}

#[test]
fn a_result_tells_everything() {
    let log = log(&with(vec![over_two_files()]));
    let run = &log["runs"][0];
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "null-dereference");
    let index = result["ruleIndex"].as_u64().unwrap() as usize;
    assert_eq!(
        run["tool"]["driver"]["rules"][index]["id"],
        "null-dereference"
    );
    assert_eq!(
        (&result["kind"], &result["level"]),
        (&json!("fail"), &json!("error"))
    );
    assert_eq!(result["properties"]["verdict"], "must");
    assert_eq!(
        result["message"]["text"],
        "`p` is null when it is dereferenced (when l == NULL)"
    );
    assert_eq!(
        result["locations"],
        json!([{
            "physicalLocation": {
                "artifactLocation": { "uri": "list.c", "uriBaseId": "SRCROOT" },
                "region": { "startLine": 14, "startColumn": 12, "endLine": 14, "endColumn": 13 },
            },
            "logicalLocations": [{ "fullyQualifiedName": "last", "kind": "function" }],
        }])
    );
    assert_eq!(
        result["partialFingerprints"],
        json!({ "rigel/v1": fingerprint(&null_dereference()) })
    );
    assert_eq!(
        run["originalUriBaseIds"]["SRCROOT"]["uri"],
        "file:///home/me/my%20project/"
    );
}

#[test]
fn a_path_keeps_its_depth_its_kinds_and_its_values() {
    let log = log(&with(vec![over_two_files()]));
    let result = &log["runs"][0]["results"][0];
    let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
    let levels: Vec<_> = flow
        .as_array()
        .unwrap()
        .iter()
        .map(|l| &l["nestingLevel"])
        .collect();
    assert_eq!(levels, [0, 1, 1, 1]);
    assert_eq!(flow[0]["kinds"], json!(["call", "function"]));
    assert_eq!(flow[0]["state"], json!({ "l": { "text": "NULL" } }));
    assert_eq!(flow[0]["importance"], "essential");
    assert_eq!(
        flow[0]["location"]["message"]["text"],
        "last(NULL) is called"
    );
    // `last` is four characters.
    let region = &flow[0]["location"]["physicalLocation"]["region"];
    assert_eq!(
        (&region["startColumn"], &region["endColumn"]),
        (&json!(12), &json!(16))
    );
    assert_eq!(flow[3]["kinds"], json!(["danger"]));
    // Viewers without flows see the steps before the failing one.
    let related = result["relatedLocations"].as_array().unwrap();
    let texts: Vec<_> = related.iter().map(|l| &l["message"]["text"]).collect();
    assert_eq!(
        texts,
        [
            "last(NULL) is called",
            "p = NULL",
            "l is NULL: the loop body never runs"
        ]
    );
}

#[test]
fn verdicts_become_levels_and_kinds() {
    for (verdict, kind, level) in [
        (Verdict::Must, "fail", "error"),
        (Verdict::May, "fail", "warning"),
        (Verdict::Latent, "fail", "note"),
        (Verdict::Undecided, "open", "none"),
    ] {
        let finding = Finding {
            verdict,
            ..null_dereference()
        };
        let result = &log(&with(vec![finding]))["runs"][0]["results"][0];
        assert_eq!(
            (&result["kind"], &result["level"]),
            (&json!(kind), &json!(level))
        );
        assert_eq!(result["properties"]["verdict"], verdict.word());
    }
}

#[test]
fn rules_carry_their_weaknesses() {
    let log = log(&Report::default());
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), rules::all().len());
    let rule = rules
        .iter()
        .find(|r| r["id"] == "null-dereference")
        .unwrap();
    assert_eq!(rule["name"], "NullDereference");
    assert_eq!(
        rule["properties"]["tags"],
        json!(["security", "external/cwe/cwe-476", "external/cwe/cwe-690"])
    );
    assert!(rule["properties"]["security-severity"].is_string());
    let taxa = &run["taxonomies"][0]["taxa"];
    for relation in rule["relationships"].as_array().unwrap() {
        let index = relation["target"]["index"].as_u64().unwrap() as usize;
        assert_eq!(taxa[index]["id"], relation["target"]["id"]);
    }
    assert!(
        rule["help"]["markdown"]
            .as_str()
            .unwrap()
            .contains("## What it finds")
    );
}

#[test]
fn the_invocation_says_how_it_went() {
    let mut report = Report::default();
    report
        .notifications
        .push("f(): the budget ended".to_string());
    for (code, successful) in [(0, true), (1, true), (2, false)] {
        let invocation = Invocation {
            exit_code: code,
            ..invocation()
        };
        let nothing = |_: &str, _: u32| None;
        let log: Value = serde_json::from_str(&render(&report, &invocation, &nothing)).unwrap();
        let told = &log["runs"][0]["invocations"][0];
        assert_eq!(told["exitCode"], code);
        assert_eq!(told["executionSuccessful"], successful);
        let note = &told["toolExecutionNotifications"][0]["message"]["text"];
        assert_eq!(note, "f(): the budget ended");
    }
}

#[test]
fn paths_and_related_locations_have_an_end() {
    let result = &log(&with(vec![long_path()]))["runs"][0]["results"][0];
    let flow = result["codeFlows"][0]["threadFlows"][0]["locations"]
        .as_array()
        .unwrap();
    assert_eq!(flow.len(), 1000);
    assert_eq!(flow[0]["location"]["message"]["text"], "p = NULL");
    assert_eq!(flow[999]["location"]["message"]["text"], "p dereferenced");
    assert_eq!(result["relatedLocations"].as_array().unwrap().len(), 100);
    // Without its unimportant steps the path is short enough, and nothing else is lost.
    let mut finding = long_path();
    for step in &mut finding.steps[1..20_001] {
        step.importance = Importance::Unimportant;
    }
    let result = &log(&with(vec![finding]))["runs"][0]["results"][0];
    let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(flow.as_array().unwrap().len(), 3);
}

#[test]
fn columns_count_characters() {
    let line = "\"größe\", p->x;";
    let files = |_: &str, _: u32| Some(line.to_string());
    let mut finding = null_dereference();
    finding.location.column = line.find("p->").unwrap() as u32 + 1;
    let text = render(&with(vec![finding]), &invocation(), &files);
    let log: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(log["runs"][0]["columnKind"], "unicodeCodePoints");
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startColumn"], 10);
    assert_eq!(place["region"]["endColumn"], 11);
}
