//! JSON, with the keys that its documentation promises.

use crate::common::{over_two_files, totals};
use report::{FunctionChecks, Report, fingerprint, json, short_ids};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn report() -> Report {
    Report {
        findings: vec![over_two_files()],
        totals: totals(),
        notifications: vec!["f(): the budget ended".to_string()],
        functions: vec![FunctionChecks {
            function: "last".to_string(),
            file: "list.c".to_string(),
            line: 7,
            checks: BTreeMap::from([("null-dereference".to_string(), 2)]),
        }],
    }
}

#[test]
fn everything_is_there() {
    let report = report();
    let text = json::render(&report);
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["version"], 2);
    assert_eq!(value["tool"]["name"], "rigel");
    assert_eq!(value["notifications"], json!(["f(): the budget ended"]));
    assert_eq!(
        value["functions"],
        json!([{
            "function": "last", "file": "list.c", "line": 7, "checks": { "null-dereference": 2 },
        }])
    );
    assert_eq!(
        value["summary"],
        json!({
            "units": 2, "failed": 0, "functions": 2, "checks": 9, "proved": 8, "latent": 0,
            "refuted": 0, "reported": 1, "undecided": 0, "budget_exhausted": 0, "defects": 0,
        })
    );
    let finding = &value["findings"][0];
    assert_eq!(finding["id"], short_ids(&report.findings)[0]);
    assert_eq!(finding["fingerprint"], fingerprint(&report.findings[0]));
    assert_eq!(finding["rule"], "null-dereference");
    assert_eq!(finding["cwe"], json!([476, 690]));
    assert_eq!(finding["verdict"], "must");
    assert_eq!(finding["condition"], "p != null");
    assert_eq!(
        (&finding["file"], &finding["line"]),
        (&json!("list.c"), &json!(14))
    );
    assert_eq!(
        (&finding["column"], &finding["function"]),
        (&json!(12), &json!("last"))
    );
    assert_eq!(
        (&finding["when"], &finding["seen"]),
        (&json!("l == NULL"), &Value::Null)
    );
    assert_eq!(
        finding["steps"][0],
        json!({
            "file": "main.c", "line": 4, "column": 12, "function": "main", "kind": "call",
            "text": "last(NULL) is called", "depth": 0, "importance": "essential",
            "values": { "l": "NULL" },
        })
    );
    assert_eq!(finding["steps"].as_array().unwrap().len(), 4);
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    let text = json::render(&report());
    assert_eq!(text, json::render(&report()));
    assert!(text.ends_with("}\n"));
    // Sorted keys, whatever other crates make of serde_json.
    let first: Vec<&str> = text
        .lines()
        .skip(1)
        .filter(|l| l.starts_with("  \""))
        .collect();
    assert!(first.is_sorted(), "{first:?}");
}
