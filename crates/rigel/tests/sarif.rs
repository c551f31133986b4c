//! `rigel check --format sarif` as a whole: what the tests of `report` show of made-up findings
//! holds for those that the analysis finds.

mod common;

use common::{Project, command};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn validator() -> jsonschema::Validator {
    let schema = include_str!("../../report/tests/all/schema/sarif-schema-2.1.0.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft7)
        .should_validate_formats(true)
        .build(&schema)
        .unwrap()
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

/// The log of a check that finds something.
fn check(directory: &Path, files: &[&str]) -> Value {
    let output = command(&["check", "--format", "sarif", "--latent"])
        .args(files)
        .current_dir(directory)
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{words}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Of several rules, in C and C++; each is a program of its own.
const FIXTURES: [&str; 6] = [
    "null-dereference/one_branch.c",
    "division-by-zero/one_branch.c",
    "division-by-zero/zero_after_exception.cpp",
    "out-of-bounds/off_by_one.c",
    "out-of-bounds/member_array.cpp",
    "uninitialized-use/loop_may_not_run.c",
];

fn logs() -> Vec<Value> {
    let fixtures = root().join("crates/rules/fixtures");
    let mut logs = vec![check(&root(), &["examples/quickstart"])];
    logs.extend(FIXTURES.iter().map(|file| check(&fixtures, &[file])));
    logs
}

fn results(log: &Value) -> &Vec<Value> {
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert!(!results.is_empty());
    results
}

#[test]
fn what_is_written_is_valid() {
    let validator = validator();
    for log in logs() {
        let errors = validator.iter_errors(&log);
        let complaints: Vec<String> = errors
            .map(|e| format!("{}: {e}", e.instance_path()))
            .collect();
        assert_eq!(complaints, Vec::<String>::new());
    }
}

#[test]
fn paths_end_where_the_result_is() {
    for log in logs() {
        for result in results(&log) {
            // A latent error has no path: nobody looked for one.
            let flows = &result["codeFlows"];
            if result["properties"]["verdict"] == "latent" && flows.is_null() {
                continue;
            }
            let steps = flows[0]["threadFlows"][0]["locations"].as_array().unwrap();
            let last = &steps.last().unwrap()["location"]["physicalLocation"];
            assert_eq!(last, &result["locations"][0]["physicalLocation"]);
        }
    }
}

/// Every `artifactLocation` below a value.
fn artifacts<'v>(value: &'v Value, found: &mut Vec<&'v Value>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("artifactLocation"));
            members.values().for_each(|v| artifacts(v, found));
        }
        Value::Array(elements) => elements.iter().for_each(|v| artifacts(v, found)),
        _ => {}
    }
}

#[test]
fn files_are_relative_to_where_rigel_ran() {
    let log = check(&root(), &["examples/quickstart"]);
    let base = &log["runs"][0]["originalUriBaseIds"]["SRCROOT"]["uri"];
    assert_eq!(base, &json!(format!("file://{}/", root().display())));
    let mut all = Vec::new();
    artifacts(&log["runs"][0]["results"], &mut all);
    assert!(!all.is_empty());
    for artifact in all {
        assert_eq!(artifact["uriBaseId"], "SRCROOT");
        let uri = artifact["uri"].as_str().unwrap();
        assert!(uri.starts_with("examples/quickstart/"), "{uri}");
        assert!(root().join(uri).is_file(), "{uri}");
    }
}

#[test]
fn results_name_rules_with_their_weaknesses() {
    for log in logs() {
        let rules = &log["runs"][0]["tool"]["driver"]["rules"];
        for result in results(&log) {
            let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
            assert_eq!(rule["id"], result["ruleId"]);
            let tags = rule["properties"]["tags"].as_array().unwrap();
            let is_weakness = |tag: &Value| {
                let number = tag.as_str().unwrap().strip_prefix("external/cwe/cwe-");
                number.is_some_and(|n| n.parse::<u32>().is_ok())
            };
            assert!(tags.iter().any(is_weakness), "{rule}");
            assert!(rule["shortDescription"]["text"].is_string(), "{rule}");
        }
    }
}

/// What a tool that collects reports knows a finding by: rule, fingerprint and line of each.
fn identities(log: &Value) -> Vec<(String, String, u64)> {
    let of = |result: &Value| {
        let place = &result["locations"][0]["physicalLocation"];
        (
            result["ruleId"].as_str().unwrap().to_string(),
            result["partialFingerprints"]["rigel/v1"]
                .as_str()
                .unwrap()
                .to_string(),
            place["region"]["startLine"].as_u64().unwrap(),
        )
    };
    results(log).iter().map(of).collect()
}

#[test]
fn fingerprints_survive_lines_inserted_above() {
    let stock = root().join("examples/quickstart");
    let files = ["main.c", "parse.c", "stock.c", "stock.h"];
    let read = |name: &str| std::fs::read_to_string(stock.join(name)).unwrap();
    let project = Project::new(&[]);
    for name in files {
        project.write(name, &read(name));
    }
    let before = identities(&check(project.path(), &["."]));
    for name in files.iter().filter(|name| name.ends_with(".c")) {
        project.write(
            name,
            &format!("{}{}", "/* more */\n".repeat(10), read(name)),
        );
    }
    let after = identities(&check(project.path(), &["."]));
    let moved: Vec<_> = before
        .iter()
        .map(|(rule, fingerprint, line)| (rule.clone(), fingerprint.clone(), line + 10))
        .collect();
    assert_eq!(after, moved);
    // Different findings are different.
    let mut all: Vec<_> = before
        .iter()
        .map(|(_, fingerprint, _)| fingerprint)
        .collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), before.len());
}
